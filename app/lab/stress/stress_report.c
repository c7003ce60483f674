#include "app/lab/stress/stress_report.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/table.h"
#include "app/files/page.h"
#include "base/text.h"

enum { CONFIRMATIONS = 2 };
enum { LINE_MAX_SHOWN = 200 }; /* chosen: two lines of a terminal */

/* ---- One case ---- */

/* The first verdict that fired; NULL: none. */
static const json_t *first_finding(const struct summary_case *one)
{
    size_t i;
    json_t *item;
    if (!one->is_there || one->verdict != JUDGEMENT_FAILED)
        return NULL;
    json_array_foreach(one->expect, i,
                       item) if (strcmp(rpc_text(item, "verdict"), "failed") == 0) return item;
    return NULL;
}

/* Whether the case gets the verdict two more times. Used if runs are not reproducible. */
static bool is_confirmed(const struct stress_report *report, size_t index, const char *verdict)
{
    bool is_same = true;
    for (unsigned i = 0; i < CONFIRMATIONS && is_same; i++)
        is_same = stress_fails(report->bench, &report->catalogue->cases[index], verdict);
    return is_same;
}

/* Writes "survives", "degrades: exit 1", "FAILS: crashed" ... */
static void write_cell(const struct stress_report *report, size_t index, char cell[STRESS_CELL_MAX])
{
    const struct summary_case *one = &report->summary->cases[index];
    const struct survival *survival = &report->catalogue->cases[index].survival;
    const json_t *finding = first_finding(one);
    double code = summary_measure(one, "exit_code"),
           recovery_s = summary_measure(one, "recovery_s");
    if (!one->is_there)
        snprintf(cell, STRESS_CELL_MAX, "not run");
    else if (finding)
        snprintf(cell, STRESS_CELL_MAX, "FAILS: %s", rpc_text(finding, "that"));
    else if (one->verdict == JUDGEMENT_SKIPPED)
        snprintf(cell, STRESS_CELL_MAX, "not confirmed");
    else if (one->verdict != JUDGEMENT_PASSED)
        snprintf(cell, STRESS_CELL_MAX, "ERROR");
    else if (summary_measure(one, "hits") == 0 &&
             report->catalogue->cases[index].hardship->target == HARDSHIP_FAULT)
        snprintf(cell, STRESS_CELL_MAX, "no hit");
    else if (code > 0 && !survival->signal)
        snprintf(cell, STRESS_CELL_MAX, "degrades: exit %.0f", code);
    else if (isnan(code) && survival->baselines[0].is_ended)
        snprintf(cell, STRESS_CELL_MAX, "degrades: unfinished");
    else if (survival_is_early(survival, summary_measure(one, "end_s")))
        snprintf(cell, STRESS_CELL_MAX, "ended early");
    else if (recovery_s > 1) // chosen: a person notices
        snprintf(cell, STRESS_CELL_MAX, "survives, %.1f s", recovery_s);
    else
        snprintf(cell, STRESS_CELL_MAX, "survives");
}

/* Adds FOUND without numbers that differ from run to run: process IDs in the path of a port, times.
 * Keeps numbers in names and line numbers of a source file. */
static void add_steady(char text[STRESS_SIGNATURE_MAX], const char *found)
{
    size_t step;
    for (const char *at = found; *at; at += step) {
        for (step = 1; isalnum((unsigned char)*at) && isalnum((unsigned char)at[step]);)
            step++;
        bool is_line = at - found >= 5 && (at[-1] == ':' || strncmp(at - 5, "line ", 5) == 0);
        const char *quoted = *at == '\'' ? strchr(at + 1, '\'') : NULL;
        if (quoted) // often the data of a frame
            step = (size_t)(quoted + 1 - at);
        else if (!isdigit((unsigned char)*at) || is_line)
            text_add(text, STRESS_SIGNATURE_MAX, "", "%.*s", (int)step, at);
    }
}

/* Writes a key that is equal for findings with the same cause: the verdict, and for a crash its
 * report, otherwise what the driver could notice. A driver that hangs does not recover either, so
 * these two verdicts have the same key; the fairness rules decide which one applies. */
static void write_signature(const struct stress_report *report, size_t index,
                            char text[STRESS_SIGNATURE_MAX])
{
    const struct summary_case *one = &report->summary->cases[index];
    const json_t *finding = first_finding(one);
    const char *kind = rpc_text(finding, "that");
    bool is_crash = strcmp(kind, survival_rows[SURVIVAL_CRASHED].word) == 0;
    bool is_hung = strcmp(kind, survival_rows[SURVIVAL_HUNG].word) == 0;
    snprintf(text, STRESS_SIGNATURE_MAX, "%s: %.200s",
             is_hung ? survival_rows[SURVIVAL_LOST].word : kind,
             is_crash || !finding ? "" : report->catalogue->cases[index].hardship->notices);
    if (is_crash || !finding)
        add_steady(text, finding ? rpc_text(finding, "found") : summary_text(one, "reason"));
}

/* Whether an earlier run has the same verdict on the case with this name. */
static bool is_known(const struct stress_report *report, size_t index)
{
    const struct summary_case *one = &report->summary->cases[index];
    for (size_t i = 0; report->known && i < report->known->count; i++) {
        const json_t *before = first_finding(&report->known->cases[i]);
        if (before && strcmp(report->known->cases[i].name, one->name) == 0 &&
            strcmp(rpc_text(before, "that"), rpc_text(first_finding(one), "that")) == 0)
            return true;
    }
    return false;
}

/* ---- The matrix ---- */

/* A failed case replaces others of the same size, such as other seeds. */
static void add_cell(const struct stress_report *report, size_t index, char cell[STRESS_CELL_MAX])
{
    if (strncmp(cell, "FAILS", 5) != 0)
        write_cell(report, index, cell);
}

static void make_lines(struct stress_report *report)
{
    const struct catalogue *catalogue = report->catalogue;
    for (size_t i = 0; i < catalogue->count; i++) {
        struct stress_line *line = report->lines;
        while (line->what && strcmp(line->what, catalogue->cases[i].what) != 0)
            line++;
        report->line_count += !line->what;
        line->what = catalogue->cases[i].what;
        add_cell(report, i, line->cells[catalogue->cases[i].size]);
    }
}

/* ---- Findings ---- */

static void add_to_group(struct stress_report *report, size_t index)
{
    const struct stress_case *cases = report->catalogue->cases;
    struct stress_group *group = report->groups, *next = &report->groups[report->group_count];
    write_signature(report, index, next->signature);
    while (strcmp(group->signature, next->signature) != 0)
        group++;
    if (group == next) {
        report->group_count++;
        next->best = index;
    }
    group->count++;
    if (cases[index].size < cases[group->best].size)
        group->best = index;
}

static void add_fact(struct stress_group *group, const char *key, const char *text)
{
    char *copy = group->fact_count < STRESS_FACTS && *text ? strdup(text) : NULL;
    if (!copy)
        return;
    text_guard(copy);
    group->facts[group->fact_count++] = (struct stress_fact){key, copy};
}

static void add_changes(struct stress_group *group, const char *key, const struct stress_case *one,
                        const char *note)
{
    char first[STRESS_CHANGE_MAX + 32];
    snprintf(first, sizeof first, "%s%s", *one->changes[0] ? one->changes[0] : one->hardship->name,
             note);
    add_fact(group, key, first);
    for (size_t i = 1; i < STRESS_CHANGES; i++)
        add_fact(group, "", one->changes[i]);
}

/* Adds the last line of the driver's output, which may show whether it noticed the hardship. */
static void add_last_line(struct stress_group *group, const char *folder)
{
    char path[PATH_MAX], line[LINE_MAX_SHOWN + 1], last[LINE_MAX_SHOWN + 1] = "";
    snprintf(path, sizeof path, "%.4000s/host.log", folder);
    FILE *log = *folder ? fopen(path, "re") : NULL;
    bool is_begun = false; // of a line longer than the room
    while (log && fgets(line, sizeof line, log)) {
        bool is_text = *line != '\n' && strncmp(line, "ptybot estimate ", 16) != 0;
        if (!is_begun && is_text)
            snprintf(last, sizeof last, "%.*s", (int)strcspn(line, "\r\n"), line);
        is_begun = !strchr(line, '\n');
    }
    if (log)
        fclose(log);
    add_fact(group, "its last line", last);
}

/* Writes the scene of a finding, after simplification if requested. */
static void keep(const struct stress_report *report, size_t number, struct stress_case *one,
                 const char *verdict)
{
    struct stress_group *group = &report->groups[number - 1];
    char path[PATH_MAX], note[32];
    struct error error = {0};
    if (report->is_minimized) {
        snprintf(note, sizeof note, " (%u runs)", stress_minimize(report->bench, one, verdict));
        add_changes(group, "minimal", one, note);
    }
    snprintf(path, sizeof path, "%.4000s/finding-%zu.yaml", report->bench->folder, number);
    bool is_kept = stress_write_scene(report->bench, one, verdict, path, &error);
    add_fact(group, "scene", is_kept ? path : error.text);
}

static void describe(const struct stress_report *report, size_t number)
{
    struct stress_group *group = &report->groups[number - 1];
    struct stress_case one = report->catalogue->cases[group->best];
    const struct summary_case *line = &report->summary->cases[group->best];
    const json_t *finding = first_finding(line); // NULL: it could not run
    const char *verdict = finding ? rpc_text(finding, "that") : "could not run";
    char random[32] = "", replay[2048];
    snprintf(group->title, sizeof group->title, "%s %zu: %s (%zu case%s%s)",
             finding ? "finding" : "error", number, verdict, group->count,
             group->count == 1 ? "" : "s", is_known(report, group->best) ? ", known" : "");
    if (one.hardship == &hardship_random)
        snprintf(random, sizeof random, " --random %s", strrchr(one.name, '-') + 1);
    snprintf(replay, sizeof replay, "ptybot stress %s%s --only %s %s", report->bench->word, random,
             one.name, report->bench->command);
    add_fact(group, "smallest case", one.name);
    add_changes(group, "hardship", &one, "");
    if (finding)
        add_fact(group, "found", rpc_text(finding, "found"));
    else
        add_fact(group, "reason", summary_text(line, "reason"));
    add_fact(group, "could notice", one.hardship->notices);
    add_last_line(group, summary_text(line, "files"));
    add_fact(group, "replay", replay);
    add_fact(group, "files", summary_text(line, "files"));
    if (finding)
        keep(report, number, &one, verdict);
}

bool stress_report_make(struct stress_report *report)
{
    struct stress_counts *counts = report->counts;
    counts->cases = report->catalogue->count;
    report->lines = calloc(counts->cases + 1, sizeof *report->lines);
    report->groups = calloc(counts->cases + 1, sizeof *report->groups);
    if (!report->lines || !report->groups)
        return false;
    for (size_t i = 0; i < counts->cases; i++) {
        const json_t *finding = first_finding(&report->summary->cases[i]);
        bool is_held = report->catalogue->cases[i].survival.baselines->is_held;
        if (finding && !is_held && !is_confirmed(report, i, rpc_text(finding, "that")))
            report->summary->cases[i].verdict = JUDGEMENT_SKIPPED;
        else if (finding) {
            counts->findings++;
            counts->fresh += !is_known(report, i);
            add_to_group(report, i);
        } else if (report->summary->cases[i].verdict == JUDGEMENT_ERROR) {
            counts->errors++;
            add_to_group(report, i);
        }
    }
    make_lines(report);
    for (size_t i = 1; i <= report->group_count; i++)
        describe(report, i);
    return true;
}

void stress_report_free(struct stress_report *report)
{
    for (size_t i = 0; i < report->group_count; i++)
        for (size_t k = 0; k < report->groups[i].fact_count; k++)
            free(report->groups[i].facts[k].text);
    free(report->groups);
    free(report->lines);
}

/* ---- As text ---- */

void stress_report_print(const struct stress_report *report, FILE *out)
{
    struct table table;
    table_init(&table, (const char *const[]){"hardship", "small", "medium", "large", NULL});
    for (size_t i = 0; i < report->line_count; i++) {
        const struct stress_line *line = &report->lines[i];
        table_row(&table, (const char *const[]){line->what, line->cells[0], line->cells[1],
                                                line->cells[2]});
    }
    table_print(&table, 2, out);
    for (size_t i = 0; i < report->group_count; i++) {
        const struct stress_group *group = &report->groups[i];
        fprintf(out, "\n%s\n", group->title);
        for (size_t k = 0; k < group->fact_count; k++)
            fprintf(out, "  %-15s %s\n", group->facts[k].key, group->facts[k].text);
    }
}

enum { FRAMES_SHOWN = 12, FRAME_SHOWN = 100 }; /* chosen: as many as a reader looks at */
#define FRAMES_BEFORE_S 0.05                   /* chosen: some frames of the fastest robot */

/* Writes a cell in the color of its verdict. */
static void put_cell(FILE *page, const char *cell)
{
    static const struct {
        const char *begin, *class;
    } colors[] = {{"survives", "good"}, {"FAILS", "bad"}, {"degrades", "fair"}, {"", "plain"}};
    size_t i = 0;
    while (strncmp(cell, colors[i].begin, strlen(colors[i].begin)) != 0)
        i++;
    fprintf(page, "<td class=\"%s\">", colors[i].class);
    page_text(page, cell);
}

static void put_matrix(FILE *page, const struct stress_report *report)
{
    fputs("<h2>Hardships</h2>\n<table tabindex=\"0\" class=\"matrix\"><tr><th>hardship"
          "<th>small<th>medium<th>large\n",
          page);
    for (size_t i = 0; i < report->line_count; i++) {
        fputs("<tr>", page);
        page_cell(page, report->lines[i].what);
        for (size_t k = 0; k < HARDSHIP_SIZES; k++)
            put_cell(page, report->lines[i].cells[k]);
        fputs("\n", page);
    }
    fputs("</table>\n", page);
}

/* Writes the frames from shortly before the hardship on. */
static void put_frames(FILE *page, const char *folder, double from_s)
{
    char path[PATH_MAX], *line = NULL;
    size_t size = 0, shown = 0;
    snprintf(path, sizeof path, "%.4000s/wire.log", folder);
    FILE *log = fopen(path, "re");
    if (!log)
        return;
    fputs("<tr><td>frames<td><pre>", page);
    while (shown < FRAMES_SHOWN && getline(&line, &size, log) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line == '#' || strtod(line, NULL) < from_s - FRAMES_BEFORE_S)
            continue;
        if (strlen(line) > FRAME_SHOWN)
            memcpy(line + FRAME_SHOWN - 3, "...", 4);
        page_text(page, line);
        fputs("\n", page);
        shown++;
    }
    fputs("</pre>\n", page);
    free(line);
    fclose(log);
}

static void put_fact(FILE *page, const struct stress_fact *fact)
{
    char path[PATH_MAX];
    bool is_code = strcmp(fact->key, "replay") == 0;
    fputs("<tr>", page);
    page_cell(page, fact->key);
    fputs(is_code ? "<td><code>" : "<td>", page);
    page_text(page, fact->text);
    fputs(is_code ? "</code>" : "", page);
    snprintf(path, sizeof path, "%.4000s/replay.html", fact->text);
    if (strcmp(fact->key, "files") == 0 && access(path, R_OK) == 0) {
        fputs("<br>", page);
        page_link(page, path, "replay");
    }
    fputs("\n", page);
}

static void put_group(FILE *page, const struct stress_report *report,
                      const struct stress_group *group)
{
    fputs("<h3>", page);
    page_text(page, group->title);
    fputs("</h3>\n<table tabindex=\"0\" class=\"text facts\">\n", page);
    for (size_t i = 0; i < group->fact_count; i++) {
        put_fact(page, &group->facts[i]);
        if (strcmp(group->facts[i].key, "files") == 0)
            put_frames(page, group->facts[i].text,
                       report->catalogue->cases[group->best].survival.from_s);
    }
    fputs("</table>\n", page);
}

bool stress_page_write(const char *path, const struct stress_report *report, const char *baseline,
                       struct error *error)
{
    struct fresh_file file;
    FILE *page = page_open(&file, path, "ptybot stress", error);
    if (!page)
        return false;
    fputs("<p><code>ptybot stress ", page);
    page_text(page, report->bench->word);
    fputs(" ", page);
    page_text(page, report->bench->command);
    fprintf(page, "</code>\n<p><b>%zu of %zu cases failed</b>", report->counts->findings,
            report->counts->cases);
    if (report->known)
        fprintf(page, ", %zu of them new", report->counts->fresh);
    fputs(". Baseline: ", page);
    page_text(page, baseline);
    fputs(".\n", page);
    put_matrix(page, report);
    if (report->group_count > 0)
        fputs("<h2>Findings</h2>\n", page);
    for (size_t i = 0; i < report->group_count; i++)
        put_group(page, report, &report->groups[i]);
    return page_close(&file, json_object(), error);
}
