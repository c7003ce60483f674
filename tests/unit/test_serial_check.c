/* The settings of a serial port that count against a host, and the time when they count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/links/serial_check.h"

static const struct serial_settings right = {.baud = 115200}, wrong = {.baud = 57600};

/* A host that came with the settings WRONG at 1 s, by both clocks. */
static struct serial_check came(void)
{
    struct serial_check check = {.robot = right};
    serial_check_came(&check);
    serial_check_set(&check, wrong, 1000000000, 1000000);
    return check;
}

static void who_only_looks_is_forgiven_by_either_clock(void **state)
{
    (void)state;
    static const struct {
        int64_t machine_ms, simulated_ms;
        bool counts;
    } rows[] = {
        {0, 0, false},    {299, 10000, false}, {10000, 299, false},
        {300, 300, true}, {10000, 300, true},  {300, 10000, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct serial_check check = came();
        serial_check_left(&check, (1000 + rows[i].machine_ms) * 1000000,
                          (1000 + rows[i].simulated_ms) * 1000);
        assert_int_equal(check.wrong.baud, rows[i].counts ? wrong.baud : 0);
        assert_int_equal(check.wrong_us, rows[i].counts ? (1000 + rows[i].simulated_ms) * 1000 : 0);
    }
}

static void bytes_count_at_once(void **state)
{
    (void)state;
    struct serial_check check = came();
    assert_false(serial_check_count(&check, false, 1000000000, 1000000));
    assert_true(serial_check_count(&check, true, 1000000000, 1000000));
    assert_int_equal(check.wrong.baud, wrong.baud);
    assert_true(check.is_seen);
}

static void what_is_put_back_after_the_right_ones_does_not_count(void **state)
{
    (void)state;
    struct serial_check check = came();
    serial_check_set(&check, right, 1200000000, 1200000);
    assert_false(serial_check_count(&check, true, 1200000000, 1200000));
    serial_check_set(&check, wrong, 9000000000, 9000000);
    serial_check_left(&check, 10000000000, 10000000);
    assert_int_equal(check.wrong.baud, 0);
    assert_true(check.is_seen);
}

/* The next host is judged from its own arrival on. */
static void another_host_begins_anew(void **state)
{
    (void)state;
    struct serial_check check = came();
    serial_check_left(&check, 1100000000, 1100000);
    serial_check_came(&check);
    assert_int_equal(check.known.baud, 0);
    assert_int_equal(check.now.baud, 0);
    serial_check_set(&check, wrong, 9000000000, 9000000);
    serial_check_left(&check, 9100000000, 9100000);
    assert_int_equal(check.wrong.baud, 0);
}

/* The second host with the same wrong settings is warned too, and a host with right settings does
 * not excuse the next one. */
static void each_host_is_warned_once(void **state)
{
    (void)state;
    struct serial_check check = {.robot = right};
    for (int i = 0; i < 3; i++) {
        serial_check_came(&check);
        serial_check_set(&check, i == 1 ? right : wrong, 1000000000, 1000000);
        assert_int_equal(serial_check_count(&check, true, 1000000000, 1000000), i != 1);
        assert_false(serial_check_count(&check, true, 1000000000, 1000000));
        serial_check_set(&check, (struct serial_settings){.baud = 9600}, 1000000000, 1000000);
        assert_int_equal(serial_check_count(&check, true, 1000000000, 1000000), i == 1);
        serial_check_left(&check, 1000000000, 1000000);
    }
}

/* A host that writes nothing is warned after 0.3 s by both clocks. */
static void settings_without_bytes_count_when_both_clocks_say_so(void **state)
{
    (void)state;
    static const int64_t us[][2] = {{299900, 10000000}, {10000000, 299900}, {300000, 300000}};
    struct serial_check check = came();
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(
            serial_check_count(&check, false, (1000000 + us[i][0]) * 1000, 1000000 + us[i][1]),
            i == 2);
}

static void the_first_wrong_settings_of_all_hosts_are_kept(void **state)
{
    (void)state;
    struct serial_check check = came();
    assert_true(serial_check_count(&check, true, 1500000000, 1500000));
    serial_check_left(&check, 9000000000, 9000000);
    for (int64_t i = 2; i < 4; i++) {
        serial_check_came(&check);
        serial_check_set(&check, (struct serial_settings){.baud = 9600}, i * 1000000000,
                         i * 1000000);
        serial_check_count(&check, i == 2, i * 1000000000, i * 1000000);
        serial_check_left(&check, 9000000000, 9000000);
    }
    assert_int_equal(check.wrong.baud, wrong.baud);
    assert_int_equal(check.wrong_us, 1500000);
}

/* The simulation learns the initial settings of a real port only if the host works with them. */
static void settings_that_a_host_has_not_set_are_known_when_they_count(void **state)
{
    (void)state;
    static const struct serial_settings start = {.baud = 9600, .mode = SERIAL_UNSET};
    struct serial_check check = {.robot = right};
    serial_check_came(&check);
    serial_check_set(&check, start, 1000000000, 1000000);
    assert_false(serial_check_count(&check, false, 1000000000, 1000000));
    assert_int_equal(check.known.baud, 0);
    assert_true(serial_check_count(&check, true, 1000000000, 1000000));
    assert_int_equal(check.known.baud, 9600);
    /* A host that has set others restores these. */
    serial_check_set(&check, wrong, 1000000000, 1000000);
    serial_check_set(&check, start, 1000000000, 1000000);
    serial_check_count(&check, true, 1000000000, 1000000);
    assert_int_equal(check.known.baud, wrong.baud);
}

static void unknown_settings_are_not_judged(void **state)
{
    (void)state;
    static const struct serial_settings unknown = {.mode = SERIAL_TWO_STOP_BITS};
    struct serial_check check = came();
    serial_check_set(&check, unknown, 2000000000, 2000000);
    assert_false(serial_check_count(&check, true, 9000000000, 9000000));
    assert_int_equal(check.known.baud, wrong.baud);
    assert_false(check.is_seen);
    check = (struct serial_check){.robot = unknown}; /* nothing to judge */
    serial_check_came(&check);
    serial_check_set(&check, wrong, 1000000000, 1000000);
    assert_false(serial_check_count(&check, true, 9000000000, 9000000));
    assert_int_equal(check.known.baud, wrong.baud);
    /* The slowest rate is one. */
    check.robot = right;
    serial_check_set(&check, (struct serial_settings){.baud = 1}, 9000000000, 9000000);
    assert_true(serial_check_count(&check, true, 9000000000, 9000000));
    assert_int_equal(check.known.baud, 1);
    check = came();
    check.robot.baud = 1;
    assert_true(serial_check_count(&check, true, 9000000000, 9000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_only_looks_is_forgiven_by_either_clock),
        cmocka_unit_test(bytes_count_at_once),
        cmocka_unit_test(what_is_put_back_after_the_right_ones_does_not_count),
        cmocka_unit_test(another_host_begins_anew),
        cmocka_unit_test(each_host_is_warned_once),
        cmocka_unit_test(the_first_wrong_settings_of_all_hosts_are_kept),
        cmocka_unit_test(settings_without_bytes_count_when_both_clocks_say_so),
        cmocka_unit_test(settings_that_a_host_has_not_set_are_known_when_they_count),
        cmocka_unit_test(unknown_settings_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
