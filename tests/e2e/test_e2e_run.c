/* `ptybot run` as a process: its start, its end, its leftovers, and its error messages. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/stage.h"

/* Runs ptybot with these words until it ends. */
static int run_words(struct stage *stage, const char *const words[])
{
    return program_run(&stage->ptybot, &stage->folder, "run", words);
}
#define RUN(stage, ...) run_words(stage, (const char *const[]){PTYBOT_BINARY, __VA_ARGS__, NULL})

/* Fails unless ptybot has printed TEXT in its warnings and errors. */
static void check_warned(const struct stage *stage, const char *text)
{
    char *said = program_err(&stage->ptybot);
    bool is_there = strstr(said, text) != NULL;
    if (!is_there)
        print_error("it said: %s", said);
    free(said);
    if (!is_there)
        fail_msg("it has not said '%s'", text);
}

/* Fails if the folder contains more than the test's files. */
static void check_nothing_left(const struct stage *stage)
{
    DIR *folder = opendir(stage->folder.path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        static const char *const own[] = {".", "..", "kobuki.yaml", "run.out", "run.err"};
        bool is_own = false;
        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
            is_own |= strcmp(entry->d_name, own[i]) == 0;
        if (!is_own)
            fail_msg("%s is left", entry->d_name);
    }
    closedir(folder);
}

/* ---- Starting and ending ---- */

static void an_end_by_signal_leaves_nothing(void **state)
{
    struct stage *stage = *state;
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    stage_write_kobuki(stage, "", "");
    for (size_t i = 0; i < 3; i++) {
        struct kobuki_host host;
        STAGE_RUN_KOBUKI(stage, "--speed", "5");
        kobuki_host_open(&host, stage->port);
        kobuki_host_hear(&host, 10);
        assert_int_equal(program_end(&stage->ptybot, signals[i]), 0);
        kobuki_host_close(&host);
        check_nothing_left(stage);
    }
}

/* Boxes that touch each other everywhere: each step takes a few milliseconds. */
static void write_costly_scene(const struct stage *stage)
{
    enum { SIDE = 40 };
    char path[FOLDER_PATH_MAX];
    FILE *file = fopen(folder_path(&stage->folder, "costly.yaml", path), "w");
    assert_non_null(file);
    fprintf(file, "world:\n  size: {x: 5, y: 4}\n  boxes:\n");
    for (int i = 0; i < SIDE * SIDE; i++)
        fprintf(file, "    - {pose: {x: %.2f, y: %.2f}, size: {x: 0.1, y: 0.1}, mass: 5}\n",
                0.05 + 0.1 * (i % SIDE), 0.05 + 0.1 * (i / SIDE));
    fprintf(file,
            "robots:\n  - {name: kobuki, type: kobuki, pose: {x: 4.5, y: 2}, links: [{pty: "
            "%s}]}\n",
            stage->port);
    assert_int_equal(fclose(file), 0);
}

/* Counted in steps, which is independent of the load of the machine. */
static void a_signal_gets_through_where_steps_are_costly(void **state)
{
    struct stage *stage = *state;
    static const char *const paces[][3] = {{"--fast"}, {"--speed", "1000"}, {"--speed", "1"}};
    write_costly_scene(stage);
    for (size_t i = 0; i < 3; i++) {
        stage_run(stage, "costly.yaml", paces[i]);
        WAIT_UNTIL(stage_get(stage, "world.time_s") > 0.02);
        double before = stage_get(stage, "world.time_s") * 1000;
        assert_int_equal(program_end(&stage->ptybot, SIGINT), 0);
        char *summary = program_out(&stage->ptybot);
        const char *number = strstr(summary, "), ");
        assert_non_null(number);
        double after = strtod(number + 3, NULL);
        print_message("%s: %.0f steps after a signal\n", paces[i][0], after - before);
        assert_true(after - before < 300);
        free(summary);
    }
}

static void an_end_by_signal_within_the_start_leaves_nothing(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    for (int delay_ms = 0; delay_ms < 30; delay_ms++) {
        stage_start(stage, "kobuki.yaml", (const char *const[]){NULL});
        sleep_ms(delay_ms);
        int code = program_end(&stage->ptybot, SIGTERM);
        /* So early that ptybot has not started, a signal ends it like any program. */
        if (code != 0)
            assert_int_equal(code, 128 + SIGTERM);
        check_nothing_left(stage);
    }
}

static void a_reader_of_its_words_that_goes_away_does_not_end_the_run(void **state)
{
    struct stage *stage = *state;
    struct program shell;
    char line[2 * FOLDER_PATH_MAX];
    stage_write_kobuki(stage, "", "");
    snprintf(line, sizeof line, "%s run kobuki.yaml --for 30 --speed 10 | head -n 1 >/dev/null",
             PTYBOT_BINARY);
    program_start(&shell, &stage->folder, "shell",
                  (const char *const[]){"/bin/sh", "-c", line, NULL}, 0);
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 100);
    kobuki_host_check(&host, 0);
    kobuki_host_close(&host);
    program_wait(&shell);
    assert_false(path_exists(stage->port));
}

/* The folder that contains this user's relative paths and runs. */
static void shared_folder(char out[FOLDER_PATH_MAX])
{
    snprintf(out, FOLDER_PATH_MAX, "/dev/shm/ptybot-%u", (unsigned)getuid());
}

static void a_relative_path_is_in_the_folder_of_the_user_and_goes_with_the_run(void **state)
{
    struct stage *stage = *state;
    char shared[FOLDER_PATH_MAX], port[2 * FOLDER_PATH_MAX], run[2 * FOLDER_PATH_MAX];
    char assignment[64];
    shared_folder(shared);
    snprintf(assignment, sizeof assignment, "e2e_%ld", (long)getpid());
    folder_write(&stage->folder, "relative.yaml",
                 "name: Relative\nworld: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2}, links: [{pty: %s}]}]\n",
                 assignment);
    const char *const words[] = {PTYBOT_BINARY, "run", "relative.yaml", NULL};
    program_start(&stage->ptybot, &stage->folder, "run", words, 0);
    snprintf(port, sizeof port, "%s/%s", shared, assignment);
    snprintf(run, sizeof run, "%s/run-%ld", shared, (long)stage->ptybot.pid);
    WAIT_UNTIL(path_exists(port) && path_exists(run));
    struct kobuki_host host;
    kobuki_host_open(&host, port);
    kobuki_host_hear(&host, 5);
    kobuki_host_check(&host, 0);
    kobuki_host_close(&host);
    assert_true(program_has_said(&stage->ptybot, port));
    assert_int_equal(program_end(&stage->ptybot, SIGTERM), 0);
    assert_false(path_exists(port));
    assert_false(path_exists(run));
}

static void after_a_kill_the_same_path_works_again(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    for (int i = 0; i < 3; i++) {
        struct kobuki_host host;
        stage_start(stage, "kobuki.yaml", (const char *const[]){"--speed", "5", NULL});
        /* The entry of the killed run exists already, so wait for the new one. */
        WAIT_UNTIL(program_has_said(&stage->ptybot, stage->port));
        kobuki_host_open(&host, stage->port);
        kobuki_host_hear(&host, 20);
        kobuki_host_check(&host, 0);
        kobuki_host_close(&host);
        assert_int_equal(program_end(&stage->ptybot, SIGKILL), 128 + SIGKILL);
        assert_true(path_exists(stage->port));
    }
    stage_start(stage, "kobuki.yaml", (const char *const[]){"--speed", "5", NULL});
    WAIT_UNTIL(program_has_said(&stage->ptybot, stage->port));
    stage_end(stage);
    check_nothing_left(stage);
}

static void a_second_run_on_the_same_path_is_refused_and_harms_nobody(void **state)
{
    struct stage *stage = *state;
    struct program second;
    char pid[24];
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "5");
    snprintf(pid, sizeof pid, "%ld", (long)stage->ptybot.pid);
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 10);

    const char *const words[] = {PTYBOT_BINARY, "run", "kobuki.yaml", NULL};
    assert_int_equal(program_run(&second, &stage->folder, "second", words), 3);
    assert_true(program_has_warned(&second, stage->port));
    assert_true(program_has_warned(&second, pid));

    kobuki_host_hear(&host, 50);
    kobuki_host_check(&host, 0);
    kobuki_host_close(&host);
    stage_end(stage);
}

static void a_foreign_file_at_the_path_is_left_alone(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    folder_write(&stage->folder, "kobuki", "precious\n");
    assert_int_equal(RUN(stage, "run", "kobuki.yaml"), 3);
    check_warned(stage, stage->port);
    char *text = folder_read(&stage->folder, "kobuki");
    assert_string_equal(text, "precious\n");
    free(text);
}

static void a_path_in_no_folder_is_refused(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "nowhere.yaml",
                 "name: Nowhere\nworld: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2},\n"
                 "          links: [{pty: %s/nowhere/kobuki}]}]\n",
                 stage->folder.path);
    assert_int_equal(RUN(stage, "run", "nowhere.yaml"), 3);
    check_warned(stage, "nowhere/kobuki");
}

/* ---- Time ---- */

static void a_fast_run_of_two_minutes_ends_at_once_with_a_summary(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    int64_t start_ms = now_ms();
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--fast", "--for", "120"), 0);
    assert_true(now_ms() - start_ms < 60000);
    assert_true(program_has_said(&stage->ptybot, "120.000 s simulated"));
    /* 50 packets per second; the last is still on the wire. */
    assert_true(program_has_said(&stage->ptybot, " 5999 "));
}

static void a_log_has_a_row_each_20_ms_of_every_signal(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--fast", "--for", "2", "--log", "log.csv"),
                     0);
    char *log = folder_read(&stage->folder, "log.csv");
    assert_true(strncmp(log, "world.time_s,", 13) == 0);
    assert_non_null(strstr(log, ",kobuki.x_m,"));
    unsigned rows = 0;
    for (const char *at = log; (at = strchr(at, '\n')); at++)
        rows++;
    assert_in_range(rows, 101, 102); /* header line, then with or without the row at the start */
    free(log);
}

static void a_log_replaces_a_log_and_no_other_file(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    folder_write(&stage->folder, "notes", "%s", "notes\n");
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--fast", "--for", "9", "--log", "log"), 0);
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--fast", "--for", "1", "--log", "log"), 0);
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--fast", "--for", "1", "--log", "notes"), 3);
    check_warned(stage, "--log notes: exists and is not a log of signals, so ptybot does not");
    char *log = folder_read(&stage->folder, "log"), *notes = folder_read(&stage->folder, "notes");
    assert_string_equal(notes, "notes\n");
    assert_null(strstr(log, "\n2.02,")); // nothing of the longer one is left
    free(log);
    free(notes);
}

static void a_run_for_some_seconds_ends_by_itself(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "10", "--for", "5");
    assert_int_equal(program_wait(&stage->ptybot), 0);
    check_nothing_left(stage);
}

/* ---- A priority above all normal programs ---- */

static bool may_be_realtime(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}) != 0);
    waitpid(child, &status, 0);
    return status == 0;
}

static void realtime_puts_the_run_ahead_and_not_what_it_starts(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    if (!may_be_realtime())
        skip();
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--realtime");
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 10);
    assert_int_equal(sched_getscheduler(stage->ptybot.pid), SCHED_FIFO | SCHED_RESET_ON_FORK);
    kobuki_host_close(&host);
    stage_end(stage);
}

/* The time slice that a process has requested, ns; 0: this kernel does not show it, as before Linux
 * 6.12. */
static uint64_t turn_ns(pid_t pid)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
    } about = {0};
    return syscall(SYS_sched_getattr, pid, &about, sizeof about, 0) == 0 ? about.runtime_ns : 0;
}

static void in_real_time_the_run_has_short_turns_which_what_it_starts_has_not(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, NULL);
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 2); // its loop runs
    if (sched_getscheduler(0) == SCHED_OTHER) {
        assert_int_equal(sched_getscheduler(stage->ptybot.pid), SCHED_OTHER | SCHED_RESET_ON_FORK);
        if (turn_ns(0) > 0)
            assert_int_equal(turn_ns(stage->ptybot.pid), 100000);
    }
    kobuki_host_close(&host);
    stage_end(stage);
}

static void realtime_is_refused_with_a_remedy_where_it_is_not_allowed(void **state)
{
    struct stage *stage = *state;
    const struct rlimit none = {0, 0};
    stage_write_kobuki(stage, "", "");
    assert_int_equal(setrlimit(RLIMIT_RTPRIO, &none), 0);
    const char *const words[] = {
        "/usr/bin/setpriv", "--bounding-set", "-sys_nice", PTYBOT_BINARY, "run",
        "kobuki.yaml",      "--realtime",     NULL};
    assert_int_equal(run_words(stage, geteuid() == 0 ? words : words + 3), 3);
    check_warned(stage, "--realtime: Operation not permitted");
    check_warned(stage, "setcap cap_sys_nice=ep");
    check_nothing_left(stage);
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--realtime", "--fast"), 2);
    check_warned(stage, "--realtime and --fast exclude each other");
}

/* ---- Errors of the user ---- */

static void wrong_words_are_answered_with_what_was_meant(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--sped", "2"), 2);
    check_warned(stage, "did you mean '--speed'");
    assert_int_equal(RUN(stage, "rnu", "kobuki.yaml"), 2);
    check_warned(stage, "did you mean 'run'?");
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--speed", "quick"), 2);
    check_warned(stage, "speed");
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--set", "kobuki.firmwrae=1.2.0"), 2);
    check_warned(stage, "did you mean 'firmware'");
    assert_int_equal(RUN(stage, "list", "options", "kobuky"), 2);
    check_warned(stage, "there is no robot type 'kobuky'; did you mean 'kobuki'?");
    assert_int_equal(RUN(stage, "describe", "kobuky"), 2);
    check_warned(stage, "there is no robot type 'kobuky'; did you mean 'kobuki'?");
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--link", "kobuki=tpc:auto"), 2);
    check_warned(stage, "kobuki: 'tpc' is not a transport; did you mean 'tcp'? allowed: pty");
    assert_int_equal(RUN(stage, "run", "kobuki.yaml", "--size", "640x480"), 2);
    check_warned(stage, "--size sets the pictures of --frames DIR");
    assert_int_equal(RUN(stage, "test", "kobuki.yaml", "-j", "2"), 2);
    check_warned(stage, "nothing to judge");
    assert_int_equal(RUN(stage, "test", "kobuki.yaml", "-j0"), 2);
    check_warned(stage, "--jobs: ");
    assert_int_equal(RUN(stage, "run"), 2);
    check_nothing_left(stage);
}

static void a_missing_file_is_a_usage_error_of_every_subcommand(void **state)
{
    struct stage *stage = *state;
    static const char *const words[][4] = {
        {"run", "none.yaml"},
        {"test", "none.yaml"},
        {"stress", "none.yaml", "--", "true"},
        {"merge", "none.ndjson"},
        {"replay", "none.journal"},
        {"decode", "none.pcapng"},
        {"run", "--recorded", "none.pcapng"},
        {"compare", "none.pcapng", "kobuki"},
        {"fit", "none.pcapng", "kobuki"},
        {"shot", "none.yaml", "-o", "a.png"},
        {"check", "none.yaml"},
        {"list", "options", "none.yaml"},
    };
    for (size_t i = 0; i < COUNT(words); i++) {
        const char *const *word = words[i];
        int code = RUN(stage, word[0], word[1], word[2], word[3]);
        if (code != 2)
            fail_msg("%s %s: exit code %d", word[0], word[1], code);
        check_warned(stage, "No such file");
    }
}

static void what_is_no_scene_or_no_robot_type_is_named(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "own.yaml", "%s",
                 "firmware: {run: 'true'}\nbody: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
                 "channels: [{name: uart, baud: 115200}]\n");
    folder_write(&stage->folder, "scene.yaml", "%s",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: bot, type: ./own.yaml, pose: {x: 2, y: 2}}]\n");
    assert_int_equal(RUN(stage, "run", "kobuki", "--for", "0.1", "--fast", "--capture", "c.pcapng",
                         "--journal", "c.journal"),
                     0);
    static const char *const words[][5] = {
        {"compare", "c.pcapng", "c.pcapng", "", "c.pcapng is a recording; give a scene or a robot"},
        {"compare", "c.pcapng", "c.pcapng", "", "`diff` the output of `ptybot decode`"},
        {"run", "c.pcapng", NULL, "", "c.pcapng is a recording"},
        {"list", "signals", "scene.yaml", "", "scene.yaml is a scene"},
        {"decode", "c.pcapng", "--robot", "scene.yaml", "--robot scene.yaml is a scene"},
        {"describe", "scene.yaml", NULL, "", "scene.yaml is a scene"},
    };
    for (size_t i = 0; i < COUNT(words); i++) {
        const char *const *word = words[i];
        const char *last = *word[3] ? word[3] : NULL;
        assert_int_equal(RUN(stage, word[0], word[1], word[2], last), 2);
        check_warned(stage, word[4]);
    }
    assert_int_equal(RUN(stage, "describe", "kobuki", "--body"), 0);
    char *body = program_out(&stage->ptybot);
    FILE *file = fopen(folder_path(&stage->folder, "kobo.yaml", (char[FOLDER_PATH_MAX]){0}), "we");
    fputs(body, file);
    fclose(file);
    free(body);
    assert_int_equal(RUN(stage, "describe", "./kobo.yaml"), 0);
    assert_true(program_has_said(&stage->ptybot, "base_control"));
    assert_int_equal(RUN(stage, "describe", "own.yaml"), 0);
    assert_int_equal(RUN(stage, "decode", "c.pcapng", "--robot", "kobo.yaml", "--raw"), 0);
    assert_int_equal(RUN(stage, "list", "signals", "--help"), 0);
    assert_true(program_has_said(&stage->ptybot, "ptybot list"));
}

static void what_belongs_to_the_world_can_be_listed_alone(void **state)
{
    struct stage *stage = *state;
    static const char *const whats[] = {"signals", "commands"};
    static const char *const found[][2] = {{"world.time_s", "world.step"},
                                           {"\"world.time_s\"", "\"world.step\""}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(RUN(stage, "list", whats[i % 2], "world", i < 2 ? NULL : "--json"), 0);
        assert_true(program_has_said(&stage->ptybot, found[i / 2][i % 2]));
        assert_false(program_has_said(&stage->ptybot, "kobuki."));
        assert_false(program_has_said(&stage->ptybot, "ROBOT."));
    }
    assert_int_equal(RUN(stage, "list", "options", "world"), 2);
    check_warned(stage, "there is no robot type 'world'");
}

static void a_wrong_scene_is_reported_with_file_and_line(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "wrong.yaml",
                 "name: Wrong\n"
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots:\n"
                 "  - name: kobuki\n"
                 "    type: kobuki\n"
                 "    poes: {x: 2, y: 2}\n"
                 "    links: [{pty: kobuki}]\n");
    assert_int_equal(RUN(stage, "run", "wrong.yaml"), 2);
    check_warned(stage, "wrong.yaml:6");
    check_warned(stage, "did you mean 'pose'");
    assert_int_equal(RUN(stage, "check", "wrong.yaml"), 2);
    check_warned(stage, "wrong.yaml:6");
    folder_write(&stage->folder, "broken.yaml", "name: [unclosed\nworld: {\n");
    assert_int_equal(RUN(stage, "run", "broken.yaml"), 2);
    check_warned(stage, "broken.yaml:");
}

static void a_missing_scene_is_named(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(RUN(stage, "run", "missing.yaml"), 2);
    check_warned(stage, "missing.yaml");
}

static void an_empty_scene_is_refused(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "empty.yaml", "%s", "");
    assert_int_equal(RUN(stage, "run", "empty.yaml"), 2);
    check_warned(stage, "empty.yaml");
}

static void a_huge_scene_is_refused_unread(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    folder_write(&stage->folder, "huge.yaml", "name: Huge\n");
    assert_int_equal(truncate(folder_path(&stage->folder, "huge.yaml", path), 100 << 20), 0);
    assert_int_equal(RUN(stage, "run", "huge.yaml"), 2);
    check_warned(stage, "huge.yaml");
}

static void a_scene_that_is_no_file_is_refused(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(RUN(stage, "run", "/dev/zero"), 2);
    check_warned(stage, "/dev/zero");
    assert_int_equal(RUN(stage, "run", "/tmp"), 2);
    check_warned(stage, "/tmp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(an_end_by_signal_leaves_nothing),
        STAGED(a_signal_gets_through_where_steps_are_costly),
        STAGED(an_end_by_signal_within_the_start_leaves_nothing),
        STAGED(a_reader_of_its_words_that_goes_away_does_not_end_the_run),
        STAGED(a_relative_path_is_in_the_folder_of_the_user_and_goes_with_the_run),
        STAGED(after_a_kill_the_same_path_works_again),
        STAGED(a_second_run_on_the_same_path_is_refused_and_harms_nobody),
        STAGED(a_foreign_file_at_the_path_is_left_alone),
        STAGED(a_path_in_no_folder_is_refused),
        STAGED(a_fast_run_of_two_minutes_ends_at_once_with_a_summary),
        STAGED(a_log_has_a_row_each_20_ms_of_every_signal),
        STAGED(a_log_replaces_a_log_and_no_other_file),
        STAGED(a_run_for_some_seconds_ends_by_itself),
        STAGED(realtime_puts_the_run_ahead_and_not_what_it_starts),
        STAGED(in_real_time_the_run_has_short_turns_which_what_it_starts_has_not),
        STAGED(realtime_is_refused_with_a_remedy_where_it_is_not_allowed),
        STAGED(wrong_words_are_answered_with_what_was_meant),
        STAGED(a_missing_file_is_a_usage_error_of_every_subcommand),
        STAGED(what_is_no_scene_or_no_robot_type_is_named),
        STAGED(what_belongs_to_the_world_can_be_listed_alone),
        STAGED(a_wrong_scene_is_reported_with_file_and_line),
        STAGED(a_missing_scene_is_named),
        STAGED(an_empty_scene_is_refused),
        STAGED(a_huge_scene_is_refused_unread),
        STAGED(a_scene_that_is_no_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
