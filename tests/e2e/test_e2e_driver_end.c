/* Ends of a driver: signals of UNIX in the timeline, its deadline in simulated time, and the time
 * that a test continues after the driver has ended. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/results_stage.h"
#include "tests/support/test_stage.h"

/* A driver that drives and does not exit. Each `sleep` is in simulated time. */
#define STAYS   NOTE HELLO "exec sleep 1000"
#define AT_REST "{that: kobuki.speed_m_s == 0, at_end: true}"

static void a_signal_of_the_timeline_ends_the_driver_at_its_time(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "timeline: [{at: 2, signal: SIGTERM}]\n");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--warp", "max", "--out", "out", "--", "sh", "-c", STAYS), 0);
    test_stage_said(stage, " by a signal that the scene sent");
    test_stage_said(stage, "; 2.001 s simulated in ");
    test_stage_said(stage, "\nheld: ");
    // A condition, a driver with a signal handler, and the exit code of shells for a signal.
    test_stage_scene(stage, "s.yaml", STANDS,
                     "timeline: [{when: world.time_s > 1.5, signal: SIGINT}]\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--out", "out", "--", "sh", "-c",
                              NOTE HELLO "trap 'echo caught; exit 0' INT; sleep 1000"),
                     0);
    test_stage_said(stage, "exited with 0 after ");
    char *log = folder_read(&stage->folder, "out/host.log");
    assert_string_equal(log, "caught\n");
    free(log);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "off", "--", "sh", "-c",
                              NOTE HELLO "trap 'exit 130' INT; sleep 1000"),
                     0);
    test_stage_nothing_left(stage);
}

static void only_the_signal_that_was_sent_excuses_an_exit(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "timeline: [{at: 1, signal: SIGTERM}]\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--out", "out", "--", "sh", "-c",
                              NOTE HELLO "trap 'exit 7' TERM; sleep 1000"),
                     1);
    test_stage_said(stage, "exited with 7 after ");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--out", "out", "--", "sh", "-c",
                              NOTE HELLO "trap 'kill -SEGV $$' TERM; sleep 1000"),
                     1);
    test_stage_said(stage, "was killed by SIGSEGV");
    // Before the signal was sent.
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--out", "out", "--", "sh", "-c",
                              NOTE HELLO "kill -TERM $$"),
                     1);
    test_stage_said(stage, "was killed by SIGTERM");
    test_stage_nothing_left(stage);
}

static void a_signal_needs_a_driver(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "timeline: [{at: 1, signal: SIGTERM}]\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--for", "2"), 2);
    test_stage_said(stage, "timeline[0].signal: there is no driver to receive it");
}

static void a_test_continues_after_its_driver(void **state)
{
    struct stage *stage = *state;
    // A Kobuki without commands stops after 0.6 s, so it still drives when the driver exits.
    test_stage_scene(stage, "s.yaml", AT_REST, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--out", "out", "--", "sh", "-c",
                              NOTE HELLO "sleep 0.2"),
                     1);
    test_stage_said(stage, "; 0.200 s simulated in ");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--continue-after-driver", "3",
                              "--out", "out", "--", "sh", "-c", NOTE HELLO "sleep 0.2"),
                     0);
    test_stage_said(stage, "; 3.200 s simulated in ");
    test_stage_said(stage, "\nheld: ");
    // A failed expectation then ends the test.
    test_stage_scene(stage, "s.yaml", "{that: kobuki.bumper_left == false, always: true}",
                     "continue_after_driver: 3\n"
                     "timeline: [{at: 2, do: kobuki.press bumper=left}]\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--out", "out", "--", "sh", "-c",
                              NOTE HELLO "sleep 0.2"),
                     1);
    test_stage_said(stage, "FAILED   kobuki.bumper_left == false");
    test_stage_said(stage, "exited with 0 after ");
    test_stage_nothing_left(stage);
}

static void a_driver_that_still_runs_at_its_deadline_hangs(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "driver_deadline: 4\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--for", "10", "--junit", "j.xml",
                              "--out", "out", "--", "sh", "-c", STAYS),
                     1);
    test_stage_said(stage, "hung: still running 4 s of simulated time after a port was opened");
    test_stage_said(stage, "; 4.000 s simulated in ");
    test_stage_junit(stage, "j.xml", "1 suites, 3 cases, 1 failures, 0 errors hung");
    // Simulated time passes during an endless loop too.
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--driver-deadline", "0.05",
                              "--out", "out", "--", "sh", "-c", NOTE HELLO "while :; do :; done"),
                     1);
    test_stage_said(stage, "hung: still running 0.05 s of simulated time");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--out", "out", "--", "sh", "-c",
                              NOTE HELLO "sleep 3.9"),
                     0);
    test_stage_nothing_left(stage);
}

static void faults_and_signals_in_mid_run_can_vary(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS,
                     "measure: [{name: there, value: world.time_s, when: kobuki.x_m < 5.5, "
                     "take: first}]\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--for", "4", "--vary",
                              "at=1..3/3 kobuki.place x=5,6 y=5", "--results", "r.ndjson"),
                     0);
    SAYS(stage, "1.001\nnull\n2.001\nnull\n3.001\nnull\n", "get", "measures/there", "r.ndjson");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--vary",
                              "at=1,2 signal=SIGINT,SIGKILL", "--results", "r.ndjson", "--", "sh",
                              "-c", STAYS),
                     0);
    SAYS(stage, "1.001\n1.001\n2.001\n2.001\n", "get", "simulated_s", "r.ndjson");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--vary", "at=1 kobuki.press bumper=left"), 2);
    test_stage_said(stage, "no value varies");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--set", "at=2 kobuki.press"), 2);
    test_stage_said(stage, "allowed behind it: do=COMMAND");
    test_stage_nothing_left(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_signal_of_the_timeline_ends_the_driver_at_its_time),
        TEST_STAGED(only_the_signal_that_was_sent_excuses_an_exit),
        TEST_STAGED(a_signal_needs_a_driver),
        TEST_STAGED(a_test_continues_after_its_driver),
        TEST_STAGED(a_driver_that_still_runs_at_its_deadline_hangs),
        TEST_STAGED(faults_and_signals_in_mid_run_can_vary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
