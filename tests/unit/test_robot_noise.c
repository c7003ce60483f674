/* The contract of a robot, noise: bytes outside of frames only increase a counter, whatever they
 * are, and the frames after them arrive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/every_stream.h"

/* A process gets all bytes unchanged: there is no framer that could recover, and the process
 * decides which bytes are noise. The port of an Arduino loses bytes that are faster than its wire;
 * a separate test covers its noise. */
static bool has_framer(const struct stream *stream)
{
    return !stream->type->program && strcmp(stream->type->name, "ros_arduino_bridge") != 0;
}

/* Marks the bytes that begin golden frames: the first two of each frame, so that no two unmarked
 * bytes can begin one. */
static void mark_openers(const struct robot_type *type, bool opens[256])
{
    char **paths = golden_paths(type);
    for (size_t p = 0; paths[p]; p++) {
        struct golden_file file;
        assert_true(golden_load(type, paths[p], &file, NULL));
        for (size_t i = 0; i < file.count; i++)
            for (size_t k = 0; k < file.frames[i].size && k < 2; k++)
                opens[file.frames[i].bytes[k]] = true;
        golden_free(&file);
    }
    golden_paths_free(paths);
}

/* Whether 64 of these bytes in front of the stream count as noise and have no other effect. */
static bool is_inert(const struct stream *stream, uint8_t byte)
{
    uint8_t noise[64];
    memset(noise, byte, sizeof noise);
    struct robot_rig rig;
    rig_open(&rig, stream->type, 0);
    rig_rx(&rig, stream->channel, noise, sizeof noise);
    feed(&rig, stream, cut_nowhere, 0);
    bool is_counted = rig_stats(&rig, stream->channel)->frames == stream->frames &&
                      rig_stats(&rig, stream->channel)->noise_bytes == sizeof noise;
    rig_close(&rig);
    return is_counted;
}

static void check_inert_noise(const struct stream *stream)
{
    if (!has_framer(stream))
        return;
    bool opens[256] = {false};
    mark_openers(stream->type, opens);
    uint8_t inert[256];
    size_t count = 0;
    for (unsigned byte = 0; byte < 256; byte++)
        if (!opens[byte] && is_inert(stream, (uint8_t)byte))
            inert[count++] = (uint8_t)byte;
    for (uint64_t seed = 1; count > 0 && seed <= 100; seed++) {
        uint8_t noise[300];
        size_t size = 1 + (size_t)(rng_u64(seed, 0) % sizeof noise);
        for (size_t i = 0; i < size; i++)
            noise[i] = inert[rng_u64(seed, i + 1) % count];
        struct robot_rig clean;
        struct robot_rig noisy;
        rig_open(&clean, stream->type, 0);
        rig_open(&noisy, stream->type, 0);
        rig_rx(&noisy, stream->channel, noise, size);
        feed(&clean, stream, cut_nowhere, 0);
        feed(&noisy, stream, cut_at_random, seed);
        assert_sound(&noisy);
        assert_int_equal(rig_stats(&noisy, stream->channel)->noise_bytes, size);
        assert_true(rig_same_state(&clean, &noisy));
        assert_int_equal(clean.due_us, noisy.due_us);
        rig_close(&clean);
        rig_close(&noisy);
    }
}

static void noise_in_front_changes_only_the_counters(void **state)
{
    (void)state;
    for_every_stream(check_inert_noise);
}

/* Noise that opens a frame may cost the first good frames, but no frame after 4 KiB. */
static void check_recovery(const struct stream *stream)
{
    if (!has_framer(stream))
        return;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint8_t noise[700];
        for (size_t i = 0; i < sizeof noise; i++) {
            /* Every fourth byte comes from the stream: headers and ids become likely. */
            uint64_t random = rng_u64(seed, i);
            noise[i] =
                random % 4 ? (uint8_t)(random >> 8) : stream->bytes[(random >> 8) % stream->size];
        }
        struct robot_rig rig;
        rig_open(&rig, stream->type, 0);
        rig_rx(&rig, stream->channel, noise, sizeof noise);
        for (size_t fed = 0; fed < 4096; fed += stream->size)
            feed(&rig, stream, cut_nowhere, 0);
        struct robot_stats before = *rig_stats(&rig, stream->channel);
        feed(&rig, stream, cut_at_random, seed);
        const struct robot_stats *after = rig_stats(&rig, stream->channel);
        assert_sound(&rig);
        assert_int_equal(after->frames - before.frames, stream->frames);
        assert_int_equal(after->bad_frames, before.bad_frames);
        assert_int_equal(after->noise_bytes, before.noise_bytes);
        rig_close(&rig);
    }
}

static void a_framer_recovers_from_any_noise(void **state)
{
    (void)state;
    for_every_stream(check_recovery);
}

static void ignore_part(void *user, const struct wire_packet *packet, uint8_t id,
                        const uint8_t *body, size_t size)
{
    (void)user, (void)packet, (void)id, (void)body, (void)size;
}

/* Whether any part of these bytes is a good frame. The size of a frame is known from its beginning.
 */
static bool holds_frame(const struct stream *stream, const uint8_t *bytes, size_t size)
{
    for (size_t from = 0; from < size; from++) {
        size_t told = wire_frame_size(robot_framing(stream->type, stream->channel, WIRE_TO_ROBOT),
                                      bytes + from, size - from);
        for (size_t to = from + 1; to <= size; to++)
            if (robot_walk(stream->type, stream->channel, WIRE_TO_ROBOT, 0, bytes + from, to - from,
                           ignore_part, NULL)) {
                assert_true(told == to - from || told == WIRE_SIZE_UNKNOWN);
                return true;
            }
    }
    return false;
}

static size_t check_flips(const struct stream *stream, const struct golden_frame *frame)
{
    uint8_t bytes[512];
    size_t bad = 0;
    assert_true(frame->size <= sizeof bytes);
    for (size_t bit = 0; bit < 8 * frame->size; bit++) {
        memcpy(bytes, frame->bytes, frame->size);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (holds_frame(stream, bytes, frame->size))
            continue;
        struct robot_rig rig;
        rig_open(&rig, stream->type, 0);
        rig_rx(&rig, stream->channel, bytes, frame->size);
        if (rig_stats(&rig, stream->channel)->frames != 0)
            fail_msg("%s: a frame counts with bit %zu flipped", stream->type->name, bit);
        rig_close(&rig);
        bad++;
    }
    return bad;
}

/* The viewer's reading of frames (walk) and the firmware's (rx) must not disagree. */
static void check_agreement(const struct stream *stream)
{
    if (!has_framer(stream))
        return;
    size_t bad = 0;
    char **paths = golden_paths(stream->type);
    for (size_t p = 0; paths[p]; p++) {
        struct golden_file file;
        assert_true(golden_load(stream->type, paths[p], &file, NULL));
        for (size_t i = 0; i < file.count; i++) {
            const struct golden_frame *frame = &file.frames[i];
            if (frame->channel == stream->channel && frame->direction == WIRE_TO_ROBOT)
                bad += check_flips(stream, frame);
        }
        golden_free(&file);
    }
    golden_paths_free(paths);
    assert_true(bad > 0);
}

static void a_frame_that_walk_refuses_does_not_count(void **state)
{
    (void)state;
    for_every_stream(check_agreement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_in_front_changes_only_the_counters),
        cmocka_unit_test(a_framer_recovers_from_any_noise),
        cmocka_unit_test(a_frame_that_walk_refuses_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
