#include "app/lab/results/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/table.h"
#include "base/number.h"

enum {
    PAIRED_PART = 90,  /* chosen, %: with fewer pairs, too many cases would be omitted */
    REPORTED_MAX = 10, /* chosen: cases that are listed */
    DIGITS = 4,
};

/* Two runs. PARTNERS has the earlier case for each case of the new run; NULL: there is none. */
struct match {
    const struct results_summary *now, *before;
    const struct summary_case **partners;
    double *values, *others; /* large enough for a measure of all cases */
};

/* ---- Pairs ---- */

static bool find_partners(struct match *match)
{
    json_t *numbers = json_object(); // by name
    bool is_whole = numbers;
    for (size_t i = 0; is_whole && i < match->before->count; i++)
        is_whole = json_object_set_new(numbers, match->before->cases[i].name,
                                       json_integer((json_int_t)i)) == 0;
    for (size_t i = 0; is_whole && i < match->now->count; i++) {
        const struct summary_case *one = &match->now->cases[i];
        const json_t *number = json_object_get(numbers, one->name);
        const struct summary_case *other =
            number ? &match->before->cases[json_integer_value(number)] : NULL;
        bool is_same =
            other && one->is_there && other->is_there && json_equal(one->vary, other->vary);
        match->partners[i] = is_same ? other : NULL;
    }
    json_decref(numbers);
    return is_whole;
}

/* The scenes that a row compares. */
struct sides {
    const struct summary_scene *now, *before;
    bool is_paired;
};

static bool is_pair(const struct match *match, const struct sides *sides, size_t index)
{
    const struct summary_case *other = match->partners[index];
    return other && summary_is_judged(match->now, &match->now->cases[index], sides->now) &&
           summary_is_judged(match->before, other, sides->before);
}

static size_t count_pairs(const struct match *match, const struct sides *sides)
{
    size_t count = 0;
    for (size_t i = 0; i < match->now->count; i++)
        count += is_pair(match, sides, i);
    return count;
}

/* ---- Rows ---- */

static void compare_passed(const struct match *match, const struct sides *sides,
                           struct baseline_row *row)
{
    struct share now = summary_share(sides->now), before = summary_share(sides->before);
    struct pairs pairs = {0};
    for (size_t i = 0; sides->is_paired && i < match->now->count; i++) {
        if (!is_pair(match, sides, i))
            continue;
        bool is_now = match->now->cases[i].verdict == JUDGEMENT_PASSED;
        bool was = match->partners[i]->verdict == JUDGEMENT_PASSED;
        pairs.both += is_now && was;
        pairs.gained += is_now && !was;
        pairs.lost += !is_now && was;
        pairs.neither += !is_now && !was;
    }
    if (sides->is_paired) {
        size_t n = pairs.both + pairs.gained + pairs.lost + pairs.neither;
        now = (struct share){pairs.both + pairs.gained, n};
        before = (struct share){pairs.both + pairs.lost, n};
    }
    row->worse = STATISTICS_SMALLER;
    row->now_n = now.n;
    row->before_n = before.n;
    row->changed = pairs.gained + pairs.lost;
    row->now = (double)now.k / (double)now.n;
    row->before = (double)before.k / (double)before.n;
    row->change = row->now - row->before;
    row->interval = sides->is_paired ? statistics_paired_difference(pairs, STATISTICS_Z_99)
                                     : statistics_difference(now, before, STATISTICS_Z_99);
    row->p = sides->is_paired ? statistics_mcnemar(pairs) : statistics_fisher(now, before);
}

static void compare_samples(const struct match *match, const struct sides *sides,
                            struct baseline_row *row)
{
    size_t n = summary_measures(match->now, sides->now, row->measure, match->values);
    size_t m = summary_measures(match->before, sides->before, row->measure, match->others);
    row->now_n = n;
    row->before_n = m;
    row->now = statistics_median(match->values, n);
    row->before = statistics_median(match->others, m);
    row->change =
        statistics_shift(match->values, n, match->others, m, STATISTICS_Z_99, &row->interval);
    row->p = statistics_rank_sum(match->values, n, match->others, m, row->worse);
}

/* Uses only pairs whose cases both have a value. */
static void compare_pairs(const struct match *match, const struct sides *sides,
                          struct baseline_row *row)
{
    size_t n = 0, changed = 0;
    double *differences = match->values;
    for (size_t i = 0; i < match->now->count; i++) {
        double now =
            is_pair(match, sides, i) ? summary_measure(&match->now->cases[i], row->measure) : NAN;
        double before = isnan(now) ? NAN : summary_measure(match->partners[i], row->measure);
        if (isnan(before))
            continue;
        n++;
        if (now < before || now > before)
            differences[changed++] = now - before;
    }
    row->now_n = row->before_n = n;
    row->changed = changed;
    row->p = statistics_signed_rank(differences, changed, row->worse);
    qsort(differences, changed, sizeof *differences, number_order);
    row->change = changed > 0 ? statistics_median(differences, changed) : 0;
    row->interval = changed > 0 ? statistics_median_interval(differences, changed, STATISTICS_Z_99)
                                : (struct interval){0, 0};
    size_t all = summary_measures(match->now, sides->now, row->measure, match->values);
    row->now = statistics_median(match->values, all);
    all = summary_measures(match->before, sides->before, row->measure, match->others);
    row->before = statistics_median(match->others, all);
}

static enum statistics_side worse_side(const struct results_summary *now, const char *measure)
{
    const char *better =
        json_string_value(json_object_get(json_object_get(now->results->plan, "better"), measure));
    return !better                       ? STATISTICS_EITHER
           : strcmp(better, "more") == 0 ? STATISTICS_SMALLER
                                         : STATISTICS_LARGER;
}

static bool add_row(struct baseline *baseline, const struct match *match, const struct sides *sides,
                    const char *measure)
{
    struct baseline_row row = {.scene = sides->now->name, .measure = measure};
    row.worse = worse_side(match->now, measure);
    if (!*measure)
        compare_passed(match, sides, &row);
    else if (sides->is_paired)
        compare_pairs(match, sides, &row);
    else
        compare_samples(match, sides, &row);
    // A measure without any value gets no row.
    if (row.now_n > 0 && row.before_n > 0 &&
        !array_append(&baseline->rows, &baseline->count, &row, sizeof row))
        return false;
    return !isnan(row.p);
}

static bool add_scene(struct baseline *baseline, const struct match *match,
                      const struct summary_scene *scene)
{
    struct sides sides = {.now = scene, .before = summary_find_scene(match->before, scene->name)};
    if (!sides.before || scene->passed + scene->failed == 0 ||
        sides.before->passed + sides.before->failed == 0)
        return true;
    size_t pairs = count_pairs(match, &sides), n = summary_share(scene).n,
           m = summary_share(sides.before).n, most = n < m ? n : m;
    sides.is_paired = pairs * 100 >= most * PAIRED_PART;
    baseline->has_pairs |= sides.is_paired;
    baseline->has_others |= !sides.is_paired;
    baseline->pairs += pairs;
    bool is_whole = add_row(baseline, match, &sides, "");
    for (size_t i = 0; is_whole && i < json_array_size(scene->measures); i++) {
        const char *measure = summary_name(scene->measures, i);
        if (summary_has_name(sides.before->measures, measure))
            is_whole = add_row(baseline, match, &sides, measure);
    }
    return is_whole;
}

/* ---- Comparison ---- */

bool baseline_is_worse(const struct baseline_row *row)
{
    return row->worse != STATISTICS_EITHER && row->p <= BASELINE_LEVEL;
}

static bool correct(struct baseline *baseline)
{
    double *all = calloc(baseline->count + 1, sizeof *all);
    for (size_t i = 0; all && i < baseline->count; i++)
        all[i] = baseline->rows[i].p;
    if (all)
        statistics_holm(all, baseline->count);
    for (size_t i = 0; all && i < baseline->count; i++) {
        baseline->rows[i].p = all[i];
        baseline->worse += baseline_is_worse(&baseline->rows[i]);
    }
    free(all);
    return all;
}

static bool note_lost(struct baseline *baseline, const struct match *match)
{
    baseline->lost = calloc(match->now->count + 1, sizeof *baseline->lost);
    for (size_t i = 0; baseline->lost && i < match->now->count; i++) {
        const struct summary_case *one = &match->now->cases[i], *other = match->partners[i];
        if (other && other->verdict == JUDGEMENT_PASSED && one->verdict != JUDGEMENT_PASSED)
            baseline->lost[baseline->lost_count++] = one->name;
    }
    return baseline->lost;
}

bool baseline_compare(struct baseline *baseline, const struct results_summary *now,
                      const struct results_summary *before, struct error *error)
{
    size_t most = (now->count > before->count ? now->count : before->count) + 1;
    struct match match = {.now = now,
                          .before = before,
                          .partners = calloc(most, sizeof *match.partners),
                          .values = calloc(most, sizeof *match.values),
                          .others = calloc(most, sizeof *match.others)};
    *baseline = (struct baseline){
        .is_other = !json_equal(json_object_get(now->results->plan, "varied"),
                                json_object_get(before->results->plan, "varied"))};
    bool is_whole = match.partners && match.values && match.others && find_partners(&match);
    for (size_t i = 0; is_whole && i < now->scene_count; i++)
        is_whole = add_scene(baseline, &match, &now->scenes[i]);
    is_whole = is_whole && note_lost(baseline, &match) && correct(baseline);
    free(match.partners);
    free(match.values);
    free(match.others);
    if (!is_whole)
        return error_set(error, "not enough memory");
    return baseline->count > 0 ||
           error_set(error, "no judged case of a scene with the same name: nothing to compare");
}

void baseline_free(struct baseline *baseline)
{
    free(baseline->rows);
    free(baseline->lost);
    *baseline = (struct baseline){0};
}

/* ---- Output ---- */

const char *const baseline_heads[BASELINE_COLUMNS + 1] = {
    "scene", "what", ">before", ">now", ">change (99 %)", ">p", "", NULL};

void baseline_note(const struct baseline *baseline, char note[BASELINE_NOTE_MAX])
{
    static const char pairs[] =
        "The same cases in both: McNemar's exact test, for measures Wilcoxon's signed-rank "
        "test; intervals: Newcombe's for pairs, for measures the median of the pairs that "
        "differ, by order statistics.\n";
    static const char others[] =
        "Different cases: Fisher's exact test, for measures Wilcoxon's rank-sum "
        "test; intervals: Newcombe's hybrid score, for measures the shift of Hodges and "
        "Lehmann, by Moses.\n";
    snprintf(note, BASELINE_NOTE_MAX,
             "%s%sp: one-sided where less or more is better, by Holm's correction for %zu; "
             "level %g.\n",
             baseline->has_pairs ? pairs : "", baseline->has_others ? others : "", baseline->count,
             BASELINE_LEVEL);
}

static void write_number(double value, bool is_share, bool has_sign, char *text, size_t size)
{
    if (isnan(value))
        snprintf(text, size, "-");
    else if (is_share)
        snprintf(text, size, has_sign ? "%+.1f %%" : "%.1f %%", 100 * value);
    else
        snprintf(text, size, has_sign ? "%+.*g" : "%.*g", DIGITS, value);
}

void baseline_texts(const struct baseline_row *row, char texts[BASELINE_COLUMNS][BASELINE_TEXT_MAX])
{
    static const char *const sides[] = {"more is better", "", "less is better"};
    bool is_share = !*row->measure, is_certain = row->p <= BASELINE_LEVEL;
    char number[32], change[32], low[32], high[32];
    snprintf(texts[0], BASELINE_TEXT_MAX, "%.90s", row->scene);
    snprintf(texts[1], BASELINE_TEXT_MAX, "%.60s%s%s%s", is_share ? "passed" : row->measure,
             is_share || row->worse == STATISTICS_EITHER ? "" : " (",
             is_share ? "" : sides[row->worse + 1],
             is_share || row->worse == STATISTICS_EITHER ? "" : ")");
    write_number(row->before, is_share, false, number, sizeof number);
    snprintf(texts[2], BASELINE_TEXT_MAX, "%s of %zu", number, row->before_n);
    write_number(row->now, is_share, false, number, sizeof number);
    snprintf(texts[3], BASELINE_TEXT_MAX, "%s of %zu", number, row->now_n);
    write_number(row->change, is_share, true, change, sizeof change);
    write_number(row->interval.low, is_share, true, low, sizeof low);
    write_number(row->interval.high, is_share, true, high, sizeof high);
    snprintf(texts[4], BASELINE_TEXT_MAX, "%s (%s to %s)", change, low, high);
    snprintf(texts[5], BASELINE_TEXT_MAX, "%.2g", row->p);
    snprintf(texts[6], BASELINE_TEXT_MAX, "%s",
             baseline_is_worse(row)                          ? "WORSE"
             : is_certain && row->worse == STATISTICS_EITHER ? "changed"
                                                             : "");
}

static void print_lost(const struct baseline *baseline, FILE *out)
{
    if (baseline->lost_count > 0)
        fprintf(out, "%zu cases passed before and fail now:\n", baseline->lost_count);
    for (size_t i = 0; i < baseline->lost_count && i < REPORTED_MAX; i++)
        fprintf(out, "  %s\n", baseline->lost[i]);
    if (baseline->lost_count > REPORTED_MAX)
        fprintf(out, "  and %zu more\n", baseline->lost_count - REPORTED_MAX);
}

void baseline_print(const struct baseline *baseline, const char *name, FILE *out)
{
    struct table table;
    char note[BASELINE_NOTE_MAX];
    table_init(&table, baseline_heads);
    for (size_t i = 0; i < baseline->count; i++) {
        char texts[BASELINE_COLUMNS][BASELINE_TEXT_MAX];
        const char *cells[BASELINE_COLUMNS];
        baseline_texts(&baseline->rows[i], texts);
        for (size_t k = 0; k < BASELINE_COLUMNS; k++)
            cells[k] = texts[k];
        table_row(&table, cells);
    }
    fprintf(out, "\nagainst %s:\n", name);
    table_print(&table, 2, out);
    baseline_note(baseline, note);
    fputs(note, out);
    if (baseline->is_other)
        fputs("The two runs sweep different parameters, so they may differ for that reason.\n",
              out);
    print_lost(baseline, out);
    fprintf(out, "%s significantly worse than %s (1 %% level)\n",
            baseline->worse > 0 ? "FAILED:" : "passed: not", name);
}
