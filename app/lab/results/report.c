#include "app/lab/results/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "app/files/scene_file.h"
#include "app/lab/results/baseline.h"
#include "app/lab/results/report_page.h"
#include "app/lab/results/results_read.h"
#include "app/lab/results/results_summary.h"
#include "app/links/live.h"
#include "base/text.h"

/* ---- Coverage: the packets, commands, faults and signals of the robots that the tests of a run
 * have used, and those that they have not used ---- */

enum { NEVER_MAX = 200 }; /* chosen: bytes of names in a line */

struct coverage {
    json_t *types; /* type of robot -> kind of item -> name -> whether a test used it */
    bool is_short;
};

/* The object KEY in OBJECT, which is added if necessary. NULL: out of memory. */
static json_t *member(json_t *object, const char *key)
{
    if (!json_object_get(object, key))
        json_object_set_new(object, key, json_object());
    return json_object_get(object, key);
}

/* Records an item, and whether a test used it. */
static void note(struct coverage *coverage, const struct robot_type *type, const char *kind,
                 const char *name, bool is_used)
{
    json_t *items = member(member(coverage->types, type->name), kind);
    is_used |= json_is_true(json_object_get(items, name));
    coverage->is_short |= json_object_set_new(items, name, json_boolean(is_used)) != 0;
}

/* Whether NAME is a whole word in TEXT. */
static bool has_word(const char *text, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t size = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += size)
        if ((at == text || !strchr(letters, at[-1])) &&
            (at[size] == '\0' || !strchr(letters, at[size])))
            return true;
    return false;
}

/* The commands, conditions and measures of a scene, and the names of the swept values. The caller
 * frees the text. */
static char *script_of(const struct scene *scene, const json_t *line)
{
    char *text = NULL;
    size_t size = 0;
    const char *key;
    json_t *value;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < scene->action_count; i++)
        fprintf(out, "%s\n%s\n", scene->actions[i].command, scene->actions[i].when);
    for (size_t i = 0; i < scene->expectation_count; i++)
        fprintf(out, "%s\n", scene->expectations[i].that);
    for (size_t i = 0; i < scene->measure_count; i++)
        fprintf(out, "%s\n%s\n", scene->measures[i].value, scene->measures[i].when);
    json_object_foreach(json_object_get(line, "vary"), key, value) fprintf(out, "%s\n", key);
    fclose(out);
    return text;
}

static void count_robot(struct coverage *coverage, const struct sim *sim, size_t robot,
                        const char *script, const json_t *line)
{
    const struct robot_type *type = sim_robot_type(sim, robot);
    const char *name = sim_robot_name(sim, robot), *channel;
    char text[2 * SIM_SIGNAL_NAME_MAX];
    size_t count;
    struct sim_fault_info fault;
    json_t *value;
    json_object_foreach(json_object_get(line, "channels"), channel, value)
    {
        const char *reported = rpc_text(value, "told");
        bool is_own = strncmp(channel, name, strlen(name)) == 0 && channel[strlen(name)] == '.';
        for (size_t i = 0; type->packets && type->packets[i]; i++)
            if (type->packets[i]->direction == WIRE_TO_ROBOT)
                note(coverage, type, "packets", type->packets[i]->name,
                     is_own && has_word(reported, type->packets[i]->name));
    }
    const struct command_row *rows = sim_robot_commands(&count);
    for (size_t i = 0; i < count + type->command_count; i++) {
        const char *command = i < count ? rows[i].name : type->commands[i - count].name;
        snprintf(text, sizeof text, "%s.%s", name, command);
        note(coverage, type, "commands", command, has_word(script, text));
    }
    snprintf(text, sizeof text, "%s.fault", name);
    for (size_t i = 0; sim_fault_info(i, &fault); i++) {
        char kind[64];
        snprintf(kind, sizeof kind, "=%s", fault.kind);
        if (type->servo_packet || strcmp(fault.part, "SERVO") != 0)
            note(coverage, type, "faults", fault.kind,
                 has_word(script, text) && strstr(script, kind));
    }
    for (size_t i = 0; i < sim_signal_count(sim); i++) {
        const struct sim_signal info = sim_signal_info(sim, i);
        size_t size = strlen(name);
        if (!info.is_live && strncmp(info.name, name, size) == 0 && info.name[size] == '.')
            note(coverage, type, "signals", info.name + size + 1, has_word(script, info.name));
    }
}

static void count_case(struct coverage *coverage, const char *text, size_t size)
{
    struct error ignored = {0};
    json_t *line = json_loadb(text, size, 0, NULL);
    struct scene *scene = scene_file_find(rpc_text(line, "scene"), true, &ignored);
    const struct run_rows rows = live_rows(NULL);
    struct sim *sim = scene ? sim_create(scene, NULL, &rows, &ignored) : NULL;
    char *script = sim ? script_of(scene, line) : NULL;
    for (size_t i = 0; script && i < sim_robot_count(sim); i++)
        count_robot(coverage, sim, i, script, line);
    free(script);
    sim_destroy(sim);
    scene_destroy(scene);
    json_decref(line);
}

static void add_row(struct table *table, const char *type, const char *kind, json_t *items)
{
    char counts[32], never[NEVER_MAX] = "";
    const char *name;
    json_t *is_used;
    size_t used = 0;
    bool is_cut = false;
    json_object_foreach(items, name, is_used)
    {
        used += json_is_true(is_used);
        if (!json_is_true(is_used))
            is_cut |= !text_add(never, sizeof never, ", ", "%s", name);
    }
    if (is_cut)
        memcpy(never + sizeof never - 4, "...", 4);
    snprintf(counts, sizeof counts, "%zu of %zu", used, json_object_size(items));
    table_row(table, (const char *const[]){type, kind, counts, never});
}

/* Prints four rows for each type of robot: packets to the robot, commands, kinds of faults and
 * signals. Packets count if a driver sent them, commands and faults if a timeline or --vary names
 * them, signals if an expectation, measure or condition names them. False: out of memory. */
static bool coverage_print(const struct results *results, FILE *out)
{
    struct coverage coverage = {.types = json_object()};
    struct table table;
    const char *type, *kind;
    json_t *kinds, *items;
    for (size_t i = 0; i < results->count; i++)
        if (results->lines[i].text)
            count_case(&coverage, results->lines[i].text, results->lines[i].size);
    table_init(&table, (const char *const[]){"robot", "coverage", ">exercised", "never", NULL});
    json_object_foreach(coverage.types, type, kinds)
    {
        json_object_foreach(kinds, kind, items) add_row(&table, type, kind, items);
    }
    fputc('\n', out);
    bool is_whole = table_print(&table, 2, out) && !coverage.is_short;
    json_decref(coverage.types);
    return is_whole;
}

/* An earlier run. All zero: no earlier run. */
struct earlier {
    struct results results;
    struct results_summary summary;
    struct baseline baseline;
};

/* Returns EXIT_CODE_OK, or the exit code if the runs cannot be compared. */
static int compare(struct earlier *earlier, const struct results_summary *now, const char *path,
                   struct error *error)
{
    if (!results_load(&earlier->results, path, error)) {
        error_prefix(error, "--baseline ");
        return EXIT_CODE_USAGE;
    }
    if (!summary_make(&earlier->summary, &earlier->results)) {
        error_set(error,
                  "--baseline %s: not enough memory, or a line that is not a result of ptybot",
                  path);
        return EXIT_CODE_ENVIRONMENT;
    }
    if (!baseline_compare(&earlier->baseline, now, &earlier->summary, error)) {
        error_prefix(error, "--baseline %s: ", path);
        return EXIT_CODE_USAGE;
    }
    baseline_print(&earlier->baseline, path, stdout);
    return EXIT_CODE_OK;
}

int report(const struct results *results, const struct report_options *options, bool is_whole,
           int code)
{
    struct results_summary summary;
    struct earlier earlier = {0};
    struct error error = {0};
    bool has_earlier = *options->baseline;
    int wrong = EXIT_CODE_OK;
    if (!summary_make(&summary, results)) {
        error_set(&error, "not enough memory for a report, or a line that ptybot did not write");
        wrong = EXIT_CODE_ENVIRONMENT;
    }
    if (wrong == EXIT_CODE_OK && has_earlier)
        wrong = compare(&earlier, &summary, options->baseline, &error);
    if (wrong == EXIT_CODE_OK && *options->html &&
        !report_page_write(options->html, &summary, has_earlier ? &earlier.summary : NULL,
                           has_earlier ? &earlier.baseline : NULL, options->baseline, &error))
        wrong = EXIT_CODE_ENVIRONMENT;
    if (wrong == EXIT_CODE_OK && options->is_covered && !coverage_print(results, stdout))
        wrong = EXIT_CODE_ENVIRONMENT;
    if (has_earlier && code == EXIT_CODE_FAILED && is_whole)
        code = EXIT_CODE_OK;
    if (earlier.baseline.worse > 0 && code == EXIT_CODE_OK)
        code = EXIT_CODE_FAILED;
    baseline_free(&earlier.baseline);
    summary_free(&earlier.summary);
    results_free(&earlier.results);
    summary_free(&summary);
    terminal_flush();
    return wrong == EXIT_CODE_OK ? code : terminal_fail(wrong, "%s", error.text);
}
