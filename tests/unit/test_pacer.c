/* The pacer. The readings of the clock are arguments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app/time/pacer.h"

#define MS    INT64_C(1000000) /* in ns */
#define START (INT64_C(12345) * 1000 * MS)

/* Makes all due steps; returns their number. */
static int64_t go(struct pacer *pacer, struct pace *pace, int64_t now_ns)
{
    struct pacer_due due = pacer_due(pacer, pace, now_ns);
    for (int64_t i = 0; i < due.steps; i++)
        pacer_stepped(pacer, pace);
    return due.steps;
}

static struct pacer make(enum pacer_mode mode, struct pace *pace, double speed)
{
    struct pacer pacer;
    pacer_init(&pacer, mode);
    *pace = (struct pace){.speed = speed};
    go(&pacer, pace, START);
    return pacer;
}

static void a_step_is_due_each_millisecond_and_not_sooner(void **state)
{
    (void)state;
    struct pace pace;
    struct pacer pacer = make(PACER_REAL_TIME, &pace, 1);
    struct pacer_due due = pacer_due(&pacer, &pace, START);
    assert_int_equal(due.steps, 0);
    assert_int_equal(due.wake_ns, START + MS);
    assert_int_equal(go(&pacer, &pace, START + MS - 1), 0);
    assert_int_equal(go(&pacer, &pace, START + MS), 1);
    assert_int_equal(go(&pacer, &pace, START + MS), 0);
    assert_int_equal(pacer_due(&pacer, &pace, START + MS).wake_ns, START + 2 * MS);
}

static void uneven_wake_ups_do_not_drift(void **state)
{
    (void)state;
    struct pace pace;
    struct pacer pacer = make(PACER_REAL_TIME, &pace, 1);
    int64_t now_ns = START, steps = 0;
    for (int i = 0; i < 100000; i++) {
        now_ns += 1 + (int64_t)i * 7919 % (9 * MS);
        steps += go(&pacer, &pace, now_ns);
    }
    assert_int_equal(steps, (now_ns - START) / MS);
    assert_int_equal(pacer.stats.steps, (uint64_t)steps);
    assert_int_equal(pacer.stats.drops, 0);
}

static void speed_multiplies_the_steps(void **state)
{
    (void)state;
    static const double speeds[] = {0.001, 0.3, 1, 3, 7, 1000};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        struct pace pace;
        struct pacer pacer = make(PACER_REAL_TIME, &pace, speeds[i]);
        int64_t steps = 0;
        for (int ms = 1; ms <= 100000; ms++)
            steps += go(&pacer, &pace, START + ms * MS);
        assert_int_equal(steps, llround(100000 * speeds[i]));
    }
}

static void the_wake_up_is_when_the_next_step_is_due(void **state)
{
    (void)state;
    static const double speeds[] = {0.001, 0.3, 1, 3, 7, 999.9};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        struct pace pace;
        struct pacer pacer = make(PACER_REAL_TIME, &pace, speeds[i]);
        int64_t now_ns = START;
        for (int step = 0; step < 10000; step++) {
            now_ns = pacer_due(&pacer, &pace, now_ns).wake_ns;
            assert_int_equal(pacer_next_ns(&pacer), now_ns);
            assert_int_equal(go(&pacer, &pace, now_ns - 1), 0);
            assert_int_equal(go(&pacer, &pace, now_ns), 1);
        }
    }
}

static void a_small_lag_is_caught_up(void **state)
{
    (void)state;
    struct pace pace;
    struct pacer pacer = make(PACER_REAL_TIME, &pace, 1);
    assert_int_equal(go(&pacer, &pace, START + MS + PACER_LAG_MAX_NS), 101);
    assert_int_equal(pacer.stats.drops, 0);
    assert_int_equal(pacer.stats.dropped_ns, 0);
    assert_int_equal(pacer.stats.late_max_ns, PACER_LAG_MAX_NS);
    assert_int_equal(go(&pacer, &pace, START + 102 * MS), 1);
}

static void what_is_more_than_the_largest_lag_is_dropped_and_counted(void **state)
{
    (void)state;
    struct pace pace;
    struct pacer pacer = make(PACER_REAL_TIME, &pace, 1);
    int64_t now_ns = START + 5001 * MS;
    assert_int_equal(go(&pacer, &pace, now_ns), 101);
    assert_int_equal(pacer.stats.drops, 1);
    assert_int_equal(pacer.stats.dropped_ns, 4900 * MS);
    assert_int_equal(pacer.stats.late_max_ns, 5000 * MS);
    assert_true(fabs(pace.late_ms - 5000) < 1e-9);
    // From here on, time advances as before.
    assert_int_equal(go(&pacer, &pace, now_ns), 0);
    assert_int_equal(go(&pacer, &pace, now_ns + 10 * MS), 10);
    assert_int_equal(pacer.stats.drops, 1);
}

static void fewer_steps_than_due_leave_the_rest_due(void **state)
{
    (void)state;
    struct pace pace;
    struct pacer pacer = make(PACER_REAL_TIME, &pace, 1);
    assert_int_equal(pacer_due(&pacer, &pace, START + 10 * MS).steps, 10);
    for (int i = 0; i < 4; i++)
        pacer_stepped(&pacer, &pace);
    struct pacer_due due = pacer_due(&pacer, &pace, START + 10 * MS);
    assert_int_equal(due.steps, 6);
    assert_true(due.wake_ns <= START + 10 * MS);
}

static void the_latest_step_is_reported_also_where_it_was_caught_up(void **state)
{
    (void)state;
    struct pace pace;
    struct pacer pacer = make(PACER_REAL_TIME, &pace, 1);
    go(&pacer, &pace, START + 31 * MS);
    assert_true(fabs(pace.late_ms - 30) < 1e-9);
    go(&pacer, &pace, START + 42 * MS);
    assert_true(fabs(pace.late_ms - 30) < 1e-9);
    assert_true(pace.dropped_s == 0);
    assert_int_equal(pacer.stats.late_ns, 0); // no time was dropped
    go(&pacer, &pace, START + 1043 * MS);
    assert_int_equal(pacer.stats.late_ns, 1000 * MS);
    assert_true(fabs(pace.dropped_s - 0.9) < 1e-9);
    go(&pacer, &pace, START + 1543 * MS);
    assert_true(fabs(pace.late_ms - 1000) < 1e-9);
    assert_int_equal(pacer.stats.drops, 2);
}

static void a_pause_stands_still_and_is_not_caught_up(void **state)
{
    (void)state;
    struct pace pace;
    struct pacer pacer = make(PACER_REAL_TIME, &pace, 1);
    assert_int_equal(go(&pacer, &pace, START + 50 * MS), 50);
    pace.is_paused = true;
    struct pacer_due due = pacer_due(&pacer, &pace, START + 60 * MS);
    assert_int_equal(due.steps, 0);
    assert_int_equal(due.wake_ns, PACER_NEVER);
    pace.is_paused = false;
    assert_int_equal(go(&pacer, &pace, START + 9000 * MS), 0);
    assert_int_equal(go(&pacer, &pace, START + 9003 * MS), 3);
    assert_int_equal(pacer.stats.drops, 0);
}

static void wanted_steps_are_done_at_once_while_paused(void **state)
{
    (void)state;
    struct pace pace;
    struct pacer pacer = make(PACER_REAL_TIME, &pace, 1);
    pace.is_paused = true;
    pace.steps_wanted = 7;
    assert_true(pacer_due(&pacer, &pace, START + MS).wake_ns <= START + MS);
    assert_int_equal(go(&pacer, &pace, START + MS), 7);
    assert_int_equal(pace.steps_wanted, 0);
    assert_int_equal(go(&pacer, &pace, START + 2 * MS), 0);
    pace.steps_wanted = 1;
    assert_int_equal(pacer_due(&pacer, &pace, START + 3 * MS).wake_ns, START + 3 * MS);
    assert_int_equal(pacer_next_ns(&pacer), PACER_NEVER);
}

static void wanted_steps_are_forgotten_while_time_runs(void **state)
{
    (void)state;
    struct pace pace;
    struct pacer pacer = make(PACER_REAL_TIME, &pace, 1);
    pace.steps_wanted = 1000;
    assert_int_equal(go(&pacer, &pace, START + 2 * MS), 2);
    assert_int_equal(pace.steps_wanted, 0);
}

static void a_new_speed_counts_from_now_on(void **state)
{
    (void)state;
    struct pace pace;
    struct pacer pacer = make(PACER_REAL_TIME, &pace, 1);
    assert_int_equal(go(&pacer, &pace, START + 20 * MS), 20);
    pace.speed = 10;
    assert_int_equal(go(&pacer, &pace, START + 20 * MS), 0);
    assert_int_equal(go(&pacer, &pace, START + 21 * MS), 10);
}

static void fast_never_waits_but_pauses(void **state)
{
    (void)state;
    struct pace pace = {.speed = 1};
    struct pacer pacer;
    pacer_init(&pacer, PACER_FAST);
    struct pacer_due due = pacer_due(&pacer, &pace, START);
    assert_true(due.steps > 1000000);
    assert_true(due.wake_ns <= START);
    pace.is_paused = true;
    due = pacer_due(&pacer, &pace, START);
    assert_int_equal(due.steps, 0);
    assert_int_equal(due.wake_ns, PACER_NEVER);
}

static void lockstep_takes_only_wanted_steps_and_cannot_be_let_run(void **state)
{
    (void)state;
    struct pace pace;
    struct pacer pacer = make(PACER_LOCKSTEP, &pace, 1);
    assert_int_equal(go(&pacer, &pace, START + 5000 * MS), 0);
    pace.is_paused = false;
    assert_int_equal(go(&pacer, &pace, START + 6000 * MS), 0);
    pace.steps_wanted = 3;
    assert_int_equal(go(&pacer, &pace, START + 6000 * MS), 3);
    assert_int_equal(pacer_due(&pacer, &pace, START + 6001 * MS).wake_ns, PACER_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_due_each_millisecond_and_not_sooner),
        cmocka_unit_test(uneven_wake_ups_do_not_drift),
        cmocka_unit_test(speed_multiplies_the_steps),
        cmocka_unit_test(the_wake_up_is_when_the_next_step_is_due),
        cmocka_unit_test(a_small_lag_is_caught_up),
        cmocka_unit_test(what_is_more_than_the_largest_lag_is_dropped_and_counted),
        cmocka_unit_test(fewer_steps_than_due_leave_the_rest_due),
        cmocka_unit_test(the_latest_step_is_reported_also_where_it_was_caught_up),
        cmocka_unit_test(a_pause_stands_still_and_is_not_caught_up),
        cmocka_unit_test(wanted_steps_are_done_at_once_while_paused),
        cmocka_unit_test(wanted_steps_are_forgotten_while_time_runs),
        cmocka_unit_test(a_new_speed_counts_from_now_on),
        cmocka_unit_test(fast_never_waits_but_pauses),
        cmocka_unit_test(lockstep_takes_only_wanted_steps_and_cannot_be_let_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
