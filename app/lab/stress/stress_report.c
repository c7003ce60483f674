#include "app/lab/stress/stress_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/table.h"

enum { CONFIRMATIONS = 2 };
enum { CELL_MAX = 48, SIGNATURE_MAX = 320 };

/* ---- One case ---- */

static const char *text_of(const json_t *item, const char *key)
{
    const char *text = json_string_value(json_object_get(item, key));
    return text ? text : "";
}

/* The first verdict that fired; NULL: none. */
static const json_t *first_finding(const struct survey_case *one)
{
    size_t i;
    json_t *item;
    if (!one->is_there || one->verdict != JUDGEMENT_FAILED)
        return NULL;
    json_array_foreach(one->expect, i,
                       item) if (strcmp(json_string_value(json_object_get(item, "verdict")),
                                        "failed") == 0) return item;
    return NULL;
}

/* Whether the verdict fires three times in a row, where a run does not repeat. */
static bool is_confirmed(const struct stress_report *report, size_t index, const char *verdict)
{
    char again[STRESS_VERDICT_MAX];
    bool is_same = true;
    for (unsigned i = 0; i < CONFIRMATIONS && is_same; i++)
        is_same = stress_try(report->bench, &report->catalogue->cases[index], again) &&
                  strcmp(again, verdict) == 0;
    return is_same;
}

/* "survives", "degrades: exited with 1", "FAILS: crashed". */
static void write_cell(const struct stress_report *report, size_t index, char cell[CELL_MAX])
{
    const struct survey_case *one = &report->survey->cases[index];
    const struct survival *survival = &report->catalogue->cases[index].survival;
    const json_t *finding = first_finding(one);
    double code = survey_measure(one, "exit_code"), recovery_s = survey_measure(one, "recovery_s");
    if (!one->is_there)
        snprintf(cell, CELL_MAX, "not run");
    else if (finding)
        snprintf(cell, CELL_MAX, "FAILS: %s", text_of(finding, "that"));
    else if (one->verdict == JUDGEMENT_SKIPPED)
        snprintf(cell, CELL_MAX, "not confirmed");
    else if (one->verdict != JUDGEMENT_PASSED)
        snprintf(cell, CELL_MAX, "ERROR");
    else if (survey_measure(one, "hits") == 0 &&
             report->catalogue->cases[index].hardship->target == HARDSHIP_FAULT)
        snprintf(cell, CELL_MAX, "no hit");
    else if (code > 0 && !survival->signal)
        snprintf(cell, CELL_MAX, "degrades: exit %.0f", code);
    else if (isnan(code) && survival->baselines[0].is_ended)
        snprintf(cell, CELL_MAX, "degrades: unfinished");
    else if (recovery_s > 1) // chosen: a person notices
        snprintf(cell, CELL_MAX, "survives, %.1f s", recovery_s);
    else
        snprintf(cell, CELL_MAX, "survives");
}

/* What two findings of one cause share: the verdict, and of a crash how it crashed, else what the
 * driver could notice. */
static void write_signature(const struct stress_report *report, size_t index,
                            char text[SIGNATURE_MAX])
{
    const json_t *finding = first_finding(&report->survey->cases[index]);
    const char *kind = text_of(finding, "that"), *found = text_of(finding, "found");
    bool is_crash = strcmp(kind, survival_rows[SURVIVAL_CRASHED].word) == 0;
    const char *at = strstr(found, " at ");
    int size = at ? (int)(at - found) : (int)strlen(found);
    snprintf(text, SIGNATURE_MAX, "%s: %.*s", kind, is_crash ? size : 200,
             is_crash ? found : report->catalogue->cases[index].hardship->notices);
}

/* Whether an earlier run has the same verdict on the case of that name. */
static bool is_known(const struct stress_report *report, size_t index)
{
    const struct survey_case *one = &report->survey->cases[index];
    for (size_t i = 0; report->known && i < report->known->count; i++) {
        const json_t *before = first_finding(&report->known->cases[i]);
        if (before && strcmp(report->known->cases[i].name, one->name) == 0 &&
            strcmp(text_of(before, "that"), text_of(first_finding(one), "that")) == 0)
            return true;
    }
    return false;
}

/* ---- The matrix ---- */

/* A case that fails replaces others of the same size, such as other seeds. */
static void add_cell(const struct stress_report *report, size_t index, char cell[CELL_MAX])
{
    if (strncmp(cell, "FAILS", 5) != 0)
        write_cell(report, index, cell);
}

static void print_matrix(const struct stress_report *report, FILE *out)
{
    struct table table;
    const struct catalogue *catalogue = report->catalogue;
    bool *is_done = calloc(catalogue->count + 1, sizeof *is_done);
    table_init(&table, (const char *const[]){"hardship", "small", "medium", "large", NULL});
    for (size_t i = 0; is_done && i < catalogue->count; i++) {
        char cells[HARDSHIP_SIZES][CELL_MAX] = {"", "", ""};
        for (size_t k = i; !is_done[i] && k < catalogue->count; k++)
            if (strcmp(catalogue->cases[k].what, catalogue->cases[i].what) == 0)
                add_cell(report, k, cells[catalogue->cases[k].size]);
        if (!is_done[i])
            table_row(&table, (const char *const[]){catalogue->cases[i].what, cells[0], cells[1],
                                                    cells[2]});
        for (size_t k = i; k < catalogue->count; k++)
            is_done[k] |= strcmp(catalogue->cases[k].what, catalogue->cases[i].what) == 0;
    }
    free(is_done);
    table_print(&table, 2, out);
}

/* ---- Findings ---- */

/* The case of a group to look at first: the smallest size. */
static size_t smallest(const struct stress_report *report, size_t first, const char *signature,
                       size_t *count)
{
    size_t best = first;
    *count = 0;
    for (size_t i = first; i < report->catalogue->count; i++) {
        char other[SIGNATURE_MAX];
        if (!first_finding(&report->survey->cases[i]))
            continue;
        write_signature(report, i, other);
        if (strcmp(other, signature) != 0)
            continue;
        ++*count;
        if (report->catalogue->cases[i].size < report->catalogue->cases[best].size)
            best = i;
    }
    return best;
}

static bool is_first(const struct stress_report *report, size_t index, const char *signature)
{
    for (size_t i = 0; i < index; i++) {
        char other[SIGNATURE_MAX];
        if (!first_finding(&report->survey->cases[i]))
            continue;
        write_signature(report, i, other);
        if (strcmp(other, signature) == 0)
            return false;
    }
    return true;
}

/* The further hardships of a random case. */
static void print_more(const struct stress_case *one, FILE *out)
{
    for (size_t i = 0; i < STRESS_MORE; i++)
        if (*one->more[i])
            fprintf(out, "                  %s\n", one->more[i]);
}

/* The scene of a finding, after it was made smaller. */
static void keep(const struct stress_report *report, size_t number, struct stress_case *one,
                 const char *verdict, FILE *out)
{
    char path[PATH_MAX];
    struct error error = {0};
    if (report->is_minimized) {
        unsigned runs = stress_minimize(report->bench, one, verdict);
        fprintf(out, "  minimal         %s (%u runs)\n", one->change, runs);
        print_more(one, out);
    }
    snprintf(path, sizeof path, "%.4000s/finding-%zu.yaml", report->bench->folder, number);
    if (stress_write_scene(report->bench, one, verdict, path, &error))
        fprintf(out, "  scene           %s\n", path);
    else
        fprintf(out, "  scene           none: %s\n", error.text);
}

static void print_group(const struct stress_report *report, size_t number, size_t index,
                        size_t count, FILE *out)
{
    struct stress_case one = report->catalogue->cases[index];
    const struct survey_case *line = &report->survey->cases[index];
    const json_t *finding = first_finding(line);
    const char *verdict = text_of(finding, "that");
    fprintf(out, "\nfinding %zu: %s (%zu case%s%s)\n", number, verdict, count,
            count == 1 ? "" : "s", is_known(report, index) ? ", known" : "");
    fprintf(out, "  smallest case   %s\n  hardship        %s\n", one.name,
            *one.change ? one.change : one.hardship->name);
    print_more(&one, out);
    fprintf(out, "  found           %s\n", text_of(finding, "found"));
    fprintf(out, "  could notice    %s\n", one.hardship->notices);
    char random[32] = "";
    if (one.hardship == &hardship_random)
        snprintf(random, sizeof random, " --random %s", strrchr(one.name, '-') + 1);
    fprintf(out, "  replay          ptybot stress %s%s --only %s -- %s\n", report->bench->word,
            random, one.name, report->bench->command);
    if (*survey_text(line, "files"))
        fprintf(out, "  files           %s\n", survey_text(line, "files"));
    keep(report, number, &one, verdict, out);
}

void stress_report_print(const struct stress_report *report, struct stress_counts *counts,
                         FILE *out)
{
    size_t number = 0;
    counts->cases = report->catalogue->count;
    for (size_t i = 0;
         i < counts->cases && !report->catalogue->cases[i].survival.baselines->is_held; i++) {
        struct survey_case *one = &report->survey->cases[i];
        const json_t *finding = first_finding(one);
        if (finding && !is_confirmed(report, i, text_of(finding, "that")))
            one->verdict = JUDGEMENT_SKIPPED;
    }
    print_matrix(report, out);
    for (size_t i = 0; i < report->catalogue->count; i++) {
        char signature[SIGNATURE_MAX];
        size_t count;
        if (!first_finding(&report->survey->cases[i]))
            continue;
        counts->findings++;
        counts->fresh += !is_known(report, i);
        write_signature(report, i, signature);
        if (!is_first(report, i, signature))
            continue;
        size_t best = smallest(report, i, signature, &count);
        print_group(report, ++number, best, count, out);
    }
}
