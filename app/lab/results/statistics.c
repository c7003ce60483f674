#include "app/lab/results/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/rng.h"

enum {
    DRAWS_MIN = 9999,
    DRAWS_MAX = 99999, /* chosen: the smallest p value is 1 / 100,000 */
    HITS_MAX = 100,    /* chosen: then p is known within a fifth */
    HOLM_MAX = 4096,
    HALVINGS = 100, /* a double has fewer bits */
};
static const double WORK_MAX = 2e8; /* chosen: random numbers per test, about a second */

/* ---- Shares ---- */

struct interval statistics_wilson(struct share share, double z)
{
    double n = (double)share.n, p = (double)share.k / n, z2 = z * z;
    if (share.n == 0)
        return (struct interval){NAN, NAN};
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = z / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    return (struct interval){number_larger(middle - half, 0), number_smaller(middle + half, 1)};
}

static double part(struct share share)
{
    return (double)share.k / (double)share.n;
}

/* Combines the intervals of two shares whose errors have this CORRELATION. */
static struct interval join(struct share now, struct share before, double correlation, double z)
{
    struct interval a = statistics_wilson(now, z), b = statistics_wilson(before, z);
    double p = part(now), q = part(before);
    double below = (p - a.low) * (p - a.low) - 2 * correlation * (p - a.low) * (b.high - q) +
                   (b.high - q) * (b.high - q);
    double above = (a.high - p) * (a.high - p) - 2 * correlation * (a.high - p) * (q - b.low) +
                   (q - b.low) * (q - b.low);
    return (struct interval){p - q - sqrt(number_larger(below, 0)),
                             p - q + sqrt(number_larger(above, 0))};
}

struct interval statistics_difference(struct share now, struct share before, double z)
{
    return join(now, before, 0, z);
}

struct interval statistics_paired_difference(struct pairs pairs, double z)
{
    double both = (double)pairs.both, gained = (double)pairs.gained, lost = (double)pairs.lost,
           neither = (double)pairs.neither;
    size_t n = pairs.both + pairs.gained + pairs.lost + pairs.neither;
    double product = (both + gained) * (lost + neither) * (both + lost) * (gained + neither);
    double with = both * neither - gained * lost;
    if (with > 0)
        with = number_larger(with - (double)n / 2, 0);
    return join((struct share){pairs.both + pairs.gained, n},
                (struct share){pairs.both + pairs.lost, n}, product > 0 ? with / sqrt(product) : 0,
                z);
}

/* The logarithm of the binomial coefficient N over K. */
static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double statistics_fisher(struct share now, struct share before)
{
    double n = (double)now.n, m = (double)before.n, passed = (double)(now.k + before.k), sum = 0;
    // Sums over the tables with the same totals and with at most as many passed cases now.
    for (double k = number_larger(0, passed - m); k <= (double)now.k; k++)
        sum += exp(log_choose(n, k) + log_choose(m, passed - k) - log_choose(n + m, passed));
    return number_smaller(sum, 1);
}

/* The probability that K of N fair coins show heads. */
static double coins(double n, double k)
{
    return exp(log_choose(n, k) - n * log(2));
}

double statistics_mcnemar(struct pairs pairs)
{
    double sum = 0;
    for (size_t i = 0; i <= pairs.gained; i++)
        sum += coins((double)(pairs.gained + pairs.lost), (double)i);
    return number_smaller(sum, 1);
}

/* ---- Ranks ---- */

struct ranked {
    double value, rank;
    bool is_now; /* belongs to the tested sample; of a difference: it is positive */
};

/* Sorts the values. Equal values get the mean of their ranks. */
static void rank(struct ranked *all, size_t count)
{
    qsort(all, count, sizeof *all, number_order);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && all[end].value <= all[i].value;)
            end++;
        for (size_t k = i; k < end; k++)
            all[k].rank = (double)(i + end + 1) / 2;
    }
}

/* The random numbers of one test. */
struct draws {
    uint64_t key, next;
};

/* A random statistic with the mean MIDDLE: counts how often it is at least as extreme as FOUND. */
struct trial {
    const struct ranked *all;
    double *ranks; /* DRAW shuffles them */
    size_t count, now_count;
    double middle, found;
    enum statistics_side side;
    double (*draw)(const struct trial *trial, struct draws *draws);
};

/* The sum of random ranks, as many as the sample has. */
static double draw_sum(const struct trial *trial, struct draws *draws)
{
    double sum = 0;
    for (size_t i = 0; i < trial->now_count; i++) {
        double at = rng_uniform(draws->key, draws->next++) * (double)(trial->count - i);
        size_t k = i + (size_t)at;
        double taken = trial->ranks[k];
        trial->ranks[k] = trial->ranks[i];
        trial->ranks[i] = taken;
        sum += taken;
    }
    return sum;
}

/* The sum of the ranks of positive differences, if each sign is random. */
static double draw_signs(const struct trial *trial, struct draws *draws)
{
    double sum = 0;
    uint64_t bits = 0;
    for (size_t i = 0; i < trial->count; i++, bits >>= 1) {
        if (i % 64 == 0)
            bits = rng_u64(draws->key, draws->next++);
        sum += bits & 1 ? trial->all[i].rank : 0;
    }
    return sum;
}

static double how_far(const struct trial *trial, double sum)
{
    double out = sum - trial->middle;
    return trial->side == STATISTICS_LARGER    ? out
           : trial->side == STATISTICS_SMALLER ? -out
                                               : fabs(out);
}

static double try_draws(const struct trial *trial)
{
    struct draws draws = {.key = rng_key(0, "statistics")};
    double most = number_between(WORK_MAX / (double)trial->count, DRAWS_MIN, DRAWS_MAX);
    // Sums of halves are exact; the mean of many numbers is not.
    double found = how_far(trial, trial->found) - 1e-9 * (double)trial->count;
    size_t done = 0, hits = 0;
    for (; done < (size_t)most && hits < HITS_MAX; done++)
        hits += how_far(trial, trial->draw(trial, &draws)) >= found;
    return hits == HITS_MAX ? (double)hits / (double)done : (double)(hits + 1) / (double)(done + 1);
}

static double sum_of_now(const struct ranked *all, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += all[i].is_now ? all[i].rank : 0;
    return sum;
}

double statistics_rank_sum(const double *now, size_t now_count, const double *before,
                           size_t before_count, enum statistics_side side)
{
    size_t count = now_count + before_count;
    struct ranked *all = calloc(count + 1, sizeof *all);
    double *ranks = calloc(count + 1, sizeof *ranks), p = NAN;
    if (all && ranks && now_count > 0 && before_count > 0) {
        for (size_t i = 0; i < count; i++)
            all[i] = i < now_count ? (struct ranked){.value = now[i], .is_now = true}
                                   : (struct ranked){.value = before[i - now_count]};
        rank(all, count);
        for (size_t i = 0; i < count; i++)
            ranks[i] = all[i].rank;
        const struct trial trial = {.all = all,
                                    .ranks = ranks,
                                    .count = count,
                                    .now_count = now_count,
                                    .middle = (double)now_count * (double)(count + 1) / 2,
                                    .found = sum_of_now(all, count),
                                    .side = side,
                                    .draw = draw_sum};
        p = try_draws(&trial);
    } else if (all && ranks) {
        p = 1;
    }
    free(all);
    free(ranks);
    return p;
}

double statistics_signed_rank(const double *differences, size_t count, enum statistics_side side)
{
    struct ranked *all = calloc(count + 1, sizeof *all);
    size_t kept = 0;
    if (!all)
        return NAN;
    for (size_t i = 0; i < count; i++)
        if (differences[i] < 0 || differences[i] > 0)
            all[kept++] =
                (struct ranked){.value = fabs(differences[i]), .is_now = differences[i] > 0};
    rank(all, kept);
    const struct trial trial = {.all = all,
                                .count = kept,
                                .middle = (double)kept * (double)(kept + 1) / 4,
                                .found = sum_of_now(all, kept),
                                .side = side,
                                .draw = draw_signs};
    double p = kept > 0 ? try_draws(&trial) : 1;
    free(all);
    return p;
}

/* ---- Medians ---- */

double statistics_median(const double *sorted, size_t count)
{
    return count == 0 ? NAN : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

struct interval statistics_median_interval(const double *sorted, size_t count, double z)
{
    double excluded = erfc(z / sqrt(2)) / 2, sum = 0;
    size_t below = 0; // so many numbers are outside at each end
    while (below < count / 2 && (sum += coins((double)count, (double)below)) <= excluded)
        below++;
    return below == 0 ? (struct interval){NAN, NAN}
                      : (struct interval){sorted[below - 1], sorted[count - below]};
}

/* Two sorted samples. */
struct samples {
    const double *now, *before;
    size_t now_count, before_count;
};

/* The number of differences (each NOW minus each BEFORE) that are at most LIMIT. LARGEST becomes
 * the largest of them. */
static double count_to(const struct samples *samples, double limit, double *largest)
{
    double count = 0;
    size_t from = 0; // the first BEFORE that is near enough
    *largest = -INFINITY;
    for (size_t i = 0; i < samples->now_count; i++) {
        while (from < samples->before_count && samples->now[i] - samples->before[from] > limit)
            from++;
        if (from == samples->before_count)
            break;
        count += (double)(samples->before_count - from);
        *largest = number_larger(*largest, samples->now[i] - samples->before[from]);
    }
    return count;
}

/* The K-th smallest difference, from 1 on. */
static double difference(const struct samples *samples, double k)
{
    double low = samples->now[0] - samples->before[samples->before_count - 1];
    double high = samples->now[samples->now_count - 1] - samples->before[0], largest;
    if (count_to(samples, low, &largest) >= k)
        return low;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;
        if (count_to(samples, middle, &largest) >= k)
            high = middle;
        else
            low = middle;
    }
    count_to(samples, high, &largest);
    return largest;
}

double statistics_shift(const double *now, size_t now_count, const double *before,
                        size_t before_count, double z, struct interval *interval)
{
    const struct samples samples = {now, before, now_count, before_count};
    double n = (double)now_count, m = (double)before_count, all = n * m;
    *interval = (struct interval){NAN, NAN};
    if (now_count == 0 || before_count == 0)
        return NAN;
    double excluded = floor(all / 2 - z * sqrt(all * (n + m + 1) / 12));
    if (excluded >= 1)
        *interval = (struct interval){difference(&samples, excluded),
                                      difference(&samples, all + 1 - excluded)};
    double low = difference(&samples, floor((all + 1) / 2));
    double high = difference(&samples, ceil((all + 1) / 2));
    return (low + high) / 2;
}

/* ---- Several tests ---- */

void statistics_holm(double *probabilities, size_t count)
{
    bool is_done[HOLM_MAX] = {false};
    double most = 0;
    count = count < HOLM_MAX ? count : HOLM_MAX;
    for (size_t left = count; left > 0; left--) {
        size_t least = count;
        for (size_t i = 0; i < count; i++)
            if (!is_done[i] && (least == count || probabilities[i] < probabilities[least]))
                least = i;
        is_done[least] = true;
        most = number_larger(most, probabilities[least] * (double)left);
        probabilities[least] = most = number_smaller(most, 1);
    }
}
