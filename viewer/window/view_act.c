/* What the actions of keys and buttons do. */
#include <math.h>
#include <stdio.h>

#include "viewer/window/view.h"

static const double ZOOM_STEP = 1.25; /* chosen, as maps do */
static const double PAN_PX = 80;

static void zoom_middle(struct view *view, double factor)
{
    view_zoom(view, view_room_px(view) / 2, VIEW_TOOLBAR_PX + view->viewport.height_px / 2, factor);
}

static void select_next(struct view *view)
{
    if (view->snapshot && view->snapshot->robots.count > 0)
        view_select(view, (view->viewport.selected + 1) % (int32_t)view->snapshot->robots.count);
}

static uint32_t shows_of(enum action action)
{
    switch (action) {
    case ACTION_GRID:
        return SHOW_GRID;
    case ACTION_CONES:
        return SHOW_CONES;
    case ACTION_RAYS:
        return SHOW_RAYS;
    case ACTION_TRAILS:
        return SHOW_TRAILS;
    case ACTION_TOLD:
        return SHOW_TOLD;
    default:
        return SHOW_LABELS;
    }
}

static void act_on_look(struct view *view, enum action action)
{
    switch (action) {
    case ACTION_ZOOM_IN:
        zoom_middle(view, ZOOM_STEP);
        break;
    case ACTION_ZOOM_OUT:
        zoom_middle(view, 1 / ZOOM_STEP);
        break;
    case ACTION_FIT:
        view->is_fitted = true;
        view->is_following = false;
        break;
    case ACTION_FOLLOW:
        view->is_following = !view->is_following;
        view->is_fitted = view->is_fitted && !view->is_following;
        if (view->is_following)
            view->viewport.px_per_m = fmax(view->viewport.px_per_m, 150);
        break;
    case ACTION_LEFT:
        view_pan(view, PAN_PX, 0);
        break;
    case ACTION_RIGHT:
        view_pan(view, -PAN_PX, 0);
        break;
    case ACTION_UP:
        view_pan(view, 0, PAN_PX);
        break;
    case ACTION_DOWN:
        view_pan(view, 0, -PAN_PX);
        break;
    case ACTION_NEXT:
        select_next(view);
        break;
    default:
        view->viewport.shows ^= shows_of(action);
    }
    view_settle(view);
}

/* ---- Time ---- */

static void set_speed(struct view *view, double factor)
{
    view_do(view, "world.speed x=%.6g", fmin(fmax(factor, 0.001), 1000));
}

static void step(struct view *view, int ms)
{
    if (!view->snapshot->is_paused)
        view_do(view, "world.pause");
    view_do(view, "world.step ms=%d", ms);
}

static void act_on_time(struct view *view, enum action action)
{
    const struct snapshot *snapshot = view->snapshot;
    switch (action) {
    case ACTION_PLAY:
        view_do(view, "world.pause paused=%s", snapshot->is_paused ? "false" : "true");
        break;
    case ACTION_STEP:
        step(view, 20); // chosen: a cycle of a Kobuki's firmware
        break;
    case ACTION_STEP_MS:
        step(view, 1);
        break;
    case ACTION_SLOWER:
        set_speed(view, snapshot->speed / 2);
        break;
    case ACTION_FASTER:
        set_speed(view, snapshot->speed * 2);
        break;
    case ACTION_REAL_TIME:
        set_speed(view, 1);
        break;
    default:
        view_do(view, "world.reset");
    }
}

/* ---- Hands on the selected robot ---- */

static const struct snapshot_channel *
channel_of(const struct view *view, const struct snapshot_robot *robot, uint32_t number)
{
    return number < robot->channel_count ? (const struct snapshot_channel *)snapshot_at(
                                               view->snapshot, view->snapshot->channels) +
                                               robot->first_channel + number
                                         : NULL;
}

static void turn(struct view *view, const struct snapshot_robot *robot, double degrees)
{
    char doing[EDIT_TEXT_MAX], undoing[EDIT_TEXT_MAX];
    static const double DEG_1_RAD = 57.29577951308232;
    double heading = robot->pose.heading_rad * DEG_1_RAD;
    snprintf(doing, sizeof doing, "%s.place x=%.5f y=%.5f heading=%.3f", robot->name,
             robot->pose.x_m, robot->pose.y_m, heading + degrees);
    snprintf(undoing, sizeof undoing, "%s.place x=%.5f y=%.5f heading=%.3f", robot->name,
             robot->pose.x_m, robot->pose.y_m, heading);
    view_edit(view, doing, undoing);
}

static void act_on_robot(struct view *view, enum action action, uint32_t number)
{
    const struct snapshot_robot *robot = view_robot(view);
    const struct snapshot_channel *channel = robot ? channel_of(view, robot, number) : NULL;
    if (!robot) {
        view_tell(view, "no robot is selected: click one");
        return;
    }
    switch (action) {
    case ACTION_LIFT:
        view_do(view, "%s.lift up=%s", robot->name, robot->is_lifted ? "false" : "true");
        break;
    case ACTION_TURN_LEFT:
        turn(view, robot, 15);
        break;
    case ACTION_TURN_RIGHT:
        turn(view, robot, -15);
        break;
    case ACTION_CHARGER:
        view_do(view, "%s.%s what=adapter", robot->name, robot->has_adapter ? "unplug" : "plug");
        break;
    case ACTION_CABLE:
    case ACTION_CABLE_OF:
        if (channel)
            view_do(view, "%s.%s what=%s", robot->name, channel->is_plugged ? "unplug" : "plug",
                    channel->name);
        break;
    default:
        if (channel)
            view_do(view, "%s.fault %s=flip rate=0.005 for=5", robot->name, channel->name);
    }
}

/* ---- The rest ---- */

static void take_up(struct view *view, enum view_tool tool)
{
    static const char *const words[] = {NULL, "drag to draw a wall", "drag to draw a box",
                                        "click a wall or a box to delete it"};
    hands_drop(view);
    view->tool = view->tool == tool ? TOOL_HAND : tool;
    if (words[view->tool])
        view_tell(view, "%s; Esc ends that", words[view->tool]);
}

static void escape(struct view *view)
{
    if (view->is_help)
        view->is_help = false;
    else if (view->tool != TOOL_HAND)
        view->tool = TOOL_HAND;
    else
        view_select(view, VIEWPORT_NOBODY);
    view->notice_until_ms = view->now_ms;
    hands_drop(view);
}

static void act_on_edits(struct view *view, enum action action)
{
    const char *command =
        action == ACTION_UNDO ? edits_undo(&view->edits) : edits_redo(&view->edits);
    if (command)
        remote_do(view->remote, command);
    else
        view_tell(view, action == ACTION_UNDO ? "nothing to undo" : "nothing to redo");
}

static void act_on_panel(struct view *view, enum action action, uint32_t number)
{
    if (action == ACTION_TAB)
        view->tab = (enum view_tab)number;
    if (action == ACTION_GROUP)
        view->open_groups ^= UINT64_C(1) << (number % VIEW_GROUPS_MAX);
    if (action == ACTION_PLOT)
        plots_toggle(&view->plots, number);
    if (action == ACTION_DIRECTION)
        view->direction = number;
    if (action == ACTION_CHANNEL)
        view->channel = number;
    if (action == ACTION_BYTES)
        view->bytes_of = view->bytes_of == number ? VIEW_NONE : number;
    view->stale |= STALE_PANEL;
}

static void act_on_window(struct view *view, enum action action)
{
    switch (action) {
    case ACTION_PANEL:
        view->is_panel = !view->is_panel;
        if (view->is_panel && view->width_px < VIEW_PANEL_LEAST_PX)
            view_tell(view, "the window is too narrow for the panel");
        break;
    case ACTION_THEME:
        view->viewport.theme = view->viewport.theme == THEME_DARK ? THEME_LIGHT : THEME_DARK;
        break;
    case ACTION_SOUND:
        view->is_muted = !view->is_muted;
        break;
    case ACTION_FULL:
        view->wants_full = !view->wants_full;
        break;
    case ACTION_HELP:
        view->is_help = !view->is_help;
        break;
    case ACTION_ESCAPE:
        escape(view);
        break;
    default:
        view->wants_end = true;
    }
    view_settle(view);
}

void view_act(struct view *view, enum action action, uint32_t number)
{
    view->stale = STALE_ALL;
    if (action == ACTION_NONE || (!view->snapshot && action != ACTION_QUIT))
        return;
    if (action >= ACTION_TAB && action <= ACTION_BYTES)
        act_on_panel(view, action, number);
    else if (action <= ACTION_RESET)
        act_on_time(view, action);
    else if (action <= ACTION_LABELS)
        act_on_look(view, action);
    else if (action == ACTION_UNDO || action == ACTION_REDO)
        act_on_edits(view, action);
    else if (action >= ACTION_HAND && action <= ACTION_ERASE)
        take_up(view, (enum view_tool)(action - ACTION_HAND));
    else if (action >= ACTION_PANEL && action <= ACTION_QUIT)
        act_on_window(view, action);
    else
        act_on_robot(view, action, number);
}
