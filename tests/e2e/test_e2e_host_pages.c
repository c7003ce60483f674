/* The programs on the pages for drivers (docs/hosts), unchanged, with the real program. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/host_libraries.h"
#include "tests/support/test_stage.h"

/* Extracts the text between FROM and TO from a page, and writes it to a file of the stage. Returns
 * the number of its non-empty lines. */
static int cut(const struct stage *stage, const char *page, const char *from, const char *to,
               const char *name)
{
    struct folder pages = {.path = PTYBOT_SOURCE_DIR "/docs/hosts"};
    char *text = folder_read(&pages, page);
    char *code = strstr(text, from);
    assert_non_null(code);
    code += strlen(from);
    char *end = strstr(code, to);
    assert_non_null(end);
    int lines = 0;
    for (const char *at = code; at < end; at++)
        lines += *at == '\n' && at > code && at[-1] != '\n';
    folder_write(&stage->folder, name, "%.*s", (int)(end - code), code);
    free(text);
    return lines;
}

/* Runs a shell command as the driver of one robot in the middle of a room; EXPECT as in a scene. */
static int run(struct stage *stage, const char *robot, const char *expect, const char *warp,
               const char *command)
{
    folder_write(&stage->folder, "s.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: robot, type: %s, pose: {x: 10, y: 10}}]\n"
                 "expect: [%s]\n",
                 robot, expect);
    /* The folder of an earlier run cannot be used again. */
    static int runs;
    char out[16];
    snprintf(out, sizeof out, "out%d", ++runs);
    return TEST_RUN(stage, "s.yaml", "--for", "5", "--warp", warp, "--out", out, "--", "sh", "-c",
                    command);
}

static void assert_passed(const struct stage *stage, int code)
{
    if (code != 0) {
        char *out = program_out(&stage->ptybot);
        fail_msg("code %d: %s", code, out);
    }
}

#define DRIVE_PY "exec /usr/bin/python3 drive.py $PTYBOT_PORT_ROBOT"
#define CLEAN                                                                                      \
    "{that: robot.uart.bad_frames == 0 and robot.uart.noise_bytes == 0 and "                       \
    "robot.uart.frames > 20, at_end: true}"

static void ten_lines_drive_a_pibot(void **state)
{
    struct stage *stage = *state;
    need_python_with_pyserial(stage);
    int lines = cut(stage, "diff_board.md", "```python\n", "```", "drive.py");
    assert_in_range(lines, 5, 10);
    assert_passed(stage, run(stage, "diff_board",
                             "{that: robot.x_m > 10.2 and robot.y_m > 10.1, within: 5}, " CLEAN,
                             "8", DRIVE_PY));
    char *said = program_out(&stage->ptybot);
    assert_null(strstr(said, "warning")); /* its clock is that of the simulation */
    free(said);
}

static void ten_lines_drive_an_arduino(void **state)
{
    struct stage *stage = *state;
    need_python_with_pyserial(stage);
    assert_in_range(cut(stage, "ros_arduino_bridge.md", "```python\n", "```", "drive.py"), 5, 10);
    assert_passed(stage, run(stage, "ros_arduino_bridge",
                             "{that: robot.x_m > 10.2 and robot.y_m > 10.02, within: 5}, " CLEAN,
                             "8", DRIVE_PY));
}

static void a_screen_of_python_drives_a_turtlebot3(void **state)
{
    struct stage *stage = *state;
    need_python_with_pyserial(stage);
    assert_in_range(cut(stage, "turtlebot3.md", "```python\n", "```", "drive.py"), 15, 25);
    assert_passed(stage, run(stage, "turtlebot3_burger",
                             "{that: robot.x_m > 10.1 and robot.y_m > 10.02, within: 5}, "
                             "{that: robot.usb.bad_frames == 0 and robot.usb.frames == 60, "
                             "at_end: true}",
                             "8", DRIVE_PY));
}

/* A driver that does not repeat its request fails on a booting board; a driver that waits does
 * not. */
static void ten_lines_without_patience_meet_a_board_that_boots(void **state)
{
    struct stage *stage = *state;
    need_python_with_pyserial(stage);
    cut(stage, "diff_board.md", "```python\n", "```", "drive.py");
    static const char type[] = "diff_board, options: {auto_reset: yes}";
    static const char moved[] = "{that: robot.x_m > 10.1, within: 5}";
    assert_int_equal(run(stage, type, moved, "8", DRIVE_PY), 1);
    test_stage_said(stage, "exited with 1");
    assert_passed(stage, run(stage, type, moved, "8",
                             "sed 's/^def ask/import time; time.sleep(2)\\n&/' drive.py >wait.py; "
                             "exec /usr/bin/python3 wait.py $PTYBOT_PORT_ROBOT"));
}

static void the_python_of_the_cobot_drives(void **state)
{
    struct stage *stage = *state;
    need_python_with_pyserial(stage);
    cut(stage, "cobot.md", "```python\n", "```", "drive.py");
    assert_passed(stage, run(stage, "cobot",
                             "{that: robot.x_m > 10.2 and robot.y_m > 10.1, within: 5}, " CLEAN,
                             "8", DRIVE_PY));
}

static void the_python_of_the_epuck2_drives_and_stops(void **state)
{
    struct stage *stage = *state;
    cut(stage, "epuck2.md", "```python\n", "```", "drive.py");
    assert_passed(stage,
                  run(stage, "epuck2",
                      "{that: robot.x_m > 10.05, within: 5}, "
                      "{that: robot.left_wanted == 0 and robot.right_wanted == 0, at_end: true}",
                      "4", DRIVE_PY));
}

/* Replaces nc: sends its input, and reads five packets. */
static void the_shell_line_of_the_epuck2_leaves_it_driving(void **state)
{
    struct stage *stage = *state;
    cut(stage, "epuck2.md", "    printf '", " | nc", "line");
    folder_write(&stage->folder, "nc.py",
                 "import socket, sys\n"
                 "host, port = sys.argv[1].split(':')\n"
                 "with socket.create_connection((host, int(port))) as robot:\n"
                 "    robot.sendall(sys.stdin.buffer.read())\n"
                 "    assert len(robot.recv(525, socket.MSG_WAITALL)) == 525\n");
    assert_passed(stage, run(stage, "epuck2", "{that: robot.left_wanted == 256, at_end: true}", "1",
                             "(printf \"printf '\"; cat line) | sh | /usr/bin/python3 nc.py "
                             "$PTYBOT_PORT_ROBOT"));
}

static void the_shell_lines_of_the_kobuki_drive(void **state)
{
    struct stage *stage = *state;
    cut(stage, "kobuki.md", "    stty -F", "    od -An", "stty");
    cut(stage, "kobuki.md", "    printf '", "#", "printf");
    assert_passed(stage, run(stage, "kobuki",
                             "{that: robot.x_m > 10.2, within: 5}, "
                             "{that: robot.uart.frames == 1 and robot.uart.noise_bytes == 0, "
                             "at_end: true}",
                             "4",
                             "port=$PTYBOT_PORT_ROBOT; exec 3<>$port; "
                             "eval \"stty -F $(cat stty)\"; eval \"printf '$(cat printf)\"; "
                             "sleep 1.5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(ten_lines_drive_a_pibot),
        TEST_STAGED(ten_lines_drive_an_arduino),
        TEST_STAGED(a_screen_of_python_drives_a_turtlebot3),
        TEST_STAGED(ten_lines_without_patience_meet_a_board_that_boots),
        TEST_STAGED(the_python_of_the_cobot_drives),
        TEST_STAGED(the_python_of_the_epuck2_drives_and_stops),
        TEST_STAGED(the_shell_line_of_the_epuck2_leaves_it_driving),
        TEST_STAGED(the_shell_lines_of_the_kobuki_drive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
