/* The generator: the same bits in every version, and independent streams. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/rng.h"

enum { SAMPLES = 200000 };

static void hash_agrees_with_the_published_vectors(void **state)
{
    (void)state;
    /* Test vectors of the FNV authors (draft-eastlake-fnv, appendix C): "", "a", "foobar". */
    assert_true(hash_bytes(HASH_START, "", 0) == 0xcbf29ce484222325u);
    assert_true(hash_bytes(HASH_START, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(hash_bytes(HASH_START, "foobar", 6) == 0x85944171f73967e8u);
}

static void hash_in_pieces_is_the_hash_of_the_whole(void **state)
{
    (void)state;
    uint64_t first = hash_bytes(HASH_START, "foo", 3);
    assert_true(hash_bytes(first, "bar", 3) == hash_bytes(HASH_START, "foobar", 6));
}

/* Journals and state hashes on users' disks depend on these bits. */
static void values_are_pinned(void **state)
{
    (void)state;
    uint64_t key = rng_key(1, "kobuki");
    assert_true(key == 0x8c9e05d97b46682du);
    assert_true(rng_u64(key, 0) == 0x43a2f21f5599c443u);
    assert_true(rng_u64(key, 1) == 0x988835aa67abcb17u);
    assert_true(rng_u64(key, UINT64_MAX) == 0x6c7b65cd0d089275u);
    assert_true(rng_uniform(key, 7) == 0x1.200bdce1d4e24p-2);
    assert_true(rng_normal(key, 7) == -0x1.ec40000000000p-5);
}

/* Mean, variance and fourth moment of 200000 values; bounds are six standard errors. */
static void uniform_has_the_moments_of_a_uniform(void **state)
{
    (void)state;
    uint64_t key = rng_key(42, "uniform");
    double sum = 0;
    double squares = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        double value = rng_uniform(key, i);
        assert_true(value >= 0 && value < 1);
        sum += value;
        squares += (value - 0.5) * (value - 0.5);
    }
    assert_true(fabs(sum / SAMPLES - 0.5) < 6 * sqrt(1.0 / 12 / SAMPLES));
    assert_true(fabs(squares / SAMPLES - 1.0 / 12) < 6 * sqrt(1.0 / 180 / SAMPLES));
}

static void normal_has_mean_zero_and_deviation_one(void **state)
{
    (void)state;
    uint64_t key = rng_key(42, "normal");
    double sum = 0;
    double squares = 0;
    double fourths = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        double value = rng_normal(key, i);
        assert_true(value > -6 && value < 6);
        sum += value;
        squares += value * value;
        fourths += value * value * value * value;
    }
    /* Twelve uniforms: variance 1, fourth moment 3 - 6/60 = 2.9; its square has a mean near 80. */
    assert_true(fabs(sum / SAMPLES) < 6 / sqrt(SAMPLES));
    assert_true(fabs(squares / SAMPLES - 1) < 6 * sqrt(1.9 / SAMPLES));
    assert_true(fabs(fourths / SAMPLES - 2.9) < 6 * sqrt(80.0 / SAMPLES));
}

static void every_bit_is_fair(void **state)
{
    (void)state;
    uint64_t key = rng_key(42, "bits");
    int ones[64] = {0};
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t value = rng_u64(key, i);
        for (int bit = 0; bit < 64; bit++)
            ones[bit] += (int)(value >> bit & 1);
    }
    for (int bit = 0; bit < 64; bit++)
        assert_true(fabs(ones[bit] - SAMPLES / 2.0) < 6 * sqrt(SAMPLES / 4.0));
}

/* Correlation of two streams, of length SAMPLES, the second one shifted by LAG counters. */
static double correlation(uint64_t a, uint64_t b, uint64_t lag)
{
    double sum = 0;
    for (uint64_t i = 0; i < SAMPLES; i++)
        sum += (rng_uniform(a, i) - 0.5) * (rng_uniform(b, i + lag) - 0.5);
    return sum / SAMPLES * 12;
}

static void streams_of_other_names_are_independent(void **state)
{
    (void)state;
    uint64_t parent = rng_key(1, "kobuki");
    uint64_t names[] = {rng_key(parent, "gyro"), rng_key(parent, "cliff"), rng_key(2, "kobuki"),
                        rng_key(rng_key(1, "kobuki2"), "gyro"), parent};
    size_t count = sizeof names / sizeof names[0];
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++)
            for (uint64_t lag = 0; lag < 3; lag++)
                assert_true(fabs(correlation(names[i], names[j], lag)) < 6 / sqrt(SAMPLES));
        assert_true(fabs(correlation(names[i], names[i], 1)) < 6 / sqrt(SAMPLES));
    }
}

/* With a plain sum of key and counter, keys that differ by a constant would give one sequence. */
static void keys_in_a_row_share_no_values(void **state)
{
    (void)state;
    const uint64_t steps[] = {1, 0x9e3779b97f4a7c15u};
    for (size_t s = 0; s < 2; s++) {
        for (uint64_t i = 0; i < 1000; i++) {
            for (uint64_t lag = 1; lag < 4; lag++) {
                assert_true(rng_u64(77, i + lag) != rng_u64(77 + steps[s], i));
                assert_true(rng_u64(77, i + lag) != rng_u64(77 + steps[s] * lag, i));
            }
        }
    }
}

static void the_order_of_names_matters(void **state)
{
    (void)state;
    assert_true(rng_key(rng_key(1, "a"), "b") != rng_key(rng_key(1, "b"), "a"));
    assert_true(rng_key(rng_key(1, "a"), "b") != rng_key(1, "ab"));
    assert_true(rng_key(0, "") != rng_key(1, ""));
}

static void a_normal_does_not_repeat_the_uniforms_of_its_key(void **state)
{
    (void)state;
    uint64_t key = rng_key(3, "both");
    double sum = 0;
    for (uint64_t i = 0; i < SAMPLES; i++)
        sum += rng_normal(key, i) * (rng_uniform(key, i * 3) - 0.5);
    assert_true(fabs(sum / SAMPLES * sqrt(12)) < 6 / sqrt(SAMPLES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_agrees_with_the_published_vectors),
        cmocka_unit_test(hash_in_pieces_is_the_hash_of_the_whole),
        cmocka_unit_test(values_are_pinned),
        cmocka_unit_test(uniform_has_the_moments_of_a_uniform),
        cmocka_unit_test(normal_has_mean_zero_and_deviation_one),
        cmocka_unit_test(every_bit_is_fair),
        cmocka_unit_test(streams_of_other_names_are_independent),
        cmocka_unit_test(keys_in_a_row_share_no_values),
        cmocka_unit_test(the_order_of_names_matters),
        cmocka_unit_test(a_normal_does_not_repeat_the_uniforms_of_its_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
