/* `ptybot test --warp max`: the same bytes at the same microsecond in each run, for drivers that
 * wait in many ways, however busy the machine is. PTYBOT_HELD_RUNS: number of runs of each driver
 * (2); it also enables tests that are slow or need more packages. Each driver then runs as often
 * again at the same time as twenty programs that never wait (./dev nightly held: 50).
 * PTYBOT_HELD_LOAD: only the idle or only the busy half. An argument selects tests by a pattern of
 * their names. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/host_libraries.h"
#include "tests/support/sample.h"
#include "tests/support/test_stage.h"

#define HOSTS PTYBOT_SOURCE_DIR "/tests/hosts"

static const char python[] = "/usr/bin/python3";
static const char dock_scene[] = PTYBOT_SOURCE_DIR "/scenes/kobuki_dock.yaml";
static const char dock_host[] = PTYBOT_HOSTS_DIR "/kobuki_dock";

static int runs(void)
{
    const char *text = getenv("PTYBOT_HELD_RUNS");
    int count = text ? atoi(text) : 0;
    return count > 0 ? count : 2;
}

static bool is_whole(void)
{
    return getenv("PTYBOT_HELD_RUNS") != NULL;
}

/* By day: only the first DAYS of WAYS that wait by the same calls of the C library; ./dev nightly
 * test and held run all of them. */
static const char *const *end_of(const char *const *ways, int days)
{
    const char *const *end = ways;
    while (*end && (is_whole() || sample_is_whole() || end < ways + days))
        end++;
    return end;
}

/* Whether to run that half. */
static bool is_wanted(const char *load)
{
    const char *only = getenv("PTYBOT_HELD_LOAD");
    return !only || strcmp(only, load) == 0;
}

/* ---- A busy machine ---- */

enum { BUSY_MAX = 20 };
static pid_t busy[BUSY_MAX]; /* 0: none */

static void start_busy(int count)
{
    for (int i = 0; i < count; i++) {
        busy[i] = fork();
        if (busy[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            /* Next to programs of low priority, the kernel's worker may deliver no byte for a long
             * time. */
            if (i % 2 == 0)
                setpriority(PRIO_PROCESS, 0, 19);
            for (volatile unsigned long loops = 0;; loops++)
                ;
        }
    }
}

static void end_busy(void)
{
    for (int i = 0; i < BUSY_MAX; i++)
        if (busy[i] > 0) {
            kill(busy[i], SIGKILL);
            waitpid(busy[i], NULL, 0);
            busy[i] = 0;
        }
}

static int same_teardown(void **state)
{
    end_busy();
    return stage_teardown(state);
}

/* ---- Comparison ---- */

/* Runs a scene with a driver, and returns its journal, which contains every byte and its time. The
 * caller frees it. */
static char *journal_of(struct stage *stage, const char *scene, const char *const host[])
{
    const char *words[20] = {scene, "--warp", "max", "--journal", "j", "--"};
    for (size_t i = 0; host[i]; i++)
        words[6 + i] = host[i];
    test_stage_start(stage, words);
    int code = program_wait(&stage->ptybot);
    test_stage_said(stage, "passed: ");
    assert_int_equal(code, 0);
    test_stage_nothing_left(stage);
    return folder_read(&stage->folder, "j");
}

/* Keeps only the lines with bytes of the driver. */
static void keep_bytes(char *journal)
{
    char *to = journal;
    for (char *line = strtok(journal, "\n"); line; line = strtok(NULL, "\n")) {
        size_t size = strlen(line);
        if (!strstr(line, " bytes "))
            continue;
        memmove(to, line, size);
        to[size] = '\n';
        to += size + 1;
    }
    *to = '\0';
}

struct trial {
    const char *scene;
    const char *const *host;
    bool ends_spinning; /* so its end is not held, but everything that it sent before is */
    bool may_stray; /* one of three runs may differ, but not in nightly runs: one of several hundred
                       starts of a Java virtual machine did (docs/explanation/proof.md) */
};

static char *trial_run(struct stage *stage, const struct trial *trial)
{
    char *journal = journal_of(stage, trial->scene, trial->host);
    if (trial->ends_spinning)
        keep_bytes(journal);
    else
        test_stage_said(stage, "\nheld: simulated time waited for the driver");
    assert_non_null(strstr(journal, " bytes "));
    return journal;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The words that distinguish a driver from the others. */
static const char *trial_name(const struct trial *trial, char *out, size_t size)
{
    size_t used = 0;
    for (const char *const *word = trial->host; *word && used < size; word++) {
        const char *slash = strrchr(*word, '/');
        const char *base = slash ? slash + 1 : *word;
        bool is_plain = !strchr(base, ' ') && *base != '-' && !strchr(base, '=');
        if (is_plain && strcmp(base, "sh") != 0 && strcmp(base, "env") != 0)
            used += (size_t)snprintf(out + used, size - used, "%s ", base);
    }
    snprintf(out + (used < size ? used : 0), size - (used < size ? used : 0), "(%s)", trial->scene);
    return out;
}

/* Reports the first difference between two journals. */
static void report_difference(const char *first, const char *second)
{
    while (*first && strncmp(first, second, strcspn(first, "\n") + 1) == 0) {
        second += strcspn(first, "\n") + 1;
        first += strcspn(first, "\n") + 1;
    }
    print_message("was: %.*s\nis:  %.*s\n", (int)strcspn(first, "\n"), first,
                  (int)strcspn(second, "\n"), second);
}

/* Whether OTHER, or FIRST, is the only one of three that differs. */
static bool is_stray(struct stage *stage, const struct trial *trial, const char *first,
                     const char *other)
{
    if (!trial->may_stray || is_whole())
        return false;
    char *third = trial_run(stage, trial);
    bool is_equal = strcmp(third, first) == 0 || strcmp(third, other) == 0;
    free(third);
    return is_equal;
}

/* Runs it until COUNT runs are done; DONE are done already. Prints how many were equal. */
static void repeat(struct stage *stage, const struct trial *trial, const char *first, int done,
                   int count)
{
    char name[160];
    const char *where = busy[0] ? ", beside 20 busy programs" : "";
    double start_s = now_s();
    trial_name(trial, name, sizeof name);
    for (int i = done; i < count; i++) {
        char *other = trial_run(stage, trial);
        if (strcmp(first, other) != 0) {
            report_difference(first, other);
            if (!is_stray(stage, trial, first, other))
                fail_msg("%s: run %d of %d is another one%s", name, i + 1, count, where);
        }
        free(other);
    }
    if (is_whole())
        print_message("%s: %d of %d equal%s, %.1f s\n", name, count, count, where,
                      now_s() - start_s);
}

static void check_trial(struct stage *stage, const struct trial *trial)
{
    char *first = trial_run(stage, trial);
    if (is_wanted("idle"))
        repeat(stage, trial, first, 1, runs());
    if (is_whole() && is_wanted("busy")) {
        start_busy(BUSY_MAX);
        repeat(stage, trial, first, 0, runs());
        end_busy();
    }
    free(first);
}

static void check_same(struct stage *stage, const char *scene, const char *const host[])
{
    check_trial(stage, &(struct trial){.scene = scene, .host = host});
}

static void check_ways(struct stage *stage, const char *scene, const char *const *ways)
{
    for (; *ways; ways++)
        check_same(stage, scene,
                   (const char *const[]){"sh", "-c", "exec \"$0\" $1 $PTYBOT_PORT_KOBUKI",
                                         PTYBOT_HOSTS_DIR "/held_host", *ways, NULL});
}

static void write_scenes(const struct stage *stage)
{
    test_stage_scene(stage, "s.yaml", HEARD, "");
    folder_write(&stage->folder, "tcp.yaml",
                 "seed: 1\n"
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots:\n"
                 "  - {name: kobuki, type: kobuki, pose: {x: 10, y: 10}, links: [{tcp: auto}]}\n"
                 "expect: [" HEARD "]\n");
}

static int same_setup(void **state)
{
    int result = test_stage_setup(state);
    if (result == 0)
        write_scenes(*state);
    return result;
}

/* ---- In C ---- */

static void drivers_that_wait_in_one_thread(void **state)
{
    check_ways(
        *state, "s.yaml",
        (const char *const[]){"poll", "select", "timerfd", "sleeping", "vtime", "alarm", NULL});
}

static void drivers_of_threads_and_processes(void **state)
{
    check_ways(*state, "s.yaml",
               (const char *const[]){"condition", "semaphore", "mutex", "pipe", "sharing",
                                     "looking", NULL});
    // Each child ends at a time when ptybot must notice that its parent continues.
    check_same(
        *state, "s.yaml",
        (const char *const[]){
            "sh", "-c",
            "exec 3<>$PTYBOT_PORT_KOBUKI; stty raw -echo 115200 <&3; cat <&3 >/dev/null & i=0\n"
            "while [ $i -lt $0 ]; do sleep 0.01; i=$((i + 1)); done\n"
            "printf '\\252\\125\\006\\001\\004\\310\\000\\000\\000\\313' >&3\n"
            "kill $!",
            is_whole() || sample_is_whole() ? "150" : "40", NULL});
}

static void drivers_over_tcp(void **state)
{
    check_ways(*state, "tcp.yaml",
               (const char *const[]){"poll", "timeout", "timerfd", "condition", "pipe", NULL});
}

static void a_driver_that_never_waits(void **state)
{
    if (!is_whole())
        skip(); /* a hundred times slower than the others */
    check_ways(*state, "s.yaml", (const char *const[]){"asking", "no_vmin", "asking_first", NULL});
}

/* The process that does the work is not a child of the command any more. */
static void a_driver_that_has_forked_away(void **state)
{
    check_same(*state, "s.yaml",
               (const char *const[]){"sh", "-c",
                                     "(setsid \"$0\" $1 $PTYBOT_PORT_KOBUKI &); sleep 4",
                                     PTYBOT_HOSTS_DIR "/held_host", "poll", NULL});
    // A process that is ended together with the command ends by real time.
    free(journal_of(*state, "s.yaml",
                    (const char *const[]){"sh", "-c",
                                          "(setsid \"$0\" $1 $PTYBOT_PORT_KOBUKI &); sleep 1",
                                          PTYBOT_HOSTS_DIR "/held_host", "poll", NULL}));
    test_stage_said(*state, "processes that it had started were still running and were killed");
}

/* Threads that are woken together, in the ways of the standard libraries of C++ and Rust. */
static void drivers_whose_threads_race(void **state)
{
    static const char *const ways[] = {"broadcast", "barrier",      "timed_mutex", "pool",
                                       "atomic",    "latch",        "semaphore",   "future",
                                       "strand",    "shared_mutex", "event_loop",  NULL};
    if (access(PTYBOT_HOSTS_DIR "/threads_host", X_OK) != 0)
        skip(); /* no compiler */
    for (const char *const *way = ways; way < end_of(ways, 5); way++)
        check_same(*state, "s.yaml",
                   (const char *const[]){"sh", "-c", "exec \"$0\" $1 $PTYBOT_PORT_KOBUKI",
                                         PTYBOT_HOSTS_DIR "/threads_host", *way, NULL});
}

static void a_driver_with_channels_of_rust(void **state)
{
    if (access(PTYBOT_HOSTS_DIR "/channels_host", X_OK) != 0)
        skip(); /* no compiler */
    check_same(*state, "s.yaml",
               (const char *const[]){"sh", "-c",
                                     "stty raw -echo 115200 <$PTYBOT_PORT_KOBUKI; "
                                     "exec \"$0\" $PTYBOT_PORT_KOBUKI",
                                     PTYBOT_HOSTS_DIR "/channels_host", NULL});
}

/* The tests of the clock shim as a driver: each wait that it covers ends at its exact
 * nanosecond. */
static void each_wait_ends_at_its_nanosecond(void **state)
{
    struct stage *stage = *state;
    static const char *const hosts[] = {PTYBOT_CLOCK_WAITS, PTYBOT_CLOCK_THREADS};
    test_stage_scene(stage, "now.yaml", "{that: world.time_s >= 57, at_end: true}", "");
    const int count = is_whole() || sample_is_whole() ? 2 * runs() : 2;
    for (int i = 0; i < count && is_wanted("idle"); i++) {
        int code =
            TEST_RUN(stage, "now.yaml", "--start", "now", "--warp", "max", "--", hosts[i % 2]);
        test_stage_said(stage, "\nheld: ");
        assert_int_equal(code, 0);
    }
}

/* If many threads sleep, a proof does not read them, and still each receives its signals
 * immediately. */
static void crowds_hear_signals_at_the_same_microsecond(void **state)
{
    struct stage *stage = *state;
    static const char *const ways[] = {"kill",  "queue", "tgkill", "cancel",   "user", "alarm",
                                       "child", "exec",  "first",  "children", NULL};
    static const char *const threads[] = {"60", "8"};
    test_stage_scene(stage, "now.yaml", "{that: world.time_s > 0.04, at_end: true}", "");
    const int sizes = is_whole() || sample_is_whole() ? 2 : 1;
    for (int i = 0; ways[i / sizes] && is_wanted("idle"); i++) {
        char *first = NULL;
        for (int run = 0; run < runs(); run++) {
            int code =
                TEST_RUN(stage, "now.yaml", "--start", "now", "--warp", "max", "--out", "out", "--",
                         PTYBOT_HOSTS_DIR "/held_crowd", ways[i / sizes], threads[i % sizes]);
            char *log = folder_read(&stage->folder, "out/host.log");
            if (code != 0 || (first && strcmp(first, log) != 0))
                print_message("%s of %s:\n%s", ways[i / sizes], threads[i % sizes], log);
            test_stage_said(stage, "\nheld: ");
            assert_int_equal(code, 0);
            assert_string_equal(first ? first : log, log);
            free(first);
            first = log;
        }
        free(first);
    }
}

/* ---- In Python, JavaScript and Java ---- */

static void drivers_in_python(void **state)
{
    static const char *const ways[] = {"select", "queue",     "child", "asyncio",
                                       "event",  "condition", NULL};
    if (access(python, X_OK) != 0)
        skip();
    for (const char *const *way = ways; way < end_of(ways, 3); way++)
        check_same(*state, "s.yaml",
                   (const char *const[]){python, "-s", HOSTS "/held_host.py", *way, NULL});
    check_same(*state, "tcp.yaml",
               (const char *const[]){python, "-s", HOSTS "/held_host.py", "asyncio", NULL});
}

static void a_driver_on_pyserial(void **state)
{
    need_python_with_pyserial(*state);
    check_same(*state, "s.yaml",
               (const char *const[]){python, "-s", "-u", HOSTS "/kobuki_timed.py", NULL});
}

static void drivers_of_node(void **state)
{
    static const char *const ways[] = {"workers", "net", "tty", NULL};
    need_node(*state);
    for (const char *const *way = ways; way < end_of(ways, 2); way++)
        check_same(*state, strcmp(*way, "net") == 0 ? "tcp.yaml" : "s.yaml",
                   (const char *const[]){"env", "node", HOSTS "/held_host.js", *way, NULL});
}

static void a_driver_on_serialport_of_node(void **state)
{
    char setting[FOLDER_PATH_MAX];
    need_node_with_serialport(*state, setting);
    check_same(
        *state, "s.yaml",
        (const char *const[]){"env", setting, "node", HOSTS "/held_host.js", "serialport", NULL});
}

static void drivers_on_jssc(void **state)
{
    static const char *const ways[] = {"read", "event", NULL};
    need_jssc(*state);
    for (const char *const *way = ways; *way; way++)
        if (is_whole() || way == ways) { // a Java virtual machine starts slowly
            const char *const host[] = {"sh",
                                        "-c",
                                        "exec java -cp " JSSC_CLASSES
                                        " bsh.Interpreter \"$0\" $1 $PTYBOT_PORT_KOBUKI",
                                        HOSTS "/held_host.bsh",
                                        *way,
                                        NULL};
            check_trial(*state,
                        &(struct trial){.scene = "s.yaml", .host = host, .may_stray = true});
        }
}

/* Two nodes with all their dependencies, under one roslaunch. They spin when they end. */
static void nodes_of_ros(void **state)
{
    struct stage *stage = *state;
    char home[FOLDER_PATH_MAX], setting[FOLDER_PATH_MAX + 16], log[FOLDER_PATH_MAX + 16], port[16];
    if (!is_whole())
        skip();
    need_ros(stage);
    folder_path(&stage->folder, "ros", home); // its files must not be left in tmp
    snprintf(setting, sizeof setting, "ROS_HOME=%s", home);
    snprintf(log, sizeof log, "ROS_LOG_DIR=%s", home);
    snprintf(port, sizeof port, "%d", 20000 + (int)getpid() % 10000);
    const char *const host[] = {"env",
                                "ROS_IP=127.0.0.1",
                                "ROS_PACKAGE_PATH=" HOSTS "/ros",
                                setting,
                                log,
                                "roslaunch",
                                "-p",
                                port,
                                "held",
                                "held.launch",
                                NULL};
    check_trial(stage, &(struct trial){"s.yaml", host, .ends_spinning = true});
}

/* ---- A busy machine, and several drivers at once ---- */

static const char *const docking[] = {"sh", "-c", "exec \"$0\" $PTYBOT_PORT_KOBUKI", dock_host,
                                      NULL};

/* Not by day: the busy programs use a processor each. ./dev nightly test, and with twenty of them
 * ./dev nightly held. */
static void load_changes_nothing(void **state)
{
    struct stage *stage = *state;
    if (!is_whole() && !sample_is_whole())
        skip();
    char *idle = journal_of(stage, dock_scene, docking);
    start_busy(6);
    char *loaded = journal_of(stage, dock_scene, docking);
    end_busy();
    test_stage_said(stage, "\nheld: ");
    char *said = program_out(&stage->ptybot);
    assert_null(strstr(said, "did not read"));
    assert_null(strstr(said, "frames were lost"));
    free(said);
    assert_string_equal(idle, loaded);
    free(idle);
    free(loaded);
}

enum { AT_ONCE = 8, ROUNDS = 20 };

static void eight_at_once_are_the_same(void **state)
{
    struct stage *stage = *state;
    struct program all[AT_ONCE] = {0};
    char *first = is_whole() ? journal_of(stage, dock_scene, docking) : NULL;
    if (!first)
        skip();
    for (int round = 0; round < ROUNDS; round++) {
        char name[AT_ONCE][16];
        for (int i = 0; i < AT_ONCE; i++) {
            snprintf(name[i], sizeof name[i], "j%d", i);
            const char *const words[] = {
                PTYBOT_BINARY, "test",     dock_scene, "--warp",   "max",      "--journal", name[i],
                "--",          docking[0], docking[1], docking[2], docking[3], NULL};
            program_start(&all[i], &stage->folder, name[i], words, 0);
        }
        for (int i = 0; i < AT_ONCE; i++) {
            assert_int_equal(program_wait(&all[i]), 0);
            char *other = folder_read(&stage->folder, name[i]);
            check_same_lines(first, other);
            free(other);
        }
    }
    print_message("eight dockings at once: %d of %d equal\n", AT_ONCE * ROUNDS, AT_ONCE * ROUNDS);
    free(first);
}

/* More than a hundred dockings with eight seeds: none fails because the machine is busy. */
static void a_good_driver_never_fails_on_a_busy_machine(void **state)
{
    struct stage *stage = *state;
    double idle_s = 0, start_s = now_s();
    if (!is_whole())
        skip();
    for (int round = 0; round < 14; round++) {
        if (round == 1) {
            idle_s = now_s() - start_s;
            start_busy(BUSY_MAX);
            start_s = now_s();
        }
        int code = TEST_RUN(stage, dock_scene, "--warp", "max", "--seeds", "1..8", "--", "sh", "-c",
                            docking[2], dock_host);
        test_stage_said(stage, "8 of 8");
        assert_int_equal(code, 0);
    }
    end_busy();
    print_message("8 of 8 dockings passed, %.2f s each; beside %d busy programs 104 of 104, %.2f s "
                  "each\n",
                  idle_s / 8, BUSY_MAX, (now_s() - start_s) / 13 / 8);
}

#define TEST_SAME(test) cmocka_unit_test_setup_teardown(test, same_setup, same_teardown)

int main(int count, char **words)
{
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    const struct CMUnitTest tests[] = {
        TEST_SAME(drivers_that_wait_in_one_thread),
        TEST_SAME(drivers_of_threads_and_processes),
        TEST_SAME(drivers_over_tcp),
        TEST_SAME(drivers_whose_threads_race),
        TEST_SAME(a_driver_with_channels_of_rust),
        TEST_SAME(a_driver_that_never_waits),
        TEST_SAME(a_driver_that_has_forked_away),
        TEST_SAME(each_wait_ends_at_its_nanosecond),
        TEST_SAME(crowds_hear_signals_at_the_same_microsecond),
        TEST_SAME(drivers_in_python),
        TEST_SAME(a_driver_on_pyserial),
        TEST_SAME(drivers_of_node),
        TEST_SAME(a_driver_on_serialport_of_node),
        TEST_SAME(drivers_on_jssc),
        TEST_SAME(nodes_of_ros),
        TEST_SAME(load_changes_nothing),
        TEST_SAME(eight_at_once_are_the_same),
        TEST_SAME(a_good_driver_never_fails_on_a_busy_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
