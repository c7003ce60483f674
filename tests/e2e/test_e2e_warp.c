/* `ptybot test --warp`: drivers in C, Python and JavaScript whose clocks run as fast as the
 * simulation. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/host_libraries.h"
#include "tests/support/sample.h"
#include "tests/support/test_stage.h"

static const char python[] = "/usr/bin/python3";
static const char timed_host[] = PTYBOT_SOURCE_DIR "/tests/hosts/kobuki_timed.py";
static const char python_host[] = PTYBOT_SOURCE_DIR "/tests/hosts/kobuki_drive_pyserial.py";
static const char node_host[] = PTYBOT_SOURCE_DIR "/tests/hosts/kobuki_drive_node.js";

/* It drives about half a meter. */
#define DROVE                                                                                      \
    "{that: kobuki.x_m > 10.3 and kobuki.x_m < 10.75, at_end: true}, "                             \
    "{that: kobuki.uart.bad_frames == 0, at_end: true}"

/* Runs a test that must pass completely. Virtual time: fast, and independent of the load of the
 * machine. */
#define CHECK_PASSES(stage, ...)                                                                   \
    do {                                                                                           \
        int code_ = TEST_RUN(stage, __VA_ARGS__);                                                  \
        test_stage_said(stage, "passed: ");                                                        \
        assert_int_equal(code_, 0);                                                                \
        test_stage_nothing_left(stage);                                                            \
        test_stage_said(stage, "\nheld: ");                                                        \
    } while (0)

/* The number after TEXT in the output. */
static double number_after(const struct stage *stage, const char *text)
{
    char *out = program_out(&stage->ptybot);
    const char *at = strstr(out, text);
    if (!at)
        fail_msg("'%s' is not in:\n%s", text, out);
    double number = at ? strtod(at + strlen(text), NULL) : 0;
    free(out);
    return number;
}

/* ---- Drivers ---- */

static void a_host_that_lives_by_its_own_clock_drives_as_far_as_ever(void **state)
{
    struct stage *stage = *state;
    static const char *const warps[] = {"1", "4", "10"};
    need_python_with_pyserial(stage);
    test_stage_scene(stage, "s.yaml", DROVE, "");
    for (size_t i = 0; i < 3; i++)
        CHECK_PASSES(stage, "s.yaml", "--warp", warps[i], "--", python, timed_host);
    /* In a simulation that is faster than its clock it drives too far, which --warp prevents. */
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--speed", "10", "--", python, timed_host), 1);
}

static void a_host_on_pyserial_passes(void **state)
{
    struct stage *stage = *state;
    need_python_with_pyserial(stage);
    test_stage_scene(stage, "s.yaml", DROVE, "");
    CHECK_PASSES(stage, "s.yaml", "--warp", "10", "--", python, python_host);
}

static void a_host_on_libserialport_passes(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", DROVE, "");
    CHECK_PASSES(stage, "s.yaml", "--warp", "10", "--", "sh", "-c",
                 "exec \"$0\" $PTYBOT_PORT_KOBUKI 200", PTYBOT_HOSTS_DIR "/kobuki_serialport");
}

static void a_host_on_serialport_of_node_passes(void **state)
{
    struct stage *stage = *state;
    char setting[FOLDER_PATH_MAX];
    need_node_with_serialport(stage, setting);
    test_stage_scene(stage, "s.yaml", DROVE, "");
    CHECK_PASSES(stage, "s.yaml", "--warp", "10", "--", "env", setting, "node", node_host);
}

/* Many short requests and answers by the driver's own clock. */
static void a_host_that_polls_by_its_own_clock_passes(void **state)
{
    struct stage *stage = *state;
    CHECK_PASSES(stage, PTYBOT_SOURCE_DIR "/scenes/diff_board_apollo.yaml", "--warp", "4", "--",
                 "sh", "-c", "exec \"$0\" $PTYBOT_PORT_PIBOT --seconds 8 --timeout 10000",
                 PTYBOT_HOSTS_DIR "/diff_board_poll");
}

static void a_host_docks(void **state)
{
    struct stage *stage = *state;
    for (int i = 0; i < 2; i++) {
        CHECK_PASSES(stage, PTYBOT_SOURCE_DIR "/scenes/kobuki_dock.yaml", "--warp", "10", "--",
                     "sh", "-c", "exec \"$0\" $PTYBOT_PORT_KOBUKI",
                     PTYBOT_HOSTS_DIR "/kobuki_dock");
        // A busy machine runs slower than the limit.
        assert_true(number_after(stage, " driver and ran ") < 11);
    }
}

/* ---- Waits of programs ---- */

/* The driver waited this long by its clock, and confirmed it. By the machine's clock it was less,
 * although a busy machine needs long to start it. If the simulation falls behind, which ptybot then
 * reports, the difference depends on the machine. */
static void check_slept(const struct stage *stage, int code, double asleep_s)
{
    char *out = program_out(&stage->ptybot);
    if (code != 0)
        fail_msg("exit code %d:\n%s", code, out);
    bool is_slow = strstr(out, "warning: could not keep") != NULL;
    free(out);
    assert_true(is_slow || number_after(stage, "exited with 0 after ") < asleep_s);
}

static void python_waits_in_warped_time(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    check_slept(stage,
                TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "50", "--", python, "-c",
                         "import asyncio, queue, select, socket, subprocess, sys\n"
                         "import threading, time\n"
                         "def condition():\n"
                         "    c = threading.Condition()\n"
                         "    with c: c.wait(10)\n"
                         "def empty():\n"
                         "    try: queue.Queue().get(timeout=10)\n"
                         "    except queue.Empty: pass\n"
                         "def deaf():\n"
                         "    s = socket.socketpair(); s[0].settimeout(10)\n"
                         "    try: s[0].recv(1)\n"
                         "    except TimeoutError: pass\n"
                         "def child():\n"
                         "    try: subprocess.run(['sleep', '1000'], timeout=10)\n"
                         "    except subprocess.TimeoutExpired: pass\n"
                         "for wait in (lambda: time.sleep(10), condition, empty, deaf,\n"
                         "             lambda: threading.Event().wait(10), child,\n"
                         "             lambda: select.select([], [], [], 10),\n"
                         "             lambda: select.poll().poll(10000),\n"
                         "             lambda: select.epoll().poll(10),\n"
                         "             lambda: asyncio.run(asyncio.sleep(10)),\n"
                         "             lambda: subprocess.run(['sleep', '10'])):\n"
                         "    start, date = time.monotonic(), time.time()\n"
                         "    wait()\n"
                         "    if time.monotonic() - start < 9.99: sys.exit('too short')\n"
                         "    if time.time() - date < 9.99: sys.exit('too short a date')\n"),
                110);
}

/* Its timers count from its last read of the clock, some real milliseconds before. */
static void node_waits_in_warped_time(void **state)
{
    struct stage *stage = *state;
    need_node(stage);
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    check_slept(
        stage,
        TEST_RUN(
            stage, "s.yaml", "--start", "now", "--warp", "20", "--", "node", "-e",
            "const start = performance.now(), date = Date.now();\n"
            "const check = () => { if (performance.now() - start < 28000 ||\n"
            "                          Date.now() - date < 28000) process.exit(1); };\n"
            "setTimeout(check, 30000);\n"
            "let ticks = 0;\n"
            "const timer = setInterval(() => { if (++ticks == 10) clearInterval(timer); }, 3000);\n"
            "const box = new Int32Array(new SharedArrayBuffer(4));\n"
            "Atomics.wait(box, 0, 0, 10000);\n"
            "require('child_process').execSync('sleep 10');\n"),
        30);
}

/* The timer of `timeout` is in the kernel: if the simulation falls behind it ends early. */
static void a_shell_and_its_children_wait_in_warped_time(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    check_slept(stage,
                TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "50", "--", "bash", "-c",
                         "start=$EPOCHSECONDS; sleep 10; read -t 10 <> <(:); (sleep 10); "
                         "test $((EPOCHSECONDS - start)) -ge 29 || exit 1; "
                         "timeout 10 sleep 1000; test $? = 124"),
                40);
}

/* ---- If /proc is hidden, ptybot cannot see whether the driver waits: its clock follows the
 * simulation ---- */

#define RUN_HIDDEN(stage, ...) run_hidden(stage, (const char *const[]){__VA_ARGS__, NULL})
static int run_hidden(struct stage *stage, const char *const words[])
{
    const char *all[24] = {PTYBOT_SOURCE_DIR "/tests/support/hidden_proc.sh",
                           PTYBOT_BINARY,
                           "test",
                           "s.yaml",
                           "--start",
                           "now"};
    for (size_t i = 0; words[i]; i++)
        all[6 + i] = words[i];
    int code = program_run(&stage->ptybot, &stage->folder, "test", all);
    if (code == 77 || PTYBOT_IS_SANITIZED) // the sanitizers need /proc
        skip();
    return code;
}

static void where_nobody_sees_the_host_its_clock_follows_the_world(void **state)
{
    struct stage *stage = *state;
    static const char hidden[] =
        "warning: simulated time cannot wait for the driver on this machine, so a busy machine may "
        "change the outcome: /proc does not list the threads";
    // The simulation may be PACER_LAG_MAX_NS behind the driver's clock when the driver ends.
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 10, at_end: true}", "");
    check_slept(stage, RUN_HIDDEN(stage, "--warp", "10", "--", "sleep", "10.3"), 10);
    test_stage_said(stage, hidden);
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 0.8, at_end: true}", "");
    assert_int_equal(RUN_HIDDEN(stage, "--", "sleep", "1"), 0);
    test_stage_said(stage, hidden);
    assert_int_equal(RUN_HIDDEN(stage, "--warp", "max", "--", "sleep", "1"), 0);
    test_stage_said(stage, "and --warp max runs at the speed of real time: /proc does not list");
    // By the machine's clock, the driver does not wait for a late simulation.
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 0, at_end: true}", "");
    assert_int_equal(RUN_HIDDEN(stage, "--warp", "off", "--", "sleep", "1"), 0);
    test_stage_not_said(stage, hidden);
}

static void a_world_that_cannot_keep_up_is_reported_and_no_failure(void **state)
{
    struct stage *stage = *state;
    char robots[FOLDER_TEXT_MAX / 2] = "";
    for (int i = 0, used = 0; i < 30; i++)
        used += snprintf(robots + used, sizeof robots - (size_t)used,
                         "  - {name: r%d, type: kobuki, pose: {x: %d, y: 1}}\n", i, i + 1);
    folder_write(&stage->folder, "s.yaml",
                 "world: {size: {x: 40, y: 20}}\nrobots:\n%s"
                 "expect: [{that: world.time_s > 10, at_end: true}]\n",
                 robots);
    assert_int_equal(RUN_HIDDEN(stage, "--warp", "1000", "--junit", "j.xml", "--", "sleep", "20"),
                     0);
    test_stage_said(stage, "warning: could not reach --warp 1000: the simulation ran ");
    test_stage_said(stage, "passed: 2 of 2, 2 warnings; ");
    assert_true(number_after(stage, "the simulation ran ") < 950);
    char *junit = folder_read(&stage->folder, "j.xml");
    assert_non_null(
        strstr(junit, "<property name=\"machine.warning\" value=\"could not reach --warp 1000"));
    free(junit);
}

/* ---- Messages ---- */

static void a_host_that_does_not_take_the_clock_is_reported(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "10", "--",
                              PTYBOT_HOSTS_DIR "/static_sleeper"),
                     0);
    test_stage_said(stage, "warning: no process of the driver loaded the clock library");
}

static void without_a_host_it_is_a_speed(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 20, within: 30}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "20"), 0);
    test_stage_ended(stage, "passed: 1 of 1", "20.0");
}

static void two_paces_are_refused(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 1, within: 30}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "20", "--speed", "2", "--", "true"), 2);
    test_stage_said(stage, "--warp sets the speed: leave out --speed");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "0", "--", "true"), 2);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "20", "--lockstep", "--", "true"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_host_on_pyserial_passes),
        TEST_STAGED(a_host_on_libserialport_passes),
        TEST_STAGED(a_host_that_polls_by_its_own_clock_passes),
        TEST_STAGED(a_shell_and_its_children_wait_in_warped_time),
        TEST_STAGED(where_nobody_sees_the_host_its_clock_follows_the_world),
        TEST_STAGED(a_host_that_does_not_take_the_clock_is_reported),
        TEST_STAGED(without_a_host_it_is_a_speed),
        TEST_STAGED(two_paces_are_refused),
    };
    /* They differ only in the driver, which has no sanitizer, and in the time. */
    const struct CMUnitTest more[] = {
        TEST_STAGED(a_world_that_cannot_keep_up_is_reported_and_no_failure),
        TEST_STAGED(a_host_docks),
        TEST_STAGED(a_host_that_lives_by_its_own_clock_drives_as_far_as_ever),
        TEST_STAGED(python_waits_in_warped_time),
        TEST_STAGED(node_waits_in_warped_time),
        TEST_STAGED(a_host_on_serialport_of_node_passes),
    };
    return SAMPLE_RUN(tests, more);
}
