/* Verdicts on a driver during a fault, from measurements of its run and of its baseline. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/lab/stress/hardship.h"
#include "app/test/survival_judge.h"
#include "sim/sim.h"

/* A driver that sends 20 commands a second and reads 4000 bytes, from 0 to 20 s. */
static void fill(struct survival_facts *facts)
{
    *facts = (struct survival_facts){.is_there = true, .tenths = 200, .run_s = 20};
    for (size_t i = 0; i < facts->tenths; i++) {
        facts->commands[i] = 2 * i;
        facts->taken[i] = 400 * i;
        facts->written[i] = 20 * i;
    }
    facts->packets[0] = (struct survival_packet){.name = "kobuki.uart base_control", .speed = 200};
    facts->packet_count = 1;
}

/* From FROM_S on the driver does PART of that. */
static void slow_down(struct survival_facts *facts, double from_s, double part)
{
    for (size_t i = (size_t)(from_s * 10); i < facts->tenths; i++) {
        double more = part * ((double)i - from_s * 10);
        facts->commands[i] = (uint64_t)(20 * from_s + 2 * more);
        facts->taken[i] = (uint64_t)(4000 * from_s + 400 * more);
        facts->written[i] = (uint64_t)(200 * from_s + 20 * more);
    }
}

static void end(struct survival_facts *facts, double at_s, int status)
{
    facts->is_ended = true;
    facts->end_s = at_s;
    facts->status = status;
}

struct rig {
    struct survival_facts usual, facts;
    struct survival survival;
    const char *printed;
    char found[320]; /* text of the last verdict that fired */
};

static struct rig *begin(void)
{
    static struct rig rig; // large
    memset(&rig, 0, sizeof rig);
    fill(&rig.usual);
    fill(&rig.facts);
    rig.survival =
        (struct survival){.what = "hardship",
                          .from_s = 3,
                          .until_s = 6,
                          .recover_s = 2,
                          .for_s = 20,
                          .off = SURVIVAL_BIT(SURVIVAL_LEAKS) | SURVIVAL_BIT(SURVIVAL_STARVED),
                          .baselines = &rig.usual,
                          .baseline_count = 1,
                          .facts = &rig.facts};
    return &rig;
}

/* The verdicts that fire, as bits. */
static unsigned judge(struct rig *rig)
{
    struct judgement judgement = {0};
    unsigned fired = 0;
    judgement_add(&judgement, &(struct judgement_case){.verdict = JUDGEMENT_FAILED,
                                                       .what = "driver",
                                                       .when = "host",
                                                       .is_host = true});
    judgement.cases[0].printed = strdup(rig->printed ? rig->printed : "");
    survival_judge(&rig->survival, &judgement);
    for (size_t i = 0; i < judgement.count; i++)
        for (unsigned k = 0; k < SURVIVAL_VERDICTS; k++)
            if (judgement.cases[i].verdict == JUDGEMENT_FAILED &&
                strcmp(judgement.cases[i].what, survival_rows[k].word) == 0) {
                fired |= SURVIVAL_BIT(k);
                snprintf(rig->found, sizeof rig->found, "%s", judgement.cases[i].found);
            }
    judgement_free(&judgement);
    return fired;
}

#define FIRES(rig, verdict) assert_int_equal(judge(rig), SURVIVAL_BIT(SURVIVAL_##verdict))

static void a_driver_that_does_as_before_survives(void **state)
{
    (void)state;
    assert_int_equal(judge(begin()), 0);
}

static void a_signal_an_exception_or_a_sanitizer_is_a_crash(void **state)
{
    (void)state;
    struct rig *rig = begin();
    end(&rig->facts, 4, SIGSEGV);
    FIRES(rig, CRASHED);
    rig = begin();
    end(&rig->facts, 4, (128 + SIGABRT) << 8); // as a shell passes it on
    FIRES(rig, CRASHED);
    rig = begin();
    end(&rig->facts, 4, 1 << 8);
    rig->survival.off |= SURVIVAL_BIT(SURVIVAL_GAVE_UP);
    rig->printed = "Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 3\n";
    FIRES(rig, CRASHED);
    rig->printed = "Traceback (most recent call last):\n  File \"a.py\"\nKeyboardInterrupt\n"
                   "Closing port\n";
    assert_int_equal(judge(rig), 0);
    rig = begin();
    rig->printed = "a.c:1:2: runtime error: signed integer overflow\n";
    FIRES(rig, CRASHED);
    rig->printed = "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x7f12 (pc 0x55d1)\n"
                   "    #0 0x55d1 in parse a.c:7\n"
                   "SUMMARY: AddressSanitizer: SEGV a.c:7 in parse\n==7==ABORTING\n";
    FIRES(rig, CRASHED); // addresses would make each run another finding
    assert_string_equal(rig->found, "AddressSanitizer: SEGV a.c:7 in parse");
    rig->printed = "Traceback (most recent call last):\nlogged, and it goes on\n";
    assert_int_equal(judge(rig), 0);
    rig->printed = "Exception in thread Thread-1 (read):\nTraceback (most recent call last):\n"
                   "  File \"/home/a.py\", line 9, in read\nKeyError: 3\n";
    FIRES(rig, CRASHED); // the other threads work on
    assert_string_equal(rig->found, "KeyError: 3; a.py, line 9, in read");
    rig->printed = "Exception in thread \"reader\" java.lang.NullPointerException\n";
    FIRES(rig, CRASHED);
    assert_string_equal(rig->found,
                        "Exception in thread \"reader\" java.lang.NullPointerException");
    end(&rig->facts, 4, 1 << 8);
    rig->survival.off |= SURVIVAL_BIT(SURVIVAL_GAVE_UP);
    rig->printed =
        "Traceback (most recent call last):\n  File \"/usr/lib/a.py\", line 6, in f\n"
        "OSError: a message of many words, more than a line of a terminal can show, "
        "that names the port of the driver and says again and again that there is no "
        "such device, and then names another port, whose path is as long as the first "
        "one of them, which it has opened before: /dev/shm/ptybot-0/run-29450/ports/kobuki\n";
    FIRES(rig, CRASHED);
    assert_string_equal(rig->found,
                        "OSError: a message of many words, more than a line of a terminal can "
                        "show, that names the port of the driver and says again and again that "
                        "there is no such device, and then names another port, whose path "
                        "is as long as the first one of them, which it has opened before: ...; "
                        "a.py, line 6, in f");
}

static void an_exception_that_python_ignores_is_no_crash(void **state)
{
    (void)state;
    struct rig *rig = begin();
    end(&rig->facts, 4, 1 << 8);
    rig->survival.off |= SURVIVAL_BIT(SURVIVAL_GAVE_UP);
    rig->printed = "no port\nException ignored in: <function Robot.__del__ at 0x1>\n"
                   "Traceback (most recent call last):\n  File \"a.py\"\nOSError: 5\n";
    assert_int_equal(judge(rig), 0);
}

static void a_driver_ends_by_the_signal_that_it_gets(void **state)
{
    (void)state;
    struct rig *rig = begin();
    rig->survival.signal = SIGINT;
    end(&rig->facts, 3, SIGINT);
    assert_int_equal(judge(rig), 0);
    rig->survival.signal = 0;
    FIRES(rig, CRASHED);
    rig = begin();
    rig->survival.signal = SIGTERM;
    FIRES(rig, HUNG); // it works on
    assert_string_equal(rig->found, "still runs 14.0 s after SIGTERM");
    rig->survival.recover_s = 12; // it may still end
    assert_int_equal(judge(rig), 0);
    rig->survival.recover_s = 2;
    rig->survival.policy = SURVIVAL_RESTART;
    assert_int_equal(judge(rig), 0);
}

static void silence_to_the_end_is_hung_and_half_the_work_is_not_recovered(void **state)
{
    (void)state;
    struct rig *rig = begin();
    slow_down(&rig->facts, 4, 0);
    assert_int_equal(judge(rig), SURVIVAL_BIT(SURVIVAL_HUNG) | SURVIVAL_BIT(SURVIVAL_LOST));
    rig = begin();
    slow_down(&rig->facts, 4, 0.4);
    FIRES(rig, LOST);
    rig = begin();
    slow_down(&rig->facts, 4, 0.6);
    assert_int_equal(judge(rig), 0);
    // A driver that reads nothing in the baseline is not expected to.
    rig = begin();
    memset(rig->usual.taken, 0, sizeof rig->usual.taken);
    memset(rig->facts.taken, 0, sizeof rig->facts.taken);
    assert_int_equal(judge(rig), 0);
}

static void a_driver_that_opens_its_port_again_and_again_has_not_recovered(void **state)
{
    (void)state;
    struct rig *rig = begin();
    for (size_t i = 60; i < rig->facts.tenths; i++)
        rig->facts.opened[i] = i - 60;
    FIRES(rig, LOST);
    for (size_t i = 0; i < rig->usual.tenths; i++)
        rig->usual.opened[i] = i; // as it always does
    assert_int_equal(judge(rig), 0);
}

static void a_robot_that_waits_for_the_rest_of_a_frame_is_not_the_drivers_fault(void **state)
{
    (void)state;
    struct rig *rig = begin();
    slow_down(&rig->facts, 4, 0);
    for (size_t i = 40; i < rig->facts.tenths; i++)
        rig->facts.written[i] = 800 + 2 * i; // it asks again
    FIRES(rig, LOST);
    rig->facts.errors[60].speed_m_s = 0.7; // the robot has stopped
    assert_int_equal(judge(rig), SURVIVAL_BIT(SURVIVAL_LOST) | SURVIVAL_BIT(SURVIVAL_ESTIMATE));
    rig->survival.off |= SURVIVAL_BIT(SURVIVAL_UNEXPECTED) | SURVIVAL_BIT(SURVIVAL_HUNG);
    assert_int_equal(judge(rig), 0);
    rig->facts.errors[45].speed_m_s = 0.7; // the robot understood a command half a second ago
    FIRES(rig, ESTIMATE);
    rig->facts.errors[45].speed_m_s = rig->facts.errors[60].speed_m_s = 0;
    slow_down(&rig->facts, 4, 0); // it sends no more queries
    FIRES(rig, LOST);
    rig->facts.errors[60].speed_m_s = 0.7;
    assert_int_equal(judge(rig), SURVIVAL_BIT(SURVIVAL_LOST) | SURVIVAL_BIT(SURVIVAL_ESTIMATE));
    for (size_t i = 43; i < rig->facts.tenths; i++)
        rig->facts.written[i] += 20; // it sent one query, and opens its port again
    FIRES(rig, LOST);
}

static void a_robot_may_not_move_after_its_driver_unless_it_does_in_the_baseline(void **state)
{
    (void)state;
    struct rig *rig = begin();
    rig->survival.signal = SIGTERM;
    end(&rig->facts, 4, 0);
    rig->facts.speed_m_s = 0.2;
    FIRES(rig, MOVING);
    end(&rig->usual, 5, 0);
    rig->usual.speed_m_s = 0.2;
    assert_int_equal(judge(rig), 0);
}

static void new_packets_and_higher_speeds_are_unexpected(void **state)
{
    (void)state;
    struct rig *rig = begin();
    rig->facts.packets[0].speed = 299;
    assert_int_equal(judge(rig), 0);
    rig->facts.packets[0].speed = 400;
    FIRES(rig, UNEXPECTED);
    rig = begin();
    snprintf(rig->facts.packets[0].name, sizeof rig->facts.packets[0].name, "kobuki.uart reset");
    FIRES(rig, UNEXPECTED);
    rig = begin();
    rig->facts.refused = 1;
    FIRES(rig, UNEXPECTED);
}

static void an_estimate_may_not_be_worse_than_in_the_baseline(void **state)
{
    (void)state;
    struct rig *rig = begin();
    rig->usual.errors[50].speed_m_s = rig->facts.errors[50].speed_m_s = 0.5;
    rig->facts.errors[55].position_m = 0.09;
    assert_int_equal(judge(rig), 0);
    rig->facts.errors[55].position_m = 0.11;
    FIRES(rig, ESTIMATE);
    rig->survival.fails_link = true; // the driver cannot know before 8 s
    assert_int_equal(judge(rig), 0);
    rig->facts.errors[85].position_m = 0.2;
    FIRES(rig, ESTIMATE);
    rig->survival.off |= SURVIVAL_POSE; // nor which way the robot went meanwhile
    assert_int_equal(judge(rig), 0);
    rig->facts.errors[85].speed_m_s = 0.7;
    FIRES(rig, ESTIMATE);
}

static void success_before_the_work_is_done_is_no_success(void **state)
{
    (void)state;
    struct rig *rig = begin();
    end(&rig->usual, 15, 0);
    end(&rig->facts, 16, 0);
    assert_int_equal(judge(rig), 0);
    end(&rig->facts, 5, 0);
    FIRES(rig, UNAWARE);
}

static void polling_leaking_and_starving_are_found(void **state)
{
    (void)state;
    struct rig *rig = begin();
    rig->facts.polled_s = 1.1; // a loop that looks at the clock
    FIRES(rig, SPINS);
    rig->facts.polled_s = 0.9; // it handled a burst
    assert_int_equal(judge(rig), 0);
    rig->facts.polled_s = 1.1;
    rig->usual.polled_s = 0.2;
    assert_int_equal(judge(rig), 0);
    rig->usual.polled_s = rig->usual.run_s = 10; // its way to wait, in a shorter run
    rig->facts.polled_s = 20;
    assert_int_equal(judge(rig), 0);
    rig = begin();
    rig->facts.charged_s = 1;
    FIRES(rig, SPINS);
    rig = begin();
    rig->survival.off = 0;
    rig->usual.descriptors = rig->facts.descriptors_first = 8;
    rig->facts.descriptors = 40;
    FIRES(rig, LEAKS);
    rig = begin();
    rig->survival.off = 0;
    for (size_t i = 30; i < rig->facts.tenths; i++)
        rig->facts.commands[i] -= i < 60 ? i - 30 : 30;
    FIRES(rig, STARVED);
    rig->survival.latency_s = 0.1; // a driver that waits for each answer can do no better
    assert_int_equal(judge(rig), 0);
}

static void an_error_is_giving_up_unless_the_policy_asks_for_it(void **state)
{
    (void)state;
    struct rig *rig = begin();
    end(&rig->facts, 5, 4 << 8);
    FIRES(rig, GAVE_UP);
    rig->survival.fails_link = rig->survival.ends_link = true;
    rig->survival.policy = SURVIVAL_EXIT;
    assert_int_equal(judge(rig), 0);
    rig->facts.is_ended = false;
    FIRES(rig, GAVE_UP);
    rig->survival.ends_link = false; // too short for a driver to know
    assert_int_equal(judge(rig), 0);
    slow_down(&rig->facts, 4, 0.1);
    FIRES(rig, LOST);
}

/* The hardship ends at 6 s, and the driver has two seconds to recover. */
static void a_driver_that_ends_by_itself_is_judged_until_its_end(void **state)
{
    (void)state;
    struct rig *rig = begin();
    end(&rig->usual, 12, 0);
    end(&rig->facts, 12, 0);
    assert_int_equal(judge(rig), 0);
    assert_false(survival_is_early(&rig->survival, 12));
    slow_down(&rig->facts, 4, 0.1);
    FIRES(rig, LOST);
    end(&rig->facts, 12, 4 << 8);
    FIRES(rig, GAVE_UP); // it knows that it has not recovered
    end(&rig->facts, 10.9, 0);
    assert_int_equal(judge(rig), 0);
    assert_true(survival_is_early(&rig->survival, 10.9));
    assert_false(survival_is_early(&rig->survival, NAN));
    rig->survival.off |= SURVIVAL_BIT(SURVIVAL_LOST);
    assert_false(survival_is_early(&rig->survival, 10.9));
}

static double recovery_s(struct rig *rig)
{
    struct judgement judgement = {0};
    double found_s = NAN;
    survival_judge(&rig->survival, &judgement);
    for (size_t i = 0; i < judgement.measure_count; i++)
        if (strcmp(judgement.measures[i].name, "recovery_s") == 0)
            found_s = judgement.measures[i].is_there ? judgement.measures[i].value : NAN;
    judgement_free(&judgement);
    return found_s;
}

static void the_end_of_a_driver_is_no_recovery(void **state)
{
    (void)state;
    struct rig *rig = begin();
    assert_true(recovery_s(rig) == 0);
    for (size_t i = 60; i < 80; i++) // 2 s without a byte after the hardship
        rig->facts.taken[i] = rig->facts.taken[60];
    assert_float_equal(recovery_s(rig), 1.3, 0.31);
    end(&rig->facts, 7.5, 0);
    assert_true(isnan(recovery_s(rig)));
}

/* Whether a kind of fault, as named by `ptybot list faults`, has a row. */
static bool hardship_has(const char *kind)
{
    size_t size = strlen(kind);
    for (size_t i = 0; i < hardship_count; i++) {
        const char *at = hardships[i].text ? strchr(hardships[i].text, '=') : NULL;
        if (at && hardships[i].target == HARDSHIP_FAULT && strncmp(at + 1, kind, size) == 0 &&
            (at[size + 1] == '\0' || at[size + 1] == ' '))
            return true;
    }
    return false;
}

static void every_kind_of_fault_has_a_row(void **state)
{
    (void)state;
    struct sim_fault_info info;
    for (size_t i = 0; sim_fault_info(i, &info); i++)
        if (!hardship_has(info.kind))
            fail_msg("%s has no row in app/lab/stress/hardship.c", info.kind);
    assert_false(hardship_has("drops"));
}

static void a_verdict_that_is_off_does_not_fire(void **state)
{
    (void)state;
    struct rig *rig = begin();
    slow_down(&rig->facts, 4, 0);
    end(&rig->facts, 5, SIGSEGV);
    rig->survival.off = ~0u;
    assert_int_equal(judge(rig), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_that_does_as_before_survives),
        cmocka_unit_test(a_signal_an_exception_or_a_sanitizer_is_a_crash),
        cmocka_unit_test(an_exception_that_python_ignores_is_no_crash),
        cmocka_unit_test(a_driver_ends_by_the_signal_that_it_gets),
        cmocka_unit_test(silence_to_the_end_is_hung_and_half_the_work_is_not_recovered),
        cmocka_unit_test(a_driver_that_opens_its_port_again_and_again_has_not_recovered),
        cmocka_unit_test(a_robot_that_waits_for_the_rest_of_a_frame_is_not_the_drivers_fault),
        cmocka_unit_test(a_robot_may_not_move_after_its_driver_unless_it_does_in_the_baseline),
        cmocka_unit_test(new_packets_and_higher_speeds_are_unexpected),
        cmocka_unit_test(an_estimate_may_not_be_worse_than_in_the_baseline),
        cmocka_unit_test(success_before_the_work_is_done_is_no_success),
        cmocka_unit_test(polling_leaking_and_starving_are_found),
        cmocka_unit_test(an_error_is_giving_up_unless_the_policy_asks_for_it),
        cmocka_unit_test(a_driver_that_ends_by_itself_is_judged_until_its_end),
        cmocka_unit_test(the_end_of_a_driver_is_no_recovery),
        cmocka_unit_test(every_kind_of_fault_has_a_row),
        cmocka_unit_test(a_verdict_that_is_off_does_not_fire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
