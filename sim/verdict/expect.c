#include "sim/verdict/expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sim/state/state.h"
#include "sim/verdict/timeline.h"

struct entry {
    struct condition that;
    enum scene_expect_kind kind;
    int64_t after_us, until_us; /* judged from the first on; WITHIN: until the second */
    char that_text[SCENE_LINE_MAX], when_text[96];
    struct outcome outcome;
    unsigned line;
};

struct expectations {
    size_t count; /* filled */
    bool is_ended;
    struct entry entries[]; /* in the order of the scene */
};

/* ---- Making ---- */

static void write_when(struct entry *entry, const struct scene_expectation *from)
{
    char within[32], after[32];
    size_t size = sizeof entry->when_text;
    number_print(from->within_s, 9, within, sizeof within);
    number_print(from->after_s, 9, after, sizeof after);
    if (entry->kind == SCENE_AT_END)
        snprintf(entry->when_text, size, "at the end");
    else if (entry->kind == SCENE_ALWAYS && entry->after_us == 0)
        snprintf(entry->when_text, size, "always");
    else if (entry->kind == SCENE_ALWAYS)
        snprintf(entry->when_text, size, "always after %s s", after);
    else if (entry->after_us == 0)
        snprintf(entry->when_text, size, "within %s s", within);
    else
        snprintf(entry->when_text, size, "within %s s after %s s", within, after);
}

static bool make_entry(struct sim *sim, const struct scene *scene, size_t item, struct error *error)
{
    struct entry *entry = &sim->expectations->entries[item];
    const struct scene_expectation *from = &scene->expectations[item];
    entry->kind = from->kind;
    entry->line = from->place.line;
    entry->after_us = (int64_t)ceil(from->after_s * 1e6);
    entry->until_us = entry->after_us + (int64_t)ceil(from->within_s * 1e6);
    memcpy(entry->that_text, from->that, sizeof entry->that_text);
    write_when(entry, from);
    return (condition_parse(sim, from->that, &entry->that, error) &&
            condition_refuse_live(sim, &entry->that, error)) ||
           error_prefix(error, "%s:%u:%u: expect[%zu].that: ", scene->file, from->that_place.line,
                        from->that_place.column, item);
}

bool expect_create(struct sim *sim, const struct scene *scene, struct error *error)
{
    size_t size =
        sizeof *sim->expectations + scene->expectation_count * sizeof *sim->expectations->entries;
    sim->expectations = calloc(1, size);
    if (!sim->expectations)
        return error_set(error, "not enough memory for %zu expectations", scene->expectation_count);
    for (size_t i = 0; i < scene->expectation_count; i++) {
        sim->expectations->count++;
        if (!make_entry(sim, scene, i, error))
            return false;
    }
    return true;
}

void expect_destroy(struct sim *sim)
{
    free(sim->expectations);
}

/* ---- Judging ---- */

/* WHY stands in front of the values, or is empty. */
static void decide(const struct sim *sim, struct entry *entry, bool is_good, const char *why)
{
    struct outcome *outcome = &entry->outcome;
    outcome->verdict = is_good ? SIM_PASSED : SIM_FAILED;
    outcome->at_us = sim->now_us;
    size_t used = (size_t)snprintf(outcome->found, sizeof outcome->found, "%s", why);
    condition_describe(sim, &entry->that, outcome->found + used, sizeof outcome->found - used);
}

static void judge(const struct sim *sim, struct entry *entry)
{
    if (entry->outcome.verdict != SIM_PENDING || entry->kind == SCENE_AT_END ||
        sim->now_us < entry->after_us)
        return;
    bool is_true = condition_holds(sim, &entry->that);
    if (entry->kind == SCENE_ALWAYS && !is_true)
        decide(sim, entry, false, "");
    else if (entry->kind == SCENE_WITHIN && (is_true || sim->now_us >= entry->until_us))
        decide(sim, entry, is_true, "");
}

void expect_judge(struct sim *sim)
{
    struct expectations *all = sim->expectations;
    for (size_t i = 0; i < all->count && !all->is_ended; i++)
        judge(sim, &all->entries[i]);
}

void sim_end(struct sim *sim)
{
    struct expectations *all = sim->expectations;
    expect_judge(sim);
    for (size_t i = 0; i < all->count && !all->is_ended; i++) {
        struct entry *entry = &all->entries[i];
        if (entry->outcome.verdict != SIM_PENDING)
            continue;
        if (entry->kind == SCENE_WITHIN || sim->now_us < entry->after_us)
            decide(sim, entry, false, "the run ended before that: ");
        else
            decide(sim, entry, condition_holds(sim, &entry->that), "");
    }
    all->is_ended = true;
    timeline_end(sim);
}

/* ---- Telling ---- */

size_t sim_expectation_count(const struct sim *sim)
{
    return sim->expectations->count;
}

void sim_expectation(const struct sim *sim, size_t expectation, struct sim_expectation *out)
{
    const struct entry *from = &sim->expectations->entries[expectation];
    bool is_pending = from->outcome.verdict == SIM_PENDING;
    *out = (struct sim_expectation){
        .that = from->that_text,
        .when = from->when_text,
        .verdict = from->outcome.verdict,
        .at_us = is_pending ? sim->now_us : from->outcome.at_us,
        .found = from->outcome.found,
        .line = from->line,
    };
}

bool sim_is_decided(const struct sim *sim)
{
    for (size_t i = 0; i < sim->expectations->count; i++) {
        const struct entry *entry = &sim->expectations->entries[i];
        if (entry->outcome.verdict == SIM_PENDING && entry->kind != SCENE_AT_END &&
            (entry->kind == SCENE_WITHIN || sim->now_us < entry->after_us))
            return false;
    }
    return !timeline_is_ahead(sim);
}

bool sim_has_failed(const struct sim *sim)
{
    for (size_t i = 0; i < sim->expectations->count; i++)
        if (sim->expectations->entries[i].outcome.verdict == SIM_FAILED)
            return true;
    return timeline_has_failed(sim);
}
