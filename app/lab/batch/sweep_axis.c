#include "app/lab/batch/sweep_axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/text.h"
#include "sim/parse/scene_parse.h"

enum { LIST_MAX = 10000 }; /* chosen: steps of one range */

/* The text after its leading blanks. */
static const char *range_skip(const char *text)
{
    return text + strspn(text, " \t");
}

void range_trim(char *text)
{
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        text[--size] = '\0';
    memmove(text, range_skip(text), strlen(range_skip(text)) + 1);
}

static bool read_steps(const char *text, struct range *range, struct error *error)
{
    char low[SWEEP_WORD_MAX], high[SWEEP_WORD_MAX];
    const char *dots = strstr(text, ".."), *slash = strchr(text, '/');
    double count = 1;
    snprintf(low, sizeof low, "%.*s", (int)(dots - text), text);
    snprintf(high, sizeof high, "%.*s", slash ? (int)(slash - dots - 2) : SWEEP_WORD_MAX - 1,
             dots + 2);
    range->kind = slash ? RANGE_STEPS : RANGE_RANDOM;
    bool is_good = number_parse(low, &range->low) && number_parse(high, &range->high) &&
                   range->high >= range->low &&
                   (!slash || (number_parse(slash + 1, &count) && count >= 2 && count <= LIST_MAX &&
                               count == floor(count)));
    range->count = (size_t)count;
    return is_good || error_set(error,
                                "'%s' is not a range; allowed: A..B (a random value in each case), "
                                "A..B/N (N of them, evenly spaced, 2 to %d), or A,B,C",
                                TEXT_QUOTE(text), LIST_MAX);
}

/* Reads A..B, A..B/N or a list of values between SEPARATORs. False, with the reason in ERROR. */
static bool range_read(const char *text, char separator, struct range *range, struct error *error)
{
    if (strstr(text, ".."))
        return read_steps(text, range, error);
    range->kind = RANGE_LIST;
    range->separator = separator;
    snprintf(range->list, sizeof range->list, "%s", text);
    range->count = 1;
    for (const char *at = text; (at = strchr(at, separator)); at++)
        range->count++;
    return *range_skip(text) ||
           error_set(error, "'%s': a value is missing; allowed: A..B, A..B/N or A,B,C",
                     TEXT_QUOTE(text));
}

/* Item INDEX of a list. */
static void range_item(const struct range *range, size_t index, char value[SWEEP_WORD_MAX])
{
    const char *from = range->list;
    while (index-- > 0)
        from = strchr(from, range->separator) + 1;
    const char *end = strchr(from, range->separator);
    snprintf(value, SWEEP_WORD_MAX, "%.*s", end ? (int)(end - from) : SWEEP_WORD_MAX - 1, from);
    range_trim(value);
}

void range_value(const struct range *range, size_t index, double uniform,
                 char value[SWEEP_WORD_MAX])
{
    double number = range->low + (range->high - range->low) * uniform;
    if (range->kind == RANGE_LIST) {
        range_item(range, index, value);
        return;
    }
    if (range->kind == RANGE_WHOLE)
        number = range->low + (double)index;
    else if (range->kind == RANGE_STEPS)
        number =
            range->low + (range->high - range->low) * (double)index / (double)(range->count - 1);
    if (range->is_integer && range->kind == RANGE_RANDOM)
        number = number_smaller(floor(range->low + (range->high - range->low + 1) * uniform),
                                range->high);
    number_print(number, range->is_integer || range->kind == RANGE_WHOLE ? 17 : SWEEP_DIGITS, value,
                 SWEEP_WORD_MAX);
}

/* ---- Words ---- */

/* Reads the next word, which ends at a blank. Returns the text after it. */
static const char *next_word(const char *text, char word[SWEEP_WORD_MAX])
{
    text = range_skip(text);
    size_t size = strcspn(text, " \t");
    snprintf(word, SWEEP_WORD_MAX, "%.*s", (int)size, text);
    return range_skip(text + size);
}

/* Appends to a text. There is room, because texts of more than half of the size are rejected. */
static void add_text(char text[SWEEP_WORD_MAX], const char *more)
{
    size_t used = strlen(text), size = strnlen(more, SWEEP_WORD_MAX - used - 1);
    memcpy(text + used, more, size);
    text[used + size] = '\0';
}

/* ---- Reading: seeds and options ---- */

static bool read_seeds(struct sweep_axis *axis, const char *text, struct error *error)
{
    struct range *range = &axis->slots[0];
    text = range_skip(*text == '=' ? text + 1 : text);
    axis->is_seed = true;
    axis->slot_count = 1;
    snprintf(axis->name, sizeof axis->name, "seed");
    snprintf(range->name, sizeof range->name, "seed");
    if (!range_read(text, ',', range, error))
        return false;
    if (range->kind == RANGE_RANDOM) {
        range->kind = RANGE_WHOLE;
        range->count = (size_t)(range->high - range->low + 1);
    }
    for (size_t i = 0; i < 2 && range->kind == RANGE_LIST; i++) {
        char value[SWEEP_WORD_MAX];
        int64_t number;
        range_item(range, i * (range->count - 1), value);
        if (!number_parse_integer(value, &number) || number < 0)
            return error_set(error, "'%s' is not a seed; allowed: whole numbers, 0 or more", value);
    }
    return range->kind == RANGE_LIST ||
           (range->kind == RANGE_WHOLE && range->low == floor(range->low) &&
            range->high == floor(range->high) && range->low >= 0 &&
            range->high <= 9007199254740992.0 && range->high - range->low < SWEEP_CASES_MAX) ||
           error_set(
               error,
               "'%s' is not a list of seeds; allowed: A..B or A,B,C, whole numbers from 0 to 2^53",
               text);
}

/* Checks that the option allows all values of a list, or both ends of a range. */
static bool check_option(struct scene *scene, const struct sweep_axis *axis, struct error *error)
{
    const struct range *range = &axis->slots[0];
    struct scene_robot *robot = scene_find_robot(scene, axis->robot, error);
    if (!robot)
        return false;
    const struct scene_robot before = *robot;
    bool is_right = true;
    for (size_t i = 0; is_right && i < (range->kind == RANGE_LIST ? range->count : 2); i++) {
        char value[SWEEP_WORD_MAX], set[2 * SWEEP_WORD_MAX];
        if (range->kind == RANGE_LIST)
            range_item(range, i, value);
        else
            number_print(i == 0 ? range->low : range->high, 17, value, sizeof value);
        snprintf(set, sizeof set, "%s%s", axis->pieces[0], value);
        is_right = scene_set(scene, set, error);
    }
    *robot = before;
    return is_right;
}

static bool read_option(struct sweep_axis *axis, struct scene *scene, const char *name,
                        const char *text, struct error *error)
{
    const char *key = strchr(name, '.') + 1;
    struct range *range = &axis->slots[0];
    snprintf(axis->name, sizeof axis->name, "%s", name);
    snprintf(range->name, sizeof range->name, "%s", name);
    snprintf(axis->pieces[0], sizeof axis->pieces[0], "%.*s=", SWEEP_WORD_MAX - 2, name);
    axis->slot_count = 1;
    if (!range_read(text, ',', range, error) || !check_option(scene, axis, error))
        return false;
    const struct robot_type *type = scene_find_robot(scene, axis->robot, error)->type;
    const struct option_row *row = option_find(type->options, type->option_count, key);
    range->is_integer = row && row->type == OPTION_INTEGER;
    return true;
}

/* ---- Reading: poses ---- */

static bool read_heading(const char *text, struct area *area, struct error *error)
{
    struct range range = {0};
    if (number_parse(text, &area->heading_low_deg)) {
        area->heading_high_deg = area->heading_low_deg;
        return true;
    }
    if (!strstr(text, "..") || !range_read(text, ',', &range, error) || range.kind != RANGE_RANDOM)
        return error_set(error, "heading: '%s' is not a heading; allowed: degrees, or A..B", text);
    area->heading_low_deg = range.low;
    area->heading_high_deg = range.high;
    return true;
}

/* Reads box(X1 Y1 X2 Y2). */
static bool read_box(const char *text, struct area *area)
{
    double values[4];
    for (size_t i = 0; i < 4; i++) {
        char word[SWEEP_WORD_MAX];
        text += strspn(text, " ,");
        size_t size = strcspn(text, " ,)");
        snprintf(word, sizeof word, "%.*s", (int)size, text);
        if (!number_parse(word, &values[i]))
            return false;
        text += size;
    }
    area->kind = AREA_BOX;
    area->low = (struct vec2){values[0], values[1]};
    area->high = (struct vec2){values[2], values[3]};
    return values[0] < values[2] && values[1] < values[3] && *range_skip(text) == ')';
}

static bool read_light(const char *text, const struct scene *scene, struct area *area,
                       struct error *error)
{
    char name[SCENE_NAME_MAX + 1];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ") "), text);
    for (size_t i = 0; i < scene->dock_count; i++)
        if (strcmp(scene->docks[i].name, name) == 0) {
            area->kind = AREA_LIGHT;
            area->dock = i;
            return true;
        }
    return error_set(error, "light(%s): the scene has no dock of that name%s%s", name,
                     scene->dock_count > 0 ? "; it has " : "",
                     scene->dock_count > 0 ? scene->docks[0].name : "");
}

/* Reads an area, which may contain blanks in parentheses. END becomes the text after it. */
static bool read_area(const char *text, const struct scene *scene, struct area *area,
                      const char **end, struct error *error)
{
    size_t word = strcspn(text, " \t(");
    const char *inside = text[word] == '(' ? text + word + 1 : "";
    const char *close = strchr(inside, ')');
    area->low = scene->low;
    area->high = (struct vec2){scene->low.x + scene->size_x_m, scene->low.y + scene->size_y_m};
    *end = close ? close + 1 : text + word;
    if (strncmp(text, "room", word) == 0 && word == 4 && !close) {
        area->kind = AREA_ROOM;
        return true;
    }
    if (strncmp(text, "light(", 6) == 0 && close)
        return read_light(inside, scene, area, error);
    if (strncmp(text, "box(", 4) == 0 && close && read_box(inside, area))
        return true;
    return error_set(error, "'%s' is not an area; allowed: room, light(DOCK), box(X1 Y1 X2 Y2)",
                     TEXT_QUOTE(text));
}

/* Reads `in AREA [x N] [heading=A..B]`. */
static bool read_drawn(struct sweep_axis *axis, const struct scene *scene, const char *text,
                       struct error *error)
{
    char word[SWEEP_WORD_MAX];
    double count = 1;
    axis->area.heading_high_deg = 360;
    if (!read_area(text, scene, &axis->area, &text, error))
        return false;
    for (text = range_skip(text); *text;) {
        text = next_word(text, word);
        if (strcmp(word, "x") == 0) {
            text = next_word(text, word);
            if (!number_parse(word, &count) || count < 1 || count > SWEEP_CASES_MAX ||
                count != floor(count))
                return error_set(error, "x '%s': allowed: how many, 1 to %d", word,
                                 SWEEP_CASES_MAX);
        } else if (strncmp(word, "heading=", 8) == 0) {
            if (!read_heading(word + 8, &axis->area, error))
                return false;
        } else {
            return error_set(error, "found '%s'; allowed: x N, heading=DEGREES, heading=A..B",
                             TEXT_QUOTE(word));
        }
    }
    axis->count = (size_t)count;
    return true;
}

/* Reads `grid x=A..B/N y=A..B/N heading=A..B/N`. Missing values are those of the scene. */
static bool read_grid(struct sweep_axis *axis, const struct scene_robot *robot, const char *text,
                      struct error *error)
{
    static const char *const keys[] = {"x=", "y=", "heading="};
    const double here[] = {robot->pose.x_m, robot->pose.y_m,
                           robot->pose.heading_rad / ANGLE_RAD_DEG};
    char word[SWEEP_WORD_MAX];
    axis->slot_count = 3;
    for (size_t i = 0; i < 3; i++) {
        char number[32];
        snprintf(axis->pieces[i], sizeof axis->pieces[i], "%s", i > 0 ? "," : "");
        number_print(here[i], SWEEP_DIGITS, number, sizeof number);
        range_read(number, ',', &axis->slots[i], error);
    }
    snprintf(axis->pieces[0], sizeof axis->pieces[0], "%s.pose=", axis->robot);
    while (*text) {
        size_t key = 0;
        text = next_word(text, word);
        while (key < 3 && strncmp(word, keys[key], strlen(keys[key])) != 0)
            key++;
        if (key == 3)
            return error_set(error,
                             "found '%s'; allowed: x=A..B/N, y=, heading=", TEXT_QUOTE(word));
        axis->slots[key] = (struct range){0};
        if (!range_read(word + strlen(keys[key]), ',', &axis->slots[key], error))
            return false;
    }
    return true;
}

static bool read_pose(struct sweep_axis *axis, struct scene *scene, const char *text,
                      struct error *error)
{
    char word[SWEEP_WORD_MAX];
    struct scene_robot *robot = scene_find_robot(scene, axis->robot, error);
    if (!robot)
        return false;
    if (*robot->mount.on)
        return error_set(error, "%s is mounted on %s; vary the pose of that robot", robot->name,
                         robot->mount.on);
    axis->is_pose = true;
    snprintf(axis->name, sizeof axis->name, "%s.pose", axis->robot);
    const char *rest = next_word(text, word);
    if (strcmp(word, "in") == 0)
        return read_drawn(axis, scene, rest, error);
    if (strcmp(word, "grid") == 0)
        return read_grid(axis, robot, rest, error);
    if (strcmp(word, "list") != 0)
        return error_set(
            error,
            "found '%s'; allowed: in AREA x N, grid x=A..B/N y=A..B/N, list X,Y,HEADING; "
            "X,Y,HEADING",
            TEXT_QUOTE(word));
    axis->slot_count = 1;
    snprintf(axis->pieces[0], sizeof axis->pieces[0], "%s.pose=", axis->robot);
    return range_read(rest, ';', &axis->slots[0], error);
}

/* ---- Reading: commands ---- */

static bool is_varying(const char *value)
{
    return strstr(value, "..") || strchr(value, ',');
}

/* Whether a word is a key of a timeline item. The words after the keys are the command. */
static bool is_key(const char *word)
{
    return strncmp(word, "at=", 3) == 0 || strncmp(word, "signal=", 7) == 0;
}

/* The name of the axis consists of the words that do not vary. */
static void name_command(const char *text, char name[SWEEP_WORD_MAX])
{
    char word[SWEEP_WORD_MAX];
    *name = '\0';
    while (*text) {
        text = next_word(text, word);
        const char *equals = strchr(word, '=');
        if (equals && is_varying(equals + 1))
            continue;
        add_text(name, *name ? " " : "");
        add_text(name, word);
    }
    if (!*name)
        add_text(name, "driver");
}

/* Reads `[at=SECONDS] ROBOT.fault uart=drop rate=0..0.05`: the command is executed at that time,
 * or else at the start of each case. `at=SECONDS signal=SIGINT,SIGTERM` sends a signal to the
 * driver. */
static bool read_command(struct sweep_axis *axis, const char *text, struct error *error)
{
    char word[SWEEP_WORD_MAX], name[SWEEP_WORD_MAX];
    bool is_first = true, is_inside = false;
    name_command(text, name);
    memcpy(axis->name, name, sizeof axis->name);
    for (const char *at = text; *at; is_first = false) {
        char *piece = axis->pieces[axis->slot_count];
        at = next_word(at, word);
        char *equals = strchr(word, '=');
        bool varies = equals && is_varying(equals + 1), is_start = !is_inside && !is_key(word);
        if (varies)
            *equals = '\0';
        add_text(piece, is_first ? "" : " ");
        add_text(piece, is_start ? "do=" : "");
        add_text(piece, word);
        add_text(piece, varies ? "=" : "");
        is_inside |= is_start;
        if (!varies)
            continue;
        if (axis->slot_count == SWEEP_SLOTS_MAX)
            return error_set(error, "more than %d values vary", SWEEP_SLOTS_MAX);
        struct range *range = &axis->slots[axis->slot_count++];
        snprintf(range->name, sizeof range->name, "%.300s %.200s", name, word);
        if (!range_read(equals + 1, ',', range, error))
            return false;
    }
    return axis->slot_count > 0 ||
           error_set(error, "no value varies; allowed: a value like rate=0..0.05");
}

/* ---- Reading ---- */

static bool read_text(struct sweep_axis *axis, struct scene *scene, const char *text,
                      struct error *error)
{
    char word[SWEEP_WORD_MAX];
    *axis = (struct sweep_axis){.count = 1};
    text = range_skip(text);
    size_t size = strcspn(text, " \t=");
    snprintf(word, sizeof word, "%.*s", (int)size, text);
    const char *rest = range_skip(text + size), *dot = strchr(word, '.');
    if (strcmp(word, "seed") == 0)
        return read_seeds(axis, rest, error);
    if (strcmp(word, "at") == 0 && strlen(text) < SWEEP_WORD_MAX / 2)
        return read_command(axis, text, error);
    if (!dot || strlen(text) >= SWEEP_WORD_MAX / 2)
        return error_set(error, "allowed: seed A..B, ROBOT.OPTION = A..B, ROBOT.pose in AREA x N, "
                                "[at=A..B] ROBOT.fault PART=KIND rate=A..B, "
                                "at=A..B signal=SIGINT,SIGTERM");
    snprintf(axis->robot, sizeof axis->robot, "%.*s", (int)(dot - word), word);
    if (strcmp(dot, ".pose") == 0)
        return read_pose(axis, scene, rest, error);
    if (*rest == '=')
        return read_option(axis, scene, word, range_skip(rest + 1), error);
    return read_command(axis, text, error);
}

bool axis_read(struct sweep_axis *axis, struct scene *scene, const char *text, struct error *error)
{
    if (!read_text(axis, scene, text, error))
        return false;
    for (size_t i = 0; i < axis->slot_count; i++)
        axis->count *= axis->slots[i].count;
    // The key depends only on the name, so that more cases or other bounds do not change the random
    // numbers.
    axis->key = rng_key(rng_key(0, "sweep"), axis->name);
    return true;
}
