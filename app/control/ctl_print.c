/* Replies of the control socket as lines and tables. */
#include "app/control/ctl_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/exit_code.h"
#include "app/cli/table.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double number_of(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void print_value(const char *name, double value, const char *unit)
{
    char text[64];
    printf("%s %s%s%s\n", name, table_number(value, text, sizeof text), *unit ? " " : "", unit);
}

int ctl_print_signals(const json_t *result, const char *what)
{
    size_t i;
    json_t *one;
    (void)what;
    json_array_foreach(json_object_get(result, "signals"), i, one) print_value(
        text_of(one, "name"), number_of(json_object_get(one, "value")), text_of(one, "unit"));
    return EXIT_CODE_OK;
}

bool ctl_print_watched(const json_t *params)
{
    const char *name;
    json_t *value;
    char at[64], text[64];
    table_number(number_of(json_object_get(params, "time_s")), at, sizeof at);
    json_object_foreach(json_object_get(params, "values"), name, value)
        printf("%s %s %s\n", at, name, table_number(number_of(value), text, sizeof text));
    return fflush(stdout) == 0;
}

int ctl_print_waited(const json_t *result, const char *what)
{
    char at[64];
    (void)what;
    bool holds = json_is_true(json_object_get(result, "holds"));
    table_number(number_of(json_object_get(result, "time_s")), at, sizeof at);
    printf("%s at %s s: %s\n", holds ? "holds" : "does not hold", at, text_of(result, "found"));
    return holds ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

static void print_bytes(const json_t *totals, const char *direction)
{
    const char *name;
    json_t *total;
    json_object_foreach((json_t *)totals, name, total)
    {
        char line[160];
        snprintf(line, sizeof line, "%s.%s", name, direction);
        print_value(line, number_of(total), "B");
    }
}

int ctl_print_totals(const json_t *result, const char *what)
{
    (void)what;
    print_value("world.time_s", number_of(json_object_get(result, "time_s")), "s");
    print_bytes(json_object_get(result, "written"), "written");
    print_bytes(json_object_get(result, "received"), "received");
    return EXIT_CODE_OK;
}

int ctl_print_nothing(const json_t *result, const char *what)
{
    (void)result;
    (void)what;
    return EXIT_CODE_OK;
}

/* What each list shows: keys of its objects, with heads for people. */
static const struct list_columns {
    const char *what;
    const char *keys[6];
    const char *heads[6];
} lists[] = {
    {"robots", {"name", "type", "title"}, {"robot", "type", "what it is"}},
    {"signals", {"name", "type", "unit", "note"}, {"signal", "type", "unit", "meaning"}},
    {"commands", {"name", "note"}, {"command", "meaning"}},
    {"options",
     {"name", "unit", "allowed", "default", "note"},
     {"option", "unit", "allowed", "default", "meaning"}},
    {"links",
     {"name", "kind", "place", "host", "baud"},
     {"link", "kind", "connect to", "host", ">baud"}},
};

static const char *cell(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value) ? "yes" : "no";
    if (json_is_number(value))
        return table_number(json_number_value(value), text, size);
    return "";
}

static void add_object(struct table *table, const struct list_columns *columns, const json_t *one)
{
    const char *cells[6] = {0};
    char texts[6][64];
    for (size_t c = 0; c < 6 && columns->keys[c]; c++)
        cells[c] = cell(json_object_get(one, columns->keys[c]), texts[c], sizeof texts[c]);
    table_row(table, cells);

    // A command's arguments follow it.
    size_t i;
    json_t *argument;
    json_array_foreach(json_object_get(one, "arguments"), i, argument)
    {
        char key[80], note[512];
        const char *fallback = json_string_value(json_object_get(argument, "default"));
        snprintf(key, sizeof key, "  %s=", text_of(argument, "key"));
        snprintf(note, sizeof note, "%s%s(%s%s%s)", text_of(argument, "note"),
                 *text_of(argument, "note") ? " " : "", text_of(argument, "allowed"),
                 fallback ? "; default " : "; required", fallback ? fallback : "");
        table_row(table, (const char *const[]){key, note});
    }
}

int ctl_print_list(const json_t *result, const char *what)
{
    const struct list_columns *columns = &lists[0];
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (strcmp(lists[i].what, what) == 0)
            columns = &lists[i];
    struct table table;
    table_init(&table, columns->heads);
    size_t i;
    json_t *one;
    json_array_foreach(result, i, one) add_object(&table, columns, one);
    table_print(&table, 0, stdout);
    return EXIT_CODE_OK;
}
