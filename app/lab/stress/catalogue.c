#include "app/lab/stress/catalogue.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/text.h"

#define OPENING_S   0.02 /* right after the port was opened */
#define OPENING_FOR 0.7  /* chosen: a handshake is over by then */
#define MOTION_S    3.0  /* chosen: drivers work by then */
#define WATCH_S     4.0  /* chosen: a window of survival_judge.c, and some time before it */
#define REPEAT_S    0.5  /* chosen: time between two reconnects; drivers retry as often */
#define SHORT_SHARE 0.4  /* share of the run of a driver that ends early */

enum { RANDOM_TRIES = 200 };
enum { SLOW_SEEDS = 10, SLOW_PAIRS = 3 }; /* chosen: this number found the bugs of the zoo */

struct making {
    struct catalogue *catalogue;
    const struct scene *scene;
    const struct catalogue_options *options;
    struct sim *sim; /* knows the commands of the robots */
    struct robot_body body;
    bool is_short;
};

/* ---- One case ---- */

static bool has_part_of(const struct argument_texts *texts, const char *name)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strstr(name, texts->texts[i]))
            return true;
    return false;
}

static bool is_chosen(const struct catalogue_options *options, const char *name)
{
    return (options->only->count == 0 || has_part_of(options->only, name)) &&
           !has_part_of(options->skip, name);
}

static double baseline_end_s(const struct catalogue_options *options)
{
    const struct survival_facts *facts = &options->baselines[0];
    return facts->is_ended ? facts->end_s : INFINITY;
}

/* Sets the start and end of the hardship, and the duration of the run. */
static void set_times(const struct making *making, struct stress_case *one, bool is_opening)
{
    struct survival *survival = &one->survival;
    double lasts_s = one->hardship->lasts_s[one->size];
    double end_s = baseline_end_s(making->options);
    if (is_opening && one->hardship->moments != HARDSHIP_OPENING && !one->hardship->fails_link)
        lasts_s = OPENING_FOR;
    survival->from_s = one->hardship->moments == HARDSHIP_OPENING ? 0
                       : is_opening                               ? OPENING_S
                                    : fmin(MOTION_S, SHORT_SHARE * end_s);
    if (one->hardship->target == HARDSHIP_DRIVER) // three moments in place of three sizes
        survival->from_s *= 0.4 + 0.6 * (double)one->size;
    if (one->hardship->repeats > 0)
        lasts_s += (one->hardship->repeats - 1) * REPEAT_S;
    survival->until_s = survival->from_s + lasts_s;
    survival->recover_s =
        making->options->recover_s > 0 ? making->options->recover_s : one->hardship->recover_s;
    survival->for_s = survival->until_s + survival->recover_s + WATCH_S;
    if (isfinite(end_s))
        survival->for_s += end_s;
}

/* Writes "at=3 do=kobuki.fault uart=drop rate=0.1 for=3", or "" for a slow host without a fault.
 * Also writes the script, which names a channel "kobuki.uart". */
static void write_change(struct stress_case *one, const char *robot, const char *part)
{
    const struct hardship *row = one->hardship;
    const struct survival *survival = &one->survival;
    double lasts_s =
        row->repeats > 0 ? row->lasts_s[one->size] : survival->until_s - survival->from_s;
    bool is_host = row->target == HARDSHIP_SLOW || row->target == HARDSHIP_ORDER;
    const char *size = is_host ? "" : row->sizes[one->size];
    char command[100], lasts[32] = "", until[32];
    snprintf(until, sizeof until, "%.9g", survival->until_s);
    snprintf(command, sizeof command, "%s.%s", robot, part);
    if (row->script)
        snprintf(one->script, sizeof one->script, row->script, until, command);
    if (!row->text)
        return;
    snprintf(command, sizeof command, row->text, part);
    bool is_command = row->target != HARDSHIP_DRIVER;
    if (lasts_s > 0 && is_command && strcmp(command, "reset") != 0)
        snprintf(lasts, sizeof lasts, " for=%.9g", lasts_s);
    snprintf(one->changes[0], STRESS_CHANGE_MAX, "at=%.9g %s%s%s%s%s%s%s", survival->from_s,
             is_command ? "do=" : "", is_command ? robot : "", is_command ? "." : "", command,
             *size ? " " : "", size, lasts);
}

/* In real time a run takes as long as its simulated time, so only the cases with most findings are
 * run. */
static bool is_worth_it(const struct making *making, const struct stress_case *one)
{
    bool is_slow = one->hardship->target == HARDSHIP_SLOW ||
                   one->hardship->target == HARDSHIP_ORDER || one->hardship->repeats > 0;
    return making->options->baselines[0].is_held || (one->size != HARDSHIP_SMALL && !is_slow);
}

/* Whether the robots of the scene support the command. */
static bool is_known(const struct making *making, const struct stress_case *one)
{
    struct error ignored = {0};
    const char *command = strstr(one->changes[0], " do=");
    return !command || sim_check_do(making->sim, command + 4, &ignored);
}

/* The average delay that "rate=0.3 ms=30" adds to a reply. */
static double latency_s(const char *size)
{
    double rate = 1, ms = 0;
    const char *of_rate = strstr(size, "rate="), *of_ms = strstr(size, "ms=");
    if (of_rate)
        rate = strtod(of_rate + 5, NULL);
    if (of_ms)
        ms = strtod(of_ms + 3, NULL);
    return rate * ms * 1e-3;
}

static void write_names(struct stress_case *one, bool is_opening, const char *robot,
                        const char *part)
{
    const struct hardship *row = one->hardship;
    bool is_many = row->sizes[HARDSHIP_SMALL];
    snprintf(one->what, sizeof one->what, "%.32s%s%.40s %s%s", *robot ? robot : "driver",
             *part ? "." : "", part, row->name,
             is_opening && row->moments != HARDSHIP_OPENING ? " opening" : "");
    snprintf(one->name, sizeof one->name, "%.80s%s%s", one->what, is_many ? "-" : "",
             is_many ? hardship_sizes[one->size] : "");
    if (one->seed > 0)
        text_add(one->name, sizeof one->name, "-", "%02u", one->seed);
    for (char *at = one->name; *at; at++)
        if (*at == ' ')
            *at = '-';
}

/* Sets the verdicts that are off, and the delays and signals of the case. */
static void set_survival(struct stress_case *one)
{
    const struct hardship *row = one->hardship;
    struct survival *survival = &one->survival;
    const char *size = row->sizes[one->size];
    struct error ignored;
    survival->off = row->off;
    survival->fails_link = row->fails_link;
    // Chosen: without an end of file, a driver is sure after a second.
    survival->ends_link = row->fails_link && (survival->until_s - survival->from_s >= 1 ||
                                              (row->text && strstr(row->text, "hangup")));
    if (row->target == HARDSHIP_FAULT)
        survival->latency_s = latency_s(size);
    if (row->target == HARDSHIP_SLOW)
        scene_host_delay_parse(size, &survival->delay, &ignored);
    if (row->target == HARDSHIP_ORDER)
        survival->wake_order = (uint64_t)atoi(size);
    if (row->target == HARDSHIP_DRIVER && row->text)
        survival->signal = strcmp(row->name, "SIGINT") == 0 ? SIGINT : SIGTERM;
}

static void append(struct making *making, const struct stress_case *one)
{
    struct catalogue *catalogue = making->catalogue;
    struct stress_case own = *one;
    own.survival.policy = making->options->policy;
    own.survival.baselines = making->options->baselines;
    own.survival.baseline_count = making->options->baseline_count;
    making->is_short |= !array_append(&catalogue->cases, &catalogue->count, &own, sizeof own);
}

/* Adds one case, if the robots support it. */
static void add(struct making *making, struct stress_case one, bool is_opening, const char *robot,
                const char *part)
{
    write_names(&one, is_opening, robot, part);
    set_times(making, &one, is_opening);
    write_change(&one, robot, part);
    set_survival(&one);
    if (is_worth_it(making, &one) && is_known(making, &one))
        append(making, &one);
}

/* Adds all sizes in motion, and the medium size while the driver opens the port. */
static void add_sizes(struct making *making, const struct hardship *row, const char *robot,
                      const char *part)
{
    for (size_t size = 0; size < HARDSHIP_SIZES; size++) {
        const struct stress_case one = {.hardship = row, .size = size};
        bool is_opening = row->moments & HARDSHIP_OPENING,
             is_motion = row->moments & HARDSHIP_MOTION;
        if (row->sizes[size] && is_motion)
            add(making, one, false, robot, part);
        if (row->sizes[size] && is_opening && (!is_motion || size == HARDSHIP_MEDIUM))
            add(making, one, true, robot, part);
    }
}

/* Adds a slow host with several seeds, which use the sizes in turn. */
static void add_seeds(struct making *making, const struct hardship *row, unsigned seeds,
                      const char *robot, const char *part)
{
    for (unsigned i = 1; i <= seeds; i++)
        add(making, (struct stress_case){.hardship = row, .size = i % HARDSHIP_SIZES, .seed = i},
            false, robot, part);
}

/* ---- All hardships ---- */

/* Whether a driver uses the channel of a part. TCP loses no bytes, so faults that damage bytes do
 * not apply to it. */
static bool is_met(const struct making *making, size_t robot, const struct hardship *row,
                   const struct fault_part *part)
{
    static const char *const harmless[] = {"delay", "split", "stall", "hangup"};
    if (row->class != FAULT_CHANNEL)
        return true;
    size_t channel = sim_channel_index(making->sim, robot, (unsigned)part->number);
    bool is_wired = sim_channel_baud(making->sim, channel) > 0;
    for (size_t i = 0; i < COUNT(harmless); i++)
        is_wired |= row->text && strstr(row->text, harmless[i]);
    return is_wired && making->options->baselines[0].channels >> (channel & 63) & 1;
}

/* Whether a part represents all similar parts: the first sensor of each kind, all encoders
 * together. */
static bool is_representative(const struct robot_body *body, const struct fault_part *parts,
                              size_t index)
{
    const struct fault_part *part = &parts[index];
    if (part->class == FAULT_ENCODER || part->class == FAULT_WHEEL)
        return part->number == FAULT_ALL;
    if (part->class == FAULT_INERTIAL) // a driver relies on the gyro, if on any
        return part->number == FAULT_GYRO;
    if (part->class == FAULT_BUMPER || part->class == FAULT_BUTTON || part->class == FAULT_SERVO)
        return part->number == 0;
    for (size_t i = 0; part->class == FAULT_SENSOR && i < part->number; i++)
        if (body->sensors[i].kind == body->sensors[part->number].kind)
            return false;
    return true;
}

static void add_robot(struct making *making, size_t robot)
{
    struct fault_part parts[FAULT_PARTS_MAX];
    const struct robot_type *type = sim_robot_type(making->sim, robot);
    struct robot_body *body = &making->body;
    robot_type_body(type, making->scene->robots[robot].options, body);
    const char *name = sim_robot_name(making->sim, robot);
    size_t count = fault_parts(type, body, parts);
    for (size_t i = 0; i < hardship_count; i++) {
        const struct hardship *row = &hardships[i];
        for (size_t k = 0; k < count; k++) {
            bool is_fault = row->target == HARDSHIP_FAULT || row->target == HARDSHIP_LATE;
            if (parts[k].class != row->class || !is_met(making, robot, row, &parts[k]) ||
                !is_representative(body, parts, k))
                continue;
            if (is_fault)
                add_sizes(making, row, name, parts[k].name);
            else if (row->target == HARDSHIP_SLOW && row->text)
                add_seeds(making, row, SLOW_PAIRS, name, parts[k].name);
        }
        bool is_command = row->target == HARDSHIP_COMMAND;
        bool is_bumper = is_command && strchr(row->text, '%');
        if (is_command && (!is_bumper || body->bumper_count > 0))
            add_sizes(making, row, name, is_bumper ? body->bumpers[0].name : "");
    }
}

/* ---- Several hardships in one case ---- */

/* Adds the hardship of a case to a case with several hardships, at another time. */
static void join(struct stress_case *out, const struct stress_case *part, double at_s)
{
    size_t used = 0;
    while (*out->changes[used])
        used++;
    snprintf(out->changes[used], STRESS_CHANGE_MAX, "at=%.3f%.140s", at_s,
             strchr(part->changes[0], ' '));
    double until_s = at_s + part->survival.until_s - part->survival.from_s;
    out->survival.until_s = fmax(out->survival.until_s, until_s);
    out->survival.recover_s = fmax(out->survival.recover_s, part->survival.recover_s);
    out->survival.for_s = fmax(out->survival.for_s, part->survival.for_s);
    out->survival.off |= part->survival.off;
    out->survival.fails_link |= part->survival.fails_link;
    out->survival.ends_link |= part->survival.ends_link;
}

/* Each case draws half of the kinds, and two to four hardships of these kinds at random times. */
static void add_random(struct making *making, size_t count)
{
    struct catalogue *catalogue = making->catalogue;
    size_t base = catalogue->count;
    for (size_t i = 1; i <= count && base > 0; i++) {
        char name[32];
        snprintf(name, sizeof name, "random-%04zu", i);
        uint64_t key = rng_key(making->scene->seed, name), draw = 0;
        size_t wanted = 2 + (size_t)(rng_uniform(key, draw++) * (STRESS_CHANGES - 1));
        struct stress_case one = {.hardship = &hardship_random, .size = HARDSHIP_MEDIUM};
        snprintf(one.name, sizeof one.name, "%s", name);
        snprintf(one.what, sizeof one.what, "random");
        for (unsigned tries = 0; wanted > 0 && tries < RANDOM_TRIES; tries++) {
            const struct stress_case *part =
                &catalogue->cases[(size_t)(rng_uniform(key, draw++) * (double)base)];
            double at_s = OPENING_S + rng_uniform(key, draw++) * 2 * part->survival.from_s;
            bool is_timed = part->hardship->target == HARDSHIP_FAULT ||
                            part->hardship->target == HARDSHIP_COMMAND;
            if (!is_timed || part->hardship->repeats > 0 ||
                rng_uniform(rng_key(key, part->hardship->name), 0) < 0.5)
                continue;
            join(&one, part, at_s);
            wanted--;
        }
        one.survival.for_s =
            fmax(one.survival.for_s, one.survival.until_s + one.survival.recover_s + WATCH_S);
        append(making, &one);
    }
}

/* Called after all cases have their numbers, so that a random case does not depend on the
 * selection. */
static void keep_chosen(struct catalogue *catalogue, const struct catalogue_options *options)
{
    size_t kept = 0;
    for (size_t i = 0; i < catalogue->count; i++)
        if (is_chosen(options, catalogue->cases[i].name))
            catalogue->cases[kept++] = catalogue->cases[i];
    catalogue->count = kept;
}

bool catalogue_make(struct catalogue *catalogue, const struct scene *scene,
                    const struct catalogue_options *options, struct error *error)
{
    struct making making = {.catalogue = catalogue, .scene = scene, .options = options};
    *catalogue = (struct catalogue){0};
    making.sim = sim_create(scene, NULL, NULL, error);
    if (!making.sim)
        return false;
    for (size_t i = 0; i < sim_robot_count(making.sim); i++)
        add_robot(&making, i);
    for (size_t i = 0; i < hardship_count; i++)
        if (hardships[i].target == HARDSHIP_DRIVER || hardships[i].target == HARDSHIP_ORDER)
            add_sizes(&making, &hardships[i], "", "");
        else if (hardships[i].target == HARDSHIP_SLOW && !hardships[i].text)
            add_seeds(&making, &hardships[i], SLOW_SEEDS, "", "");
    add_random(&making, options->random);
    keep_chosen(catalogue, options);
    sim_destroy(making.sim);
    if (making.is_short)
        return error_set(error, "not enough memory");
    return catalogue->count > 0 || error_set(error, "--only and --skip select no case");
}

/* ---- Conversion to tests ---- */

/* Adds the hardship for repetition INDEX. */
static void add_set(struct sweep_case *varied, const struct stress_case *one, const char *change,
                    size_t index)
{
    char set[STRESS_CHANGE_MAX + 32];
    double at_s = strtod(change + 3, NULL) + (double)index * REPEAT_S;
    snprintf(set, sizeof set, "at=%.9g%s", at_s, strchr(change, ' '));
    varied->sets[varied->set_count++] =
        terminal_need(strdup(one->hardship->repeats > 0 ? set : change));
}

static void fill_unit(struct test_unit *unit, struct stress_case *one, const char *word,
                      uint64_t seed)
{
    struct sweep_case *varied = &unit->varied;
    size_t repeats = one->hardship && one->hardship->repeats > 0 ? one->hardship->repeats : 1;
    snprintf(varied->name, sizeof varied->name, "%s", one->name);
    unit->scene = terminal_need(strdup(word));
    unit->name = terminal_need(strdup(one->name));
    unit->survival = &one->survival;
    one->survival.script = *one->script ? one->script : NULL;
    varied->sets = terminal_need(calloc(repeats * STRESS_CHANGES, sizeof *varied->sets));
    varied->has_seed = true; // else it would depend on the place in the catalogue
    varied->seed = (int64_t)(seed + one->seed);
    varied->vary = terminal_need(json_pack("{ss ss}", "hardship", one->what, "size",
                                           one->hardship ? hardship_sizes[one->size] : ""));
    for (size_t i = 0; i < STRESS_CHANGES && *one->changes[i]; i++)
        for (size_t k = 0; k < repeats; k++)
            add_set(varied, one, one->changes[i], k);
}

void catalogue_units(struct catalogue *catalogue, const char *word, uint64_t seed,
                     struct survival_facts *facts, struct test_units *units)
{
    static struct survival_facts unshared; // of the one test at a time that a process runs
    size_t count = catalogue->count;
    *units = (struct test_units){.count = count, .all = count, .shard = {1, 1}, .hash = HASH_START};
    units->units = terminal_need(calloc(count + 1, sizeof *units->units));
    units->names = terminal_need(calloc(count + 1, sizeof *units->names));
    units->varied = terminal_need(json_pack("[ss]", "hardship", "size"));
    units->better = terminal_need(json_object());
    for (size_t i = 0; i < count; i++) {
        struct stress_case *one = &catalogue->cases[i];
        one->survival.facts = facts ? &facts[i] : &unshared;
        fill_unit(&units->units[i], one, word, seed);
        units->units[i].number = i;
        units->names[i] = terminal_need(strdup(one->name));
        units->hash = hash_bytes(units->hash, one->name, strlen(one->name) + 1);
        units->hash = hash_bytes(units->hash, one->changes, sizeof one->changes);
    }
}

void catalogue_free(struct catalogue *catalogue)
{
    free(catalogue->cases);
    *catalogue = (struct catalogue){0};
}
