/* The timeline and the expectations of a scene: when each acts and is judged, and what is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/allocations.h"
#include "tests/support/simulation.h"

#define ROOM                                                                                       \
    "world: {size: {x: 6, y: 6}}\n"                                                                \
    "robots: [{name: kobuki, type: kobuki, pose: {x: 3, y: 3}}]\n"

static void run_ms(struct sim *sim, int64_t ms)
{
    for (int64_t i = 0; i < ms; i++)
        sim_step(sim);
}

static struct sim_expectation expectation(const struct sim *sim, size_t number)
{
    struct sim_expectation out;
    sim_expectation(sim, number, &out);
    return out;
}

static struct sim_expectation action(const struct sim *sim, size_t number)
{
    struct sim_expectation out;
    sim_action(sim, number, &out);
    return out;
}

/* ---- The timeline ---- */

static void a_command_acts_at_its_time_and_not_before(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(ROOM "timeline:\n- {at: 0.5, do: \"kobuki.place x=1 y=2\"}\n", NULL);
    assert_int_equal(sim_action_count(self.sim), 1);
    assert_string_equal(action(self.sim, 0).when, "at 0.5 s");
    assert_string_equal(action(self.sim, 0).that, "kobuki.place x=1 y=2");
    assert_int_equal(action(self.sim, 0).line, 4);
    run_ms(self.sim, 500);
    assert_int_equal(action(self.sim, 0).verdict, SIM_PENDING);
    assert_true(simulation_get(self.sim, "kobuki.x_m") > 2.9);
    run_ms(self.sim, 1);
    assert_int_equal(action(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(action(self.sim, 0).at_us, 500000);
    assert_true(simulation_get(self.sim, "kobuki.x_m") < 1.1);
    simulation_close(&self);
}

static void a_condition_fires_once_and_commands_of_one_moment_go_in_order(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(ROOM "timeline:\n"
                             "- {at: 0.1, do: \"kobuki.lift for=0.2\"}\n"
                             "- {at: 0.5, do: \"kobuki.lift for=0.2\"}\n"
                             "- {when: kobuki.lifted == 1, do: kobuki.unplug what=uart}\n"
                             "- {when: kobuki.uart.plugged == 0, do: kobuki.plug what=uart}\n",
                        NULL);
    run_ms(self.sim, 101);
    // The lift, what follows from it and what follows from that: all before one step.
    assert_true(simulation_get(self.sim, "kobuki.uart.plugged") == 1);
    for (size_t i = 2; i < 4; i++)
        assert_int_equal(action(self.sim, i).at_us, 100000);
    assert_string_equal(action(self.sim, 2).when, "when kobuki.lifted == 1");
    run_ms(self.sim, 600);
    assert_true(simulation_get(self.sim, "kobuki.uart.plugged") == 1);
    assert_int_equal(action(self.sim, 1).at_us, 500000);
    assert_int_equal(action(self.sim, 2).at_us, 100000);
    simulation_close(&self);
}

static void a_refused_command_fails_the_run_and_says_why(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(ROOM "timeline: [{at: 0.002, do: \"kobuki.place x=0.01 y=3\"}]\n", NULL);
    assert_false(sim_has_failed(self.sim));
    run_ms(self.sim, 5);
    assert_true(sim_has_failed(self.sim));
    assert_int_equal(action(self.sim, 0).verdict, SIM_FAILED);
    assert_int_equal(action(self.sim, 0).at_us, 2000);
    assert_non_null(strstr(action(self.sim, 0).found, "kobuki.place: x=0.01 y=3 is inside a wall"));
    simulation_close(&self);
}

/* ---- Expectations ---- */

#define MOVED  "timeline: [{at: 0.1, do: \"kobuki.place x=1 y=1\"}]\n"
#define EXPECT ROOM MOVED "expect:\n"

static void within_passes_at_the_first_step_that_fulfills_it(void **state)
{
    (void)state;
    struct simulation self = simulation_open(EXPECT "- {that: kobuki.x_m < 2, within: 3}\n", NULL);
    assert_string_equal(expectation(self.sim, 0).that, "kobuki.x_m < 2");
    assert_string_equal(expectation(self.sim, 0).when, "within 3 s");
    assert_int_equal(expectation(self.sim, 0).line, 5);
    run_ms(self.sim, 100);
    assert_int_equal(expectation(self.sim, 0).verdict, SIM_PENDING);
    assert_int_equal(expectation(self.sim, 0).at_us, 100000);
    assert_false(sim_is_decided(self.sim));
    run_ms(self.sim, 50);
    assert_int_equal(expectation(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(expectation(self.sim, 0).at_us, 101000);
    assert_string_equal(expectation(self.sim, 0).found, "kobuki.x_m = 1 m");
    assert_true(sim_is_decided(self.sim));

    // What passed stays passed.
    simulation_do(self.sim, "kobuki.place x=4 y=4");
    run_ms(self.sim, 10);
    sim_end(self.sim);
    assert_int_equal(expectation(self.sim, 0).verdict, SIM_PASSED);
    assert_false(sim_has_failed(self.sim));
    simulation_close(&self);
}

static void within_fails_at_its_deadline_with_the_values_then(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(EXPECT "- {that: kobuki.x_m > 5 and kobuki.y_m < 2, within: 0.2}\n", NULL);
    run_ms(self.sim, 199);
    assert_int_equal(expectation(self.sim, 0).verdict, SIM_PENDING);
    run_ms(self.sim, 100);
    assert_int_equal(expectation(self.sim, 0).verdict, SIM_FAILED);
    assert_int_equal(expectation(self.sim, 0).at_us, 200000);
    assert_string_equal(expectation(self.sim, 0).found, "kobuki.x_m = 1 m, kobuki.y_m = 1 m");
    assert_true(sim_has_failed(self.sim));
    simulation_close(&self);
}

static void always_fails_at_the_first_step_that_breaks_it_and_never_recovers(void **state)
{
    (void)state;
    struct simulation self = simulation_open(EXPECT "- {that: kobuki.lifted == 0, always: true}\n"
                                                    "- {that: kobuki.x_m > 2, always: true}\n",
                                             NULL);
    run_ms(self.sim, 200);
    assert_int_equal(expectation(self.sim, 1).verdict, SIM_FAILED);
    assert_int_equal(expectation(self.sim, 1).at_us, 101000);
    assert_string_equal(expectation(self.sim, 1).found, "kobuki.x_m = 1 m");
    assert_string_equal(expectation(self.sim, 1).when, "always");
    simulation_do(self.sim, "kobuki.place x=3 y=3");
    run_ms(self.sim, 10);
    assert_int_equal(expectation(self.sim, 0).verdict, SIM_PENDING);
    sim_end(self.sim);
    assert_int_equal(expectation(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(expectation(self.sim, 0).at_us, 210000);
    assert_int_equal(expectation(self.sim, 1).verdict, SIM_FAILED);
    assert_int_equal(expectation(self.sim, 1).at_us, 101000);
    simulation_close(&self);
}

static void at_end_is_judged_once_the_run_is_over(void **state)
{
    (void)state;
    struct simulation self = simulation_open(EXPECT "- {that: kobuki.x_m < 2, at_end: true}\n"
                                                    "- {that: kobuki.x_m > 2, at_end: true}\n",
                                             NULL);
    run_ms(self.sim, 150);
    assert_int_equal(expectation(self.sim, 0).verdict, SIM_PENDING);
    assert_int_equal(expectation(self.sim, 1).verdict, SIM_PENDING);
    assert_true(sim_is_decided(self.sim));
    sim_end(self.sim);
    sim_end(self.sim);
    assert_int_equal(expectation(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(expectation(self.sim, 1).verdict, SIM_FAILED);
    assert_int_equal(expectation(self.sim, 1).at_us, 150000);
    assert_string_equal(expectation(self.sim, 1).when, "at the end");
    assert_string_equal(expectation(self.sim, 1).found, "kobuki.x_m = 1 m");
    simulation_close(&self);
}

static void after_puts_the_judgment_off(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(EXPECT "- {that: kobuki.x_m > 2, within: 0.1, after: 0.2}\n"
                               "- {that: kobuki.x_m < 2, always: true, after: 0.2}\n"
                               "- {that: kobuki.x_m < 2, within: 0.1, after: 0.2}\n",
                        NULL);
    assert_string_equal(expectation(self.sim, 0).when, "within 0.1 s after 0.2 s");
    assert_string_equal(expectation(self.sim, 1).when, "always after 0.2 s");
    run_ms(self.sim, 199);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(expectation(self.sim, i).verdict, SIM_PENDING);
    assert_false(sim_is_decided(self.sim));
    run_ms(self.sim, 101);
    assert_true(sim_is_decided(self.sim));
    sim_end(self.sim);
    assert_int_equal(expectation(self.sim, 0).verdict, SIM_FAILED);
    assert_int_equal(expectation(self.sim, 0).at_us, 300000);
    assert_int_equal(expectation(self.sim, 1).verdict, SIM_PASSED);
    assert_int_equal(expectation(self.sim, 2).verdict, SIM_PASSED);
    assert_int_equal(expectation(self.sim, 2).at_us, 200000);
    simulation_close(&self);
}

static void a_run_that_ends_early_fails_what_had_no_chance(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(EXPECT "- {that: kobuki.x_m < 2, within: 9}\n"
                               "- {that: kobuki.lifted == 0, always: true, after: 9}\n"
                               "- {that: kobuki.lifted == 0, always: true}\n",
                        NULL);
    run_ms(self.sim, 50);
    sim_end(self.sim);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(expectation(self.sim, i).verdict, SIM_FAILED);
        assert_int_equal(expectation(self.sim, i).at_us, 50000);
        assert_non_null(
            strstr(expectation(self.sim, i).found, "the run ended before that: kobuki."));
    }
    assert_int_equal(expectation(self.sim, 2).verdict, SIM_PASSED);
    simulation_close(&self);
}

static void a_run_of_no_step_judges_what_is(void **state)
{
    (void)state;
    struct simulation self = simulation_open(EXPECT "- {that: kobuki.x_m > 2, always: true}\n"
                                                    "- {that: kobuki.x_m < 2, always: true}\n",
                                             NULL);
    sim_end(self.sim);
    assert_int_equal(expectation(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(expectation(self.sim, 1).verdict, SIM_FAILED);
    simulation_close(&self);
}

static void a_scene_that_expects_nothing_has_nothing_to_judge(void **state)
{
    (void)state;
    struct simulation self = simulation_open(ROOM "timeline: []\nexpect: []\n", NULL);
    assert_int_equal(sim_expectation_count(self.sim), 0);
    assert_int_equal(sim_action_count(self.sim), 0);
    assert_true(sim_is_decided(self.sim));
    sim_end(self.sim);
    assert_false(sim_has_failed(self.sim));
    simulation_close(&self);
}

static void expectations_change_nothing_of_what_happens(void **state)
{
    (void)state;
    struct simulation bare = simulation_open(ROOM MOVED, NULL);
    struct simulation judged =
        simulation_open(EXPECT "- {that: kobuki.x_m > 2, always: true}\n", NULL);
    run_ms(bare.sim, 300);
    run_ms(judged.sim, 300);
    assert_true(sim_hash(bare.sim) == sim_hash(judged.sim));
    simulation_close(&bare);
    simulation_close(&judged);
}

static void judging_and_acting_allocate_nothing(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(ROOM "timeline:\n"
                             "- {at: 0.1, do: \"kobuki.place x=1 y=1\"}\n"
                             "- {when: kobuki.x_m < 2, do: \"kobuki.press bumper=left\"}\n"
                             "- {at: 0.2, do: \"kobuki.place x=0.01 y=1\"}\n"
                             "expect:\n"
                             "- {that: kobuki.x_m < 2 and kobuki.battery_v > 1, within: 1}\n"
                             "- {that: kobuki.x_m > 2, always: true}\n"
                             "- {that: kobuki.uart.frames > 2, at_end: true}\n",
                        NULL);
    size_t before = allocations;
    assert_true(before > 0);
    run_ms(self.sim, 300);
    sim_end(self.sim);
    assert_int_equal(allocations, before);
    assert_int_equal(action(self.sim, 2).verdict, SIM_FAILED);
    simulation_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_acts_at_its_time_and_not_before),
        cmocka_unit_test(a_condition_fires_once_and_commands_of_one_moment_go_in_order),
        cmocka_unit_test(a_refused_command_fails_the_run_and_says_why),
        cmocka_unit_test(within_passes_at_the_first_step_that_fulfills_it),
        cmocka_unit_test(within_fails_at_its_deadline_with_the_values_then),
        cmocka_unit_test(always_fails_at_the_first_step_that_breaks_it_and_never_recovers),
        cmocka_unit_test(at_end_is_judged_once_the_run_is_over),
        cmocka_unit_test(after_puts_the_judgment_off),
        cmocka_unit_test(a_run_that_ends_early_fails_what_had_no_chance),
        cmocka_unit_test(a_run_of_no_step_judges_what_is),
        cmocka_unit_test(a_scene_that_expects_nothing_has_nothing_to_judge),
        cmocka_unit_test(expectations_change_nothing_of_what_happens),
        cmocka_unit_test(judging_and_acting_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
