/* What two samples say about what they come from: exact tests, and intervals. No clock, no file, no
 * hidden state: the same numbers give the same answer. */
#pragma once

#include <stddef.h>

/* Of a normal distribution: this many standard deviations hold 95 % and 99 %. */
#define STATISTICS_Z_95 1.959963984540054
#define STATISTICS_Z_99 2.5758293035489004

/* NAN at both ends: there is too little for one. */
struct interval {
    double low, high;
};

/* K of N. */
struct share {
    size_t k, n;
};

/* The same cases run twice, by what came of them then and now. */
struct pairs {
    size_t both, gained, lost, neither; /* that passed; gained: now, and not before */
};

/* ---- Shares ---- */

/* Wilson's score interval. E. B. Wilson: "Probable inference, the law of succession, and
 * statistical inference", 1927. */
struct interval statistics_wilson(struct share share, double z);

/* Of now - before: Newcombe's hybrid of the two score intervals. R. G. Newcombe: "Interval
 * estimation for the difference between independent proportions", 1998, method 10. */
struct interval statistics_difference(struct share now, struct share before, double z);

/* The same of the same cases. R. G. Newcombe: "Improved confidence intervals for the difference
 * between binomial proportions based on paired data", 1998, method 10. */
struct interval statistics_paired_difference(struct pairs pairs, double z);

/* How likely so small a share now is, or a smaller one, if nothing has changed: Fisher's exact
 * test, one-sided. */
double statistics_fisher(struct share now, struct share before);

/* The same of the same cases: McNemar's exact test, one-sided. */
double statistics_mcnemar(struct pairs pairs);

/* ---- Numbers ---- */

/* What is to be found out: whether numbers became larger, smaller, or either. */
enum statistics_side { STATISTICS_SMALLER = -1, STATISTICS_EITHER, STATISTICS_LARGER };

/* How likely so large a shift of NOW against BEFORE is if nothing has changed: Wilcoxon's rank-sum
 * test, by permutations, so that it is exact with ties and with few numbers. They are drawn at
 * random, from 10,000 to 100,000 of them, the same in each call; with fewer exceedances than 100
 * the answer is never below 1 / their number (J. Besag, P. Clifford: "Sequential Monte Carlo
 * p-values", 1991). NAN: memory is short. An empty sample gives 1. */
double statistics_rank_sum(const double *now, size_t now_count, const double *before,
                           size_t before_count, enum statistics_side side);

/* The same of differences of the same cases: Wilcoxon's signed-rank test. Differences of 0 are left
 * out. */
double statistics_signed_rank(const double *differences, size_t count, enum statistics_side side);

/* The middle of SORTED numbers, and an interval of it: of order statistics, by the binomial
 * distribution, so that it holds whatever theirs is; its level is that of Z or more. */
double statistics_median(const double *sorted, size_t count);
struct interval statistics_median_interval(const double *sorted, size_t count, double z);

/* The shift of NOW against BEFORE, both sorted: the middle of all differences of one and one
 * (J. L. Hodges, E. L. Lehmann, 1963), and the interval of differences that belongs to the rank-sum
 * test (L. E. Moses, 1965; by the normal approximation of its distribution). */
double statistics_shift(const double *now, size_t now_count, const double *before,
                        size_t before_count, double z, struct interval *interval);

/* ---- Several tests ---- */

/* Makes of COUNT probabilities those that may be held against one level together. S. Holm: "A
 * simple sequentially rejective multiple test procedure", 1979. At most 4096, the first ones. */
void statistics_holm(double *probabilities, size_t count);
