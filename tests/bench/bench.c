/* Benchmarks. One figure per line, tab separated: name, value, unit, ratio, reference of the ratio.
 * Every reference is measured in the same run. Absolute values are printed and never judged. An
 * argument selects the figures whose names begin with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "physics/world.h"
#include "protocols/registry.h"
#include "protocols/wire.h"
#include "sim/sim.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_camera.h"
#include "tests/bench/bench_dock.h"
#include "tests/bench/bench_lidar.h"
#ifdef BENCH_PAINT
#include "sim/parse/scene_parse.h"
#include "tests/bench/bench_paint.h"
#endif

double bench_cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static const char *wanted = "";

bool bench_wants(const char *name)
{
    size_t shorter = strlen(name) < strlen(wanted) ? strlen(name) : strlen(wanted);
    return strncmp(name, wanted, shorter) == 0;
}

void bench_print(const char *name, double value, const char *unit, double ratio, const char *to)
{
    printf("%s\t%.4g\t%s\t%.3f\t%s\n", name, value, unit, ratio, to);
    fflush(stdout);
}

/* ---- A room of Kobukis that drive, with hosts that read ---- */

enum { ROOM_M = 10, STEPS = 5000 };

static struct scene *room_of(int robots, struct error *error)
{
    size_t cap = 128 + (size_t)robots * 128, used = 0;
    char *yaml = malloc(cap);
    if (!yaml)
        return NULL;
    used += (size_t)snprintf(yaml, cap, "world: {size: {x: %d, y: %d}}\nrobots:\n", ROOM_M, ROOM_M);
    for (int i = 0; i < robots; i++)
        used +=
            (size_t)snprintf(yaml + used, cap - used,
                             "  - {name: k%d, type: kobuki, pose: {x: %g, y: %g, heading: %d}}\n",
                             i, 0.5 + i % 10 * 0.95, 0.5 + i / 10 * 0.95, i * 37 % 360);
    struct scene *scene = scene_parse(yaml, used, "bench", error);
    free(yaml);
    return scene;
}

/* Base control 200 mm/s on a 400 mm arc (Kobuki protocol, Base Control). */
static const uint8_t drive_on[] = {0xaa, 0x55, 6, 1, 4, 0xc8, 0x00, 0x90, 0x01, 0x5a};

static double run_sim(struct sim *sim)
{
    double start = bench_cpu_s();
    for (int step = 0; step < STEPS; step++) {
        for (size_t c = 0; c < sim_channel_count(sim); c++) {
            const uint8_t *bytes;
            size_t size;
            while (sim_output(sim, c, &bytes, &size))
                sim_host_bytes(sim, c, drive_on, sizeof drive_on);
        }
        sim_step(sim);
    }
    return bench_cpu_s() - start;
}

/* The same number of discs in the same room, without robots. */
static double run_world(int robots)
{
    struct world *world =
        world_create(&(struct world_capacity){.bodies = (size_t)robots, .walls = 4});
    if (!world)
        return 0;
    const struct vec2 corners[] = {{0, 0}, {ROOM_M, 0}, {ROOM_M, ROOM_M}, {0, ROOM_M}};
    for (size_t i = 0; i < 4; i++)
        world_add_wall(world, &(struct wall_def){.a = corners[i], .b = corners[(i + 1) % 4]});
    for (int i = 0; i < robots; i++)
        world_add_body(world,
                       &(struct body_def){.radius_m = 0.176,
                                          .mass_kg = 2.4,
                                          .pose = {0.5 + i % 10 * 0.95, 0.5 + i / 10 * 0.95, 0}});
    double start = bench_cpu_s();
    for (int step = 0; step < STEPS; step++)
        world_step(world, 0.001);
    double took = bench_cpu_s() - start;
    world_destroy(world);
    return took;
}

static void bench_sim(void)
{
    static const int sizes[] = {1, 10, 100};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct error error = {0};
        struct scene *scene = room_of(sizes[i], &error);
        struct sim *sim = scene ? sim_create(scene, NULL, NULL, &error) : NULL;
        if (!sim) {
            fprintf(stderr, "bench: %s\n", error.text);
            exit(1);
        }
        for (size_t c = 0; c < sim_channel_count(sim); c++)
            sim_host_present(sim, c, true);
        double took = run_sim(sim), bare = run_world(sizes[i]);
        char name[32];
        snprintf(name, sizeof name, "sim.kobuki.n%d", sizes[i]);
        bench_print(name, sizes[i] * STEPS * 1e-3 / took, "robot-seconds per CPU second",
                    took / bare, "time of resting discs without robots");
        sim_destroy(sim);
        scene_destroy(scene);
    }
}

/* ---- Bytes ---- */

static void bench_rx(void)
{
    enum { ROUNDS = 200000 };
    const struct robot_type *type = registry_find("kobuki");
    static _Alignas(16) uint8_t options[ROBOT_OPTIONS_MAX];
    option_defaults(type->options, type->option_count, options);
    void *state = calloc(1, type->state_size);
    if (!state)
        exit(1);
    type->reset(state, &(struct robot_start){.options = options, .rng_key = 1});
    double start = bench_cpu_s();
    for (int i = 0; i < ROUNDS; i++)
        type->rx(state, 0, drive_on, sizeof drive_on, i);
    double took = bench_cpu_s() - start;

    uint8_t copy[sizeof drive_on];
    memcpy(copy, drive_on, sizeof copy);
    volatile uint8_t sum = 0;
    start = bench_cpu_s();
    for (int i = 0; i < ROUNDS; i++) {
        copy[5] = (uint8_t)i;
        sum = (uint8_t)(sum ^ wire_xor(copy, sizeof copy));
    }
    double bare = bench_cpu_s() - start;
    bench_print("kobuki.rx", ROUNDS * sizeof drive_on / took * 1e-6, "MB per CPU second",
                took / bare, "time of an XOR over the same bytes");
    free(state);
}

static void bench_wire(void)
{
    enum { ROUNDS = 500000 };
    const struct robot_type *type = registry_find("kobuki");
    const struct wire_packet *packet = type->packets[0];
    static _Alignas(16) uint8_t message[ROBOT_OPTIONS_MAX];
    uint8_t out[256];
    size_t size = wire_size(packet);
    volatile uint8_t sink = 0;
    double start = bench_cpu_s();
    for (int i = 0; i < ROUNDS; i++) {
        message[0] = (uint8_t)i;
        wire_encode(packet, message, out);
        sink = (uint8_t)(sink ^ out[0]);
    }
    double took = bench_cpu_s() - start;
    start = bench_cpu_s();
    for (int i = 0; i < ROUNDS; i++) {
        message[0] = (uint8_t)i;
        for (size_t b = 0; b < size; b++)
            ((volatile uint8_t *)out)[b] = message[b];
    }
    double bare = bench_cpu_s() - start;
    bench_print("wire.encode", ROUNDS / took * 1e-6, "million packets per CPU second", took / bare,
                "time of copying as many bytes one by one");
}

/* ---- The serial shim: a child alternately without and with it; the minimum of each counts ---- */

struct cost {
    double write_ns, read_ns, lines_ns;
};

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void measure_cost(const char *command, struct cost *best)
{
    struct cost one;
    FILE *child = popen(command, "r");
    if (!child || fscanf(child, "%lf %lf %lf", &one.write_ns, &one.read_ns, &one.lines_ns) != 3) {
        fprintf(stderr, "bench: %s has failed\n", command);
        exit(1);
    }
    pclose(child);
    best->write_ns = least(best->write_ns, one.write_ns);
    best->read_ns = least(best->read_ns, one.read_ns);
    best->lines_ns = least(best->lines_ns, one.lines_ns);
}

static void bench_shim(void)
{
    struct cost bare = {1e9, 1e9, 1e9}, with = bare;
    for (int turn = 0; turn < 5; turn++) {
        measure_cost("exec " PTYBOT_SHIM_COST, &bare);
        measure_cost("LD_PRELOAD=" PTYBOT_SHIM " exec " PTYBOT_SHIM_COST, &with);
    }
    bench_print("shim.write", (with.write_ns - bare.write_ns) * 1e-3, "us more a write",
                with.write_ns / bare.write_ns, "a write without the shim");
    bench_print("shim.read", (with.read_ns - bare.read_ns) * 1e-3, "us more a read",
                with.read_ns / bare.read_ns, "a read without the shim");
    bench_print("shim.lines", with.lines_ns * 1e-3, "us a TIOCMGET", with.lines_ns / bare.write_ns,
                "a write without the shim");
}

struct group {
    const char *name;
    void (*run)(void);
};

static const struct group groups[] = {
    {"sim", bench_sim},         {"lidar", bench_lidar},   {"kobuki", bench_rx},
    {"wire", bench_wire},       {"shim", bench_shim},     {"dock", bench_dock},
    {"physics", bench_physics}, {"camera", bench_camera},
#ifdef BENCH_PAINT
    {"paint", bench_paint},
#endif
};

int main(int argc, char **argv)
{
    if (argc > 1)
        wanted = argv[1];
    for (size_t i = 0; i < COUNT(groups); i++)
        if (bench_wants(groups[i].name))
            groups[i].run();
    return 0;
}
