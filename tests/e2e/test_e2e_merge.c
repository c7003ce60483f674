/* `ptybot merge`, --resume, and shards of a batch system: however the cases were run, the result is
 * the same. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/results_stage.h"
#include "tests/support/sample.h"
#include "tests/support/test_stage.h"

#define SWEEP                                                                                      \
    "measure: [{name: x, value: kobuki.x_m}]\n"                                                    \
    "sweep: ['kobuki.pose in room x 10', seed 1..2]\n"
/* Some of them fail. */
#define EXPECT "{that: world.time_s > 0.1, within: 1}, {that: kobuki.x_m < 15, always: true}"

static int merge(struct stage *stage, const char *const words[])
{
    const char *all[16] = {PTYBOT_BINARY, "merge"};
    for (size_t i = 0; words[i]; i++)
        all[2 + i] = words[i];
    return program_run(&stage->ptybot, &stage->folder, "merge", all);
}
#define MERGE(stage, ...) merge(stage, (const char *const[]){__VA_ARGS__, NULL})

static void write_scene(const struct stage *stage)
{
    test_stage_scene(stage, "s.yaml", EXPECT, SWEEP);
}

static void run_alone(struct stage *stage)
{
    write_scene(stage);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--results", "one.ndjson"), 1);
}

static void parts_are_merged_to_what_one_machine_has(void **state)
{
    struct stage *stage = *state;
    run_alone(stage);
    TEST_RUN(stage, "s.yaml", "--fast", "--shard", "1/3", "--results", "a.ndjson");
    TEST_RUN(stage, "s.yaml", "--fast", "--shard", "2/3", "--results", "b.ndjson");
    TEST_RUN(stage, "s.yaml", "--fast", "--shard", "3/3", "--results", "c.ndjson");
    assert_int_equal(MERGE(stage, "c.ndjson", "a.ndjson", "b.ndjson", "--results", "m.ndjson",
                           "--junit", "m.xml"),
                     1);
    SAYS(stage, "", "same", "m.ndjson", "one.ndjson");
    test_stage_said(stage, " of 20 tests in 3 files\n");
    char *out = program_out(&stage->ptybot);
    assert_null(strstr(out, "missing"));
    free(out);
    char *junit = folder_read(&stage->folder, "m.xml");
    assert_non_null(strstr(junit, "name=\"measure.x\""));
    assert_non_null(strstr(junit, "<testsuites name=\"ptybot\" tests=\"40\""));
    free(junit);
}

static void missing_cases_are_failures_and_doubles_are_reported(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 0.1, within: 1}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--seeds", "1..4", "--shard", "1/2",
                              "--results", "a.ndjson"),
                     0);
    assert_int_equal(MERGE(stage, "a.ndjson", "--junit", "m.xml"), 1);
    test_stage_said(stage, "not run  s-seed-2");
    test_stage_said(stage, "FAILED: 2 of 4 tests in 1 file, 2 missing\n");
    test_stage_junit(stage, "m.xml", "4 suites, 4 cases, 2 failures, 0 errors missing missing");

    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--fast", "--seeds", "1..4", "--results", "all.ndjson"), 0);
    assert_int_equal(MERGE(stage, "a.ndjson", "all.ndjson"), 0);
    test_stage_said(stage,
                    "passed: 4 of 4 tests in 2 files, 2 twice, 0 of them with different results\n");
    char *text = folder_read(&stage->folder, "a.ndjson");
    char *at = strstr(text, "\"simulated_s\":0.1");
    assert_non_null(at);
    at[strlen("\"simulated_s\":0.")] = '7';
    folder_write(&stage->folder, "a.ndjson", "%s", text);
    free(text);
    assert_int_equal(MERGE(stage, "all.ndjson", "a.ndjson"), 1);
    test_stage_said(stage, "2 twice, 1 of them with different results\n");
}

static void a_killed_run_goes_on_where_it_was(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    run_alone(stage);
    char *whole = folder_read(&stage->folder, "one.ndjson");
    size_t size = strlen(whole);
    /* At any cut, within a line or between two. */
    for (size_t part = 1; part <= 4; part++) {
        char *line = strchr(whole, '\n') + 1, *end = whole + size * part / 5;
        size_t cut = (size_t)((end > line ? end : line + 5) - whole);
        FILE *file = fopen(folder_path(&stage->folder, "r.ndjson", path), "w");
        assert_int_equal(fwrite(whole, 1, cut, file), cut);
        fclose(file);
        assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--results", "r.ndjson", "--resume",
                                  "--junit", "r.xml"),
                         1);
        SAYS(stage, "", "same", "r.ndjson", "one.ndjson");
        test_stage_said(stage, "of them before (--resume)\n");
        char *junit = folder_read(&stage->folder, "r.xml");
        assert_non_null(strstr(junit, "<testsuites name=\"ptybot\" tests=\"40\""));
        free(junit);
    }
    free(whole);
    /* No case is left to run; and a missing file is created. */
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--results", "r.ndjson", "--resume"), 1);
    test_stage_said(stage, "20 of them before");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--results", "new.ndjson", "--resume"), 1);
    SAYS(stage, "", "same", "new.ndjson", "one.ndjson");
    /* Other cases are not added to the file. */
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--fast", "--seeds", "1..3", "--results", "r.ndjson", "--resume"),
        2);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--resume"), 2);
    SAYS(stage, "", "same", "r.ndjson", "one.ndjson");
}

static void a_case_that_could_not_be_judged_is_tried_again(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "host: \". ./drive\"");
    folder_write(&stage->folder, "drive", "%s", "test -e good || kill -9 " PTYBOT_PID "\n" HELLO);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--results", "r.ndjson"), 3);
    folder_write(&stage->folder, "good", "%s", "");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--warp", "max", "--results", "r.ndjson", "--resume"), 0);
    SAYS(stage, "1 plans, 2 cases, 1 passed, 0 failed, 1 errors\n", "counts", "r.ndjson");
    assert_int_equal(MERGE(stage, "r.ndjson"), 0);
}

static void the_shard_is_that_of_the_batch_system(void **state)
{
    struct stage *stage = *state;
    static const struct {
        const char *const settings[8]; /* name, value ... */
        const char *shard, *flag;      /* "": rejected */
    } rows[] = {
        {{"SLURM_ARRAY_TASK_ID", "9", "SLURM_ARRAY_TASK_COUNT", "3", "SLURM_ARRAY_TASK_MIN", "5"},
         "",
         ""},
        {{"SLURM_ARRAY_TASK_ID", "9", "SLURM_ARRAY_TASK_COUNT", "3", "SLURM_ARRAY_TASK_MIN", "5",
          "SLURM_ARRAY_TASK_STEP", "2"},
         "3/3",
         ""},
        {{"SLURM_ARRAY_TASK_ID", "1", "SLURM_ARRAY_TASK_COUNT", "4", "SLURM_ARRAY_TASK_MIN", "0"},
         "2/4",
         ""},
        {{"TEST_SHARD_INDEX", "0", "TEST_TOTAL_SHARDS", "5"}, "1/5", ""},
        {{"JOB_COMPLETION_INDEX", "2"}, "3/4", "auto/4"},
        {{"JOB_COMPLETION_INDEX", "2"}, "", ""},
        {{"JOB_COMPLETION_INDEX", "7"}, "", "auto/4"},
        {{"CI_NODE_INDEX", "3", "CI_NODE_TOTAL", "3"}, "3/3", ""},
        {{"CI_NODE_INDEX", "x", "CI_NODE_TOTAL", "3"}, "", ""},
        {{"CI_NODE_INDEX", "3", "CI_NODE_TOTAL", "3"}, "1/1", "1/1"},
        {{NULL}, "", "auto/4"},
    };
    write_scene(stage);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char says[40];
        for (size_t k = 0; k < 8 && rows[i].settings[k]; k += 2)
            setenv(rows[i].settings[k], rows[i].settings[k + 1], 1);
        const char *flag = *rows[i].flag ? rows[i].flag : "--fast";
        int code = *rows[i].flag ? TEST_RUN(stage, "s.yaml", "--fast", "--results", "r.ndjson",
                                            "--shard", flag)
                                 : TEST_RUN(stage, "s.yaml", "--fast", "--results", "r.ndjson");
        for (size_t k = 0; k < 8 && rows[i].settings[k]; k += 2)
            unsetenv(rows[i].settings[k]);
        if ((code == 2) != (*rows[i].shard == '\0'))
            fail_msg("row %zu: exit code %d", i, code);
        if (code == 2)
            continue;
        snprintf(says, sizeof says, "\"shard\":[%c,%c]", rows[i].shard[0], rows[i].shard[2]);
        char *text = folder_read(&stage->folder, "r.ndjson");
        if (!strstr(text, says))
            fail_msg("row %zu: no %s", i, says);
        free(text);
    }
}

static void bazel_is_told_that_shards_are_known(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    write_scene(stage);
    setenv("TEST_SHARD_STATUS_FILE", folder_path(&stage->folder, "status", path), 1);
    setenv("TEST_SHARD_INDEX", "3", 1);
    setenv("TEST_TOTAL_SHARDS", "4", 1);
    TEST_RUN(stage, "s.yaml", "--fast", "--results", "r.ndjson");
    unsetenv("TEST_SHARD_STATUS_FILE");
    unsetenv("TEST_SHARD_INDEX");
    unsetenv("TEST_TOTAL_SHARDS");
    assert_true(path_exists(path));
}

static void what_is_no_result_is_refused(void **state)
{
    struct stage *stage = *state;
    write_scene(stage);
    TEST_RUN(stage, "s.yaml", "--fast", "--results", "a.ndjson", "--seeds", "1..2");
    TEST_RUN(stage, "s.yaml", "--fast", "--results", "b.ndjson", "--seeds", "1..3");
    assert_int_equal(MERGE(stage, "a.ndjson", "b.ndjson"), 2);
    assert_int_equal(MERGE(stage, "s.yaml"), 2);
    assert_int_equal(MERGE(stage, "nothing.ndjson"), 2);
    folder_write(&stage->folder, "empty.ndjson", "%s", "");
    assert_int_equal(MERGE(stage, "empty.ndjson"), 2);
    folder_write(&stage->folder, "case.ndjson", "%s", "{\"type\":\"case\",\"number\":0}\n");
    assert_int_equal(MERGE(stage, "case.ndjson"), 2);
    assert_int_equal(program_run(&stage->ptybot, &stage->folder, "merge",
                                 (const char *const[]){PTYBOT_BINARY, "merge", NULL}),
                     2);
}

/* Replaces the first FROM in the last line of r.ndjson by TO. */
static void damage(const struct stage *stage, const char *whole, const char *from, const char *to)
{
    const char *at = strstr(strstr(whole, "\"number\":1,"), from);
    if (!at)
        fail_msg("'%s' is not in %s", from, whole);
    folder_write(&stage->folder, "r.ndjson", "%.*s%s%s", (int)(at - whole), whole, to,
                 at + strlen(from));
}

/* The file determines the exit code of another run: lines that ptybot would not write are
 * rejected. */
static void a_damaged_line_decides_nothing(void **state)
{
    struct stage *stage = *state;
    static const char *const changes[][2] = {
        {"\"verdict\":\"failed\",\"code\":1", "\"verdict\":\"failed\",\"code\":256"},
        {"\"verdict\":\"failed\",\"code\":1", "\"verdict\":\"failed\",\"code\":0"},
        {"\"verdict\":\"failed\",\"code\":1", "\"verdict\":\"passed\",\"code\":1"},
        {"\"verdict\":\"failed\",\"code\":1", "\"verdict\":\"passed\",\"code\":0"},
        {"\"code\":1,", "\"code\":-1,"},
        {"\"code\":1,", "\"code\":1.5,"},
        {"\"code\":1,", "\"code\":4294967296,"},
        {"\"code\":1,", ""},
        {"\"code\":1,", "\"code\":1,\"code\":0,"},
        {"\"verdict\":\"failed\",\"kind\"", "\"verdict\":\"passed\",\"kind\""},
        {"\"verdict\":\"failed\",\"kind\"", "\"verdict\":\"good\",\"kind\""},
        {"\"kind\":\"expectation\"", "\"kind\":\"weather\""},
        {"\"line\":", "\"line\":-"},
        {"\"measures\":{\"x\":", "\"measures\":{\"y\":\"1\",\"x\":"},
        {"\"vary\":{", "\"vary\":{\"z\":null,"},
        {"\"channels\":{", "\"channels\":{\"z\":{\"frames_in\":1e300}"},
        {"\"wall_s\":", "\"wall_s\":[],\"was\":"},
    };
    test_stage_scene(stage, "s.yaml",
                     "{that: world.time_s > 0.1, within: 1}, {that: kobuki.x_m < 0, always: true}",
                     "measure: [{name: x, value: kobuki.x_m}]\n");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--fast", "--seeds", "1..2", "--results", "one.ndjson"), 1);
    char *whole = folder_read(&stage->folder, "one.ndjson");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        damage(stage, whole, changes[i][0], changes[i][1]);
        int code = MERGE(stage, "r.ndjson");
        char *err = program_err(&stage->ptybot);
        if (code != 2 || !strstr(err, "r.ndjson:"))
            fail_msg("%s: exit code %d, %s", changes[i][1], code, err);
        free(err);
    }
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--fast", "--seeds", "1..2", "--results", "r.ndjson", "--resume"),
        2);
    /* A plan with the same hash but fewer cases. */
    char *names = strstr(whole, ",\"s-seed-2\"]"), *count = strstr(whole, "\"count\":2");
    assert_true(names && count);
    memcpy(names, "]            ", strlen(",\"s-seed-2\"]"));
    count[strlen("\"count\":")] = '1';
    folder_write(&stage->folder, "r.ndjson", "%.*s", (int)(strchr(whole, '\n') + 1 - whole), whole);
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--fast", "--seeds", "1..2", "--results", "r.ndjson", "--resume"),
        2);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_damaged_line_decides_nothing),
        TEST_STAGED(parts_are_merged_to_what_one_machine_has),
        TEST_STAGED(missing_cases_are_failures_and_doubles_are_reported),
        TEST_STAGED(a_case_that_could_not_be_judged_is_tried_again),
        TEST_STAGED(bazel_is_told_that_shards_are_known),
        TEST_STAGED(what_is_no_result_is_refused),
    };
    /* They read and write the same files as those above. */
    const struct CMUnitTest more[] = {
        TEST_STAGED(a_killed_run_goes_on_where_it_was),
        TEST_STAGED(the_shard_is_that_of_the_batch_system),
    };
    return SAMPLE_RUN(tests, more);
}
