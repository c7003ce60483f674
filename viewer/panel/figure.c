#include "viewer/panel/figure.h"

#include <math.h>
#include <stdio.h>

/* ---- Plots: a signal over the last seconds ---- */

/* The age of a point as a fraction of the time shown; more than 1: too old. */
static double age_of(const struct plot *plot, size_t slot, int64_t now_us)
{
    return (double)(now_us - plot->at_us[slot]) / (double)PLOT_SPAN_US;
}

static void find_range(const struct plot *plot, size_t count, int64_t now_us, float *low,
                       float *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        float value = plot->value[i];
        if (age_of(plot, i, now_us) > 1)
            continue;
        *low = value < *low ? value : *low;
        *high = value > *high ? value : *high;
    }
    if (!(*low <= *high))
        *low = *high = 0;
}

static void draw_curve(const struct ui *ui, const struct plot *plot, struct ui_rect box,
                       int64_t now_us, float low, float high, uint32_t color)
{
    struct viewport_point points[PLOT_POINTS];
    size_t count = plot->total < PLOT_POINTS ? (size_t)plot->total : PLOT_POINTS, shown = 0;
    // chosen: less than this is rounding, not motion
    double span = fmax((double)(high - low), 1e-3), middle = (double)(low + high) / 2;
    for (size_t i = 0; i < count; i++) {
        size_t slot = (size_t)((plot->total - count + i) % PLOT_POINTS);
        double age = age_of(plot, slot, now_us);
        double part = ((double)plot->value[slot] - middle) / span + 0.5;
        if (age > 1 || !isfinite(part))
            continue;
        points[shown++] = (struct viewport_point){box.x_px + box.width_px * (1 - age),
                                                  box.y_px + 6 + (box.height_px - 12) * (1 - part)};
    }
    if (shown > 1)
        draw_line(ui->list, (struct draw_item){.stroke = color, .width_px = 1.5}, points, shown);
}

static void write_bound(char *text, size_t size, float value)
{
    snprintf(text, size, "%.4g", fabs((double)value) < 5e-4 ? 0 : (double)value);
}

static void draw_plot(const struct ui *ui, const struct view *view, const struct plot *plot,
                      struct ui_rect box)
{
    const struct theme *theme = ui->theme;
    const uint32_t colors[] = {theme->left, theme->right, theme->center, theme->odometry};
    size_t count = plot->total < PLOT_POINTS ? (size_t)plot->total : PLOT_POINTS;
    struct draw_item style = {
        .flags = DRAW_HALO, .fill = theme->faint, .stroke = ui_surface_color(theme), .size_px = 10};
    int64_t now_us = view->snapshot->now_us;
    float low, high;
    char text[32];
    find_range(plot, count, now_us, &low, &high);
    ui_box(ui, box, 4, (struct draw_item){.fill = theme_alpha(theme->faint, 0.08)});
    draw_curve(ui, plot, box, now_us, low, high, colors[(plot - view->plots.plot) % 4]);
    write_bound(text, sizeof text, high);
    ui_text(ui, box.x_px + 4, box.y_px + 12, text, style);
    write_bound(text, sizeof text, low);
    if (high - low > 1e-3f)
        ui_text(ui, box.x_px + 4, box.y_px + box.height_px - 4, text, style);
    style.align = DRAW_RIGHT;
    ui_text(ui, box.x_px + box.width_px - 4, box.y_px + box.height_px - 4, "10 s", style);
}

/* ---- All of them ---- */

void figure_draw(const struct ui *ui, const struct view *view, const struct row *row,
                 struct ui_rect box)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct plot *plot = plots_find(&view->plots, row->number);
    if (row->kind == ROW_PLOT && plot)
        draw_plot(ui, view, plot, box);
    if (row->kind != ROW_IMAGE || row->number >= snapshot->robots.count)
        return;
    const struct snapshot_robot *robot =
        (const struct snapshot_robot *)snapshot_at(snapshot, snapshot->robots) + row->number;
    draw_image(ui->list, (struct draw_item){0}, (struct viewport_point){box.x_px, box.y_px},
               (struct viewport_point){box.x_px + box.width_px, box.y_px + box.height_px},
               snapshot_at(snapshot, robot->image), robot->image_width, robot->image_height, true);
}
