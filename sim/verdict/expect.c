#include "sim/verdict/expect.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "sim/state/state.h"
#include "sim/verdict/measure.h"
#include "sim/verdict/timeline.h"

/* Chosen: no run is that long. */
#define NEVER_US INT64_MAX

struct entry {
    struct condition that;
    struct condition_nearest nearest; /* for WITHIN */
    struct condition_margin margin;
    bool has_margin; /* it was evaluated */
    enum scene_expect_kind kind;
    size_t after;      /* index of the entry that must pass first, or SIZE_MAX */
    int64_t after_us;  /* evaluated from this time on; NEVER_US until AFTER has passed */
    int64_t within_us; /* time limit from then on */
    bool does_stop;    /* its failure ends a test */
    char name[SCENE_LABEL_MAX];
    char when_text[SCENE_LABEL_MAX + 64];
    struct outcome outcome;
    unsigned line;
};

struct expectations {
    size_t count; /* filled */
    size_t failed;
    bool is_ended;
    size_t *order;          /* each entry comes after the one in its AFTER */
    struct entry entries[]; /* in the order of the scene */
};

/* ---- Creation ---- */

static void write_when(struct entry *entry, const struct scene_expectation *from)
{
    char within[32], seconds[32], after[SCENE_LABEL_MAX + 16] = "";
    size_t size = sizeof entry->when_text;
    number_print(from->within_s, 9, within, sizeof within);
    number_print(from->after_s, 9, seconds, sizeof seconds);
    if (*from->after)
        snprintf(after, sizeof after, " after '%s'", from->after);
    else if (from->after_s > 0)
        snprintf(after, sizeof after, " after %s s", seconds);
    if (entry->kind == SCENE_AT_END)
        snprintf(entry->when_text, size, "at the end"); // words: off note-start
    else if (entry->kind == SCENE_ALWAYS)
        snprintf(entry->when_text, size, "always%s", after);
    else
        snprintf(entry->when_text, size, "within %s s%s", within, after);
}

static bool make_entry(struct sim *sim, const struct scene *scene, size_t item, struct error *error)
{
    struct entry *entry = &sim->expectations->entries[item];
    const struct scene_expectation *from = &scene->expectations[item];
    entry->kind = from->kind;
    entry->line = from->place.line;
    entry->does_stop = from->does_stop;
    entry->after = SIZE_MAX;
    entry->after_us = *from->after ? NEVER_US : (int64_t)ceil(from->after_s * 1e6);
    entry->within_us = (int64_t)ceil(from->within_s * 1e6);
    memcpy(entry->name, from->name, sizeof entry->name);
    write_when(entry, from);
    return (condition_parse(sim, from->that, &entry->that, error) &&
            condition_refuse_live(sim, &entry->that, error)) ||
           scene_wrong(scene, "expect", item, "that", from->that_place, error);
}

/* ---- Sequences ---- */

/* The first expectation with that name before index COUNT, or SIZE_MAX. */
static size_t find(const struct expectations *all, const char *name, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(all->entries[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static bool check_name(const struct expectations *all, const struct scene *scene, size_t item,
                       struct error *error)
{
    const char *name = all->entries[item].name;
    size_t other = *name ? find(all, name, item) : SIZE_MAX;
    if (other == SIZE_MAX)
        return true;
    error_set(error, "'%s' is already the name of expect[%zu]; choose another name", name, other);
    return scene_wrong(scene, "expect", item, "name", scene->expectations[item].name_place, error);
}

static bool refuse_after(const struct expectations *all, const char *after, struct error *error)
{
    const char *near = NULL;
    int least = TEXT_DISTANCE_FAR;
    for (size_t i = 0; i < all->count; i++)
        if (all->entries[i].kind == SCENE_WITHIN && *all->entries[i].name)
            text_nearer(after, all->entries[i].name, &near, &least);
    return error_set(
        error, "there is no expectation '%s'%s", TEXT_QUOTE(after),
        TEXT_MEANT(near, "allowed: seconds, or the name of an expectation with within"));
}

static bool join(const struct expectations *all, const struct scene_expectation *from,
                 struct entry *entry, struct error *error)
{
    entry->after = find(all, from->after, all->count);
    if (entry->after == SIZE_MAX)
        return refuse_after(all, from->after, error);
    if (all->entries[entry->after].kind != SCENE_WITHIN)
        return error_set(error,
                         "'%s' passes only at the end of the run; allowed: the name of an "
                         "expectation with within",
                         from->after);
    return true;
}

/* Length of the chain of entries that must pass first; COUNT: a cycle. */
static size_t depth(const struct expectations *all, size_t item)
{
    size_t before = 0;
    for (size_t at = all->entries[item].after; at != SIZE_MAX && before < all->count; before++)
        at = all->entries[at].after;
    return before;
}

static bool join_all(struct expectations *all, const struct scene *scene, struct error *error)
{
    size_t placed = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct scene_expectation *from = &scene->expectations[i];
        if (!check_name(all, scene, i, error))
            return false;
        if (*from->after && !join(all, from, &all->entries[i], error))
            return scene_wrong(scene, "expect", i, "after", from->after_place, error);
    }
    for (size_t i = 0; i < all->count; i++)
        if (depth(all, i) == all->count) {
            error_set(error, "'%s' waits for itself, directly or indirectly; remove the cycle",
                      scene->expectations[i].after);
            return scene_wrong(scene, "expect", i, "after", scene->expectations[i].after_place,
                               error);
        }
    for (size_t before = 0; placed < all->count; before++)
        for (size_t i = 0; i < all->count; i++)
            if (depth(all, i) == before)
                all->order[placed++] = i;
    return true;
}

bool expect_create(struct sim *sim, const struct scene *scene, struct error *error)
{
    size_t size =
        sizeof *sim->expectations + scene->expectation_count * sizeof *sim->expectations->entries;
    sim->expectations = calloc(1, size);
    if (sim->expectations)
        sim->expectations->order =
            calloc(scene->expectation_count + 1, sizeof *sim->expectations->order);
    if (!sim->expectations || !sim->expectations->order)
        return error_set(error, "not enough memory for %zu expectations", scene->expectation_count);
    for (size_t i = 0; i < scene->expectation_count; i++) {
        sim->expectations->count++;
        if (!make_entry(sim, scene, i, error))
            return false;
    }
    return join_all(sim->expectations, scene, error);
}

void expect_destroy(struct sim *sim)
{
    if (sim->expectations)
        free(sim->expectations->order);
    free(sim->expectations);
}

/* ---- Evaluation ---- */

/* WHY precedes the values, or is empty. */
static void decide(struct sim *sim, struct entry *entry, bool is_good, const char *why)
{
    struct outcome *outcome = &entry->outcome;
    char nearest[CONDITION_TEXT_MAX], same[CONDITION_TEXT_MAX];
    outcome->verdict = is_good ? SIM_PASSED : SIM_FAILED;
    outcome->at_us = sim->now_us;
    sim->expectations->failed += !is_good;
    size_t used = (size_t)snprintf(outcome->found, sizeof outcome->found, "%s", why);
    condition_describe(sim, &entry->that, outcome->found + used, sizeof outcome->found - used);
    int size = snprintf(same, sizeof same, "closest: %s at ", outcome->found + used);
    used = strlen(outcome->found);
    if (is_good || entry->kind != SCENE_WITHIN || sim->now_us < entry->after_us)
        return;
    condition_describe_nearest(sim, &entry->that, &entry->nearest, nearest, sizeof nearest);
    if (strncmp(nearest, same, (size_t)size) != 0 || strchr(nearest, ';'))
        snprintf(outcome->found + used, sizeof outcome->found - used, "%s%s", *nearest ? "; " : "",
                 nearest);
}

__attribute__((format(printf, 3, 4))) static void skip(const struct sim *sim, struct entry *entry,
                                                       const char *format, ...)
{
    va_list arguments;
    entry->outcome.verdict = SIM_SKIPPED;
    entry->outcome.at_us = sim->now_us;
    va_start(arguments, format);
    vsnprintf(entry->outcome.found, sizeof entry->outcome.found, format, arguments);
    va_end(arguments);
}

/* An entry begins in the step in which its AFTER entry passes. */
static void follow(const struct sim *sim, struct entry *entry)
{
    const struct entry *before = &sim->expectations->entries[entry->after];
    if (before->outcome.verdict == SIM_PASSED)
        entry->after_us = before->outcome.at_us;
    else if (before->outcome.verdict != SIM_PENDING)
        skip(sim, entry, "not judged: '%s' %s", before->name,
             before->outcome.verdict == SIM_FAILED ? "failed" : "was not judged");
}

/* Keeps the best margin of `within`, or the worst margin of `always`. */
static void note_margin(struct entry *entry, const struct condition_margin *now)
{
    bool is_nearer = entry->kind == SCENE_ALWAYS ? now->margin < entry->margin.margin
                                                 : now->margin > entry->margin.margin;
    if (!entry->has_margin || entry->kind == SCENE_AT_END || is_nearer)
        entry->margin = *now;
    entry->has_margin = true;
}

static bool holds(struct sim *sim, struct entry *entry)
{
    struct condition_margin now;
    bool is_true = condition_gauge(sim, &entry->that, sim->now_us, &now);
    note_margin(entry, &now);
    return is_true;
}

static void judge(struct sim *sim, struct entry *entry)
{
    struct condition_margin now;
    if (entry->outcome.verdict == SIM_PENDING && entry->after_us == NEVER_US)
        follow(sim, entry);
    if (entry->outcome.verdict != SIM_PENDING || entry->kind == SCENE_AT_END ||
        sim->now_us < entry->after_us)
        return;
    if (entry->kind == SCENE_ALWAYS) {
        if (!holds(sim, entry))
            decide(sim, entry, false, "");
        return;
    }
    bool is_true = condition_watch(sim, &entry->that, sim->now_us, &entry->nearest, &now);
    note_margin(entry, &now);
    if (is_true || sim->now_us - entry->after_us >= entry->within_us)
        decide(sim, entry, is_true, "");
}

void expect_judge(struct sim *sim)
{
    struct expectations *all = sim->expectations;
    for (size_t i = 0; i < all->count && !all->is_ended; i++)
        judge(sim, &all->entries[all->order[i]]);
}

static void settle(struct sim *sim, struct entry *entry, bool is_cut)
{
    bool is_ahead = sim->now_us < entry->after_us;
    if (entry->outcome.verdict == SIM_PENDING && entry->after_us == NEVER_US)
        follow(sim, entry);
    if (entry->outcome.verdict != SIM_PENDING)
        return;
    if (is_cut && (entry->kind != SCENE_ALWAYS || is_ahead))
        skip(sim, entry, "not judged: an earlier failure ended the test");
    else if (entry->kind == SCENE_WITHIN || is_ahead)
        decide(sim, entry, false, "not reached before the end of the run: ");
    else
        decide(sim, entry, holds(sim, entry), "");
}

static void end(struct sim *sim, bool is_cut)
{
    struct expectations *all = sim->expectations;
    expect_judge(sim);
    if (sim->now_us == 0 && !all->is_ended)
        measure_note(sim, 0);
    for (size_t i = 0; i < all->count && !all->is_ended; i++)
        settle(sim, &all->entries[all->order[i]], is_cut);
    all->is_ended = true;
    timeline_end(sim);
}

void sim_end(struct sim *sim)
{
    end(sim, false);
}

void sim_cut(struct sim *sim)
{
    end(sim, true);
}

/* ---- Results ---- */

size_t sim_expectation_count(const struct sim *sim)
{
    return sim->expectations->count;
}

struct sim_expectation sim_expectation(const struct sim *sim, size_t expectation)
{
    const struct entry *from = &sim->expectations->entries[expectation];
    bool is_pending = from->outcome.verdict == SIM_PENDING;
    return (struct sim_expectation){
        .name = from->name,
        .that = from->that.text,
        .when = from->when_text,
        .verdict = from->outcome.verdict,
        .at_us = is_pending ? sim->now_us : from->outcome.at_us,
        .found = from->outcome.found,
        .line = from->line,
        .margin = from->has_margin ? from->margin : (struct condition_margin){.margin = -INFINITY},
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
    return sim->expectations->failed > 0 || timeline_has_failed(sim);
}

bool sim_is_stopped(const struct sim *sim)
{
    for (size_t i = 0; sim->expectations->failed > 0 && i < sim->expectations->count; i++) {
        const struct entry *entry = &sim->expectations->entries[i];
        if (entry->does_stop && entry->outcome.verdict == SIM_FAILED &&
            entry->outcome.at_us == sim->now_us)
            return true;
    }
    return false;
}
