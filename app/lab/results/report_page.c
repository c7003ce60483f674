#include "app/lab/results/report_page.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/files/scene_file.h"
#include "app/record/picture.h"
#include "base/number.h"

/* ---- A picture of the room of a scene, which is drawn below its map ---- */

static const double WIDTH_MAX_PX = 900, HEIGHT_MAX_PX = 700; /* chosen: width of the page */
static const double MARGIN = 0.05; /* chosen: share of the longer side, so that the walls are
                                      visible */

/* Takes over SCENE. */
static void paint(struct scene *scene, const struct picture_options *picture)
{
    struct live live = {0};
    struct error ignored = {0};
    struct sim *sim = live_sim(&live, scene, NULL, &ignored);
    if (sim)
        picture_write(sim, NULL, &live, picture, &ignored);
    sim_destroy(sim);
    live_close(&live);
    scene_destroy(scene);
}

/* Writes a hidden picture of the room of SCENE (a word for scene_file_find) with the number ID and
 * its bounds in meters. Writes nothing if there is no such scene. The painter creates a file in the
 * folder of PATH, which is deleted. */
static void put_room(FILE *page, const char *path, const char *scene, size_t id)
{
    struct error ignored = {0};
    char file[PATH_MAX + 16];
    struct scene *room = scene_file_find(scene, false, &ignored);
    if (!room)
        return;
    double margin = MARGIN * number_larger(room->size_x_m, room->size_y_m);
    double x = room->low.x - margin, width = room->size_x_m + 2 * margin;
    double y = room->low.y - margin, height = room->size_y_m + 2 * margin;
    double px_per_m = number_smaller(WIDTH_MAX_PX / width, HEIGHT_MAX_PX / height);
    struct picture_view view = {
        .is_map = true, .span_m = width, .middle_x_m = x + width / 2, .middle_y_m = y + height / 2};
    snprintf(view.size, sizeof view.size, "%.0fx%.0f", width * px_per_m, height * px_per_m);
    snprintf(file, sizeof file, "%s.room.svg", path);
    paint(room, &(struct picture_options){.out = file, .view = &view});
    fprintf(page, "<img hidden alt=\"\" id=\"room-%zu\" data-bounds=\"%g %g %g %g\" src=\"", id, x,
            y, width, height);
    page_file(page, file, "image/svg+xml");
    fputs("\">\n", page);
    unlink(file);
}

/* ---- Failed cases, in groups ---- */

enum {
    GROUPS_MAX = 50,   /* chosen: as many as a reader looks at */
    MEMBERS_MAX = 50,  /* chosen: as many cases as are repeated for their files */
    PICTURES_MAX = 12, /* chosen: about 100 kB each */
    KIND_MAX = 2048,
};

/* ---- The command of a case ---- */

/* Writes text between single quotes of a shell. */
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

/* Writes the swept values as arguments of --vary. A value in a command becomes a range, because a
 * command without a range is rejected. Values of the same command are in one argument. */
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

/* Writes a command that runs only this case. The results do not contain other flags of its run.
 * Without a host the speed has no effect; if time was held, --warp has no effect. */
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
        const char *that = rpc_text(item, "that");
        if (strcmp(rpc_text(item, "when"), "host") != 0)
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

/* Finds a file of a failed case. False: there is no such file. */
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

/* ---- Cases with the same failure ---- */

/* Writes a key that is equal for cases with the same failure: the scene, the reason without its
 * numbers, and the failed expectations. Digits in a name, such as robot2, are not a number. */
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
        const char *verdict = rpc_text(item, "verdict");
        if (*verdict != 'p' && *verdict != 's' && used < KIND_MAX / 2) {
            summary_label(item, kind + used, KIND_MAX / 2);
            used += strlen(kind + used);
        }
    }
}

/* Maps each key to the numbers of its cases. NULL: out of memory. */
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

/* HAS_PICTURE: the first case has a picture. */
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

static bool put_failures(FILE *page, const struct results_summary *summary)
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

enum { LOST_MAX = 50 }; /* chosen: as many as a reader looks at */

/* ---- Scenes ---- */

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

/* ---- Comparison with an earlier run ---- */

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

/* Writes a row with the values of a measure in one RUN. VALUES must have room for all of them.
 * Returns their number. */
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

/* Writes all measures. Adds the values of the earlier run to the data of all SCENES. False: out of
 * memory. */
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

/* ---- Data for the script ---- */

/* The first letter of the verdict of the case, then of the verdict of each expectation; `-`: no
 * verdict. */
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
        summary_label(item, label, sizeof label);
        for (size_t k = 1; k < count; k++)
            if (strcmp(summary_name(scene->expect, k - 1), label) == 0)
                letters[k] = *rpc_text(item, "verdict");
    }
    json_t *text = json_stringn(letters, count);
    free(letters);
    return text;
}

/* The scenes with their cases. NULL: out of memory. */
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

/* Writes the rooms of scenes with a swept pose. */
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
            put_room(page, path, summary->scenes[next].word, next);
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
    bool is_whole = put_failures(page, summary) && put_measures(page, summary, before, scenes);
    put_rooms(page, path, summary);
    json_t *data = json_pack("{s:o,s:O?}", "scenes", scenes, "varied",
                             json_object_get(summary->results->plan, "varied"));
    if (!is_whole)
        json_decref(data);
    return page_close(&file, is_whole ? data : NULL, error);
}
