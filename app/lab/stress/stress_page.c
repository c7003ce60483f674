#include "app/lab/stress/stress_page.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/files/page.h"

enum { FRAMES_SHOWN = 12, FRAME_SHOWN = 100 }; /* chosen: what one reads */
#define FRAMES_BEFORE_S 0.05                   /* chosen: some frames of the fastest robot */

/* A cell, in the color of its verdict. */
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

/* The frames from just before the hardship. */
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
