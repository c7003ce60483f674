/* `ptybot test` explains what happened on the wire in the words of the robot. */
#include <stdio.h>
#include <stdlib.h>

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

/* Opcode 133 sends the robot to sleep. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(bytes_for_a_sleeping_create_are_reported_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
