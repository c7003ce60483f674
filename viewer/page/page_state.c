/* The run, the panel and the tables of keys and marks as JSON. */
#include <math.h>

#include "base/angle.h"
#include "viewer/model/actions.h"
#include "viewer/page/json.h"
#include "viewer/page/page.h"
#include "viewer/panel/rows.h"

static struct json *begin(char bracket)
{
    static struct json json;
    json_clear(&json);
    json_begin(&json, NULL, bracket);
    return &json;
}

static const char *end(struct json *json, char bracket)
{
    json_end(json, bracket);
    return json->text;
}

/* ---- The run and its robots ---- */

static void write_robot(struct json *json, const struct snapshot_robot *robot)
{
    json_begin(json, NULL, '{');
    json_string(json, "name", robot->name);
    json_string(json, "label", robot->label);
    json_number(json, "x_m", robot->pose.x_m);
    json_number(json, "y_m", robot->pose.y_m);
    json_number(json, "heading_deg", remainder(robot->pose.heading_rad / ANGLE_RAD_DEG, 360));
    json_bool(json, "lifted", robot->is_lifted);
    json_bool(json, "docked", robot->is_docked);
    json_number(json, "faults", robot->fault_count);
    json_end(json, '{');
}

static void write_tools(struct json *json, const struct view *view)
{
    json_number(json, "selected", view->viewport.selected);
    json_number(json, "tool", view->tool);
    json_number(json, "shows", view->viewport.shows);
    json_number(json, "px_per_m", view->viewport.px_per_m);
    json_number(json, "frame", view->frame);
    json_bool(json, "dark", view->viewport.theme == THEME_DARK);
    json_bool(json, "can_undo", view->undo.done > 0);
    json_bool(json, "can_redo", view->undo.done < view->undo.count);
    json_string(json, "notice", view->notice_until_ms > view->now_ms ? view->notice : "");
}

const char *page_state(void)
{
    const struct view *view = page_view();
    const struct snapshot *snapshot = view->snapshot;
    struct json *json = begin('{');
    write_tools(json, view);
    json_bool(json, "shown", snapshot != NULL);
    if (!snapshot)
        return end(json, '{');
    json_number(json, "time_s", (double)snapshot->now_us * 1e-6);
    json_bool(json, "paused", snapshot->is_paused);
    json_bool(json, "lockstep", snapshot->is_lockstep);
    json_number(json, "speed", snapshot->speed);
    json_number(json, "length_s", (double)snapshot->length_us * 1e-6);
    json_number(json, "mark_count", snapshot->marks.count);
    json_number(json, "docks", snapshot->docks.count);
    json_string(json, "title", snapshot->title);
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    json_begin(json, "robots", '[');
    for (uint32_t i = 0; i < snapshot->robots.count; i++)
        write_robot(json, &robots[i]);
    json_end(json, '[');
    return end(json, '{');
}

/* ---- Marks of a replay ---- */

const char *page_marks(void)
{
    const struct snapshot *snapshot = page_view()->snapshot;
    const struct snapshot_mark *marks = snapshot ? snapshot_at(snapshot, snapshot->marks) : NULL;
    struct json *json = begin('[');
    for (uint32_t i = 0; marks && i < snapshot->marks.count; i++) {
        json_begin(json, NULL, '{');
        json_number(json, "at_s", (double)marks[i].at_us * 1e-6);
        json_string(json, "kind", snapshot_mark_word(marks[i].kind));
        json_string(json, "text", marks[i].text);
        json_end(json, '{');
    }
    return end(json, '[');
}

/* ---- The panel ---- */

static void write_text(struct json *json, const struct rows *rows, const char *key, uint32_t text)
{
    if (text)
        json_string(json, key, rows_text(rows, text));
}

static void write_row(struct json *json, const struct rows *rows, const struct row *row)
{
    json_begin(json, NULL, '{');
    json_number(json, "kind", row->kind);
    json_number(json, "tone", row->tone);
    json_number(json, "level", row->level);
    json_bool(json, "isOn", row->is_on);
    json_bool(json, "isNumber", row->is_number);
    json_number(json, "action", row->action);
    json_number(json, "number", row->number);
    json_string(json, "label", rows_text(rows, row->label));
    json_string(json, "value", rows_text(rows, row->value));
    write_text(json, rows, "hint", row->hint);
    write_text(json, rows, "button", row->button);
    write_text(json, rows, "choices", row->choices);
    write_text(json, rows, "unit", row->unit);
    if (row->has_slider)
        json_bool(json, "hasSlider", true);
    json_number(json, "part", row->part);
    json_end(json, '{');
}

const char *page_panel(void)
{
    const struct rows *rows = page_rows();
    struct json *json = begin('[');
    for (size_t i = 0; i < rows->count; i++)
        write_row(json, rows, &rows->row[i]);
    return end(json, '[');
}

/* ---- Keys ---- */

const char *page_actions(void)
{
    struct json *json = begin('[');
    for (size_t i = 0; i < action_count; i++) {
        json_begin(json, NULL, '{');
        json_number(json, "action", action_rows[i].action);
        json_string(json, "group", action_rows[i].group);
        json_string(json, "keys", action_rows[i].keys);
        json_string(json, "note", action_rows[i].note);
        json_end(json, '{');
    }
    return end(json, '[');
}
