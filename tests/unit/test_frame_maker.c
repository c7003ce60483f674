/* What the fuzzer mutates with: frames of every robot, most of them good. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocols/registry.h"
#include "tests/fuzz/frame_maker.h"
#include "tests/support/every_type.h"

enum { TRIES = 400 };

static void check_line(const struct robot_type *type, unsigned channel,
                       enum wire_direction direction)
{
    uint8_t frame[FRAME_MADE_MAX];
    size_t made = 0, good = 0;
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        size_t size = frame_make(type, channel, direction, seed, frame);
        CHECK(type, size <= FRAME_MADE_MAX, "channel %u", channel);
        made += size > 0;
        good +=
            size > 0 && wire_frame_is_good(robot_framing(type, channel, direction), frame, size);
    }
    const struct wire_framing *framing = robot_framing(type, channel, direction);
    if (framing && !framing->line && !framing->text && made > 0)
        CHECK(type, good > made / 4 && good < made, "channel %u, direction %d: %zu of %zu good",
              channel, (int)direction, good, made);
}

static void check_type(const struct robot_type *type)
{
    for (unsigned channel = 0; channel < type->channel_count; channel++) {
        check_line(type, channel, WIRE_TO_ROBOT);
        check_line(type, channel, WIRE_TO_HOST);
    }
}

static void frames_are_good_but_for_those_that_are_spoiled(void **state)
{
    (void)state;
    for_every_type(check_type);
}

static void what_is_put_in_leaves_the_rest(void **state)
{
    (void)state;
    uint8_t data[8] = {1, 2, 3};
    const uint8_t two[2] = {8, 9}, wanted[5] = {1, 8, 9, 2, 3};
    assert_int_equal(bytes_insert(data, 3, sizeof data, 1, two, 2), 5);
    assert_memory_equal(data, wanted, 5);
    assert_int_equal(bytes_insert(data, 5, 6, 0, two, 2), 5); /* no room */
    assert_memory_equal(data, wanted, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_good_but_for_those_that_are_spoiled),
        cmocka_unit_test(what_is_put_in_leaves_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
