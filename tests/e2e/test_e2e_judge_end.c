/* `ptybot test` with one scene: rejected scenes, kept files, and no leftovers at the end. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

/* ---- Scenes that cannot be judged ---- */

static void a_test_that_judges_nothing_or_never_ends_is_refused(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml"), 2);
    test_stage_said(stage, "nothing to judge");
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast"), 2);
    test_stage_said(stage, "--for SECONDS");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--for", "1"), 0);
    test_stage_said(stage, "1.000 s simulated");
    // The end of the timeline does not end a test with `always`: the effect of its last item would
    // not be judged.
    test_stage_scene(stage, "s.yaml", "{that: kobuki.cliff_left == 0, always: true}",
                     "timeline: [{at: 0.5, do: kobuki.fault cliff_left=dead}]\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast"), 2);
    test_stage_said(stage, "`always` has no known duration: give --for SECONDS");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--for", "2", "--out", "out"), 1);
    test_stage_nothing_left(stage);
}

static void wrong_scenes_and_words_are_exit_code_2_and_in_the_junit_file(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "s.yaml", "robots: [\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--junit", "j.xml"), 2);
    test_stage_junit(stage, "j.xml", "1 suites, 1 cases, 0 failures, 1 errors not_run");
    assert_int_equal(TEST_RUN(stage, "missing.yaml"), 2);
    assert_int_equal(TEST_RUN(stage, "--fast"), 2);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--"), 2);
    test_stage_said(stage, "the driver command after --");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--hostt", "1"), 2);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--seeds", "3..1"), 2);
    test_stage_said(stage, "A not above B");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--shard", "3/2"), 2);
    test_stage_said(stage, "the part number I of N");
}

static void what_the_machine_refuses_is_exit_code_3(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--for", "1", "--out", "/proc/no/x"), 3);
    test_stage_said(stage, "--out /proc/no/x");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--for", "1", "--junit", "/proc/no"), 3);
    test_stage_said(stage, "--junit /proc/no");
    folder_write(&stage->folder, "t.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2},\n"
                 "          links: [{pty: /proc/no}]}]\n"
                 "expect: [{that: world.time_s > 0, within: 1}]\n");
    assert_int_equal(TEST_RUN(stage, "t.yaml", "--fast"), 3);
    test_stage_nothing_left(stage);
}

/* ---- Kept files ---- */

static void a_failure_keeps_the_log_of_the_host_and_all_signals(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--", "sh", "-c",
                              HELLO "echo to stdout; echo to stderr >&2; exit 1"),
                     1);
    test_stage_said(stage, "| to stdout");
    test_stage_said(stage, "| to stderr");
    char *said = program_out(&stage->ptybot);
    char *kept = strstr(said, "kept: ");
    assert_non_null(kept);
    kept += strlen("kept: ");
    kept[strcspn(kept, "\n")] = '\0';
    snprintf(path, sizeof path, "%.200s/host.log", kept);
    assert_true(path_exists(path));
    snprintf(path, sizeof path, "%.200s/signals.csv", kept);
    assert_true(path_exists(path));
    free(said);
}

static void a_failure_can_be_seen_and_replayed(void **state)
{
    struct stage *stage = *state;
    struct program replay;
    char path[FOLDER_PATH_MAX];
    test_stage_scene(stage, "s.yaml", "{that: kobuki.x_m > 100, within: 1}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--out", "out", "--", "sh", "-c", HELLO "sleep 1.5"),
                     1);
    /* A build without cairo paints nothing, and reports it. */
    assert_true(path_exists(folder_path(&stage->folder, "out/failure.png", path)) !=
                program_has_warned(&stage->ptybot, "cannot make the picture of the failure"));
    /* A build without WebAssembly writes no page, and reports it. */
    bool has_page = path_exists(folder_path(&stage->folder, "out/replay.html", path));
    assert_true(has_page != program_has_warned(&stage->ptybot, "no page of the failure"));
    assert_true(has_page == program_has_said(&stage->ptybot, "out/replay.html"));
    folder_path(&stage->folder, "out/run.journal", path);
    assert_int_equal(program_run(&replay, &stage->folder, "replay",
                                 (const char *const[]){PTYBOT_BINARY, "replay", path, NULL}),
                     0);
    assert_true(program_has_said(&replay, "the same "));
    unlink(folder_path(&stage->folder, "out/failure.png", path));

    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--out", "out", "--", "sh", "-c", HELLO), 0);
    assert_false(path_exists(path));
    test_stage_nothing_left(stage);
}

static void numbered_pictures_are_painted_beside_a_host(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    test_stage_scene(stage, "s.yaml", STANDS, "");
    int code = TEST_RUN(stage, "s.yaml", "--frames", "f", "--fps", "5", "--", "sh", "-c",
                        NOTE HELLO "setsid sleep 1000 & sleep 1");
    if (program_has_warned(&stage->ptybot, "cannot paint")) {
        print_message("SKIPPED: this ptybot was built without cairo\n");
        skip();
    }
    assert_int_equal(code, 0);
    assert_true(path_exists(folder_path(&stage->folder, "f", path)));
    test_stage_nothing_left(stage);
}

static void a_folder_that_is_asked_for_is_kept_whatever_the_verdict(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--out", "some/out", "--", "sh", "-c", HELLO "echo hello"), 0);
    char *log = folder_read(&stage->folder, "some/out/host.log");
    assert_string_equal(log, "hello\n");
    free(log);
    char *signals = folder_read(&stage->folder, "some/out/signals.csv");
    assert_true(strncmp(signals, "world.time_s,", 13) == 0);
    free(signals);
    test_stage_nothing_left(stage);
}

static void a_report_holds_whatever_bytes_a_host_prints(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "name: \"<&>\\\"' ä\"");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--junit", "j.xml", "--", "sh", "-c",
                              HELLO "printf '\\000\\001\\033[1m\\377\\303<]]>&amp;\\r\\n'; exit 1"),
                     1);
    test_stage_junit(stage, "j.xml", "1 suites, 3 cases, 1 failures, 0 errors exit");
}

static void a_report_is_plain_text_whatever_a_host_prints(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--", "sh", "-c",
                              HELLO "printf '\033]0;t\007\033[1mbold\033[0m\r\n10 %%\r20 %%\n'\n"
                                    "head -c 5000 /dev/zero | tr '\\0' x\nexit 1"),
                     1);
    test_stage_said(stage, "  | bold\n  | 10 %\n  | 20 %\n  | xxxx");
    char *said = program_out(&stage->ptybot);
    assert_null(strchr(said, '\033'));
    // Neither the command nor its output makes an endless row.
    for (const char *line = said; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") < 700);
    assert_null(strstr(said, "\nhead"));
    free(said);
}

static void a_verdict_is_reported_also_where_a_file_cannot_be_written(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--log", "/dev/full", "--junit", "j.xml", "--out",
                              "out", "--", "sh", "-c", HELLO "sleep 1"),
                     3);
    test_stage_said(stage, "exited with 0 after");
    test_stage_said(stage, "No space left on device");
    test_stage_junit(stage, "j.xml", "1 suites, 4 cases, 0 failures, 1 errors not_written");
    test_stage_nothing_left(stage);
}

static void ports_of_a_test_around_it_are_not_the_hosts(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(setenv("PTYBOT_PORT_OTHER", "/dev/null", 1), 0);
    assert_int_equal(setenv("PTYBOT_PORT_KOBUKI", "/dev/null", 1), 0);
    int code = TEST_RUN(stage, "s.yaml", "--", "sh", "-c",
                        HELLO "test -z \"$PTYBOT_PORT_OTHER\" && test -c $PTYBOT_PORT_KOBUKI && "
                              "test $PTYBOT_PORT_KOBUKI != /dev/null");
    unsetenv("PTYBOT_PORT_OTHER");
    unsetenv("PTYBOT_PORT_KOBUKI");
    assert_int_equal(code, 0);
}

static void storage_of_a_scene_is_read_and_not_written(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "s.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: board, type: diff_board, pose: {x: 2, y: 2}, storage: memory}]\n"
                 "expect: [{that: board.uart.frames == 1, at_end: true}]\n");
    /* Set robot parameters: the default block, as in the public protocol. */
    int code = TEST_RUN(stage, "s.yaml", QUICKLY, "--", "sh", "-c",
                        "exec 3<>$PTYBOT_PORT_BOARD; " SERIAL
                        "printf '\\132\\001\\000\\133' >&3; exec 3>&-; sleep 0.2");
    test_stage_said(stage, "passed: 3 of 3");
    assert_int_equal(code, 0);
    char path[FOLDER_PATH_MAX];
    assert_false(path_exists(folder_path(&stage->folder, "memory", path)));
}

/* ---- The end of a test ---- */

static void a_signal_is_passed_on_and_everything_is_ended(void **state)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD, "");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char path[FOLDER_PATH_MAX];
        unlink(folder_path(&stage->folder, "got", path));
        unlink(folder_path(&stage->folder, "ready", path));
        TEST_START(stage, "s.yaml", "--out", "out", "--junit", "j.xml", "--", "sh", "-c",
                   NOTE HELLO "for s in INT TERM HUP; do trap \"echo $s >>got; exit 0\" $s; done; "
                              "echo >ready; while :; do sleep 0.1; done");
        WAIT_UNTIL(path_exists(folder_path(&stage->folder, "ready", path)));
        assert_int_equal(program_end(&stage->ptybot, numbers[i]), 3);
        char *got = folder_read(&stage->folder, "got");
        assert_string_equal(got, numbers[i] == SIGINT    ? "INT\n"
                                 : numbers[i] == SIGTERM ? "TERM\n"
                                                         : "HUP\n");
        free(got);
        test_stage_said(stage, "was ended together with the test");
        test_stage_nothing_left(stage);
    }
}

static void children_that_hide_from_the_host_are_ended_too(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    /* Processes in another group, in another session, that ignore signals, and orphans. */
    int code = TEST_RUN(stage, "s.yaml", "--", "sh", "-c",
                        NOTE HELLO "(sleep 1000 & echo $! >>pids); "
                                   "setsid sh -c 'trap \"\" TERM HUP; echo $$ >>pids; "
                                   "while :; do sleep 1; done' & "
                                   "sleep 0.5");
    assert_int_equal(code, 0);
    test_stage_said(stage, "; processes that it had started were still running and were killed");
    test_stage_nothing_left(stage);
}

static void a_host_does_not_outlive_a_killed_test(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    test_stage_scene(stage, "s.yaml", HEARD, "");
    TEST_START(stage, "s.yaml", "--out", "out", "--", "sh", "-c",
               "echo $$ >>pids; echo >ready; exec sleep 1000");
    WAIT_UNTIL(path_exists(folder_path(&stage->folder, "ready", path)));
    program_end(&stage->ptybot, SIGKILL);
    char *pids = folder_read(&stage->folder, "pids");
    WAIT_UNTIL(kill((pid_t)atol(pids), 0) != 0);
    free(pids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_test_that_judges_nothing_or_never_ends_is_refused),
        TEST_STAGED(wrong_scenes_and_words_are_exit_code_2_and_in_the_junit_file),
        TEST_STAGED(what_the_machine_refuses_is_exit_code_3),
        TEST_STAGED(a_failure_keeps_the_log_of_the_host_and_all_signals),
        TEST_STAGED(a_failure_can_be_seen_and_replayed),
        TEST_STAGED(numbered_pictures_are_painted_beside_a_host),
        TEST_STAGED(a_folder_that_is_asked_for_is_kept_whatever_the_verdict),
        TEST_STAGED(a_report_holds_whatever_bytes_a_host_prints),
        TEST_STAGED(a_report_is_plain_text_whatever_a_host_prints),
        TEST_STAGED(a_verdict_is_reported_also_where_a_file_cannot_be_written),
        TEST_STAGED(ports_of_a_test_around_it_are_not_the_hosts),
        TEST_STAGED(storage_of_a_scene_is_read_and_not_written),
        TEST_STAGED(a_signal_is_passed_on_and_everything_is_ended),
        TEST_STAGED(children_that_hide_from_the_host_are_ended_too),
        TEST_STAGED(a_host_does_not_outlive_a_killed_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
