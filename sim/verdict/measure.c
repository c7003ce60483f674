#include "sim/verdict/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sim/state/state.h"
#include "sim/verdict/condition.h"

struct measure {
    const char *name; /* owned by the scene */
    struct condition value, when;
    enum scene_take take;
    size_t count;  /* number of steps that counted */
    double result; /* for MEAN: the sum so far */
};

struct measures {
    size_t count;
    struct measure items[]; /* in the order of the scene */
};

static bool make(struct sim *sim, const struct scene *scene, size_t item, struct error *error)
{
    struct measure *measure = &sim->measures->items[item];
    const struct scene_measure *from = &scene->measures[item];
    measure->name = from->name;
    measure->take = (enum scene_take)from->take;
    for (size_t i = 0; i < item; i++)
        if (strcmp(sim->measures->items[i].name, from->name) == 0) {
            error_set(error, "'%s' is already the name of measure[%zu]; choose another name",
                      from->name, i);
            return scene_wrong(scene, "measure", item, "name", from->name_place, error);
        }
    if (!condition_parse_value(sim, from->value, &measure->value, error) ||
        !condition_refuse_live(sim, &measure->value, error))
        return scene_wrong(scene, "measure", item, "value", from->value_place, error);
    return !*from->when ||
           (condition_parse(sim, from->when, &measure->when, error) &&
            condition_refuse_live(sim, &measure->when, error)) ||
           scene_wrong(scene, "measure", item, "when", from->when_place, error);
}

bool measure_create(struct sim *sim, const struct scene *scene, struct error *error)
{
    sim->measures =
        calloc(1, sizeof *sim->measures + scene->measure_count * sizeof *sim->measures->items);
    if (!sim->measures)
        return error_set(error, "not enough memory for %zu measures", scene->measure_count);
    for (size_t i = 0; i < scene->measure_count; i++) {
        sim->measures->count++;
        if (!make(sim, scene, i, error))
            return false;
    }
    return true;
}

static double join(const struct measure *measure, double value, double elapsed_s)
{
    if (measure->take == SCENE_TAKE_INTEGRAL)
        return measure->result + value * elapsed_s;
    if (measure->take == SCENE_TAKE_MEAN)
        return measure->result + value;
    if (measure->count == 0 || measure->take == SCENE_TAKE_LAST)
        return value;
    if (measure->take == SCENE_TAKE_MIN)
        return number_smaller(measure->result, value);
    return measure->take == SCENE_TAKE_MAX ? number_larger(measure->result, value)
                                           : measure->result;
}

static void note(const struct sim *sim, struct measure *measure, double elapsed_s)
{
    if ((measure->take == SCENE_TAKE_FIRST && measure->count > 0) ||
        (measure->when.count > 0 && !condition_holds(sim, &measure->when)))
        return;
    double value = condition_value(sim, &measure->value);
    if (!isfinite(value))
        return;
    measure->result = join(measure, value, elapsed_s);
    measure->count++;
}

void measure_note(struct sim *sim, double elapsed_s)
{
    for (size_t i = 0; i < sim->measures->count; i++)
        note(sim, &sim->measures->items[i], elapsed_s);
}

size_t sim_measure_count(const struct sim *sim)
{
    return sim->measures->count;
}

const char *sim_measure_name(const struct sim *sim, size_t measure)
{
    return sim->measures->items[measure].name;
}

bool sim_measure_value(const struct sim *sim, size_t measure, double *value)
{
    const struct measure *from = &sim->measures->items[measure];
    *value = from->take == SCENE_TAKE_MEAN ? from->result / (double)from->count : from->result;
    return from->count > 0;
}
