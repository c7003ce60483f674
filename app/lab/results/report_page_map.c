/* Part of the page of a report: the room of a scene, as a picture below its map. */
#include <limits.h>
#include <unistd.h>

#include "app/files/scene_file.h"
#include "app/lab/results/report_page.h"
#include "app/record/picture.h"
#include "base/number.h"

static const double WIDTH_MAX_PX = 900, HEIGHT_MAX_PX = 700; /* chosen: the width of the page */
static const double MARGIN = 0.05; /* chosen: of the longer side, so that the walls are seen */

/* Takes SCENE. */
static void paint(struct scene *scene, const struct picture_options *picture)
{
    struct live live = {0};
    struct error ignored = {0};
    struct sim *sim = live_sim(&live, scene, NULL, &ignored);
    if (sim)
        picture_write(sim, NULL, &live, picture, &ignored);
    sim_destroy(sim);
    live_close(&live);
    scene_destroy(scene);
}

void report_page_room(FILE *page, const char *path, const char *scene, size_t id)
{
    struct error ignored = {0};
    char file[PATH_MAX + 16];
    struct scene *room = scene_file_find(scene, false, &ignored);
    if (!room)
        return;
    double margin = MARGIN * number_larger(room->size_x_m, room->size_y_m);
    double x = room->low.x - margin, width = room->size_x_m + 2 * margin;
    double y = room->low.y - margin, height = room->size_y_m + 2 * margin;
    double px_per_m = number_smaller(WIDTH_MAX_PX / width, HEIGHT_MAX_PX / height);
    struct picture_view view = {
        .is_map = true, .span_m = width, .middle_x_m = x + width / 2, .middle_y_m = y + height / 2};
    snprintf(view.size, sizeof view.size, "%.0fx%.0f", width * px_per_m, height * px_per_m);
    snprintf(file, sizeof file, "%s.room.svg", path);
    paint(room, &(struct picture_options){.out = file, .view = &view});
    fprintf(page, "<img hidden alt=\"\" id=\"room-%zu\" data-bounds=\"%g %g %g %g\" src=\"", id, x,
            y, width, height);
    page_file(page, file, "image/svg+xml");
    fputs("\">\n", page);
    unlink(file);
}
