#include "viewer/panel/figure.h"

#include <math.h>
#include <stdio.h>

#include "viewer/panel/signal_text.h"

/* ---- Plots: the signals of a unit over the last seconds ---- */

static const double LEGEND_PX = 15, BOUNDS_PX = 48; /* of their bounds */

/* Data shared by the plots of a figure. */
struct axes {
    struct ui_rect box, plot; /* PLOT is without the bounds */
    int64_t now_us;
    double low, high;
    double cursor; /* age at the mouse; negative: the mouse is elsewhere */
};

static size_t count_of(const struct plot *plot)
{
    return plot->total < PLOT_POINTS ? (size_t)plot->total : PLOT_POINTS;
}

/* The age of a point as a fraction of the time shown; more than 1: too old. */
static double age_of(const struct plot *plot, size_t slot, int64_t now_us)
{
    return (double)(now_us - plot->at_us[slot]) / (double)PLOT_SPAN_US;
}

static void extend_range(struct axes *axes, const struct plot *plot)
{
    for (size_t i = 0; i < count_of(plot); i++) {
        double value = (double)plot->value[i];
        if (age_of(plot, i, axes->now_us) > 1)
            continue;
        axes->low = value < axes->low ? value : axes->low;
        axes->high = value > axes->high ? value : axes->high;
    }
}

/* The value nearest to an age; NAN: the plot has no value there. */
static double value_at(const struct plot *plot, double age, int64_t now_us)
{
    double value = NAN, nearest = INFINITY;
    for (size_t i = 0; i < count_of(plot); i++) {
        double off = fabs(age_of(plot, i, now_us) - age);
        value = off < nearest ? (double)plot->value[i] : value;
        nearest = fmin(off, nearest);
    }
    return value;
}

static void draw_curve(const struct ui *ui, const struct plot *plot, const struct axes *axes,
                       uint32_t color)
{
    struct viewport_point points[PLOT_POINTS];
    struct ui_rect box = axes->plot;
    size_t count = count_of(plot), shown = 0;
    // chosen: a smaller difference is rounding, not motion
    double span = fmax(axes->high - axes->low, 1e-3), middle = (axes->low + axes->high) / 2;
    for (size_t i = 0; i < count; i++) {
        size_t slot = (size_t)((plot->total - count + i) % PLOT_POINTS);
        double age = age_of(plot, slot, axes->now_us);
        double part = ((double)plot->value[slot] - middle) / span + 0.5;
        if (age > 1 || !isfinite(part))
            continue;
        points[shown++] = (struct viewport_point){box.x_px + box.width_px * (1 - age),
                                                  box.y_px + 6 + (box.height_px - 12) * (1 - part)};
    }
    if (shown > 1)
        draw_line(ui->list, (struct draw_item){.stroke = color, .width_px = 1.5}, points, shown);
}

/* The name of a signal and its value, now or at the cursor, above the figure. */
static void draw_key(const struct ui *ui, const struct view *view, const struct plot *plot,
                     const struct axes *axes, double y_px, uint32_t color)
{
    const struct snapshot *snapshot = view->snapshot;
    struct draw_item style = {.flags = DRAW_BOLD, .fill = color, .size_px = 11};
    char text[192];
    signal_text(snapshot, plot->signal, value_at(plot, fmax(axes->cursor, 0), axes->now_us), text,
                sizeof text);
    ui_text(ui, axes->box.x_px, y_px,
            snapshot_text(snapshot, signal_of(snapshot, plot->signal)->name), style);
    style.align = DRAW_RIGHT;
    style.flags = DRAW_MONO;
    style.fill = ui->theme->text;
    ui_text(ui, axes->box.x_px + axes->box.width_px, y_px, text, style);
}

static void draw_bounds(const struct ui *ui, const struct axes *axes)
{
    const struct theme *theme = ui->theme;
    struct ui_rect box = axes->box;
    struct draw_item style = {
        .flags = DRAW_HALO, .fill = theme->faint, .stroke = theme->floor, .size_px = 10};
    char text[32];
    signal_number_text(axes->high, "", text, sizeof text);
    ui_text(ui, box.x_px + 4, box.y_px + 12, text, style);
    signal_number_text(axes->low, "", text, sizeof text);
    if (axes->high - axes->low > 1e-3)
        ui_text(ui, box.x_px + 4, box.y_px + box.height_px - 4, text, style);
    style.align = DRAW_RIGHT;
    ui_text(ui, box.x_px + box.width_px - 4, box.y_px + box.height_px - 4, "10 s", style);
    if (axes->cursor < 0)
        return;
    double x_px = axes->plot.x_px + axes->plot.width_px * (1 - axes->cursor);
    ui_line(ui, x_px, box.y_px, x_px, box.y_px + box.height_px, theme->text);
    snprintf(text, sizeof text, "-%.2f s", axes->cursor * (double)PLOT_SPAN_US * 1e-6);
    style.align = axes->cursor > 0.5 ? DRAW_LEFT : DRAW_RIGHT;
    ui_text(ui, x_px + (axes->cursor > 0.5 ? 5 : -5), box.y_px + 12, text, style);
}

static void draw_plots(const struct ui *ui, const struct view *view, const struct row *row,
                       const char *numbers, struct ui_rect box)
{
    const struct theme *theme = ui->theme;
    const uint32_t colors[] = {theme->left,     theme->right, theme->center,
                               theme->odometry, theme->ray,   theme->text};
    enum { COLORS = sizeof colors / sizeof *colors };
    double keys_px = LEGEND_PX * row->part;
    struct axes axes = {
        .box = {box.x_px, box.y_px + keys_px, box.width_px, box.height_px - keys_px},
        .now_us = view->snapshot->now_us,
        .low = INFINITY,
        .high = -INFINITY,
        .cursor = -1};
    axes.plot = axes.box;
    axes.plot.x_px += BOUNDS_PX;
    axes.plot.width_px -= BOUNDS_PX;
    const struct plot *plots[PLOTS_MAX];
    size_t count = 0;
    int used;
    for (unsigned number; sscanf(numbers, "%u%n", &number, &used) == 1; numbers += used) {
        const struct plot *plot = plots_find(&view->plots, number);
        if (plot && count < PLOTS_MAX)
            plots[count++] = plot;
    }
    for (size_t i = 0; i < count; i++)
        extend_range(&axes, plots[i]);
    if (!(axes.low <= axes.high))
        axes.low = axes.high = 0;
    struct ui_rect aim = {axes.plot.x_px, box.y_px, axes.plot.width_px, box.height_px};
    if (ui_is_hovered(ui, aim))
        axes.cursor = 1 - (ui->mouse_x_px - ui->left_px - axes.plot.x_px) / axes.plot.width_px;
    ui_box(ui, axes.box, 4, (struct draw_item){.fill = theme_alpha(theme->faint, 0.08)});
    for (size_t i = 0; i < count; i++) {
        draw_curve(ui, plots[i], &axes, colors[i % COLORS]);
        draw_key(ui, view, plots[i], &axes, box.y_px + LEGEND_PX * (double)(i + 1) - 4,
                 colors[i % COLORS]);
    }
    draw_bounds(ui, &axes);
}

double figure_height_px(const struct row *row, double width_px)
{
    return row->kind == ROW_PLOT ? 72 + LEGEND_PX * row->part : width_px * row->part;
}

/* ---- All of them ---- */

void figure_draw(const struct ui *ui, const struct view *view, const struct rows *rows,
                 const struct row *row, struct ui_rect box)
{
    const struct snapshot *snapshot = view->snapshot;
    if (row->kind == ROW_PLOT)
        draw_plots(ui, view, row, rows_text(rows, row->choices), box);
    if (row->kind != ROW_IMAGE || row->number >= snapshot->robots.count)
        return;
    const struct snapshot_robot *robot =
        (const struct snapshot_robot *)snapshot_at(snapshot, snapshot->robots) + row->number;
    draw_image(ui->list, (struct draw_item){0}, (struct viewport_point){box.x_px, box.y_px},
               (struct viewport_point){box.x_px + box.width_px, box.y_px + box.height_px},
               snapshot_at(snapshot, robot->image), robot->image_width, robot->image_height, true);
}
