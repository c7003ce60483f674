/* The timeline and the expectations of a scene: when they take effect, and the verdicts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/parse/scene_parse.h"
#include "sim/step/create.h"
#include "sim/verdict/measure.h"
#include "sim/verdict/timeline.h"
#include "tests/support/simulation.h"

#define ROOM                                                                                       \
    "world: {size: {x: 6, y: 6}}\n"                                                                \
    "robots: [{name: kobuki, type: kobuki, pose: {x: 3, y: 3}}]\n"

static void run_ms(struct sim *sim, int64_t ms)
{
    for (int64_t i = 0; i < ms; i++)
        sim_step(sim);
}

/* ---- The timeline ---- */

static void a_command_acts_at_its_time_and_not_before(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(ROOM "timeline:\n- {at: 0.5, do: \"kobuki.place x=1 y=2\"}\n", NULL);
    assert_int_equal(sim_action_count(self.sim), 1);
    assert_string_equal(sim_action(self.sim, 0).when, "at 0.5 s");
    assert_string_equal(sim_action(self.sim, 0).that, "kobuki.place x=1 y=2");
    assert_int_equal(sim_action(self.sim, 0).line, 4);
    run_ms(self.sim, 500);
    assert_int_equal(sim_action(self.sim, 0).verdict, SIM_PENDING);
    assert_true(simulation_get(self.sim, "kobuki.x_m") > 2.9);
    run_ms(self.sim, 1);
    assert_int_equal(sim_action(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(sim_action(self.sim, 0).at_us, 500000);
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
    // The lift, its consequences and their consequences all take effect before the next step.
    assert_true(simulation_get(self.sim, "kobuki.uart.plugged") == 1);
    for (size_t i = 2; i < 4; i++)
        assert_int_equal(sim_action(self.sim, i).at_us, 100000);
    assert_string_equal(sim_action(self.sim, 2).when, "when kobuki.lifted == 1");
    run_ms(self.sim, 600);
    assert_true(simulation_get(self.sim, "kobuki.uart.plugged") == 1);
    assert_int_equal(sim_action(self.sim, 1).at_us, 500000);
    assert_int_equal(sim_action(self.sim, 2).at_us, 100000);
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
    assert_int_equal(sim_action(self.sim, 0).verdict, SIM_FAILED);
    assert_int_equal(sim_action(self.sim, 0).at_us, 2000);
    assert_non_null(
        strstr(sim_action(self.sim, 0).found, "kobuki.place: x=0.01 y=3 is inside a wall"));
    simulation_close(&self);
}

static void a_signal_for_the_driver_is_due_once_at_its_time(void **state)
{
    (void)state;
    struct simulation self = simulation_open(ROOM "timeline:\n"
                                                  "- {at: 0.001, signal: SIGUSR2}\n"
                                                  "- {at: 0.001, signal: SIGHUP}\n"
                                                  "- {at: 0.002, signal: SIGINT}\n"
                                                  "- {at: 0.002, signal: SIGINT}\n",
                                             NULL);
    assert_string_equal(sim_action(self.sim, 0).that, "send SIGUSR2 to the driver");
    assert_int_equal(timeline_take_interrupt(self.sim), SCENE_INTERRUPT_NONE);
    run_ms(self.sim, 2);
    assert_int_equal(sim_action(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(sim_action(self.sim, 0).at_us, 1000);
    assert_int_equal(sim_action(self.sim, 2).verdict, SIM_PENDING);
    // Two interrupts at the same time, in numerical order.
    assert_int_equal(timeline_take_interrupt(self.sim), SCENE_SIGHUP);
    assert_int_equal(timeline_take_interrupt(self.sim), SCENE_SIGUSR2);
    assert_int_equal(timeline_take_interrupt(self.sim), SCENE_INTERRUPT_NONE);
    run_ms(self.sim, 1);
    assert_int_equal(timeline_take_interrupt(self.sim), SCENE_SIGINT);
    assert_int_equal(timeline_take_interrupt(self.sim), SCENE_INTERRUPT_NONE);
    run_ms(self.sim, 10);
    assert_int_equal(timeline_take_interrupt(self.sim), SCENE_INTERRUPT_NONE);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(sim_action(self.sim, i).verdict, SIM_PASSED);
    assert_false(sim_has_failed(self.sim));
    simulation_close(&self);
}

/* ---- Expectations ---- */

#define MOVED  "timeline: [{at: 0.1, do: \"kobuki.place x=1 y=1\"}]\n"
#define EXPECT ROOM MOVED "expect:\n"

static void within_passes_at_the_first_step_that_fulfills_it(void **state)
{
    (void)state;
    struct simulation self = simulation_open(EXPECT "- {that: kobuki.x_m < 2, within: 3}\n", NULL);
    assert_string_equal(sim_expectation(self.sim, 0).that, "kobuki.x_m < 2");
    assert_string_equal(sim_expectation(self.sim, 0).when, "within 3 s");
    assert_int_equal(sim_expectation(self.sim, 0).line, 5);
    run_ms(self.sim, 100);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_PENDING);
    assert_int_equal(sim_expectation(self.sim, 0).at_us, 100000);
    assert_false(sim_is_decided(self.sim));
    run_ms(self.sim, 50);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(sim_expectation(self.sim, 0).at_us, 101000);
    assert_string_equal(sim_expectation(self.sim, 0).found, "kobuki.x_m = 1 m");
    assert_true(sim_is_decided(self.sim));

    // An expectation that has passed stays passed.
    simulation_do(self.sim, "kobuki.place x=4 y=4");
    run_ms(self.sim, 10);
    sim_end(self.sim);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_PASSED);
    assert_false(sim_has_failed(self.sim));
    simulation_close(&self);
}

static void within_fails_at_its_deadline_with_the_values_then(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(EXPECT "- {that: kobuki.x_m > 5 and kobuki.y_m < 2, within: 0.2}\n", NULL);
    run_ms(self.sim, 199);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_PENDING);
    run_ms(self.sim, 100);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_FAILED);
    assert_int_equal(sim_expectation(self.sim, 0).at_us, 200000);
    assert_string_equal(sim_expectation(self.sim, 0).found,
                        "kobuki.x_m = 1 m, kobuki.y_m = 1 m; closest: kobuki.x_m = 3 m at 0.001 s");
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
    assert_int_equal(sim_expectation(self.sim, 1).verdict, SIM_FAILED);
    assert_int_equal(sim_expectation(self.sim, 1).at_us, 101000);
    assert_string_equal(sim_expectation(self.sim, 1).found, "kobuki.x_m = 1 m");
    assert_string_equal(sim_expectation(self.sim, 1).when, "always");
    simulation_do(self.sim, "kobuki.place x=3 y=3");
    run_ms(self.sim, 10);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_PENDING);
    sim_end(self.sim);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(sim_expectation(self.sim, 0).at_us, 210000);
    assert_int_equal(sim_expectation(self.sim, 1).verdict, SIM_FAILED);
    assert_int_equal(sim_expectation(self.sim, 1).at_us, 101000);
    simulation_close(&self);
}

static void at_end_is_judged_once_the_run_is_over(void **state)
{
    (void)state;
    struct simulation self = simulation_open(EXPECT "- {that: kobuki.x_m < 2, at_end: true}\n"
                                                    "- {that: kobuki.x_m > 2, at_end: true}\n",
                                             NULL);
    run_ms(self.sim, 150);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_PENDING);
    assert_int_equal(sim_expectation(self.sim, 1).verdict, SIM_PENDING);
    assert_true(sim_is_decided(self.sim));
    sim_end(self.sim);
    sim_end(self.sim);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(sim_expectation(self.sim, 1).verdict, SIM_FAILED);
    assert_int_equal(sim_expectation(self.sim, 1).at_us, 150000);
    assert_string_equal(sim_expectation(self.sim, 1).when, "at the end");
    assert_string_equal(sim_expectation(self.sim, 1).found, "kobuki.x_m = 1 m");
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
    assert_string_equal(sim_expectation(self.sim, 0).when, "within 0.1 s after 0.2 s");
    assert_string_equal(sim_expectation(self.sim, 1).when, "always after 0.2 s");
    run_ms(self.sim, 199);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(sim_expectation(self.sim, i).verdict, SIM_PENDING);
    assert_false(sim_is_decided(self.sim));
    run_ms(self.sim, 101);
    assert_true(sim_is_decided(self.sim));
    sim_end(self.sim);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_FAILED);
    assert_int_equal(sim_expectation(self.sim, 0).at_us, 300000);
    assert_int_equal(sim_expectation(self.sim, 1).verdict, SIM_PASSED);
    assert_int_equal(sim_expectation(self.sim, 2).verdict, SIM_PASSED);
    assert_int_equal(sim_expectation(self.sim, 2).at_us, 200000);
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
        assert_int_equal(sim_expectation(self.sim, i).verdict, SIM_FAILED);
        assert_int_equal(sim_expectation(self.sim, i).at_us, 50000);
        assert_non_null(strstr(sim_expectation(self.sim, i).found,
                               "not reached before the end of the run: kobuki."));
    }
    assert_int_equal(sim_expectation(self.sim, 2).verdict, SIM_PASSED);
    simulation_close(&self);
}

static void the_margin_is_that_of_the_best_or_of_the_worst_moment(void **state)
{
    (void)state;
    /* The robot is at x = 3, then 1, then 4. */
    static const char places[] = "timeline:\n- {at: 0.1, do: \"kobuki.place x=1 y=1\"}\n"
                                 "- {at: 0.2, do: \"kobuki.place x=4 y=1\"}\nexpect:\n";
    static const struct {
        const char *expect;
        double margin, closest;
        int64_t at_us; /* to within one step */
    } rows[] = {
        {"- {that: kobuki.x_m > 5, within: 0.15}\n", -2, 3, 1000},
        {"- {that: kobuki.x_m > 5, within: 0.25}\n", -1, 4, 201000},
        {"- {that: kobuki.x_m < 2, within: 0.25}\n", 1, 1, 101000},
        {"- {that: kobuki.x_m > 0.5, always: true}\n", 0.5, 1, 101000},
        {"- {that: kobuki.x_m < 6, always: true}\n", 2, 4, 201000},
        {"- {that: kobuki.x_m < 3.5, always: true}\n", -0.5, 4, 201000},
        {"- {that: kobuki.x_m > 2, at_end: true}\n", 2, 4, 300000},
        {"- {that: kobuki.x_m > 2, within: 0.1, after: 0.25}\n", 2, 4, 250000},
        {"- {that: kobuki.x_m > 5, within: 0.1, after: 9}\n", -INFINITY, 0, 0}, // never evaluated
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, ROOM "%s%s", places, rows[i].expect);
        struct simulation self = simulation_open(text, NULL);
        assert_true(isinf(sim_expectation(self.sim, 0).margin.margin));
        run_ms(self.sim, 300);
        sim_end(self.sim);
        struct condition_margin found = sim_expectation(self.sim, 0).margin;
        if (!(found.margin == rows[i].margin || fabs(found.margin - rows[i].margin) < 1e-6) ||
            fabs(found.closest - rows[i].closest) > 1e-6 || found.at_us != rows[i].at_us)
            fail_msg("%s: %g at %g, %lld us", rows[i].expect, found.margin, found.closest,
                     (long long)found.at_us);
        simulation_close(&self);
    }
}

/* ---- Names and sequences ---- */

static void an_expectation_after_another_begins_when_that_passes(void **state)
{
    (void)state;
    // In reverse order of the file, and all in one step.
    struct simulation self =
        simulation_open(EXPECT "- {that: kobuki.y_m < 2, within: 0.2, after: moved, name: down}\n"
                               "- {that: kobuki.x_m < 2, within: 0.5, name: moved}\n"
                               "- {that: kobuki.x_m > 2, within: 0.1, after: moved}\n"
                               "- {that: kobuki.x_m < 2, always: true, after: down}\n",
                        NULL);
    assert_string_equal(sim_expectation(self.sim, 0).name, "down");
    assert_string_equal(sim_expectation(self.sim, 0).when, "within 0.2 s after 'moved'");
    assert_string_equal(sim_expectation(self.sim, 2).name, "");
    assert_string_equal(sim_expectation(self.sim, 3).when, "always after 'down'");
    run_ms(self.sim, 100);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(sim_expectation(self.sim, i).verdict, SIM_PENDING);
    run_ms(self.sim, 1);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(sim_expectation(self.sim, 0).at_us, 101000);
    assert_int_equal(sim_expectation(self.sim, 1).at_us, 101000);
    assert_false(sim_is_decided(self.sim));
    run_ms(self.sim, 99);
    assert_int_equal(sim_expectation(self.sim, 2).verdict, SIM_PENDING);
    run_ms(self.sim, 1);
    assert_int_equal(sim_expectation(self.sim, 2).verdict, SIM_FAILED);
    assert_int_equal(sim_expectation(self.sim, 2).at_us, 201000);
    assert_true(sim_is_decided(self.sim));
    sim_end(self.sim);
    assert_int_equal(sim_expectation(self.sim, 3).verdict, SIM_PASSED);
    simulation_close(&self);
}

static void what_was_true_before_the_other_passed_counts_for_nothing(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(EXPECT "- {that: kobuki.x_m < 2, within: 0.5, name: moved}\n"
                               "- {that: kobuki.x_m > 2, within: 0.1, after: moved}\n"
                               "- {that: kobuki.x_m < 2, always: true, after: moved}\n",
                        NULL);
    run_ms(self.sim, 300);
    sim_end(self.sim);
    assert_int_equal(sim_expectation(self.sim, 1).verdict, SIM_FAILED);
    assert_string_equal(sim_expectation(self.sim, 1).found, "kobuki.x_m = 1 m");
    assert_int_equal(sim_expectation(self.sim, 2).verdict, SIM_PASSED);
    simulation_close(&self);
}

static void what_comes_after_a_failure_is_not_judged(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(EXPECT "- {that: kobuki.x_m > 5, within: 0.2, name: far}\n"
                               "- {that: kobuki.x_m < 2, within: 0.1, after: far, name: back}\n"
                               "- {that: kobuki.x_m > 5, always: true, after: back}\n",
                        NULL);
    run_ms(self.sim, 200);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_FAILED);
    assert_int_equal(sim_expectation(self.sim, 1).verdict, SIM_SKIPPED);
    assert_int_equal(sim_expectation(self.sim, 1).at_us, 200000);
    assert_string_equal(sim_expectation(self.sim, 1).found, "not judged: 'far' failed");
    assert_int_equal(sim_expectation(self.sim, 2).verdict, SIM_SKIPPED);
    assert_string_equal(sim_expectation(self.sim, 2).found, "not judged: 'back' was not judged");
    assert_true(sim_is_decided(self.sim));
    assert_false(sim_is_stopped(self.sim));
    simulation_close(&self);
}

static void a_run_that_ends_early_fails_the_first_of_a_sequence_only(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(EXPECT "- {that: kobuki.x_m > 5, within: 9, name: far}\n"
                               "- {that: kobuki.x_m < 2, within: 9, after: far}\n",
                        NULL);
    run_ms(self.sim, 50);
    sim_end(self.sim);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_FAILED);
    assert_string_equal(sim_expectation(self.sim, 0).found,
                        "not reached before the end of the run: kobuki.x_m = 3 m");
    assert_int_equal(sim_expectation(self.sim, 1).verdict, SIM_SKIPPED);
    simulation_close(&self);
}

static void sequences_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *expect, *says;
    } wrong[] = {
        {"- {that: kobuki.x_m > 5, within: 1, after: far}\n",
         "room.yaml:5:44: expect[0].after: there is no expectation 'far'; allowed: seconds, or the "
         "name of an expectation with within"},
        {"- {that: kobuki.x_m > 5, within: 1, name: parked}\n"
         "- {that: kobuki.x_m > 5, within: 1, after: praked}\n",
         "there is no expectation 'praked'; did you mean 'parked'? allowed: "},
        {"- {that: kobuki.x_m > 5, always: true, name: parked}\n"
         "- {that: kobuki.x_m > 5, within: 1, after: praked}\n",
         "there is no expectation 'praked'; allowed: "},
        {"- {that: kobuki.x_m > 5, within: 1, after: a, name: a}\n", "'a' waits for itself"},
        {"- {that: kobuki.x_m > 5, within: 1, after: b, name: a}\n"
         "- {that: kobuki.x_m > 5, within: 1, after: c, name: b}\n"
         "- {that: kobuki.x_m > 5, within: 1, after: a, name: c}\n",
         "waits for itself, directly or indirectly"},
        {"- {that: kobuki.x_m > 5, within: 1, name: z, after: a}\n"
         "- {that: kobuki.x_m > 5, within: 1, after: b, name: a}\n"
         "- {that: kobuki.x_m > 5, within: 1, after: a, name: b}\n",
         "waits for itself, directly or indirectly"},
        {"- {that: kobuki.x_m > 5, always: true, name: a}\n"
         "- {that: kobuki.x_m > 5, within: 1, after: a}\n",
         "'a' passes only at the end of the run"},
        {"- {that: kobuki.x_m > 5, at_end: true, name: a}\n"
         "- {that: kobuki.x_m > 5, within: 1, after: a}\n",
         "'a' passes only at the end of the run"},
        {"- {that: kobuki.x_m > 5, within: 1, name: a}\n"
         "- {that: kobuki.x_m > 5, within: 1, name: a}\n",
         "room.yaml:6:43: expect[1].name: 'a' is already the name of expect[0]"},
        {"- {that: kobuki.x_m is 5, within: 1}\n",
         "expect[0].that: found 'is' after kobuki.x_m; allowed: == != < <= > >=, + - * /\n"
         "  kobuki.x_m is 5\n             ^"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[1024];
        struct error error = {0};
        snprintf(text, sizeof text, EXPECT "%s", wrong[i].expect);
        struct scene *scene = scene_parse(text, strlen(text), "room.yaml", &error);
        assert_non_null(scene);
        if (sim_check_script(scene, NULL, &error))
            fail_msg("accepted: %s", wrong[i].expect);
        if (!strstr(error.text, wrong[i].says))
            fail_msg("said: %s", error.text);
        scene_destroy(scene);
    }
}

/* ---- Failures that end a test ---- */

static void always_stops_a_test_and_within_does_not_unless_told_otherwise(void **state)
{
    (void)state;
    static const struct {
        const char *expect;
        bool does_stop;
    } rows[] = {
        {"- {that: kobuki.x_m > 2, always: true}\n", true},
        {"- {that: kobuki.x_m > 2, always: true, stop: no}\n", false},
        {"- {that: kobuki.x_m > 5, within: 0.101}\n", false},
        {"- {that: kobuki.x_m > 5, within: 0.101, stop: yes}\n", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, EXPECT "%s", rows[i].expect);
        struct simulation self = simulation_open(text, NULL);
        run_ms(self.sim, 100);
        assert_false(sim_is_stopped(self.sim));
        run_ms(self.sim, 1);
        assert_int_equal(sim_is_stopped(self.sim), rows[i].does_stop);
        assert_true(sim_has_failed(self.sim));
        // If the caller continues, the simulation is no longer stopped.
        run_ms(self.sim, 1);
        assert_false(sim_is_stopped(self.sim));
        simulation_close(&self);
    }
}

static void a_run_is_decided_only_when_each_expectation_is(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "- {that: kobuki.x_m > 5, within: 0.2}\n- {that: kobuki.x_m > 0, within: 0.2}\n",
        "- {that: kobuki.x_m > 0, within: 0.2}\n- {that: kobuki.x_m > 5, within: 0.2}\n",
    };
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text, EXPECT "%s", rows[i]);
        struct simulation self = simulation_open(text, NULL);
        run_ms(self.sim, 150);
        assert_false(sim_is_decided(self.sim));
        run_ms(self.sim, 100);
        assert_true(sim_is_decided(self.sim));
        simulation_close(&self);
    }
}

static void no_command_of_the_timeline_acts_after_the_end(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(ROOM "timeline:\n- {at: 0.5, do: \"kobuki.place x=1 y=2\"}\n", NULL);
    run_ms(self.sim, 100);
    sim_end(self.sim);
    run_ms(self.sim, 900);
    assert_true(simulation_get(self.sim, "kobuki.x_m") > 2.9);
    simulation_close(&self);
}

static void what_a_failure_cuts_short_is_not_judged(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(EXPECT "- {that: kobuki.x_m > 2, always: true}\n"
                               "- {that: kobuki.x_m > 5, within: 9}\n"
                               "- {that: kobuki.x_m > 5, at_end: true}\n"
                               "- {that: kobuki.lifted == 0, always: true}\n"
                               "- {that: kobuki.lifted == 0, always: true, after: 9}\n",
                        NULL);
    run_ms(self.sim, 101);
    sim_cut(self.sim);
    static const enum sim_verdict verdicts[] = {SIM_FAILED, SIM_SKIPPED, SIM_SKIPPED, SIM_PASSED,
                                                SIM_SKIPPED};
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++)
        assert_int_equal(sim_expectation(self.sim, i).verdict, verdicts[i]);
    assert_string_equal(sim_expectation(self.sim, 1).found,
                        "not judged: an earlier failure ended the test");
    simulation_close(&self);
}

static void a_run_of_no_step_judges_what_is(void **state)
{
    (void)state;
    struct simulation self =
        simulation_open(EXPECT "- {that: kobuki.x_m > 2, always: true}\n"
                               "- {that: kobuki.x_m < 2, always: true}\n"
                               "measure:\n"
                               "- {name: x, value: kobuki.x_m}\n"
                               "- {name: area, value: kobuki.x_m, take: integral}\n",
                        NULL);
    double value;
    sim_end(self.sim);
    assert_true(sim_measure_value(self.sim, 0, &value) && value > 0);
    assert_true(sim_measure_value(self.sim, 1, &value) && value == 0);
    assert_int_equal(sim_expectation(self.sim, 0).verdict, SIM_PASSED);
    assert_int_equal(sim_expectation(self.sim, 1).verdict, SIM_FAILED);
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

/* ---- Measures ---- */

static double measured(const struct sim *sim, size_t number)
{
    double value;
    assert_true(sim_measure_value(sim, number, &value));
    return value;
}

static void a_measure_takes_what_it_is_reported_to(void **state)
{
    (void)state;
    struct simulation self = simulation_open(
        ROOM "timeline:\n- {at: 0.5, do: \"kobuki.place x=1 y=2\"}\n"
             "- {at: 0.75, do: \"kobuki.place x=4 y=2\"}\n"
             "measure:\n"
             "- {name: last, value: world.time_s}\n"
             "- {name: moved, value: world.time_s, when: kobuki.x_m < 2}\n"
             "- {name: back, value: world.time_s, when: kobuki.x_m < 2, take: last}\n"
             "- {name: least, value: kobuki.x_m * 2, take: min}\n"
             "- {name: most, value: kobuki.x_m, take: max}\n"
             "- {name: mean, value: kobuki.x_m, when: kobuki.x_m < 2, take: mean}\n"
             "- {name: area, value: kobuki.x_m, when: kobuki.x_m < 2, take: integral}\n"
             "- {name: never, value: world.time_s, when: kobuki.x_m > 5}\n"
             "- {name: nothing, value: 1 / (kobuki.x_m - kobuki.x_m)}\n",
        NULL);
    static const double values[] = {1, 0.501, 0.75, 2, 4, 1, 0.25};
    double value;
    run_ms(self.sim, 1000);
    assert_int_equal(sim_measure_count(self.sim), 9);
    assert_string_equal(sim_measure_name(self.sim, 1), "moved");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!(measured(self.sim, i) > values[i] - 1e-9 && measured(self.sim, i) < values[i] + 1e-9))
            fail_msg("%s is %g", sim_measure_name(self.sim, i), measured(self.sim, i));
    assert_false(sim_measure_value(self.sim, 7, &value));
    assert_false(sim_measure_value(self.sim, 8, &value));
    simulation_close(&self);
}

static void measures_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *measure, *says;
    } wrong[] = {
        {"- {name: a, value: kobuki.x_m}\n- {name: a, value: kobuki.y_m}\n",
         "room.yaml:5:10: measure[1].name: 'a' is already the name of measure[0]"},
        {"- {name: a, value: kobuki.x_m}\n- {name: b, value: 1 + kobuki.x_m}\n"
         "- {name: b, value: kobuki.y_m}\n",
         "room.yaml:6:10: measure[2].name: 'b' is already the name of measure[1]"},
        {"- {name: a, value: kobuki.x_m > 1}\n",
         "measure[0].value: found a comparison instead of a number or a signal"},
        {"- {name: a, value: kobuki.x_m, when: kobuki.x_m}\n",
         "measure[0].when: found nothing after kobuki.x_m"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[512];
        struct error error = {0};
        snprintf(text, sizeof text, ROOM "measure:\n%s", wrong[i].measure);
        struct scene *scene = scene_parse(text, strlen(text), "room.yaml", &error);
        assert_non_null(scene);
        if (sim_create(scene, NULL, NULL, &error))
            fail_msg("accepted: %s", wrong[i].measure);
        if (!strstr(error.text, wrong[i].says))
            fail_msg("said: %s", error.text);
        scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_acts_at_its_time_and_not_before),
        cmocka_unit_test(a_condition_fires_once_and_commands_of_one_moment_go_in_order),
        cmocka_unit_test(a_refused_command_fails_the_run_and_says_why),
        cmocka_unit_test(a_signal_for_the_driver_is_due_once_at_its_time),
        cmocka_unit_test(within_passes_at_the_first_step_that_fulfills_it),
        cmocka_unit_test(within_fails_at_its_deadline_with_the_values_then),
        cmocka_unit_test(always_fails_at_the_first_step_that_breaks_it_and_never_recovers),
        cmocka_unit_test(at_end_is_judged_once_the_run_is_over),
        cmocka_unit_test(after_puts_the_judgment_off),
        cmocka_unit_test(a_run_that_ends_early_fails_what_had_no_chance),
        cmocka_unit_test(the_margin_is_that_of_the_best_or_of_the_worst_moment),
        cmocka_unit_test(an_expectation_after_another_begins_when_that_passes),
        cmocka_unit_test(what_was_true_before_the_other_passed_counts_for_nothing),
        cmocka_unit_test(what_comes_after_a_failure_is_not_judged),
        cmocka_unit_test(a_run_that_ends_early_fails_the_first_of_a_sequence_only),
        cmocka_unit_test(sequences_that_cannot_be_are_refused),
        cmocka_unit_test(always_stops_a_test_and_within_does_not_unless_told_otherwise),
        cmocka_unit_test(a_run_is_decided_only_when_each_expectation_is),
        cmocka_unit_test(no_command_of_the_timeline_acts_after_the_end),
        cmocka_unit_test(what_a_failure_cuts_short_is_not_judged),
        cmocka_unit_test(a_run_of_no_step_judges_what_is),
        cmocka_unit_test(a_scene_that_expects_nothing_has_nothing_to_judge),
        cmocka_unit_test(expectations_change_nothing_of_what_happens),
        cmocka_unit_test(a_measure_takes_what_it_is_reported_to),
        cmocka_unit_test(measures_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
