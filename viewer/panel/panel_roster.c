/* The panel's last page: all robots, one line each, to find, sort, filter and click. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/panel/panel.h"

enum { LINES_MAX = 4096 }; /* chosen: more robots than a scene holds */

/* One line of the table. */
struct line {
    uint32_t robot;
    bool has_host, is_unplugged, is_falling;
    double refused, key;
    const char *key_text;
};

static const struct column {
    const char *word;
    double part; /* of the table's width */
} columns[ROSTER_COLUMNS] = {
    [ROSTER_NAME] = {"name", 0.31},       [ROSTER_LINK] = {"link", 0.19},
    [ROSTER_BATTERY] = {"battery", 0.14}, [ROSTER_FAULTS] = {"faults", 0.12},
    [ROSTER_COLLISIONS] = {"hits", 0.1},  [ROSTER_REFUSED] = {"refused", 0.14},
};

static const struct snapshot_robot *robot_of(const struct snapshot *snapshot, uint32_t number)
{
    return (const struct snapshot_robot *)snapshot_at(snapshot, snapshot->robots) + number;
}

/* ---- Selection and order of the lines ---- */

static bool has_text(const struct snapshot *snapshot, const struct snapshot_robot *robot,
                     const char *text)
{
    return strcasestr(robot->name, text) || strcasestr(robot->label, text) ||
           strcasestr(snapshot_text(snapshot, robot->title), text);
}

/* Fills in the line of a robot. False: the robot is filtered out. */
static bool fill_line(const struct view *view, uint32_t number, struct line *line)
{
    const struct roster *roster = &view->roster;
    const struct snapshot_robot *robot = robot_of(view->snapshot, number);
    *line = (struct line){.robot = number, .is_falling = roster->is_falling};
    for (uint32_t i = 0; i < robot->channel_count; i++) {
        const struct snapshot_channel *channel = view_channel(view, robot, i);
        line->has_host |= channel->is_host;
        line->is_unplugged |= !channel->is_plugged;
        line->refused += (double)view_refused(channel);
    }
    const double keys[ROSTER_COLUMNS] = {
        // with a driver first, then those that wait for one
        [ROSTER_LINK] = line->is_unplugged ? 3
                        : line->has_host   ? 1
                                           : 2,
        [ROSTER_BATTERY] = (double)robot->charge,
        [ROSTER_FAULTS] = robot->fault_count,
        [ROSTER_COLLISIONS] = robot->collisions,
        [ROSTER_REFUSED] = line->refused,
    };
    const bool is_wanted[ROSTER_FILTERS] = {
        [ROSTER_ALL] = true,
        [ROSTER_FAILING] = robot->fault_count > 0,
        [ROSTER_NO_HOST] = !line->has_host,
        [ROSTER_REFUSING] = line->refused > 0,
    };
    line->key = keys[roster->column];
    line->key_text = roster->column == ROSTER_NAME ? robot->label : "";
    return is_wanted[roster->filter] && has_text(view->snapshot, robot, roster->find);
}

/* By the key; then in the order of the scene. */
static int compare(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    int by = (a->key > b->key) - (a->key < b->key);
    if (by == 0)
        by = strverscmp(a->key_text, b->key_text); // numbers in names count as such
    if (by == 0)
        return a->robot < b->robot ? -1 : 1;
    return a->is_falling ? -by : by;
}

/* ---- Rows ---- */

static void add_head(const struct roster *roster, struct rows *rows)
{
    static const char *const filters[ROSTER_FILTERS] = {"all", "failing", "no driver", "refusing"};
    struct row *find =
        rows_add(rows, (struct row){.kind = ROW_FIELD, .action = ACTION_FIND}, "find");
    find->value = rows_keep(rows, roster->find);
    find->hint = rows_keep(rows, "name or type");
    for (uint32_t i = 0; i < ROSTER_FILTERS; i++)
        rows_button(rows, roster->filter == i, ACTION_FILTER, i, filters[i]);
    for (uint32_t i = 0; i < ROSTER_COLUMNS; i++) {
        bool is_on = roster->column == i;
        struct row row = {.kind = ROW_COLUMN,
                          .is_on = is_on,
                          .is_number = i > ROSTER_LINK,
                          .action = ACTION_SORT,
                          .number = i,
                          .part = columns[i].part};
        rows_value(rows, rows_add(rows, row, "%s", columns[i].word), "%s",
                   !is_on               ? ""
                   : roster->is_falling ? "descending"
                                        : "ascending");
    }
}

static void add_cell(struct rows *rows, const struct line *line, enum row_tone tone, bool is_number,
                     const char *text)
{
    rows_add(rows,
             (struct row){.kind = ROW_CELL,
                          .tone = tone,
                          .is_number = is_number,
                          .action = ACTION_SELECT,
                          .number = line->robot},
             "%s", text);
}

static void add_number(struct rows *rows, const struct line *line, bool is_warning, double number,
                       const char *unit)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f%s", number, unit);
    add_cell(rows, line, is_warning ? TONE_WARN : TONE_PLAIN, true, text);
}

static void add_line(const struct snapshot *snapshot, const struct line *line, struct rows *rows)
{
    const struct snapshot_robot *robot = robot_of(snapshot, line->robot);
    double percent = 100 * (double)robot->charge;
    add_cell(rows, line, TONE_PLAIN, false, robot->label);
    add_cell(rows, line,
             line->is_unplugged ? TONE_WARN
             : line->has_host   ? TONE_GOOD
                                : TONE_FAINT,
             false,
             line->is_unplugged ? "unplugged"
             : line->has_host   ? "driver"
                                : "waiting");
    add_number(rows, line, percent < 15, percent, " %");
    add_number(rows, line, robot->fault_count > 0, robot->fault_count, "");
    add_number(rows, line, robot->collisions > 0, robot->collisions, "");
    add_number(rows, line, line->refused > 0, line->refused, "");
}

void panel_roster(const struct view *view, struct rows *rows)
{
    static struct line lines[LINES_MAX]; // too large for the stack
    size_t count = 0;
    add_head(&view->roster, rows);
    rows->head_count = rows->count;
    for (uint32_t i = 0; i < view->snapshot->robots.count && count < LINES_MAX; i++)
        count += fill_line(view, i, &lines[count]);
    qsort(lines, count, sizeof *lines, compare);
    for (size_t i = 0; i < count; i++)
        add_line(view->snapshot, &lines[i], rows);
    if (count == 0)
        rows_add(rows, (struct row){.kind = ROW_TEXT}, "none");
}
