/* What is seen. */
#include "viewer/window/view.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double ZOOM_STEP = 1.25; /* chosen, as maps do */
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

void view_settle(struct view *view)
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
    view_settle(view);
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
    view_settle(view);
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
    view_settle(view);
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
    view_settle(view);
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
