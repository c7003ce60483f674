/* What scanners cost: a hundred Kobukis that drive, each with an RPLIDAR A1 of 8000 points a
 * second. */
#include <stdio.h>
#include <stdlib.h>

#include "base/angle.h"
#include "sim/parse/scene_parse.h"
#include "sim/sim.h"
#include "sim/state/state.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_lidar.h"

enum { ROBOTS = 100, STEPS = 3000, ROOM_M = 10 };

/* Base control 200 mm/s on a 400 mm arc (Kobuki protocol, Base Control). */
static const uint8_t drive_on[] = {0xaa, 0x55, 6, 1, 4, 0xc8, 0x00, 0x90, 0x01, 0x5a};

static struct scene *room_of(bool has_lidars, struct error *error)
{
    static char yaml[ROBOTS * 320];
    size_t used = (size_t)snprintf(yaml, sizeof yaml, "world: {size: {x: %d, y: %d}}\nrobots:\n",
                                   ROOM_M, ROOM_M);
    for (int i = 0; i < ROBOTS; i++) {
        used +=
            (size_t)snprintf(yaml + used, sizeof yaml - used,
                             "  - {name: k%d, type: kobuki, pose: {x: %g, y: %g, heading: %d}}\n",
                             i, 0.5 + i % 10 * 0.95, 0.5 + i / 10 * 0.95, i * 37 % 360);
        if (has_lidars)
            used += (size_t)snprintf(yaml + used, sizeof yaml - used,
                                     "  - {name: l%d, type: rplidar_a1, mount: {on: k%d}, options: "
                                     "{left_scanning: on, spin_up_s: 0}}\n",
                                     i, i);
    }
    return scene_parse(yaml, used, "bench", error);
}

static double run_sim(struct sim *sim)
{
    double start = bench_cpu_s();
    for (int step = 0; step < STEPS; step++) {
        for (size_t c = 0; c < sim_channel_count(sim); c++) {
            const uint8_t *bytes;
            size_t size;
            while (sim_output(sim, c, &bytes, &size))
                if (sim_channel_baud(sim, c) == 115200 && size < 84)
                    sim_host_bytes(sim, c, drive_on, sizeof drive_on);
        }
        sim_step(sim);
    }
    return bench_cpu_s() - start;
}

/* As many single rays from where the robots are, over the same angles. */
static double run_rays(const struct sim *sim, uint64_t count)
{
    double start = bench_cpu_s(), sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct sim_robot *robot = &sim->robots[i / 1455 % sim->robot_count];
        double angle = 2 * ANGLE_PI * (double)(i % 1455) / 1455, cosine;
        struct world_beam beam = {.from = {robot->pose.x_m, robot->pose.y_m},
                                  .z_m = 0.169,
                                  .max_m = 12,
                                  .skip = robot->body_index};
        angle_sin_cos(angle, &beam.direction.y, &beam.direction.x);
        sum += world_ray_beam(sim->world, &beam, &cosine).distance_m;
    }
    return sum > 0 ? bench_cpu_s() - start : 0;
}

void bench_lidar(void)
{
    double took[2] = {0}, rays_s = 0;
    uint64_t samples = 0;
    for (int has_lidars = 0; has_lidars < 2; has_lidars++) {
        struct error error = {0};
        struct scene *scene = room_of(has_lidars, &error);
        struct sim *sim = scene ? sim_create(scene, NULL, NULL, &error) : NULL;
        if (!sim) {
            fprintf(stderr, "bench: %s\n", error.text);
            exit(1);
        }
        for (size_t c = 0; c < sim_channel_count(sim); c++)
            sim_host_present(sim, c, true);
        took[has_lidars] = run_sim(sim);
        for (size_t i = 0; has_lidars && i < ROBOTS; i++) {
            char name[32];
            snprintf(name, sizeof name, "l%zu.samples", i);
            samples += (uint64_t)sim_signal_value(sim, sim_signal_find(sim, name));
        }
        if (has_lidars)
            rays_s = run_rays(sim, samples);
        sim_destroy(sim);
        scene_destroy(scene);
    }
    double real_s = STEPS * 1e-3, points = (double)samples / ROBOTS / real_s;
    bench_print("lidar.n100", took[1] / real_s, "cores in real time", took[1] / took[0],
                "time without scanners");
    bench_print("lidar.points", points, "a second and scanner", (took[1] - took[0]) / rays_s,
                "time of the bare rays");
}
