/* `ptybot test` explains the events on the wire in terms of the robot. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

static void write_scene(const struct stage *stage, const char *robot, const char *more)
{
    folder_write(&stage->folder, "s.yaml",
                 "seed: 1\nworld: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: r, pose: {x: 10, y: 10}, %s}]\n%s\n",
                 robot, more);
}

/* Opcode 133 makes the robot sleep. */
static void bytes_for_a_sleeping_create_are_reported_as_such(void **state)
{
    struct stage *stage = *state;
    write_scene(stage, "type: create2", "expect: [{that: r.asleep == 1, within: 3}]");
    int code = TEST_RUN(stage, "s.yaml", "--", "sh", "-c",
                        "exec 3<>$PTYBOT_PORT_R; " SERIAL "sleep 1; printf '\\200\\205' >&3; "
                        "sleep 1; printf '\\200\\203\\204' >&3; sleep 0.2");
    test_stage_said(stage, "3 bytes while it slept: a pulse on RTS (pin BRC), the button clean or "
                           "a charger wakes it (r.uart.noise_bytes, first at ");
    assert_int_equal(code, 0);
}

/* The watchdog diagnosis must be the last, so that no other hides it. */
static void a_driver_that_pauses_is_diagnosed_by_the_watchdog_alone(void **state)
{
    struct stage *stage = *state;
    static const char pausing[] =
        "exec 3<>$PTYBOT_PORT_R; " SERIAL "for i in 1 2 3; do printf " DRIVE " >&3; sleep 2; done";
    write_scene(stage, "type: kobuki", "expect: [{that: r.x_m > 12, within: 8}]");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--", "sh", "-c", pausing), 1);
    test_stage_said(stage, "driver failure: the watchdog stopped r 3 times");
    test_stage_not_said(stage, "executed all commands");
    write_scene(stage, "type: kobuki", "expect: [{that: r.x_m > 10.1, within: 8}]");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--", "sh", "-c", pausing), 0);
    test_stage_said(stage, "driver warning: the watchdog stopped r 3 times");
}

static void a_wrong_length_byte_is_named(void **state)
{
    struct stage *stage = *state;
    write_scene(stage, "type: kobuki", "expect: [{that: r.x_m > 12, within: 1}]");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--", "sh", "-c",
                 "exec 3<>$PTYBOT_PORT_R; " SERIAL
                 "for i in 1 2 3; do printf '\\252\\125\\007\\001\\004\\310\\000\\000\\000\\313' "
                 ">&3; sleep 0.2; done"),
        1);
    test_stage_said(stage, "frames with a wrong checksum or length: base_control with the length "
                           "byte 07 where 06 is right (r.uart.bad_frames, ");
    test_stage_said(stage, "\n  see " PTYBOT_SOURCE_DIR "/docs/troubleshooting.md#refused-bytes\n");
}

/* The text that a continuous integration service shows of a failed test begins with the reason. */
static void a_summary_begins_with_the_diagnosis(void **state)
{
    struct stage *stage = *state;
    char command[2 * FOLDER_PATH_MAX], text[4096] = "";
    write_scene(stage, "type: kobuki", "expect: [{that: r.x_m > 12, within: 1}]");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--junit", "result.xml", "--", "sh", "-c",
                              "exec 3<>$PTYBOT_PORT_R; " SERIAL
                              "printf '\\252\\125\\006\\001\\004\\310\\000\\000\\000\\323' >&3; "
                              "sleep 0.2"),
                     1);
    snprintf(command, sizeof command, PTYBOT_SOURCE_DIR "/packaging/ci/summary.sh %s",
             stage->folder.path);
    FILE *summary = popen(command, "r");
    assert_non_null(summary);
    assert_true(fread(text, 1, sizeof text - 1, summary) > 0);
    assert_int_equal(pclose(summary), 0);
    const char *diagnosis = strstr(text, "\n- s: wire failure: r.uart: ");
    const char *table = strstr(text, "| test | verdict |");
    assert_non_null(table);
    if (!diagnosis || diagnosis > table ||
        !strstr(diagnosis, "base_control with the checksum d3 where cb is right"))
        fail_msg("the diagnosis does not come first in:\n%s", text);
    assert_non_null(strstr(table, "| s | **FAILED** | <code>r.x_m "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_driver_that_pauses_is_diagnosed_by_the_watchdog_alone),
        TEST_STAGED(a_wrong_length_byte_is_named),
        TEST_STAGED(a_summary_begins_with_the_diagnosis),
        TEST_STAGED(bytes_for_a_sleeping_create_are_reported_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
