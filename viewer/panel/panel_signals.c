/* The page Signals: a search, plots of the chosen signals, pinned signals, and all signals of the
 * robot in groups. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "viewer/panel/panel.h"
#include "viewer/panel/signal_text.h"

/* NAME: as displayed. */
static void add_signal(const struct view *view, uint32_t number, const char *name,
                       struct rows *rows)
{
    const struct snapshot *snapshot = view->snapshot;
    double value = ((const double *)snapshot_at(snapshot, snapshot->values))[number];
    bool is_pinned = view_is_pinned(view, number);
    char text[192];
    signal_text(snapshot, number, value, text, sizeof text);
    struct row row = {.kind = ROW_ENTRY,
                      .level = 1,
                      .is_on = plots_find(&view->plots, number) != NULL,
                      .action = ACTION_PLOT,
                      .number = number};
    struct row *added = rows_value(rows, rows_add(rows, row, "%s", name), "%s", text);
    added->hint = rows_keep(rows, snapshot_text(snapshot, signal_of(snapshot, number)->note));
    added->button = rows_keep(rows, is_pinned ? "\xe2\x98\x85" : "\xe2\x98\x86"); // stars
}

/* ---- Plots: one figure for all signals of a unit ---- */

static const char *unit_of(const struct snapshot *snapshot, uint32_t number)
{
    return snapshot_text(snapshot, signal_of(snapshot, number)->unit);
}

static bool is_plotted(const struct view *view, size_t i)
{
    return view->plots.plot[i].signal < view->snapshot->values.count;
}

static void add_plot(const struct view *view, size_t first, struct rows *rows)
{
    const struct snapshot *snapshot = view->snapshot;
    const char *unit = unit_of(snapshot, view->plots.plot[first].signal);
    char numbers[128] = "", names[512] = "";
    double count = 0;
    for (size_t i = first; i < PLOTS_MAX; i++) {
        uint32_t number = view->plots.plot[i].signal;
        if (!is_plotted(view, i) || strcmp(unit_of(snapshot, number), unit) != 0)
            continue;
        text_add(numbers, sizeof numbers, " ", "%u", number);
        text_add(names, sizeof names, ", ", "%s",
                 snapshot_text(snapshot, signal_of(snapshot, number)->name));
        count++;
    }
    struct row *row = rows_add(
        rows, (struct row){.kind = ROW_PLOT, .part = count, .hint = rows_keep(rows, names)}, "%s",
        "");
    row->choices = rows_keep(rows, numbers);
}

static void add_plots(const struct view *view, struct rows *rows)
{
    const struct snapshot *snapshot = view->snapshot;
    for (size_t i = 0; i < PLOTS_MAX; i++) {
        bool is_first = is_plotted(view, i);
        for (size_t k = 0; k < i && is_first; k++)
            is_first =
                !is_plotted(view, k) || strcmp(unit_of(snapshot, view->plots.plot[k].signal),
                                               unit_of(snapshot, view->plots.plot[i].signal)) != 0;
        if (is_first)
            add_plot(view, i, rows);
    }
}

/* ---- Lists ---- */

static void add_pinned(const struct view *view, struct rows *rows)
{
    for (size_t i = 0; i < view->pins.count; i++) {
        uint32_t number = view->pins.signal[i];
        if (i == 0)
            rows_add(rows, (struct row){.kind = ROW_HEADING}, "Pinned");
        if (number < view->snapshot->values.count)
            add_signal(view, number,
                       snapshot_text(view->snapshot, signal_of(view->snapshot, number)->name),
                       rows);
    }
}

/* All signals of the robot whose name contains the search text. */
static void add_found(const struct view *view, struct rows *rows)
{
    const struct snapshot_robot *robot = view_robot(view);
    size_t skip = strlen(robot->name) + 1, before = rows->count;
    for (uint32_t i = 0; i < robot->signals.count; i++) {
        uint32_t number = robot->first_signal + i;
        const char *name =
            snapshot_text(view->snapshot, signal_of(view->snapshot, number)->name) + skip;
        if (strcasestr(name, view->find_signal))
            add_signal(view, number, name, rows);
    }
    if (rows->count == before)
        rows_add(rows, (struct row){.kind = ROW_TEXT}, "no signal name contains this text");
}

static void add_groups(const struct view *view, struct rows *rows)
{
    const struct snapshot_robot *robot = view_robot(view);
    size_t skip = strlen(robot->name) + 1, last_size = 0; // "kobuki."
    const char *last = NULL;
    uint32_t group = 0;
    bool is_open = false;
    for (uint32_t i = 0; i < robot->signals.count; i++) {
        // The group is the text before the last dot: "uart", "basic"; "" for the robot's own
        // signals.
        uint32_t number = robot->first_signal + i;
        const char *name =
            snapshot_text(view->snapshot, signal_of(view->snapshot, number)->name) + skip;
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
            add_signal(view, number, dot ? dot + 1 : name, rows);
    }
}

void panel_signals(const struct view *view, struct rows *rows)
{
    struct row *find =
        rows_add(rows, (struct row){.kind = ROW_FIELD, .action = ACTION_FIND_SIGNAL}, "find");
    find->value = rows_keep(rows, view->find_signal);
    find->hint = rows_keep(rows, "part of a name");
    rows_add(rows, (struct row){.kind = ROW_TEXT}, "click a signal to plot it, its star to pin it");
    add_plots(view, rows);
    add_pinned(view, rows);
    if (*view->find_signal)
        add_found(view, rows);
    else
        add_groups(view, rows);
}
