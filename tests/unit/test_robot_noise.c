/* The contract of a robot, noise: bytes that are no frame cost nothing but a counter, whatever they
 * are, and the frames after them arrive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/every_stream.h"

/* Marks the bytes that begin golden frames: their first two, so that no two others can. */
static void mark_openers(const struct robot_type *type, bool opens[256])
{
    char **paths = golden_paths(type);
    for (size_t p = 0; paths[p]; p++) {
        struct golden_file file;
        assert_true(golden_load(type, paths[p], &file, NULL));
        for (size_t i = 0; i < file.count; i++) {
            for (size_t k = 0; k < file.frames[i].size && k < 2; k++) {
                opens[file.frames[i].bytes[k]] = true;
            }
        }
        golden_free(&file);
    }
    golden_paths_free(paths);
}

/* 64 of these bytes in front of the stream are noise and nothing else. */
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
    bool opens[256] = {false};
    mark_openers(stream->type, opens);
    uint8_t inert[256];
    size_t count = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        if (!opens[byte] && is_inert(stream, (uint8_t)byte)) {
            inert[count++] = (uint8_t)byte;
        }
    }
    for (uint64_t seed = 1; count > 0 && seed <= 100; seed++) {
        uint8_t noise[300];
        size_t size = 1 + rng_u64(seed, 0) % sizeof noise;
        for (size_t i = 0; i < size; i++) {
            noise[i] = inert[rng_u64(seed, i + 1) % count];
        }
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

/* Noise that does open a frame may cost the first good ones, but not those after 4 KiB. */
static void check_recovery(const struct stream *stream)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint8_t noise[700];
        for (size_t i = 0; i < sizeof noise; i++) {
            /* Every fourth byte is one of the stream's own: headers and ids become likely. */
            uint64_t random = rng_u64(seed, i);
            noise[i] =
                random % 4 ? (uint8_t)(random >> 8) : stream->bytes[(random >> 8) % stream->size];
        }
        struct robot_rig rig;
        rig_open(&rig, stream->type, 0);
        rig_rx(&rig, stream->channel, noise, sizeof noise);
        for (size_t fed = 0; fed < 4096; fed += stream->size) {
            feed(&rig, stream, cut_nowhere, 0);
        }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_in_front_changes_only_the_counters),
        cmocka_unit_test(a_framer_recovers_from_any_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
