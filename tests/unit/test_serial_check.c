/* Which settings of a serial port count against a host, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/links/serial_check.h"

static const struct serial_settings right = {.baud = 115200}, wrong = {.baud = 57600};

/* A host that came with WRONG ones at 1 s, by both clocks. */
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

/* The next host is judged from when it came. */
static void another_host_begins_anew(void **state)
{
    (void)state;
    struct serial_check check = came();
    serial_check_left(&check, 1100000000, 1100000);
    serial_check_came(&check);
    serial_check_set(&check, wrong, 9000000000, 9000000);
    serial_check_left(&check, 9100000000, 9100000);
    assert_int_equal(check.wrong.baud, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_only_looks_is_forgiven_by_either_clock),
        cmocka_unit_test(bytes_count_at_once),
        cmocka_unit_test(what_is_put_back_after_the_right_ones_does_not_count),
        cmocka_unit_test(another_host_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
