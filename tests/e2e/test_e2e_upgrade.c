/* Files written by earlier versions, tests/upgrade: the present program reads them. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/program.h"

#define OLD PTYBOT_SOURCE_DIR "/tests/upgrade/*/"

static int setup(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    assert_non_null(folder);
    folder_make(folder);
    *state = folder;
    return 0;
}

static int teardown(void **state)
{
    folder_remove(*state);
    free(*state);
    return 0;
}

/* Runs `ptybot WORDS... PATH` for each matching path; it must end with an exit code from LEAST to
 * MOST and print TEXT on either output. */
static void for_each(struct folder *folder, const char *pattern, const char *const words[],
                     int least, int most, const char *text)
{
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *argv[8] = {PTYBOT_BINARY};
        size_t count = 1;
        for (size_t k = 0; words[k]; k++)
            argv[count++] = words[k];
        argv[count] = found.gl_pathv[i];
        struct program program = {0};
        int code = program_run(&program, folder, "ptybot", argv);
        char *out = program_out(&program), *err = program_err(&program);
        if (code < least || code > most || !(strstr(out, text) || strstr(err, text)))
            fail_msg("%s: code %d, not %d .. %d, or '%s' is missing:\n%s\n%s", found.gl_pathv[i],
                     code, least, most, text, out, err);
        free(out);
        free(err);
    }
    globfree(&found);
}

#define FOR_EACH(folder, pattern, least, most, text, ...)                                          \
    for_each(folder, OLD pattern, (const char *const[]){__VA_ARGS__, NULL}, least, most, text)

static void scenes_and_bodies_are_good(void **state)
{
    FOR_EACH(*state, "scenes/*.yaml", 0, 0, "ok: ", "check");
    FOR_EACH(*state, "scenes/own/*.yaml", 0, 0, "ok: ", "check");
    FOR_EACH(*state, "scenes/own/bridge.yaml", 0, 0,
             "looks is now appearance; the next release removes the old name", "check");
}

/* A journal belongs to one build: the present build may diverge, but reads it to the end. */
static void journals_are_read(void **state)
{
    FOR_EACH(*state, "*.journal", 2, 2, "--any-build", "replay");
    FOR_EACH(*state, "*.journal", 0, 1, "", "replay", "--any-build");
}

static void captures_are_decoded(void **state)
{
    FOR_EACH(*state, "kobuki.pcapng", 0, 0, "base_control", "decode");
}

static void results_are_merged(void **state)
{
    FOR_EACH(*state, "runs.ndjson", 0, 0, "passed: 2 of 2", "merge");
}

/* The Python firmware calls `look`, the old name of camera_image. */
static void a_firmware_runs(void **state)
{
    FOR_EACH(*state, "scenes/own/seeker_box.yaml", 0, 0, "", "run", "--private", "--fast", "--for",
             "40");
}

#define OF_OLD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF_OLD(scenes_and_bodies_are_good), OF_OLD(journals_are_read), OF_OLD(captures_are_decoded),
        OF_OLD(results_are_merged),         OF_OLD(a_firmware_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
