#include "tests/fuzz/words.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "protocols/registry.h"
#include "sim/commands/robot_commands.h"
#include "sim/parse/scene_keys.h"
#include "tests/fuzz/frame_maker.h"

static const struct robot_type *any_type(struct dice *dice)
{
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    return types[roll(dice, count)];
}

static void put(struct writer *to, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    writer_text(to, text);
}

/* One of WORDS. */
static void pick(struct dice *dice, struct writer *to, const char *const *words, size_t count)
{
    writer_text(to, words[roll(dice, count)]);
}

/* ---- Values ---- */

static const char *const odd[] = {"",
                                  "nan",
                                  "inf",
                                  "-0",
                                  "1e309",
                                  "1e-320",
                                  "0x10",
                                  "1 2",
                                  "'",
                                  "true",
                                  "off",
                                  "[]",
                                  "{}",
                                  "~",
                                  "1e9",
                                  "-1",
                                  "1.5",
                                  "0",
                                  "99999999999999999999",
                                  "#12345",
                                  "\"",
                                  "9007199254740993",
                                  "{a: 1}",
                                  "a.x_m"};

static void number(struct dice *dice, struct writer *to, const struct option_row *row)
{
    double low = row->min, high = row->max;
    if (low >= high)
        low = -1000, high = 1000;
    bool is_whole = row->type == OPTION_INTEGER;
    double part = (double)roll(dice, 1001) / 1000;
    const double values[] = {low, high, low + part * (high - low), low - 1, high + 1, part, 0};
    double value = values[roll(dice, COUNT(values))];
    put(to, is_whole ? "%.0f" : "%.9g", value);
}

static void color(struct dice *dice, struct writer *to)
{
    static const char *const colors[] = {"red",         "white",   "'#ff0000'",
                                         "'#12345678'", "'#1234'", "blue"};
    pick(dice, to, colors, COUNT(colors));
}

static void text(struct dice *dice, struct writer *to, const char *key)
{
    static const char *const names[] = {"a",     "b",    "kobuki", "lidar", "left",
                                        "right", "uart", "all",    "b0"};
    if (strcmp(key, "do") == 0)
        words_command(dice, to);
    else if (strcmp(key, "that") == 0 || strcmp(key, "when") == 0 || strcmp(key, "until") == 0)
        words_condition(dice, to);
    else if (strstr(key, "color"))
        color(dice, to);
    else if (roll(dice, 3) == 0)
        writer_text(to, any_type(dice)->name);
    else
        pick(dice, to, names, COUNT(names));
}

void words_value_of(struct dice *dice, const struct option_row *row, struct writer *to)
{
    static const char *const bools[] = {"true", "false", "on", "no"};
    size_t words = 0;
    if (roll(dice, 12) == 0) {
        pick(dice, to, odd, COUNT(odd));
        return;
    }
    switch (row->type) {
    case OPTION_NUMBER:
    case OPTION_ANGLE:
    case OPTION_INTEGER:
        number(dice, to, row);
        break;
    case OPTION_BOOL:
        pick(dice, to, bools, COUNT(bools));
        break;
    case OPTION_CHOICE:
        while (row->choices[words])
            words++;
        pick(dice, to, row->choices, words);
        break;
    case OPTION_TEXT:
        text(dice, to, row->key);
        break;
    case OPTION_COLOR:
        color(dice, to);
        break;
    }
}

/* ---- Commands ---- */

static const struct command_row *any_command(struct dice *dice, const struct robot_type *type)
{
    size_t count;
    const struct command_row *rows = type ? sim_robot_commands(&count) : sim_world_commands(&count);
    size_t own = type ? type->command_count : 0;
    uint64_t one = roll(dice, count + own);
    return one < count ? &rows[one] : &type->commands[one - count];
}

/* `kobuki.fault`, including short forms such as uart=drop. */
static void fault(struct dice *dice, struct writer *to, const struct robot_type *type)
{
    static const char *const parts[] = {"wheels",   "gyro",   "battery", "power",
                                        "encoders", "bumper", "usb"};
    static const char *const kinds[] = {"drop",  "flip",   "delay", "split",    "double", "garbage",
                                        "stall", "hangup", "stuck", "dead",     "drift",  "loss",
                                        "slip",  "low",    "off",   "brownout", "merge"};
    writer_char(to, ' ');
    if (roll(dice, 2))
        writer_text(to, type->channels[roll(dice, type->channel_count)].name);
    else
        pick(dice, to, parts, COUNT(parts));
    writer_char(to, '=');
    pick(dice, to, kinds, COUNT(kinds));
}

void words_command(struct dice *dice, struct writer *to)
{
    words_robot_command(dice, roll(dice, 4) ? any_type(dice) : NULL, to);
}

void words_robot_command(struct dice *dice, const struct robot_type *type, struct writer *to)
{
    const struct command_row *row = any_command(dice, type);
    writer_text(to, type ? type->name : "world");
    writer_char(to, '.');
    writer_text(to, row->name);
    if (type && (row->flags & COMMAND_OF_PART))
        fault(dice, to, type);
    for (size_t i = 0; i < row->arg_count; i++) {
        bool is_left_out = row->args[i].fallback || roll(dice, 16) == 0;
        if (is_left_out && roll(dice, 2))
            continue;
        writer_char(to, ' ');
        writer_text(to, row->args[i].key);
        writer_char(to, '=');
        words_value_of(dice, &row->args[i], to);
    }
}

void words_condition(struct dice *dice, struct writer *to)
{
    static const char *const relations[] = {
        " < ", " <= ", " > ", " >= ", " == ", " != ", " = ", " "};
    static const char *const common[] = {"x_m",        "y_m",    "heading_deg",
                                         "collisions", "lifted", "charge"};
    static const struct option_row any = {.type = OPTION_NUMBER};
    for (uint64_t terms = 1 + roll(dice, 3); terms > 0; terms--) {
        const struct robot_type *type = any_type(dice);
        writer_text(to, roll(dice, 8) ? "" : "not ");
        writer_text(to, type->name);
        writer_char(to, '.');
        if (type->signal_count > 0 && roll(dice, 2))
            writer_text(to, type->signals[roll(dice, type->signal_count)].name);
        else
            pick(dice, to, common, COUNT(common));
        pick(dice, to, relations, COUNT(relations));
        words_value_of(dice, &any, to);
        if (terms > 1)
            writer_text(to, roll(dice, 2) ? " and " : " or ");
    }
}

/* ---- Scenes ---- */

static void mapping(struct dice *dice, struct writer *to, const struct scene_spec *spec, int depth);

/* A key with its value; IS_NEXT: others precede it. */
static void key(struct writer *to, const char *name, bool *is_next)
{
    writer_text(to, *is_next ? ", " : "");
    writer_text(to, name);
    writer_text(to, ": ");
    *is_next = true;
}

static void part(struct dice *dice, struct writer *to, const struct scene_part *part, int depth)
{
    if (part->kind == PART_MAPPING) {
        mapping(dice, to, part->spec, depth);
        return;
    }
    writer_char(to, '[');
    for (uint64_t i = part->min + roll(dice, 3); part->spec && i > 0; i--) {
        mapping(dice, to, part->spec, depth);
        writer_text(to, i > 1 ? ", " : "");
    }
    writer_char(to, ']');
}

static bool is_wanted(struct dice *dice, bool is_required)
{
    return roll(dice, 20) > 0 && (is_required || roll(dice, 3) == 0);
}

/* The keys of a mapping, without its braces. */
static void keys(struct dice *dice, struct writer *to, const struct scene_spec *spec, int depth,
                 bool *is_next)
{
    for (size_t i = 0; i < spec->row_count; i++) {
        const struct option_row *row = &spec->rows[i];
        if (!is_wanted(dice, !row->fallback))
            continue;
        key(to, row->key, is_next);
        bool is_quoted = row->type == OPTION_TEXT && !strstr(row->key, "color");
        writer_text(to, is_quoted ? "\"" : "");
        words_value_of(dice, row, to);
        writer_text(to, is_quoted ? "\"" : "");
    }
    for (size_t i = 0; depth > 0 && i < spec->part_count; i++) {
        const struct scene_part *one = &spec->parts[i];
        bool is_needed = one->is_required || strcmp(one->key, "size") == 0;
        if (one->kind == PART_OWN || !one->spec || !is_wanted(dice, is_needed))
            continue;
        key(to, one->key, is_next);
        part(dice, to, one, depth - 1);
    }
}

static void mapping(struct dice *dice, struct writer *to, const struct scene_spec *spec, int depth)
{
    bool is_next = false;
    writer_char(to, '{');
    keys(dice, to, spec, depth, &is_next);
    writer_char(to, '}');
}

static void options(struct dice *dice, struct writer *to, const struct robot_type *type)
{
    bool is_next = false;
    writer_text(to, ", options: {");
    for (uint64_t i = type->option_count ? roll(dice, 3) : 0; i > 0; i--) {
        const struct option_row *row = &type->options[roll(dice, type->option_count)];
        key(to, row->key, &is_next);
        words_value_of(dice, row, to);
    }
    writer_char(to, '}');
}

static void links(struct dice *dice, struct writer *to, const struct robot_type *type)
{
    static const char *const carriers[] = {
        "pty: a",        "pty: /tmp/a", "tcp: ':0'", "tcp: '[::1]:70000'", "uart: /dev/ttyUSB0",
        "rfc2217: ':0'", "none: 1",     "pty: ''"};
    static const char *const more[] = {"", ", chunks: byte", ", chunks: ftdi",
                                       ", baud_check: strict", ", chunks: 7"};
    writer_text(to, ", links: [{");
    pick(dice, to, carriers, COUNT(carriers));
    pick(dice, to, more, COUNT(more));
    if (roll(dice, 2)) {
        writer_text(to, ", channel: ");
        writer_text(to, type->channels[roll(dice, type->channel_count)].name);
    }
    writer_text(to, "}]");
}

static void robot(struct dice *dice, struct writer *to)
{
    const struct robot_type *type = any_type(dice);
    bool is_next = true;
    writer_text(to, "- {name: ");
    writer_text(to, roll(dice, 8) ? type->name : "a");
    writer_text(to, ", type: ");
    writer_text(to, type->name);
    key(to, "pose", &is_next);
    mapping(dice, to, &scene_pose_spec, 1);
    if (roll(dice, 8) == 0) {
        key(to, "mount", &is_next);
        mapping(dice, to, &scene_mount_spec, 2);
    }
    if (roll(dice, 2))
        options(dice, to, type);
    if (roll(dice, 3) == 0)
        links(dice, to, type);
    writer_char(to, '}');
}

static void list(struct dice *dice, struct writer *to, const char *name,
                 const struct scene_spec *spec)
{
    if (roll(dice, 2))
        return;
    writer_text(to, name);
    for (uint64_t i = 1 + roll(dice, 2); i > 0; i--) {
        writer_text(to, "- ");
        mapping(dice, to, spec, 2);
        writer_char(to, '\n');
    }
}

void words_scene(struct dice *dice, struct writer *to)
{
    bool is_next = false;
    writer_text(to, "world: {size: {x: 6, y: 4}, ");
    for (size_t i = 0; i < scene_world_spec.part_count; i++) // `world` and other top-level keys
        if (scene_world_spec.parts[i].spec && scene_world_spec.parts[i].kind != PART_OWN &&
            strcmp(scene_world_spec.parts[i].key, "size") != 0 && roll(dice, 4) == 0) {
            key(to, scene_world_spec.parts[i].key, &is_next);
            part(dice, to, &scene_world_spec.parts[i], 3);
        }
    writer_text(to, "}\nrobots:\n");
    for (uint64_t i = 1 + roll(dice, 3); i > 0; i--)
        robot(dice, to), writer_char(to, '\n');
    list(dice, to, "timeline:\n", &scene_action_spec);
    list(dice, to, "expect:\n", &scene_expectation_spec);
    list(dice, to, "measure:\n", &scene_measure_spec);
}

void words_scene_line(struct dice *dice, struct writer *to)
{
    static const struct scene_spec *const specs[] = {&scene_action_spec, &scene_expectation_spec,
                                                     &scene_measure_spec};
    if (roll(dice, 2)) {
        robot(dice, to);
        return;
    }
    writer_text(to, "- ");
    mapping(dice, to, specs[roll(dice, COUNT(specs))], 2);
}

void words_value(struct dice *dice, struct writer *to)
{
    static const struct scene_spec *const specs[] = {&scene_pose_spec,        &scene_action_spec,
                                                     &scene_expectation_spec, &scene_measure_spec,
                                                     &scene_mount_spec,       &scene_robot_spec};
    const struct scene_spec *spec = specs[roll(dice, COUNT(specs))];
    const struct robot_type *type = any_type(dice);
    if (roll(dice, 3) == 0 && type->option_count > 0)
        words_value_of(dice, &type->options[roll(dice, type->option_count)], to);
    else if (spec->row_count > 0)
        words_value_of(dice, &spec->rows[roll(dice, spec->row_count)], to);
}

/* ---- Mutations of a text ---- */

/* The end of the line that contains AT, including its newline. */
static size_t line_end(const uint8_t *data, size_t size, size_t at)
{
    const uint8_t *newline = at < size ? memchr(data + at, '\n', size - at) : NULL;
    return newline ? (size_t)(newline + 1 - data) : size;
}

static size_t line_start(const uint8_t *data, size_t size, uint64_t number)
{
    size_t at = 0;
    for (; number > 0 && at < size; number--)
        at = line_end(data, size, at);
    return at < size ? at : 0;
}

static bool is_of_word(uint8_t byte)
{
    return byte > ' ' && !strchr(",:{}[]=\"'.", byte);
}

/* Replaces the bytes from FROM to END. */
static size_t replace(uint8_t *data, size_t size, size_t max, size_t from, size_t end,
                      const char *bytes, size_t count)
{
    memmove(data + from, data + end, size - end);
    return bytes_insert(data, size - (end - from), max, from, (const uint8_t *)bytes, count);
}

size_t words_mutate(words_maker *line, words_maker *word, uint8_t *data, size_t size, size_t max,
                    uint64_t seed)
{
    enum { LINE, DOUBLE, DROP, WORD, OTHER_WORD, KINDS };
    char made[BYTES_INSERT_MAX];
    struct writer to = writer_begin(made, sizeof made);
    struct dice dice = {.seed = seed};
    uint64_t kind = roll(&dice, KINDS);
    size_t at = line_start(data, size, roll(&dice, 32)), end = line_end(data, size, at);
    switch (kind) {
    case DOUBLE:
        return bytes_insert(data, size, max, line_start(data, size, roll(&dice, 32)), data + at,
                            end - at);
    case DROP:
        return replace(data, size, max, at, end, "", 0);
    case LINE:
        line(&dice, &to);
        writer_char(&to, '\n');
        end = roll(&dice, 2) ? end : at;
        return replace(data, size, max, at, end, made, writer_end(&to));
    default:
        break;
    }
    at = size > 0 ? (size_t)roll(&dice, size) : 0;
    while (at < size && !is_of_word(data[at]))
        at++;
    while (at > 0 && is_of_word(data[at - 1]))
        at--;
    for (end = at; end < size && is_of_word(data[end]);)
        end++;
    if (kind == WORD)
        word(&dice, &to);
    else if (size > 0) { // another word of the same text
        size_t from = (size_t)roll(&dice, size), till = from;
        while (till < size && till - from < 32 && is_of_word(data[till]))
            till++;
        writer_chars(&to, (const char *)data + from, till - from);
    }
    return replace(data, size, max, at, end, made, writer_end(&to));
}
