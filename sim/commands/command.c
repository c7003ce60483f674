#include "sim/commands/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/commands/fault_commands.h"
#include "sim/commands/robot_commands.h"
#include "sim/state/state.h"

/* The parts of a command, split in place: each word in TEXT ends with NUL. */
struct command_text {
    char text[COMMAND_TEXT_MAX];
    char *target;
    char *command;
    char *rest; /* the arguments, or an empty string */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char *skip_blank(char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

static bool take_apart(const char *text, struct command_text *out, struct error *error)
{
    if (strlen(text) >= sizeof out->text)
        return error_set(error, "command of %zu characters; allowed: at most %d", strlen(text),
                         COMMAND_TEXT_MAX - 1);
    memcpy(out->text, text, strlen(text) + 1);
    out->target = skip_blank(out->text);
    char *end = out->target;
    while (*end && !is_blank(*end) && *end != '.')
        end++;
    if (*end != '.' || end == out->target)
        return error_set(
            error,
            "'%s' is not a command; write TARGET.COMMAND key=value ..., such as world.pause "
            "or kobuki.press bumper=left",
            text);
    *end++ = '\0';
    out->command = end;
    while (*end && !is_blank(*end))
        end++;
    out->rest = *end ? skip_blank(end + 1) : end;
    *end = '\0';
    return true;
}

/* Removes the next `key=value` or `key="a value"` from the front of REST. */
static bool next_argument(char **rest, char **key, char **value, struct error *error)
{
    *key = *value = *rest;
    char *equals = *rest;
    while (*equals && *equals != '=' && !is_blank(*equals))
        equals++;
    if (*equals != '=')
        return error_set(error, "'%.*s' is not key=value", (int)(equals - *key), *key);
    *equals = '\0';
    char *end = *value = equals + 1;
    if (*end == '"' || *end == '\'') {
        char quote = *end;
        *value = ++end;
        while (*end && *end != quote)
            end++;
        if (!*end)
            return error_set(error, "%s: the quote is not closed", *key);
        *end++ = '\0';
        if (*end && !is_blank(*end))
            return error_set(error, "%s: a space must follow the closing quote", *key);
    } else {
        while (*end && !is_blank(*end))
            end++;
        if (*end)
            *end++ = '\0';
    }
    *rest = skip_blank(end);
    return true;
}

/* `fault` has an argument named PART: its key may be any part of the robot, and its value is the
 * whole `uart=drop`. NULL if the robot has no such part. */
static const struct option_row *find_part(const struct command_row *row,
                                          const struct sim_robot *robot, const char *key)
{
    struct fault_part part;
    bool takes_part = robot && row->flags & COMMAND_OF_PART;
    return takes_part && fault_find_part(robot, key, &part) ? &row->args[0] : NULL;
}

static bool unknown_argument(const struct command_row *row, const struct sim_robot *robot,
                             const char *key, struct error *error)
{
    if (robot && row->flags & COMMAND_OF_PART)
        return fault_unknown_part(robot, key, error);
    const char *near = option_nearest(row->args, row->arg_count, key);
    return error_set(error, "unknown argument '%s'%s", key,
                     TEXT_MEANT(near, near ? NULL : "see `ptybot list commands`"));
}

/* ROBOT: the robot whose parts may be named, or NULL. */
static bool fill(const struct command_row *row, const struct sim_robot *robot, char *rest,
                 void *args, struct error *error)
{
    char whole[COMMAND_TEXT_MAX];
    uint64_t given = 0;
    option_defaults(row->args, row->arg_count, args);
    while (*rest) {
        char *key, *value;
        if (!next_argument(&rest, &key, &value, error))
            return false;
        const struct option_row *arg = option_find(row->args, row->arg_count, key);
        if (!arg && (arg = find_part(row, robot, key))) {
            snprintf(whole, sizeof whole, "%s=%s", key, value);
            value = whole;
        }
        if (!arg)
            return unknown_argument(row, robot, key, error);
        if (given & (UINT64_C(1) << (arg - row->args)))
            return error_set(error, "%s: %s", key,
                             value == whole ? "one part at a time" : "given twice");
        given |= UINT64_C(1) << (arg - row->args);
        if (!option_set(arg, value, args, error))
            return false;
    }
    for (size_t i = 0; i < row->arg_count; i++) {
        if (row->args[i].fallback || given & (UINT64_C(1) << i))
            continue;
        char allowed[160];
        option_allowed(&row->args[i], allowed, sizeof allowed);
        return error_set(error, "%s: missing; give %s", row->args[i].key, allowed);
    }
    return true;
}

static const struct command_row *find(const struct command_row *rows, size_t count,
                                      const char *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, wanted) == 0)
            return &rows[i];
    return NULL;
}

/* Reports an unknown command, with the commands of the target, from its one or two tables. */
static bool unknown(const struct command_text *parts, const struct command_row *first,
                    size_t first_count, const struct command_row *second, size_t second_count,
                    struct error *error)
{
    const char *words[TEXT_WORDS_MAX] = {NULL};
    for (size_t i = 0; i < first_count + second_count && i < TEXT_WORDS_MAX - 1; i++)
        words[i] = i < first_count ? first[i].name : second[i - first_count].name;
    return error_set(error, "%s has no command '%s'; %s", parts->target, TEXT_QUOTE(parts->command),
                     TEXT_ADVICE(words, parts->command));
}

/* A command that was found: its target and its arguments. */
struct command_found {
    const struct command_row *row;
    struct sim_robot *robot; /* NULL: a command of the world */
    void *state;             /* the object that the command works on */
    bool is_of_type;         /* from the table of the robot's type, not of every robot */
    _Alignas(16) uint8_t args[ROBOT_ARGS_MAX];
};

static bool find_on_robot(struct sim_robot *robot, const struct command_text *parts,
                          struct command_found *found, struct error *error)
{
    size_t count;
    const struct robot_type *type = robot->type;
    const struct command_row *common = sim_robot_commands(&count);
    found->robot = robot;
    found->row = find(common, count, parts->command);
    found->state = robot;
    if (found->row)
        return true;
    found->row = find(type->commands, type->command_count, parts->command);
    found->state = robot->state;
    found->is_of_type = true;
    return found->row || unknown(parts, common, count, type->commands, type->command_count, error);
}

static bool unknown_target(const struct sim *sim, const char *target, struct error *error)
{
    const char **names = calloc(sim->robot_count + 2, sizeof *names);
    for (size_t i = 0; names && i < sim->robot_count; i++)
        names[i] = sim->robots[i].name;
    if (names)
        names[sim->robot_count] = "world";
    const char *near = names ? text_nearest(names, target) : NULL;
    error_set(error, "there is no robot '%s'%s", target,
              TEXT_MEANT(near, "`ptybot ctl list robots` lists the robots of a run"));
    free(names);
    return false;
}

static bool find_command(struct sim *sim, const struct command_text *parts,
                         struct command_found *found, struct error *error)
{
    *found = (struct command_found){.state = sim};
    if (strcmp(parts->target, "world") == 0) {
        size_t count;
        const struct run_rows *run = &sim->run;
        const struct command_row *rows = sim_world_commands(&count);
        found->row = find(rows, count, parts->command);
        if (found->row)
            return true;
        found->state = run->world;
        found->row = find(run->commands, run->command_count, parts->command);
        return found->row || unknown(parts, run->commands, run->command_count, rows, count, error);
    }
    for (size_t i = 0; i < sim->robot_count; i++)
        if (strcmp(sim->robots[i].name, parts->target) == 0)
            return find_on_robot(&sim->robots[i], parts, found, error);
    return unknown_target(sim, parts->target, error);
}

/* Whether the arguments match the row, and their values are possible. */
static bool check(const struct sim *sim, struct command_found *found, char *rest,
                  struct error *error)
{
    const struct command_row *row = found->row;
    if (!fill(row, found->robot, rest, found->args, error))
        return false;
    if (!row->check)
        return true;
    if (!found->is_of_type)
        return row->check(&(struct command_setup){sim->scene, found->robot}, found->args, error);
    const struct robot_setup setup = {found->robot->options, found->robot->body};
    return row->check(&setup, found->args, error);
}

bool command_do(struct sim *sim, const char *text, enum command_origin origin, struct error *error)
{
    struct command_text parts;
    struct command_found found;
    if (!take_apart(text, &parts, error) || !find_command(sim, &parts, &found, error))
        return false;
    bool is_for_time = found.row->flags & COMMAND_FOR_TIME;
    // A replay has its own time, and takes no inputs from elsewhere.
    if (sim->is_repetition && origin == COMMAND_SCENE && is_for_time)
        return true;
    if (sim->is_repetition && origin == COMMAND_OUTSIDE && !is_for_time)
        return error_set(
            error, "a replay accepts only world.pause, world.step, world.speed and world.seek");
    if (!check(sim, &found, parts.rest, error) ||
        !found.row->run(found.state, found.args, sim->now_us, error))
        return error_prefix(error, "%s.%s: ", parts.target, parts.command);
    if (origin == COMMAND_OUTSIDE && !is_for_time)
        input_notify(sim, &(struct sim_input){.kind = SIM_INPUT_COMMAND,
                                              .bytes = (const uint8_t *)text,
                                              .size = strlen(text)});
    return true;
}

bool sim_do(struct sim *sim, const char *text, struct error *error)
{
    return command_do(sim, text, COMMAND_OUTSIDE, error);
}

bool sim_check_do(struct sim *sim, const char *text, struct error *error)
{
    struct command_text parts;
    struct command_found found;
    if (!take_apart(text, &parts, error) || !find_command(sim, &parts, &found, error))
        return false;
    return check(sim, &found, parts.rest, error) ||
           error_prefix(error, "%s.%s: ", parts.target, parts.command);
}
