/* The lists of a run for the control socket. */
#include "app/cli/listing.h"

#include <stdio.h>

json_t *listing_robots(struct sim *sim, struct links *links)
{
    (void)links;
    json_t *list = json_array();
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        const struct robot_type *type = sim_robot_type(sim, i);
        json_t *channels = json_array();
        for (size_t c = 0; c < type->channel_count; c++)
            json_array_append_new(channels, json_string(type->channels[c].name));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "name",
                                              sim_robot_name(sim, i), "type", type->name, "title",
                                              type->title, "channels", channels));
    }
    return list;
}

/* In the order of enum sim_signal_type. */
static const char *const type_words[] = {"bool", "integer", "number"};

/* A list of words, or NULL where there is none. */
static json_t *words_json(const char *const *words)
{
    json_t *list = words ? json_array() : NULL;
    for (size_t i = 0; list && words[i]; i++)
        json_array_append_new(list, json_string(words[i]));
    return list;
}

json_t *listing_signals(struct sim *sim, struct links *links)
{
    (void)links;
    json_t *list = json_array();
    for (size_t i = 0; i < sim_signal_count(sim); i++) {
        const struct sim_signal *info = sim_signal_info(sim, i);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o*, s:b, s:s}", "name", info->name,
                                              "type", type_words[info->type], "unit", info->unit,
                                              "names", words_json(info->names), "live",
                                              info->is_live, "note", info->note ? info->note : ""));
    }
    return list;
}

/* In the order of enum option_type. */
static const char *const option_words[] = {"number", "integer", "bool", "choice", "text"};

/* A row that takes a value from people: an option, or an argument of a command. */
static json_t *row_json(const char *key, const char *name, const struct option_row *row)
{
    char allowed[256];
    option_allowed(row, allowed, sizeof allowed);
    json_t *choices = row->type == OPTION_CHOICE ? words_json(row->choices) : NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:o*, s:s?, s:s}", key, name, "type",
                     option_words[row->type], "unit", row->unit ? row->unit : "", "allowed",
                     allowed, "choices", choices, "default", row->fallback, "note",
                     row->note ? row->note : "");
}

static void add_commands(json_t *list, const char *target, const struct command_row *rows,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[160];
        json_t *arguments = json_array();
        for (size_t a = 0; a < rows[i].arg_count; a++)
            json_array_append_new(arguments,
                                  row_json("key", rows[i].args[a].key, &rows[i].args[a]));
        snprintf(name, sizeof name, "%s.%s", target, rows[i].name);
        json_array_append_new(list, json_pack("{s:s, s:o, s:s}", "name", name, "arguments",
                                              arguments, "note", rows[i].note));
    }
}

json_t *listing_commands(struct sim *sim, struct links *links)
{
    (void)links;
    size_t count;
    json_t *list = json_array();
    const struct command_row *rows = sim_world_commands(&count);
    add_commands(list, "world", rows, count);
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        const struct robot_type *type = sim_robot_type(sim, i);
        rows = sim_robot_commands(&count);
        add_commands(list, sim_robot_name(sim, i), rows, count);
        add_commands(list, sim_robot_name(sim, i), type->commands, type->command_count);
    }
    return list;
}

json_t *listing_options(struct sim *sim, struct links *links)
{
    (void)links;
    json_t *list = json_array();
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        const struct robot_type *type = sim_robot_type(sim, i);
        for (size_t o = 0; o < type->option_count; o++) {
            char name[160];
            snprintf(name, sizeof name, "%s.%s", sim_robot_name(sim, i), type->options[o].key);
            json_array_append_new(list, row_json("name", name, &type->options[o]));
        }
    }
    return list;
}

json_t *listing_links(struct sim *sim, struct links *links)
{
    (void)sim;
    json_t *list = json_array();
    for (size_t i = 0; i < links_count(links); i++) {
        struct links_view view;
        links_view(links, i, &view);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I}", "name",
                            view.name, "kind", view.kind, "place", view.place, "plugged",
                            view.is_plugged, "host", view.is_host, "baud", (json_int_t)view.baud,
                            "host_baud", (json_int_t)view.host_baud, "received",
                            (json_int_t)view.received, "written", (json_int_t)view.written,
                            "dropped", (json_int_t)view.dropped, "hosts", (json_int_t)view.hosts));
    }
    return list;
}
