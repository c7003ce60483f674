/* Rooms with 1, 10 and 100 robots at rest; and with 10 robots that drive in the light of a dock,
 * with full trails, and with scanners. 1280 x 800 pixels, one core. */
#include "tests/bench/bench_paint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/parse/scene_parse.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"
#include "sim/watch/watch.h"
#include "tests/bench/bench.h"
#include "viewer/paint/paint.h"

enum { WIDTH = 1280, HEIGHT = 800, BYTES = WIDTH * HEIGHT * 4, FRAMES = 200, WARM = 400 };
enum { FRAME_MS = 16 }; /* about that of a screen with 60 frames per second */

/* The measured simulation and the surface on which it is painted. */
struct stage {
    struct sim *sim;
    struct watch *watch;
    void *snapshot;
    size_t size;
    struct painter *painter;
    cairo_surface_t *surface;
    unsigned char *shown;
};

/* Rooms of Kobukis, each with a different heading. */
struct room {
    const char *name;
    int robots;
    bool drives, has_dock, has_scanners;
    int run_in_ms;
};

static const struct room rooms[] = {
    {"1", .robots = 1, .run_in_ms = 200},
    {"10", .robots = 10, .run_in_ms = 200},
    {"100", .robots = 100, .run_in_ms = 200},
    {"dock", .robots = 10, .has_dock = true, .run_in_ms = 200},
    {"light", .robots = 10, .drives = true, .has_dock = true, .run_in_ms = 5000},
    {"trails", .robots = 10, .drives = true, .run_in_ms = 60000}, // they have 256 points
    {"scans", .robots = 10, .drives = true, .has_scanners = true, .run_in_ms = 5000},
};

static struct sim *sim_of(const struct room *room, struct scene **scene)
{
    static char yaml[32768];
    struct error error = {0};
    size_t used = (size_t)snprintf(yaml, sizeof yaml, "world:\n  size: {x: 10, y: 10}\n%srobots:\n",
                                   room->has_dock ? "  docks: [{name: dock, pose: {x: 9.7, y: 5, "
                                                    "heading: 180}}]\n"
                                                  : "");
    for (int i = 0; i < room->robots; i++) {
        used +=
            (size_t)snprintf(yaml + used, sizeof yaml - used,
                             "  - {name: k%d, type: kobuki, pose: {x: %g, y: %g, heading: %d}}\n",
                             i, 0.5 + i % 10 * 0.95,
                             (room->drives ? 2.5 + i % 2 * 3 : 0.5) + i / 10 * 0.95, i * 37 % 360);
        if (room->has_scanners)
            used += (size_t)snprintf(yaml + used, sizeof yaml - used,
                                     "  - {name: l%d, type: ld06, mount: {on: k%d}}\n", i, i);
    }
    *scene = scene_parse(yaml, used, "bench", &error);
    struct sim *sim = *scene ? sim_create(*scene, NULL, NULL, &error) : NULL;
    if (!sim)
        fprintf(stderr, "bench: %s\n", error.text);
    return sim;
}

/* Base control 200 mm/s on a 400 mm arc (Kobuki protocol, Base Control). */
static const uint8_t drive_on[] = {0xaa, 0x55, 6, 1, 4, 0xc8, 0x00, 0x90, 0x01, 0x5a};

static void run(const struct stage *stage, const struct room *room, int ms)
{
    for (int step = 0; step < ms; step++) {
        for (size_t c = 0; room->drives && c < sim_channel_count(stage->sim); c++) {
            const uint8_t *bytes;
            size_t size;
            while (sim_output(stage->sim, c, &bytes, &size))
                sim_host_bytes(stage->sim, c, drive_on, sizeof drive_on);
        }
        sim_step(stage->sim);
    }
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
    snapshot_fill(stage->sim, stage->watch, stage->snapshot, stage->size);
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

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* For rooms at rest, the best frame counts: other use of the caches affects all frames equally. For
 * other rooms the median counts, since frames differ. */
static double typical(const struct room *room, double *took, size_t count)
{
    qsort(took, count, sizeof *took, compare);
    return took[room->drives ? count / 2 : 0];
}

/* Empty and painted frames alternate. Before each, the robots drive for the time of a frame.
 */
static void bench_stage(const struct room *room, struct stage *stage)
{
    static double empties[FRAMES], fills[2 * FRAMES], paints[FRAMES];
    char line[64];
    for (int i = -WARM; i < 2 * FRAMES; i++) {
        run(stage, room, FRAME_MS);
        double filled = fill_s(stage);
        double took = i >= 0 && i % 2 == 1 ? empty_s(stage) : paint_s(stage);
        if (i < 0)
            continue; // what is cached is there
        fills[i] = filled;
        (i % 2 == 1 ? empties : paints)[i / 2] = took;
    }
    double empty = typical(room, empties, FRAMES), fill = typical(room, fills, COUNT(fills));
    double paint = typical(room, paints, FRAMES);
    snprintf(line, sizeof line, "paint.%s.snapshot", room->name);
    bench_print(line, fill * 1e6, "us of CPU", fill / empty, "clearing and copying a frame");
    snprintf(line, sizeof line, "paint.%s.frame", room->name);
    bench_print(line, 1 / paint, "frames per CPU second", paint / empty,
                "clearing and copying a frame");
}

static void bench_room(const struct room *room, cairo_surface_t *surface, unsigned char *shown)
{
    char line[64];
    struct scene *scene;
    snprintf(line, sizeof line, "paint.%s.", room->name);
    if (!bench_wants(line))
        return;
    struct stage stage = {.sim = sim_of(room, &scene),
                          .painter = painter_create(),
                          .surface = surface,
                          .shown = shown};
    stage.watch = stage.sim ? watch_create(stage.sim, WATCH_TRAILS) : NULL;
    if (!stage.watch || !stage.painter)
        exit(1);
    for (size_t c = 0; room->drives && c < sim_channel_count(stage.sim); c++)
        sim_host_present(stage.sim, c, true);
    run(&stage, room, room->run_in_ms);
    stage.size = snapshot_size(stage.sim);
    stage.snapshot = calloc(1, stage.size);
    if (!stage.snapshot)
        exit(1);
    bench_stage(room, &stage);
    const char *picture = getenv("PTYBOT_BENCH_ROOMS"); // a folder, to look at them
    if (picture) {
        snprintf(line, sizeof line, "%.40s/%s.png", picture, room->name);
        paint_s(&stage);
        cairo_surface_write_to_png(surface, line);
    }
    free(stage.snapshot);
    painter_destroy(stage.painter);
    watch_destroy(stage.watch);
    sim_destroy(stage.sim);
    scene_destroy(scene);
}

void bench_paint(void)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    unsigned char *shown = malloc(BYTES);
    if (!shown || cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS)
        exit(1);
    for (size_t i = 0; i < COUNT(rooms); i++)
        bench_room(&rooms[i], surface, shown);
    free(shown);
    cairo_surface_destroy(surface);
}
