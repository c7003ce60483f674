/* The window's state, and functions shared by all operations that change it. */
#include "viewer/model/view.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double ZOOM_STEP = 1.25;    /* chosen, as in maps */
static const double SCROLL_PX = 48;      /* chosen: for one line of the wheel */
static const double GLIDE_MOST_S = 0.05; /* chosen: prevents a jump if a picture comes late */
enum { NOTICE_MS = 4000 };               /* chosen */
enum { SOUGHT_MS = 5000 }; /* chosen: after that another client has changed the time */

void view_init(struct view *view)
{
    *view = (struct view){
        .viewport = {.shows = SHOW_ALL, .selected = VIEWPORT_NOBODY},
        .frame = FRAME_ACTION,
        .is_panel = true,
        .open_groups = 1,
        .open_frames = 1,
        .stale = STALE_ALL,
    };
    for (size_t i = 0; i < PLOTS_MAX; i++)
        view->plots.plot[i].signal = PLOTS_NONE;
    fault_menu_clear(&view->faults);
}

const struct snapshot_robot *view_robot(const struct view *view)
{
    int32_t selected = view->viewport.selected;
    if (!view->snapshot || selected < 0 || (uint32_t)selected >= view->snapshot->robots.count)
        return NULL;
    return (const struct snapshot_robot *)snapshot_at(view->snapshot, view->snapshot->robots) +
           selected;
}

const struct snapshot_channel *view_channel(const struct view *view,
                                            const struct snapshot_robot *robot, uint32_t number)
{
    if (number >= robot->channel_count)
        return NULL;
    return (const struct snapshot_channel *)snapshot_at(view->snapshot, view->snapshot->channels) +
           robot->first_channel + number;
}

static size_t pin_of(const struct pins *pins, uint32_t signal)
{
    size_t at = 0;
    while (at < pins->count && pins->signal[at] != signal)
        at++;
    return at;
}

bool view_is_pinned(const struct view *view, uint32_t signal)
{
    return pin_of(&view->pins, signal) < view->pins.count;
}

void view_pin(struct view *view, uint32_t signal)
{
    struct pins *pins = &view->pins;
    size_t at = pin_of(pins, signal);
    if (at < pins->count)
        memmove(&pins->signal[at], &pins->signal[at + 1],
                (--pins->count - at) * sizeof pins->signal[0]);
    else if (pins->count < VIEW_PINS_MAX)
        pins->signal[pins->count++] = signal;
}

bool view_takes_commands(const struct view *view)
{
    return !view->snapshot->is_tap && !snapshot_is_past(view->snapshot) && !view->is_read_only;
}

uint64_t view_refused(const struct snapshot_channel *channel)
{
    return channel->stats.bad_frames + channel->stats.noise_bytes + channel->stats.unknown_ids +
           channel->stats.bad_lengths;
}

enum view_tab view_tab(const struct view *view)
{
    return view_robot(view) || view->tab >= TAB_TEST ? view->tab : TAB_ROSTER;
}

bool view_has_panel(const struct view *view)
{
    // The help needs the space of the panel.
    return view->snapshot && view->is_panel && !view->is_help && !view->is_folded;
}

double view_room_px(const struct view *view)
{
    return view->width_px - (view_has_panel(view) ? VIEW_PANEL_PX : 0);
}

double view_below_px(const struct view *view)
{
    return view->height_px - VIEW_TOOLBAR_PX - view->bar_px;
}

const struct hit_area *view_hit_area(const struct view *view, double x_px, double y_px)
{
    const struct hit_areas *const all[] = {&view->hit_areas, &view->bar_hit_areas,
                                           &view->panel_hit_areas};
    const struct hit_area *area = NULL;
    for (size_t i = 0; !area && i < sizeof all / sizeof all[0]; i++)
        area = hit_areas_at(all[i], x_px, y_px);
    return area;
}

void view_update_viewport(struct view *view)
{
    struct viewport *viewport = &view->viewport;
    viewport->width_px = fmax(view_room_px(view), 1);
    viewport->height_px = fmax(view_below_px(view), 1);
    if (view->snapshot && view->frame == FRAME_ROOM)
        viewport_fit(viewport, view->snapshot);
    // During a drag the picture does not move.
    view->aim.is_gliding &= view->frame == FRAME_ACTION;
    if (view->snapshot && view->frame == FRAME_ACTION && view->drag.kind == DRAG_NONE)
        aim_step(&view->aim, viewport, view->snapshot,
                 fmin((view->now_ms - view->aimed_ms) * 1e-3, GLIDE_MOST_S));
    view->aimed_ms = view->now_ms;
    const struct snapshot_robot *robot = view_robot(view);
    if (robot && view->frame == FRAME_ROBOT) {
        // In whole pixels, so that the background is painted again only after a visible motion.
        double x_px = round(robot->pose.x_m * viewport->px_per_m);
        double y_px = round(robot->pose.y_m * viewport->px_per_m);
        viewport->center_x_m = x_px / viewport->px_per_m;
        viewport->center_y_m = y_px / viewport->px_per_m;
    }
}

bool view_glide(struct view *view)
{
    if (!view->snapshot || view->frame != FRAME_ACTION || !view->aim.is_gliding)
        return false;
    view_update_viewport(view);
    view->stale |= STALE_ROOM;
    return true;
}

void view_resize(struct view *view, double width_px, double height_px)
{
    bool is_narrow = width_px < VIEW_PANEL_LEAST_PX;
    if (view->width_px == 0 || is_narrow != (view->width_px < VIEW_PANEL_LEAST_PX))
        view->is_folded = is_narrow;
    view->width_px = width_px;
    view->height_px = height_px;
    view->stale = STALE_ALL;
    view_update_viewport(view);
}

void view_select(struct view *view, int32_t robot)
{
    if (robot == view->viewport.selected)
        return;
    view->viewport.selected = robot;
    view->stale = STALE_ALL;
    for (int tab = 0; tab < TAB_TEST; tab++)
        view->scroll_px[tab] = 0;
    fault_menu_clear(&view->faults);
    view->channel = view->direction = 0;
    view->open_frames = 1;
    view_update_viewport(view);
}

static void add(struct plot *plot, int64_t at_us, double value)
{
    plot->at_us[plot->total % PLOT_POINTS] = at_us;
    plot->value[plot->total++ % PLOT_POINTS] = (float)value;
}

/* Adds the values of a snapshot. If time went back, clears the plots. */
static void plots_take(struct plots *plots, const struct snapshot *snapshot)
{
    const double *values = snapshot_at(snapshot, snapshot->values);
    for (size_t i = 0; i < PLOTS_MAX; i++) {
        struct plot *plot = &plots->plot[i];
        if (plot->signal >= snapshot->values.count)
            continue;
        int64_t last_us = plot->total > 0 ? plot->at_us[(plot->total - 1) % PLOT_POINTS] : -1;
        if (snapshot->now_us < last_us)
            plot->total = 0;
        // Many snapshots in a short time must not remove the last ten seconds from the ring.
        if (plot->total > 0 && snapshot->now_us - last_us < PLOT_SPAN_US / PLOT_POINTS)
            continue;
        add(plot, snapshot->now_us, values[plot->signal]);
    }
}

void view_set_snapshot(struct view *view, const struct snapshot *snapshot)
{
    bool is_first = !view->snapshot;
    // These two are the only values of a snapshot that the toolbar shows.
    if (is_first || view->is_shown_paused != (bool)snapshot->is_paused ||
        view->shown_speed != snapshot->speed)
        view->stale |= STALE_TOOLBAR;
    view->is_shown_paused = snapshot->is_paused;
    view->shown_speed = snapshot->speed;
    view->snapshot = snapshot;
    view->is_sought &= snapshot->is_paused && snapshot->now_us != view->sought_us;
    view->stale |= STALE_ROOM | STALE_PANEL | STALE_BAR;
    if (is_first) {
        view->stale = STALE_ALL;
        if (snapshot->robots.count > 0)
            view_select(view, 0);
        view->tab = snapshot->is_tap ? TAB_FRAMES : view->tab;
    }
    plots_take(&view->plots, snapshot);
    view_update_viewport(view);
}

void view_notify(struct view *view, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(view->notice, sizeof view->notice, format, args);
    va_end(args);
    view->notice_until_ms = view->now_ms + NOTICE_MS;
    view->stale |= STALE_ROOM;
}

/* ---- Commands ---- */

/* Adds a copy of a command, cut if it is too long. False: the outbox is full, since the owner took
 * no command out; the command is dropped. */
static bool outbox_put(struct outbox *outbox, const char *command)
{
    if (outbox->count == OUTBOX_MAX)
        return false;
    size_t slot = (outbox->first + outbox->count++) % OUTBOX_MAX;
    snprintf(outbox->command[slot], OUTBOX_COMMAND_MAX, "%s", command);
    return true;
}

void view_command(struct view *view, const char *format, ...)
{
    char command[OUTBOX_COMMAND_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    if (!outbox_put(&view->outbox, command))
        view_notify(view, "ignored, because the run accepts no commands: %s", command);
}

void view_seek(struct view *view, int64_t to_us)
{
    int64_t most_us = view->snapshot->length_us;
    view->sought_us = to_us < 0 ? 0 : to_us > most_us ? most_us : to_us;
    view->sought_ms = view->now_ms;
    view->is_sought = true;
    view->stale |= STALE_BAR;
    view_command(view, "world.seek to=%.3f", (double)view->sought_us * 1e-6);
}

int64_t view_moment_us(const struct view *view)
{
    bool is_sought = view->is_sought && view->now_ms - view->sought_ms < SOUGHT_MS;
    return is_sought ? view->sought_us : view->snapshot->now_us;
}

void view_edit(struct view *view, const char *command, const char *inverse)
{
    view_command(view, "%s", command);
    view_remember(view, command, inverse);
}

void view_remember(struct view *view, const char *command, const char *inverse)
{
    struct view_undo *undo = &view->undo;
    if (undo->done == VIEW_UNDO_MAX) {
        memmove(&undo->entry[0], &undo->entry[1], (VIEW_UNDO_MAX - 1) * sizeof undo->entry[0]);
        undo->done--;
    }
    size_t last = undo->done++;
    snprintf(undo->entry[last].command, sizeof undo->entry[last].command, "%s", command);
    snprintf(undo->entry[last].inverse, sizeof undo->entry[last].inverse, "%s", inverse);
    undo->count = undo->done;
}

bool view_undo(struct view *view)
{
    struct view_undo *undo = &view->undo;
    if (undo->done == 0)
        return false;
    view_command(view, "%s", undo->entry[--undo->done].inverse);
    return true;
}

bool view_redo(struct view *view)
{
    struct view_undo *undo = &view->undo;
    if (undo->done == undo->count)
        return false;
    view_command(view, "%s", undo->entry[undo->done++].command);
    return true;
}

/* ---- Zoom, pan, scroll ---- */

void view_zoom(struct view *view, double x_px, double y_px, double factor)
{
    view->frame = view->frame == FRAME_ROBOT ? FRAME_ROBOT : FRAME_FREE;
    viewport_zoom(&view->viewport, x_px, y_px - VIEW_TOOLBAR_PX, factor);
    view->stale |= STALE_ROOM;
    view_update_viewport(view);
}

void view_zoom_lines(struct view *view, double x_px, double y_px, double lines)
{
    view_zoom(view, x_px, y_px, pow(ZOOM_STEP, lines));
}

void view_pan(struct view *view, double dx_px, double dy_px)
{
    view->frame = FRAME_FREE;
    view->viewport.center_x_m -= dx_px / view->viewport.px_per_m;
    view->viewport.center_y_m += dy_px / view->viewport.px_per_m;
    view->stale |= STALE_ROOM | STALE_TOOLBAR;
}

void view_wheel(struct view *view, double x_px, double y_px, double lines)
{
    if (!view_has_panel(view) || x_px < view_room_px(view)) {
        view_zoom_lines(view, x_px, y_px, lines);
        return;
    }
    double most_px = fmax(0, view->page_px - view_below_px(view));
    double *scroll_px = &view->scroll_px[view_tab(view)];
    *scroll_px = fmax(0, fmin(most_px, *scroll_px - lines * SCROLL_PX));
    view->stale |= STALE_PANEL;
}

const char *outbox_take(struct outbox *outbox)
{
    if (outbox->count == 0)
        return NULL;
    const char *command = outbox->command[outbox->first];
    outbox->first = (outbox->first + 1) % OUTBOX_MAX;
    outbox->count--;
    return command;
}

bool outbox_is_settled(const struct outbox *outbox)
{
    return outbox->count == 0 && outbox->unanswered == 0;
}

/* Each plot is a ring of values. */

static size_t place_of(const struct plots *plots, uint32_t number)
{
    size_t at = 0;
    while (at < PLOTS_MAX && plots->plot[at].signal != number)
        at++;
    return at;
}

const struct plot *plots_find(const struct plots *plots, uint32_t number)
{
    size_t at = place_of(plots, number);
    return at < PLOTS_MAX ? &plots->plot[at] : NULL;
}

void plots_toggle(struct plots *plots, uint32_t number)
{
    size_t at = place_of(plots, number);
    if (at < PLOTS_MAX) {
        plots->plot[at].signal = PLOTS_NONE;
        return;
    }
    at = place_of(plots, PLOTS_NONE);
    if (at == PLOTS_MAX) {
        at = PLOTS_MAX - 1;
        memmove(&plots->plot[0], &plots->plot[1], at * sizeof plots->plot[0]);
    }
    plots->plot[at].signal = number;
    plots->plot[at].total = 0;
}

void plots_restart(struct plots *plots, uint32_t number)
{
    size_t at = place_of(plots, number);
    if (at < PLOTS_MAX)
        plots->plot[at].total = 0;
}

void plots_add(struct plots *plots, uint32_t number, int64_t at_us, double value)
{
    size_t at = place_of(plots, number);
    if (at < PLOTS_MAX)
        add(&plots->plot[at], at_us, value);
}
