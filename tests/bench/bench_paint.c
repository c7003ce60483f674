/* Rooms of 1, 10 and 100 robots, and one with a dock, 1280 x 800 pixels, one core. */
#include "tests/bench/bench_paint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scene/scene.h"
#include "sim/sim.h"
#include "tests/bench/bench.h"
#include "viewer/paint/paint.h"

enum { WIDTH = 1280, HEIGHT = 800, BYTES = WIDTH * HEIGHT * 4, FRAMES = 120 };

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

/* CPU time of clearing a frame and of copying it to where it is shown. */
static double empty_frame_s(cairo_surface_t *surface, unsigned char *shown)
{
    double start = bench_cpu_s();
    for (int i = 0; i < FRAMES; i++) {
        memset(cairo_image_surface_get_data(surface), i, BYTES);
        memcpy(shown, cairo_image_surface_get_data(surface), BYTES);
    }
    return (bench_cpu_s() - start) / FRAMES;
}

static double fill_s(struct sim *sim, void *snapshot, size_t size)
{
    double took = 0;
    for (int i = 0; i < FRAMES; i++) {
        sim_step(sim);
        double start = bench_cpu_s();
        snapshot_fill(sim, NULL, snapshot, size);
        took += bench_cpu_s() - start;
    }
    return took / FRAMES;
}

/* Each picture is another one: a millisecond, and then a hand, moves the robots on. */
static double paint_s(struct sim *sim, void *snapshot, size_t size, cairo_surface_t *surface,
                      unsigned char *shown)
{
    struct painter *painter = painter_create();
    struct viewport viewport = {
        .width_px = WIDTH, .height_px = HEIGHT, .shows = SHOW_ALL, .selected = VIEWPORT_NOBODY};
    double took = 0;
    for (int i = -1; i < FRAMES; i++) {
        sim_step(sim);
        snapshot_fill(sim, NULL, snapshot, size);
        viewport_fit(&viewport, snapshot);
        double start = bench_cpu_s();
        painter_paint(painter, surface, 1, &viewport, snapshot);
        cairo_surface_flush(surface);
        memcpy(shown, cairo_image_surface_get_data(surface), BYTES);
        if (i >= 0) /* the first paints what stands still */
            took += bench_cpu_s() - start;
    }
    painter_destroy(painter);
    return took / FRAMES;
}

static void bench_room(const char *name, int robots, bool has_dock, cairo_surface_t *surface,
                       unsigned char *shown)
{
    char line[64];
    struct scene *scene;
    struct sim *sim = room_of(robots, has_dock, &scene);
    if (!sim)
        exit(1);
    for (int i = 0; i < 200; i++)
        sim_step(sim);
    size_t size = snapshot_size(sim);
    void *snapshot = calloc(1, size);
    if (!snapshot)
        exit(1);
    double empty = empty_frame_s(surface, shown);
    double fill = fill_s(sim, snapshot, size);
    double paint = paint_s(sim, snapshot, size, surface, shown);
    snprintf(line, sizeof line, "paint.%s.snapshot", name);
    bench_print(line, fill * 1e6, "us of CPU", fill / empty, "clearing and copying a frame");
    snprintf(line, sizeof line, "paint.%s.frame", name);
    bench_print(line, 1 / paint, "frames per CPU second", paint / empty,
                "clearing and copying a frame");
    free(snapshot);
    sim_destroy(sim);
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
