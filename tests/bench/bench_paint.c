/* Rooms of 1, 10 and 100 robots, and one with a dock, 1280 x 800 pixels, one core. */
#include "tests/bench/bench_paint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/parse/scene_parse.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"
#include "tests/bench/bench.h"
#include "viewer/paint/paint.h"

enum { WIDTH = 1280, HEIGHT = 800, BYTES = WIDTH * HEIGHT * 4, FRAMES = 200 };

/* What is measured: a simulation and where it is painted. */
struct stage {
    struct sim *sim;
    void *snapshot;
    size_t size;
    struct painter *painter;
    cairo_surface_t *surface;
    unsigned char *shown;
};

/* A room of Kobukis, all of them turned another way; with a dock, if wanted. */
static struct sim *room_of(int robots, bool has_dock, struct scene **scene)
{
    static char yaml[32768];
    struct error error = {0};
    size_t used = (size_t)snprintf(yaml, sizeof yaml, "world:\n  size: {x: 10, y: 10}\n%srobots:\n",
                                   has_dock ? "  docks: [{name: dock, pose: {x: 9.7, y: 5, "
                                              "heading: 180}}]\n"
                                            : "");
    for (int i = 0; i < robots; i++)
        used +=
            (size_t)snprintf(yaml + used, sizeof yaml - used,
                             "  - {name: k%d, type: kobuki, pose: {x: %g, y: %g, heading: %d}}\n",
                             i, 0.5 + i % 10 * 0.95, 0.5 + i / 10 * 0.95, i * 37 % 360);
    *scene = scene_parse(yaml, used, "bench", &error);
    struct sim *sim = *scene ? sim_create(*scene, NULL, NULL, &error) : NULL;
    if (!sim)
        fprintf(stderr, "bench: %s\n", error.text);
    return sim;
}

/* Each returns its CPU time for a frame. */
static double empty_s(struct stage *stage)
{
    double start = bench_cpu_s();
    memset(cairo_image_surface_get_data(stage->surface), 0xEE, BYTES);
    memcpy(stage->shown, cairo_image_surface_get_data(stage->surface), BYTES);
    return bench_cpu_s() - start;
}

static double fill_s(struct stage *stage)
{
    double start = bench_cpu_s();
    snapshot_fill(stage->sim, NULL, stage->snapshot, stage->size);
    return bench_cpu_s() - start;
}

static double paint_s(struct stage *stage)
{
    struct viewport viewport = {
        .width_px = WIDTH, .height_px = HEIGHT, .shows = SHOW_ALL, .selected = VIEWPORT_NOBODY};
    viewport_fit(&viewport, stage->snapshot);
    double start = bench_cpu_s();
    painter_paint(stage->painter, stage->surface, 1, &viewport, stage->snapshot);
    cairo_surface_flush(stage->surface);
    memcpy(stage->shown, cairo_image_surface_get_data(stage->surface), BYTES);
    return bench_cpu_s() - start;
}

/* Each picture is another one: a millisecond moves the robots on, and the time that it tells. Empty
 * frames and painted ones take turns, each behind a step, and the best of each counts: what else
 * goes through the caches hits all alike. */
static void bench_stage(const char *name, struct stage *stage)
{
    double empty = 1e9, fill = 1e9, paint = 1e9;
    char line[64];
    for (int i = 0; i < 2 * FRAMES; i++) {
        bool is_empty = i % 2 == 1;
        sim_step(stage->sim);
        double filled = fill_s(stage);
        double took = is_empty ? empty_s(stage) : paint_s(stage);
        double *best = is_empty ? &empty : &paint;
        *best = took < *best ? took : *best;
        fill = filled < fill ? filled : fill;
    }
    snprintf(line, sizeof line, "paint.%s.snapshot", name);
    bench_print(line, fill * 1e6, "us of CPU", fill / empty, "clearing and copying a frame");
    snprintf(line, sizeof line, "paint.%s.frame", name);
    bench_print(line, 1 / paint, "frames per CPU second", paint / empty,
                "clearing and copying a frame");
}

static void bench_room(const char *name, int robots, bool has_dock, cairo_surface_t *surface,
                       unsigned char *shown)
{
    char line[64];
    struct scene *scene;
    snprintf(line, sizeof line, "paint.%s.", name);
    if (!bench_wants(line))
        return;
    struct stage stage = {.sim = room_of(robots, has_dock, &scene),
                          .painter = painter_create(),
                          .surface = surface,
                          .shown = shown};
    if (!stage.sim || !stage.painter)
        exit(1);
    for (int i = 0; i < 200; i++)
        sim_step(stage.sim);
    stage.size = snapshot_size(stage.sim);
    stage.snapshot = calloc(1, stage.size);
    if (!stage.snapshot)
        exit(1);
    bench_stage(name, &stage);
    free(stage.snapshot);
    painter_destroy(stage.painter);
    sim_destroy(stage.sim);
    scene_destroy(scene);
}

void bench_paint(void)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    unsigned char *shown = malloc(BYTES);
    if (!shown || cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS)
        exit(1);
    bench_room("1", 1, false, surface, shown);
    bench_room("10", 10, false, surface, shown);
    bench_room("100", 100, false, surface, shown);
    bench_room("dock", 10, true, surface, shown);
    free(shown);
    cairo_surface_destroy(surface);
}
