/* The contract of a robot, its conduct: the reaction of every type in the registry to bytes and
 * time. After each call the rig checks for bad frames, actuators that are not finite, and times in
 * the past. The wire's bytes are the golden frames of tests/wire. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/support/every_stream.h"
#include "tests/support/every_type.h"
#include "tests/support/robot_rig.h"

enum { SECOND_US = 1000000 };

/* ---- Allocations: the linker redirects these calls (--wrap); the rig says when to count ----
 */

static bool is_counting;
static size_t allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size)
{
    allocations += is_counting;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations += is_counting;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    allocations += is_counting;
    return __real_realloc(memory, size);
}

void __wrap_free(void *memory)
{
    allocations += is_counting;
    __real_free(memory);
}

static void count_inside(bool is_inside)
{
    is_counting = is_inside;
}

static void assert_same(const struct robot_rig *a, const struct robot_rig *b, const char *what)
{
    assert_sound(a);
    assert_sound(b);
    if (memcmp(a->state, b->state, a->type->state_size) != 0)
        fail_msg("%s: the state differs: %s", a->type->name, what);
    assert_int_equal(a->due_us, b->due_us);
    assert_int_equal(a->sent, b->sent);
    assert_true(a->sent_hash == b->sent_hash);
}

/* ---- Reset ---- */

static void check_reset(const struct robot_type *type)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct robot_rig zeros;
        struct robot_rig ones;
        rig_open(&zeros, type, seed);
        rig_open(&ones, type, seed);
        rig_run(&ones, SECOND_US / 10);
        ones.now_us = zeros.now_us;
        ones.sent = 0;
        ones.sent_hash = zeros.sent_hash;
        memset(zeros.state, 0x00, type->state_size);
        memset(ones.state, 0xff, type->state_size);
        rig_reset(&zeros);
        rig_reset(&ones);
        assert_same(&zeros, &ones, "reset does not set every byte");
        rig_run(&zeros, SECOND_US);
        rig_run(&ones, SECOND_US);
        assert_same(&zeros, &ones, "a second after the reset");
        rig_close(&zeros);
        rig_close(&ones);
    }
}

static void reset_sets_every_byte_of_the_state(void **state)
{
    (void)state;
    for_every_type(check_reset);
}

/* ---- Chunks ---- */

static bool cut_at_seed(uint64_t seed, size_t at)
{
    return at == seed;
}

static bool cut_everywhere(uint64_t seed, size_t at)
{
    (void)seed, (void)at;
    return true;
}

static void compare_cuts(const struct stream *stream, bool (*is_cut)(uint64_t seed, size_t at),
                         uint64_t seed)
{
    struct robot_rig whole;
    struct robot_rig cut;
    rig_open(&whole, stream->type, 0);
    rig_open(&cut, stream->type, 0);
    feed(&whole, stream, cut_nowhere, 0);
    feed(&cut, stream, is_cut, seed);
    assert_same(&whole, &cut, "after another chunking");
    rig_run(&whole, SECOND_US / 20);
    rig_run(&cut, SECOND_US / 20);
    assert_same(&whole, &cut, "50 ms after another chunking");
    rig_close(&whole);
    rig_close(&cut);
}

static void check_chunking(const struct stream *stream)
{
    for (size_t at = 1; at < stream->size; at++)
        compare_cuts(stream, cut_at_seed, at);
    compare_cuts(stream, cut_everywhere, 0);
    for (uint64_t seed = 1; seed <= 50; seed++)
        compare_cuts(stream, cut_at_random, seed);
}

static void any_chunking_gives_the_same_state(void **state)
{
    (void)state;
    for_every_stream(check_chunking);
}

static void check_all_frames_count(const struct stream *stream)
{
    struct robot_rig rig;
    rig_open(&rig, stream->type, 0);
    feed(&rig, stream, cut_nowhere, 0);
    rig_run(&rig, SECOND_US);
    const struct robot_stats *stats = rig_stats(&rig, stream->channel);
    assert_sound(&rig);
    assert_int_equal(stats->frames, stream->frames);
    assert_int_equal(stats->bad_frames, 0);
    assert_int_equal(stats->noise_bytes, 0);
    assert_int_equal(stats->unknown_ids, 0);
    assert_int_equal(stats->bad_lengths, 0);
    rig_close(&rig);
}

static void every_golden_frame_is_a_good_frame(void **state)
{
    (void)state;
    for_every_stream(check_all_frames_count);
}

/* ---- Garbage ---- */

static uint64_t complaints(const struct robot_stats *stats)
{
    return stats->bad_frames + stats->noise_bytes + stats->unknown_ids + stats->bad_lengths;
}

/* One megabyte, half of it random and half of it golden frames with flipped bits. */
static void check_hostile(const struct stream *stream)
{
    enum { CHUNK = 512, CHUNKS = 2048 };
    struct robot_rig rig;
    rig_open(&rig, stream->type, 0);
    rig.around = count_inside;
    allocations = 0;
    for (uint64_t i = 0; i < CHUNKS; i++) {
        uint8_t chunk[CHUNK];
        for (size_t at = 0; at < CHUNK; at++) {
            uint64_t random = rng_u64(7, i * CHUNK + at);
            uint8_t golden = stream->bytes[(i * CHUNK + at) % stream->size];
            uint8_t flipped = (uint8_t)(golden ^ (random % 97 == 0 ? 1u << (random >> 16) % 8 : 0));
            chunk[at] = i % 2 ? (uint8_t)(random >> 32) : flipped;
        }
        rig_rx(&rig, stream->channel, chunk, sizeof chunk);
        rig_run(&rig, 3000);
    }
    assert_sound(&rig);
    assert_int_equal(allocations, 0);
    /* A process gets all bytes and decides itself which of them are garbage. */
    if (!stream->type->program)
        assert_true(complaints(rig_stats(&rig, stream->channel)) > 1000);
    rig_close(&rig);
}

static void a_megabyte_of_garbage_ends_in_the_counters(void **state)
{
    (void)state;
    for_every_stream(check_hostile);
}

/* ---- Memory ---- */

static void the_count_of_allocations_sees_one(void **state)
{
    (void)state;
    void *(*volatile allocate)(size_t) = malloc; /* volatile: the calls must not be optimized out */
    allocations = 0;
    count_inside(true);
    void *memory = allocate(1);
    free(memory);
    count_inside(false);
    assert_int_equal(allocations, 2);
}

static void check_allocations(const struct stream *stream)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct robot_rig rig;
        rig_open(&rig, stream->type, seed);
        rig.around = count_inside;
        allocations = 0;
        rig_reset(&rig);
        rig_host(&rig, stream->channel, true);
        feed(&rig, stream, cut_at_random, seed);
        rig_run(&rig, SECOND_US);
        rig_host(&rig, stream->channel, false);
        rig_run(&rig, SECOND_US);
        assert_sound(&rig);
        assert_int_equal(allocations, 0);
        rig_close(&rig);
    }
}

static void nothing_is_allocated_in_a_robot(void **state)
{
    (void)state;
    for_every_stream(check_allocations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reset_sets_every_byte_of_the_state),
        cmocka_unit_test(any_chunking_gives_the_same_state),
        cmocka_unit_test(every_golden_frame_is_a_good_frame),
        cmocka_unit_test(a_megabyte_of_garbage_ends_in_the_counters),
        cmocka_unit_test(the_count_of_allocations_sees_one),
        cmocka_unit_test(nothing_is_allocated_in_a_robot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
