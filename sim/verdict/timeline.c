#include "sim/verdict/timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sim/commands/command.h"
#include "sim/state/state.h"

struct action {
    struct condition when; /* no terms: at a time */
    int64_t at_us;
    char command[SCENE_LINE_MAX], when_text[SCENE_LINE_MAX];
    enum scene_interrupt interrupt;
    struct outcome outcome;
    unsigned line;
};

struct timeline {
    size_t count; /* filled */
    bool is_ended;
    uint32_t interrupts;     /* due: bit N is the UNIX signal N */
    struct action actions[]; /* in the order of the scene */
};

static bool make_action(struct sim *sim, const struct scene *scene, size_t item,
                        struct error *error)
{
    struct action *action = &sim->timeline->actions[item];
    const struct scene_action *from = &scene->actions[item];
    action->line = from->place.line;
    action->outcome.verdict = from->is_left_out ? SIM_SKIPPED : SIM_PENDING;
    action->at_us = (int64_t)ceil(from->at_s * 1e6);
    memcpy(action->command, from->command, sizeof action->command);
    if (*from->when == '\0') {
        char seconds[32];
        number_print(from->at_s, 9, seconds, sizeof seconds);
        snprintf(action->when_text, sizeof action->when_text, "at %s s", seconds);
    } else {
        if (!condition_parse(sim, from->when, &action->when, error) ||
            !condition_refuse_live(sim, &action->when, error))
            return scene_wrong(scene, "timeline", item, "when", from->when_place, error);
        snprintf(action->when_text, sizeof action->when_text, "when %.500s", from->when);
    }
    action->interrupt = (enum scene_interrupt)from->interrupt;
    if (action->interrupt != SCENE_INTERRUPT_NONE)
        snprintf(action->command, sizeof action->command, "send %s to the driver",
                 scene_interrupt_words[action->interrupt]);
    return action->interrupt != SCENE_INTERRUPT_NONE || sim_check_do(sim, from->command, error) ||
           scene_wrong(scene, "timeline", item, "do", from->command_place, error);
}

bool timeline_create(struct sim *sim, const struct scene *scene, struct error *error)
{
    size_t size = sizeof *sim->timeline + scene->action_count * sizeof *sim->timeline->actions;
    sim->timeline = calloc(1, size);
    if (!sim->timeline)
        return error_set(error, "not enough memory for a timeline of %zu commands",
                         scene->action_count);
    for (size_t i = 0; i < scene->action_count; i++) {
        sim->timeline->count++;
        if (!make_action(sim, scene, i, error))
            return false;
    }
    return true;
}

static bool is_due(const struct sim *sim, const struct action *action)
{
    if (action->outcome.verdict != SIM_PENDING)
        return false;
    return action->when.count > 0 ? condition_holds(sim, &action->when)
                                  : action->at_us <= sim->now_us;
}

/* A UNIX signal is only stored: the program that started the driver sends it
 * (timeline_take_interrupt). */
static bool run(struct sim *sim, const struct action *action, struct error *error)
{
    if (action->interrupt == SCENE_INTERRUPT_NONE)
        return command_do(sim, action->command, COMMAND_SCENE, error);
    sim->timeline->interrupts |= UINT32_C(1) << action->interrupt;
    return true;
}

enum scene_interrupt timeline_take_interrupt(struct sim *sim)
{
    uint32_t *due = &sim->timeline->interrupts;
    for (int i = SCENE_SIGHUP; *due != 0 && i <= SCENE_SIGUSR2; i++)
        if (*due & UINT32_C(1) << i) {
            *due &= ~(UINT32_C(1) << i);
            return (enum scene_interrupt)i;
        }
    return SCENE_INTERRUPT_NONE;
}

void timeline_run(struct sim *sim)
{
    struct timeline *timeline = sim->timeline;
    for (size_t i = 0; i < timeline->count && !timeline->is_ended; i++) {
        struct action *action = &timeline->actions[i];
        struct error error = {0};
        if (!is_due(sim, action))
            continue;
        struct outcome *outcome = &action->outcome;
        outcome->at_us = sim->now_us;
        outcome->verdict = run(sim, action, &error) ? SIM_PASSED : SIM_FAILED;
        snprintf(outcome->found, sizeof outcome->found, "%s", error.text);
    }
}

void timeline_end(struct sim *sim)
{
    sim->timeline->is_ended = true;
}

bool timeline_is_ahead(const struct sim *sim)
{
    for (size_t i = 0; i < sim->timeline->count; i++) {
        const struct action *action = &sim->timeline->actions[i];
        if (action->outcome.verdict == SIM_PENDING && action->when.count == 0)
            return true;
    }
    return false;
}

bool timeline_has_failed(const struct sim *sim)
{
    for (size_t i = 0; i < sim->timeline->count; i++)
        if (sim->timeline->actions[i].outcome.verdict == SIM_FAILED)
            return true;
    return false;
}

size_t sim_action_count(const struct sim *sim)
{
    return sim->timeline->count;
}

struct sim_expectation sim_action(const struct sim *sim, size_t action)
{
    const struct action *from = &sim->timeline->actions[action];
    bool is_pending = from->outcome.verdict == SIM_PENDING;
    return (struct sim_expectation){
        .name = "",
        .that = from->command,
        .when = from->when_text,
        .verdict = from->outcome.verdict,
        .at_us = is_pending ? sim->now_us : from->outcome.at_us,
        .found = from->outcome.found,
        .line = from->line,
    };
}

int64_t timeline_due_us(const struct sim *sim, size_t action)
{
    const struct action *from = &sim->timeline->actions[action];
    bool is_timed = from->when.count == 0 && from->outcome.verdict != SIM_SKIPPED;
    return is_timed ? from->at_us : ROBOT_NEVER;
}
