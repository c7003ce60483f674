#include "tests/bench/bench_camera.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"
#include "sim/parse/scene_parse.h"
#include "sim/room/camera.h"
#include "sim/sim.h"
#include "sim/state/state.h"
#include "tests/bench/bench.h"

enum { WIDTH = 160, HEIGHT = 120, FRAME_BYTES = WIDTH * HEIGHT * 2, FRAMES = 2000, TURNS = 5 };

static const char empty[] = "  size: {x: 2, y: 2}\n";

static const char furnished[] =
    "  size: {x: 2, y: 2}\n"
    "  walls: [{from: {x: 1.4, y: 0}, to: {x: 1.4, y: 0.6}, color: \"#a0c0a0\"}]\n"
    "  boxes:\n"
    "    - {pose: {x: 0.4, y: 0.4, heading: 20}, size: {x: 0.1, y: 0.1}, color: red, height: 0.1}\n"
    "    - {pose: {x: 1.7, y: 1.6, heading: 45}, size: {x: 0.1, y: 0.2}, color: blue}\n"
    "    - {pose: {x: 0.3, y: 1.6}, size: {x: 0.2, y: 0.1}, height: 0.02}\n"
    "  discs: [{pose: {x: 1.0, y: 0.3}, radius: 0.05, color: yellow, height: 0.1}]\n"
    "  cliffs: [{points: [{x: 1.5, y: 0.2}, {x: 1.9, y: 0.2}, {x: 1.7, y: 0.5}], depth: 0.1}]\n"
    "  shades: [{points: [{x: 0.5, y: 1.2}, {x: 0.9, y: 1.2}, {x: 0.9, y: 1.8}], reflectance: "
    "0.5}]\n"
    "  lines:\n"
    "    - {from: {x: 0.2, y: 0.8}, to: {x: 1.8, y: 0.8}}\n"
    "    - {from: {x: 1.8, y: 0.8}, to: {x: 1.8, y: 1.8}}\n"
    "    - {from: {x: 1.8, y: 1.8}, to: {x: 0.2, y: 1.8}}\n"
    "    - {from: {x: 0.2, y: 1.8}, to: {x: 0.2, y: 0.8}}\n";

static struct sim *make_sim(const char *world, bool has_others, struct scene **scene)
{
    char yaml[4096];
    snprintf(yaml, sizeof yaml,
             "world:\n%srobots:\n  - {name: eye, type: kobuki, pose: {x: 1, y: 1}}\n%s", world,
             has_others ? "  - {name: a, type: kobuki, pose: {x: 1.6, y: 1.2}}\n"
                          "  - {name: b, type: kobuki, pose: {x: 0.5, y: 0.8}}\n"
                        : "");
    struct error error = {0};
    *scene = scene_parse(yaml, strlen(yaml), "bench", &error);
    struct sim *sim = *scene ? sim_create(*scene, NULL, NULL, &error) : NULL;
    if (!sim) {
        fprintf(stderr, "bench: %s\n", error.text);
        exit(1);
    }
    return sim;
}

/* Seconds a frame, the least of some turns: turning about, so that all of the room is seen. */
static double time_of_frame(struct sim *sim)
{
    /* As on the e-puck2. */
    const struct sensor_spec spec = {.kind = SENSOR_CAMERA,
                                     .x_m = 0.03,
                                     .z_m = 0.028,
                                     .cone_half_rad = 0.42,
                                     .width = WIDTH,
                                     .height = HEIGHT};
    struct sim_robot *robot = &sim->robots[0];
    robot->cameras[0] = camera_create(robot, &spec);
    if (!robot->cameras[0])
        exit(1);
    double best = 1e9;
    volatile uint8_t sink = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        double start = bench_cpu_s();
        for (int i = 0; i < FRAMES; i++) {
            robot->pose.heading_rad = i * (2 * ANGLE_PI / FRAMES);
            sink = (uint8_t)(sink ^ camera_render(robot->cameras[0]).rgb[i]);
        }
        double took = (bench_cpu_s() - start) / FRAMES;
        best = took < best ? took : best;
    }
    return best;
}

/* Seconds for the bytes of a frame on the wire, two for each pixel, one pixel after the other. */
static double time_of_writing(void)
{
    static uint8_t bytes[FRAME_BYTES];
    double best = 1e9;
    for (int turn = 0; turn < TURNS; turn++) {
        double start = bench_cpu_s();
        for (int i = 0; i < FRAMES; i++) {
            volatile uint8_t *out = bytes;
            for (unsigned pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
                *out++ = (uint8_t)(pixel >> 8);
                *out++ = (uint8_t)pixel;
            }
        }
        double took = (bench_cpu_s() - start) / FRAMES;
        best = took < best ? took : best;
    }
    return best;
}

static void bench_scene(const char *name, const char *world, bool has_others, bool has_picture)
{
    struct scene *scene;
    struct sim *sim = make_sim(world, has_others, &scene);
    if (has_picture) {
        enum { SIDE = 1024 };
        scene->floor = (struct scene_floor){malloc(SIDE * SIDE), SIDE, SIDE};
        if (!scene->floor.gray)
            exit(1);
        for (size_t i = 0; i < SIDE * SIDE; i++)
            scene->floor.gray[i] = (uint8_t)(i * 7 / 64);
    }
    double frame_s = time_of_frame(sim);
    bench_print(name, 1 / frame_s, "frames per CPU second", frame_s / time_of_writing(),
                "time of writing its 38400 bytes pixel by pixel");
    sim_destroy(sim);
    scene_destroy(scene);
}

void bench_camera(void)
{
    bench_scene("camera.empty", empty, false, false);
    bench_scene("camera.room", furnished, true, false);
    bench_scene("camera.picture", furnished, true, true);
}
