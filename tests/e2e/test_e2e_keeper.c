/* Nothing outlives a run: ptybot is killed by SIGKILL while it has processes of each kind, and
 * these have left processes behind that hide from it. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

/* Words of a shell: a new session, an orphan of a second fork, and one that has lost its
 * environment and tells its number in `pids`. */
#define HIDES                                                                                      \
    "setsid sleep 1000 & (setsid sh -c 'sleep 1000; sleep 1000' &) ; "                             \
    "(env -i setsid sh -c 'echo $$ >>pids; exec sleep 1000' &) ; "
enum { HIDDEN = 3 };

static char mark[FOLDER_PATH_MAX + 32];

static int keeper_setup(void **state)
{
    test_stage_setup(state);
    const struct stage *stage = *state;
    snprintf(mark, sizeof mark, "PTYBOT_KEPT=%s", stage->folder.path);
    return putenv(mark);
}

static int keeper_teardown(void **state)
{
    unsetenv("PTYBOT_KEPT");
    return stage_teardown(state);
}

/* How many processes have inherited the mark. */
static int count_marked(void)
{
    static char text[1 << 17];
    int count = 0;
    DIR *all = opendir("/proc");
    const struct dirent *entry;
    while ((entry = readdir(all))) {
        char path[300];
        snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
        int fd = isdigit((unsigned char)*entry->d_name) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t got = fd >= 0 ? read(fd, text, sizeof text) : -1;
        if (fd >= 0)
            close(fd);
        count += got > 0 && memmem(text, (size_t)got, mark, strlen(mark) + 1);
    }
    closedir(all);
    return count;
}

static bool is_hidden_alive(const struct stage *stage)
{
    char path[FOLDER_PATH_MAX];
    if (!path_exists(folder_path(&stage->folder, "pids", path)))
        return false;
    bool is_any = false;
    char *pids = folder_read(&stage->folder, "pids"), *at = pids, *end;
    for (long pid = strtol(at, &end, 10); end != at; at = end, pid = strtol(at, &end, 10))
        is_any |= kill((pid_t)pid, 0) == 0;
    free(pids);
    return is_any;
}

/* COUNT: processes that are marked while ptybot runs, itself included. */
static void kill_and_check(struct stage *stage, int count, bool hides)
{
    WAIT_UNTIL(count_marked() >= count && (!hides || is_hidden_alive(stage)));
    assert_true(program_is_running(&stage->ptybot));
    program_end(&stage->ptybot, SIGKILL);
    WAIT_UNTIL(count_marked() == 0 && !is_hidden_alive(stage));
}

static void start_run(struct stage *stage, const char *const *more)
{
    const char *words[16] = {PTYBOT_BINARY, "run"};
    for (size_t i = 0; more[i]; i++)
        words[2 + i] = more[i];
    program_start(&stage->ptybot, &stage->folder, "run", words, stage->user);
}
#define RUN_START(stage, ...) start_run(stage, (const char *const[]){__VA_ARGS__, NULL})

static void drivers_end_with_a_killed_test(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD, "");
    TEST_START(stage, "s.yaml", "--host", HIDES "exec sleep 1000", "--", "sh", "-c",
               HELLO HIDES "exec sleep 1000");
    kill_and_check(stage, 1 + 2 * (1 + HIDDEN), true);
    TEST_START(stage, "s.yaml", "--warp", "max", "--", "sh", "-c", HELLO HIDES "exec sleep 1000");
    kill_and_check(stage, 2 + HIDDEN, true);
}

static void drivers_end_with_a_killed_run(void **state)
{
    struct stage *stage = *state;
    RUN_START(stage, "kobuki", "--private", "--", "sh", "-c", HIDES "exec sleep 1000");
    kill_and_check(stage, 2 + HIDDEN, true);
}

static void drivers_end_with_a_killed_batch(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD, "");
    TEST_START(stage, "s.yaml", "--seeds", "1..2", "--jobs", "2", "--", "sh", "-c",
               HELLO HIDES "exec sleep 1000");
    kill_and_check(stage, 1 + 2 * (2 + HIDDEN), true);
}

/* A robot whose firmware is what RUN says; MORE belongs to its body file. */
static void write_robot(const struct stage *stage, const char *run, const char *more)
{
    folder_write(&stage->folder, "own.yaml",
                 "firmware: {run: \"%s\"}\nbody: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
                 "drive: {speed_max: 0.5, grip: 0.8}\n"
                 "wheels: [{y: 0.08, radius: 0.03}, {y: -0.08, radius: 0.03}]\n"
                 "sensors: [{name: eye, kind: range, x: 0.1, z: 0.05, range: 2, rays: 1}]\n"
                 "battery: {empty: 9, full: 12}\nchannels: [{name: uart, baud: 115200}]\n%s",
                 run, more);
    folder_write(&stage->folder, "s.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: bot, type: ./own.yaml, pose: {x: 2, y: 2}}]\n");
}

static const char signals[] = "signals: [{name: asked}, {name: level}]\n"
                              "commands: [{name: set, arguments: [{name: to, default: 7}]}]\n";

static void firmwares_end_with_a_killed_run(void **state)
{
    struct stage *stage = *state;
    write_robot(stage, HIDES "exec " PTYBOT_HOSTS_DIR "/echo_firmware", signals);
    RUN_START(stage, "s.yaml", "--private");
    kill_and_check(stage, 2 + HIDDEN, true);
}

/* Without SIGKILL too: what a firmware leaves behind ends with its run. */
static void firmwares_leave_nothing_behind(void **state)
{
    struct stage *stage = *state;
    write_robot(stage, HIDES "exec " PTYBOT_HOSTS_DIR "/echo_firmware", signals);
    RUN_START(stage, "s.yaml", "--private", "--for", "0.2");
    assert_int_equal(program_wait(&stage->ptybot), 0);
    assert_int_equal(count_marked(), 0);
    assert_false(is_hidden_alive(stage));
}

static void painter_and_page_end_with_a_killed_run(void **state)
{
    struct stage *stage = *state;
    RUN_START(stage, "kobuki", "--private", "--web", "--web-port", "0");
    kill_and_check(stage, 2, false);
    RUN_START(stage, "kobuki", "--private", "--frames", "f", "--fps", "10");
    WAIT_UNTIL(program_has_warned(&stage->ptybot, "cannot paint") || count_marked() >= 2);
    if (program_has_warned(&stage->ptybot, "cannot paint")) {
        print_message("SKIPPED: this ptybot was built without cairo\n");
        skip();
    }
    kill_and_check(stage, 2, false);
}

/* A keeper that is killed takes its driver along, and the test ends. */
static void a_driver_does_not_outlive_its_keeper(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    test_stage_scene(stage, "s.yaml", HEARD, "");
    TEST_START(stage, "s.yaml", "--out", "out", "--", "sh", "-c",
               HELLO "echo $PPID >keeper; echo $$ >pids; exec sleep 1000");
    WAIT_UNTIL(path_exists(folder_path(&stage->folder, "pids", path)) && is_hidden_alive(stage));
    char *keeper = folder_read(&stage->folder, "keeper");
    assert_int_equal(kill((pid_t)atol(keeper), SIGKILL), 0);
    free(keeper);
    assert_int_equal(program_wait(&stage->ptybot), 1);
    test_stage_said(stage, "was killed by SIGKILL");
    WAIT_UNTIL(count_marked() == 0);
}

#define TEST_KEPT(test) cmocka_unit_test_setup_teardown(test, keeper_setup, keeper_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_KEPT(drivers_end_with_a_killed_test),
        TEST_KEPT(drivers_end_with_a_killed_run),
        TEST_KEPT(drivers_end_with_a_killed_batch),
        TEST_KEPT(firmwares_end_with_a_killed_run),
        TEST_KEPT(firmwares_leave_nothing_behind),
        TEST_KEPT(painter_and_page_end_with_a_killed_run),
        TEST_KEPT(a_driver_does_not_outlive_its_keeper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
