#include "app/lab/results/report_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOST_MAX = 50 }; /* chosen: what one reads */

/* ---- All of it ---- */

static const char *share_text(struct share share, char text[64])
{
    struct interval interval = statistics_wilson(share, STATISTICS_Z_95);
    snprintf(text, 64, "%.1f %% (%.1f to %.1f %%)", 100 * (double)share.k / (double)share.n,
             100 * interval.low, 100 * interval.high);
    return share.n > 0 ? text : "-";
}

static void put_scenes(FILE *page, const struct results_summary *summary)
{
    char text[64];
    struct share all = {0};
    size_t errors = 0;
    for (size_t i = 0; i < summary->scene_count; i++) {
        struct share share = summary_share(&summary->scenes[i]);
        all = (struct share){all.k + share.k, all.n + share.n};
        errors += summary->scenes[i].errors;
    }
    fprintf(page, "<p><b>%zu of %zu passed</b>: %s, with Wilson's interval of 95 %%.\n", all.k,
            all.n, share_text(all, text));
    if (errors > 0)
        fprintf(page, "<p>%zu could not be judged.\n", errors);
    if (summary->missing > 0)
        fprintf(page, "<p>%zu have no result.\n", summary->missing);
    fputs("<table tabindex=\"0\" class=\"scene\"><tr><th>scene<th>cases<th>passed<th>failed"
          "<th>errors<th>passed (95 %)\n",
          page);
    for (size_t i = 0; i < summary->scene_count; i++) {
        const struct summary_scene *scene = &summary->scenes[i];
        fputs("<tr>", page);
        page_cell(page, scene->name);
        fprintf(page, "<td>%zu<td>%zu<td>%zu<td>%zu<td>%s\n", scene->cases, scene->passed,
                scene->failed, scene->errors, share_text(summary_share(scene), text));
    }
    fputs("</table>\n", page);
}

/* ---- Against an earlier run ---- */

static void put_baseline(FILE *page, const struct baseline *baseline, const char *name)
{
    char note[BASELINE_NOTE_MAX];
    fputs("<h2>Against ", page);
    page_text(page, name);
    fprintf(page,
            "</h2>\n<p>%s significantly worse (1 %% level).\n"
            "<table tabindex=\"0\" class=\"pairs\"><tr>",
            baseline->worse > 0 ? "FAILED:" : "Nothing is");
    for (size_t i = 0; i < BASELINE_COLUMNS; i++)
        fprintf(page, *baseline_heads[i] ? "<th>%s" : "<td>%s",
                baseline_heads[i] + (baseline_heads[i][0] == '>'));
    for (size_t i = 0; i < baseline->count; i++) {
        char texts[BASELINE_COLUMNS][BASELINE_TEXT_MAX];
        baseline_texts(&baseline->rows[i], texts);
        fputs(baseline_is_worse(&baseline->rows[i]) ? "\n<tr class=\"worse\">" : "\n<tr>", page);
        for (size_t k = 0; k < BASELINE_COLUMNS; k++)
            page_cell(page, texts[k]);
    }
    baseline_note(baseline, note);
    fprintf(page, "</table>\n<small>%s</small>\n", note);
    if (baseline->is_other)
        fputs("<p>The two runs sweep different parameters, so they may differ for that reason.\n",
              page);
    if (baseline->lost_count > 0)
        fprintf(page, "<p>%zu cases passed before and fail now:\n", baseline->lost_count);
    for (size_t i = 0; i < baseline->lost_count && i < LOST_MAX; i++) {
        fputs("<br>", page);
        page_text(page, baseline->lost[i]);
    }
    fputs(baseline->lost_count > LOST_MAX ? "<br>...\n" : "\n", page);
}

/* ---- Measures ---- */

static const char *number_text(double value, char text[32])
{
    snprintf(text, 32, "%.5g", value);
    return isnan(value) ? "-" : text;
}

/* A row of the values of a measure in one RUN, in VALUES (room for all). Returns their number. */
static size_t put_sample(FILE *page, const char *run, const struct results_summary *summary,
                         const struct summary_scene *scene, const char *measure, double *values)
{
    char least[32], low[32], median[32], from[32], to[32], high[32], most[32];
    size_t count = summary_measures(summary, scene, measure, values);
    size_t edge = count / 20, last = count > 0 ? count - 1 : 0;
    struct interval interval = statistics_median_interval(values, count, STATISTICS_Z_95);
    values[0] = count > 0 ? values[0] : NAN;
    fputs("<tr>", page);
    page_cell(page, scene->name);
    fputs(": ", page);
    page_text(page, measure);
    fprintf(page, "%s<td>%zu<td>%zu<td>%s<td>%s<td>%s (%s to %s)<td>%s<td>%s\n", run, count,
            summary_share(scene).n - count, number_text(values[0], least),
            number_text(values[edge], low), number_text(statistics_median(values, count), median),
            number_text(interval.low, from), number_text(interval.high, to),
            number_text(values[last - edge], high), number_text(values[last], most));
    return count;
}

/* SCENES: the data of all, which get the values of the earlier run. False: memory is short. */
static bool put_measures(FILE *page, const struct results_summary *summary,
                         const struct results_summary *before, json_t *scenes)
{
    static const char heads[] =
        "<h2>Measures</h2>\n<table tabindex=\"0\"><tr><th>measure<th>cases<th>without"
        "<th>least<th>5 %<th>median (95 %)<th>95 %<th>most\n";
    double *values = calloc(summary->count + (before ? before->count : 0) + 1, sizeof *values);
    size_t rows = 0;
    for (size_t i = 0; values && i < summary->scene_count; i++) {
        const struct summary_scene *scene = &summary->scenes[i];
        const struct summary_scene *old = before ? summary_find_scene(before, scene->name) : NULL;
        for (size_t k = 0; k < json_array_size(scene->measures); k++) {
            const char *measure = summary_name(scene->measures, k);
            json_t *list = json_array();
            fputs(rows++ == 0 ? heads : "", page);
            put_sample(page, "", summary, scene, measure, values);
            size_t count = old ? put_sample(page, ", before", before, old, measure, values) : 0;
            for (size_t v = 0; v < count; v++)
                json_array_append_new(list, json_real(values[v]));
            json_object_set_new(json_object_get(json_array_get(scenes, i), "before"), measure,
                                list);
        }
    }
    fputs(rows > 0 ? "</table>\n" : "", page);
    free(values);
    return values;
}

/* ---- What the script draws ---- */

/* The first letter of the verdict of the case, and of that of each expectation; `-`: it has none.
 */
static json_t *letters_of(const struct summary_scene *scene, const struct summary_case *one)
{
    size_t count = json_array_size(scene->expect) + 1, i;
    char label[512], *letters = malloc(count);
    const json_t *item;
    if (!letters)
        return NULL;
    memset(letters, '-', count);
    letters[0] = *summary_text(one, "verdict");
    json_array_foreach(one->expect, i, item)
    {
        const char *verdict = json_string_value(json_object_get(item, "verdict"));
        summary_label(item, label, sizeof label);
        for (size_t k = 1; verdict && k < count; k++)
            if (strcmp(summary_name(scene->expect, k - 1), label) == 0)
                letters[k] = *verdict;
    }
    json_t *text = json_stringn(letters, count);
    free(letters);
    return text;
}

/* The scenes with their cases; NULL: memory is short. */
static json_t *scenes_data(const struct results_summary *summary)
{
    json_t *scenes = json_array();
    bool is_whole = scenes;
    for (size_t i = 0; is_whole && i < summary->scene_count; i++)
        is_whole =
            json_array_append_new(
                scenes, json_pack("{s:s,s:O,s:[],s:{}}", "name", summary->scenes[i].name, "labels",
                                  summary->scenes[i].expect, "cases", "before")) == 0;
    for (size_t i = 0; is_whole && i < summary->count; i++) {
        const struct summary_case *one = &summary->cases[i];
        if (one->is_there)
            is_whole =
                json_array_append_new(
                    json_object_get(json_array_get(scenes, one->scene), "cases"),
                    json_pack("[s,o,O?,O?,f,f,f,f,s,s]", one->name,
                              letters_of(&summary->scenes[one->scene], one), one->vary,
                              one->measures, summary_run(one, "wall_s"),
                              json_number_value(json_object_get(one->line, "simulated_s")),
                              summary_run(one, "cpu_s"), summary_run(one, "host_cpu_s"),
                              summary_text(one, "host_name"), summary_text(one, "version"))) == 0;
    }
    if (is_whole)
        return scenes;
    json_decref(scenes);
    return NULL;
}

/* The rooms of scenes in which a place varies. */
static void put_rooms(FILE *page, const char *path, const struct results_summary *summary)
{
    size_t next = 0; // scenes are numbered by their first case
    for (size_t i = 0; i < summary->count; i++) {
        const struct summary_case *one = &summary->cases[i];
        bool has_place = false;
        const char *key;
        json_t *value;
        if (!one->is_there || one->scene != next)
            continue;
        json_object_foreach((json_t *)one->vary, key, value) has_place |= json_is_object(value);
        if (has_place)
            report_page_room(page, path, summary->scenes[next].word, next);
        next++;
    }
}

bool report_page_write(const char *path, const struct results_summary *summary,
                       const struct results_summary *before, const struct baseline *baseline,
                       const char *name, struct error *error)
{
    struct fresh_file file;
    FILE *page = page_open(&file, path, "ptybot test", error);
    if (!page)
        return false;
    json_t *scenes = scenes_data(summary);
    put_scenes(page, summary);
    if (baseline)
        put_baseline(page, baseline, name);
    bool is_whole =
        report_page_failures(page, summary) && put_measures(page, summary, before, scenes);
    put_rooms(page, path, summary);
    json_t *data = json_pack("{s:o,s:O?}", "scenes", scenes, "varied",
                             json_object_get(summary->results->plan, "varied"));
    if (!is_whole)
        json_decref(data);
    return page_close(&file, is_whole ? data : NULL, error);
}
