/* The frames that the fuzzer mutates: frames of every robot, most of them valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"
#include "tests/fuzz/frames_mutate.h"
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

/* Guard bytes after the buffer. A mutator must not change them. */
enum { STREAM_MAX = 512, GUARD = 16 };

static void change(const struct frames_line *line, uint64_t seed,
                   uint8_t stream[STREAM_MAX + GUARD], size_t *size)
{
    memset(stream + STREAM_MAX, 0x5C, GUARD);
    *size = frames_mutate(line, stream, *size, STREAM_MAX, seed);
    CHECK(line->type, *size <= STREAM_MAX, "seed %d", (int)seed);
    for (size_t i = 0; i < GUARD; i++)
        assert_int_equal(stream[STREAM_MAX + i], 0x5C);
}

static void check_changes(const struct robot_type *type)
{
    const struct frames_line line = {type, 0, WIRE_TO_ROBOT};
    const struct wire_framing *framing = robot_framing(type, 0, WIRE_TO_ROBOT);
    uint8_t stream[STREAM_MAX + GUARD] = {0}, again[STREAM_MAX + GUARD] = {0};
    size_t size = 0, size_again = 0, shrunk = 0, grown = 0;
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        size_t before = size;
        change(&line, seed, stream, &size);
        change(&line, seed, again, &size_again);
        assert_int_equal(size, size_again);
        assert_memory_equal(stream, again, size);
        shrunk += size < before;
        grown += size > before;
    }
    if (framing && framing->promises)
        return; // most packets of this robot are in series
    uint8_t frame[FRAME_MADE_MAX];
    bool has_frames = framing && frame_make(type, 0, WIRE_TO_ROBOT, 1, frame) > 0;
    CHECK(type, !has_frames || (shrunk > 0 && grown > 0), "%zu and %zu", shrunk, grown);
}

static void a_stream_changes_as_its_seed_has_it_and_keeps_its_bounds(void **state)
{
    (void)state;
    for_every_type(check_changes);
}

static void check_field(const struct robot_type *type)
{
    const struct wire_framing *framing = robot_framing(type, 0, WIRE_TO_ROBOT);
    const struct frames_line line = {type, 0, WIRE_TO_ROBOT};
    size_t good = 0, tried = 0;
    if (!framing || framing->line || framing->check == WIRE_CHECK_NONE)
        return;
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        uint8_t frame[FRAME_MADE_MAX];
        size_t size = frame_make(type, 0, WIRE_TO_ROBOT, seed, frame);
        if (!wire_frame_is_good(framing, frame, size) || size < 8)
            continue;
        frame_change(&line, frame, size, seed);
        good += wire_frame_is_good(framing, frame, size);
        tried++;
    }
    CHECK(type, tried == 0 || (good > tried / 2 && good < tried), "%zu of %zu", good, tried);
}

static void a_field_changes_and_the_check_mostly_stays_right(void **state)
{
    (void)state;
    for_every_type(check_field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_good_but_for_those_that_are_spoiled),
        cmocka_unit_test(what_is_put_in_leaves_the_rest),
        cmocka_unit_test(a_stream_changes_as_its_seed_has_it_and_keeps_its_bounds),
        cmocka_unit_test(a_field_changes_and_the_check_mostly_stays_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
