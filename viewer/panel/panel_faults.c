/* The panel's fourth page: present faults, with buttons to heal them; faults that the timeline will
 * inject; and the menu of faults. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/panel/panel.h"

/* ---- Present faults ---- */

/* The number of the part of a robot that has a fault. */
static uint32_t part_of(const struct snapshot *snapshot, const struct snapshot_robot *robot,
                        const struct snapshot_fault *fault)
{
    const struct snapshot_fault_part *parts = snapshot_at(snapshot, robot->parts);
    uint32_t part = 0;
    while (part < robot->parts.count &&
           strcmp(snapshot_text(snapshot, parts[part].name), fault->part) != 0)
        part++;
    return part;
}

static void add_fault(const struct view *view, const struct snapshot_fault *fault,
                      struct rows *rows)
{
    const struct snapshot_robot *robot =
        (const struct snapshot_robot *)snapshot_at(view->snapshot, view->snapshot->robots) +
        fault->robot;
    bool is_one = view->snapshot->robots.count == 1;
    uint32_t part = part_of(view->snapshot, robot, fault);
    char word[64];
    struct row *row = rows_add(
        rows, (struct row){.kind = ROW_HEADING, .tone = TONE_WARN, .level = 1, .is_on = true},
        "%s%s%s", is_one ? "" : robot->label, is_one ? "" : " ", fault->part);
    if (isinf(fault->left_s))
        rows_value(rows, row, "until healed"); // words: off note-start
    else                                       // a page receives whole seconds only
        rows_value(rows, row, "%g s left", round(10 * (double)fault->left_s) / 10);
    if (view_takes_commands(view) && part < robot->parts.count) {
        snprintf(word, sizeof word, "Heal %s", fault->part);
        row->button = rows_keep(rows, "Heal");
        row->hint = rows_keep(rows, word);
        row->action = ACTION_HEAL;
        row->number = ACTION_HEAL_ROBOT * fault->robot + part;
    }
    rows_add(rows, (struct row){.kind = ROW_TEXT, .tone = TONE_WARN, .level = 1}, "%s",
             fault->what);
}

/* The faults of all robots. */
static void add_active(const struct view *view, struct rows *rows)
{
    const struct snapshot_fault *faults = snapshot_at(view->snapshot, view->snapshot->faults);
    struct row *row = rows_add(rows, (struct row){.kind = ROW_HEADING}, "Failing now");
    if (view->snapshot->fault_count == 0)
        rows_add(rows, (struct row){.kind = ROW_TEXT}, "nothing");
    else if (view_takes_commands(view)) {
        row->button = rows_keep(rows, "Heal all");
        row->action = ACTION_HEAL_ALL;
    }
    for (uint32_t i = 0; i < view->snapshot->fault_count; i++)
        add_fault(view, &faults[i], rows);
}

/* ---- Future faults ---- */

static void add_coming(const struct snapshot *snapshot, struct rows *rows)
{
    uint32_t count = snapshot->event_count;
    if (count > 0)
        rows_add(rows, (struct row){.kind = ROW_HEADING}, "Coming in the timeline");
    for (uint32_t i = 0; i < count && i < SNAPSHOT_EVENTS_MAX; i++) {
        const struct snapshot_event *event = &snapshot->events[i];
        struct row *row =
            rows_add(rows, (struct row){.kind = ROW_HEADING, .level = 1}, "%s", event->when);
        if (event->at_us != ROBOT_NEVER)
            rows_value(rows, row, "in %.1f s", (double)(event->at_us - snapshot->now_us) * 1e-6);
        rows_add(rows, (struct row){.kind = ROW_CODE}, "%s", event->command);
    }
    if (count > SNAPSHOT_EVENTS_MAX)
        rows_add(rows, (struct row){.kind = ROW_TEXT}, "and %u more", count - SNAPSHOT_EVENTS_MAX);
}

/* ---- The menu ---- */

static void add_arguments(const struct view *view, struct rows *rows)
{
    struct fault_argument list[FAULT_MENU_KEYS];
    size_t count = fault_menu_arguments(&view->faults, view->snapshot, view->faults.kind, list);
    for (size_t i = 0; i < count; i++) {
        struct row *row = rows_add(rows,
                                   (struct row){.kind = ROW_FIELD,
                                                .level = 2,
                                                .is_number = list[i].is_number,
                                                .has_slider = !*list[i].key->words,
                                                .action = ACTION_FAULT_VALUE,
                                                .number = list[i].number,
                                                .part = list[i].part},
                                   "%s", list[i].key->name);
        rows_value(rows, row, "%s", list[i].value);
        row->hint = rows_keep(rows, list[i].key->otherwise);
        row->unit = rows_keep(rows, list[i].key->unit);
        row->choices = rows_keep(rows, list[i].key->words);
    }
    rows_add(rows,
             (struct row){.kind = ROW_BUTTON, .level = 2, .is_on = true, .action = ACTION_FAULT},
             "Inject");
}

static void add_kinds(const struct view *view, uint64_t kinds, struct rows *rows)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_fault_kind *list = snapshot_at(snapshot, snapshot->fault_kinds);
    for (uint32_t i = 0; i < snapshot->fault_kinds.count; i++) {
        bool is_open = view->faults.kind == i;
        if (!(kinds >> i & 1))
            continue;
        struct row row = {.kind = ROW_FOLD,
                          .level = 1,
                          .is_on = is_open,
                          .action = ACTION_FAULT_KIND,
                          .number = i};
        rows_value(rows, rows_add(rows, row, "%s", snapshot_text(snapshot, list[i].name)), "%s",
                   snapshot_text(snapshot, list[i].note));
        if (is_open)
            add_arguments(view, rows);
    }
}

static void add_menu(const struct view *view, struct rows *rows)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_robot *robot = view_robot(view);
    const struct snapshot_fault_part *parts = snapshot_at(snapshot, robot->parts);
    rows_add(rows, (struct row){.kind = ROW_HEADING}, "Inject a fault");
    for (uint32_t i = 0; i < robot->parts.count; i++) {
        bool is_open = view->faults.part == i;
        if (parts[i].kinds == 0)
            continue;
        rows_add(rows,
                 (struct row){
                     .kind = ROW_FOLD, .is_on = is_open, .action = ACTION_FAULT_PART, .number = i},
                 "%s", snapshot_text(snapshot, parts[i].name));
        if (is_open)
            add_kinds(view, parts[i].kinds, rows);
    }
}

void panel_faults(const struct view *view, struct rows *rows)
{
    add_active(view, rows);
    add_coming(view->snapshot, rows);
    if (view_takes_commands(view))
        add_menu(view, rows);
}
