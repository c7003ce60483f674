/* The panel where no robot is selected: all of them, a line each, to sort, filter and click. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/window/panel.h"

enum { RIGHT_PX = VIEW_PANEL_PX - PANEL_MARGIN_PX, ROW_PX = 22, ROWS_MAX = 4096 };

/* One line of the roster. */
struct row {
    uint32_t robot;
    const char *name;
    const char *link; /* of its first channel, or of the one that fails or is pulled */
    double key[ROSTER_COLUMNS];
    bool is_failing, has_host;
};

static const struct column {
    const char *word;
    double x_px; /* of its left edge; numbers end 8 before that of the next */
} columns[ROSTER_COLUMNS] = {
    [ROSTER_NAME] = {"name", PANEL_MARGIN_PX + 14},
    [ROSTER_LINK] = {"link", 146},
    [ROSTER_BATTERY] = {"battery", 208},
    [ROSTER_COLLISIONS] = {"hits", 266},
    [ROSTER_REFUSED] = {"refused", 306},
};

static const char *const filter_words[ROSTER_FILTERS] = {"all", "failing", "no host", "refusing"};

static struct row row_of(const struct snapshot *snapshot, uint32_t index)
{
    const struct snapshot_robot *robot =
        (const struct snapshot_robot *)snapshot_at(snapshot, snapshot->robots) + index;
    const struct snapshot_channel *channels =
        (const struct snapshot_channel *)snapshot_at(snapshot, snapshot->channels) +
        robot->first_channel;
    struct row row = {.robot = index, .name = robot->label, .link = "free"};
    uint64_t refused = 0;
    double state = 2; // hosts first, then those that wait for one
    for (uint32_t i = 0; i < robot->channel_count; i++) {
        row.has_host |= channels[i].is_host;
        refused += channels[i].stats.bad_frames + channels[i].stats.noise_bytes +
                   channels[i].stats.unknown_ids + channels[i].stats.bad_lengths;
    }
    if (row.has_host) {
        row.link = "host";
        state = 1;
    }
    for (uint32_t i = 0; i < robot->channel_count; i++)
        if (!channels[i].is_plugged) {
            row.link = "pulled";
            state = 3;
        }
    row.is_failing = robot->fault_count > 0;
    row.key[ROSTER_NAME] = index;
    row.key[ROSTER_LINK] = state;
    row.key[ROSTER_BATTERY] = (double)robot->charge;
    row.key[ROSTER_COLLISIONS] = robot->collisions;
    row.key[ROSTER_REFUSED] = (double)refused;
    return row;
}

static bool is_wanted(const struct row *row, enum roster_filter filter)
{
    switch (filter) {
    case ROSTER_FAILING:
        return row->is_failing;
    case ROSTER_NO_HOST:
        return !row->has_host;
    case ROSTER_REFUSING:
        return row->key[ROSTER_REFUSED] > 0;
    default:
        return true;
    }
}

static int compare(const void *left, const void *right, void *context)
{
    const struct roster *roster = context;
    const struct row *a = left, *b = right;
    double by = a->key[roster->column] - b->key[roster->column];
    if (by == 0) // then as the scene has them
        return a->robot < b->robot ? -1 : 1;
    return (by < 0) != roster->is_falling ? -1 : 1;
}

static size_t collect(const struct view *view, struct row *rows)
{
    struct roster roster = view->roster;
    size_t count = 0;
    for (uint32_t i = 0; i < view->snapshot->robots.count && count < ROWS_MAX; i++) {
        struct row row = row_of(view->snapshot, i);
        if (is_wanted(&row, roster.filter))
            rows[count++] = row;
    }
    qsort_r(rows, count, sizeof *rows, compare, &roster);
    return count;
}

/* ---- Drawing ---- */

static void put_number(const struct ui *ui, enum roster_column column, double y_px, double value,
                       const char *unit, uint32_t color)
{
    double right_px = column + 1 < ROSTER_COLUMNS ? columns[column + 1].x_px - 8 : RIGHT_PX;
    char text[32];
    snprintf(text, sizeof text, "%.0f%s", value, unit);
    ui_text(
        ui, right_px, y_px + 15, text,
        (struct draw_item){.flags = DRAW_MONO, .fill = color, .size_px = 12, .align = DRAW_RIGHT});
}

static void draw_row(const struct ui *ui, const struct row *row, double y_px)
{
    const struct theme *theme = ui->theme;
    struct ui_rect box = {PANEL_MARGIN_PX - 6, y_px, RIGHT_PX - PANEL_MARGIN_PX + 12, ROW_PX};
    double percent = 100 * row->key[ROSTER_BATTERY];
    ui_row(ui, box, ACTION_SELECT, row->robot);
    if (row->is_failing)
        ui_text(ui, PANEL_MARGIN_PX, y_px + 15, "\xe2\x96\xb2", // a triangle, as the badge is
                (struct draw_item){.fill = theme->warn, .size_px = 11});
    char name[20]; // what fits
    snprintf(name, sizeof name, "%s", row->name);
    ui_label(ui, columns[ROSTER_NAME].x_px, y_px + 15, name);
    ui_text(ui, columns[ROSTER_LINK].x_px, y_px + 15, row->link,
            (struct draw_item){.fill = row->key[ROSTER_LINK] == 3 ? theme->warn
                                       : row->has_host            ? theme->good
                                                                  : theme->faint,
                               .size_px = 12});
    put_number(ui, ROSTER_BATTERY, y_px, percent, " %", percent < 15 ? theme->warn : theme->text);
    put_number(ui, ROSTER_COLLISIONS, y_px, row->key[ROSTER_COLLISIONS], "", theme->text);
    put_number(ui, ROSTER_REFUSED, y_px, row->key[ROSTER_REFUSED], "",
               row->key[ROSTER_REFUSED] > 0 ? theme->warn : theme->text);
}

void panel_roster_head(const struct ui *ui, const struct view *view)
{
    const struct theme *theme = ui->theme;
    char text[48];
    ui_box(ui, (struct ui_rect){0, 0, VIEW_PANEL_PX, ROSTER_HEAD_PX}, 0,
           (struct draw_item){.fill = ui_surface_color(theme)});
    snprintf(text, sizeof text, "%u robots", view->snapshot->robots.count);
    ui_text(ui, PANEL_MARGIN_PX, 30, text,
            (struct draw_item){.flags = DRAW_BOLD, .fill = theme->text, .size_px = 17});
    for (uint32_t i = 0; i < ROSTER_FILTERS; i++)
        ui_button(ui, (struct ui_rect){PANEL_MARGIN_PX + 86.0 * i, 44, 80, 22}, filter_words[i],
                  view->roster.filter == i, ACTION_FILTER, i);
    for (uint32_t i = 0; i < ROSTER_COLUMNS; i++) {
        double x_px = columns[i].x_px,
               next_px = i + 1 < ROSTER_COLUMNS ? columns[i + 1].x_px : RIGHT_PX + 6.0;
        struct ui_rect box = {x_px - 4, 72, next_px - x_px, 20};
        bool is_on = view->roster.column == i;
        snprintf(text, sizeof text, "%s%s", columns[i].word,
                 !is_on                    ? ""
                 : view->roster.is_falling ? " \xe2\x86\x93"
                                           : " \xe2\x86\x91");
        ui_text(
            ui, x_px, 86, text,
            (struct draw_item){.flags = is_on ? DRAW_BOLD : 0,
                               .fill = is_on || ui_is_hovered(ui, box) ? theme->text : theme->faint,
                               .size_px = 11});
        ui_hit_area(ui, box, ACTION_SORT, i, NULL);
    }
    ui_line(ui, 0, ROSTER_HEAD_PX - 1.5, VIEW_PANEL_PX, ROSTER_HEAD_PX - 1.5,
            theme_alpha(theme->faint, 0.35));
}

double panel_roster(const struct ui *ui, const struct view *view, double y_px)
{
    static struct row rows[ROWS_MAX]; // too large for a stack to like
    size_t count = collect(view, rows);
    for (size_t i = 0; i < count; i++, y_px += ROW_PX)
        if (y_px + ROW_PX > 0 && y_px < view->height_px)
            draw_row(ui, &rows[i], y_px);
    if (count == 0) {
        ui_note(ui, PANEL_MARGIN_PX, y_px + 15, "none");
        y_px += ROW_PX;
    }
    return y_px;
}
