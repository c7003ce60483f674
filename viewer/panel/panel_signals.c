/* The panel's second page: all signals of the robot in groups, with plots of those clicked. */
#include <math.h>
#include <string.h>

#include "viewer/panel/panel.h"

/* The value of a signal with its unit. */
static void put_value(const struct snapshot *snapshot, uint32_t number, struct rows *rows,
                      struct row *row)
{
    const struct snapshot_signal *signal =
        (const struct snapshot_signal *)snapshot_at(snapshot, snapshot->signals) + number;
    double value = ((const double *)snapshot_at(snapshot, snapshot->values))[number];
    const char *unit = snapshot_text(snapshot, signal->unit), *blank = *unit ? " " : "";
    const char *word = signal->words ? snapshot_text(snapshot, signal->words) : "";
    for (double i = 0; i < value && *word; i++)
        word += strlen(word) + 1;
    if (value >= 0 && *word)
        rows_value(rows, row, "%s", word);
    else if (!isfinite(value))
        rows_value(rows, row, "\xe2\x80\x93%s%s", blank, unit); // a dash
    else if (value == floor(value) && fabs(value) < 1e9)
        rows_value(rows, row, "%.0f%s%s", value, blank, unit);
    else
        rows_value(rows, row, "%.*f%s%s", fabs(value) < 10 ? 3 : 2, value, blank, unit);
}

/* NAME: without robot and group. */
static void add_signal(const struct view *view, uint32_t number, const char *name,
                       struct rows *rows)
{
    const struct snapshot_signal *signal =
        (const struct snapshot_signal *)snapshot_at(view->snapshot, view->snapshot->signals) +
        number;
    bool is_plotted = plots_find(&view->plots, number) != NULL;
    put_value(
        view->snapshot, number, rows,
        rows_add(rows,
                 (struct row){.kind = ROW_ENTRY,
                              .level = 1,
                              .is_on = is_plotted,
                              .action = ACTION_PLOT,
                              .number = number,
                              .hint = rows_keep(rows, snapshot_text(view->snapshot, signal->note))},
                 "%s", name));
    if (is_plotted)
        rows_add(rows,
                 (struct row){.kind = ROW_PLOT,
                              .number = number,
                              .hint = rows_keep(rows, snapshot_text(view->snapshot, signal->name))},
                 "%s", "");
}

void panel_signals(const struct view *view, struct rows *rows)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_robot *robot = view_robot(view);
    const struct snapshot_signal *signals = snapshot_at(snapshot, robot->signals);
    size_t skip = strlen(robot->name) + 1, last_size = 0; // "kobuki."
    const char *last = NULL;
    uint32_t group = 0;
    bool is_open = false;
    rows_add(rows, (struct row){.kind = ROW_TEXT}, "click a signal to plot it");
    for (uint32_t i = 0; i < robot->signals.count; i++) {
        // The group is what precedes the last dot: "uart", "basic"; "" for the robot's own.
        const char *name = snapshot_text(snapshot, signals[i].name) + skip;
        const char *dot = strrchr(name, '.');
        size_t size = dot ? (size_t)(dot - name) : 0;
        if (!last || size != last_size || strncmp(name, last, size) != 0) {
            group = last ? group + 1 : 0;
            is_open = view->open_groups >> (group % VIEW_GROUPS_MAX) & 1;
            rows_add(
                rows,
                (struct row){
                    .kind = ROW_FOLD, .is_on = is_open, .action = ACTION_GROUP, .number = group},
                "%.*s", size > 0 ? (int)size : SNAPSHOT_NAME_MAX, size > 0 ? name : robot->name);
            last = name;
            last_size = size;
        }
        if (is_open)
            add_signal(view, robot->first_signal + i, dot ? dot + 1 : name, rows);
    }
}
