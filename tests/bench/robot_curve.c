/* Cost of a robot of each type in a room with 1 to 1,024 robots of this type, as a picture and as
 * one line per point. Measures a step of 1 ms of only the world, with random wheel speeds, and of
 * the whole simulation with firmware, wires and sensors, while a host drives each robot and reads
 * its bytes. The reference is a bare loop that converts the speeds of the same number of wheels
 * into poses. The best round of each counts.
 *
 *     robot_curve FILE.svg */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/rng.h"
#include "protocols/registry.h"
#include "sim/parse/scene_parse.h"
#include "sim/sim.h"
#include "sim/state/state.h"
#include "tests/bench/plot.h"
#include "tests/bench/walkers.h"

enum {
    SIZES = 6, /* 1, 4, 16 .. 1024 */
    ROUNDS = 4,
    ROBOT_STEPS = 8000, /* in a round, */
    STEPS_LEAST = 20,   /* but at least so many steps: a packet of most robots */
    WARM_UP = 300,      /* steps: all drive */
    AGAIN_MS = 100,     /* a host drives on so often */
};
static const double apart_m = 2; /* chosen: spacing of the grid of start poses */

struct bytes {
    uint8_t size, data[31];
};

/* The frames that a host sends first, and those that it then repeats; both from tests/wire. */
struct host_row {
    const char *type, *color;
    struct bytes first, again;
    bool has_address; /* reached by TCP: each robot at one of its own */
};
static const struct host_row rows[] = {
    {.type = "kobuki", /* 200 mm/s on an arc of 400 mm */
     .color = "#c2410c",
     .again = {10, {0xaa, 0x55, 6, 1, 4, 0xc8, 0x00, 0x90, 0x01, 0x5a}}},
    {.type = "cobot", /* 300 mm/s, 0.5 rad/s */
     .color = "#2a8c3a",
     .again = {13, {0xcd, 0x0a, 1, 0, 0x01, 0x2c, 0, 0, 0, 0, 0, 0x32, 0x1e}}},
    {.type = "diff_board", /* -30 cm/s, -0.5 rad/s; where it is */
     .color = "#1d4ed8",
     .again = {14, {0x5a, 4, 6, 0xe2, 0xff, 0, 0, 0xce, 0xff, 0x12, 0x5a, 5, 0, 0x5f}}},
    {.type = "epuck2", /* 300 and 450 steps a second */
     .color = "#9333ea",
     .again = {21, {0x80, 2, 0, 0x2c, 0x01, 0xc2, 0x01}},
     .has_address = true},
    {.type = "create2", /* start, safe, a stream of two packets; 200 mm/s on an arc of 500 mm */
     .color = "#0f766e",
     .first = {6, {0x80, 0x83, 0x94, 2, 0x1d, 0x0d}},
     .again = {5, {0x89, 0, 0xc8, 0x01, 0xf4}}},
    {.type = "ros_arduino_bridge", /* 20 and 25 counts a pass; its encoders */
     .color = "#a16207",
     .again = {11, "m 20 25\re\r"}},
    {.type = "rplidar_a1", .color = "#be185d", .first = {2, {0xa5, 0x20}}}, /* scan */
    {.type = "ld06", .color = "#64748b"},
    {.type = "ld19", .color = "#000000"},
};

static void give_up(const char *what)
{
    fprintf(stderr, "robot_curve: %s\n", what);
    exit(1);
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- The three compared programs ---- */

struct room {
    const struct host_row *row;
    size_t count;
    struct scene *scene;
    struct sim *sim;   /* with hosts */
    struct sim *alone; /* of which only the world moves on */
    struct walkers walkers;
    void *bare;
    long step;
};

static struct scene *scene_of(const struct host_row *row, size_t count)
{
    struct error error = {0};
    size_t room = 128 + count * 128, used = 0, columns = (size_t)ceil(sqrt((double)count));
    char *yaml = malloc(room);
    if (!yaml)
        give_up("memory is short");
    used += (size_t)snprintf(yaml, room, "world: {size: {x: %g, y: %g}}\nrobots:\n",
                             apart_m * (double)columns, apart_m * (double)columns);
    for (size_t i = 0; i < count; i++) {
        used += (size_t)snprintf(yaml + used, room - used,
                                 "- {name: r%zu, type: %s, pose: {x: %g, y: %g, heading: %zu}", i,
                                 row->type, apart_m * ((double)(i % columns) + 0.5),
                                 apart_m * ((double)(i / columns) + 0.5), i * 37 % 360);
        if (row->has_address)
            used +=
                (size_t)snprintf(yaml + used, room - used,
                                 ", links: [{tcp: \"127.0.%zu.%zu:1000\"}]", i / 200, 1 + i % 200);
        used += (size_t)snprintf(yaml + used, room - used, "}\n");
    }
    struct scene *scene = scene_parse(yaml, used, "curve", &error);
    free(yaml);
    if (!scene)
        give_up(error.text);
    return scene;
}

static struct sim *sim_of(const struct scene *scene)
{
    struct error error = {0};
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    if (!sim)
        give_up(error.text);
    return sim;
}

static void open_room(struct room *room, const struct host_row *row, size_t count)
{
    *room = (struct room){.row = row, .count = count, .scene = scene_of(row, count)};
    room->sim = sim_of(room->scene);
    room->alone = sim_of(room->scene);
    if (!walkers_create(&room->walkers, count) ||
        !(room->bare = engine_floor.create(&room->walkers)))
        give_up("memory is short");
    for (size_t i = 0; i < room->sim->robot_count; i++) {
        size_t channel = room->sim->robots[i].first_channel;
        sim_host_present(room->sim, channel, true);
        sim_host_bytes(room->sim, channel, row->first.data, row->first.size);
    }
}

static void close_room(struct room *room)
{
    engine_floor.destroy(room->bare);
    walkers_destroy(&room->walkers);
    sim_destroy(room->alone);
    sim_destroy(room->sim);
    scene_destroy(room->scene);
}

static void step_whole(struct room *room, long step)
{
    struct sim *sim = room->sim;
    const uint8_t *bytes;
    size_t size;
    for (size_t i = 0; i < sim->robot_count; i++) {
        size_t channel = sim->robots[i].first_channel;
        while (sim_output(sim, channel, &bytes, &size))
            ;
        if ((step + (long)i) % AGAIN_MS == 0)
            sim_host_bytes(sim, channel, room->row->again.data, room->row->again.size);
    }
    sim_step(sim);
}

/* Each robot gets new speeds about once a second. */
static void step_world(struct room *room, long step)
{
    struct world *world = room->alone->world;
    for (size_t i = (size_t)(step % 1000); i < room->count; i += 1000) {
        struct drive *drive = world_drive(world, room->alone->robots[i].body_index);
        for (size_t k = 0; drive && k < drive->def.wheel_count; k++) {
            double part = 1.4 * rng_uniform(i, (uint64_t)step * DRIVE_WHEELS_MAX + k) - 0.4;
            bool is_stepper = drive->def.motor == DRIVE_MOTOR_STEPPER;
            drive->wheels[k].input =
                is_stepper ? part * WALKERS_SPEED_M_S / WALKERS_WHEEL_M : 0.5 * part;
        }
    }
    world_step(world, SIM_STEP_US * 1e-6);
}

static void step_bare(struct room *room, long step)
{
    walkers_steer(&room->walkers, step, 1000);
    engine_floor.step(room->bare, SIM_STEP_US * 1e-6);
}

/* ---- Measuring ---- */

enum { BARE, WORLD, WHOLE, KINDS };

static void (*const steps_of[KINDS])(struct room *room, long step) = {step_bare, step_world,
                                                                      step_whole};

static double robot_step_s(struct room *room, int kind, long first, long steps)
{
    double start = cpu_s();
    for (long step = first; step < first + steps; step++)
        steps_of[kind](room, step);
    return (cpu_s() - start) / ((double)steps * (double)room->count);
}

static void measure(const struct host_row *row, size_t count, double best_s[KINDS])
{
    struct room room;
    long steps = ROBOT_STEPS / (long)count;
    steps = steps < STEPS_LEAST ? STEPS_LEAST : steps;
    open_room(&room, row, count);
    for (int round = -1; round < ROUNDS; round++)
        for (int kind = 0; kind < KINDS; kind++) {
            long first = round < 0 ? 0 : WARM_UP + round * steps;
            double took_s = robot_step_s(&room, kind, first, round < 0 ? WARM_UP : steps);
            if (round <= 0 || took_s < best_s[kind])
                best_s[kind] = took_s;
        }
    close_room(&room);
}

static void measure_type(const struct host_row *row, struct plot *plot)
{
    static const char *const names[KINDS] = {"", "world", "whole"};
    double sizes[SIZES], ratios[KINDS][SIZES], best_s[KINDS];
    for (int i = 0; i < SIZES; i++) {
        sizes[i] = ldexp(1, 2 * i);
        measure(row, (size_t)1 << 2 * i, best_s);
        for (int kind = WORLD; kind < KINDS; kind++) {
            ratios[kind][i] = best_s[kind] / best_s[BARE];
            printf("curve.%s.%s.n%d\t%.4g\tns of CPU for a robot's step\t%.3f\ttime of a bare "
                   "kinematic loop\n",
                   row->type, names[kind], 1 << 2 * i, best_s[kind] * 1e9, ratios[kind][i]);
        }
        fflush(stdout);
    }
    for (int kind = WORLD; kind < KINDS; kind++)
        plot_add(plot, kind - WORLD,
                 &(struct plot_curve){row->type, row->color, false, sizes, ratios[kind], SIZES});
}

/* A type without a row would be missing in the picture. */
static void check_rows(void)
{
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++) {
        bool has_row = false;
        for (size_t k = 0; k < COUNT(rows); k++)
            has_row = has_row || strcmp(rows[k].type, types[i]->name) == 0;
        if (!has_row)
            give_up(types[i]->name);
    }
}

int main(int argc, char **argv)
{
    static const char *const counts[] = {"1", "4", "16", "64", "256", "1024"};
    static const char *const times[] = {"1000", "100", "10", "1", "0.1"};
    static const struct plot_form form = {
        .titles = {"bare loops that a step of the world takes, by robots",
                   "bare loops that a step of all of it takes, by robots"},
        .x = {1, 1024, counts, COUNT(counts)},
        .y = {1000, 0.1, times, COUNT(times)},
        .key_y_px = {14, 136}, /* above and below the curves */
    };
    struct plot *plot = argc == 2 ? plot_begin(argv[1], &form) : NULL;
    if (!plot)
        give_up("usage: robot_curve FILE.svg, a file that can be written");
    check_rows();
    for (size_t i = 0; i < COUNT(rows); i++)
        measure_type(&rows[i], plot);
    if (!plot_end(plot))
        give_up(argv[1]);
    return 0;
}
