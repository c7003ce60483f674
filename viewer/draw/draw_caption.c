/* Text around the picture: the title, the time, the scale bar and the legend. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/draw/draw.h"

static const double SCALE_PX = 120; /* chosen: the longest scale bar */

/* ---- Around the picture ---- */

/* A background for text that may lie on anything; in the color of the page, so not seen on it. */
static void draw_plate(const struct drawing *drawing, double left, double top, double right,
                       double low)
{
    struct viewport_point corners[] = {{left, top}, {right, top}, {right, low}, {left, low}};
    draw_polygon(drawing->list, (struct draw_item){.fill = theme_alpha(drawing->theme->page, 0.85)},
                 corners, 4);
}

static void draw_title(const struct drawing *drawing)
{
    const struct theme *theme = drawing->theme;
    double right_px = drawing->viewport->width_px - 24;
    char text[64];
    draw_text(drawing->list,
              (struct draw_item){.flags = DRAW_BOLD | DRAW_HALO,
                                 .fill = theme->text,
                                 .stroke = theme->halo,
                                 .size_px = 20},
              (struct viewport_point){24, 31}, drawing->snapshot->title);
    snprintf(text, sizeof text, "%.2f s%s", (double)drawing->snapshot->now_us * 1e-6,
             drawing->snapshot->is_paused ? "  paused" : "");
    draw_plate(drawing, right_px - 9.7 * (double)strlen(text) - 6, 13, right_px + 6, 37);
    draw_text(drawing->list,
              (struct draw_item){
                  .flags = DRAW_MONO, .fill = theme->faint, .size_px = 16, .align = DRAW_RIGHT},
              (struct viewport_point){right_px, 31}, text);
}

/* The longest of 1, 2 or 5 times a power of ten that fits into MOST_PX. */
static double scale_m(const struct viewport *viewport, double most_px)
{
    double power = pow(10, floor(log10(most_px / viewport->px_per_m)));
    double fits = most_px / viewport->px_per_m / power;
    return power * (fits >= 5 ? 5 : fits >= 2 ? 2 : 1);
}

static void draw_scale(const struct drawing *drawing)
{
    const struct theme *theme = drawing->theme;
    double length_m = scale_m(drawing->viewport, SCALE_PX);
    double length_px = length_m * drawing->viewport->px_per_m;
    double right = drawing->viewport->width_px - 24, low = drawing->viewport->height_px - 16;
    struct viewport_point bar[] = {
        {right - length_px, low - 5}, {right - length_px, low}, {right, low}, {right, low - 5}};
    char text[32];
    draw_plate(drawing, right - fmax(length_px, 48) - 6, low - 24, right + 6, low + 6);
    draw_line(drawing->list,
              (struct draw_item){.flags = DRAW_BUTT, .stroke = theme->faint, .width_px = 1.75}, bar,
              4);
    if (length_m < 1)
        snprintf(text, sizeof text, "%g cm", round(length_m * 1000) / 10);
    else
        snprintf(text, sizeof text, "%g m", round(length_m));
    draw_text(drawing->list,
              (struct draw_item){.flags = DRAW_HALO,
                                 .fill = theme->faint,
                                 .stroke = theme->halo,
                                 .size_px = 14,
                                 .align = DRAW_CENTER},
              (struct viewport_point){right - length_px / 2, low - 6}, text);
}

/* One symbol of the legend and its word, left out if there is no room. Returns where the next one
 * begins. */
static double draw_key(const struct drawing *drawing, double x_px, struct draw_item sign,
                       const char *word)
{
    double y_px = drawing->viewport->height_px - 20;
    double next_px = x_px + 28 + 8.0 * (double)strlen(word) + 16; // chosen: as for wide letters
    if (next_px > drawing->viewport->width_px - SCALE_PX - 24)
        return x_px;
    struct viewport_point ends[] = {{x_px, y_px}, {x_px + 22, y_px}};
    if (sign.fill) {
        struct viewport_point box[] = {
            {x_px, y_px - 6}, {x_px + 22, y_px - 6}, {x_px + 22, y_px + 5}, {x_px, y_px + 5}};
        draw_polygon(drawing->list, sign, box, 4);
    } else {
        draw_line(drawing->list, sign, ends, 2);
    }
    draw_text(drawing->list,
              (struct draw_item){.flags = DRAW_HALO,
                                 .fill = drawing->theme->faint,
                                 .stroke = drawing->theme->halo,
                                 .size_px = 14},
              (struct viewport_point){x_px + 28, y_px + 4.5}, word);
    return next_px;
}

static bool has_odometry_trail(const struct snapshot *snapshot)
{
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    for (size_t i = 0; i < snapshot->robots.count; i++)
        if (robots[i].has_odometry && robots[i].odometry_trail.count > 1)
            return true;
    return false;
}

static bool is_any_sensor(const struct snapshot *snapshot, unsigned kind)
{
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    for (size_t i = 0; i < snapshot->robots.count; i++)
        for (uint32_t k = 0; k < robots[i].sensor_count; k++)
            if (robots[i].sensors[k].kind == kind)
                return true;
    return false;
}

static struct draw_item box_key(uint32_t color, double fill, double edge, double dash_px)
{
    return (struct draw_item){.fill = theme_alpha(color, fill),
                              .stroke = theme_alpha(color, edge),
                              .width_px = 1.25,
                              .dash_px = dash_px};
}

/* Whose light has a left, a center and a right, near and far. */
static bool has_kobuki_dock(const struct snapshot *snapshot)
{
    const struct snapshot_dock *docks = snapshot_at(snapshot, snapshot->docks);
    for (size_t i = 0; i < snapshot->docks.count; i++)
        if (docks[i].kind == DOCK_KOBUKI)
            return true;
    return false;
}

static void draw_legend(const struct drawing *drawing)
{
    const struct theme *theme = drawing->theme;
    const struct snapshot *snapshot = drawing->snapshot;
    uint32_t shows = drawing->viewport->shows;
    bool has_docks = shows & SHOW_CONES && has_kobuki_dock(snapshot);
    double x_px = 24;
    if (has_docks) {
        x_px = draw_key(drawing, x_px, box_key(theme->left, 0.35, 1, 0), "L left");
        x_px = draw_key(drawing, x_px, box_key(theme->center, 0.35, 1, 0), "C center");
        x_px = draw_key(drawing, x_px, box_key(theme->right, 0.35, 1, 0), "R right");
    }
    if (shows & SHOW_ODOMETRY && has_odometry_trail(snapshot)) {
        x_px = draw_key(drawing, x_px, (struct draw_item){.stroke = theme->trail, .width_px = 2.5},
                        "true way");
        x_px = draw_key(drawing, x_px,
                        (struct draw_item){.stroke = theme->odometry, .width_px = 2, .dash_px = 6},
                        "odometry");
    }
    if (has_docks) {
        x_px = draw_key(drawing, x_px, box_key(theme->faint, 0.35, 1, 0), "near");
        x_px = draw_key(drawing, x_px, box_key(theme->faint, 0.15, 1, 4), "far");
    }
    if (shows & SHOW_RAYS && is_any_sensor(snapshot, SENSOR_RANGE))
        x_px = draw_key(drawing, x_px, box_key(theme->ray, 0.3, 0.8, 0), "range");
    if (shows & SHOW_RAYS && is_any_sensor(snapshot, SENSOR_CAMERA))
        draw_key(drawing, x_px, box_key(theme->selection, 0.3, 0.8, 0), "camera");
}

void draw_caption(const struct drawing *drawing)
{
    draw_title(drawing);
    draw_scale(drawing);
    draw_legend(drawing);
}
