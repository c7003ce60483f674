/* What varies from case to case. */
#include "app/test/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/text.h"
#include "sim/room/beam.h"

enum {
    DIGITS = 9,        /* of values, as people write them */
    TRIES_MAX = 20000, /* chosen: of places before none is free */
    LIST_MAX = 10000,  /* chosen: steps of one range */
    WORD_MAX = SCENE_LINE_MAX,
};

/* ---- The model ---- */

enum range_kind {
    RANGE_RANDOM, /* LOW..HIGH: a value for each case */
    RANGE_STEPS,  /* LOW..HIGH/COUNT */
    RANGE_WHOLE,  /* LOW, LOW + 1 ... HIGH */
    RANGE_LIST,   /* A, B, C */
};

/* A value that varies. */
struct range {
    enum range_kind kind;
    double low, high;
    size_t count;
    bool is_integer;     /* of an option that is */
    char list[WORD_MAX]; /* RANGE_LIST */
    char separator;      /* of it */
    char name[WORD_MAX]; /* in `vary`; "": the axis has a pose */
};

enum area_kind { AREA_NONE, AREA_ROOM, AREA_BOX, AREA_LIGHT };

/* Where a pose is drawn. */
struct area {
    enum area_kind kind;
    struct vec2 low, high;
    size_t dock;
    double heading_low_deg, heading_high_deg;
};

struct sweep_axis {
    char name[WORD_MAX]; /* two of one name exclude each other */
    char robot[SCENE_NAME_MAX + 1];
    bool is_seed, is_pose;
    char pieces[SWEEP_SLOTS_MAX + 1][WORD_MAX]; /* what stands around the values */
    struct range slots[SWEEP_SLOTS_MAX];
    size_t slot_count;
    struct area area; /* of a pose that is drawn */
    size_t count;     /* of cases that it makes of one */
    uint64_t key;     /* of its random numbers */
};

/* ---- Words ---- */

static const char *skip(const char *text)
{
    return text + strspn(text, " \t");
}

/* Takes the next word, up to a blank; returns what follows it. */
static const char *next_word(const char *text, char word[WORD_MAX])
{
    text = skip(text);
    size_t size = strcspn(text, " \t");
    snprintf(word, WORD_MAX, "%.*s", (int)size, text);
    return skip(text + size);
}

/* Adds to a text; there is room, since texts of more than half of it are refused. */
static void add_text(char text[WORD_MAX], const char *more)
{
    size_t used = strlen(text), size = strnlen(more, WORD_MAX - used - 1);
    memcpy(text + used, more, size);
    text[used + size] = '\0';
}

static void trim(char *text)
{
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        text[--size] = '\0';
    memmove(text, skip(text), strlen(skip(text)) + 1);
}

/* ---- Ranges ---- */

static bool read_steps(const char *text, struct range *range, struct error *error)
{
    char low[WORD_MAX], high[WORD_MAX], quote[TEXT_QUOTE_SIZE];
    const char *dots = strstr(text, ".."), *slash = strchr(text, '/');
    double count = 1;
    snprintf(low, sizeof low, "%.*s", (int)(dots - text), text);
    snprintf(high, sizeof high, "%.*s", slash ? (int)(slash - dots - 2) : WORD_MAX - 1, dots + 2);
    range->kind = slash ? RANGE_STEPS : RANGE_RANDOM;
    bool is_good = number_parse(low, &range->low) && number_parse(high, &range->high) &&
                   range->high >= range->low &&
                   (!slash || (number_parse(slash + 1, &count) && count >= 2 && count <= LIST_MAX &&
                               count == floor(count)));
    range->count = (size_t)count;
    return is_good ||
           error_set(error,
                     "'%s' is no range; allowed: A..B (a random value in each case), A..B/N (N of "
                     "them, evenly spaced, 2 to %d), or A,B,C",
                     text_quote(text, quote, sizeof quote), LIST_MAX);
}

static bool read_range(const char *text, char separator, struct range *range, struct error *error)
{
    char quote[TEXT_QUOTE_SIZE];
    if (strstr(text, ".."))
        return read_steps(text, range, error);
    range->kind = RANGE_LIST;
    range->separator = separator;
    snprintf(range->list, sizeof range->list, "%s", text);
    range->count = 1;
    for (const char *at = text; (at = strchr(at, separator)); at++)
        range->count++;
    return *skip(text) ||
           error_set(error, "'%s': a value is missing; allowed: A..B, A..B/N or A,B,C",
                     text_quote(text, quote, sizeof quote));
}

/* Number INDEX of a list. */
static void list_item(const struct range *range, size_t index, char value[WORD_MAX])
{
    const char *from = range->list;
    while (index-- > 0)
        from = strchr(from, range->separator) + 1;
    const char *end = strchr(from, range->separator);
    snprintf(value, WORD_MAX, "%.*s", end ? (int)(end - from) : WORD_MAX - 1, from);
    trim(value);
}

/* UNIFORM: the random number of this case. */
static void range_value(const struct range *range, size_t index, double uniform,
                        char value[WORD_MAX])
{
    double number = range->low + (range->high - range->low) * uniform;
    if (range->kind == RANGE_LIST) {
        list_item(range, index, value);
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
    number_print(number, range->is_integer || range->kind == RANGE_WHOLE ? 17 : DIGITS, value,
                 WORD_MAX);
}

/* ---- Reading: seeds and options ---- */

static bool read_seeds(struct sweep_axis *axis, const char *text, struct error *error)
{
    struct range *range = &axis->slots[0];
    text = skip(*text == '=' ? text + 1 : text);
    axis->is_seed = true;
    axis->slot_count = 1;
    snprintf(axis->name, sizeof axis->name, "seed");
    snprintf(range->name, sizeof range->name, "seed");
    if (!read_range(text, ',', range, error))
        return false;
    if (range->kind == RANGE_RANDOM) {
        range->kind = RANGE_WHOLE;
        range->count = (size_t)(range->high - range->low + 1);
    }
    for (size_t i = 0; i < 2 && range->kind == RANGE_LIST; i++) {
        char value[WORD_MAX];
        int64_t number;
        list_item(range, i * (range->count - 1), value);
        if (!number_parse_integer(value, &number) || number < 0)
            return error_set(error, "'%s' is no seed; allowed: whole numbers from 0 on", value);
    }
    return range->kind == RANGE_LIST ||
           (range->kind == RANGE_WHOLE && range->low == floor(range->low) &&
            range->high == floor(range->high) && range->low >= 0 &&
            range->high <= 9007199254740992.0 && range->high - range->low < SWEEP_CASES_MAX) ||
           error_set(error,
                     "'%s' are no seeds; allowed: A..B or A,B,C, whole numbers from 0 to 2^53",
                     text);
}

/* Both ends must be what the option allows. */
static bool check_option(struct scene *scene, const struct sweep_axis *axis, struct error *error)
{
    const struct range *range = &axis->slots[0];
    struct scene_robot *robot = scene_find_robot(scene, axis->robot, error);
    if (!robot)
        return false;
    const struct scene_robot before = *robot;
    bool is_right = true;
    for (size_t i = 0; is_right && i < (range->kind == RANGE_LIST ? range->count : 2); i++) {
        char value[WORD_MAX], set[2 * WORD_MAX];
        if (range->kind == RANGE_LIST)
            list_item(range, i, value);
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
    snprintf(axis->pieces[0], sizeof axis->pieces[0], "%.*s=", WORD_MAX - 2, name);
    axis->slot_count = 1;
    if (!read_range(text, ',', range, error) || !check_option(scene, axis, error))
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
    if (!strstr(text, "..") || !read_range(text, ',', &range, error) || range.kind != RANGE_RANDOM)
        return error_set(error, "heading: '%s' is none; allowed: degrees, or A..B", text);
    area->heading_low_deg = range.low;
    area->heading_high_deg = range.high;
    return true;
}

/* box(X1 Y1 X2 Y2) */
static bool read_box(const char *text, struct area *area)
{
    double values[4];
    for (size_t i = 0; i < 4; i++) {
        char word[WORD_MAX];
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
    return values[0] < values[2] && values[1] < values[3] && *skip(text) == ')';
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

/* The area, whose words may stand apart in parentheses; END is behind it. */
static bool read_area(const char *text, const struct scene *scene, struct area *area,
                      const char **end, struct error *error)
{
    char quote[TEXT_QUOTE_SIZE];
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
    return error_set(error, "'%s' is no area; allowed: room, light(DOCK), box(X1 Y1 X2 Y2)",
                     text_quote(text, quote, sizeof quote));
}

/* `in AREA [x N] [heading=A..B]` */
static bool read_drawn(struct sweep_axis *axis, const struct scene *scene, const char *text,
                       struct error *error)
{
    char word[WORD_MAX], quote[TEXT_QUOTE_SIZE];
    double count = 1;
    axis->area.heading_high_deg = 360;
    if (!read_area(text, scene, &axis->area, &text, error))
        return false;
    for (text = skip(text); *text;) {
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
                             text_quote(word, quote, sizeof quote));
        }
    }
    axis->count = (size_t)count;
    return true;
}

/* `grid x=A..B/N y=A..B/N heading=A..B/N`; what is not given stays as the scene has it. */
static bool read_grid(struct sweep_axis *axis, const struct scene_robot *robot, const char *text,
                      struct error *error)
{
    static const char *const keys[] = {"x=", "y=", "heading="};
    const double here[] = {robot->pose.x_m, robot->pose.y_m,
                           robot->pose.heading_rad / ANGLE_RAD_DEG};
    char word[WORD_MAX], quote[TEXT_QUOTE_SIZE];
    axis->slot_count = 3;
    for (size_t i = 0; i < 3; i++) {
        char number[32];
        snprintf(axis->pieces[i], sizeof axis->pieces[i], "%s", i > 0 ? "," : "");
        number_print(here[i], DIGITS, number, sizeof number);
        read_range(number, ',', &axis->slots[i], error);
    }
    snprintf(axis->pieces[0], sizeof axis->pieces[0], "%s.pose=", axis->robot);
    while (*text) {
        size_t key = 0;
        text = next_word(text, word);
        while (key < 3 && strncmp(word, keys[key], strlen(keys[key])) != 0)
            key++;
        if (key == 3)
            return error_set(error, "found '%s'; allowed: x=A..B/N, y=, heading=",
                             text_quote(word, quote, sizeof quote));
        axis->slots[key] = (struct range){0};
        if (!read_range(word + strlen(keys[key]), ',', &axis->slots[key], error))
            return false;
    }
    return true;
}

static bool read_pose(struct sweep_axis *axis, struct scene *scene, const char *text,
                      struct error *error)
{
    char word[WORD_MAX], quote[TEXT_QUOTE_SIZE];
    struct scene_robot *robot = scene_find_robot(scene, axis->robot, error);
    if (!robot)
        return false;
    if (*robot->mount.on)
        return error_set(error, "%s rides on %s; allowed: the pose of that", robot->name,
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
            text_quote(word, quote, sizeof quote));
    axis->slot_count = 1;
    snprintf(axis->pieces[0], sizeof axis->pieces[0], "%s.pose=", axis->robot);
    return read_range(rest, ';', &axis->slots[0], error);
}

/* ---- Reading: commands ---- */

static bool is_varying(const char *value)
{
    return strstr(value, "..") || strchr(value, ',');
}

/* `ROBOT.fault uart=drop rate=0..0.05`: the command is given at the start of each case. */
static bool read_command(struct sweep_axis *axis, const char *text, struct error *error)
{
    char word[WORD_MAX], fixed[WORD_MAX] = "";
    const char *at = text;
    while (*at) { // what does not vary names it
        at = next_word(at, word);
        const char *equals = strchr(word, '=');
        if (equals && is_varying(equals + 1))
            continue;
        add_text(fixed, *fixed ? " " : "");
        add_text(fixed, word);
    }
    snprintf(axis->name, sizeof axis->name, "%s", fixed);
    snprintf(axis->pieces[0], sizeof axis->pieces[0], "do=");
    for (at = text; *at;) {
        char *piece = axis->pieces[axis->slot_count];
        at = next_word(at, word);
        char *equals = strchr(word, '=');
        bool varies = equals && is_varying(equals + 1);
        bool is_first = axis->slot_count == 0 && strcmp(piece, "do=") == 0;
        if (varies)
            *equals = '\0';
        add_text(piece, is_first ? "" : " ");
        add_text(piece, word);
        add_text(piece, varies ? "=" : "");
        if (!varies)
            continue;
        if (axis->slot_count == SWEEP_SLOTS_MAX)
            return error_set(error, "more than %d values vary", SWEEP_SLOTS_MAX);
        struct range *range = &axis->slots[axis->slot_count++];
        snprintf(range->name, sizeof range->name, "%.300s %.200s", fixed, word);
        if (!read_range(equals + 1, ',', range, error))
            return false;
    }
    return axis->slot_count > 0 ||
           error_set(error, "nothing varies in it; allowed: a value like rate=0..0.05");
}

/* ---- Reading ---- */

static bool read_axis(struct sweep_axis *axis, struct scene *scene, const char *text,
                      struct error *error)
{
    char word[WORD_MAX];
    *axis = (struct sweep_axis){.count = 1};
    text = skip(text);
    size_t size = strcspn(text, " \t=");
    snprintf(word, sizeof word, "%.*s", (int)size, text);
    const char *rest = skip(text + size), *dot = strchr(word, '.');
    bool is_right;
    if (strcmp(word, "seed") == 0)
        return read_seeds(axis, rest, error);
    if (!dot || strlen(text) >= WORD_MAX / 2)
        return error_set(error, "allowed: seed A..B, ROBOT.OPTION = A..B, ROBOT.pose in AREA x N, "
                                "ROBOT.fault PART=KIND rate=A..B");
    snprintf(axis->robot, sizeof axis->robot, "%.*s", (int)(dot - word), word);
    if (strcmp(dot, ".pose") == 0)
        is_right = read_pose(axis, scene, rest, error);
    else if (*rest == '=')
        is_right = read_option(axis, scene, word, skip(rest + 1), error);
    else
        is_right = read_command(axis, text, error);
    return is_right;
}

static void finish_axis(struct sweep_axis *axis)
{
    for (size_t i = 0; i < axis->slot_count; i++)
        axis->count *= axis->slots[i].count;
    // The name alone: more cases, or other bounds, leave the random numbers as they are.
    axis->key = rng_key(rng_key(0, "sweep"), axis->name);
}

bool sweep_read(struct sweep *sweep, struct scene *scene, const char *const *texts, size_t count,
                size_t *wrong, struct error *error)
{
    *sweep = (struct sweep){.scene = scene, .cases = 1};
    sweep->axes = calloc(count + 1, sizeof *sweep->axes);
    if (!sweep->axes)
        return error_set(error, "not enough memory");
    for (*wrong = 0; *wrong < count; ++*wrong) {
        struct sweep_axis *axis = &sweep->axes[sweep->count];
        if (!read_axis(axis, scene, texts[*wrong], error))
            return false;
        finish_axis(axis);
        size_t same = 0;
        while (same < sweep->count && strcmp(sweep->axes[same].name, axis->name) != 0)
            same++;
        sweep->axes[same] = *axis;
        sweep->count += same == sweep->count;
    }
    for (size_t i = 0; i < sweep->count; i++) {
        if (sweep->axes[i].count > SWEEP_CASES_MAX / sweep->cases)
            return error_set(error, "more than %d cases", SWEEP_CASES_MAX);
        sweep->cases *= sweep->axes[i].count;
    }
    return true;
}

void sweep_free(struct sweep *sweep)
{
    free(sweep->axes);
    *sweep = (struct sweep){0};
}

/* ---- Poses that are drawn ---- */

static double rounded(double value, double unit)
{
    return rint(value / unit) * unit;
}

/* In the area, and free: the scene is right with the robot there. */
static bool is_place(const struct sweep *sweep, const struct sweep_axis *axis,
                     struct scene_robot *robot, struct pose pose)
{
    const struct area *area = &axis->area;
    const struct scene_dock *dock =
        area->kind == AREA_LIGHT ? &sweep->scene->docks[area->dock] : NULL;
    const struct pose before = robot->pose;
    struct error error;
    if (dock &&
        beams_at((enum beam_source)dock->kind, dock->pose, (struct vec2){pose.x_m, pose.y_m}) == 0)
        return false;
    robot->pose = pose;
    bool is_free = scene_check(sweep->scene, &error);
    robot->pose = before;
    return is_free;
}

static bool draw_pose(const struct sweep *sweep, const struct sweep_axis *axis, uint64_t key,
                      double values[3], struct error *error)
{
    const struct area *area = &axis->area;
    struct scene_robot *robot = scene_find_robot(sweep->scene, axis->robot, error);
    for (uint64_t i = 0; robot && i < TRIES_MAX; i++) {
        double turn_deg = area->heading_high_deg - area->heading_low_deg;
        values[0] =
            rounded(area->low.x + (area->high.x - area->low.x) * rng_uniform(key, 3 * i), 1e-4);
        values[1] =
            rounded(area->low.y + (area->high.y - area->low.y) * rng_uniform(key, 3 * i + 1), 1e-4);
        values[2] = rounded(area->heading_low_deg + turn_deg * rng_uniform(key, 3 * i + 2), 1e-2);
        if (is_place(sweep, axis, robot,
                     (struct pose){values[0], values[1], values[2] * ANGLE_RAD_DEG}))
            return true;
    }
    return robot && error_set(error, "%s: no free place in the area", axis->name);
}

/* ---- Cases ---- */

/* "-kobuki.battery_v-14.2": what tells this case from its neighbours. */
static bool add_label(const struct sweep_axis *axis, size_t index, char name[SWEEP_NAME_MAX])
{
    size_t used = strlen(name), rest = index;
    char label[2 * WORD_MAX] = "";
    if (axis->is_pose || axis->slot_count == 0) {
        snprintf(label, sizeof label, "-%.400s-%zu", axis->name, index + 1);
    } else {
        for (size_t i = axis->slot_count; i-- > 0; rest /= axis->slots[i].count) {
            char value[WORD_MAX], before[2 * WORD_MAX];
            const struct range *range = &axis->slots[i];
            range_value(range, rest % range->count, 0, value);
            snprintf(before, sizeof before, "%s", label);
            if (range->count > 1 || axis->is_seed)
                snprintf(label, sizeof label, "-%.200s-%.100s%.200s", range->name, value, before);
        }
    }
    for (char *at = label; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-", *at))
            *at = '-';
    snprintf(name + used, SWEEP_NAME_MAX - used, "%s", label);
    return used + strlen(label) < SWEEP_NAME_MAX;
}

static bool add_set(struct sweep_case *out, const char *text)
{
    char **grown = realloc(out->sets, (out->set_count + 1) * sizeof *out->sets);
    if (grown)
        out->sets = grown;
    char *copy = grown ? strdup(text) : NULL;
    if (copy)
        out->sets[out->set_count++] = copy;
    return copy;
}

static json_t *value_json(const char *text)
{
    double number;
    if (!number_parse(text, &number))
        return json_string(text);
    return number == floor(number) && fabs(number) < 1e15 ? json_integer((json_int_t)number)
                                                          : json_real(number);
}

/* X,Y,HEADING */
static json_t *pose_json(const char *text)
{
    static const char *const keys[] = {"x", "y", "heading"};
    json_t *pose = json_object();
    for (size_t i = 0; i < 3; i++) {
        char word[WORD_MAX];
        size_t size = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)size, text);
        trim(word);
        json_object_set_new(pose, keys[i], value_json(word));
        text += size + (text[size] == ',');
    }
    return pose;
}

/* A fault that hits nothing is none; the command knows no such rate. */
static bool is_rate(const struct range *range)
{
    size_t size = strlen(range->name);
    return size > 5 && strcmp(range->name + size - 5, " rate") == 0;
}

/* What one axis sets in this case. KEY: of its random numbers here. */
static bool add_values(const struct sweep *sweep, const struct sweep_axis *axis, size_t index,
                       uint64_t key, struct sweep_case *out, struct error *error)
{
    char text[2 * WORD_MAX] = "", value[WORD_MAX];
    double drawn[3];
    size_t rest = index, indices[SWEEP_SLOTS_MAX];
    bool is_none = false;
    if (axis->area.kind != AREA_NONE) {
        if (!draw_pose(sweep, axis, key, drawn, error))
            return false;
        snprintf(text, sizeof text, "%s.pose=%.4f,%.4f,%.2f", axis->robot, drawn[0], drawn[1],
                 drawn[2]);
    }
    for (size_t i = axis->slot_count; i-- > 0; rest /= axis->slots[i].count)
        indices[i] = rest % axis->slots[i].count;
    for (size_t i = 0; i < axis->slot_count; i++) {
        const struct range *range = &axis->slots[i];
        range_value(range, indices[i], rng_uniform(key, i), value);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", axis->pieces[i], value);
        is_none |= is_rate(range) && strcmp(value, "0") == 0;
        if (*range->name && !axis->is_seed &&
            json_object_set_new(out->vary, range->name, value_json(value)) != 0)
            return error_set(error, "not enough memory");
    }
    if (axis->is_seed) {
        out->has_seed = true;
        return number_parse_integer(value, &out->seed) ||
               error_set(error, "'%s' is no seed; allowed: whole numbers from 0 on", value);
    }
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s", axis->pieces[axis->slot_count]);
    if (axis->is_pose &&
        json_object_set_new(out->vary, axis->name, pose_json(strchr(text, '=') + 1)) != 0)
        return error_set(error, "not enough memory");
    return is_none || add_set(out, text) || error_set(error, "not enough memory");
}

bool sweep_case(const struct sweep *sweep, size_t index, const char *stem, struct sweep_case *out,
                struct error *error)
{
    size_t rest = index, each = sweep->cases;
    *out = (struct sweep_case){.vary = json_object()};
    snprintf(out->name, sizeof out->name, "%s", stem);
    bool is_right = true;
    for (size_t i = 0; i < sweep->count; i++) {
        const struct sweep_axis *axis = &sweep->axes[i];
        each /= axis->count;
        if (axis->count > 1 || axis->is_seed)
            is_right &= add_label(axis, rest / each, out->name);
        rest %= each;
    }
    if (!is_right)
        error_set(error, "%s...: the name of a case is too long", out->name);
    rest = index, each = sweep->cases;
    for (size_t i = 0; is_right && i < sweep->count; i++) {
        const struct sweep_axis *axis = &sweep->axes[i];
        each /= axis->count;
        size_t at = rest / each;
        char number[32];
        snprintf(number, sizeof number, "%zu", at);
        // A place that is one of many is of its number; what has a value in each case is of the
        // case.
        bool is_numbered = axis->area.kind != AREA_NONE && axis->count > 1;
        uint64_t key = rng_key(axis->key, is_numbered ? number : out->name);
        rest %= each;
        is_right = add_values(sweep, axis, at, key, out, error);
    }
    if (!is_right)
        sweep_case_free(out);
    return is_right;
}

void sweep_case_free(struct sweep_case *one)
{
    for (size_t i = 0; i < one->set_count; i++)
        free(one->sets[i]);
    free(one->sets);
    json_decref(one->vary);
    one->sets = NULL;
    one->set_count = 0;
    one->vary = NULL;
}

static bool add_name(json_t *list, const char *name)
{
    size_t i;
    json_t *value;
    json_array_foreach(list, i, value) if (strcmp(json_string_value(value), name) == 0) return true;
    return json_array_append_new(list, json_string(name)) == 0;
}

bool sweep_varied(const struct sweep *sweep, json_t *list)
{
    bool is_whole = true;
    for (size_t i = 0; i < sweep->count; i++) {
        const struct sweep_axis *axis = &sweep->axes[i];
        if (axis->is_pose)
            is_whole &= add_name(list, axis->name);
        for (size_t k = 0; k < axis->slot_count && !axis->is_pose; k++)
            is_whole &= add_name(list, axis->slots[k].name);
    }
    return is_whole;
}
