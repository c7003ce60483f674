/* A running simulation allocates no memory. This is a separate program, since only allocations of
 * statically linked code can be counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/allocations.h"
#include "tests/support/simulation.h"
#include "tests/unit/kobuki_rig.h"

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    size_t before = allocations;
    assert_true(before > 0);
    rig_drive(&rig, 300, 500, 10);
    assert_int_equal(allocations, before);
    rig_close(&rig);
}

static void judging_and_acting_allocate_nothing(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open("world: {size: {x: 6, y: 6}}\n"
                        "robots: [{name: kobuki, type: kobuki, pose: {x: 3, y: 3}}]\n"
                        "timeline:\n"
                        "- {at: 0.1, do: \"kobuki.place x=1 y=1\"}\n"
                        "- {when: kobuki.x_m < 2, do: \"kobuki.press bumper=left\"}\n"
                        "- {at: 0.2, do: \"kobuki.place x=0.01 y=1\"}\n"
                        "expect:\n"
                        "- {that: kobuki.x_m < 2 and kobuki.battery_v > 1, within: 1, name: a}\n"
                        "- {that: abs(kobuki.x_m - 5) < 1 or kobuki.y_m < 0, within: 0.1, "
                        "after: a}\n"
                        "- {that: kobuki.x_m > 2, always: true}\n"
                        "- {that: kobuki.uart.frames > 2, at_end: true}\n",
                        NULL);
    size_t before = allocations;
    assert_true(before > 0);
    for (int i = 0; i < 300; i++)
        sim_step(self.sim);
    sim_end(self.sim);
    assert_int_equal(allocations, before);
    assert_int_equal(sim_action(self.sim, 2).verdict, SIM_FAILED);
    simulation_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(judging_and_acting_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
