#include "viewer/window/timebar.h"

#include <math.h>
#include <stdio.h>

enum {
    BAR_PX = 60,
    MARGIN_PX = 20,
    TRACK_PX = 44, /* the center of the track, from the top of the bar */
    REACH_PX = 14, /* chosen, like the next: maximum distance of a press from it */
    SNAP_PX = 4,   /* nearer than this, a mark is chosen */
    BUTTON_PX = 116,
};

double timebar_px(const struct snapshot *snapshot)
{
    return snapshot && snapshot_is_past(snapshot) ? BAR_PX : 0;
}

/* ---- Geometry ---- */

static double place_px(const struct view *view, int64_t at_us)
{
    double part = (double)at_us / (double)view->snapshot->length_us;
    return MARGIN_PX + fmin(part, 1) * (view->width_px - 2 * MARGIN_PX);
}

static const struct snapshot_mark *marks_of(const struct view *view)
{
    return snapshot_at(view->snapshot, view->snapshot->marks);
}

/* The mark at a position on the track, preferably a failure; NULL: none. */
static const struct snapshot_mark *mark_at(const struct view *view, double x_px)
{
    const struct snapshot_mark *marks = marks_of(view), *best = NULL;
    double best_px = SNAP_PX;
    for (uint32_t i = 0; i < view->snapshot->marks.count; i++) {
        double far_px = fabs(place_px(view, marks[i].at_us) - x_px) -
                        (marks[i].kind == SNAPSHOT_FAILED ? SNAP_PX / 2.0 : 0);
        if (far_px > best_px)
            continue;
        best = &marks[i];
        best_px = far_px;
    }
    return best;
}

static int64_t moment_at(const struct view *view, double x_px)
{
    const struct snapshot_mark *mark = mark_at(view, x_px);
    double part = (x_px - MARGIN_PX) / (view->width_px - 2 * MARGIN_PX);
    if (mark)
        return mark->at_us;
    return (int64_t)(fmax(0, fmin(1, part)) * (double)view->snapshot->length_us);
}

static bool is_on_track(const struct view *view, double x_px, double y_px)
{
    double top_px = view->height_px - view->bar_px;
    return view->bar_px > 0 && fabs(y_px - top_px - TRACK_PX) <= REACH_PX && x_px >= 0 &&
           x_px < view->width_px;
}

/* ---- Drawing ---- */

static uint32_t color_of(const struct theme *theme, uint32_t kind)
{
    switch (kind) {
    case SNAPSHOT_PASSED:
        return theme->good;
    case SNAPSHOT_FAILED:
        return theme->warn;
    case SNAPSHOT_FAULT:
    case SNAPSHOT_HEALED:
        return theme->odometry;
    default:
        return theme->faint;
    }
}

/* Color is never the only difference: a failure points down, a pass is a disc, a fault a box, its
 * end a hollow box, all other events a line. */
static void draw_mark(const struct ui *ui, double x_px, uint32_t kind)
{
    uint32_t color = color_of(ui->theme, kind);
    const struct draw_item whole = {.fill = color}, hollow = {.stroke = color, .width_px = 1.5};
    if (kind == SNAPSHOT_FAILED) {
        const struct viewport_point corners[] = {
            {x_px - 6, TRACK_PX - 13}, {x_px + 6, TRACK_PX - 13}, {x_px, TRACK_PX - 2}};
        draw_polygon(ui->list, whole, corners, 3);
        ui_line(ui, x_px, TRACK_PX - 4, x_px, TRACK_PX + 8, color);
    } else if (kind == SNAPSHOT_PASSED) {
        draw_disc(ui->list, whole, (struct viewport_point){x_px, TRACK_PX - 8}, 3.5);
    } else if (kind == SNAPSHOT_FAULT || kind == SNAPSHOT_HEALED) {
        ui_box(ui, (struct ui_rect){x_px - 3, TRACK_PX + 4, 6, 6}, 0,
               kind == SNAPSHOT_FAULT ? whole : hollow);
    } else {
        ui_line(ui, x_px, TRACK_PX - 5, x_px, TRACK_PX + 5, color);
    }
}

static void draw_track(const struct ui *ui, const struct view *view, int64_t now_us)
{
    const struct snapshot_mark *marks = marks_of(view);
    double from_px = MARGIN_PX, now_px = place_px(view, now_us);
    struct ui_rect rect = {from_px, TRACK_PX - 2, view->width_px - 2 * MARGIN_PX, 4};
    ui_box(ui, rect, 2, (struct draw_item){.fill = theme_alpha(ui->theme->faint, 0.35)});
    rect.width_px = now_px - from_px;
    ui_box(ui, rect, 2, (struct draw_item){.fill = ui->theme->left});
    // Failures are drawn last, on top of the others.
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < view->snapshot->marks.count; i++)
            if ((marks[i].kind == SNAPSHOT_FAILED) == pass)
                draw_mark(ui, place_px(view, marks[i].at_us), marks[i].kind);
    draw_disc(
        ui->list,
        (struct draw_item){.fill = ui->theme->left, .stroke = ui->theme->floor, .width_px = 2},
        (struct viewport_point){now_px, TRACK_PX}, 7);
}

/* Describes the mark under the mouse, else the marks at the present time. */
static void draw_words(const struct ui *ui, const struct view *view, int64_t now_us)
{
    char text[sizeof(struct snapshot_mark) + 40];
    const struct snapshot_mark *mark = NULL, *marks = marks_of(view);
    snprintf(text, sizeof text, "%.2f of %.2f s", (double)now_us * 1e-6,
             (double)view->snapshot->length_us * 1e-6);
    ui_text(ui, MARGIN_PX, 20, text,
            (struct draw_item){.flags = DRAW_BOLD, .fill = ui->theme->text, .size_px = 13});
    if (is_on_track(view, view->mouse_x_px, view->mouse_y_px))
        mark = mark_at(view, view->mouse_x_px);
    for (uint32_t i = 0; !mark && i < view->snapshot->marks.count; i++)
        if (marks[i].at_us == now_us)
            mark = &marks[i];
    if (!mark)
        return;
    bool is_failure = mark->kind == SNAPSHOT_FAILED;
    snprintf(text, sizeof text, "%.2f s  %s  %s", (double)mark->at_us * 1e-6,
             is_failure ? "FAILED" : snapshot_mark_word(mark->kind), mark->text);
    double left_px = MARGIN_PX + 170, right_px = view->width_px - MARGIN_PX - BUTTON_PX - 12;
    draw_rect(ui->list, (struct draw_item){.kind = DRAW_CLIP}, left_px, 0, right_px, TRACK_PX - 14);
    ui_text(
        ui, left_px, 20, text,
        (struct draw_item){.fill = is_failure ? ui->theme->warn : ui->theme->text, .size_px = 13});
    draw_unclip(ui->list);
}

static bool has_failed(const struct view *view)
{
    for (uint32_t i = 0; i < view->snapshot->marks.count; i++)
        if (marks_of(view)[i].kind == SNAPSHOT_FAILED)
            return true;
    return false;
}

void timebar_draw(struct draw_list *list, struct view *view)
{
    const struct ui ui = {.list = list,
                          .hit_areas = &view->bar_hit_areas,
                          .theme = theme_of(view->viewport.theme),
                          .top_px = view->height_px - view->bar_px,
                          .mouse_x_px = view->mouse_x_px,
                          .mouse_y_px = view->mouse_y_px};
    view->bar_hit_areas.count = 0;
    if (timebar_px(view->snapshot) == 0)
        return;
    const struct drag *drag = &view->drag;
    int64_t now_us = drag->kind == DRAG_SEEK ? drag->seek_us : view_moment_us(view);
    ui_box(&ui, (struct ui_rect){0, 0, view->width_px, BAR_PX}, 0,
           (struct draw_item){.fill = ui.theme->floor});
    ui_line(&ui, 0, 0.5, view->width_px, 0.5, theme_alpha(ui.theme->faint, 0.35));
    draw_words(&ui, view, now_us);
    if (has_failed(view))
        ui_button(&ui, (struct ui_rect){view->width_px - MARGIN_PX - BUTTON_PX, 5, BUTTON_PX, 22},
                  "Next failure  J", false, ACTION_FAILURE, 0);
    draw_track(&ui, view, now_us);
}

/* ---- The mouse ---- */

static void aim(struct view *view, double x_px)
{
    view->drag.seek_us = moment_at(view, x_px);
    view->drag.is_seek_unsent = true;
    view->stale |= STALE_BAR;
}

bool timebar_press(struct view *view, double x_px, double y_px)
{
    if (is_on_track(view, x_px, y_px)) {
        view->drag = (struct drag){.kind = DRAG_SEEK, .since_ms = view->now_ms};
        aim(view, x_px);
    }
    return view->bar_px > 0 && y_px >= view->height_px - view->bar_px;
}

bool timebar_move(struct view *view, double x_px, double y_px)
{
    if (view->bar_px > 0 && fmax(y_px, view->mouse_y_px) >= view->height_px - view->bar_px)
        view->stale |= STALE_BAR;
    if (view->drag.kind != DRAG_SEEK)
        return false;
    view->mouse_x_px = x_px;
    view->mouse_y_px = y_px;
    if (snapshot_is_past(view->snapshot))
        aim(view, x_px);
    return true;
}

bool timebar_release(struct view *view, double x_px, double y_px)
{
    if (!timebar_move(view, x_px, y_px))
        return false;
    view->drag.kind = DRAG_NONE;
    return true;
}

void timebar_send_target(struct view *view)
{
    if (!view->drag.is_seek_unsent || !outbox_is_settled(&view->outbox))
        return;
    view->drag.is_seek_unsent = false;
    view_seek(view, view->drag.seek_us);
}
