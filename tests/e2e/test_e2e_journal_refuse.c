/* `ptybot replay`: divergences, and rejected journals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/e2e/journal_rewrite.h"
#include "tests/e2e/journal_stage.h"
#include "tests/support/check.h"
#include "tests/support/stage.h"

static bool lose_the_commands_after_half_a_second(struct journal_entry *entry)
{
    return entry->kind != JOURNAL_BYTES || entry->step <= 500;
}

static bool claim_another_build(struct journal_entry *entry)
{
    if (entry->kind == JOURNAL_BUILD)
        entry->bytes = (const uint8_t *)"0123456789abcdef";
    return true;
}

static bool claim_another_program(struct journal_entry *entry)
{
    if (entry->kind == JOURNAL_PROGRAM) {
        entry->bytes = (const uint8_t *)"9.9.9";
        entry->size = 5;
    }
    return true;
}

static void a_replay_that_departs_says_where(void **state)
{
    struct stage *stage = *state;
    journal_make(stage);
    journal_rewrite(&stage->folder, "j", "other", lose_the_commands_after_half_a_second);
    assert_int_equal(REPLAY(stage, "other"), 1);
    journal_said(stage, "replay.err", "kobuki.uart diverges between");
    journal_said(stage, "replay.err", "identical bytes to the driver");
    char *said = folder_read(&stage->folder, "replay.err");
    double from_s, to_s;
    const char *place = strstr(said, "kobuki.uart diverges");
    assert_int_equal(sscanf(place, "kobuki.uart diverges between %lf s and %lf s", &from_s, &to_s),
                     2);
    free(said);
    assert_true(to_s > 0.5 && to_s - from_s < 0.1001);
    /* Before that time the run is the same. */
    char until[32];
    snprintf(until, sizeof until, "%.3f", from_s);
    assert_int_equal(REPLAY(stage, "other", "--until", until), 0);
}

static void a_journal_of_another_program_is_refused(void **state)
{
    struct stage *stage = *state;
    journal_make(stage);
    journal_rewrite(&stage->folder, "j", "build", claim_another_build);
    assert_int_equal(REPLAY(stage, "build"), 2);
    journal_said(stage, "replay.err", "build 0123456789abcdef");
    journal_said(stage, "replay.err", "--any-build");
    assert_int_equal(REPLAY(stage, "build", "--any-build"), 0);
    journal_rewrite(&stage->folder, "j", "program", claim_another_program);
    assert_int_equal(REPLAY(stage, "program"), 2);
    journal_said(stage, "replay.err", "written by ptybot 9.9.9");
}

static void a_journal_of_another_scene_is_refused_and_needs_no_files_itself(void **state)
{
    struct stage *stage = *state;
    journal_make(stage);
    assert_int_equal(REPLAY(stage, "j", "kobuki.yaml"), 0);
    stage_write_kobuki(stage, "", "battery_v: 14");
    assert_int_equal(REPLAY(stage, "j", "kobuki.yaml"), 2);
    journal_said(stage, "replay.err", "differs from line 9 on");
    assert_int_equal(REPLAY(stage, "j", "kobuki"), 2);
    journal_said(stage, "replay.err", "robot type kobuki");
    assert_int_equal(REPLAY(stage, "j"), 0);
    journal_said(stage, "replay.err", "kobuki.yaml has changed since");
    char path[FOLDER_PATH_MAX];
    unlink(folder_path(&stage->folder, "kobuki.yaml", path));
    assert_int_equal(REPLAY(stage, "j"), 0);
}

static void a_damaged_journal_is_refused_with_its_line(void **state)
{
    struct stage *stage = *state;
    journal_make(stage);
    char *text = folder_read(&stage->folder, "j");
    char path[FOLDER_PATH_MAX];
    char *place = strstr(text, "seed: 1");
    assert_non_null(place);
    place[6] = '2';
    FILE *file = fopen(folder_path(&stage->folder, "j", path), "wb");
    fputs(text, file);
    fclose(file);
    free(text);
    assert_int_equal(REPLAY(stage, "j"), 2);
    journal_said(stage, "replay.err", "is damaged");
}

static void wrong_words_are_told_apart(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(REPLAY(stage, "none"), 2);
    journal_said(stage, "replay.err", "none: No such file");
    assert_int_equal(REPLAY(stage, "kobuki.yaml"), 2);
    journal_said(stage, "replay.err", "not a journal");
    assert_int_equal(REPLAY(stage, "."), 3);
    assert_int_equal(journal_replay(stage, (const char *const[]){NULL}), 2);
    assert_int_equal(REPLAY(stage, "j", "--paused"), 2);
    journal_said(stage, "replay.err", "--control");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOURNALED(a_replay_that_departs_says_where),
        JOURNALED(a_journal_of_another_program_is_refused),
        JOURNALED(a_journal_of_another_scene_is_refused_and_needs_no_files_itself),
        JOURNALED(a_damaged_journal_is_refused_with_its_line),
        JOURNALED(wrong_words_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
