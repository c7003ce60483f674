/* `ptybot test --results`: a line for each case as soon as it has ended, whatever ends the run. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/results_stage.h"
#include "tests/support/test_stage.h"

static void each_case_has_a_line_with_its_margins(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(
        stage, "s.yaml",
        "{that: kobuki.x_m > 9.75, always: true}, {that: kobuki.x_m > 100, within: 1}, "
        "{that: kobuki.charging == false, at_end: true}",
        "");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--seeds", "4..6", "--fast", "--results", "r.ndjson"), 1);
    SAYS(stage, "1 plans, 3 cases, 0 passed, 3 failed, 0 errors\n", "counts", "r.ndjson");
    SAYS(stage, "\"s-seed-4\"\n\"s-seed-5\"\n\"s-seed-6\"\n", "get", "case", "r.ndjson");
    SAYS(stage, "4\n5\n6\n", "get", "seed", "r.ndjson");
    SAYS(stage, "0.25\n0.25\n0.25\n", "get", "expect/0/margin", "r.ndjson");
    SAYS(stage, "-90\n-90\n-90\n", "get", "expect/1/margin", "r.ndjson");
    SAYS(stage, "10\n10\n10\n", "get", "expect/1/closest", "r.ndjson");
    SAYS(stage, "null\nnull\nnull\n", "get", "expect/2/margin", "r.ndjson");
    SAYS(stage, "\"expectation\"\n\"expectation\"\n\"expectation\"\n", "get", "expect/1/kind",
         "r.ndjson");
    SAYS(stage, "1\n1\n1\n", "get", "expect/1/at_s", "r.ndjson");
}

static void a_host_has_its_wall_times_apart(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "host: \". ./drive\"");
    folder_write(&stage->folder, "drive", "%s", HELLO "echo bad; sleep 0.1; exit 3\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--results", "r.ndjson"), 1);
    SAYS(stage, "\"host exited with 3\"\n", "get", "reason", "r.ndjson");
    SAYS(stage, "\"exited with 3\"\n", "get", "expect/2/found", "r.ndjson");
    SAYS(stage, "\"exit\"\n", "get", "expect/2/kind", "r.ndjson");
    SAYS(stage, "null\n", "get", "expect/2/at_s", "r.ndjson");
    SAYS(stage, "\"bad\\n\"\n", "get", "printed/0", "r.ndjson");
    SAYS(stage, "10\n", "get", "channels/kobuki.uart/bytes_in", "r.ndjson");
    char *out = results_say(stage, (const char *const[]){"get", "run/hosts/0", "r.ndjson", NULL});
    assert_non_null(strstr(out, "exited with 3 after "));
    free(out);
    out = results_say(stage, (const char *const[]){"get", "run/host_cpu_s", "r.ndjson", NULL});
    assert_true(atof(out) > 0);
    free(out);
}

static void the_same_cases_give_the_same_lines(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "host: \". ./drive\"");
    folder_write(&stage->folder, "drive", "%s", HELLO "sleep 0.3\n");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--warp", "max", "--seeds", "1..3", "--results", "a.ndjson"), 0);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--seeds", "1..3", "--results",
                              "b.ndjson", "--jobs", "3"),
                     0);
    SAYS(stage, "true\ntrue\ntrue\n", "get", "held", "a.ndjson");
    SAYS(stage, "", "same", "a.ndjson", "b.ndjson");
}

static void a_case_whose_process_dies_has_its_line(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "host: \"kill -9 " PTYBOT_PID "\"");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--results", "r.ndjson"), 3);
    SAYS(stage, "1 plans, 1 cases, 0 passed, 0 failed, 1 errors\n", "counts", "r.ndjson");
    SAYS(stage, "\"test execution: its process ended with signal 9\"\n", "get", "reason",
         "r.ndjson");
}

/* One of two parallel cases stays until the end; the others pass immediately. */
static void start_long(struct stage *stage)
{
    test_stage_scene(stage, "s.yaml", STANDS, "host: \". ./wait\"");
    folder_write(&stage->folder, "wait", "%s",
                 NOTE HELLO "test -e last && { echo >>ready; sleep 1000; }; echo >>passed\n");
    TEST_START(stage, "s.yaml", "--seeds", "1..5", "--start", "now", "--warp", "off", "--results",
               "r.ndjson", "--junit", "j.xml", "--out", "out");
}

static size_t count_lines(const struct stage *stage, const char *name)
{
    char *text = folder_read(&stage->folder, name);
    size_t count = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        count++;
    free(text);
    return count;
}

static void stop_in_the_middle(struct stage *stage, int number)
{
    start_long(stage);
    WAIT_UNTIL(count_lines(stage, "r.ndjson") >= 3); // the plan and two
    folder_write(&stage->folder, "last", "%s", "");
    WAIT_UNTIL(count_lines(stage, "ready") == 1);
    program_end(&stage->ptybot, number);
}

static void whatever_ends_the_run_only_what_is_under_way_is_lost(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    folder_write(&stage->folder, "ready", "%s", "");
    folder_write(&stage->folder, "r.ndjson", "%s", "");
    stop_in_the_middle(stage, SIGTERM);
    size_t lines = count_lines(stage, "r.ndjson"), passed = count_lines(stage, "passed");
    assert_int_equal(lines, 1 + passed);
    /* And the JUnit file does not look complete. */
    char *junit = folder_read(&stage->folder, "j.xml");
    assert_non_null(strstr(junit, "not run: the tests were interrupted"));
    free(junit);

    unlink(folder_path(&stage->folder, "last", path));
    folder_write(&stage->folder, "ready", "%s", "");
    folder_write(&stage->folder, "passed", "%s", "");
    folder_write(&stage->folder, "r.ndjson", "%s", "");
    stop_in_the_middle(stage, SIGKILL);
    assert_int_equal(count_lines(stage, "r.ndjson"), 1 + count_lines(stage, "passed"));
    assert_false(path_exists(folder_path(&stage->folder, "j.xml", path)));
}

static void an_empty_shard_writes_its_empty_files(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--shard", "2/2", "--results", "r.ndjson", "--junit", "j.xml"),
        0);
    SAYS(stage, "1 plans, 0 cases, 0 passed, 0 failed, 0 errors\n", "counts", "r.ndjson");
    test_stage_junit(stage, "j.xml", "0 suites, 0 cases, 0 failures, 0 errors");
}

static void results_that_cannot_be_written_fail_the_run(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 0.5, within: 1}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--results", "no/r.ndjson"), 3);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--results", "/dev/full"), 3);
    folder_write(&stage->folder, "file", "%s", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--results", "r.ndjson", "--out", "file/below"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(each_case_has_a_line_with_its_margins),
        TEST_STAGED(a_host_has_its_wall_times_apart),
        TEST_STAGED(the_same_cases_give_the_same_lines),
        TEST_STAGED(a_case_whose_process_dies_has_its_line),
        TEST_STAGED(whatever_ends_the_run_only_what_is_under_way_is_lost),
        TEST_STAGED(an_empty_shard_writes_its_empty_files),
        TEST_STAGED(results_that_cannot_be_written_fail_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
