/* `ptybot list`: what there is to run, set, see and do, from the tables of the robots. */
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/robot_types.h"
#include "pty/uart_ports.h"
#include "sim/app/exit_code.h"
#include "sim/app/program.h"
#include "sim/app/scene_file.h"
#include "sim/app/table.h"
#include "sim/app/terminal.h"
#include "sim/app/verb.h"
#include "sim/sim.h"

/* The rows of one robot type are shown, or those of all (NULL). */
static bool is_shown(const struct robot_type *type, const struct robot_type *only)
{
    return !only || only == type;
}

static void list_robots(const struct robot_type *only)
{
    struct table table;
    size_t count;
    const struct robot_type *const *types = robot_types(&count);
    table_init(&table, (const char *const[]){"type", "channel", ">baud", "what it is", NULL});
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; is_shown(types[i], only) && c < types[i]->channel_count; c++) {
            char baud[16] = "tcp";
            if (types[i]->channels[c].kind == CHANNEL_SERIAL)
                snprintf(baud, sizeof baud, "%" PRIu32, types[i]->channels[c].baud);
            table_row(&table, (const char *const[]){types[i]->name, types[i]->channels[c].name,
                                                    baud, c == 0 ? types[i]->title : ""});
        }
    }
    table_print(&table, 0, stdout);
}

static void list_options(const struct robot_type *only)
{
    struct table table;
    size_t count;
    const struct robot_type *const *types = robot_types(&count);
    table_init(&table,
               (const char *const[]){"option", "unit", "allowed", "default", "meaning", NULL});
    for (size_t i = 0; i < count; i++) {
        for (size_t o = 0; is_shown(types[i], only) && o < types[i]->option_count; o++) {
            const struct option_row *row = &types[i]->options[o];
            char name[128], allowed[256];
            snprintf(name, sizeof name, "%s.%s", types[i]->name, row->key);
            option_allowed(row, allowed, sizeof allowed);
            table_row(&table, (const char *const[]){name, row->unit, allowed,
                                                    row->fallback ? row->fallback : "(required)",
                                                    row->note});
        }
    }
    table_print(&table, 0, stdout);
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

static void list_commands(const struct robot_type *only)
{
    struct table table;
    size_t count;
    table_init(&table, (const char *const[]){"command", "allowed", "default", "meaning", NULL});
    const struct command_row *rows = sim_world_commands(&count);
    for (size_t i = 0; i < count; i++)
        add_command(&table, "world", &rows[i]);
    rows = sim_robot_commands(&count);
    for (size_t i = 0; i < count; i++)
        add_command(&table, "ROBOT", &rows[i]);
    const struct robot_type *const *types = robot_types(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; is_shown(types[i], only) && c < types[i]->command_count; c++)
            add_command(&table, types[i]->name, &types[i]->commands[c]);
    table_print(&table, 0, stdout);
}

static void list_faults(void)
{
    struct table table;
    struct sim_fault_info info;
    table_init(&table, (const char *const[]){"part", "fault", "arguments", "meaning", NULL});
    for (size_t i = 0; sim_fault_info(i, &info); i++)
        table_row(&table, (const char *const[]){info.part, info.kind, info.arguments, info.note});
    table_print(&table, 0, stdout);
}

/* The signals of a robot are made when it is: so one of each type is. */
static bool add_signals(struct table *table, const struct robot_type *type, bool is_first,
                        struct error *error)
{
    static const char *const type_words[] = {"bool", "integer", "number"}; // of sim_signal_type
    struct scene *scene = scene_of_type(type->name, error);
    struct sim *sim = scene ? sim_create(scene, NULL, error) : NULL;
    for (size_t i = 0; sim && i < sim_signal_count(sim); i++) {
        const struct sim_signal *info = sim_signal_info(sim, i);
        // The world's are the same for all types.
        if (!is_first && strncmp(info->name, "world.", 6) == 0)
            continue;
        table_row(table, (const char *const[]){info->name, type_words[info->type], info->unit,
                                               info->is_live ? "live" : "", info->note});
    }
    bool is_done = sim != NULL;
    sim_destroy(sim);
    scene_destroy(scene);
    return is_done;
}

static bool list_signals(const struct robot_type *only, struct error *error)
{
    struct table table;
    size_t count;
    const struct robot_type *const *types = robot_types(&count);
    bool is_done = true;
    table_init(&table, (const char *const[]){"signal", "type", "unit", "", "meaning", NULL});
    for (size_t i = 0; is_done && i < count; i++)
        if (is_shown(types[i], only))
            is_done = add_signals(&table, types[i], table.count == 0, error);
    table_print(&table, 0, stdout);
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

static void list_scenes(void)
{
    struct table table;
    table_init(&table, (const char *const[]){"scene", "story", "file", NULL});
    char folder[PATH_MAX];
    struct dirent **files;
    program_scene_folder(folder, sizeof folder);
    int count = *folder ? scandir(folder, &files, NULL, alphasort) : -1;
    for (int i = 0; i < count; i++) {
        add_scene(&table, folder, files[i]->d_name);
        free(files[i]);
    }
    if (count >= 0)
        free(files);
    table_print(&table, 0, stdout);
}

static void add_port(void *table, const struct uart_port *port)
{
    table_row(table, (const char *const[]){port->path, port->bus, port->description, port->serial,
                                           port->is_allowed ? "" : "you have no right to it"});
}

static int list_ports(void)
{
    struct table table;
    struct byte_link_error error;
    table_init(&table, (const char *const[]){"port", "bus", "what it is", "serial", "", NULL});
    if (!uart_ports_list(add_port, &table, &error))
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
    table_print(&table, 0, stdout);
    return EXIT_CODE_OK;
}

static int list_what(const char *what, const struct robot_type *only)
{
    static const char *const words[] = {"robots", "options", "signals", "commands",
                                        "faults", "scenes",  "ports",   NULL};
    struct error error = {0};
    if (strcmp(what, "robots") == 0)
        list_robots(only);
    else if (strcmp(what, "options") == 0)
        list_options(only);
    else if (strcmp(what, "commands") == 0)
        list_commands(only);
    else if (strcmp(what, "faults") == 0)
        list_faults();
    else if (strcmp(what, "scenes") == 0)
        list_scenes();
    else if (strcmp(what, "ports") == 0)
        return list_ports();
    else if (strcmp(what, "signals") == 0)
        return list_signals(only, &error) ? EXIT_CODE_OK
                                          : terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
    else {
        const char *near = option_nearest_word(words, what);
        char reason[128];
        snprintf(reason, sizeof reason, "'%.40s' cannot be listed%s%s", what,
                 near ? "; did you mean " : "", near ? near : "");
        return verb_misused(&list_verb, reason);
    }
    return EXIT_CODE_OK;
}

static int list(int argc, char **argv)
{
    struct arguments arguments;
    const struct robot_type *only = NULL;
    if (!verb_parse(&list_verb, &arguments, argc, argv, NULL))
        return EXIT_CODE_USAGE;
    if (arguments.word_count == 0 || arguments.word_count > 2)
        return verb_misused(&list_verb,
                            "give robots, options, signals, commands, faults, scenes or ports");
    if (arguments.word_count == 2) {
        only = robot_type_find(arguments.words[1]);
        if (!only)
            return verb_misused(&list_verb,
                                "there is no such robot type; see `ptybot list robots`");
    }
    return list_what(arguments.words[0], only);
}

const struct verb list_verb = {
    .name = "list",
    .usage = "robots|options|signals|commands|faults|scenes|ports [ROBOT]",
    .summary = "show what there is to run, set, see and do",
    .details =
        "With a robot type, only what belongs to it. In commands and options, the name of "
        "the robot\n"
        "in the scene stands where the type stands here. Ports are the serial devices of this\n"
        "machine, for links of the kind uart. Faults are what the command `fault` can make of "
        "which\n"
        "part of a robot.",
    .run = list,
};
