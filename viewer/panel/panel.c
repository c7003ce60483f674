#include "viewer/panel/panel.h"

static void add_chip(struct rows *rows, bool is_there, enum row_tone tone, const char *word)
{
    if (is_there)
        rows_add(rows, (struct row){.kind = ROW_CHIP, .tone = tone}, "%s", word);
}

static void add_title(const struct view *view, struct rows *rows)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_robot *robot = view_robot(view);
    if (view_tab(view) >= TAB_TEST) {
        uint32_t count = snapshot->robots.count;
        rows_add(rows, (struct row){.kind = ROW_TITLE}, "%s", snapshot->title);
        rows_add(rows, (struct row){.kind = ROW_TEXT}, "%u robot%s", count, count == 1 ? "" : "s");
        return;
    }
    rows_add(rows, (struct row){.kind = ROW_TITLE, .action = ACTION_SELECT}, "%s", robot->label);
    if (robot->fault_count > 0)
        rows_add(rows, (struct row){.kind = ROW_CHIP, .tone = TONE_WARN}, "%u fault%s",
                 robot->fault_count, robot->fault_count == 1 ? "" : "s");
    add_chip(rows, robot->is_lifted, TONE_WARN, "lifted");
    add_chip(rows, robot->is_docked, TONE_GOOD, "docked");
    add_chip(rows, robot->has_adapter, TONE_GOOD, "charger");
    rows_add(rows, (struct row){.kind = ROW_TEXT}, "%s \xc2\xb7 %s", robot->name,
             snapshot_text(snapshot, robot->title));
}

static const struct page {
    const char *word;
    void (*fill)(const struct view *view, struct rows *rows);
    bool is_of_tap; /* a tapped real robot has only its line and frames */
} pages[TAB_COUNT] = {
    [TAB_ROBOT] = {"Robot", panel_robot, true},
    [TAB_SIGNALS] = {"Signals", panel_signals, false},
    [TAB_FRAMES] = {"Frames", panel_frames, true},
    [TAB_FAULTS] = {"Faults", panel_faults, false},
    [TAB_TEST] = {"Test", panel_test, false},
    [TAB_ROSTER] = {"Robots", panel_roster, false},
};

void panel_fill(const struct view *view, struct rows *rows)
{
    bool is_tap = view->snapshot->is_tap;
    rows_clear(rows);
    add_title(view, rows);
    for (uint32_t tab = 0; tab < TAB_COUNT; tab++)
        if (!is_tap || pages[tab].is_of_tap)
            rows_add(rows,
                     (struct row){.kind = ROW_TAB,
                                  .is_on = view_tab(view) == tab,
                                  .action = ACTION_TAB,
                                  .number = tab},
                     "%s", is_tap && tab == TAB_ROBOT ? "Line" : pages[tab].word);
    rows->head_count = rows->count;
    pages[view_tab(view)].fill(view, rows);
}
