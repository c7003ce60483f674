/* Compares the world with another engine and with a loop that only moves robots, in one run. */
#include <stdio.h>
#include <stdlib.h>

#include "physics/world.h"
#include "tests/bench/bench.h"
#include "tests/bench/walkers.h"

/* The engines alternate in short rounds, and the best round of each counts: other load on the
 * machine then affects all of them or none of them. */
enum { ROUNDS = 14, ROBOT_STEPS = 100000, CUSTOM_ROBOT_STEPS = 400000 };

/* Robots start apart from each other. They walk for this time before the measurement, until the
 * number of touching robots no longer grows (observed: after about 5 s). */
static const double warm_up_s = 20.0;

struct entry {
    const struct engine *engine;
    struct walkers walkers;
    void *state;
    long step;
    double best_s; /* CPU time of a robot-step */
};

static void open_entry(struct entry *entry, const struct engine *engine, size_t count)
{
    *entry = (struct entry){.engine = engine, .best_s = 1e9};
    if (!walkers_create(&entry->walkers, count) ||
        !(entry->state = engine->create(&entry->walkers))) {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
}

static void close_entry(struct entry *entry)
{
    entry->engine->destroy(entry->state);
    walkers_destroy(&entry->walkers);
}

/* Runs STEPS steps; all robots cast their rays after every SIGNALS_EVERY steps (0: never). */
static void run_entry(struct entry *entry, long steps, double dt_s, long signals_every)
{
    long steps_a_second = (long)(1.0 / dt_s + 0.5);
    double start = bench_cpu_s();
    for (long i = 0; i < steps; i++, entry->step++) {
        walkers_steer(&entry->walkers, entry->step, steps_a_second);
        entry->engine->step(entry->state, dt_s);
        if (signals_every > 0 && entry->step % signals_every == 0)
            entry->engine->look(entry->state);
    }
    double took = (bench_cpu_s() - start) / ((double)steps * (double)entry->walkers.count);
    entry->best_s = took < entry->best_s ? took : entry->best_s;
}

static void warm_up(struct entry *entry, double dt_s)
{
    double seconds = entry->walkers.count > 1000 ? 0.25 * warm_up_s : warm_up_s; // of more patience
    run_entry(entry, (long)(seconds / dt_s), dt_s, 0);
    entry->best_s = 1e9;
}

/* Steps of 20 ms, with or without rays after each step. */
static void compare(size_t count, bool has_rays)
{
    static const struct engine *const engines[] = {
        &engine_ours,
        &engine_floor,
#ifdef BENCH_CHIPMUNK
        &engine_chipmunk,
#endif
    };
    enum { ENGINES = sizeof engines / sizeof engines[0] };
    struct entry entries[ENGINES];
    char name[48];
    snprintf(name, sizeof name, "physics.n%zu%s", count, has_rays ? ".rays" : "");
    if (!bench_wants(name))
        return;
    for (size_t i = 0; i < ENGINES; i++)
        open_entry(&entries[i], engines[i], count);
    for (size_t i = 0; i < ENGINES; i++)
        warm_up(&entries[i], 0.02);
    long steps = ROBOT_STEPS / (long)count;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < ENGINES; i++)
            run_entry(&entries[i], steps, 0.02, has_rays ? 1 : 0);
    double own_s = entries[0].best_s;
    for (size_t i = ENGINES; i-- > 1;) {
        bool is_floor = entries[i].engine == &engine_floor;
        snprintf(name, sizeof name, "physics.n%zu%s%s", count, has_rays ? ".rays" : "",
                 is_floor ? ".floor" : "");
        if (is_floor)
            bench_print(name, 1.0 / own_s, "robot-steps of 20 ms per CPU second",
                        own_s / entries[i].best_s, "time of a bare kinematic loop");
        else
            bench_print(name, 1.0 / own_s, "robot-steps of 20 ms per CPU second",
                        entries[i].best_s / own_s, "time of Chipmunk over ours");
    }
    for (size_t i = 0; i < ENGINES; i++)
        close_entry(&entries[i]);
}

/* The settings of ptybot: steps of 1 ms, and rays at 100 Hz. */
static void run_default(size_t count)
{
    struct entry entries[2];
    char name[64];
    snprintf(name, sizeof name, "physics.default.n%zu", count);
    if (!bench_wants(name))
        return;
    open_entry(&entries[0], &engine_ours, count);
    open_entry(&entries[1], &engine_floor, count);
    for (size_t i = 0; i < 2; i++)
        warm_up(&entries[i], 0.001);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < 2; i++)
            run_entry(&entries[i], CUSTOM_ROBOT_STEPS / (long)count, 0.001, 10);
    bench_print(name, 0.001 / entries[0].best_s, "robot-seconds per CPU second",
                entries[0].best_s / entries[1].best_s, "time of a bare kinematic loop");
    snprintf(name, sizeof name, "physics.default.n%zu.real", count);
    bench_print(name, 0.001 / entries[0].best_s / (double)count, "times real time on one core",
                0.001 / entries[0].best_s / (double)count, "real time");
    for (size_t i = 0; i < 2; i++)
        close_entry(&entries[i]);
}

/* ---- Boxes that never move ---- */

enum { BOXES = 10000, BOX_ROWS = 100, BOX_STEPS = 300 };

/* CPU time of a step with boxes that are SPACING_M apart, and a robot next to them. */
static double step_of_boxes(double spacing_m)
{
    struct world *world = world_create(&(struct world_capacity){.bodies = BOXES + 1});
    if (!world) {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
    (void)world_add_body(
        world, &(struct body_def){.radius_m = 0.176, .mass_kg = 2.4, .pose = {-0.5, 0, 0}});
    for (int i = 0; i < BOXES; i++)
        (void)world_add_body(world, &(struct body_def){.shape = WORLD_BOX,
                                                       .length_m = 0.2,
                                                       .width_m = 0.2,
                                                       .pose = {spacing_m * (i % BOX_ROWS),
                                                                spacing_m * (i / BOX_ROWS), 0}});
    double start = bench_cpu_s();
    for (int step = 0; step < BOX_STEPS; step++)
        world_step(world, 0.001);
    double took = bench_cpu_s() - start;
    world_destroy(world);
    return took / BOX_STEPS;
}

static void run_boxes(void)
{
    if (!bench_wants("physics.boxes"))
        return;
    double apart_s = step_of_boxes(0.5), together_s = step_of_boxes(0.0);
    bench_print("physics.boxes.apart", 1e6 * apart_s, "us of CPU for a step of 10,000 fixed boxes",
                1, "itself");
    bench_print("physics.boxes.together", 1e6 * together_s, "us of CPU for the same on one spot",
                together_s / apart_s, "time of boxes that are apart");
}

void bench_physics(void)
{
    run_boxes();
    static const size_t counts[] = {1, 10, 100, 1000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        compare(counts[i], false);
        compare(counts[i], true);
    }
    run_default(100);
    run_default(1000);
    run_default(10000);
}
