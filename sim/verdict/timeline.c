/* The timeline of a scene: each command is run once, before the first step that begins at its time
 * or finds its condition true, in the order of the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sim/state/state.h"

static bool wrong(const struct scene *scene, size_t item, const char *key, struct scene_place place,
                  struct error *error)
{
    return error_prefix(error, "%s:%u:%u: timeline[%zu].%s: ", scene->file, place.line,
                        place.column, item, key);
}

static bool make_action(struct sim *sim, const struct scene *scene, size_t item,
                        struct error *error)
{
    struct timeline_action *action = &sim->actions[item];
    const struct scene_action *from = &scene->actions[item];
    action->line = from->place.line;
    action->at_us = (int64_t)ceil(from->at_s * 1e6);
    memcpy(action->command, from->command, sizeof action->command);
    if (*from->when == '\0') {
        char seconds[32];
        number_print(from->at_s, 9, seconds, sizeof seconds);
        snprintf(action->when_text, sizeof action->when_text, "at %s s", seconds);
    } else {
        if (!condition_parse(sim, from->when, &action->when, error) ||
            !condition_refuse_live(sim, &action->when, error))
            return wrong(scene, item, "when", from->when_place, error);
        snprintf(action->when_text, sizeof action->when_text, "when %.500s", from->when);
    }
    return sim_check_do(sim, from->command, error) ||
           wrong(scene, item, "do", from->command_place, error);
}

bool timeline_create(struct sim *sim, const struct scene *scene, struct error *error)
{
    sim->actions = calloc(scene->action_count + 1, sizeof *sim->actions);
    if (!sim->actions)
        return error_set(error, "not enough memory for a timeline of %zu commands",
                         scene->action_count);
    for (size_t i = 0; i < scene->action_count; i++) {
        sim->action_count++;
        if (!make_action(sim, scene, i, error))
            return false;
    }
    return true;
}

void timeline_destroy(struct sim *sim)
{
    free(sim->actions);
}

static bool is_due(const struct sim *sim, const struct timeline_action *action)
{
    if (action->outcome.verdict != SIM_PENDING)
        return false;
    return action->when.count > 0 ? condition_holds(sim, &action->when)
                                  : action->at_us <= sim->now_us;
}

void timeline_run(struct sim *sim)
{
    if (sim->is_ended)
        return;
    for (size_t i = 0; i < sim->action_count; i++) {
        struct timeline_action *action = &sim->actions[i];
        struct error error = {0};
        if (!is_due(sim, action))
            continue;
        struct sim_outcome *outcome = &action->outcome;
        outcome->at_us = sim->now_us;
        outcome->verdict = sim_do(sim, action->command, &error) ? SIM_PASSED : SIM_FAILED;
        snprintf(outcome->found, sizeof outcome->found, "%s", error.text);
    }
}

size_t sim_action_count(const struct sim *sim)
{
    return sim->action_count;
}

void sim_action(const struct sim *sim, size_t action, struct sim_expectation *out)
{
    const struct timeline_action *from = &sim->actions[action];
    bool is_pending = from->outcome.verdict == SIM_PENDING;
    *out = (struct sim_expectation){
        .that = from->command,
        .when = from->when_text,
        .verdict = from->outcome.verdict,
        .at_us = is_pending ? sim->now_us : from->outcome.at_us,
        .found = from->outcome.found,
        .line = from->line,
    };
}
