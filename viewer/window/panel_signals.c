/* The panel's second page: all signals of the robot in groups, with plots of those clicked. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/window/panel.h"

enum { RIGHT_PX = VIEW_PANEL_PX - PANEL_MARGIN_PX, ROW_PX = 19, PLOT_PX = 56 };

/* ---- Values ---- */

/* The value of a signal as text, with its unit. */
static void write_value(const struct snapshot *snapshot, uint32_t number, char *text, size_t size)
{
    const struct snapshot_signal *row =
        (const struct snapshot_signal *)snapshot_at(snapshot, snapshot->signals) + number;
    double value = ((const double *)snapshot_at(snapshot, snapshot->values))[number];
    const char *unit = snapshot_text(snapshot, row->unit);
    const char *word = row->words ? snapshot_text(snapshot, row->words) : "";
    for (double i = 0; row->words && i < value && *word; i++)
        word += strlen(word) + 1;
    if (row->words && value >= 0 && *word)
        snprintf(text, size, "%s", word);
    else if (value == floor(value) && fabs(value) < 1e9)
        snprintf(text, size, "%.0f%s%s", value, *unit ? " " : "", unit);
    else
        snprintf(text, size, "%.*f%s%s", fabs(value) < 10 ? 3 : 2, value, *unit ? " " : "", unit);
}

/* ---- Plots ---- */

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

static void write_bound(char *text, size_t size, float value)
{
    snprintf(text, size, "%.4g", fabs((double)value) < 5e-4 ? 0 : (double)value);
}

/* A signal over the last seconds, in a box. */
static void draw_plot(const struct ui *ui, const struct plot *plot, struct ui_rect box,
                      int64_t now_us, uint32_t color)
{
    const struct theme *theme = ui->theme;
    struct viewport_point points[PLOT_POINTS];
    size_t count = plot->total < PLOT_POINTS ? (size_t)plot->total : PLOT_POINTS, shown = 0;
    float low, high;
    char text[32];
    find_range(plot, count, now_us, &low, &high);
    // chosen: less than this is rounding, not motion
    double span = fmax((double)(high - low), 1e-3);
    double middle = (double)(low + high) / 2;
    ui_box(ui, box, 4, (struct draw_item){.fill = theme_alpha(theme->faint, 0.08)});
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
    struct draw_item style = {
        .flags = DRAW_HALO, .fill = theme->faint, .stroke = ui_surface_color(theme), .size_px = 10};
    write_bound(text, sizeof text, high);
    ui_text(ui, box.x_px + 4, box.y_px + 12, text, style);
    write_bound(text, sizeof text, low);
    if (high - low > 1e-3f)
        ui_text(ui, box.x_px + 4, box.y_px + box.height_px - 4, text, style);
    style.align = DRAW_RIGHT;
    ui_text(ui, box.x_px + box.width_px - 4, box.y_px + box.height_px - 4, "10 s", style);
}

/* ---- Rows ---- */

/* The group of a signal is what precedes the last dot: "uart", "basic"; "" for the robot's own.
 * Returns its length; NAME is what follows. */
static size_t group_of(const char *text, const char **name)
{
    const char *dot = strrchr(text, '.');
    *name = dot ? dot + 1 : text;
    return dot ? (size_t)(dot - text) : 0;
}

static bool is_seen(const struct view *view, double y_px, double height_px)
{
    return y_px + height_px > 0 && y_px < view->height_px;
}

static double draw_signal(const struct ui *ui, const struct view *view, uint32_t number,
                          const char *name, double y_px)
{
    const struct theme *theme = ui->theme;
    const struct plot *plot = plots_find(&view->plots, number);
    double height_px = ROW_PX + (plot ? PLOT_PX + 6 : 0);
    char text[96];
    if (!is_seen(view, y_px, height_px))
        return y_px + height_px;
    struct ui_rect box = {PANEL_MARGIN_PX - 6, y_px, RIGHT_PX - PANEL_MARGIN_PX + 12, ROW_PX};
    ui_row(ui, box, ACTION_PLOT, number);
    ui_text(ui, PANEL_MARGIN_PX + 10, y_px + 14, name,
            (struct draw_item){.fill = theme->text, .size_px = 12});
    write_value(view->snapshot, number, text, sizeof text);
    ui_text(ui, RIGHT_PX, y_px + 14, text,
            (struct draw_item){
                .flags = DRAW_MONO, .fill = theme->text, .size_px = 12, .align = DRAW_RIGHT});
    if (plot) {
        static const size_t COLORS = 4;
        const uint32_t colors[] = {theme->left, theme->right, theme->center, theme->odometry};
        draw_plot(ui, plot,
                  (struct ui_rect){PANEL_MARGIN_PX + 10, y_px + ROW_PX,
                                   RIGHT_PX - PANEL_MARGIN_PX - 10, PLOT_PX},
                  view->snapshot->now_us, colors[(size_t)(plot - view->plots.plot) % COLORS]);
    }
    return y_px + height_px;
}

static double draw_group(const struct ui *ui, const struct view *view, const char *title,
                         uint32_t group, bool is_open, double y_px)
{
    const struct theme *theme = ui->theme;
    double x_px = PANEL_MARGIN_PX, middle_px = y_px + 12;
    struct ui_rect box = {x_px - 6, y_px, RIGHT_PX - x_px + 12, 24};
    const struct viewport_point open[] = {
        {x_px - 2, middle_px - 2}, {x_px + 6, middle_px - 2}, {x_px + 2, middle_px + 3}};
    const struct viewport_point closed[] = {
        {x_px, middle_px - 4}, {x_px + 5, middle_px}, {x_px, middle_px + 4}};
    (void)view;
    ui_row(ui, box, ACTION_GROUP, group);
    draw_polygon(ui->list, (struct draw_item){.fill = theme->faint}, is_open ? open : closed, 3);
    ui_text(ui, x_px + 12, y_px + 16, title,
            (struct draw_item){.flags = DRAW_BOLD, .fill = theme->text, .size_px = 12});
    return y_px + 26;
}

double panel_signals(const struct ui *ui, const struct view *view,
                     const struct snapshot_robot *robot, double y_px)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_signal *signals = snapshot_at(snapshot, robot->signals);
    size_t skip = strlen(robot->name) + 1; // "kobuki."
    const char *last = NULL;
    size_t last_size = 0;
    uint32_t group = 0;
    bool is_open = false;
    ui_note(ui, PANEL_MARGIN_PX, y_px + 12, "click a signal to plot it");
    y_px += 22;
    for (uint32_t i = 0; i < robot->signals.count; i++) {
        const char *text = snapshot_text(snapshot, signals[i].name) + skip, *name;
        size_t size = group_of(text, &name);
        if (!last || size != last_size || strncmp(text, last, size) != 0) {
            char title[64];
            group = last ? group + 1 : 0;
            snprintf(title, sizeof title, "%.*s", size > 0 ? (int)size : 63,
                     size > 0 ? text : robot->name);
            is_open = view->open_groups >> (group % VIEW_GROUPS_MAX) & 1;
            y_px = draw_group(ui, view, title, group, is_open, y_px);
            last = text;
            last_size = size;
        }
        if (is_open)
            y_px = draw_signal(ui, view, robot->first_signal + i, name, y_px);
    }
    return y_px;
}
