/* Words: names of robots, the title, the time, the scale and what the lines mean. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/viewer/drawing.h"

/* ---- Names ---- */

static const char *state_of(const struct snapshot_robot *robot)
{
    return robot->is_lifted ? " · lifted" : robot->is_docked ? " · docked" : "";
}

static void draw_name(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    const struct theme *theme = drawing->theme;
    char text[sizeof robot->label + 24];
    double low_m = robot->shape == ROBOT_DISC
                       ? (double)robot->radius_m
                       : fabs((double)robot->length_m * sin(robot->pose.heading_rad)) / 2 +
                             fabs((double)robot->width_m * cos(robot->pose.heading_rad)) / 2;
    struct viewport_point at =
        viewport_local_px(drawing->viewport, robot->pose, (double)robot->center_x_m, 0);
    at.y += drawing_px(drawing, low_m, 4) + 21;
    snprintf(text, sizeof text, "%s%s", robot->label, state_of(robot));
    draw_text(drawing->list,
              (struct draw_item){.flags = DRAW_HALO | DRAW_BOLD,
                                 .fill = theme->text,
                                 .stroke = theme->halo,
                                 .size_px = 15,
                                 .align = DRAW_CENTER},
              at, text);
}

void draw_labels(const struct drawing *drawing)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    for (size_t i = 0; i < snapshot->robots.count; i++)
        draw_name(drawing, &robots[i]);
}

/* ---- Around the picture ---- */

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
    draw_text(drawing->list,
              (struct draw_item){.flags = DRAW_MONO | DRAW_HALO,
                                 .fill = theme->faint,
                                 .stroke = theme->halo,
                                 .size_px = 16,
                                 .align = DRAW_RIGHT},
              (struct viewport_point){right_px, 31}, text);
}

/* The longest of 1, 2, 5 times a power of ten that fits. */
static double scale_m(const struct viewport *viewport, double most_px)
{
    double power = pow(10, floor(log10(most_px / viewport->px_per_m)));
    double fits = most_px / viewport->px_per_m / power;
    return power * (fits >= 5 ? 5 : fits >= 2 ? 2 : 1);
}

static void draw_scale(const struct drawing *drawing)
{
    const struct theme *theme = drawing->theme;
    double length_m = scale_m(drawing->viewport, 120);
    double length_px = length_m * drawing->viewport->px_per_m;
    double right = drawing->viewport->width_px - 24, low = drawing->viewport->height_px - 16;
    struct viewport_point bar[] = {
        {right - length_px, low - 5}, {right - length_px, low}, {right, low}, {right, low - 5}};
    char text[32];
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

/* One sign and its word; returns where the next one begins. */
static double draw_key(const struct drawing *drawing, double x_px, struct draw_item sign,
                       const char *word)
{
    double y_px = drawing->viewport->height_px - 20;
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
              (struct viewport_point){x_px + 28, y_px + 4}, word);
    return x_px + 28 + 8.0 * (double)strlen(word) + 16; // chosen: a letter is 8 px wide at most
}

static bool is_any_told(const struct snapshot *snapshot)
{
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    for (size_t i = 0; i < snapshot->robots.count; i++)
        if (robots[i].has_told && robots[i].told_trail.count > 1)
            return true;
    return false;
}

static void draw_legend(const struct drawing *drawing)
{
    const struct theme *theme = drawing->theme;
    uint32_t shows = drawing->viewport->shows;
    double x_px = 24;
    if (shows & SHOW_CONES && drawing->snapshot->docks.count > 0) {
        const uint32_t colors[] = {theme->left, theme->center, theme->right};
        static const char *const words[] = {"L left", "C center", "R right"};
        for (int i = 0; i < 3; i++)
            x_px = draw_key(drawing, x_px,
                            (struct draw_item){.fill = theme_alpha(colors[i], 0.35),
                                               .stroke = colors[i],
                                               .width_px = 1.25},
                            words[i]);
    }
    if (shows & SHOW_TOLD && is_any_told(drawing->snapshot)) {
        x_px = draw_key(drawing, x_px, (struct draw_item){.stroke = theme->trail, .width_px = 2.5},
                        "true way");
        draw_key(drawing, x_px,
                 (struct draw_item){.stroke = theme->told, .width_px = 2, .dash_px = 6},
                 "odometry");
    }
}

void draw_caption(const struct drawing *drawing)
{
    draw_title(drawing);
    draw_scale(drawing);
    draw_legend(drawing);
}
