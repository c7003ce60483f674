/* Times of the messages that a COBOT sends, over a minute of simulated time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/cobot_rig.h"

/* A cycle with all messages takes 82 bytes on the wire: 7.2 ms at 115200 baud. */
enum { CYCLE_US = 8000 };

struct schedule {
    int64_t period_us[RIG_FUNCTIONS];
    int64_t late_us; /* largest delay */
    char order[64];  /* functions of the first 200 ms */
    size_t used;
};

static void look(struct rig *rig, uint8_t function)
{
    struct schedule *schedule = rig->user;
    int64_t period_us = schedule->period_us[function];
    int64_t due_us = (int64_t)rig->received[RIG_UART][function] * period_us;
    int64_t late_us = sim_now_us(rig->sim) - due_us;
    assert_true(late_us >= 0);
    if (late_us > schedule->late_us)
        schedule->late_us = late_us;
    if (due_us <= 200000 && schedule->used + 1 < sizeof schedule->order)
        schedule->order[schedule->used++] = (char)('0' + function);
}

static void check_minute(const char *const *options, struct schedule *schedule)
{
    struct rig rig = rig_open("mecanum", options);
    rig.heard = look;
    rig.user = schedule;
    rig_drive(&rig, 200, 0, 50, 60);
    rig_run(&rig, CYCLE_US * 1e-6);
    for (int function = 2; function < RIG_FUNCTIONS; function++) {
        uint64_t expected = (uint64_t)(60000000 / schedule->period_us[function]);
        if (rig.received[RIG_UART][function] != expected)
            fail_msg("message %02x came %llu times", function,
                     (unsigned long long)rig.received[RIG_UART][function]);
    }
    assert_int_equal(rig.bad[RIG_UART], 0);
    assert_true(rig_get(&rig, "uart.overruns") == 0);
    assert_int_equal(rig.received[RIG_BLUETOOTH][2], 0);
    assert_true(schedule->late_us <= CYCLE_US);
    print_message(
        "02 %llu, 03 %llu, 04 %llu, 05 %llu, 06 %llu, 07 %llu; %.0f bytes; at most %lld us "
        "after the deadline\n",
        (unsigned long long)rig.received[RIG_UART][2],
        (unsigned long long)rig.received[RIG_UART][3],
        (unsigned long long)rig.received[RIG_UART][4],
        (unsigned long long)rig.received[RIG_UART][5],
        (unsigned long long)rig.received[RIG_UART][6],
        (unsigned long long)rig.received[RIG_UART][7], rig_get(&rig, "uart.to_host_bytes"),
        (long long)schedule->late_us);
    rig_close(&rig);
}

static void a_minute_has_the_documented_number_of_each_message(void **state)
{
    (void)state;
    struct schedule schedule = {.period_us = {0, 0, 50000, 50000, 200000, 50000, 25000, 200000}};
    check_minute(NULL, &schedule);
    assert_string_equal(schedule.order, "6"
                                        "2356"
                                        "6"
                                        "2356"
                                        "6"
                                        "2356"
                                        "6"
                                        "235476");
}

static void the_firmwares_own_ratios_are_an_option(void **state)
{
    (void)state;
    const char *const firmware[] = {"cobot.rates=firmware", NULL};
    struct schedule schedule = {.period_us = {0, 0, 75000, 75000, 150000, 75000, 25000, 150000}};
    check_minute(firmware, &schedule);
}

static void messages_need_neither_a_host_nor_a_command(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    sim_host_present(rig.sim, rig.channel[RIG_UART], false);
    rig_run(&rig, 1);
    assert_true(rig_get(&rig, "uart.sent") >= 20 * 3 + 5 * 2 + 40);
    assert_true(rig_get(&rig, "uart.unheard_frames") >= 100);
    sim_host_present(rig.sim, rig.channel[RIG_UART], true);
    rig_run(&rig, 1);
    assert_in_range(rig.received[RIG_UART][2], 19, 21);
    assert_int_equal(rig.bad[RIG_UART], 0);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minute_has_the_documented_number_of_each_message),
        cmocka_unit_test(the_firmwares_own_ratios_are_an_option),
        cmocka_unit_test(messages_need_neither_a_host_nor_a_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
