/* Golden frames of every robot: decoded they read as expected, and encoded again they are the same
 * bytes. PTYBOT_UPDATE_GOLDEN=1 writes the expectations again instead; read them before you commit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/describe.h"
#include "protocols/registry.h"
#include "tests/support/golden.h"

static void for_every_file(void (*check)(const struct robot_type *, const struct golden_file *))
{
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t t = 0; t < count; t++) {
        char **paths = golden_paths(types[t]);
        for (size_t i = 0; paths[i]; i++) {
            struct golden_file file;
            struct error error;
            if (!golden_load(types[t], paths[i], &file, &error))
                fail_msg("%s", error.text);
            check(types[t], &file);
            golden_free(&file);
        }
        golden_paths_free(paths);
    }
}

/* A scanner may only send. */
static bool type_listens(const struct robot_type *type)
{
    bool does = false;
    for (size_t i = 0; type->packets[i]; i++)
        does = does || type->packets[i]->direction == WIRE_TO_ROBOT;
    return does;
}

static void every_robot_has_golden_frames_in_both_directions(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t t = 0; t < count; t++) {
        size_t frames[2] = {0, 0};
        for (unsigned channel = 0; channel < types[t]->channel_count; channel++) {
            for (int way = WIRE_TO_HOST; way <= WIRE_TO_ROBOT; way++) {
                size_t size;
                size_t found;
                free(golden_stream(types[t], channel, (enum wire_direction)way, &size, &found));
                frames[way] += found;
            }
        }
        if (frames[WIRE_TO_HOST] == 0 || (frames[WIRE_TO_ROBOT] == 0 && type_listens(types[t])))
            fail_msg("tests/wire/%s: no golden frames in one of the directions", types[t]->name);
    }
}

static void check_text(const struct robot_type *type, const struct golden_file *file)
{
    struct error error;
    if (getenv("PTYBOT_UPDATE_GOLDEN")) {
        if (!golden_update(type, file, &error))
            fail_msg("%s", error.text);
        return;
    }
    for (size_t i = 0; i < file->count; i++) {
        const struct golden_frame *frame = &file->frames[i];
        static char text[16384];
        if (frame->expected[0] == '\0') {
            fail_msg("%s:%d: no expectation; run with PTYBOT_UPDATE_GOLDEN=1, then read it",
                     file->path, frame->first_line);
        }
        describe_frame(type, frame->channel, frame->direction, frame->promised, frame->bytes,
                       frame->size, text, sizeof text);
        if (strcmp(text, frame->expected) != 0) {
            fail_msg("%s:%d:\n  expected %s\n  found    %s", file->path, frame->first_line,
                     frame->expected, text);
        }
    }
}

static void frames_read_as_expected(void **state)
{
    (void)state;
    for_every_file(check_text);
}

/* ---- Encoding again ---- */

struct round_trip {
    const struct golden_file *file;
    const struct golden_frame *frame;
    size_t parts;
};

static size_t encode_again(const struct wire_packet *packet, const uint8_t *body, size_t size,
                           uint8_t *out)
{
    union {
        double align;
        uint8_t bytes[1024];
    } message = {0};
    assert_true(packet->struct_size <= sizeof message);
    assert_true(wire_decode(packet, body, size, &message));
    return wire_encode(packet, &message, out);
}

static void encode_part(void *user, const struct wire_packet *packet, uint8_t id,
                        const uint8_t *body, size_t size)
{
    struct round_trip *trip = user;
    trip->parts++;
    if (!packet) {
        fail_msg("%s:%d: the robot does not know part 0x%02x", trip->file->path,
                 trip->frame->first_line, id);
        return;
    }
    assert_int_equal(packet->id, id);
    assert_int_equal(packet->direction, trip->frame->direction);
    uint8_t out[1024];
    size_t at = encode_again(packet, body, size, out);
    const struct wire_packet *element = packet->repeat;
    while (element && size - at >= wire_size(element)) {
        uint8_t again[1024];
        size_t step = encode_again(element, body + at, wire_size(element), again);
        assert_memory_equal(again, body + at, step);
        memcpy(out + at, again, step);
        at += step;
    }
    assert_int_equal(at, size);
    assert_memory_equal(out, body, size);
}

static void check_round_trip(const struct robot_type *type, const struct golden_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        struct round_trip trip = {.file = file, .frame = &file->frames[i]};
        bool is_good =
            robot_walk(type, trip.frame->channel, trip.frame->direction, trip.frame->promised,
                       trip.frame->bytes, trip.frame->size, encode_part, &trip);
        size_t told =
            wire_frame_size(robot_framing(type, trip.frame->channel, trip.frame->direction),
                            trip.frame->bytes, trip.frame->size);
        if (!trip.frame->promised && told != trip.frame->size && told != WIRE_SIZE_UNKNOWN)
            fail_msg("%s:%d: a frame of %zu bytes is told as one of %zu", file->path,
                     trip.frame->first_line, trip.frame->size, told);
        if (!is_good || trip.parts == 0)
            fail_msg("%s:%d: not a good frame of this robot", file->path, trip.frame->first_line);
    }
}

static void frames_encoded_again_are_the_same_bytes(void **state)
{
    (void)state;
    for_every_file(check_round_trip);
}

static void ignore_part(void *user, const struct wire_packet *packet, uint8_t id,
                        const uint8_t *body, size_t size)
{
    (void)user, (void)packet, (void)id, (void)body, (void)size;
}

static void check_cut(const struct robot_type *type, const struct golden_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct golden_frame *frame = &file->frames[i];
        for (size_t size = 0; size < frame->size; size++) {
            /* A copy of exactly that size, so that a sanitizer detects reads past the end. */
            uint8_t *cut = malloc(size ? size : 1);
            assert_non_null(cut);
            memcpy(cut, frame->bytes, size);
            size_t told =
                size > 0 ? wire_frame_size(robot_framing(type, frame->channel, frame->direction),
                                           cut, size)
                         : 0;
            if (!frame->promised && told != 0 && told != frame->size && told != WIRE_SIZE_UNKNOWN)
                fail_msg("%s:%d: told as a frame of %zu bytes after %zu", file->path,
                         frame->first_line, told, size);
            if (robot_walk(type, frame->channel, frame->direction, frame->promised, cut, size,
                           ignore_part, NULL)) {
                fail_msg("%s:%d: taken for a frame after %zu bytes", file->path, frame->first_line,
                         size);
            }
            free(cut);
        }
    }
}

static void the_beginning_of_a_frame_is_no_frame(void **state)
{
    (void)state;
    for_every_file(check_cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_robot_has_golden_frames_in_both_directions),
        cmocka_unit_test(frames_read_as_expected),
        cmocka_unit_test(frames_encoded_again_are_the_same_bytes),
        cmocka_unit_test(the_beginning_of_a_frame_is_no_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
