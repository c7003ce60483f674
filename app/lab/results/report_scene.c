#include "app/lab/results/report_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/page.h"
#include "app/lab/results/report_charts.h"
#include "app/lab/results/report_map.h"
#include "base/number.h"

enum {
    VALUES_MAX = 12, /* chosen: different numbers that have a bar each; more are put in bins */
    TEXTS_MAX = 40,  /* chosen: different texts that have a bar each */
    BINS = 10,
    SECTORS = 8,
    FLAKIEST = 10, /* chosen: what one looks at */
    DIGITS = 6,
};

/* ---- Verdicts ---- */

static void put_row(FILE *page, const char *label, const unsigned char *verdicts, size_t count)
{
    size_t counts[CHART_COLORS] = {0};
    for (size_t i = 0; i < count; i++)
        counts[verdicts[i]]++;
    fputs("<tr><td>", page);
    page_text(page, label);
    fputs("</td>", page);
    for (size_t i = 0; i < CHART_NONE; i++)
        fprintf(page, "<td class=\"n\">%zu</td>", counts[i]);
    fputs("<td>", page);
    chart_verdicts(page, verdicts, count);
    fputs("</td></tr>\n", page);
}

static unsigned char verdict_of(const struct survey_case *one, const char *label)
{
    static const char *const words[CHART_NONE] = {[JUDGEMENT_PASSED] = "passed",
                                                  [JUDGEMENT_FAILED] = "failed",
                                                  [JUDGEMENT_ERROR] = "error",
                                                  [JUDGEMENT_SKIPPED] = "skipped"};
    char own[512];
    for (size_t i = 0; i < json_array_size(one->expect); i++) {
        const json_t *item = json_array_get(one->expect, i);
        const char *verdict = json_string_value(json_object_get(item, "verdict"));
        if (!verdict || strcmp(survey_label(item, own, sizeof own), label) != 0)
            continue;
        for (size_t k = 0; k < CHART_NONE; k++)
            if (strcmp(words[k], verdict) == 0)
                return (unsigned char)k;
    }
    return CHART_NONE;
}

static bool is_of(const struct survey *survey, const struct survey_case *one,
                  const struct survey_scene *scene)
{
    return one->is_there && &survey->scenes[one->scene] == scene;
}

static bool put_verdicts(FILE *page, const struct survey *survey, const struct survey_scene *scene)
{
    unsigned char *verdicts = calloc(survey->count + 1, sizeof *verdicts);
    if (!verdicts)
        return false;
    fputs("<table><tr><th>expected</th><th class=\"n\">passed</th><th class=\"n\">failed</th>"
          "<th class=\"n\">error</th><th class=\"n\">skipped</th><th>case by case</th></tr>\n",
          page);
    for (size_t row = 0; row <= json_array_size(scene->expect); row++) {
        const char *label = row == 0 ? "all" : survey_name(scene->expect, row - 1);
        size_t count = 0;
        for (size_t i = 0; i < survey->count; i++)
            if (is_of(survey, &survey->cases[i], scene))
                verdicts[count++] = row == 0 ? (unsigned char)survey->cases[i].verdict
                                             : verdict_of(&survey->cases[i], label);
        put_row(page, label, verdicts, count);
    }
    fputs("</table>\n", page);
    free(verdicts);
    return true;
}

/* ---- What varies ---- */

/* The value of one thing in one case. */
struct value {
    double number;    /* NAN: a text */
    const char *text; /* "" of a number */
    bool is_passed;
};

static int by_value(const void *a, const void *b)
{
    const struct value *left = a, *right = b;
    if (isnan(left->number) || isnan(right->number))
        return isnan(left->number) && isnan(right->number)
                   ? strcmp(left->text, right->text)
                   : isnan(left->number) - isnan(right->number);
    return (left->number > right->number) - (left->number < right->number);
}

/* Sorted; each different value gets a row, up to MOST. Returns how many different ones there are.
 */
static size_t count_values(const struct value *values, size_t count, struct chart_share *rows,
                           size_t most)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || by_value(&values[i - 1], &values[i]) != 0) {
            if (++used > most)
                continue;
            struct chart_share *row = &rows[used - 1];
            *row = (struct chart_share){0};
            if (isnan(values[i].number))
                snprintf(row->label, sizeof row->label, "%.30s", values[i].text);
            else
                number_print(values[i].number, DIGITS, row->label, sizeof row->label);
        }
        if (used <= most) {
            rows[used - 1].share.n++;
            rows[used - 1].share.k += values[i].is_passed;
        }
    }
    return used;
}

static void put_bins(FILE *page, const struct value *values, size_t count)
{
    struct chart_share rows[BINS] = {0};
    double low = values[0].number, width = (values[count - 1].number - low) / BINS;
    for (size_t i = 0; i < BINS; i++) {
        char from[24], to[24];
        number_print(low + width * (double)i, 4, from, sizeof from);
        number_print(low + width * (double)(i + 1), 4, to, sizeof to);
        snprintf(rows[i].label, sizeof rows[i].label, "%s to %s", from, to);
    }
    for (size_t i = 0; i < count; i++) {
        size_t bin = (size_t)number_between((values[i].number - low) / width, 0, BINS - 1);
        rows[bin].share.n++;
        rows[bin].share.k += values[i].is_passed;
    }
    chart_shares(page, rows, BINS);
}

static void put_values(FILE *page, const char *name, struct value *values, size_t count)
{
    struct chart_share rows[TEXTS_MAX];
    qsort(values, count, sizeof *values, by_value);
    bool has_text = isnan(values[count - 1].number);
    size_t different = count_values(values, count, rows, TEXTS_MAX);
    if (different < 2)
        return;
    fputs("<h3>Passed by ", page);
    page_text(page, name);
    fputs("</h3>\n", page);
    if (!has_text && different > VALUES_MAX)
        put_bins(page, values, count);
    else
        chart_shares(page, rows, different < TEXTS_MAX ? different : TEXTS_MAX);
    if (has_text && different > TEXTS_MAX)
        fprintf(page, "<p class=\"small\">%d of %zu values.</p>\n", TEXTS_MAX, different);
}

/* ---- Places ---- */

static int by_place(const void *a, const void *b)
{
    const struct map_place *left = a, *right = b;
    const double differences[] = {left->x_m - right->x_m, left->y_m - right->y_m,
                                  left->heading_deg - right->heading_deg};
    for (size_t i = 0; i < 3; i++)
        if (differences[i] < 0 || differences[i] > 0)
            return differences[i] > 0 ? 1 : -1;
    return 0;
}

/* Joins cases that began at the same place. Returns how many places there are. */
static size_t join_places(struct map_place *places, size_t count)
{
    size_t kept = 0;
    qsort(places, count, sizeof *places, by_place);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_place(&places[kept - 1], &places[i]) == 0) {
            places[kept - 1].share.k += places[i].share.k;
            places[kept - 1].share.n++;
        } else {
            places[kept++] = places[i];
        }
    }
    return kept;
}

static void put_headings(FILE *page, const struct map_place *places, size_t count)
{
    struct chart_share rows[SECTORS] = {0};
    const double sector_deg = 360.0 / SECTORS;
    bool is_varied = false;
    for (size_t i = 0; i < SECTORS; i++)
        snprintf(rows[i].label, sizeof rows[i].label, "looking at %.0f degrees",
                 sector_deg * (double)i);
    for (size_t i = 0; i < count; i++) {
        double turn = places[i].heading_deg - 360 * floor(places[i].heading_deg / 360);
        size_t sector = (size_t)floor(turn / sector_deg + 0.5) % SECTORS;
        rows[sector].share.k += places[i].share.k;
        rows[sector].share.n += places[i].share.n;
        is_varied |= by_place(&places[0], &places[i]) != 0 &&
                     fabs(places[i].heading_deg - places[0].heading_deg) > sector_deg;
    }
    if (is_varied)
        chart_shares(page, rows, SECTORS);
}

static void put_places(FILE *page, const char *path, const struct survey_scene *scene,
                       const char *name, struct map_place *places, size_t count)
{
    count = join_places(places, count);
    fputs("<h3>Passed by ", page);
    page_text(page, name);
    fprintf(page,
            "</h3>\n<p class=\"small\">Where it began and where it looked, %zu place%s: green "
            "passed, red failed, yellow some of both. The robot stands where the scene has "
            "it.</p>\n",
            count, count == 1 ? "" : "s");
    report_map(page, path, scene->word, places, count);
    put_headings(page, places, count);
}

/* ---- Each thing that varies ---- */

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void take_place(const struct survey_case *one, const json_t *at, struct map_place *place)
{
    *place = (struct map_place){.x_m = number_of(at, "x"),
                                .y_m = number_of(at, "y"),
                                .heading_deg = number_of(at, "heading"),
                                .share = {one->verdict == JUDGEMENT_PASSED, 1},
                                .name = one->name};
}

static bool put_varied(FILE *page, const char *path, const struct survey *survey,
                       const struct survey_scene *scene, const char *name)
{
    struct map_place *places = calloc(survey->count + 1, sizeof *places);
    struct value *values = calloc(survey->count + 1, sizeof *values);
    size_t place_count = 0, value_count = 0;
    bool is_whole = places && values;
    for (size_t i = 0; is_whole && i < survey->count; i++) {
        const struct survey_case *one = &survey->cases[i];
        const json_t *value =
            survey_is_judged(survey, one, scene) ? json_object_get(one->vary, name) : NULL;
        if (json_is_object(value))
            take_place(one, value, &places[place_count++]);
        else if (value)
            values[value_count++] =
                (struct value){.number = json_is_number(value) ? json_number_value(value) : NAN,
                               .text = json_is_string(value) ? json_string_value(value) : "",
                               .is_passed = one->verdict == JUDGEMENT_PASSED};
    }
    if (is_whole && place_count > 0)
        put_places(page, path, scene, name, places, place_count);
    if (is_whole && value_count > 0)
        put_values(page, name, values, value_count);
    free(places);
    free(values);
    return is_whole;
}

/* ---- Measures ---- */

static void put_sample(FILE *page, const char *label, const double *sorted, size_t count)
{
    struct interval interval = statistics_median_interval(sorted, count, STATISTICS_Z_95);
    if (count == 0)
        return;
    size_t edge = count / 20;
    fprintf(page,
            "<tr><td>%s</td><td class=\"n\">%zu</td><td class=\"n\">%.5g</td>"
            "<td class=\"n\">%.5g</td><td class=\"n\">%.5g",
            label, count, sorted[0], sorted[edge], statistics_median(sorted, count));
    if (!isnan(interval.low))
        fprintf(page, " (%.5g to %.5g)", interval.low, interval.high);
    fprintf(page, "</td><td class=\"n\">%.5g</td><td class=\"n\">%.5g</td></tr>\n",
            sorted[count - 1 - edge], sorted[count - 1]);
}

/* Of the cases that passed, or failed. */
static struct chart_sample sample_of(const struct survey *survey, const struct survey_scene *scene,
                                     const char *measure, enum judgement_verdict verdict,
                                     double *room)
{
    size_t count = 0;
    for (size_t i = 0; i < survey->count; i++) {
        const struct survey_case *one = &survey->cases[i];
        bool is_meant = is_of(survey, one, scene) && one->verdict == verdict;
        double value = is_meant ? survey_measure(one, measure) : NAN;
        if (!isnan(value))
            room[count++] = value;
    }
    survey_sort(room, count);
    return (struct chart_sample){room, count};
}

static bool put_measure(FILE *page, const struct survey *survey, const struct survey_scene *scene,
                        const char *measure, const struct survey *before)
{
    const struct survey_scene *old = before ? survey_find_scene(before, scene->name) : NULL;
    size_t most = survey->count + (before ? before->count : 0) + 1;
    double *passed = calloc(most, sizeof *passed), *failed = calloc(most, sizeof *failed),
           *earlier = calloc(most, sizeof *earlier), *all = calloc(most, sizeof *all);
    bool is_whole = passed && failed && earlier && all;
    if (is_whole) {
        size_t count = survey_measures(survey, scene, measure, all);
        size_t old_count = old ? survey_measures(before, old, measure, earlier) : 0;
        struct share judged = survey_share(scene);
        fputs("<h3>", page);
        page_text(page, measure);
        fputs("</h3>\n", page);
        chart_histogram(page, sample_of(survey, scene, measure, JUDGEMENT_PASSED, passed),
                        sample_of(survey, scene, measure, JUDGEMENT_FAILED, failed),
                        (struct chart_sample){earlier, old_count});
        fputs("<table><tr><th></th><th class=\"n\">cases</th><th class=\"n\">least</th>"
              "<th class=\"n\">5 %</th><th class=\"n\">median (95 %)</th><th class=\"n\">95 %</th>"
              "<th class=\"n\">most</th></tr>\n",
              page);
        put_sample(page, "now", all, count);
        put_sample(page, "before", earlier, old_count);
        fputs("</table>\n", page);
        if (count < judged.n)
            fprintf(page, "<p class=\"small\">%zu had no value.</p>\n", judged.n - count);
    }
    free(passed);
    free(failed);
    free(earlier);
    free(all);
    return is_whole;
}

/* ---- A scene ---- */

bool report_scene(FILE *page, const char *path, const struct survey *survey,
                  const struct survey_scene *scene, const struct survey *before)
{
    const json_t *varied = json_object_get(survey->results->plan, "varied");
    struct share share = survey_share(scene);
    fputs("<h2>", page);
    page_text(page, scene->name);
    fprintf(page, "</h2>\n<p>%zu of %zu passed.</p>\n", share.k, share.n);
    bool is_whole = put_verdicts(page, survey, scene);
    for (size_t i = 0; is_whole && i < json_array_size(varied); i++)
        is_whole = put_varied(page, path, survey, scene, survey_name(varied, i));
    for (size_t i = 0; is_whole && i < json_array_size(scene->measures); i++)
        is_whole = put_measure(page, survey, scene, survey_name(scene->measures, i), before);
    return is_whole;
}

/* ---- Flakiest ---- */

/* Cases of the same scene with the same values. */
struct group {
    size_t scene;
    char *values; /* as JSON */
    const char *name;
    struct share share;
};

static int by_values(const void *a, const void *b)
{
    const struct group *left = a, *right = b;
    int order = (left->scene > right->scene) - (left->scene < right->scene);
    return order != 0 ? order : strcmp(left->values, right->values);
}

static double mixed(const struct group *group)
{
    double part = (double)group->share.k / (double)group->share.n;
    return part * (1 - part);
}

static int by_mixed(const void *a, const void *b)
{
    double left = mixed(a), right = mixed(b);
    return (left < right) - (left > right);
}

static size_t join_groups(struct group *groups, size_t count)
{
    size_t kept = 0;
    qsort(groups, count, sizeof *groups, by_values);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_values(&groups[kept - 1], &groups[i]) == 0) {
            groups[kept - 1].share.k += groups[i].share.k;
            groups[kept - 1].share.n++;
            free(groups[i].values);
        } else {
            groups[kept++] = groups[i];
        }
    }
    return kept;
}

static void put_flaky(FILE *page, const struct group *groups, size_t count)
{
    bool has_seeds = false;
    for (size_t i = 0; i < count; i++)
        has_seeds |= groups[i].share.n > 1;
    fprintf(page, "<h2>Flakiest</h2>\n<p>%s</p>\n",
            !has_seeds ? "No case was run with more than one seed."
            : count == 0 || mixed(&groups[0]) <= 0
                ? "All cases that differ in their seed alone ended alike."
                : "Cases that differ in their seed alone, and in what came of them:");
    if (!has_seeds || mixed(&groups[0]) <= 0)
        return;
    fputs("<table><tr><th>first of them</th><th>values</th><th class=\"n\">passed</th></tr>\n",
          page);
    for (size_t i = 0; i < count && i < FLAKIEST && mixed(&groups[i]) > 0; i++) {
        fputs("<tr><td>", page);
        page_text(page, groups[i].name);
        fputs("</td><td><code>", page);
        page_text(page, groups[i].values);
        fprintf(page, "</code></td><td class=\"n\">%zu of %zu</td></tr>\n", groups[i].share.k,
                groups[i].share.n);
    }
    fputs("</table>\n", page);
}

bool report_flaky(FILE *page, const struct survey *survey)
{
    struct group *groups = calloc(survey->count + 1, sizeof *groups);
    size_t count = 0;
    bool is_whole = groups;
    for (size_t i = 0; is_whole && i < survey->count; i++) {
        const struct survey_case *one = &survey->cases[i];
        if (!one->is_there || one->verdict == JUDGEMENT_ERROR)
            continue;
        groups[count] =
            (struct group){.scene = one->scene,
                           .values = json_dumps(one->vary, JSON_SORT_KEYS | JSON_REAL_PRECISION(9)),
                           .name = one->name,
                           .share = {one->verdict == JUDGEMENT_PASSED, 1}};
        is_whole = groups[count].values;
        count += is_whole;
    }
    if (is_whole) {
        count = join_groups(groups, count);
        qsort(groups, count, sizeof *groups, by_mixed);
        put_flaky(page, groups, count);
    }
    for (size_t i = 0; groups && i < count; i++)
        free(groups[i].values);
    free(groups);
    return is_whole;
}
