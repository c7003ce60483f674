/* Drivers in C, Python and JavaScript, each with a popular serial library, under `ptybot test`:
 * they get the port from the environment and use no other feature of ptybot. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/host_libraries.h"
#include "tests/support/test_stage.h"

static const char python_host[] = PTYBOT_SOURCE_DIR "/tests/hosts/kobuki_drive_pyserial.py";
static const char node_host[] = PTYBOT_SOURCE_DIR "/tests/hosts/kobuki_drive_node.js";
static const char serialport_host[] = PTYBOT_HOSTS_DIR "/kobuki_serialport";

/* It drives half a meter, and the driver's output agrees with the robot's counters. */
#define DROVE                                                                                      \
    "{that: kobuki.x_m > 10.45 and kobuki.x_m < 10.65, within: 30}, "                              \
    "{that: kobuki.uart.bad_frames == 0, at_end: true}"

static void check_drove(struct stage *stage, int code)
{
    test_stage_said(stage, "passed: 4 of 4");
    assert_int_equal(code, 0);
    test_stage_junit(stage, "j.xml", "1 suites, 4 cases, 0 failures, 0 errors");
    test_stage_nothing_left(stage);
}

static void a_host_on_pyserial_passes(void **state)
{
    struct stage *stage = *state;
    need_python_with_pyserial(stage);
    test_stage_scene(stage, "s.yaml", DROVE, "");
    check_drove(stage, TEST_RUN(stage, "s.yaml", "--speed", "2", "--junit", "j.xml", "--",
                                "/usr/bin/python3", python_host));
}

static void a_host_on_libserialport_passes(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml",
                     "{that: kobuki.x_m > 10.3, within: 30}, "
                     "{that: kobuki.uart.bad_frames == 0, at_end: true}",
                     "");
    check_drove(stage, TEST_RUN(stage, "s.yaml", "--speed", "2", "--junit", "j.xml", "--", "sh",
                                "-c", "exec \"$0\" $PTYBOT_PORT_KOBUKI 200", serialport_host));
}

/* Writes the first code block of that language in a document to a file of the stage. */
static void write_example(const struct stage *stage, const char *language, const char *name)
{
    struct folder docs = {.path = PTYBOT_SOURCE_DIR "/docs/tutorials"};
    char fence[32];
    snprintf(fence, sizeof fence, "```%s\n", language);
    char *text = folder_read(&docs, "testing.md");
    char *code = strstr(text, fence);
    assert_non_null(code);
    code += strlen(fence);
    char *end = strstr(code, "```");
    assert_non_null(end);
    folder_write(&stage->folder, name, "%.*s", (int)(end - code), code);
    free(text);
}

static void the_example_of_the_document_passes(void **state)
{
    struct stage *stage = *state;
    need_python_with_pyserial(stage);
    write_example(stage, "yaml", "drive.yaml");
    write_example(stage, "python", "drive.py");
    check_drove(stage, TEST_RUN(stage, "drive.yaml", "--junit", "j.xml", "--", "/usr/bin/python3",
                                "drive.py"));
}

static void a_host_on_serialport_of_node_passes(void **state)
{
    struct stage *stage = *state;
    char setting[FOLDER_PATH_MAX];
    need_node_with_serialport(stage, setting);
    test_stage_scene(stage, "s.yaml", DROVE, "");
    check_drove(stage, TEST_RUN(stage, "s.yaml", "--speed", "2", "--junit", "j.xml", "--", "env",
                                setting, "node", node_host));
}

static void a_robot_on_tcp_is_reported_by_host_and_port(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "s.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 10, y: 10},\n"
                 "          links: [{tcp: auto}]}]\n"
                 "expect: [{that: kobuki.uart.frames == 1, at_end: true}]\n");
    int code = TEST_RUN(stage, "s.yaml", "--", "/usr/bin/python3", "-c",
                        "import os, socket\n"
                        "host, port = os.environ['PTYBOT_PORT_KOBUKI'].rsplit(':', 1)\n"
                        "with socket.create_connection((host, int(port))) as link:\n"
                        "    link.sendall(bytes.fromhex('aa55060104c8000000cb'))\n"
                        "    link.shutdown(socket.SHUT_WR)\n");
    test_stage_said(stage, "passed: 2 of 2");
    assert_int_equal(code, 0);
}

static void each_robot_and_each_channel_has_a_variable(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "s.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots:\n"
                 "  - {name: kobuki, type: kobuki, pose: {x: 10, y: 10}}\n"
                 "  - {name: my_cobot, type: cobot, pose: {x: 5, y: 5}, links: [\n"
                 "      {pty: deep/wired}, {pty: radio, channel: bluetooth}]}\n"
                 "expect: [{that: world.time_s >= 0, at_end: true}]\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--out", "out", "--", "sh", "-c",
                              "env | grep ^PTYBOT_ | sort; "
                              "echo $PTYBOT_PORT_MY_COBOT >>ports; ls -d $PTYBOT_CONTROL "
                              "$PTYBOT_PORT_MY_COBOT_BLUETOOTH"),
                     0);
    char *log = folder_read(&stage->folder, "out/host.log");
    static const char *const names[] = {"PTYBOT_CONTROL=/",
                                        "PTYBOT_PORT_KOBUKI=/",
                                        "PTYBOT_PORT_KOBUKI_UART=/",
                                        "PTYBOT_PORT_MY_COBOT=/",
                                        "PTYBOT_PORT_MY_COBOT_BLUETOOTH=/",
                                        "PTYBOT_PORT_MY_COBOT_UART=/"};
    const char *at = log;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        at = strstr(at, names[i]);
        if (!at) {
            fail_msg("no %s in:\n%s", names[i], log);
            return;
        }
    }
    free(log);
    test_stage_nothing_left(stage);
}

static void a_host_that_prints_without_end_does_not_fill_the_disk(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s >= 0, at_end: true}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--start", "now", "--out", "out", "--", "sh", "-c",
                              "echo first; yes | head -c 200000000; echo last"),
                     0);
    char *log = folder_read(&stage->folder, "out/host.log");
    size_t size = strlen(log);
    assert_in_range(size, 8 << 20, 40 << 20);
    assert_memory_equal(log, "first\n", 6);
    assert_string_equal(log + size - 5, "last\n");
    assert_non_null(strstr(log, "MB omitted here]\n"));
    free(log);
    test_stage_nothing_left(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_host_on_pyserial_passes),
        TEST_STAGED(the_example_of_the_document_passes),
        TEST_STAGED(a_host_on_libserialport_passes),
        TEST_STAGED(a_host_on_serialport_of_node_passes),
        TEST_STAGED(a_robot_on_tcp_is_reported_by_host_and_port),
        TEST_STAGED(each_robot_and_each_channel_has_a_variable),
        TEST_STAGED(a_host_that_prints_without_end_does_not_fill_the_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
