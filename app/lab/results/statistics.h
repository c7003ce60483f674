/* Tests and intervals for two samples. Without clocks, files and hidden state: the same numbers
 * give the same result. */
#pragma once

#include <stddef.h>

/* This many standard deviations of a normal distribution contain 95 % and 99 %. */
#define STATISTICS_Z_95 1.959963984540054
#define STATISTICS_Z_99 2.5758293035489004

/* NAN at both ends: there are too few values for an interval. */
struct interval {
    double low, high;
};

/* The share K of N. */
struct share {
    size_t k, n;
};

/* The same cases in two runs, by their results before and now. */
struct pairs {
    size_t both, gained, lost, neither; /* numbers of cases that passed; gained: now, but not
                                           before */
};

/* ---- Shares ---- */

/* Wilson's score interval. E. B. Wilson: "Probable inference, the law of succession, and
 * statistical inference", 1927. */
struct interval statistics_wilson(struct share share, double z);

/* Interval of now - before: Newcombe's hybrid of the two score intervals. R. G. Newcombe: "Interval
 * estimation for the difference between independent proportions", 1998, method 10. */
struct interval statistics_difference(struct share now, struct share before, double z);

/* The same for pairs of cases. R. G. Newcombe: "Improved confidence intervals for the difference
 * between binomial proportions based on paired data", 1998, method 10. */
struct interval statistics_paired_difference(struct pairs pairs, double z);

/* The probability of a share at most as large as now, if nothing has changed: Fisher's exact test,
 * one-sided. */
double statistics_fisher(struct share now, struct share before);

/* The same for pairs of cases: McNemar's exact test, one-sided. */
double statistics_mcnemar(struct pairs pairs);

/* ---- Numbers ---- */

/* The alternative of a test: whether numbers became smaller, larger, or either. */
enum statistics_side { STATISTICS_SMALLER = -1, STATISTICS_EITHER, STATISTICS_LARGER };

/* The probability of a shift of NOW against BEFORE at least as large as this, if nothing has
 * changed: Wilcoxon's rank-sum test, by permutations, so that it is exact with ties and with few
 * numbers. It draws 9999 to 99,999 random permutations, the same in each call. If fewer than 100 of
 * them are as extreme, the result is at least 1 / (1 + their number) (J. Besag, P. Clifford:
 * "Sequential Monte Carlo p-values", 1991). NAN: out of memory. An empty sample gives 1. */
double statistics_rank_sum(const double *now, size_t now_count, const double *before,
                           size_t before_count, enum statistics_side side);

/* The same for differences of pairs of cases: Wilcoxon's signed-rank test. Omits differences of
 * 0. */
double statistics_signed_rank(const double *differences, size_t count, enum statistics_side side);

/* The median of SORTED numbers, and its interval. The interval uses order statistics and the
 * binomial distribution, so it is valid for any distribution of the numbers. Its level is that of Z
 * or more. */
double statistics_median(const double *sorted, size_t count);
struct interval statistics_median_interval(const double *sorted, size_t count, double z);

/* The shift of NOW against BEFORE, both sorted: the median of all differences (J. L. Hodges, E. L.
 * Lehmann, 1963). INTERVAL becomes the interval of differences that belongs to the rank-sum test
 * (L. E. Moses, 1965; by the normal approximation of its distribution). */
double statistics_shift(const double *now, size_t now_count, const double *before,
                        size_t before_count, double z, struct interval *interval);

/* ---- Several tests ---- */

/* Corrects COUNT probabilities for multiple tests, so that all of them may be compared with the
 * same level. S. Holm: "A simple sequentially rejective multiple test procedure", 1979. Corrects at
 * most the first 4096. */
void statistics_holm(double *probabilities, size_t count);
