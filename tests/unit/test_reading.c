/* The time that bytes wait for a host, computed from the numbers of sent and unread bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/links/reading.h"

enum { POLL_US = 10000 };

/* 80 bytes are sent every 20 ms. The host reads at most PER_POLL bytes per poll, from FROM_US to
 * TO_US. */
static void look(struct reading *reading, uint64_t *taken, int64_t from_us, int64_t to_us,
                 uint64_t per_poll)
{
    for (int64_t now_us = from_us; now_us < to_us; now_us += POLL_US) {
        uint64_t sent = (uint64_t)(now_us / 20000 + 1) * 80;
        *taken = *taken + per_poll < sent ? *taken + per_poll : sent;
        reading_note(reading, sent, sent - *taken, now_us);
    }
}

static void a_host_that_reads_what_comes_is_never_silent(void **state)
{
    (void)state;
    struct reading reading = {0};
    uint64_t taken = 0;
    look(&reading, &taken, 0, 5000000, 1000);
    assert_int_equal(reading.silence_us, 0);
    assert_int_equal(reading.unread_most, 0);
}

static void a_pause_is_as_long_as_its_oldest_byte_waited(void **state)
{
    (void)state;
    struct reading reading = {0};
    uint64_t taken = 0;
    look(&reading, &taken, 0, 1000000, 1000);
    look(&reading, &taken, 1000000, 3000000, 0);
    look(&reading, &taken, 3000000, 5000000, 2000);
    assert_in_range(reading.silence_us, 1950000, 2010000);
    assert_in_range(reading.silence_from_us, 990000, 1030000);
    assert_in_range(reading.unread_most, 7900, 8080);
    assert_int_equal(reading.unread, 0);
    assert_true(reading.slow_polls < 8);
    /* A later pause that is shorter changes nothing. */
    int64_t from_us = reading.silence_from_us;
    look(&reading, &taken, 5000000, 6000000, 0);
    look(&reading, &taken, 6000000, 7000000, 2000);
    assert_int_equal(reading.silence_from_us, from_us);
}

/* Marks are thinned out many times. */
static void a_long_pause_keeps_its_beginning(void **state)
{
    (void)state;
    struct reading reading = {0};
    uint64_t taken = 0;
    look(&reading, &taken, 0, 100000000, 0);
    assert_in_range(reading.silence_us, 99900000, 100000000);
    assert_in_range(reading.silence_from_us, 0, 20000);
}

static void a_slow_reader_is_distinguished_from_one_that_does_not_read(void **state)
{
    (void)state;
    struct reading reading = {0};
    uint64_t taken = 0;
    look(&reading, &taken, 0, 4000000, 10); /* a quarter of the bytes */
    assert_true(reading.silence_us > 2000000);
    assert_true(reading.slow_polls > 100);
    /* The host reads a quarter of the bytes. After 100 s, the bytes that it reads last have waited
     * for 75 s. This time is known to a sixteenth. */
    look(&reading, &taken, 4000000, 100000000, 10);
    assert_in_range(reading.silence_us, 65000000, 76000000);
}

/* "slow_polls": many bytes were unread at two polls, and some were read in between. */
static void a_poll_is_slow_only_if_the_host_has_read_and_left_much(void **state)
{
    (void)state;
    static const struct {
        uint64_t sent, unread;
        unsigned slow_polls;
    } rows[] = {
        {2000, 2000, 0}, {4000, 4000, 0}, {4000, 3000, 1}, {6000, 3000, 2}, {6000, 3000, 2},
        {6000, 300, 2},  {9000, 3000, 2}, {9000, 700, 3},  {9000, 0, 3},
    };
    struct reading reading = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        reading_note(&reading, rows[i].sent, rows[i].unread, (int64_t)i * POLL_US);
        assert_int_equal(reading.slow_polls, rows[i].slow_polls);
        assert_int_equal(reading.taken, rows[i].sent - rows[i].unread);
        assert_int_equal(reading.unread, rows[i].unread);
    }
    assert_int_equal(reading.unread_most, 4000);
}

/* The bytes of a host that has gone are not read by the next one. */
static void what_was_read_waits_no_longer(void **state)
{
    (void)state;
    struct reading reading = {0};
    reading_note(&reading, 100, 100, 0);
    reading_note(&reading, 100, 0, 1000000);
    assert_int_equal(reading.silence_us, 0);
    reading_note(&reading, 200, 100, 5000000);
    reading_note(&reading, 200, 100, 5400000);
    assert_int_equal(reading.silence_us, 400000);
    assert_int_equal(reading.silence_from_us, 5000000);
    reading_note(&reading, 200, 0, 5500000);
    for (int64_t i = 0; i < 3; i++)
        reading_note(&reading, 200, 0, (6 + i) * 1000000);
    assert_int_equal(reading.silence_us, 400000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_that_reads_what_comes_is_never_silent),
        cmocka_unit_test(a_pause_is_as_long_as_its_oldest_byte_waited),
        cmocka_unit_test(a_long_pause_keeps_its_beginning),
        cmocka_unit_test(a_slow_reader_is_distinguished_from_one_that_does_not_read),
        cmocka_unit_test(a_poll_is_slow_only_if_the_host_has_read_and_left_much),
        cmocka_unit_test(what_was_read_waits_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
