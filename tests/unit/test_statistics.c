/* Tests and intervals, compared with published values. */
#include "app/lab/results/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "tests/support/check.h"

#define NEAR(found, wanted, tolerance)                                                             \
    do {                                                                                           \
        double found_ = (found), wanted_ = (wanted);                                               \
        if (!(fabs(found_ - wanted_) <= (tolerance)))                                              \
            fail_msg("%s is %.9g, not %.9g", #found, found_, wanted_);                             \
    } while (0)

static void intervals_of_a_share_are_those_of_newcombe(void **state)
{
    (void)state;
    /* R. G. Newcombe: "Two-sided confidence intervals for the single proportion", 1998,
     * method 3. */
    static const struct {
        struct share share;
        double low, high;
    } rows[] = {{{81, 263}, 0.2553, 0.3662},
                {{15, 148}, 0.0624, 0.1605},
                {{0, 20}, 0.0000, 0.1611},
                {{1, 29}, 0.0061, 0.1718}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct interval interval = statistics_wilson(rows[i].share, STATISTICS_Z_95);
        NEAR(interval.low, rows[i].low, 5e-5);
        NEAR(interval.high, rows[i].high, 5e-5);
        const struct share others = {rows[i].share.n - rows[i].share.k, rows[i].share.n};
        NEAR(statistics_wilson(others, STATISTICS_Z_95).low, 1 - interval.high, 1e-12);
    }
    assert_true(isnan(statistics_wilson((struct share){0, 0}, STATISTICS_Z_95).low));
    NEAR(erfc(STATISTICS_Z_95 / sqrt(2)), 0.05, 1e-12);
    NEAR(erfc(STATISTICS_Z_99 / sqrt(2)), 0.01, 1e-12);
}

static void intervals_of_a_difference_are_those_of_newcombe(void **state)
{
    (void)state;
    /* R. G. Newcombe: "Interval estimation for the difference between independent proportions",
     * 1998, method 10. */
    static const struct {
        struct share now, before;
        double low, high;
    } rows[] = {{{56, 70}, {48, 80}, 0.0524, 0.3339}, {{9, 10}, {3, 10}, 0.1705, 0.8090},
                {{6, 7}, {2, 7}, 0.0582, 0.8062},     {{5, 56}, {0, 29}, -0.0381, 0.1926},
                {{0, 10}, {0, 20}, -0.1611, 0.2775},  {{10, 10}, {0, 10}, 0.6075, 1.0000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct interval interval =
            statistics_difference(rows[i].now, rows[i].before, STATISTICS_Z_95);
        NEAR(interval.low, rows[i].low, 5e-5);
        NEAR(interval.high, rows[i].high, 5e-5);
    }
}

static void intervals_of_pairs_are_narrower_by_what_they_share(void **state)
{
    (void)state;
    /* The first row is from R. G. Newcombe: "Improved confidence intervals for the difference
     * between binomial proportions based on paired data", 1998, method 10. The others are computed
     * by its formula, in a separate Python program. */
    static const struct {
        struct pairs pairs;
        double low, high;
    } rows[] = {{{36, 12, 2, 0}, 0.0569, 0.3404},
                {{20, 12, 2, 16}, 0.05616, 0.32921},
                {{36, 12, 2, 10}, 0.04582, 0.28313},
                {{10, 4, 2, 30}, -0.06934, 0.15611}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct interval interval = statistics_paired_difference(rows[i].pairs, STATISTICS_Z_95);
        NEAR(interval.low, rows[i].low, 5e-5);
        NEAR(interval.high, rows[i].high, 5e-5);
    }
    /* Nothing changed, and everything passed. */
    struct interval same =
        statistics_paired_difference((struct pairs){.both = 20}, STATISTICS_Z_95);
    assert_true(same.low < 0 && same.high > 0);
    NEAR(same.low, -same.high, 1e-12);
}

static void fisher_knows_how_tea_tastes(void **state)
{
    (void)state;
    /* R. A. Fisher: "The design of experiments", 1935: with eight cups, three of four are
     * identified correctly: 17 / 70. The other rows are sums of fractions, by Python. */
    NEAR(statistics_fisher((struct share){1, 4}, (struct share){3, 4}), 17.0 / 70, 1e-12);
    NEAR(statistics_fisher((struct share){0, 4}, (struct share){4, 4}), 1.0 / 70, 1e-12);
    NEAR(statistics_fisher((struct share){5, 12}, (struct share){9, 10}), 0.026315789473684, 1e-12);
    NEAR(statistics_fisher((struct share){160, 200}, (struct share){190, 200}), 3.368882570e-6,
         1e-14);
    NEAR(statistics_fisher((struct share){4, 4}, (struct share){1, 4}), 1, 1e-12);
    NEAR(statistics_fisher((struct share){0, 0}, (struct share){9, 10}), 1, 1e-12);
    NEAR(statistics_fisher((struct share){50000, 100000}, (struct share){50000, 100000}), 0.5,
         5e-3);
}

static void mcnemar_counts_only_what_changed(void **state)
{
    (void)state;
    /* Coins: at most one head in six tosses, 7 / 64. */
    NEAR(statistics_mcnemar((struct pairs){90, 1, 5, 4}), 7.0 / 64, 1e-12);
    NEAR(statistics_mcnemar((struct pairs){0, 1, 5, 0}), 7.0 / 64, 1e-12);
    NEAR(statistics_mcnemar((struct pairs){90, 0, 7, 0}), 1.0 / 128, 1e-12);
    NEAR(statistics_mcnemar((struct pairs){90, 7, 0, 0}), 1, 1e-12);
    NEAR(statistics_mcnemar((struct pairs){90, 0, 0, 10}), 1, 1e-12);
}

/* M. Hollander, D. A. Wolfe: "Nonparametric statistical methods", 1973, p. 27 (depression scores,
 * by pairs) and p. 69 (permeability of membranes); the exact probabilities are those of all their
 * permutations, counted by Python. */
static const double first[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
static const double second[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
static const double at_term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
static const double early[] = {1.15, 0.88, 0.90, 0.74, 1.21};

static void rank_tests_come_to_what_all_permutations_do(void **state)
{
    (void)state;
    double differences[9];
    for (size_t i = 0; i < 9; i++)
        differences[i] = first[i] - second[i];
    /* Within three standard deviations of a hundred exceedances. */
    NEAR(statistics_signed_rank(differences, 9, STATISTICS_LARGER), 0.01953, 0.006);
    NEAR(statistics_signed_rank(differences, 9, STATISTICS_EITHER), 0.03906, 0.012);
    NEAR(statistics_signed_rank(differences, 9, STATISTICS_SMALLER), 0.98, 0.05);
    NEAR(statistics_rank_sum(at_term, 10, early, 5, STATISTICS_LARGER), 0.1272, 0.038);
    NEAR(statistics_rank_sum(early, 5, at_term, 10, STATISTICS_SMALLER), 0.1272, 0.038);
    NEAR(statistics_rank_sum(at_term, 10, early, 5, STATISTICS_EITHER), 0.2544, 0.076);
    NEAR(statistics_rank_sum(at_term, 10, early, 5, STATISTICS_SMALLER), 0.89, 0.1);
}

static void nothing_to_compare_says_nothing(void **state)
{
    (void)state;
    const double zero[] = {0, 0, 0};
    struct interval interval;
    NEAR(statistics_signed_rank(zero, 3, STATISTICS_EITHER), 1, 0);
    NEAR(statistics_rank_sum(zero, 0, first, 9, STATISTICS_EITHER), 1, 0);
    NEAR(statistics_rank_sum(zero, 3, zero, 3, STATISTICS_LARGER), 1, 0);
    assert_true(isnan(statistics_median(zero, 0)));
    assert_true(isnan(statistics_shift(zero, 0, zero, 3, STATISTICS_Z_95, &interval)));
    assert_true(isnan(interval.low));
}

/* COUNT integers from 0 to 4, so that many are equal, each increased by SHIFT. */
static void draw(double *values, size_t count, uint64_t trial, const char *name, double shift)
{
    uint64_t key = rng_key(trial, name);
    for (size_t i = 0; i < count; i++)
        values[i] = floor(5 * rng_uniform(key, i)) + shift;
}

static void chance_alone_is_rarely_taken_for_more(void **state)
{
    (void)state;
    enum { TRIALS = 200, SHIFTED = 40, EACH = 15 };
    size_t sums = 0, signs = 0, found = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        double now[EACH], before[EACH], differences[EACH];
        draw(now, EACH, trial, "now", 0);
        draw(before, EACH, trial, "before", 0);
        for (size_t i = 0; i < EACH; i++)
            differences[i] = now[i] - before[i];
        sums += statistics_rank_sum(now, EACH, before, EACH, STATISTICS_LARGER) <= 0.05;
        signs += statistics_signed_rank(differences, EACH, STATISTICS_EITHER) <= 0.05;
        if (trial >= SHIFTED)
            continue;
        draw(now, EACH, trial, "now", 2);
        found += statistics_rank_sum(now, EACH, before, EACH, STATISTICS_LARGER) <= 0.05;
    }
    /* At most 10 of 200 plus three standard deviations, and at least one. */
    assert_in_range(sums, 1, 19);
    assert_in_range(signs, 1, 19);
    assert_in_range(found, 34, SHIFTED);
}

static void the_middle_lies_between_order_statistics(void **state)
{
    (void)state;
    double values[20];
    for (size_t i = 0; i < 20; i++)
        values[i] = (double)i + 1;
    NEAR(statistics_median(values, 20), 10.5, 0);
    NEAR(statistics_median(values, 19), 10, 0);
    /* W. J. Conover: "Practical nonparametric statistics", table of the binomial distribution: of
     * 20 coins P(<= 5) = 0.0207, P(<= 6) = 0.0577; of 10 P(<= 1) = 0.0107, P(<= 2) = 0.0547. */
    struct interval interval = statistics_median_interval(values, 20, STATISTICS_Z_95);
    NEAR(interval.low, 6, 0);
    NEAR(interval.high, 15, 0);
    interval = statistics_median_interval(values, 10, STATISTICS_Z_95);
    NEAR(interval.low, 2, 0);
    NEAR(interval.high, 9, 0);
    /* Five coins are all alike with probability 1/16: an interval of 95 % does not exist. */
    assert_true(isnan(statistics_median_interval(values, 5, STATISTICS_Z_95).low));
    NEAR(statistics_median_interval(values, 6, STATISTICS_Z_95).low, 1, 0);
}

static int by_number(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void the_shift_is_the_middle_of_all_differences(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 50; trial++) {
        double now[12], before[9], all[12 * 9];
        struct interval interval;
        size_t n = 3 + (size_t)(trial % 10), m = 2 + (size_t)(trial % 8);
        draw(now, n, trial, "now", (double)(trial % 3) / 4);
        draw(before, m, trial, "before", 0);
        qsort(now, n, sizeof *now, by_number);
        qsort(before, m, sizeof *before, by_number);
        for (size_t i = 0; i < n * m; i++)
            all[i] = now[i / m] - before[i % m];
        qsort(all, n * m, sizeof *all, by_number);
        double middle = (all[(n * m - 1) / 2] + all[n * m / 2]) / 2;
        NEAR(statistics_shift(now, n, before, m, STATISTICS_Z_95, &interval), middle, 0);
        double out =
            floor((double)(n * m) / 2 - STATISTICS_Z_95 * sqrt((double)(n * m * (n + m + 1)) / 12));
        if (out < 1) {
            assert_true(isnan(interval.low));
            continue;
        }
        NEAR(interval.low, all[(size_t)out - 1], 0);
        NEAR(interval.high, all[n * m - (size_t)out], 0);
    }
}

static void holm_steps_down(void **state)
{
    (void)state;
    /* The same as p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") in R. */
    double p[] = {0.01, 0.04, 0.03, 0.005};
    const double wanted[] = {0.03, 0.06, 0.06, 0.02};
    statistics_holm(p, 4);
    for (size_t i = 0; i < 4; i++)
        NEAR(p[i], wanted[i], 1e-15);
    double one = 0.3, two[] = {0.8, 0.9};
    statistics_holm(&one, 1);
    NEAR(one, 0.3, 0);
    statistics_holm(two, 2);
    NEAR(two[0], 1, 0);
    NEAR(two[1], 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_a_share_are_those_of_newcombe),
        cmocka_unit_test(intervals_of_a_difference_are_those_of_newcombe),
        cmocka_unit_test(intervals_of_pairs_are_narrower_by_what_they_share),
        cmocka_unit_test(fisher_knows_how_tea_tastes),
        cmocka_unit_test(mcnemar_counts_only_what_changed),
        cmocka_unit_test(rank_tests_come_to_what_all_permutations_do),
        cmocka_unit_test(nothing_to_compare_says_nothing),
        cmocka_unit_test(chance_alone_is_rarely_taken_for_more),
        cmocka_unit_test(the_middle_lies_between_order_statistics),
        cmocka_unit_test(the_shift_is_the_middle_of_all_differences),
        cmocka_unit_test(holm_steps_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
