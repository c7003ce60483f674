#include "app/lab/results/report_map.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <unistd.h>

#include "app/files/page.h"
#include "app/files/scene_file.h"
#include "app/lab/results/report_charts.h"
#include "app/record/picture.h"
#include "app/test/judgement.h"
#include "base/angle.h"
#include "base/number.h"
#include "sim/sim.h"

/* chosen: pixels; as wide as the page, with room for the numbers of the grid */
static const double WIDTH_MAX_PX = 900, HEIGHT_MAX_PX = 700, MARGIN_PX = 44;
static const double FEW = 300; /* chosen: so many dots are as large as one likes */

/* Which part of the room is seen, and how large. */
struct map {
    double low_x_m, low_y_m, size_x_m, size_y_m; /* within the margins */
    double px_per_m;
    int width_px, height_px;
};

static void choose_size(struct map *map)
{
    map->px_per_m = number_smaller((WIDTH_MAX_PX - 2 * MARGIN_PX) / map->size_x_m,
                                   (HEIGHT_MAX_PX - 2 * MARGIN_PX) / map->size_y_m);
    map->width_px = (int)ceil(map->size_x_m * map->px_per_m + 2 * MARGIN_PX);
    map->height_px = (int)ceil(map->size_y_m * map->px_per_m + 2 * MARGIN_PX);
}

/* As struct picture_view says it: the middle of what is seen is that of the picture. */
static double x_px(const struct map *map, double x_m)
{
    return map->width_px / 2.0 + (x_m - map->low_x_m - map->size_x_m / 2) * map->px_per_m;
}

static double y_px(const struct map *map, double y_m)
{
    return map->height_px / 2.0 - (y_m - map->low_y_m - map->size_y_m / 2) * map->px_per_m;
}

/* ---- The room ---- */

/* Takes SCENE. */
static bool paint(struct scene *scene, const struct map *map, const char *out)
{
    struct live live = {0};
    struct error ignored = {0};
    struct sim *sim = NULL;
    struct picture_view view = {.is_map = true,
                                .span_m = map->width_px / map->px_per_m,
                                .middle_x_m = map->low_x_m + map->size_x_m / 2,
                                .middle_y_m = map->low_y_m + map->size_y_m / 2};
    snprintf(view.size, sizeof view.size, "%dx%d", map->width_px, map->height_px);
    const struct picture_options picture = {.out = out, .view = &view};
    if (live_open(&live, scene, &ignored)) {
        const struct run_rows rows = live_rows(&live);
        sim = sim_create(scene, NULL, &rows, &ignored);
    }
    bool is_painted = sim && picture_write(sim, NULL, &live, &picture, &ignored);
    sim_destroy(sim);
    live_close(&live);
    scene_destroy(scene);
    return is_painted;
}

static void find_bounds(struct map *map, const struct map_place *places, size_t count)
{
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        low_x = number_smaller(low_x, places[i].x_m);
        high_x = number_larger(high_x, places[i].x_m);
        low_y = number_smaller(low_y, places[i].y_m);
        high_y = number_larger(high_y, places[i].y_m);
    }
    // A line, or a point, has some room around it.
    map->low_x_m = low_x - 0.5;
    map->low_y_m = low_y - 0.5;
    map->size_x_m = high_x - low_x + 1;
    map->size_y_m = high_y - low_y + 1;
}

/* The frame, and where it is. */
static void put_frame(FILE *page, const struct map *map)
{
    double left = x_px(map, map->low_x_m), bottom = y_px(map, map->low_y_m);
    double right = x_px(map, map->low_x_m + map->size_x_m);
    double top = y_px(map, map->low_y_m + map->size_y_m);
    fprintf(page,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#999\"/><text x=\"%.1f\" y=\"%.1f\">x %.2f m, y %.2f m</text>"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">x %.2f m, y %.2f m</text>\n",
            left, top, right - left, bottom - top, left, bottom + 20, map->low_x_m, map->low_y_m,
            right, top - 12, map->low_x_m + map->size_x_m, map->low_y_m + map->size_y_m);
}

static void put_room(FILE *page, const struct map *map, const char *picture)
{
    fprintf(page, "<image width=\"%d\" height=\"%d\" href=\"", map->width_px, map->height_px);
    page_data(page, picture, "image/svg+xml");
    fputs("\"/>\n", page);
}

/* ---- Dots ---- */

/* A dot with a line where the robot looks. */
static void put_dot(FILE *page, const struct map *map, const struct map_place *place, double radius)
{
    double x = x_px(map, place->x_m), y = y_px(map, place->y_m),
           turn = place->heading_deg * ANGLE_RAD_DEG;
    const char *color = place->share.k == place->share.n ? chart_colors[JUDGEMENT_PASSED]
                        : place->share.k == 0            ? chart_colors[JUDGEMENT_FAILED]
                                                         : "#e39b00";
    fprintf(page,
            "<g fill=\"%s\" stroke=\"%s\"><path d=\"M%.1f %.1fL%.1f %.1f\"/>"
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" stroke=\"#fff\" stroke-width=\"0.5\"/>"
            "<title>",
            color, color, x, y, x + 2.4 * radius * cos(turn), y - 2.4 * radius * sin(turn), x, y,
            radius);
    page_text(page, place->name);
    fprintf(page, ": x %.3g m, y %.3g m, %.0f degrees; %zu of %zu passed</title></g>\n", place->x_m,
            place->y_m, place->heading_deg, place->share.k, place->share.n);
}

/* Those that failed lie above the others. */
static void put_dots(FILE *page, const struct map *map, const struct map_place *places,
                     size_t count)
{
    double radius = number_between(4.5 * sqrt(FEW / (double)count), 2.2, 5);
    for (int is_failed = 0; is_failed < 2; is_failed++)
        for (size_t i = 0; i < count; i++)
            if ((places[i].share.k < places[i].share.n) == is_failed)
                put_dot(page, map, &places[i], is_failed ? radius * 1.3 : radius);
}

void report_map(FILE *page, const char *path, const char *scene, const struct map_place *places,
                size_t count)
{
    struct error ignored = {0};
    struct map map;
    char picture[PATH_MAX + 16];
    bool has_room = false;
    snprintf(picture, sizeof picture, "%s.room.svg", path);
    struct scene *room = scene_file_find(scene, false, &ignored);
    if (room)
        map = (struct map){.low_x_m = room->low.x,
                           .low_y_m = room->low.y,
                           .size_x_m = room->size_x_m,
                           .size_y_m = room->size_y_m};
    else
        find_bounds(&map, places, count);
    choose_size(&map);
    if (room)
        has_room = paint(room, &map, picture);
    fprintf(page, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" font-size=\"13\">\n", map.width_px,
            map.height_px, map.width_px);
    if (has_room)
        put_room(page, &map, picture);
    put_frame(page, &map);
    put_dots(page, &map, places, count);
    fputs("</svg>\n", page);
    unlink(picture);
}
