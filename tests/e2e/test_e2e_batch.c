/* `ptybot test` with many tests: folders, seeds, shards, jobs, one common report. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

/* A folder `all` of scenes that pass immediately without a driver. */
static void write_folder(const struct stage *stage, const char *const names[])
{
    char path[FOLDER_PATH_MAX];
    mkdir(folder_path(&stage->folder, "all", path), 0700);
    for (size_t i = 0; names[i]; i++)
        test_stage_scene(stage, names[i], "{that: world.time_s > 0.5, within: 1}", "");
}

static void the_scenes_of_a_folder_run_in_natural_order(void **state)
{
    struct stage *stage = *state;
    write_folder(stage, (const char *const[]){"all/s10.yaml", "all/s9.yml", "all/s1.yaml", NULL});
    folder_write(&stage->folder, "all/notes.txt", "no scene\n");
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--junit", "j.xml"), 0);
    char *said = program_out(&stage->ptybot);
    const char *first = strstr(said, " s1 "), *second = strstr(said, " s9 "),
               *third = strstr(said, " s10 ");
    assert_true(first && second && third && first < second && second < third);
    assert_non_null(strstr(said, "passed: 3 of 3 tests"));
    free(said);
    test_stage_junit(stage, "j.xml", "3 suites, 3 cases, 0 failures, 0 errors");
    test_stage_nothing_left(stage);
}

/* Checks that no line of OUT and ERR starts with a command for a continuous integration system. */
static void check_lines(const struct stage *stage)
{
    char *out = program_out(&stage->ptybot), *err = program_err(&stage->ptybot);
    if (strstr(out, "\n::") || strstr(err, "\n::") || strstr(err, "\n  ::"))
        fail_msg("%s%s", out, err);
    free(out);
    free(err);
}

static void a_name_of_a_file_cannot_begin_a_line(void **state)
{
    struct stage *stage = *state;
    static const char file[] = "all/a\n::error::x.yaml", broken[] = "all/b\n  ::error::y.yaml";
    static const char *const verbs[] = {"check", "run", "shot", "describe"};
    write_folder(stage, (const char *const[]){file, NULL});
    folder_write(&stage->folder, broken, "%s", "robots: [\n");
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--junit", "j.xml", "--results", "r.ndjson"),
                     2);
    test_stage_said(stage, "has control characters: rename it");
    check_lines(stage);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        const char *words[] = {PTYBOT_BINARY, verbs[i], file, NULL};
        assert_int_equal(program_run(&stage->ptybot, &stage->folder, "verb", words), 2);
        check_lines(stage);
    }
    /* The same for names in a file of results. */
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 0.01, within: 1}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--results", "r.ndjson"), 0);
    char *results = folder_read(&stage->folder, "r.ndjson"), *plan = strstr(results, "[\"s\"]");
    char *one = strstr(results, "\"case\":\"s\"");
    assert_true(plan && one);
    folder_write(&stage->folder, "m.ndjson",
                 "%.*s[\"s\\n::error::s\"]%.*s\"case\":\"s\\n::error::s\"%s", (int)(plan - results),
                 results, (int)(one - plan) - 5, plan + 5, one + 10);
    free(results);
    const char *merge[] = {PTYBOT_BINARY, "merge", "m.ndjson", "m.ndjson", NULL};
    assert_int_equal(program_run(&stage->ptybot, &stage->folder, "merge", merge), 0);
    test_stage_said(stage, "s?::error::s");
    check_lines(stage);
}

static void the_exit_code_is_the_highest_and_every_reason_is_reported(void **state)
{
    struct stage *stage = *state;
    write_folder(stage, (const char *const[]){"all/a.yaml", "all/b.yaml", NULL});
    test_stage_scene(stage, "all/b.yaml", "{that: kobuki.x_m > 100, within: 1}", "");
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--out", "out"), 1);
    test_stage_said(stage, "kobuki.x_m > 100 within 1 s: kobuki.x_m = 10");
    test_stage_said(stage, "FAILED: 1 of 2 tests in ");
    char path[FOLDER_PATH_MAX];
    assert_true(path_exists(folder_path(&stage->folder, "out/b/signals.csv", path)));
    assert_true(path_exists(folder_path(&stage->folder, "out/a/signals.csv", path)));
    assert_false(path_exists(folder_path(&stage->folder, "out/a/suite.xml", path)));

    folder_write(&stage->folder, "all/c.yaml", "robots: [\n");
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--out", "out", "--junit", "j.xml"), 2);
    test_stage_junit(stage, "j.xml", "3 suites, 3 cases, 1 failures, 1 errors expectation not_run");
    test_stage_scene(stage, "all/d.yaml", "", "host: no-such-command");
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--out", "out"), 3);
    test_stage_nothing_left(stage);
}

static void of_a_failure_alone_the_files_are_kept(void **state)
{
    struct stage *stage = *state;
    write_folder(stage, (const char *const[]){"all/a.yaml", "all/b.yaml", NULL});
    test_stage_scene(stage, "all/b.yaml", "{that: kobuki.x_m > 100, within: 1}", "");
    assert_int_equal(TEST_RUN(stage, "all", "--fast"), 1);
    char *said = program_out(&stage->ptybot);
    char *kept = strstr(said, "kept: "), path[FOLDER_PATH_MAX];
    assert_non_null(kept);
    kept += strlen("kept: ");
    kept[strcspn(kept, "\n")] = '\0';
    snprintf(path, sizeof path, "%.200s/b/signals.csv", kept);
    assert_true(path_exists(path));
    snprintf(path, sizeof path, "%.200s/a", kept);
    assert_false(path_exists(path));
    free(said);
}

static void an_empty_folder_and_flags_of_one_test_are_refused(void **state)
{
    struct stage *stage = *state;
    write_folder(stage, (const char *const[]){NULL});
    assert_int_equal(TEST_RUN(stage, "all"), 2);
    test_stage_said(stage, "there is no scene");
    write_folder(stage, (const char *const[]){"all/a.yaml", NULL});
    assert_int_equal(TEST_RUN(stage, "all", "--log", "l.csv"), 2);
    assert_int_equal(TEST_RUN(stage, "all", "--seed", "1", "--seeds", "1..2"), 2);
    test_stage_nothing_left(stage);
}

/* As `ptybot new robot` makes it. */
static void the_body_of_a_robot_in_the_folder_is_no_test(void **state)
{
    struct stage *stage = *state;
    write_folder(stage, (const char *const[]){NULL});
    folder_write(&stage->folder, "all/a_body.yaml", "%s",
                 "firmware: {run: exit}\nbody: {radius: 0.1, height: 0.1}\n");
    assert_int_equal(TEST_RUN(stage, "all"), 2);
    test_stage_said(stage, "there is no scene");
    write_folder(stage, (const char *const[]){"all/scene.yaml", NULL});
    assert_int_equal(TEST_RUN(stage, "all", "--fast"), 0);
    test_stage_said(stage, "passed: 1 of 1 tests");
}

/* As for `ptybot run`. A path with a slash is the folder. */
static void a_folder_does_not_hide_the_robot_of_its_name(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    mkdir(folder_path(&stage->folder, "kobuki", path), 0700);
    test_stage_scene(stage, "kobuki/inside.yaml", "{that: world.time_s > 0.5, within: 1}", "");
    assert_int_equal(TEST_RUN(stage, "kobuki", "--fast", "--for", "1"), 2);
    test_stage_said(stage, "nothing to judge");
    assert_int_equal(TEST_RUN(stage, "./kobuki", "--fast"), 0);
    test_stage_said(stage, "passed: 1 of 1 tests");
}

/* A long run is not lost because its report has no place. */
static void a_report_that_cannot_be_written_is_reported_before_the_run(void **state)
{
    struct stage *stage = *state;
    write_folder(stage, (const char *const[]){"all/a.yaml", NULL});
    static const char *const flags[] = {"--junit", "--html"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(TEST_RUN(stage, "all", "--fast", flags[i], "nowhere/r"), 3);
        test_stage_said(stage, "nowhere/r: No such file or directory");
        assert_false(program_has_said(&stage->ptybot, "passed"));
    }
}

/* Notes the tests that a shard of three has run, as letters in the order of the whole set. */
static void note_shard(struct stage *stage, unsigned shard, char seen[12])
{
    char flag[8], name[32];
    snprintf(flag, sizeof flag, "%u/3", shard);
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--seeds", "5..8", "--shard", flag), 0);
    char *said = program_out(&stage->ptybot);
    for (unsigned i = 0; i < 12; i++) {
        snprintf(name, sizeof name, " %c-seed-%u ", 'a' + i / 4, 5 + i % 4);
        if (!strstr(said, name))
            continue;
        assert_int_equal(seen[i], 0);
        seen[i] = (char)('0' + shard);
    }
    free(said);
}

static void shards_have_every_test_once_and_always_the_same(void **state)
{
    struct stage *stage = *state;
    char seen[12] = {0}, again[12] = {0};
    write_folder(stage, (const char *const[]){"all/a.yaml", "all/b.yaml", "all/c.yaml", NULL});
    for (unsigned shard = 1; shard <= 3; shard++) {
        note_shard(stage, shard, seen);
        note_shard(stage, shard, again);
    }
    unsigned count[4] = {0};
    for (unsigned i = 0; i < 12; i++)
        count[(seen[i] ? seen[i] : '0') - '0']++;
    assert_int_equal(count[0], 0);
    assert_true(count[1] == 4 && count[2] == 4 && count[3] == 4);
    assert_memory_equal(seen, again, sizeof seen);
    /* A shard without tests passes: a matrix of CI jobs may be wider than the tests. */
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--shard", "7/8"), 0);
    test_stage_said(stage, "shard 7/8 contains no test; there are 3 tests");
}

static void shards_run_side_by_side(void **state)
{
    struct stage *stage = *state;
    struct program shards[3];
    char path[FOLDER_PATH_MAX];
    write_folder(stage, (const char *const[]){NULL});
    for (char name[] = "all/a.yaml"; name[4] < 'g'; name[4]++)
        test_stage_scene(stage, name, "{that: kobuki.uart.frames > 0, within: 20}",
                         "host: \". ../drive\"");
    folder_write(&stage->folder, "drive", "%s", "echo $PTYBOT_PORT_KOBUKI >>../ports; " HELLO);
    for (unsigned i = 0; i < 3; i++) {
        char name[16], flag[8], out[16];
        snprintf(name, sizeof name, "shard%u", i);
        snprintf(flag, sizeof flag, "%u/3", i + 1);
        snprintf(out, sizeof out, "out%u", i);
        program_start(&shards[i], &stage->folder, name,
                      (const char *const[]){PTYBOT_BINARY, "test", "all", "--shard", flag, "--jobs",
                                            "2", "--out", out, "--speed", "10", NULL},
                      0);
    }
    for (unsigned i = 0; i < 3; i++) {
        int code = program_wait(&shards[i]);
        char *said = program_out(&shards[i]);
        if (code != 0)
            fail_msg("shard %u: %d: %s", i + 1, code, said);
        free(said);
    }
    assert_true(path_exists(folder_path(&stage->folder, "ports", path)));
    test_stage_nothing_left(stage);
}

static void seeds_are_those_of_the_scene(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 0.5, within: 1}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--seeds", "41..43", "--junit", "j.xml"),
                     0);
    test_stage_junit(stage, "j.xml", "3 suites, 3 cases, 0 failures, 0 errors");
    char *xml = folder_read(&stage->folder, "j.xml");
    assert_non_null(strstr(xml, "name=\"s-seed-42\""));
    assert_non_null(strstr(xml, "name=\"seed\" value=\"42\""));
    free(xml);
}

static void jobs_run_at_the_same_time(void **state)
{
    struct stage *stage = *state;
    /* Each driver waits until three have started: alone, it would never end. */
    test_stage_scene(stage, "s.yaml", STANDS, "host: \". ./meet\"");
    folder_write(&stage->folder, "meet", "%s",
                 HELLO "echo >>met; until [ $(wc -l <met) -ge 3 ]; do sleep 0.05; done\n");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--seeds", "1..3", "--jobs", "3", "--host-timeout", "25"), 0);
    test_stage_nothing_left(stage);
}

static void a_signal_ends_all_tests_and_their_hosts(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    test_stage_scene(stage, "s.yaml", STANDS, "host: \". ./wait\"");
    folder_write(&stage->folder, "wait", "%s",
                 NOTE HELLO "trap '' TERM; echo >>ready; while :; do sleep 1; done\n");
    TEST_START(stage, "s.yaml", "--seeds", "1..9", "--jobs", "3", "--out", "out");
    char *ready;
    for (int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;; sleep_ms(10)) {
        ready = folder_read(&stage->folder, "ready");
        size_t count = strlen(ready);
        free(ready);
        if (count >= 3)
            break;
        assert_true(now_ms() < end_ms);
    }
    assert_int_equal(program_end(&stage->ptybot, SIGTERM), 3);
    test_stage_said(stage, "FAILED: 3 of 9 tests");
    test_stage_said(stage, ", 6 not run\n");
    assert_false(path_exists(folder_path(&stage->folder, "out/s-seed-1/suite.xml", path)));
    test_stage_nothing_left(stage);
}

static void a_test_whose_process_dies_is_an_error_of_its_own(void **state)
{
    struct stage *stage = *state;
    write_folder(stage, (const char *const[]){"all/a.yaml", NULL});
    test_stage_scene(stage, "all/b.yaml", STANDS,
                     "host: \"echo $$ >>../pids; kill -9 " PTYBOT_PID "\"");
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--start", "now", "--junit", "j.xml"), 3);
    test_stage_said(stage, "its process ended with signal 9");
    test_stage_junit(stage, "j.xml", "2 suites, 2 cases, 0 failures, 1 errors not_run");
}

static void a_test_whose_ptybot_stays_stopped_is_an_error_of_its_own(void **state)
{
    struct stage *stage = *state;
    write_folder(stage, (const char *const[]){"all/a.yaml", NULL});
    test_stage_scene(stage, "all/b.yaml", STANDS, "host: \"kill -STOP " PTYBOT_PID "; sleep 60\"");
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--start", "now", "--junit", "j.xml"), 3);
    test_stage_said(stage, "stopped its ptybot (SIGSTOP) for 10 s");
    test_stage_junit(stage, "j.xml", "2 suites, 2 cases, 0 failures, 1 errors not_run");
}

static void nothing_of_an_earlier_batch_stays_in_its_folder(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    write_folder(stage, (const char *const[]){"all/s.yaml", NULL});
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--out", "out", "--seeds", "1..3"), 0);
    assert_true(path_exists(folder_path(&stage->folder, "out/s-seed-3/signals.csv", path)));
    mkdir(folder_path(&stage->folder, "out/mine", path), 0700);
    folder_write(&stage->folder, "out/mine/run.journal", "precious\n");
    folder_write(&stage->folder, "out/s-seed-2/notes.txt", "mine\n");
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--out", "out", "--seeds", "1..1"), 0);
    assert_true(path_exists(folder_path(&stage->folder, "out/s-seed-1/signals.csv", path)));
    assert_false(path_exists(folder_path(&stage->folder, "out/s-seed-3", path)));
    assert_false(path_exists(folder_path(&stage->folder, "out/s-seed-2/signals.csv", path)));
    assert_true(path_exists(folder_path(&stage->folder, "out/s-seed-2/notes.txt", path)));
    assert_true(path_exists(folder_path(&stage->folder, "out/mine/run.journal", path)));
}

static void names_that_begin_alike_or_have_dots_stay_apart(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    write_folder(stage, (const char *const[]){"all/a.1.yaml", "all/a.2.yaml", "all/a.yaml",
                                              "all/ab.yaml", NULL});
    assert_int_equal(TEST_RUN(stage, "all", "--fast", "--out", "out"), 0);
    static const char *const folders[] = {"out/a", "out/ab", "out/a.1", "out/a.2"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        assert_true(path_exists(folder_path(&stage->folder, folders[i], path)));
    struct program check;
    assert_int_equal(program_run(&check, &stage->folder, "check",
                                 (const char *const[]){PTYBOT_BINARY, "check", "all/a.1.yaml",
                                                       "all/a.2.yaml", NULL}),
                     0);
    assert_true(program_has_said(&check, "ok: a.1, 1 robot"));
    assert_true(program_has_said(&check, "ok: a.2, 1 robot"));
}

static void fail_fast_starts_no_other_test_after_a_failure(void **state)
{
    struct stage *stage = *state;
    write_folder(stage, (const char *const[]){"all/a.yaml", "all/b.yaml", "all/c.yaml", NULL});
    test_stage_scene(stage, "all/b.yaml", "{that: kobuki.x_m > 100, within: 1}", "");
    assert_int_equal(
        TEST_RUN(stage, "all", "--fast", "--fail-fast", "--jobs", "1", "--junit", "j.xml"), 1);
    test_stage_said(stage, "FAILED: 1 of 3 tests in ");
    test_stage_said(stage, ", 1 not run\n");
    test_stage_junit(stage, "j.xml", "3 suites, 3 cases, 1 failures, 0 errors expectation");
}

/* On a separate terminal, as a user would see it. */
static void a_terminal_shows_a_bar_of_progress(void **state)
{
    struct stage *stage = *state;
    int terminal, status;
    char seen[16384];
    size_t size = 0;
    ssize_t got;
    write_folder(stage, (const char *const[]){"all/a.yaml", "all/b.yaml", NULL});
    pid_t pid = forkpty(&terminal, NULL, NULL, &(struct winsize){.ws_row = 24, .ws_col = 120});
    assert_true(pid >= 0);
    if (pid == 0) {
        setenv("TERM", "xterm", 1);
        if (chdir(stage->folder.path) == 0)
            execl(PTYBOT_BINARY, "ptybot", "test", "all", "--fast", "--out", "out", (char *)NULL);
        _exit(127);
    }
    /* A terminal reads as an error after its other side was closed. */
    while ((got = read(terminal, seen + size, sizeof seen - 1 - size)) > 0)
        size += (size_t)got;
    seen[size] = '\0';
    close(terminal);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_non_null(strstr(seen, "[..............................] 0/2"));
    assert_non_null(strstr(seen, "passed: 2 of 2 tests"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(the_scenes_of_a_folder_run_in_natural_order),
        TEST_STAGED(nothing_of_an_earlier_batch_stays_in_its_folder),
        TEST_STAGED(names_that_begin_alike_or_have_dots_stay_apart),
        TEST_STAGED(fail_fast_starts_no_other_test_after_a_failure),
        TEST_STAGED(a_name_of_a_file_cannot_begin_a_line),
        TEST_STAGED(the_exit_code_is_the_highest_and_every_reason_is_reported),
        TEST_STAGED(of_a_failure_alone_the_files_are_kept),
        TEST_STAGED(an_empty_folder_and_flags_of_one_test_are_refused),
        TEST_STAGED(the_body_of_a_robot_in_the_folder_is_no_test),
        TEST_STAGED(a_folder_does_not_hide_the_robot_of_its_name),
        TEST_STAGED(a_report_that_cannot_be_written_is_reported_before_the_run),
        TEST_STAGED(shards_have_every_test_once_and_always_the_same),
        TEST_STAGED(shards_run_side_by_side),
        TEST_STAGED(seeds_are_those_of_the_scene),
        TEST_STAGED(jobs_run_at_the_same_time),
        TEST_STAGED(a_signal_ends_all_tests_and_their_hosts),
        TEST_STAGED(a_test_whose_process_dies_is_an_error_of_its_own),
        TEST_STAGED(a_test_whose_ptybot_stays_stopped_is_an_error_of_its_own),
        TEST_STAGED(a_terminal_shows_a_bar_of_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
