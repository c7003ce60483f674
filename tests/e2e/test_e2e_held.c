/* Virtual time of `ptybot test` and `run`, which waits for the driver. This file has several
 * drivers, the speed, and the reports if time could not be held; test_e2e_same.c has the drivers.
 * PTYBOT_HELD_RUNS: number of runs of each driver (2); it also enables tests that need more
 * packages. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/sample.h"
#include "tests/support/test_stage.h"

static const char python[] = "/usr/bin/python3";

static int runs(void)
{
    const char *text = getenv("PTYBOT_HELD_RUNS");
    int count = text ? atoi(text) : 0;
    return count > 0 ? count : 2;
}

/* For example, another ptybot, which sets its timer again every millisecond. */
static void a_timer_that_is_set_as_it_expires_is_not_lost(void **state)
{
    struct stage *stage = *state;
    char link[FOLDER_PATH_MAX + 16];
    snprintf(link, sizeof link, "kobuki=pty:%s", stage->port);
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 1.9, at_end: true}", "");
    int code = TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--out", "out", "--for",
                        "10", "--", PTYBOT_BINARY, "run", "kobuki", "--for", "2", "--link", link);
    test_stage_said(stage, "exited with 0 after ");
    assert_int_equal(code, 0);
    char *log = folder_read(&stage->folder, "out/host.log");
    assert_non_null(strstr(log, "2.000 s simulated in 2.0"));
    free(log);
}

/* ---- Several drivers with several robots ---- */

static const char held_host[] = PTYBOT_HOSTS_DIR "/held_host";

/* `run` shares the default ports of robots with all runs of the user, so these ports are in the
 * stage. */
static void write_two(const struct stage *stage)
{
    const char *folder = stage->folder.path;
    folder_write(&stage->folder, "s.yaml",
                 "seed: 1\n"
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots:\n"
                 "  - {name: one, type: kobuki, pose: {x: 5, y: 5}, links: [{pty: %s/one}]}\n"
                 "  - {name: other, type: kobuki, pose: {x: 12, y: 12}, links: [{pty: %s/other}]}\n"
                 "expect:\n"
                 "  - {that: one.uart.frames > 0, within: 5}\n"
                 "  - {that: other.uart.frames > 0, within: 5}\n",
                 folder, folder);
}

/* `ptybot VERB s.yaml` with a driver for each robot; returns its journal. */
static char *drive_two(struct stage *stage, const char *verb)
{
    char one[FOLDER_PATH_MAX], other[FOLDER_PATH_MAX];
    snprintf(one, sizeof one, "exec %s poll {one}", held_host);
    snprintf(other, sizeof other, "%s pipe {other}; exit", held_host);
    const char *words[] = {PTYBOT_BINARY, verb,     "s.yaml", "--warp", "max", "--journal",
                           "j",           "--host", one,      "--host", other, NULL};
    int code = program_run(&stage->ptybot, &stage->folder, verb, words);
    test_stage_said(stage, "\nheld: simulated time waited for the driver");
    assert_int_equal(code, 0);
    return folder_read(&stage->folder, "j");
}

static void check_two(struct stage *stage, const char *verb)
{
    write_two(stage);
    char *first = drive_two(stage, verb);
    for (int i = 1; i < runs(); i++) {
        char *again = drive_two(stage, verb);
        check_same_lines(first, again);
        free(again);
    }
    free(first);
}

static void two_hosts_on_two_robots_are_the_same_in_each_test(void **state)
{
    struct stage *stage = *state;
    check_two(stage, "test");
    test_stage_said(stage, "passed: 6 of 6; ");
}

static void two_hosts_on_two_robots_are_the_same_in_each_run(void **state)
{
    struct stage *stage = *state;
    check_two(stage, "run");
    test_stage_said(stage, "held_host pipe {other}; exit: exited with 0 after ");
}

#define NAMESPACE "unshare --user --map-root-user --pid --fork"

static bool has_namespaces(const struct stage *stage)
{
    struct program program;
    const char *const words[] = {"/bin/sh", "-c", NAMESPACE " --mount-proc true", NULL};
    return program_run(&program, &stage->folder, "try", words) == 0;
}

/* In a PID namespace whose numbers soon restart at the lowest number, as on every machine after
 * some time. */
static void a_number_of_a_process_that_begins_anew_changes_nothing(void **state)
{
    struct stage *stage = *state;
    char *first = NULL;
    if (!has_namespaces(stage))
        skip();
    write_two(stage);
    for (int left = 1; left <= 10; left++) {
        char line[1024];
        const char *const words[] = {"/bin/sh", "-c", line, NULL};
        snprintf(
            line, sizeof line,
            NAMESPACE
            " --mount-proc sh -c \""
            "echo \\$((\\$(cat /proc/sys/kernel/pid_max) - %d)) >/proc/sys/kernel/ns_last_pid; "
            "exec %s test s.yaml --warp max --journal j --host 'exec %s poll {one}' "
            "--host '%s pipe {other}; exit'\"",
            left, PTYBOT_BINARY, held_host, held_host);
        int code = program_run(&stage->ptybot, &stage->folder, "test", words);
        test_stage_said(stage, "\nheld: simulated time waited for the driver");
        assert_int_equal(code, 0);
        char *again = folder_read(&stage->folder, "j");
        if (first)
            check_same_lines(first, again);
        free(first);
        first = again;
    }
    free(first);
}

/* Other drivers support the command after `--`, and the output of each is kept. */
static void the_command_behind_the_dashes_ends_a_test_and_a_failure_does(void **state)
{
    struct stage *stage = *state;
    write_two(stage);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--out", "out",
                              "--host", "echo the second; sleep 1000", "--", "sh", "-c",
                              "echo the first; sleep 6"),
                     1);
    test_stage_said(stage, "  passed   sh -c echo the first; sleep 6 ");
    test_stage_said(stage, "was running until the end");
    test_stage_said(stage, "the second; sleep 1000:\n  | the second\n");
    char *log = folder_read(&stage->folder, "out/host-2.log");
    assert_string_equal(log, "the second\n");
    free(log);
    log = folder_read(&stage->folder, "out/host.log");
    assert_string_equal(log, "the first\n");
    free(log);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--host", "sleep 2; exit 7", "--",
                              "sleep", "1000"),
                     1);
    test_stage_said(stage, "exited with 7 after ");
    test_stage_said(stage, "driver failure: the driver exited with 7");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--host", "sleep 1000", "--host", "./nobody", "--",
                              "./nobody-either"),
                     3);
    test_stage_said(stage, "./nobody-either");
}

static void a_run_takes_its_hosts_and_its_end_from_them(void **state)
{
    struct stage *stage = *state;
    struct program *ptybot = &stage->ptybot;
    write_two(stage);
    int code =
        program_run(ptybot, &stage->folder, "run",
                    (const char *const[]){
                        PTYBOT_BINARY, "run", "s.yaml", "--private", "--json", "--", "sh", "-c",
                        "echo $PTYBOT_PORT_ONE; exec 3<>$PTYBOT_PORT_ONE; exit 5", NULL});
    assert_int_equal(code, 1);
    char *out = program_out(ptybot), *err = program_err(ptybot);
    assert_int_equal(out[0], '{');
    assert_null(strstr(out, "\n/"));
    assert_non_null(strstr(err, "exited with 5 after "));
    free(out);
    free(err);
    code = program_run(ptybot, &stage->folder, "run",
                       (const char *const[]){PTYBOT_BINARY, "run", "s.yaml", "--warp", "2", NULL});
    assert_int_equal(code, 2);
    test_stage_said(stage, "--warp sets the clock of a driver command");
    code =
        program_run(ptybot, &stage->folder, "run",
                    (const char *const[]){PTYBOT_BINARY, "run", "s.yaml", "--", "./nobody", NULL});
    assert_int_equal(code, 3);
    test_stage_said(stage, "./nobody: could not be started: ");
}

/* ---- In a sandbox ---- */

/* Its threads have other numbers there; and each child of the driver is the second process.
 * LeakSanitizer finds threads by their numbers in /proc and cannot work there. */
static char *drive_in(struct stage *stage, const char *sandbox)
{
    char line[2 * FOLDER_PATH_MAX];
    snprintf(line, sizeof line,
             "exec %s sh -c 'ASAN_OPTIONS=detect_leaks=0 %s pipe '$PTYBOT_PORT_KOBUKI'; exit $?'",
             sandbox, held_host);
    test_stage_start(stage, (const char *const[]){"s.yaml", "--warp", "max", "--journal", "j", "--",
                                                  "sh", "-c", line, NULL});
    int code = program_wait(&stage->ptybot);
    test_stage_said(stage, "\nheld: ");
    assert_int_equal(code, 0);
    return folder_read(&stage->folder, "j");
}

static void a_host_in_a_pid_namespace_is_held(void **state)
{
    struct stage *stage = *state;
    static const char *const sandboxes[] = {
        NAMESPACE, "bwrap --unshare-pid --dev-bind / /",
        "bwrap --unshare-pid --dev-bind / / --proc /proc",
        "bwrap --unshare-pid --dev-bind / / --tmpfs /proc", // the last: sanitizers need /proc
    };
    test_stage_scene(stage, "s.yaml", HEARD, "");
    char *first = drive_in(stage, "");
    size_t tried = 0;
    for (size_t i = 0; i < sizeof sandboxes / sizeof *sandboxes - PTYBOT_IS_SANITIZED; i++) {
        char line[256];
        struct program program;
        snprintf(line, sizeof line, "%s true", sandboxes[i]);
        if (program_run(&program, &stage->folder, "try",
                        (const char *const[]){"/bin/sh", "-c", line, NULL}) != 0)
            continue; // not installed, or not allowed here
        tried++;
        char *other = drive_in(stage, sandboxes[i]);
        check_same_lines(first, other);
        free(other);
    }
    free(first);
    if (tried == 0)
        skip();
}

/* A process in the sandbox has the same number as a process outside, and both wait. */
static void two_of_the_same_number_are_told_apart(void **state)
{
    struct stage *stage = *state;
    if (!has_namespaces(stage))
        skip();
    char line[512];
    snprintf(line, sizeof line,
             "%s sh -c 'sleep 3; date +%%s >one' & %s sh -c 'sleep 7; date +%%s >other' & "
             "start=$(date +%%s); wait; "
             "test $(($(cat one) - start)) = 3 && test $(($(cat other) - start)) = 7",
             NAMESPACE, NAMESPACE);
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 6.9, at_end: true}", "");
    int code = TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--", "sh", "-c", line);
    test_stage_said(stage, "\nheld: ");
    assert_int_equal(code, 0);
}

/* A process that the command did not start, but that uses its clock: a child of this test. */
static void a_process_outside_that_takes_the_clock_is_reported(void **state)
{
    struct stage *stage = *state;
    struct program outside;
    static const char *const words[] = {
        "/bin/sh", "-c", "until [ -e env ]; do sleep 0.01; done; . ./env; exec sleep 5", NULL};
    program_start(&outside, &stage->folder, "outside", words, 0);
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 1, at_end: true}", "");
    int code = TEST_RUN(
        stage, "s.yaml", "--start", "now", "--warp", "10", "--", "sh", "-c",
        "{ export -p | grep PTYBOT_WARP; echo \"export LD_PRELOAD='$LD_PRELOAD'\"; } >new; "
        "mv new env; sleep 20");
    test_stage_said(stage, "\nnot held: process ");
    test_stage_said(stage, ", outside of the driver command, loaded the clock library; it ran ");
    assert_int_equal(code, 0);
    assert_int_equal(program_wait(&outside), 0);
}

/* ---- Speed ---- */

/* Each of these drives, half a second by its own clock. */
#define DRIVES                                                                                     \
    "exec 3<>$PTYBOT_PORT_KOBUKI; " SERIAL "for i in 1 2 3 4 5; do printf " DRIVE                  \
    " >&3; sleep 0.1; done"

static char *drive(struct stage *stage, const char *flag, const char *value)
{
    const char *words[16] = {"s.yaml", "--journal", "j", flag, value};
    const char *const host[] = {"--", "sh", "-c", DRIVES};
    memcpy(words + (flag ? 5 : 3), host, sizeof host);
    test_stage_start(stage, words);
    int code = program_wait(&stage->ptybot);
    test_stage_said(stage, "\nheld: simulated time waited for the driver and ran ");
    assert_int_equal(code, 0);
    return folder_read(&stage->folder, "j");
}

/* The speed relative to real time, from the report. */
static double went(const struct stage *stage)
{
    static const char before[] = "waited for the driver and ran ";
    char *out = program_out(&stage->ptybot);
    const char *at = strstr(out, before);
    assert_non_null(at);
    double times = strtod(at + strlen(before), NULL);
    free(out);
    return times;
}

static void a_ceiling_changes_nothing_but_the_speed(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD, "");
    char *plain = drive(stage, NULL, NULL);
    assert_non_null(strstr(plain, " bytes "));
    assert_true(went(stage) <
                2); /* of half a second, a tenth may have been caught up, and one drained */
    char *limited = drive(stage, "--warp", "0.4");
    assert_true(went(stage) < 0.8);
    char *fast = drive(stage, "--warp", "max");
    assert_string_equal(plain, limited);
    assert_string_equal(plain, fast);
    free(plain);
    free(limited);
    free(fast);
}

/* The time that bytes wait for a driver counts in simulated time. */
static void who_reads_seldom_but_all_is_not_accused(void **state)
{
    struct stage *stage = *state;
    static const char *const ceilings[] = {"1", "5", "10", "max"};
    test_stage_scene(stage, "s.yaml", HEARD, "");
    for (size_t i = 0; i < sizeof ceilings / sizeof *ceilings; i++) {
        int code = TEST_RUN(stage, "s.yaml", "--warp", ceilings[i], "--", "sh", "-c",
                            "exec \"$0\" draining $PTYBOT_PORT_KOBUKI", held_host);
        char *out = program_out(&stage->ptybot);
        assert_null(strstr(out, "did not read"));
        assert_null(strstr(out, "read too slowly"));
        free(out);
        assert_int_equal(code, 0);
    }
    test_stage_scene(stage, "s.yaml", HEARD ", {that: world.time_s < 0, at_end: true}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--speed", "10", "--", "sh", "-c",
                              "exec \"$0\" draining $PTYBOT_PORT_KOBUKI", held_host),
                     1);
    test_stage_said(stage, "without virtual time, --speed or a busy machine has the same effect");
    test_stage_not_said(stage, "driver failure: kobuki.uart: the driver ");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--speed", "10", "--", "sh", "-c",
                              "exec \"$0\" no_reader $PTYBOT_PORT_KOBUKI",
                              PTYBOT_HOSTS_DIR "/broken_driver"),
                     1);
    test_stage_said(stage, "driver failure: kobuki.uart: the driver did not read for ");
}

/* Its bytes reach the robot after its end. */
static void a_driver_that_ends_at_once_has_a_finite_speed(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--junit", "j.xml", "--", "sh",
                              "-c",
                              "exec 3<>$PTYBOT_PORT_KOBUKI; " SERIAL
                              "for i in 1 2 3 4 5 6 7 8 9; do printf " DRIVE " >&3; done"),
                     0);
    char *junit = folder_read(&stage->folder, "j.xml");
    const char *at = strstr(junit, "time.speed\" value=\"");
    assert_non_null(at);
    double speed = strtod(strchr(at, '=') + 2, NULL);
    assert_true(speed > 0 && speed < 1e6);
    free(junit);
}

/* Therefore the driver ends. Polls: a read of an empty terminal with VMIN 0, FIONREAD, a timeout of
 * 0. */
static void a_poll_that_finds_no_bytes_takes_time(void **state)
{
    struct stage *stage = *state;
    static const char *const ways[] = {"no_vmin", "asking_first"};
    test_stage_scene(stage, "s.yaml", HEARD, "");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        int code = TEST_RUN(stage, "s.yaml", "--warp", "max", "--host-timeout", "300", "--", "sh",
                            "-c", "exec \"$0\" $1 $PTYBOT_PORT_KOBUKI", held_host, ways[i]);
        test_stage_said(stage, "\nheld: simulated time waited for the driver");
        assert_int_equal(code, 0);
    }
}

/* As on Linux, because of its timer slack. */
static void a_wait_takes_at_least_50_us(void **state)
{
    struct stage *stage = *state;
    static const char code[] = "import time\n"
                               "began = time.monotonic_ns()\n"
                               "for i in range(1000): time.sleep(1e-7)\n"
                               "for i in range(100): time.sleep(6e-5)\n"
                               "took = time.monotonic_ns() - began\n"
                               "assert took == 1000 * 50000 + 100 * 60000, took\n";
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, within: 1}", "");
    int ended =
        TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--", python, "-c", code);
    test_stage_said(stage, "\nheld: ");
    assert_int_equal(ended, 0);
}

static void no_limit_without_a_driver_is_reported(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, within: 1}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max"), 0);
    test_stage_said(stage, "--warp max without a driver command runs in real time; use --fast");
}

/* ---- Drivers that cannot be held ---- */

static bool is_in_junit(const struct stage *stage, const char *text)
{
    char *junit = folder_read(&stage->folder, "j.xml");
    bool is_there = strstr(junit, text) != NULL;
    free(junit);
    return is_there;
}
#define junit_has(stage, text)   assert_true(is_in_junit(stage, "<property name=\"" text))
#define junit_lacks(stage, text) assert_false(is_in_junit(stage, "<property name=\"" text))

static void who_spins_is_charged_and_told(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--junit", "j.xml", "--", "sh",
                              "-c", "exec \"$0\" spinning $PTYBOT_PORT_KOBUKI",
                              PTYBOT_HOSTS_DIR "/held_host"),
                     0);
    test_stage_said(stage, "\nnot held: the driver kept computing or polling, and ");
    test_stage_junit(stage, "j.xml", "1 suites, 3 cases, 0 failures, 0 errors");
    junit_has(stage, "time.held\" value=\"no\"");
    junit_has(stage, "time.charged_s\" value=\"");
    junit_lacks(stage, "time.charged_s\" value=\"0.000\"");
    junit_lacks(stage, "time.foreign");
}

static void who_waits_past_the_clock_is_reported(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--junit",
                              "j.xml", "--", "sh", "-c", "sleep 1; \"$0\"; sleep 1",
                              PTYBOT_HOSTS_DIR "/static_sleeper"),
                     0);
    test_stage_said(stage, "warning: static_sleeper (process ");
    test_stage_said(stage, ") waited in clock_nanosleep in real time, without the clock");
    test_stage_said(stage, "\nnot held: static_sleeper (process ");
    test_stage_said(stage, ") waited in clock_nanosleep in real time; it ran ");
    test_stage_junit(stage, "j.xml", "1 suites, 2 cases, 0 failures, 0 errors");
    junit_has(stage, "time.unheld_process\" value=\"static_sleeper (process ");
    junit_has(stage, "time.foreign\" value=\"static_sleeper (process ");
    junit_has(stage, "time.summary\" value=\"not held: static_sleeper");
    junit_has(stage, "time.told\" value=\"not held: static_sleeper");
    junit_has(stage, "time.charged_s\" value=\"0.000\"");
}

/* The clock library does not see locks inside OpenMP. */
static void threads_that_run_at_the_same_time_are_reported(void **state)
{
    struct stage *stage = *state;
    static const char code[] = "#include <unistd.h>\n"
                               "int main(void) {\n"
                               "    volatile double sum = 0;\n"
                               "    for (int i = 0; i < 20; i++, usleep(10000))\n"
                               "        _Pragma(\"omp parallel for num_threads(2)\")\n"
                               "        for (int k = 0; k < 100000; k++) sum += k;\n"
                               "    return 0;\n"
                               "}\n";
    struct program program;
    folder_write(&stage->folder, "omp.c", code);
    if (program_run(&program, &stage->folder, "cc",
                    (const char *const[]){"cc", "-fopenmp", "-o", "omp", "omp.c", NULL}) != 0)
        skip();
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--", "./omp"),
                     0);
    test_stage_said(stage, "\nnot held: threads ");
    test_stage_said(stage, " of omp ran at the same time, woken from futex; it ran ");
    test_stage_said(stage, "Let them wait for each other by conditions");
}

static void processes_that_run_at_the_same_time_are_reported(void **state)
{
    struct stage *stage = *state;
    static const char signals[] = "import os, signal, time\n"
                                  "signal.signal(signal.SIGUSR1, lambda *a: None)\n"
                                  "parent = os.getpid()\n"
                                  "if os.fork() == 0:\n"
                                  "    for i in range(20):\n"
                                  "        time.sleep(0.01); os.kill(parent, signal.SIGUSR1)\n"
                                  "        sum(range(50000))\n"
                                  "    os._exit(0)\n"
                                  "for i in range(20): signal.pause(); sum(range(50000))\n"
                                  "os.wait()";
    static const char locks[] = "import fcntl, os, time\n"
                                "lock = open('lock', 'w')\n"
                                "child = os.fork()\n"
                                "if child == 0: lock = open('lock', 'w')\n"
                                "for i in range(20):\n"
                                "    fcntl.flock(lock, fcntl.LOCK_EX); time.sleep(0.01)\n"
                                "    fcntl.flock(lock, fcntl.LOCK_UN); sum(range(50000))\n"
                                "if child: os.wait()";
    static const char *const codes[] = {signals, locks}, *const calls[] = {"pause", "flock"};
    if (access(python, X_OK) != 0)
        skip();
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        char woken[64];
        snprintf(woken, sizeof woken, " of python3 and python3 ran at the same time, woken from %s",
                 calls[i]);
        assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--", python,
                                  "-c", codes[i]),
                         0);
        test_stage_said(stage, "\nnot held: threads ");
        test_stage_said(stage, woken);
    }
}

/* stdio reads without a call of the clock library. */
static void a_reader_by_stdio_runs_at_the_same_time(void **state)
{
    struct stage *stage = *state;
    static const char code[] =
        "#include <stdbool.h>\n#include <stdio.h>\n#include <unistd.h>\n"
        "static void compute(void) { for (volatile int i = 0; i < 3000000; i++) {} }\n"
        "int main(void) {\n"
        "    int ends[2];\n"
        "    char line[8];\n"
        "    pipe(ends);\n"
        "    bool is_child = fork() == 0;\n"
        "    for (int i = 0; is_child && i < 20; i++) usleep(10000), write(ends[1], \"a\\n\", 2), "
        "compute();\n"
        "    if (is_child) _exit(0);\n"
        "    FILE *in = fdopen(ends[0], \"r\");\n"
        "    for (int i = 0; i < 20 && fgets(line, sizeof line, in); i++) compute();\n"
        "    return 0;\n"
        "}\n";
    struct program program;
    folder_write(&stage->folder, "stdio.c", "%s", code);
    if (program_run(&program, &stage->folder, "cc",
                    (const char *const[]){"cc", "-o", "stdio", "stdio.c", NULL}) != 0)
        skip();
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--", "./stdio"),
                     0);
    test_stage_said(stage, " of stdio and stdio ran at the same time, woken from read; it ran ");
}

/* The debugged process is stopped, and must continue nevertheless. */
static void a_debugger_inside_the_command_gets_its_turn(void **state)
{
    struct stage *stage = *state;
    if (access("/usr/bin/gdb", X_OK) != 0)
        skip();
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0.2, at_end: true}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--host-timeout",
                              "40", "--", "gdb", "-batch", "-nx", "-ex",
                              "handle SIG62 nostop noprint pass", "-ex", "run", "--args",
                              "/bin/sleep", "0.3"),
                     0);
}

/* A thread that was never seen waiting gets its time, too. No time passes during the first second
 * of CPU time; how much passes then depends on the machine. */
static void who_begins_to_wait_while_another_spins_is_woken(void **state)
{
    struct stage *stage = *state;
    static const char before[] = "kept computing or polling, and ";
    static const char code[] =
        "import _thread, time\n"
        "done = []\n"
        "_thread.start_new_thread(lambda: (time.sleep(0.05), done.append(1)), ())\n"
        "while not done: pass";
    if (access(python, X_OK) != 0)
        skip();
    test_stage_scene(stage, "s.yaml", "{that: world.time_s < 0.9, at_end: true}", "");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--", python, "-c", code), 0);
    char *out = program_out(&stage->ptybot);
    const char *at = strstr(out, before);
    assert_non_null(at);
    assert_true(strtod(at + strlen(before), NULL) < 0.9);
    free(out);
}

/* A program in Go makes its system calls without libc. */
static void a_program_in_go_is_reported(void **state)
{
    struct stage *stage = *state;
    static const char *const build[] = {"/bin/sh", "-c",
                                        "GOCACHE=$PWD/go CGO_ENABLED=0 go build -o sleeper \"$0\"",
                                        PTYBOT_SOURCE_DIR "/tests/hosts/sleeper.go", NULL};
    struct program go;
    if (!getenv("PTYBOT_HELD_RUNS") || program_run(&go, &stage->folder, "go", build) != 0)
        skip(); /* ./dev nightly held installs it */
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--", "./sleeper"), 0);
    test_stage_said(stage, "\nnot held: sleeper (process ");
    test_stage_said(stage, " in real time; it ran ");
}

/* Its signal comes by real time, which no call shows. */
static void a_timer_past_the_clock_is_reported(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--",
                              PTYBOT_HOSTS_DIR "/static_sleeper", "timer"),
                     0);
    test_stage_said(stage, "\nnot held: no process of the driver loaded the clock library; it ran");
    // The shell has loaded it.
    static const char *const lines[] = {
        "\"$0\" timer & sleep 5; kill $! || :",
        "sh -c '\"$0\" timer; sleep 1' \"$0\" & exec sleep 1",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        int code = TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--", "sh", "-c",
                            lines[i], PTYBOT_HOSTS_DIR "/static_sleeper");
        test_stage_said(stage, "\nnot held: static_sleeper (process ");
        test_stage_said(stage, ") did not load the clock library; it ran");
        test_stage_said(stage, ") did not load the clock library, so its clock and its timers ");
        assert_int_equal(code, 0);
    }
}

/* A server outside the command: this program. Returns its socket. */
static int serve(int family, const char *path, unsigned *port)
{
    struct sockaddr_in tcp = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    snprintf(local.sun_path, sizeof local.sun_path, "%s", path);
    bool is_tcp = family == AF_INET;
    socklen_t size = is_tcp ? sizeof tcp : sizeof local;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, is_tcp ? (struct sockaddr *)&tcp : (struct sockaddr *)&local, size),
                     0);
    assert_int_equal(listen(fd, 8), 0);
    if (is_tcp)
        assert_int_equal(getsockname(fd, (struct sockaddr *)&tcp, &size), 0);
    *port = ntohs(tcp.sin_port);
    return fd;
}

static void who_talks_to_somebody_outside_is_reported(void **state)
{
    struct stage *stage = *state;
    unsigned port, none;
    char path[FOLDER_PATH_MAX], code[2 * FOLDER_PATH_MAX], said[2 * FOLDER_PATH_MAX];
    if (access(python, X_OK) != 0)
        skip();
    int tcp = serve(AF_INET, "", &port);
    int local = serve(AF_UNIX, folder_path(&stage->folder, "server", path), &none);
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    snprintf(code, sizeof code,
             "import socket, time\n"
             "one = socket.create_connection(('127.0.0.1', %u))\n"
             "other = socket.socket(socket.AF_UNIX); other.connect('%s')\n"
             "time.sleep(3)",
             port, path);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--junit",
                              "j.xml", "--", python, "-c", code),
                     0);
    close(tcp);
    close(local);
    snprintf(said, sizeof said,
             ") talked to 127.0.0.1:%u, outside of the driver command. Simulated time ", port);
    test_stage_said(stage, said);
    snprintf(said, sizeof said,
             ") talked to %s (test_e2e_held, process %d), outside of the driver ", path,
             (int)getpid());
    test_stage_said(stage, said);
    test_stage_said(stage, "\nnot held: python3");
    test_stage_said(stage, "passed: 2 of 2, 2 warnings; ");
    test_stage_junit(stage, "j.xml", "1 suites, 2 cases, 0 failures, 0 errors");
    junit_has(stage, "time.held\" value=\"no\"");
    junit_has(stage, "machine.warning\" value=\"python3");
}

/* A question and its answer without a pause: simulated time cannot advance in between. */
static void a_short_talk_to_somebody_outside_is_reported(void **state)
{
    struct stage *stage = *state;
    unsigned port;
    char code[512], byte;
    if (access(python, X_OK) != 0)
        skip();
    int server = serve(AF_INET, "", &port);
    pid_t child = fork();
    if (child == 0) {
        int fd = accept(server, NULL, NULL);
        bool is_asked = read(fd, &byte, 1) == 1 && write(fd, "a", 1) == 1;
        _exit(is_asked ? 0 : 1);
    }
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    snprintf(code, sizeof code,
             "import socket, time\n"
             "time.sleep(0.01)\n" // after which ptybot polls
             "with socket.create_connection(('127.0.0.1', %u)) as one:\n"
             "    one.send(b'q'); one.recv(1)\n",
             port);
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--", python, "-c", code), 0);
    close(server);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    test_stage_said(stage, "\nnot held: python3");
}

/* Servers inside the command, even one that has closed meanwhile, the robot's port and the control
 * socket are not external. And no byte waits for the 40 ms of the kernel (tcp(7), TCP_NODELAY). */
static void who_talks_inside_is_held(void **state)
{
    struct stage *stage = *state;
    static const char code[] =
        "import os, socket, time\n"
        "server, local = socket.create_server(('', 0)), socket.socket(socket.AF_UNIX)\n"
        "local.bind('inside'); local.listen()\n"
        "if os.fork() == 0:\n"
        "    a, b = server.accept(), local.accept(); time.sleep(3); os._exit(0)\n"
        "name, port = os.environ['PTYBOT_PORT_KOBUKI'].rsplit(':', 1)\n"
        "robot = socket.create_connection((name, int(port)))\n"
        "one = socket.create_connection(('127.0.0.1', server.getsockname()[1]))\n"
        "waits = socket.create_connection(('127.0.0.1', server.getsockname()[1]))\n"
        "other = socket.socket(socket.AF_UNIX); other.connect('inside')\n"
        "control = socket.socket(socket.AF_UNIX); control.connect(os.environ['PTYBOT_CONTROL'])\n"
        "short = socket.create_server(('127.0.0.1', 0))\n"
        "left = socket.create_connection(short.getsockname())\n"
        "end = short.accept()[0]; end.setsockopt(6, socket.TCP_NODELAY, 0)\n"
        "assert all(s.getsockopt(6, socket.TCP_NODELAY) for s in (robot, one, left, end))\n"
        "end.close(); short.close()\n"
        "time.sleep(2)";
    if (access(python, X_OK) != 0)
        skip();
    folder_write(&stage->folder, "s.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 10, y: 10},\n"
                 "          links: [{tcp: auto}]}]\n"
                 "expect: [{that: world.time_s >= 0, at_end: true}]\n");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--warp", "max", "--junit", "j.xml", "--", python, "-c", code),
        0);
    test_stage_said(stage, "\nheld: ");
    test_stage_junit(stage, "j.xml", "1 suites, 2 cases, 0 failures, 0 errors");
    junit_has(stage, "time.held\" value=\"yes\"");
    junit_has(stage, "time.speed\" value=\"");
    junit_lacks(stage, "machine.warning");
}

static void off_is_real_time(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", HEARD, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "off", "--", "sh", "-c",
                              HELLO "test -z \"$PTYBOT_WARP\""),
                     0);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "fast", "--", "true"), 2);
    test_stage_said(stage, "or max, or off");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_timer_that_is_set_as_it_expires_is_not_lost),
        TEST_STAGED(two_hosts_on_two_robots_are_the_same_in_each_test),
        TEST_STAGED(two_hosts_on_two_robots_are_the_same_in_each_run),
        TEST_STAGED(a_number_of_a_process_that_begins_anew_changes_nothing),
        TEST_STAGED(the_command_behind_the_dashes_ends_a_test_and_a_failure_does),
        TEST_STAGED(a_run_takes_its_hosts_and_its_end_from_them),
        TEST_STAGED(a_host_in_a_pid_namespace_is_held),
        TEST_STAGED(two_of_the_same_number_are_told_apart),
        TEST_STAGED(a_process_outside_that_takes_the_clock_is_reported),
        TEST_STAGED(a_ceiling_changes_nothing_but_the_speed),
        TEST_STAGED(who_reads_seldom_but_all_is_not_accused),
        TEST_STAGED(a_driver_that_ends_at_once_has_a_finite_speed),
        TEST_STAGED(a_wait_takes_at_least_50_us),
        TEST_STAGED(no_limit_without_a_driver_is_reported),
        TEST_STAGED(who_waits_past_the_clock_is_reported),
        TEST_STAGED(a_timer_past_the_clock_is_reported),
        TEST_STAGED(threads_that_run_at_the_same_time_are_reported),
        TEST_STAGED(processes_that_run_at_the_same_time_are_reported),
        TEST_STAGED(a_reader_by_stdio_runs_at_the_same_time),
        TEST_STAGED(a_debugger_inside_the_command_gets_its_turn),
        TEST_STAGED(a_program_in_go_is_reported),
        TEST_STAGED(who_talks_to_somebody_outside_is_reported),
        TEST_STAGED(who_talks_inside_is_held),
        TEST_STAGED(a_short_talk_to_somebody_outside_is_reported),
        TEST_STAGED(off_is_real_time),
    };
    /* They differ only in the driver, which has no sanitizer. */
    const struct CMUnitTest more[] = {
        TEST_STAGED(who_spins_is_charged_and_told),
        TEST_STAGED(a_poll_that_finds_no_bytes_takes_time),
        TEST_STAGED(who_begins_to_wait_while_another_spins_is_woken),
    };
    return SAMPLE_RUN(tests, more);
}
