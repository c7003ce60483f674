/* `ptybot test` with one scene: verdicts, exit codes, kinds of driver failures, start of simulated
 * time. */
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

static const char listen_host[] = PTYBOT_HOSTS_DIR "/kobuki_listen";

/* ---- Verdicts ---- */

static void a_host_that_exits_with_0_and_expectations_that_hold_pass(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD ", " STANDS, "");
    int code = TEST_RUN(stage, "s.yaml", QUICKLY, "--junit", "j.xml", "--", "sh", "-c", NOTE HELLO);
    test_stage_said(stage, "passed: 4 of 4");
    assert_int_equal(code, 0);
    test_stage_junit(stage, "j.xml", "1 suites, 4 cases, 0 failures, 0 errors");
    test_stage_nothing_left(stage);
}

static void what_a_host_wrote_last_before_its_end_is_judged(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: kobuki.uart.frames == 1, at_end: true}", "");
    for (unsigned i = 0; i < 10; i++) {
        int code = TEST_RUN(stage, "s.yaml", QUICKLY, "--", "sh", "-c", HELLO);
        test_stage_said(stage, "passed: 3 of 3");
        assert_int_equal(code, 0);
    }
}

static void an_expectation_that_fails_fails_the_test_and_reports_values_and_time(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: kobuki.x_m > 100, within: 2}, " STANDS, "");
    int code =
        TEST_RUN(stage, "s.yaml", QUICKLY, "--junit", "j.xml", "--", "sh", "-c", HELLO "sleep 1");
    assert_int_equal(code, 1);
    test_stage_said(stage, "FAILED: 1 of 4");
    test_stage_not_said(stage, "; closest: ");
    test_stage_said(stage, "2.000 s");
    test_stage_said(stage, "kobuki.x_m = 10");
    test_stage_said(stage, "s.yaml:5");
    test_stage_junit(stage, "j.xml", "1 suites, 4 cases, 1 failures, 0 errors expectation");
}

static void a_violated_always_ends_the_test_and_the_host_unless_told_otherwise(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml",
                     "{name: stays, that: kobuki.y_m > 9, always: true},"
                     "{name: goes, that: kobuki.x_m > 100, within: 1000}",
                     "timeline: [{at: 1, do: \"kobuki.place x=5 y=5\"}]");
    int code = TEST_RUN(stage, "s.yaml", QUICKLY, "--junit", "j.xml", "--out", "out", "--", "sh",
                        "-c", NOTE HELLO "sleep 1000");
    assert_int_equal(code, 1);
    test_stage_said(stage, "FAILED   stays: kobuki.y_m > 9 ");
    test_stage_said(stage, "skipped  goes: kobuki.x_m > 100 ");
    test_stage_said(stage, "1.001 s  not judged: an earlier failure ended the test");
    test_stage_said(stage, "was running until a failure ended the test");
    test_stage_ended(stage, "FAILED: 1 of 4, 1 not judged", "1.001 s simulated");
    test_stage_junit(stage, "j.xml", "1 suites, 4 cases, 1 failures, 0 errors expectation");
    char *xml = folder_read(&stage->folder, "j.xml");
    assert_non_null(strstr(xml, "<testcase classname=\"s\" name=\"stays\" "));
    assert_non_null(strstr(xml, "skipped=\"1\""));
    assert_non_null(strstr(xml, "<skipped message=\"not judged: an earlier failure"));
    free(xml);
    test_stage_nothing_left(stage);

    test_stage_scene(stage, "s.yaml", "{that: kobuki.y_m > 9, always: true, stop: no}",
                     "timeline: [{at: 1, do: \"kobuki.place x=5 y=5\"}]");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--for", "3"), 1);
    test_stage_said(stage, "FAILED: 1 of 1; 3.000 s simulated");
}

static void fail_fast_ends_the_test_at_any_failure(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml",
                     "{that: kobuki.x_m > 100, within: 1},{that: kobuki.x_m > 100, within: 5}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast"), 1);
    test_stage_said(stage, "FAILED: 2 of 2; 5.000 s simulated");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--fail-fast"), 1);
    test_stage_said(stage, "FAILED: 1 of 2, 1 not judged; 1.000 s simulated");
    // So does a command that is rejected.
    test_stage_scene(stage, "s.yaml", "{that: kobuki.x_m > 100, within: 5}",
                     "timeline: [{at: 0.5, do: \"kobuki.place x=0.01 y=5\"}]");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--fail-fast"), 1);
    test_stage_said(stage, "FAILED: 1 of 2, 1 not judged; 0.501 s simulated");
}

/* ---- The command line ---- */

static void braces_in_a_host_command_stand_for_ports(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD, "");
    static const char script[] =
        "test \"$1\" = \"port=$PTYBOT_PORT_KOBUKI\" && test \"$2\" = '{}' "
        "&& test \"$3\" = '{print}' "
        "&& exec 3<>$4 && " SERIAL "printf " DRIVE " >&3; exec 3>&-; sleep 0.2";
    int code = TEST_RUN(stage, "s.yaml", "--", "sh", "-c", script, "x", "port={kobuki}", "{}",
                        "{print}", "{kobuki.uart}");
    test_stage_said(stage, "passed: 3 of 3");
    assert_int_equal(code, 0);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--", "true", "{kobki}"), 3);
    test_stage_said(stage, "{kobki}: there is no such port; did you mean '{kobuki}'?");
    TEST_RUN(stage, "s.yaml", "--", "true", "{robot}");
    assert_true(program_has_warned(
        &stage->ptybot, "the driver receives '{robot}' literally: no robot or channel has this "
                        "name; did you mean '{kobuki}'?"));
}

static void a_port_that_no_shell_reads_is_a_warning(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    static const char warning[] = "the driver receives '$PTYBOT_PORT_KOBUKI' literally, because no "
                                  "shell expands it: write {ROBOT} instead, such as {kobuki}";
    TEST_RUN(stage, "s.yaml", "--", "cat", "$PTYBOT_PORT_KOBUKI");
    test_stage_said(stage, warning);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--", "sh", "-c",
                              "test$PTYBOT_PORT_NOTHING -w $PTYBOT_PORT_KOBUKI"),
                     0);
    test_stage_said(stage, "passed: 2 of 2;");
    // A script without blanks.
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--start", "now", "--", "sh", "-ec", "true<$PTYBOT_PORT_KOBUKI"),
        0);
    test_stage_said(stage, "passed: 2 of 2;");
}

static void a_for_that_is_too_short_is_said_before_the_run(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(
        stage, "s.yaml",
        "{that: kobuki.x_m == 10, within: 3, after: 2}, {that: kobuki.x_m > 0, within: 4}", "");
    TEST_RUN(stage, "s.yaml", "--fast", "--for", "4");
    assert_true(program_has_warned(
        &stage->ptybot, "s.yaml:5: --for 4 ends the test before the 5 s of expect[0] have passed"));
    assert_false(program_has_warned(&stage->ptybot, "expect[1]"));
    TEST_RUN(stage, "s.yaml", "--fast", "--for", "5");
    assert_false(program_has_warned(&stage->ptybot, "--for"));
}

static void keep_leaves_the_log_of_a_host_that_passed(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--keep", "--start", "now", "--", "echo", "I was here"), 0);
    char *said = program_out(&stage->ptybot);
    const char *kept = strstr(said, "\nkept: ");
    assert_non_null(kept);
    snprintf(path, sizeof path, "%.*s/host.log", (int)strcspn(kept + 7, "\n"), kept + 7);
    FILE *log = fopen(path, "r");
    char line[64] = "";
    assert_non_null(log);
    assert_non_null(fgets(line, sizeof line, log));
    fclose(log);
    assert_string_equal(line, "I was here\n");
    free(said);
}

static void nothing_of_an_earlier_test_stays_in_its_folder(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    test_stage_scene(stage, "s.yaml", "{that: kobuki.x_m > 100, within: 1}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--out", "out"), 1);
    assert_true(path_exists(folder_path(&stage->folder, "out/failure.png", path)));
    folder_write(&stage->folder, "out/notes.txt", "mine\n");
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--for", "1", "--out", "out"), 0);
    assert_false(path_exists(folder_path(&stage->folder, "out/failure.png", path)));
    assert_true(path_exists(folder_path(&stage->folder, "out/signals.csv", path)));
    assert_true(path_exists(folder_path(&stage->folder, "out/notes.txt", path)));

    mkdir(folder_path(&stage->folder, "mine", path), 0700);
    folder_write(&stage->folder, "mine/run.journal", "precious\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--for", "1", "--out", "mine"), 3);
    assert_true(program_has_warned(&stage->ptybot, "found run.journal, which no test of ptybot"));
    char *journal = folder_read(&stage->folder, "mine/run.journal");
    assert_string_equal(journal, "precious\n");
    free(journal);
}

static void what_is_pending_when_the_host_ends_fails(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: kobuki.x_m > 100, within: 1000}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--", "sh", "-c", HELLO), 1);
    test_stage_said(stage, "not reached before the end of the run");
}

static void without_a_host_the_test_ends_when_all_is_decided(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: kobuki.lifted == 1, within: 5}",
                     "timeline: [{at: 2, do: kobuki.lift}]");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast"), 0);
    test_stage_said(stage, "2.001 s simulated");
}

static void a_refused_command_of_the_timeline_fails_the_test(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 2, within: 5}",
                     "timeline: [{at: 1, do: kobuki.place x=0.1 y=0.1}]");
    int code = TEST_RUN(stage, "s.yaml", "--fast", "--junit", "j.xml");
    assert_int_equal(code, 1);
    test_stage_junit(stage, "j.xml", "1 suites, 2 cases, 1 failures, 0 errors refused");
}

static void a_test_ends_at_its_time_with_a_host_that_goes_on(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    int code =
        TEST_RUN(stage, "s.yaml", QUICKLY, "--for", "3", "--", "sh", "-c", NOTE HELLO "sleep 1000");
    test_stage_said(stage, "was running until the end");
    test_stage_said(stage, "3.000 s simulated");
    assert_int_equal(code, 0);
    test_stage_nothing_left(stage);
}

static void a_scene_may_bring_its_own_host(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    assert_int_equal(mkdir(folder_path(&stage->folder, "sub", path), 0700), 0);
    test_stage_scene(stage, "sub/s.yaml", HEARD, "host: \". ./drive\"");
    folder_write(&stage->folder, "sub/drive", "%s", HELLO "\n");
    assert_int_equal(TEST_RUN(stage, "sub/s.yaml", QUICKLY), 0);
    /* The driver on the command line takes precedence. */
    assert_int_equal(TEST_RUN(stage, "sub/s.yaml", QUICKLY, "--", "sh", "-c", "exit 3"), 1);
    test_stage_said(stage, "exited with 3");
    /* The same for a list of drivers; the test ends when the last one ends. */
    test_stage_scene(stage, "sub/s.yaml", HEARD ", {that: world.time_s >= 0.9, at_end: true}",
                     "host: [\". ./drive\", \"sleep 1; echo second >said\"]");
    assert_int_equal(TEST_RUN(stage, "sub/s.yaml", QUICKLY), 0);
    char *said = folder_read(&stage->folder, "sub/said");
    assert_string_equal(said, "second\n");
    free(said);
    test_stage_scene(stage, "sub/s.yaml", STANDS, "host: [\". ./drive\", exit 4]");
    assert_int_equal(TEST_RUN(stage, "sub/s.yaml", QUICKLY), 1);
    test_stage_said(stage, "exited with 4");
}

/* ---- Kinds of driver failures ---- */

/* Runs the shell LINE as driver, for at most TIMEOUT_S; checks TEXT in the report and KIND in the
 * JUnit file. */
static int fail_by(struct stage *stage, const char *timeout_s, const char *line, const char *text,
                   const char *kind)
{
    char counts[128];
    test_stage_scene(stage, "s.yaml", STANDS, "");
    int code = TEST_RUN(stage, "s.yaml", "--host-timeout", timeout_s, "--junit", "j.xml", "--out",
                        "out", "--", "sh", "-c", line);
    test_stage_said(stage, text);
    bool is_error = code == 3;
    bool is_host = strstr(line, "PTYBOT_PORT_KOBUKI") != NULL; // then there are serial settings too
    snprintf(counts, sizeof counts, "1 suites, %d cases, %d failures, %d errors %s", 2 + is_host,
             !is_error, is_error, kind);
    test_stage_junit(stage, "j.xml", counts);
    test_stage_nothing_left(stage);
    return code;
}

static void a_host_that_exits_with_a_code_is_reported(void **state)
{
    assert_int_equal(fail_by(*state, "60", HELLO "exit 3", "exited with 3 after", "exit"), 1);
}

static void a_host_that_crashes_is_reported_by_its_signal(void **state)
{
    assert_int_equal(
        fail_by(*state, "60", HELLO "kill -SEGV $$", "was killed by SIGSEGV", "signal"), 1);
}

static void a_host_that_hangs_is_ended_and_told(void **state)
{
    assert_int_equal(fail_by(*state, "3", NOTE HELLO "trap '' TERM; while :; do sleep 1; done",
                             "timed out: still running after ", "timeout"),
                     1);
}

static void a_host_that_never_opens_the_port_is_reported(void **state)
{
    assert_int_equal(fail_by(*state, "1", "sleep 1000", "it never opened a port", "never_opened"),
                     1);
    assert_int_equal(fail_by(*state, "60", "exit 0", "without opening a port", "never_opened"), 1);
    test_stage_said(*state, "0.000 s simulated");
}

static void a_host_that_opens_the_port_and_sends_nothing_is_reported(void **state)
{
    assert_int_equal(fail_by(*state, "3", "exec 3<>$PTYBOT_PORT_KOBUKI; " SERIAL "sleep 1000",
                             "it opened a port but never sent a byte", "silent"),
                     1);
}

static void a_host_that_cannot_be_started_is_reported(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(
        fail_by(stage, "60", "no-such-command", "did not find the command", "not_started"), 3);
    int code = TEST_RUN(stage, "s.yaml", "--junit", "j.xml", "--", "./no-such-file");
    assert_int_equal(code, 3);
    test_stage_said(stage, "could not be started: ./no-such-file: No such file or directory");
}

static void a_host_that_only_listens_passes(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    int code = TEST_RUN(stage, "s.yaml", QUICKLY, "--", "sh", "-c",
                        "exec \"$0\" $PTYBOT_PORT_KOBUKI 50", listen_host);
    test_stage_said(stage, "passed: 3 of 3");
    assert_int_equal(code, 0);
}

/* ---- Time ---- */

static void time_begins_when_the_first_host_opens_a_channel(void **state)
{
    struct stage *stage = *state;
    /* At 50 packets per second the robot would have sent many within a second. */
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", QUICKLY, "--for", "1000", "--", "sh", "-c",
                              "sleep 1; \"$0\" ctl --control $PTYBOT_CONTROL get world.time_s "
                              ">before; " HELLO,
                              PTYBOT_BINARY),
                     0);
    char *before = folder_read(&stage->folder, "before");
    assert_non_null(strstr(before, "world.time_s"));
    assert_non_null(strstr(before, " 0 "));
    free(before);
}

static void time_begins_at_once_where_that_is_asked_for(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 3, at_end: true}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", QUICKLY, "--start", "now", "--", "sleep", "1"), 0);
}

static void in_lockstep_a_host_makes_the_time_over_the_control_socket(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s == 0.5, at_end: true}", "");
    int code = TEST_RUN(stage, "s.yaml", "--lockstep", "--", "sh", "-c",
                        "\"$0\" ctl --control $PTYBOT_CONTROL step 500", PTYBOT_BINARY);
    test_stage_said(stage, "0.500 s simulated");
    assert_int_equal(code, 0);
}

static void a_host_from_outside_is_waited_for(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "host", "--host-timeout", "0.5"), 1);
    test_stage_said(stage, "no driver opened a port within ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_host_that_exits_with_0_and_expectations_that_hold_pass),
        TEST_STAGED(what_a_host_wrote_last_before_its_end_is_judged),
        TEST_STAGED(an_expectation_that_fails_fails_the_test_and_reports_values_and_time),
        TEST_STAGED(a_violated_always_ends_the_test_and_the_host_unless_told_otherwise),
        TEST_STAGED(fail_fast_ends_the_test_at_any_failure),
        TEST_STAGED(braces_in_a_host_command_stand_for_ports),
        TEST_STAGED(a_port_that_no_shell_reads_is_a_warning),
        TEST_STAGED(a_for_that_is_too_short_is_said_before_the_run),
        TEST_STAGED(keep_leaves_the_log_of_a_host_that_passed),
        TEST_STAGED(nothing_of_an_earlier_test_stays_in_its_folder),
        TEST_STAGED(what_is_pending_when_the_host_ends_fails),
        TEST_STAGED(without_a_host_the_test_ends_when_all_is_decided),
        TEST_STAGED(a_refused_command_of_the_timeline_fails_the_test),
        TEST_STAGED(a_test_ends_at_its_time_with_a_host_that_goes_on),
        TEST_STAGED(a_scene_may_bring_its_own_host),
        TEST_STAGED(a_host_that_exits_with_a_code_is_reported),
        TEST_STAGED(a_host_that_crashes_is_reported_by_its_signal),
        TEST_STAGED(a_host_that_hangs_is_ended_and_told),
        TEST_STAGED(a_host_that_never_opens_the_port_is_reported),
        TEST_STAGED(a_host_that_opens_the_port_and_sends_nothing_is_reported),
        TEST_STAGED(a_host_that_cannot_be_started_is_reported),
        TEST_STAGED(a_host_that_only_listens_passes),
        TEST_STAGED(time_begins_when_the_first_host_opens_a_channel),
        TEST_STAGED(time_begins_at_once_where_that_is_asked_for),
        TEST_STAGED(in_lockstep_a_host_makes_the_time_over_the_control_socket),
        TEST_STAGED(a_host_from_outside_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
