#include "app/lab/compare/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "sim/parse/scene_parse.h"

enum {
    SCAN_POINTS = 8,   /* chosen: points in the whole range, and the same number near the set
                          value */
    REFINE_STEPS = 14, /* chosen: golden-section steps, to a thousandth of the first interval */
    FINEST = 64,       /* chosen: smallest part of a step that is tried to see the effect of
                          rounding */
    PASSES = 2,        /* chosen: options that affect different fields need one pass */
};

/* Chosen: the value of an option is unknown if it changes the difference by a smaller share. */
#define KNOWN_RISE 1e-3
/* Chosen: a value far from the set value must improve the difference by this share. Noise alone can
 * improve it by less. */
#define FAR_RISE 0.02

struct search {
    struct scene *scene;
    const struct recording *recording;
    struct error *error;
    bool is_failed;
    double pairs; /* pairs in the last comparison */
};

/* ---- One value ---- */

static bool set(struct search *search, const struct fit_option *option, double value)
{
    char text[160];
    const char *robot = search->scene->robots[0].name;
    if (option->row->type == OPTION_INTEGER)
        snprintf(text, sizeof text, "%s.%s=%.0f", robot, option->row->key, value);
    else
        snprintf(text, sizeof text, "%s.%s=%.9g", robot, option->row->key, value);
    if (!scene_set(search->scene, text, search->error))
        search->is_failed = true;
    return !search->is_failed;
}

/* The difference of the virtual robot with the present options. */
static double measure(struct search *search)
{
    struct trace ours;
    struct comparison comparison;
    double square = INFINITY;
    if (search->is_failed)
        return INFINITY;
    if (!trace_run(&ours, search->recording, search->scene, 0, search->error)) {
        search->is_failed = true;
        return INFINITY;
    }
    if (compare_traces(&comparison, &search->recording->trace, &ours, &(struct compare_options){0}))
        square = comparison.square;
    search->pairs = 0;
    for (size_t i = 0; i < comparison.packet_count; i++)
        search->pairs = number_larger(search->pairs, (double)comparison.packets[i].pairs);
    compare_free(&comparison);
    trace_free(&ours);
    return square;
}

static double measure_at(struct search *search, const struct fit_option *option, double value)
{
    return set(search, option, value) ? measure(search) : INFINITY;
}

/* ---- One option ---- */

/* Values to try first: in the whole range, and near the set value. Returns their number. */
static size_t scan_points(const struct fit_option *option, double points[2 * SCAN_POINTS + 1])
{
    static const double steps[SCAN_POINTS] = {-0.4, -0.2, -0.1, -0.03, 0.03, 0.1, 0.2, 0.4};
    const struct option_row *row = option->row;
    size_t count = 0;
    double near = fabs(option->found) > 0 ? fabs(option->found) : (row->max - row->min) / 100;
    points[count++] = option->found;
    for (size_t i = 0; i < SCAN_POINTS; i++) {
        points[count++] = row->min + (row->max - row->min) * (double)i / (SCAN_POINTS - 1);
        double value = option->found + steps[i] * near;
        if (value > row->min && value < row->max)
            points[count++] = value;
    }
    qsort(points, count, sizeof *points, number_order);
    return count;
}

/* The minimum of a curve between LOW and HIGH, by golden-section search. */
static double refine(struct search *search, const struct fit_option *option, double low,
                     double high)
{
    const double golden = 0.6180339887498949;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = measure_at(search, option, left);
    double at_right = measure_at(search, option, right);
    for (int i = 0; i < REFINE_STEPS; i++) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = measure_at(search, option, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = measure_at(search, option, right);
        }
    }
    double found = (low + high) / 2;
    return option->row->type == OPTION_INTEGER ? round(found) : found;
}

/* How far a value can move in the direction of FARTHEST, a difference, without any effect, because
 * fields are rounded. */
static double plateau(struct search *search, const struct fit_option *option, double farthest,
                      double least)
{
    double reached = 0, step = farthest / FINEST;
    for (; fabs(step) <= fabs(farthest); step *= 2) {
        double value = option->found + step;
        if (value < option->row->min || value > option->row->max ||
            fabs(measure_at(search, option, value) - least) > 1e-9 * (1 + least))
            break;
        reached = fabs(step);
    }
    return reached;
}

/* Calculates the standard error of a value from the difference at the value and its rise around
 * it. */
static void judge(struct search *search, struct fit_option *option, double least)
{
    const struct option_row *row = option->row;
    double step = number_larger(fabs(option->found) * 0.05, (row->max - row->min) / 1000);
    if (row->type == OPTION_INTEGER)
        step = number_larger(round(step), 1);
    double low = number_larger(option->found - step, row->min);
    double high = number_smaller(option->found + step, row->max);
    double rise =
        number_larger(measure_at(search, option, low), measure_at(search, option, high)) - least;
    double steep = rise / (step * step);
    double noise =
        steep > 0 ? sqrt(number_larger(least, 1e-6) / (search->pairs * steep)) : INFINITY;
    double now = measure_at(search, option, option->found);
    double width =
        number_larger(plateau(search, option, step, now), plateau(search, option, -step, now));
    option->sigma = hypot(noise, 2 * width / sqrt(3)); // the next step, twice as far, had an effect
    set(search, option, option->found);
}

static void fit_option(struct search *search, struct fit_option *option, double *least)
{
    double points[2 * SCAN_POINTS + 1], squares[2 * SCAN_POINTS + 1] = {0};
    double most = *least;
    size_t count = scan_points(option, points), best = 0;
    for (size_t i = 0; i < count; i++) {
        squares[i] = measure_at(search, option, points[i]);
        best = squares[i] < squares[best] ? i : best;
        most = number_larger(most, squares[i]);
    }
    option->is_known = most - squares[best] > KNOWN_RISE * (1 + squares[best]);
    if (!option->is_known) {
        option->sigma = INFINITY;
        set(search, option, option->found);
        return;
    }
    double low = points[best > 0 ? best - 1 : 0];
    double high = points[best + 1 < count ? best + 1 : best];
    double value = refine(search, option, low, high);
    double square = measure_at(search, option, value);
    bool is_far = option->found < low || option->found > high;
    if (square < *least * (1 - (is_far ? FAR_RISE : KNOWN_RISE))) {
        option->found = value;
        *least = square;
    } else if (is_far) {
        // Hardly any improvement: every value between the two fits.
        option->is_known = false;
        option->sigma = INFINITY;
    }
    set(search, option, option->found);
    if (option->is_known)
        judge(search, option, *least);
}

/* ---- All ---- */

/* The present value of an option in the scene. */
static double value_now(const struct scene *scene, const struct option_row *row)
{
    const uint8_t *at = scene->robots[0].options + row->offset;
    int64_t whole;
    double stored;
    if (row->type == OPTION_INTEGER) {
        memcpy(&whole, at, sizeof whole);
        return (double)whole;
    }
    memcpy(&stored, at, sizeof stored);
    return row->scale != 0 ? stored / row->scale : stored;
}

/* Whether an option may have a visible effect. The start values of counters have none, because only
 * their advance is compared. */
static bool may_show(const struct option_row *row)
{
    bool is_number = row->type == OPTION_NUMBER || row->type == OPTION_INTEGER;
    return is_number && row->max > row->min && !strstr(row->key, "_start");
}

static bool add(struct fit *fit, const struct scene *scene, const struct option_row *row)
{
    if (fit->count == FIT_OPTIONS_MAX)
        return false;
    double now = value_now(scene, row);
    fit->options[fit->count++] = (struct fit_option){.row = row, .before = now, .found = now};
    return true;
}

static bool choose(struct fit *fit, const struct scene *scene, const char *const names[],
                   size_t count, struct error *error)
{
    const struct robot_type *type = scene->robots[0].type;
    for (size_t i = 0; count == 0 && i < type->option_count; i++)
        if (may_show(&type->options[i]))
            add(fit, scene, &type->options[i]);
    for (size_t i = 0; i < count; i++) {
        const struct option_row *row = option_find(type->options, type->option_count, names[i]);
        const char *near = option_nearest(type->options, type->option_count, names[i]);
        if (!row)
            return error_set(error, "a %s has no option '%s'%s", type->name, names[i],
                             TEXT_MEANT(near, NULL));
        if (!may_show(row) || !add(fit, scene, row))
            return error_set(error,
                             "%s cannot be searched: the option is not a number, or has no effect "
                             "that the fit can measure",
                             names[i]);
    }
    return true;
}

bool fit_recording(struct fit *fit, struct scene *scene, const struct recording *recording,
                   const char *const names[], size_t count, struct error *error)
{
    struct search search = {.scene = scene, .recording = recording, .error = error};
    *fit = (struct fit){0};
    if (!choose(fit, scene, names, count, error))
        return false;
    fit->square_before = fit->square_after = measure(&search);
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < fit->count && !search.is_failed; i++)
            if (pass == 0 || fit->options[i].is_known)
                fit_option(&search, &fit->options[i], &fit->square_after);
    return !search.is_failed;
}
