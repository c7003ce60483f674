/* The page of a report: what is about the whole run. */
#include "app/lab/results/report_page.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/files/page.h"
#include "app/lab/results/report_charts.h"
#include "app/lab/results/report_scene.h"
#include "base/array.h"

enum {
    SLOWEST = 10,      /* chosen: what one looks at */
    FAILED_MAX = 50,   /* chosen: as many as are run again for their files */
    PICTURES_MAX = 12, /* chosen: of some 100 kB each */
};

static const char style[] =
    "body{max-width:64em;color:#222;background:#fff}table{border-collapse:collapse}"
    "td,th{padding:.2em .7em;text-align:left;vertical-align:top;border-bottom:1px solid #ddd}"
    "td.n,th.n{text-align:right}h2{border-top:2px solid #222;padding-top:.4em;margin-top:1.5em}"
    ".worse{color:#c22e12;font-weight:bold}.key{display:inline-block;width:.8em;height:.8em;"
    "margin:0 .3em 0 .9em}p.small{color:#555;font-size:13px}img{max-width:30em;display:block}"
    "code{overflow-wrap:anywhere}";

static void put_cell(FILE *page, const char *class, const char *text)
{
    fprintf(page, "<td%s>", class);
    page_text(page, text);
    fputs("</td>", page);
}

/* ---- All of it in a line or two ---- */

static void put_distinct(FILE *page, const struct survey *survey, const char *label,
                         const char *key)
{
    const char *last = "";
    size_t told = 0;
    fprintf(page, "%s", label);
    for (size_t i = 0; i < survey->count; i++) {
        const char *text = survey->cases[i].is_there ? survey_text(&survey->cases[i], key) : "";
        if (!*text || strcmp(text, last) == 0)
            continue;
        if (++told > 8) // of several machines that alternate
            break;
        fputs(told > 1 ? ", " : "", page);
        page_text(page, text);
        last = text;
    }
}

static void put_key(FILE *page)
{
    static const char *const words[CHART_NONE] = {"passed", "failed", "error", "skipped"};
    fputs("<p>", page);
    for (size_t i = 0; i < COUNT(words); i++)
        fprintf(page, "<span class=\"key\" style=\"background:%s\"></span>%s", chart_colors[i],
                words[i]);
    fputs("</p>\n", page);
}

static void put_summary(FILE *page, const struct survey *survey)
{
    struct share all = {0};
    size_t errors = 0;
    double simulated_s = 0, wall_s = 0, cpu_s = 0;
    for (size_t i = 0; i < survey->scene_count; i++) {
        struct share share = survey_share(&survey->scenes[i]);
        all = (struct share){all.k + share.k, all.n + share.n};
        errors += survey->scenes[i].errors;
    }
    for (size_t i = 0; i < survey->count; i++) {
        const struct survey_case *one = &survey->cases[i];
        simulated_s += json_number_value(json_object_get(one->line, "simulated_s"));
        wall_s += survey_run(one, "wall_s");
        cpu_s += survey_run(one, "cpu_s") + survey_run(one, "host_cpu_s");
    }
    struct interval interval = statistics_wilson(all, STATISTICS_Z_95);
    fprintf(page, "<p><b>%zu of %zu passed", all.k, all.n);
    if (all.n > 0)
        fprintf(page, ": %.1f %%</b> (%.1f to %.1f %%: Wilson's interval of 95 %%)",
                100.0 * (double)all.k / (double)all.n, 100 * interval.low, 100 * interval.high);
    else
        fputs("</b>", page);
    if (errors > 0)
        fprintf(page, "; %zu could not be judged", errors);
    if (survey->missing > 0)
        fprintf(page, "; of %zu nothing is known", survey->missing);
    fprintf(page, ".</p>\n<p class=\"small\">%.0f simulated seconds in %.0f s (%.0f s of CPU)",
            simulated_s, wall_s, cpu_s);
    put_distinct(page, survey, "; on ", "host_name");
    put_distinct(page, survey, "; ptybot ", "version");
    fputs("</p>\n", page);
}

/* ---- Against an earlier run ---- */

static void put_baseline(FILE *page, const struct baseline *baseline, const char *name)
{
    fputs("<h2>Against ", page);
    page_text(page, name);
    fprintf(page, "</h2>\n<p class=\"%s\">%s beyond chance.</p>\n<table><tr>",
            baseline->worse > 0 ? "worse" : "", baseline->worse > 0 ? "Worse" : "Not worse");
    for (size_t i = 0; i < BASELINE_COLUMNS; i++) {
        bool is_right = baseline_heads[i][0] == '>';
        fprintf(page, "<th%s>%s</th>", is_right ? " class=\"n\"" : "",
                baseline_heads[i] + is_right);
    }
    for (size_t i = 0; i < baseline->count; i++) {
        char texts[BASELINE_COLUMNS][BASELINE_TEXT_MAX];
        bool is_worse = baseline_is_worse(&baseline->rows[i]);
        baseline_texts(&baseline->rows[i], texts);
        fprintf(page, "</tr>\n<tr%s>", is_worse ? " class=\"worse\"" : "");
        for (size_t k = 0; k < BASELINE_COLUMNS; k++)
            put_cell(page, baseline_heads[k][0] == '>' ? " class=\"n\"" : "", texts[k]);
    }
    fprintf(page,
            "</tr></table>\n<p class=\"small\">%s%sp: one-sided where less or more is better, "
            "by Holm's correction for %zu; level %g.</p>\n",
            baseline_method(baseline, true), baseline_method(baseline, false), baseline->count,
            BASELINE_LEVEL);
    if (baseline->is_other)
        fputs("<p>They do not vary the same things: what differs may come from that.</p>\n", page);
    if (baseline->lost_count == 0)
        return;
    fprintf(page, "<p>%zu passed before and do not now:", baseline->lost_count);
    for (size_t i = 0; i < baseline->lost_count && i < FAILED_MAX; i++) {
        fputs(i > 0 ? ", " : " ", page);
        page_text(page, baseline->lost[i]);
    }
    fputs(baseline->lost_count > FAILED_MAX ? ", ...</p>\n" : "</p>\n", page);
}

/* ---- Slowest ---- */

static int by_wall(const void *a, const void *b)
{
    double left = survey_run(*(const struct survey_case *const *)a, "wall_s");
    double right = survey_run(*(const struct survey_case *const *)b, "wall_s");
    return (left < right) - (left > right);
}

static bool put_slowest(FILE *page, const struct survey *survey)
{
    const struct survey_case **all = calloc(survey->count + 1, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; all && i < survey->count; i++)
        if (survey->cases[i].is_there)
            all[count++] = &survey->cases[i];
    if (!all)
        return false;
    qsort(all, count, sizeof *all, by_wall);
    fputs("<h2>Slowest</h2>\n<table><tr><th>case</th><th class=\"n\">took</th>"
          "<th class=\"n\">simulated</th><th class=\"n\">CPU of ptybot</th>"
          "<th class=\"n\">of hosts</th></tr>\n",
          page);
    for (size_t i = 0; i < count && i < SLOWEST; i++) {
        fputs("<tr>", page);
        put_cell(page, "", all[i]->name);
        fprintf(page,
                "<td class=\"n\">%.3g s</td><td class=\"n\">%.4g s</td><td class=\"n\">%.3g s</td>"
                "<td class=\"n\">%.3g s</td></tr>\n",
                survey_run(all[i], "wall_s"),
                json_number_value(json_object_get(all[i]->line, "simulated_s")),
                survey_run(all[i], "cpu_s"), survey_run(all[i], "host_cpu_s"));
    }
    fputs("</table>\n", page);
    free(all);
    return true;
}

/* ---- Failures ---- */

/* A file that a failed case has left; false: there is none. */
static bool find_file(const struct survey_case *one, const char *name, char path[PATH_MAX])
{
    const char *folder = survey_text(one, "files");
    int size = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return *folder && size > 0 && size < PATH_MAX && access(path, R_OK) == 0;
}

static void put_failure(FILE *page, const struct survey_case *one, size_t *pictures)
{
    char path[PATH_MAX];
    char *values = json_dumps(one->vary, JSON_REAL_PRECISION(9));
    fputs("<tr>", page);
    put_cell(page, "", one->name);
    fprintf(page, "<td class=\"n\">%" PRId64 "</td><td><code>", one->seed);
    page_text(page, values ? values : "");
    fputs("</code></td><td>", page);
    page_text(page, survey_text(one, "reason"));
    if (*pictures < PICTURES_MAX && find_file(one, "failure.png", path)) {
        ++*pictures;
        fputs("<img alt=\"as it failed\" src=\"", page);
        page_data(page, path, "image/png");
        fputs("\"/>", page);
    }
    if (find_file(one, "replay.html", path)) {
        fputs(" <a href=\"file://", page);
        page_text(page, path);
        fputs("\">replay</a>", page);
    } else if (find_file(one, "", path)) {
        fputs("<br/><code>", page);
        page_text(page, path);
        fputs("</code>", page);
    }
    fputs("</td></tr>\n", page);
    free(values);
}

static void put_failures(FILE *page, const struct survey *survey)
{
    size_t count = 0, pictures = 0;
    for (size_t i = 0; i < survey->count; i++)
        if (survey->cases[i].is_there && survey->cases[i].verdict != JUDGEMENT_PASSED)
            count++;
    fprintf(page, "<h2>Failures</h2>\n<p>%zu%s</p>\n", count,
            count > FAILED_MAX ? "; the first of them:" : "");
    if (count == 0)
        return;
    fputs("<table><tr><th>case</th><th class=\"n\">seed</th><th>values</th><th>why</th></tr>\n",
          page);
    count = 0;
    for (size_t i = 0; i < survey->count && count < FAILED_MAX; i++) {
        const struct survey_case *one = &survey->cases[i];
        if (!one->is_there || one->verdict == JUDGEMENT_PASSED)
            continue;
        put_failure(page, one, &pictures);
        count++;
    }
    fputs("</table>\n", page);
}

/* ---- All of it ---- */

bool report_page_write(const char *path, const struct survey *survey, const struct survey *before,
                       const struct baseline *baseline, const char *name, struct error *error)
{
    FILE *page = page_open(path, "ptybot test", style, error);
    bool is_whole = page;
    if (!page)
        return false;
    put_summary(page, survey);
    put_key(page);
    if (baseline)
        put_baseline(page, baseline, name);
    for (size_t i = 0; is_whole && i < survey->scene_count; i++)
        is_whole = report_scene(page, path, survey, &survey->scenes[i], before);
    is_whole = is_whole && report_flaky(page, survey) && put_slowest(page, survey);
    if (is_whole)
        put_failures(page, survey);
    else
        error_environment(error, "--html %s: not enough memory", path);
    return page_close(page, path, error) && is_whole;
}
