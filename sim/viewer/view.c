/* What is seen, and what actions do. */
#include "sim/viewer/view.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double ZOOM_STEP = 1.25; /* chosen, as maps do */
static const double PAN_PX = 80;
enum { NOTICE_MS = 4000 };

void view_init(struct view *view, struct remote *remote)
{
    *view = (struct view){
        .remote = remote,
        .viewport = {.shows = SHOW_ALL, .selected = VIEWPORT_NOBODY},
        .is_fitted = true,
        .is_panel = true,
        .open_groups = 1,
        .bytes_of = VIEW_NONE,
        .stale = STALE_ALL,
    };
    plots_clear(&view->plots);
}

const struct snapshot_robot *view_robot(const struct view *view)
{
    int32_t selected = view->viewport.selected;
    if (!view->snapshot || selected < 0 || (uint32_t)selected >= view->snapshot->robots.count)
        return NULL;
    return (const struct snapshot_robot *)snapshot_at(view->snapshot, view->snapshot->robots) +
           selected;
}

bool view_has_panel(const struct view *view)
{
    return view->is_panel && view_robot(view) && view->width_px >= VIEW_PANEL_LEAST_PX;
}

double view_room_px(const struct view *view)
{
    return view->width_px - (view_has_panel(view) ? VIEW_PANEL_PX : 0);
}

/* Brings the viewport in line with the window, and with whom it follows. */
static void settle(struct view *view)
{
    struct viewport *viewport = &view->viewport;
    viewport->width_px = fmax(view_room_px(view), 1);
    viewport->height_px = fmax(view->height_px - VIEW_TOOLBAR_PX, 1);
    if (view->snapshot && view->is_fitted)
        viewport_fit(viewport, view->snapshot);
    const struct snapshot_robot *robot = view_robot(view);
    if (robot && view->is_following) {
        // Whole pixels: what stands still is then painted anew only when it is seen to move.
        double x_px = round(robot->pose.x_m * viewport->px_per_m);
        double y_px = round(robot->pose.y_m * viewport->px_per_m);
        viewport->center_x_m = x_px / viewport->px_per_m;
        viewport->center_y_m = y_px / viewport->px_per_m;
    }
}

void view_resize(struct view *view, double width_px, double height_px)
{
    view->width_px = width_px;
    view->height_px = height_px;
    view->stale = STALE_ALL;
    settle(view);
}

void view_select(struct view *view, int32_t robot)
{
    if (robot == view->viewport.selected)
        return;
    view->viewport.selected = robot;
    view->stale = STALE_ALL;
    view->scroll_px[TAB_ROBOT] = view->scroll_px[TAB_SIGNALS] = view->scroll_px[TAB_FRAMES] = 0;
    view->channel = view->direction = 0;
    view->bytes_of = VIEW_NONE;
    settle(view);
}

void view_take(struct view *view, const struct snapshot *snapshot)
{
    bool is_first = !view->snapshot;
    // Paused and speed; the bar shows nothing else of it.
    if (is_first || view->is_shown_paused != (bool)snapshot->is_paused ||
        view->shown_speed != snapshot->speed)
        view->stale |= STALE_TOOLBAR;
    view->is_shown_paused = snapshot->is_paused;
    view->shown_speed = snapshot->speed;
    view->snapshot = snapshot;
    view->stale |= STALE_ROOM | STALE_PANEL;
    if (is_first) {
        view->stale = STALE_ALL;
        if (snapshot->robots.count > 0)
            view_select(view, 0);
    }
    plots_take(&view->plots, snapshot);
    settle(view);
}

/* ---- Commands ---- */

void view_do(struct view *view, const char *format, ...)
{
    char command[512];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    remote_do(view->remote, command);
}

void view_edit(struct view *view, const char *doing, const char *undoing)
{
    remote_do(view->remote, doing);
    edits_add(&view->edits, doing, undoing);
}

void view_tell(struct view *view, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(view->notice, sizeof view->notice, format, args);
    va_end(args);
    view->notice_until_ms = view->now_ms + NOTICE_MS;
    view->stale |= STALE_ROOM;
}

/* ---- Looking ---- */

void view_zoom(struct view *view, double x_px, double y_px, double factor)
{
    view->is_fitted = false;
    viewport_zoom(&view->viewport, x_px, y_px - VIEW_TOOLBAR_PX, factor);
    view->stale |= STALE_ROOM;
    settle(view);
}

void view_pan(struct view *view, double dx_px, double dy_px)
{
    view->is_fitted = view->is_following = false;
    view->viewport.center_x_m -= dx_px / view->viewport.px_per_m;
    view->viewport.center_y_m += dy_px / view->viewport.px_per_m;
    view->stale |= STALE_ROOM | STALE_TOOLBAR;
}

void view_wheel(struct view *view, double x_px, double y_px, double lines)
{
    if (!view_has_panel(view) || x_px < view_room_px(view)) {
        view_zoom(view, x_px, y_px, pow(ZOOM_STEP, lines));
        return;
    }
    double most = fmax(0, view->page_px - (view->height_px - VIEW_TOOLBAR_PX));
    double *scroll = &view->scroll_px[view->tab];
    *scroll = fmax(0, fmin(most, *scroll - lines * 48));
    view->stale |= STALE_PANEL;
}

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
    settle(view);
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
    settle(view);
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
