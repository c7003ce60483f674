/* The panel's fourth page: what fails now, with a button to heal it; what the timeline has still to
 * do; and the menu of faults. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/window/panel.h"

enum { RIGHT_PX = VIEW_PANEL_PX - PANEL_MARGIN_PX, ROW_PX = 22, BUTTON_PX = 64 };

/* ---- What fails ---- */

static void left_text(float left_s, char *text, size_t size)
{
    if (isinf(left_s))
        snprintf(text, size, "until healed");
    else
        snprintf(text, size, "%.1f s left", (double)left_s);
}

/* HAS_HANDS: it can be ended; not in a replay. */
static double draw_fault(const struct ui *ui, const struct snapshot_fault *fault, uint32_t number,
                         bool has_hands, double y_px)
{
    char left[32];
    left_text(fault->left_s, left, sizeof left);
    ui_box(ui, (struct ui_rect){PANEL_MARGIN_PX - 6, y_px, 3, 34}, 1.5,
           (struct draw_item){.fill = ui->theme->warn});
    ui_text(ui, PANEL_MARGIN_PX + 4, y_px + 14, fault->part,
            (struct draw_item){.flags = DRAW_BOLD, .fill = ui->theme->text, .size_px = 12});
    ui_text(ui, RIGHT_PX - BUTTON_PX - 10, y_px + 14, left,
            (struct draw_item){.fill = ui->theme->faint, .size_px = 12, .align = DRAW_RIGHT});
    ui_label(ui, PANEL_MARGIN_PX + 4, y_px + 31, fault->what);
    if (has_hands)
        ui_button(ui, (struct ui_rect){RIGHT_PX - BUTTON_PX, y_px + 2, BUTTON_PX, 24}, "Heal",
                  false, ACTION_HEAL, number);
    return y_px + 42;
}

static double draw_now(const struct ui *ui, const struct view *view, double y_px)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_fault *faults = snapshot_at(snapshot, snapshot->faults);
    bool is_any = false, has_hands = !snapshot_is_past(snapshot);
    double top_px = y_px;
    y_px = ui_heading(ui, PANEL_MARGIN_PX, y_px + 2, "Failing now") + 2;
    for (uint32_t i = 0; i < snapshot->fault_count; i++) {
        if (faults[i].robot != (uint32_t)view->viewport.selected)
            continue;
        y_px = draw_fault(ui, &faults[i], i, has_hands, y_px);
        is_any = true;
    }
    if (is_any && has_hands)
        ui_button(ui, (struct ui_rect){RIGHT_PX - 84, top_px + 4, 84, 22}, "Heal all", false,
                  ACTION_HEAL_ALL, 0);
    if (is_any)
        return y_px + 4;
    ui_note(ui, PANEL_MARGIN_PX, y_px + 10, "nothing");
    return y_px + 20;
}

/* ---- What is to come ---- */

static double draw_coming(const struct ui *ui, const struct view *view, double y_px)
{
    const struct snapshot *snapshot = view->snapshot;
    uint32_t count = snapshot->event_count;
    char text[96];
    if (count == 0)
        return y_px;
    y_px = ui_heading(ui, PANEL_MARGIN_PX, y_px + 2, "Coming in the timeline") + 2;
    for (uint32_t i = 0; i < count && i < SNAPSHOT_EVENTS_MAX; i++) {
        const struct snapshot_event *event = &snapshot->events[i];
        double left_s = (double)(event->at_us - snapshot->now_us) * 1e-6;
        ui_note(ui, PANEL_MARGIN_PX, y_px + 12, event->when);
        if (event->at_us != ROBOT_NEVER) {
            snprintf(text, sizeof text, "in %.1f s", left_s);
            ui_text(
                ui, RIGHT_PX, y_px + 12, text,
                (struct draw_item){.fill = ui->theme->faint, .size_px = 12, .align = DRAW_RIGHT});
        }
        ui_text(ui, PANEL_MARGIN_PX, y_px + 28, event->command,
                (struct draw_item){.flags = DRAW_MONO, .fill = ui->theme->text, .size_px = 11});
        y_px += 36;
    }
    if (count > SNAPSHOT_EVENTS_MAX) {
        snprintf(text, sizeof text, "and %u more", count - SNAPSHOT_EVENTS_MAX);
        ui_note(ui, PANEL_MARGIN_PX, y_px + 12, text);
        y_px += ROW_PX;
    }
    return y_px + 4;
}

/* ---- The menu ---- */

/* A line that opens and closes. */
static double draw_row(const struct ui *ui, double x_px, double y_px, const char *name,
                       const char *note, bool is_open, enum action action, uint32_t number)
{
    struct ui_rect box = {x_px - 6, y_px, RIGHT_PX - x_px + 12, ROW_PX};
    if (is_open)
        ui_box(ui, box, 4, (struct draw_item){.fill = theme_alpha(ui->theme->left, 0.18)});
    ui_row(ui, box, action, number);
    ui_text(ui, x_px, y_px + 15, name,
            (struct draw_item){
                .flags = is_open ? DRAW_BOLD : 0, .fill = ui->theme->text, .size_px = 12});
    ui_note(ui, x_px + 84, y_px + 15, note);
    return y_px + ROW_PX;
}

static double draw_arguments(const struct ui *ui, const struct view *view, double y_px)
{
    struct fault_argument list[FAULT_MENU_KEYS];
    size_t count = fault_menu_arguments(&view->faults, view->snapshot, view->faults.kind, list);
    double x_px = PANEL_MARGIN_PX + 28;
    for (size_t i = 0; i < count; i++) {
        ui_note(ui, x_px, y_px + 17, list[i].name);
        ui_button(ui, (struct ui_rect){x_px + 84, y_px + 2, 120, 22}, list[i].shown, false,
                  ACTION_FAULT_VALUE, list[i].key);
        y_px += 26;
    }
    ui_button(ui, (struct ui_rect){x_px, y_px + 4, 204, 26}, "Let it fail", true, ACTION_FAULT, 0);
    return y_px + 38;
}

static double draw_kinds(const struct ui *ui, const struct view *view, uint32_t kinds, double y_px)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_fault_kind *rows = snapshot_at(snapshot, snapshot->fault_kinds);
    for (uint32_t i = 0; i < snapshot->fault_kinds.count; i++) {
        bool is_open = view->faults.kind == i;
        if (!(kinds >> i & 1))
            continue;
        y_px = draw_row(ui, PANEL_MARGIN_PX + 14, y_px, snapshot_text(snapshot, rows[i].name),
                        snapshot_text(snapshot, rows[i].note), is_open, ACTION_FAULT_KIND, i);
        if (is_open)
            y_px = draw_arguments(ui, view, y_px);
    }
    return y_px + 4;
}

double panel_faults(const struct ui *ui, const struct view *view,
                    const struct snapshot_robot *robot, double y_px)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_fault_part *parts = snapshot_at(snapshot, robot->parts);
    y_px = draw_now(ui, view, y_px);
    y_px = draw_coming(ui, view, y_px);
    if (snapshot_is_past(snapshot))
        return y_px;
    y_px = ui_heading(ui, PANEL_MARGIN_PX, y_px + 2, "What can fail") + 2;
    for (uint32_t i = 0; i < robot->parts.count; i++) {
        bool is_open = view->faults.part == i;
        y_px = draw_row(ui, PANEL_MARGIN_PX, y_px, snapshot_text(snapshot, parts[i].name), "",
                        is_open, ACTION_FAULT_PART, i);
        if (is_open)
            y_px = draw_kinds(ui, view, parts[i].kinds, y_px);
    }
    return y_px;
}
