/* `ptybot list`: lists everything that users can run, set, observe and command, from the tables of
 * the robots. */
#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/program.h"
#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "app/control/ctl_client.h"
#include "app/control/methods.h"
#include "app/control/rpc.h"
#include "app/files/folders.h"
#include "app/files/scene_file.h"
#include "app/links/live.h"
#include "app/subcommands/subcommands.h"
#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "protocols/registry.h"
#include "pty/uart/uart_device.h"
#include "sim/parse/scene_parse.h"

/* The listed robot types. */
struct shown {
    const struct robot_type *const *types;
    size_t count;
    bool is_world; /* list only items of the world */
};

/* Signals and commands of the world are equal for all types, and are listed with the first type. */
static bool is_shown(const struct shown *shown, const char *name, bool is_first)
{
    return strncmp(name, "world.", 6) == 0 ? is_first : !shown->is_world;
}

static bool list_robots(struct table *table, const struct shown *shown, struct error *error)
{
    (void)error;
    for (size_t i = 0; i < shown->count; i++) {
        const struct robot_type *type = shown->types[i];
        for (size_t c = 0; c < type->channel_count; c++) {
            const struct channel_spec *channel = &type->channels[c];
            char baud[16];
            snprintf(baud, sizeof baud, "%" PRIu32, channel->baud);
            table_row(table, (const char *const[]){type->name, channel->name,
                                                   channel->kind != CHANNEL_SERIAL ? "tcp"
                                                   : channel->baud == 0            ? "any"
                                                                                   : baud,
                                                   c == 0 ? type->title : ""});
        }
    }
    return true;
}

static bool list_options(struct table *table, const struct shown *shown, struct error *error)
{
    (void)error;
    for (size_t i = 0; i < shown->count; i++) {
        const struct robot_type *type = shown->types[i];
        for (size_t o = 0; o < type->option_count; o++) {
            const struct option_row *row = &type->options[o];
            char name[128], allowed[256];
            snprintf(name, sizeof name, "%s.%s", type->name, row->key);
            option_allowed(row, allowed, sizeof allowed);
            table_row(table, (const char *const[]){name, row->unit, allowed,
                                                   row->fallback ? row->fallback : "(required)",
                                                   row->note});
        }
    }
    return true;
}

static void add_command(struct table *table, const char *target, const struct command_row *row)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", target, row->name);
    table_row(table, (const char *const[]){name, "", "", row->note});
    for (size_t i = 0; i < row->arg_count; i++) {
        char key[128], allowed[256];
        option_allowed(&row->args[i], allowed, sizeof allowed);
        snprintf(key, sizeof key, "  %s=", row->args[i].key);
        table_row(table, (const char *const[]){key, allowed,
                                               row->args[i].fallback ? row->args[i].fallback
                                                                     : "(required)",
                                               row->args[i].note});
    }
}

static bool list_commands(struct table *table, const struct shown *shown, struct error *error)
{
    (void)error;
    size_t count;
    const struct run_rows run = live_rows(NULL);
    for (size_t i = 0; i < run.command_count; i++)
        add_command(table, "world", &run.commands[i]);
    const struct command_row *rows = sim_world_commands(&count);
    for (size_t i = 0; i < count; i++)
        add_command(table, "world", &rows[i]);
    if (shown->is_world)
        return true;
    rows = sim_robot_commands(&count);
    for (size_t i = 0; i < count; i++)
        add_command(table, "ROBOT", &rows[i]);
    for (size_t i = 0; i < shown->count; i++)
        for (size_t c = 0; c < shown->types[i]->command_count; c++)
            add_command(table, shown->types[i]->name, &shown->types[i]->commands[c]);
    return true;
}

static bool list_faults(struct table *table, const struct shown *shown, struct error *error)
{
    (void)shown, (void)error;
    struct sim_fault_info info;
    for (size_t i = 0; sim_fault_info(i, &info); i++)
        table_row(table, (const char *const[]){info.part, info.kind, info.arguments, info.note});
    return true;
}

/* The signals of a robot exist only when it is created, so this creates one robot of the type. The
 * caller destroys both. NULL, with the reason in ERROR. */
static struct sim *sim_of_type(const struct robot_type *type, struct scene **scene,
                               struct error *error)
{
    const struct run_rows rows = live_rows(NULL);
    *scene = scene_of_robot(type);
    if (!*scene)
        return error_null(error_set(error, "not enough memory"));
    return sim_create(*scene, NULL, &rows, error);
}

static bool add_signals(struct table *table, const struct robot_type *type,
                        const struct shown *shown, bool is_first, struct error *error)
{
    static const char *const type_words[] = {"bool", "integer", "number"}; // of sim_signal_type
    struct scene *scene;
    struct sim *sim = sim_of_type(type, &scene, error);
    for (size_t i = 0; sim && i < sim_signal_count(sim); i++) {
        const struct sim_signal info = sim_signal_info(sim, i);
        char meaning[256];
        if (!is_shown(shown, info.name, is_first))
            continue;
        table_row(table, (const char *const[]){info.name, type_words[info.type], info.unit,
                                               info.is_live ? "live" : "",
                                               sim_signal_meaning(&info, meaning, sizeof meaning)});
    }
    bool is_done = sim != NULL;
    sim_destroy(sim);
    scene_destroy(scene);
    return is_done;
}

static bool list_signals(struct table *table, const struct shown *shown, struct error *error)
{
    bool is_done = true;
    for (size_t i = 0; is_done && i < shown->count; i++)
        is_done = add_signals(table, shown->types[i], shown, table->count == 0, error);
    return is_done;
}

static void add_scene(struct table *table, const char *folder, const char *file)
{
    char path[2 * PATH_MAX], name[NAME_MAX + 1];
    struct error error = {0};
    size_t size = strlen(file);
    if (size <= 5 || strcmp(file + size - 5, ".yaml") != 0)
        return;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    snprintf(name, sizeof name, "%.*s", (int)(size - 5), file);
    struct scene *scene = scene_file_read(path, &error);
    table_row(table, (const char *const[]){name, scene ? scene->name : error.text, path});
    scene_destroy(scene);
}

static bool list_scenes(struct table *table, const struct shown *shown, struct error *error)
{
    (void)shown, (void)error;
    char folder[PATH_MAX];
    struct dirent **files;
    program_scene_folder(folder, sizeof folder);
    int count = *folder ? scandir(folder, &files, NULL, alphasort) : -1;
    for (int i = 0; i < count; i++) {
        add_scene(table, folder, files[i]->d_name);
        free(files[i]);
    }
    if (count >= 0)
        free(files);
    return true;
}

static void add_port(void *table, const struct uart_port *port)
{
    table_row(table, (const char *const[]){port->path, port->bus, port->description, port->serial,
                                           port->is_allowed ? "" : "no permission"});
}

static bool list_ports(struct table *table, const struct shown *shown, struct error *error)
{
    (void)shown;
    return uart_ports_list(add_port, table, error);
}

static bool list_links(struct table *table, const struct shown *shown, struct error *error)
{
    (void)shown, (void)error;
    for (size_t i = 0; i < LINK_KIND_COUNT; i++)
        table_row(table, (const char *const[]){link_kinds[i].name, link_kinds[i].syntax->allowed,
                                               link_kinds[i].description});
    return true;
}

enum { COLUMNS_MAX = 5 };

/* Adds a run. If the run is stopped or very busy, omits its scene and robots. */
static void add_run(struct table *table, const struct run_folder_found *found, struct error *error)
{
    char pid[24], robots[160] = "";
    const struct ctl_request request = {.place = found->socket_path,
                                        .method = "version",
                                        .params = json_object(),
                                        .timeout_s = 1}; // chosen
    json_t *about = NULL, *robot;
    size_t i;
    ctl_client_ask(&request, &about, error);
    json_array_foreach(json_object_get(about, "robots"), i, robot)
    {
        text_add(robots, sizeof robots, i > 0 ? ", " : "", "%s", rpc_text(robot, "name"));
    }
    snprintf(pid, sizeof pid, "%ld", (long)found->pid);
    table_row(table, (const char *const[]){found->socket_path, pid, rpc_text(about, "name"), robots,
                                           found->is_private ? "private" : ""});
    json_decref(about);
}

static bool list_runs(struct table *table, const struct shown *shown, struct error *error)
{
    static struct run_folder_found found[RUN_FOLDER_RUNS_MAX];
    (void)shown;
    size_t count = run_folder_list(found);
    for (size_t i = 0; i < count; i++)
        add_run(table, &found[i], error);
    return true;
}

static const struct list_row {
    const char *word;
    /* Adds the rows of a list; for items of robots, those of the SHOWN types. */
    bool (*fill)(struct table *table, const struct shown *shown, struct error *error);
    const char *columns[COLUMNS_MAX + 1];
    const char *keys[COLUMNS_MAX]; /* JSON keys of the columns; NULL: the JSON is that of the
                                      control socket */
} rows[] = {
    {"robots", list_robots, {"type", "channel", ">baud", "title"}, {NULL}},
    {"options", list_options, {"option", "unit", "allowed", "default", "meaning"}, {NULL}},
    {"signals", list_signals, {"signal", "type", "unit", "", "meaning"}, {NULL}},
    {"commands", list_commands, {"command", "allowed", "default", "meaning"}, {NULL}},
    {"faults",
     list_faults,
     {"part", "fault", "arguments", "meaning"},
     {"part", "fault", "arguments", "note"}},
    {"scenes", list_scenes, {"scene", "story", "file"}, {"name", "story", "file"}},
    {"links", list_links, {"link", "address", "meaning"}, {"name", "address", "note"}},
    {"ports",
     list_ports,
     {"port", "bus", "title", "serial", ""},
     {"path", "bus", "title", "serial", "problem"}},
    {"runs",
     list_runs,
     {"control", ">pid", "scene", "robots", ""},
     {"control", "pid", "scene", "robots", "kind"}},
};
enum { ROWS = COUNT(rows) };

/* ---- JSON ---- */

/* A cell as JSON. A whole number in a column of numbers becomes an integer. */
static json_t *cell_json(const char *head, const char *cell)
{
    int64_t number;
    return *head == '>' && number_parse_integer(cell, &number) ? json_integer(number)
                                                               : json_string(cell);
}

static json_t *table_json(const struct table *table, const struct list_row *row)
{
    json_t *list = json_array();
    for (size_t i = 0; i < table->count; i += table->columns) {
        json_t *one = json_object();
        for (size_t c = 0; c < table->columns; c++)
            json_object_set_new(one, row->keys[c], cell_json(row->columns[c], table->cells[i + c]));
        json_array_append_new(list, one);
    }
    return list;
}

/* Adds the items of one robot of a type, in the form of the control socket. */
static bool add_type_json(json_t *list, const char *what, const struct robot_type *type,
                          const struct shown *shown, struct error *error)
{
    struct scene *scene;
    struct sim *sim = sim_of_type(type, &scene, error);
    json_t *all = sim ? methods_list(sim, what) : NULL, *one;
    bool is_first = json_array_size(list) == 0;
    size_t i;
    json_array_foreach(all, i, one)
    {
        if (is_shown(shown, rpc_text(one, "name"), is_first))
            json_array_append(list, one);
    }
    bool is_whole = all != NULL || !error_prefix(error, "%s: ", type->name);
    json_decref(all);
    sim_destroy(sim);
    scene_destroy(scene);
    return is_whole;
}

static int print_json(struct table *table, const struct list_row *row, const struct shown *shown,
                      struct error *error)
{
    bool is_whole = true;
    json_t *list = row->keys[0] ? table_json(table, row) : json_array();
    for (size_t i = 0; !row->keys[0] && is_whole && i < shown->count; i++)
        is_whole = add_type_json(list, row->word, shown->types[i], shown, error);
    if (is_whole)
        is_whole = json_dumpf(list, stdout, JSON_COMPACT) == 0 ||
                   error_set(error, "the list could not be written");
    fputc('\n', stdout);
    json_decref(list);
    return is_whole ? EXIT_CODE_OK : terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error->text);
}

/* ---- The subcommand ---- */

static int print_list(const struct list_row *row, const struct shown *shown, bool is_json)
{
    struct table table;
    struct error error = {0};
    table_init(&table, row->columns);
    bool is_whole = (is_json && !row->keys[0]) || row->fill(&table, shown, &error);
    if (is_json && is_whole) {
        int code = print_json(&table, row, shown, &error);
        table_drop(&table);
        return code;
    }
    if (!table_print(&table, 0, stdout))
        return EXIT_CODE_ENVIRONMENT;
    return is_whole ? EXIT_CODE_OK : terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
}

static int list_what(const char *what, const struct shown *shown, bool is_json)
{
    const char *words[ROWS + 1] = {0};
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].word, what) == 0)
            return print_list(&rows[i], shown, is_json);
        words[i] = rows[i].word;
    }
    const char *near = text_nearest(words, what);
    char reason[160];
    snprintf(reason, sizeof reason, "'%.40s' cannot be listed%s", what, TEXT_MEANT(near, NULL));
    return subcommand_misused(&list_subcommand, reason);
}

struct list_options {
    bool is_json;
};

static const struct flag_row flags[] = {
    FLAG_SWITCH("json", list_options, is_json, "Print one line of JSON, a list of objects"),
};

static int list(struct arguments *arguments, void *memory)
{
    struct list_options *options = memory;
    const struct robot_type *only = NULL;
    struct shown shown = {&only, 1, false};
    struct scene *own = NULL;
    struct error error = {0};
    int code = EXIT_CODE_USAGE;
    const char *what = arguments->words[0];
    const char *word = arguments->word_count == 2 ? arguments->words[1] : NULL;
    bool has_world = strcmp(what, "signals") == 0 || strcmp(what, "commands") == 0;
    shown.is_world = has_world && word && strcmp(word, "world") == 0;
    if (!word || shown.is_world)
        shown.types = registry_types(&shown.count);
    else
        only = scene_file_type(word, &own, &error);
    if (*error.text)
        terminal_fail(code, "%s", error.text);
    else if (!shown.types[0])
        subcommand_no_robot(&list_subcommand, word);
    else
        code = list_what(what, &shown, options->is_json);
    scene_destroy(own);
    return code;
}

const struct subcommand list_subcommand = {
    .name = "list",
    .usage = "robots|options|signals|commands|faults|scenes|links|ports|runs [ROBOT|BODY|world] "
             "[--json]",
    .summary = "list robots, options, signals, commands, faults, scenes and runs",
    .details =
        "With a robot type, a body file or `world`, ptybot lists only its rows. In commands and "
        "options,\nthe name of a robot in the scene replaces the type. `links` are the kinds of "
        "links that a\nscene or --link can give a channel. `ports` are the serial devices of this "
        "machine, for\nlinks of the kind uart. `runs` are your running simulations with their "
        "control sockets.\n`faults` shows the faults that each part of a robot supports.",
    SUBCOMMAND_FLAGS(flags, list_options),
    .words = {1, 2,
              "give robots, options, signals, commands, faults, scenes, links, ports or runs"},
    .run = list,
};
