/* Creates the cases of a sweep. */
#include "app/lab/batch/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lab/batch/sweep_axis.h"
#include "app/lab/results/results_summary.h"
#include "base/angle.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/text.h"
#include "sim/room/beam.h"

enum {
    TRIES_MAX = 20000, /* chosen: tries to find a free place */
    SEED_SHIFT = 24,   /* chosen: seeds of 40 bits rarely collide, and can be typed */
};

bool sweep_read(struct sweep *sweep, struct scene *scene, const char *const *texts, size_t count,
                size_t *wrong, struct error *error)
{
    *sweep = (struct sweep){.scene = scene, .cases = 1};
    sweep->axes = calloc(count + 1, sizeof *sweep->axes);
    if (!sweep->axes)
        return error_set(error, "not enough memory");
    for (*wrong = 0; *wrong < count; ++*wrong) {
        struct sweep_axis *axis = &sweep->axes[sweep->count];
        if (!axis_read(axis, scene, texts[*wrong], error))
            return false;
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

/* ---- Random poses ---- */

static double rounded(double value, double unit)
{
    return rint(value / unit) * unit;
}

/* Whether a pose is in the area and free: the scene must be valid with the robot there. */
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

/* Adds "-kobuki.battery_v-14.2", which distinguishes this case from its neighbours. */
static bool add_label(const struct sweep_axis *axis, size_t index, char name[SWEEP_NAME_MAX])
{
    size_t rest = index;
    char label[2 * SWEEP_WORD_MAX] = "";
    if (axis->is_pose || axis->slot_count == 0) {
        snprintf(label, sizeof label, "-%.400s-%zu", axis->name, index + 1);
    } else {
        for (size_t i = axis->slot_count; i-- > 0; rest /= axis->slots[i].count) {
            char value[SWEEP_WORD_MAX], before[2 * SWEEP_WORD_MAX];
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
    return text_add(name, SWEEP_NAME_MAX, "", "%s", label);
}

static bool add_set(struct sweep_case *out, const char *text)
{
    char *copy = strdup(text);
    if (copy && array_append(&out->sets, &out->set_count, &copy, sizeof copy))
        return true;
    free(copy);
    return false;
}

static json_t *value_json(const char *text)
{
    double number;
    if (!number_parse(text, &number))
        return json_string(text);
    return number == floor(number) && fabs(number) < 1e15 ? json_integer((json_int_t)number)
                                                          : json_real(number);
}

/* Converts X,Y,HEADING. */
static json_t *pose_json(const char *text)
{
    static const char *const keys[] = {"x", "y", "heading"};
    json_t *pose = json_object();
    for (size_t i = 0; i < 3; i++) {
        char word[SWEEP_WORD_MAX];
        size_t size = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)size, text);
        range_trim(word);
        json_object_set_new(pose, keys[i], value_json(word));
        text += size + (text[size] == ',');
    }
    return pose;
}

/* Whether a range is a rate. A fault with rate 0 has no effect and is omitted, because the command
 * rejects this rate. */
static bool is_rate(const struct range *range)
{
    size_t size = strlen(range->name);
    return size > 5 && strcmp(range->name + size - 5, " rate") == 0;
}

/* Adds the values of one axis to a case. KEY: key of its random numbers in this case. */
static bool add_values(const struct sweep *sweep, const struct sweep_axis *axis, size_t index,
                       uint64_t key, struct sweep_case *out, struct error *error)
{
    char text[2 * SWEEP_WORD_MAX] = "", value[SWEEP_WORD_MAX];
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
        text_add(text, sizeof text, "", "%s%s", axis->pieces[i], value);
        is_none |= is_rate(range) && strcmp(value, "0") == 0;
        if (*range->name && !axis->is_seed &&
            json_object_set_new(out->vary, range->name, value_json(value)) != 0)
            return error_set(error, "not enough memory");
    }
    if (axis->is_seed) {
        out->has_seed = true;
        return number_parse_integer(value, &out->seed) ||
               error_set(error, "'%s' is not a seed; allowed: whole numbers, 0 or more", value);
    }
    text_add(text, sizeof text, "", "%s", axis->pieces[axis->slot_count]);
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
        // The random pose of one of several places depends on its number. Other random values
        // depend on the name of the case.
        bool is_numbered = axis->area.kind != AREA_NONE && axis->count > 1;
        uint64_t key = rng_key(axis->key, is_numbered ? number : out->name);
        rest %= each;
        is_right = add_values(sweep, axis, at, key, out, error);
    }
    // Cases with the same noise would not be independent samples.
    if (!out->has_seed && strcmp(out->name, stem) != 0)
        out->seed = (int64_t)(rng_key(sweep->scene->seed, out->name) >> SEED_SHIFT);
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

bool sweep_varied(const struct sweep *sweep, json_t *list)
{
    bool is_whole = true;
    for (size_t i = 0; i < sweep->count; i++) {
        const struct sweep_axis *axis = &sweep->axes[i];
        if (axis->is_pose)
            is_whole &= summary_add_name(list, axis->name);
        for (size_t k = 0; k < axis->slot_count && !axis->is_pose; k++)
            is_whole &= summary_add_name(list, axis->slots[k].name);
    }
    return is_whole;
}
