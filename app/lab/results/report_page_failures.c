/* Part of the page of a report: the cases that did not pass, in groups. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/lab/results/report_page.h"

enum {
    GROUPS_MAX = 50,   /* chosen: what one reads */
    MEMBERS_MAX = 50,  /* chosen: as many cases as are run again for their files */
    PICTURES_MAX = 12, /* chosen: of some 100 kB each */
    KIND_MAX = 2048,
};

/* ---- The command of a case ---- */

/* As it stands between quotes of a shell. */
static void put_quoted(FILE *page, const char *text)
{
    char *copy = strdup(text), *rest = copy;
    while (rest) {
        page_text(page, strsep(&rest, "'"));
        fputs(rest ? "'\\''" : "", page);
    }
    free(copy);
}

static void write_value(const json_t *value, char text[256])
{
    double x = json_number_value(json_object_get(value, "x"));
    double y = json_number_value(json_object_get(value, "y"));
    double heading = json_number_value(json_object_get(value, "heading"));
    if (json_is_object(value))
        snprintf(text, 256, "%.15g,%.15g,%.15g", x, y, heading);
    else if (json_is_string(value))
        snprintf(text, 256, "%s", json_string_value(value));
    else
        snprintf(text, 256, "%.15g", json_number_value(value));
}

/* What varied, as --vary takes it. A value in a command is a range, since something must vary in
 * it; values of one command follow each other. */
static void put_varied(FILE *page, const json_t *vary)
{
    const char *key, *last = "";
    json_t *value;
    json_object_foreach((json_t *)vary, key, value)
    {
        char text[256];
        const char *word = strrchr(key, ' ');
        size_t fixed = word ? (size_t)(word - key) + 1 : 0;
        bool is_more = word && strncmp(key, last, fixed) == 0 && !strchr(last + fixed, ' ');
        if (!is_more)
            fputs(*last ? "' --vary '" : " --vary '", page);
        put_quoted(page, is_more ? word : key);
        fputs(word ? "=" : json_is_object(value) ? " list " : " = ", page);
        write_value(value, text);
        put_quoted(page, text);
        fputs(word ? ".." : "", page);
        put_quoted(page, word ? text : "");
        last = key;
    }
    fputs(*last ? "'" : "", page);
}

/* The command that runs the case alone; other flags of its run are not in the results. Without a
 * host the speed does not matter, and neither does --warp where time was held. */
static void put_command(FILE *page, const struct summary_case *one)
{
    static const char shell[] = "/bin/sh -c ";
    const json_t *held = json_object_get(one->line, "held"), *item;
    const char *program = NULL;
    size_t i;
    fputs("<code>ptybot test '", page);
    put_quoted(page, summary_text(one, "scene"));
    fprintf(page, "' --vary 'seed %" PRId64 "'", one->seed);
    put_varied(page, one->vary);
    fputs(json_is_null(held) ? " --fast" : json_is_true(held) ? " --warp max" : "", page);
    json_array_foreach(one->expect, i, item)
    {
        const char *that = results_word(item, "that");
        if (strcmp(results_word(item, "when"), "host") != 0)
            continue;
        if (strncmp(that, shell, strlen(shell)) != 0) {
            program = that;
            continue;
        }
        fputs(" --host '", page);
        put_quoted(page, that + strlen(shell));
        fputs("'", page);
    }
    fputs(program ? " -- " : "", page);
    page_text(page, program ? program : "");
    fputs("</code>", page);
}

/* ---- A case ---- */

/* A file that a failed case has left; false: there is none. */
static bool find_file(const struct summary_case *one, const char *name, char path[PATH_MAX])
{
    const char *folder = summary_text(one, "files");
    int size = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return *folder && size > 0 && size < PATH_MAX && access(path, R_OK) == 0;
}

static void put_case(FILE *page, const struct summary_case *one, bool has_picture)
{
    char path[PATH_MAX];
    fputs("<p><b>", page);
    page_text(page, one->name);
    fputs("</b><br>", page);
    page_text(page, summary_text(one, "reason"));
    put_command(page, one);
    if (has_picture && find_file(one, "failure.png", path)) {
        fputs("<img alt=\"as it failed\" src=\"", page);
        page_file(page, path, "image/png");
        fputs("\">", page);
    }
    if (find_file(one, "replay.html", path))
        page_link(page, path, "replay");
    else if (find_file(one, "", path))
        page_link(page, path, "its files");
    fputs("\n", page);
}

/* ---- Cases that failed alike ---- */

/* Cases of one kind failed alike: the scene, the reason without its numbers, and the expectations.
 * Digits in a name, such as robot2, are no number. */
static void write_kind(const struct summary_case *one, char kind[KIND_MAX])
{
    size_t used = (size_t)snprintf(kind, KIND_MAX, "%zu ", one->scene), i;
    const json_t *item;
    char last = ' ';
    for (const char *at = summary_text(one, "reason"); *at && used < KIND_MAX / 2; last = *at++) {
        bool is_name = isalpha((unsigned char)last) || last == '_';
        size_t size = is_name ? 0 : strspn(at, "-.0123456789");
        bool is_number = strcspn(at, "0123456789") < size;
        kind[used++] = (char)(is_number ? '#' : *at);
        at += is_number ? size - 1 : 0;
    }
    kind[used] = '\0';
    json_array_foreach(one->expect, i, item)
    {
        const char *verdict = results_word(item, "verdict");
        if (*verdict != 'p' && *verdict != 's' && used < KIND_MAX / 2) {
            summary_label(item, kind + used, KIND_MAX / 2);
            used += strlen(kind + used);
        }
    }
}

/* Numbers of cases by their kind. NULL: memory is short. */
static json_t *group_failures(const struct results_summary *summary)
{
    json_t *groups = json_object();
    for (size_t i = 0; i < summary->count; i++) {
        const struct summary_case *one = &summary->cases[i];
        char kind[KIND_MAX];
        if (!one->is_there || one->verdict == JUDGEMENT_PASSED)
            continue;
        write_kind(one, kind);
        if (!json_object_get(groups, kind))
            json_object_set_new_nocheck(groups, kind, json_array());
        if (json_array_append_new(json_object_get(groups, kind), json_integer((json_int_t)i)) !=
            0) {
            json_decref(groups);
            return NULL;
        }
    }
    return groups;
}

/* The first case has a picture, if HAS_PICTURE. */
static void put_group(FILE *page, const struct results_summary *summary, const json_t *members,
                      bool has_picture)
{
    size_t count = json_array_size(members);
    fprintf(page, "<tr><td>%zu<td>", count);
    for (size_t i = 0; i < count && i < MEMBERS_MAX; i++) {
        if (i == 1)
            fprintf(page, "<details><summary>%zu more%s</summary>\n", count - 1,
                    count > MEMBERS_MAX ? "; the first of them" : "");
        put_case(page, &summary->cases[json_integer_value(json_array_get(members, i))],
                 has_picture && i == 0);
    }
    fputs(count > 1 ? "</details>\n" : "", page);
}

bool report_page_failures(FILE *page, const struct results_summary *summary)
{
    json_t *groups = group_failures(summary), *members;
    size_t count = json_object_size(groups), shown = 0;
    const char *kind;
    if (!groups)
        return false;
    fputs("<h2>Failures</h2>\n", page);
    fputs(
        count == 0
            ? "<p>No case failed.\n"
            : "<p>Cases whose reasons differ only in numbers are together. Add other flags "
              "of the test, such as --for, to a command.\n<table tabindex=\"0\" class=\"text\"><tr>"
              "<th>cases<th>first case, reason, command\n",
        page);
    json_object_foreach(groups, kind, members) if (shown++ < GROUPS_MAX)
        put_group(page, summary, members, shown <= PICTURES_MAX);
    fputs(count > 0 ? "</table>\n" : "", page);
    if (count > GROUPS_MAX)
        fprintf(page, "<p>%zu further reasons are not shown.\n", count - GROUPS_MAX);
    json_decref(groups);
    return true;
}
