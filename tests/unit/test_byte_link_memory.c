/* The contract of byte_link.h, tested on the memory link, which allows every order of events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/memory_link.h"

static struct byte_link *opened;

static int set_up(void **state)
{
    struct error error;

    (void)state;
    opened = memory_link_open("robot", 100, &error);
    return opened != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    byte_link_close(opened);
    return 0;
}

static void assert_event(enum byte_link_event_kind kind, uint32_t baud)
{
    struct byte_link_event event;

    assert_true(byte_link_next_event(opened, &event));
    assert_int_equal(event.kind, kind);
    assert_int_equal(event.settings.baud, baud);
}

static void assert_bytes(const char *expected, size_t size)
{
    char bytes[64];

    assert_int_equal(byte_link_read(opened, bytes, sizeof bytes), size);
    assert_memory_equal(bytes, expected, size);
}

static void bytes_and_events_keep_their_order(void **state)
{
    (void)state;
    struct byte_link_event event;

    assert_true(memory_link_host_open(opened, 115200));
    memory_link_host_write(opened, "ab", 2);
    memory_link_host_set_baud(opened, 9600);
    memory_link_host_write(opened, "cd", 2);
    memory_link_host_close(opened);
    assert_true(memory_link_host_open(opened, 57600));
    memory_link_host_write(opened, "e", 1);

    byte_link_update(opened);
    assert_bytes("", 0);
    assert_event(BYTE_LINK_HOST_CAME, 115200);
    assert_false(byte_link_next_event(opened, &event));
    assert_bytes("ab", 2);
    assert_event(BYTE_LINK_SETTINGS_CHANGED, 9600);
    assert_false(byte_link_next_event(opened, &event));
    assert_bytes("cd", 2);
    assert_event(BYTE_LINK_HOST_LEFT, 0);
    assert_bytes("", 0);
    assert_event(BYTE_LINK_HOST_CAME, 57600);
    assert_bytes("e", 1);
    assert_false(byte_link_next_event(opened, &event));
}

static void a_frame_is_taken_whole_or_not_at_all(void **state)
{
    (void)state;
    char frame[60] = {1}, bytes[200];

    assert_true(memory_link_host_open(opened, 115200));
    assert_true(byte_link_write(opened, frame, sizeof frame));
    assert_false(byte_link_write(opened, frame, sizeof frame));
    assert_int_equal(byte_link_stats(opened)->frames_dropped, 1);
    assert_int_equal(memory_link_host_read(opened, bytes, sizeof bytes), 60);
    assert_true(byte_link_write(opened, frame, sizeof frame));
    assert_int_equal(byte_link_stats(opened)->frames_written, 2);
    assert_int_equal(byte_link_stats(opened)->bytes_out, 120);
}

static void a_host_hears_nothing_from_before_its_time(void **state)
{
    (void)state;
    char bytes[8];

    assert_false(byte_link_write(opened, "x", 1));
    assert_int_equal(byte_link_stats(opened)->frames_unheard, 1);
    assert_int_equal(byte_link_stats(opened)->frames_dropped, 0);
    assert_true(memory_link_host_open(opened, 115200));
    assert_true(byte_link_write(opened, "y", 1));
    memory_link_host_close(opened);
    assert_true(memory_link_host_open(opened, 115200));
    assert_int_equal(memory_link_host_read(opened, bytes, sizeof bytes), 0);
    assert_int_equal(byte_link_stats(opened)->hosts_seen, 2);
}

static void an_unplugged_link_has_no_host_until_it_is_plugged_again(void **state)
{
    (void)state;
    struct error error;

    assert_true(memory_link_host_open(opened, 115200));
    assert_event(BYTE_LINK_HOST_CAME, 115200);
    memory_link_host_write(opened, "last", 4);
    byte_link_unplug(opened);
    assert_false(byte_link_host_present(opened));
    assert_false(memory_link_host_open(opened, 115200));
    assert_int_equal(memory_link_host_write(opened, "x", 1), 0);
    assert_bytes("last", 4);
    assert_event(BYTE_LINK_HOST_LEFT, 0);
    assert_true(byte_link_replug(opened, &error));
    assert_true(memory_link_host_open(opened, 115200));
    assert_event(BYTE_LINK_HOST_CAME, 115200);
}

static void the_rings_run_around_without_losing_a_byte(void **state)
{
    (void)state;
    unsigned char frame[37], bytes[37];

    assert_true(memory_link_host_open(opened, 115200));
    assert_event(BYTE_LINK_HOST_CAME, 115200);
    for (unsigned i = 0; i < 5000; i++) {
        for (size_t k = 0; k < sizeof frame; k++)
            frame[k] = (unsigned char)(i * 7 + k);
        assert_true(byte_link_write(opened, frame, sizeof frame));
        assert_int_equal(memory_link_host_read(opened, bytes, sizeof bytes), sizeof bytes);
        assert_memory_equal(bytes, frame, sizeof frame);
        assert_int_equal(memory_link_host_write(opened, frame, sizeof frame), sizeof frame);
        assert_int_equal(byte_link_read(opened, bytes, sizeof bytes), sizeof bytes);
        assert_memory_equal(bytes, frame, sizeof frame);
    }
    assert_int_equal(byte_link_stats(opened)->bytes_in, 5000 * sizeof frame);
}

static void the_name_is_reported(void **state)
{
    (void)state;
    struct pollfd fds[BYTE_LINK_FDS_MAX];

    assert_string_equal(byte_link_name(opened), "robot");
    assert_int_equal(byte_link_fds(opened, fds), 0);
    byte_link_close(NULL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(bytes_and_events_keep_their_order),
        CASE(a_frame_is_taken_whole_or_not_at_all),
        CASE(a_host_hears_nothing_from_before_its_time),
        CASE(an_unplugged_link_has_no_host_until_it_is_plugged_again),
        CASE(the_rings_run_around_without_losing_a_byte),
        CASE(the_name_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
