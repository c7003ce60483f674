/* Picking uses the geometry of snapshot and viewport; dragging produces commands. */
#include "viewer/model/pointer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/text.h"

static const double SLACK_PX = 4;  /* chosen: tolerance of a click */
static const double CLICK_PX = 3;  /* chosen: a mouse that moves less clicks instead of dragging */
static const double GRID_M = 0.05; /* chosen: corners of walls and boxes snap to this */
static const double TURN_STEP_DEG = 5; /* chosen */
enum { CLICK_MS = 200 };               /* chosen: the default duration of the command `press` */

/* ---- Picking: the topmost first ---- */

/* A point of the picture in the frame of a pose; the result's heading is 0. */
static struct snapshot_pose to_local(const struct viewport *viewport, struct snapshot_pose pose,
                                     double x_px, double y_px)
{
    double x_m, y_m, cosine = cos(pose.heading_rad), sine = sin(pose.heading_rad);
    viewport_m(viewport, x_px, y_px, &x_m, &y_m);
    x_m -= pose.x_m;
    y_m -= pose.y_m;
    return (struct snapshot_pose){cosine * x_m + sine * y_m, cosine * y_m - sine * x_m, 0};
}

/* The number of the topmost robot at a point, or VIEWPORT_NOBODY. */
static int32_t robot_at(const struct viewport *viewport, const struct snapshot *snapshot,
                        double x_px, double y_px)
{
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    double slack_m = SLACK_PX / viewport->px_per_m;
    for (size_t i = snapshot->robots.count; i-- > 0;) {
        const struct snapshot_robot *robot = &robots[i];
        struct snapshot_pose at = to_local(viewport, robot->pose, x_px, y_px);
        at.x_m -= (double)robot->center_x_m;
        bool is_in = robot->shape == ROBOT_DISC
                         ? hypot(at.x_m, at.y_m) <= (double)robot->radius_m + slack_m
                         : fabs(at.x_m) <= (double)robot->length_m / 2 + slack_m &&
                               fabs(at.y_m) <= (double)robot->width_m / 2 + slack_m;
        if (is_in)
            return (int32_t)i;
    }
    return VIEWPORT_NOBODY;
}

/* Whether a point, relative to the center of the body, is on the part of ROW. */
static bool is_on(const struct appearance_row *row, double x_m, double y_m, double slack_m)
{
    double dx = x_m - row->x_m, dy = y_m - row->y_m, far_m = hypot(dx, dy);
    double cosine = cos(row->heading_rad), sine = sin(row->heading_rad);
    switch (row->shape) {
    case APPEARANCE_DISC:
        return far_m <= row->length_m / 2 + slack_m;
    case APPEARANCE_ARC: {
        double angle = fmod(atan2(dy, dx) - row->heading_rad - row->from_rad, 2 * ANGLE_PI);
        if (angle < 0)
            angle += 2 * ANGLE_PI;
        return fabs(far_m - row->length_m / 2) <= row->width_m / 2 + slack_m &&
               angle <= row->to_rad - row->from_rad;
    }
    case APPEARANCE_BOX:
        return fabs(cosine * dx + sine * dy) <= row->length_m / 2 + slack_m &&
               fabs(cosine * dy - sine * dx) <= row->width_m / 2 + slack_m;
    default:
        return false;
    }
}

/* The command of the part of a robot at a point ("press bumper=left"), or NULL. */
static const char *part_at(const struct viewport *viewport, const struct snapshot *snapshot,
                           size_t robot, double x_px, double y_px)
{
    const struct snapshot_robot *one =
        (const struct snapshot_robot *)snapshot_at(snapshot, snapshot->robots) + robot;
    struct snapshot_pose at = to_local(viewport, one->pose, x_px, y_px);
    // On a robot that is small on the screen, the tolerance would cover all its parts.
    double slack_m = fmin(SLACK_PX / viewport->px_per_m, 0.006);
    for (size_t i = one->appearance.count; i-- > 0;) {
        const struct appearance_row row = snapshot_appearance(snapshot, one, i);
        if (row.click && is_on(&row, at.x_m - (double)one->center_x_m, at.y_m, slack_m))
            return row.click;
    }
    return NULL;
}

/* Distance from a point of the picture to the nearest point of a wall. */
static double distance_px(const struct viewport *viewport, const struct snapshot_wall *wall,
                          double x_px, double y_px)
{
    struct viewport_point a = viewport_px(viewport, (double)wall->from.x_m, (double)wall->from.y_m);
    struct viewport_point b = viewport_px(viewport, (double)wall->to.x_m, (double)wall->to.y_m);
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double part = square > 0 ? ((x_px - a.x) * dx + (y_px - a.y) * dy) / square : 0;
    part = fmax(0, fmin(1, part));
    return hypot(x_px - a.x - part * dx, y_px - a.y - part * dy);
}

struct pick pointer_pick(const struct viewport *viewport, const struct snapshot *snapshot,
                         double x_px, double y_px)
{
    const struct snapshot_wall *walls = snapshot_at(snapshot, snapshot->walls);
    const struct snapshot_box *boxes = snapshot_at(snapshot, snapshot->boxes);
    for (size_t i = snapshot->boxes.count; i-- > 0;) {
        struct snapshot_pose at = to_local(viewport, boxes[i].pose, x_px, y_px);
        if (fabs(at.x_m) <= (double)boxes[i].length_m / 2 &&
            fabs(at.y_m) <= (double)boxes[i].width_m / 2)
            return (struct pick){PICK_BOX, i};
    }
    for (size_t i = snapshot->walls.count; i-- > 0;)
        if (distance_px(viewport, &walls[i], x_px, y_px) <= 2 * SLACK_PX)
            return (struct pick){PICK_WALL, i};
    return (struct pick){PICK_NOTHING, 0};
}

/* ---- Drags ---- */

static struct drag *begin_drag(struct view *view, enum drag_kind kind, double x_px, double y_px)
{
    view->drag = (struct drag){.kind = kind,
                               .from_x_px = x_px,
                               .from_y_px = y_px,
                               .x_px = x_px,
                               .y_px = y_px,
                               .since_ms = view->now_ms};
    return &view->drag;
}

void pointer_cancel(struct view *view)
{
    view->drag.kind = DRAG_NONE;
    view->stale |= STALE_ROOM;
}

/* ---- Bumpers and buttons ---- */

static void press_part(struct view *view, const char *command)
{
    const struct snapshot_robot *robot = view_robot(view);
    struct drag *drag = &view->drag;
    snprintf(drag->part, sizeof drag->part, "%s", command);
    if (strncmp(command, "press ", 6) == 0)
        view_command(view, "%s.%s for=0", robot->name, command);
    else
        view_command(view, "%s.%s", robot->name, command);
}

/* After a short click the part stays pressed until any firmware has noticed it. */
static void release_part(struct view *view)
{
    const struct snapshot_robot *robot = view_robot(view);
    const struct drag *drag = &view->drag;
    if (!robot || strncmp(drag->part, "press ", 6) != 0)
        return;
    if (view->now_ms - drag->since_ms < CLICK_MS)
        view_command(view, "%s.%s for=0.2", robot->name, drag->part);
    else
        view_command(view, "%s.release %s", robot->name, drag->part + 6);
}

/* ---- Walls and boxes ---- */

static double snap_m(double value_m)
{
    return round(value_m / GRID_M) * GRID_M;
}

struct drawn pointer_drawn(const struct view *view)
{
    const struct drag *drag = &view->drag;
    struct drawn drawn;
    viewport_m(&view->viewport, drag->from_x_px, drag->from_y_px, &drawn.x_m, &drawn.y_m);
    viewport_m(&view->viewport, drag->x_px, drag->y_px, &drawn.to_x_m, &drawn.to_y_m);
    return (struct drawn){snap_m(drawn.x_m), snap_m(drawn.y_m), snap_m(drawn.to_x_m),
                          snap_m(drawn.to_y_m)};
}

/* The lowest number, from 1, that is free among the walls or the boxes of the snapshot. */
static uint32_t free_number(const struct snapshot *snapshot, bool is_wall)
{
    const struct snapshot_wall *walls = snapshot_at(snapshot, snapshot->walls);
    const struct snapshot_box *boxes = snapshot_at(snapshot, snapshot->boxes);
    size_t count = is_wall ? snapshot->walls.count : snapshot->boxes.count;
    uint32_t number = 1;
    for (size_t i = 0; i < count; i++) {
        if ((is_wall ? walls[i].number : boxes[i].number) != number)
            continue;
        number++;
        i = SIZE_MAX; // start over
    }
    return number;
}

static void finish_drawing(struct view *view)
{
    char command[VIEW_COMMAND_MAX], inverse[VIEW_COMMAND_MAX];
    struct drawn at = pointer_drawn(view);
    double x_m = at.to_x_m - at.x_m, y_m = at.to_y_m - at.y_m;
    bool is_wall = view->tool == TOOL_WALL;
    if (is_wall ? x_m == 0 && y_m == 0 : x_m == 0 || y_m == 0)
        return; // a click, or flat
    unsigned number = free_number(view->snapshot, is_wall);
    if (is_wall)
        snprintf(command, sizeof command,
                 "world.wall number=%u from_x=%.3f from_y=%.3f to_x=%.3f to_y=%.3f", number, at.x_m,
                 at.y_m, at.to_x_m, at.to_y_m);
    else
        snprintf(command, sizeof command,
                 "world.box number=%u x=%.3f y=%.3f length=%.3f width=%.3f mass=2", number,
                 (at.x_m + at.to_x_m) / 2, (at.y_m + at.to_y_m) / 2, fabs(x_m), fabs(y_m));
    snprintf(inverse, sizeof inverse, "world.remove %s=%u", is_wall ? "wall" : "box", number);
    view_edit(view, command, inverse);
}

static uint32_t remove_wall(const struct snapshot *snapshot, size_t index, char *command,
                            char *inverse)
{
    const struct snapshot_wall *wall =
        (const struct snapshot_wall *)snapshot_at(snapshot, snapshot->walls) + index;
    snprintf(command, VIEW_COMMAND_MAX, "world.remove wall=%u", wall->number);
    snprintf(inverse, VIEW_COMMAND_MAX,
             "world.wall number=%u from_x=%.4f from_y=%.4f to_x=%.4f to_y=%.4f", wall->number,
             (double)wall->from.x_m, (double)wall->from.y_m, (double)wall->to.x_m,
             (double)wall->to.y_m);
    return wall->color;
}

static uint32_t remove_box(const struct snapshot *snapshot, size_t index, char *command,
                           char *inverse)
{
    const struct snapshot_box *box =
        (const struct snapshot_box *)snapshot_at(snapshot, snapshot->boxes) + index;
    snprintf(command, VIEW_COMMAND_MAX, "world.remove box=%u", box->number);
    snprintf(inverse, VIEW_COMMAND_MAX,
             "world.box number=%u x=%.4f y=%.4f heading=%.3f length=%.4f width=%.4f mass=%.4g",
             box->number, box->pose.x_m, box->pose.y_m, box->pose.heading_rad / ANGLE_RAD_DEG,
             (double)box->length_m, (double)box->width_m, (double)box->mass_kg);
    return box->color;
}

static void erase(struct view *view, double x_px, double y_px)
{
    struct pick pick = pointer_pick(&view->viewport, view->snapshot, x_px, y_px);
    char command[VIEW_COMMAND_MAX], inverse[VIEW_COMMAND_MAX];
    if (pick.kind == PICK_NOTHING) {
        view_notify(view, "no wall or box here; the walls of the room cannot be deleted");
        return;
    }
    uint32_t color = pick.kind == PICK_WALL
                         ? remove_wall(view->snapshot, pick.index, command, inverse)
                         : remove_box(view->snapshot, pick.index, command, inverse);
    if (color)
        text_add(inverse, sizeof inverse, " ", "color=#%06x", color >> 8);
    view_edit(view, command, inverse);
}

/* ---- Robots ---- */

static void drag_robot(struct view *view, const struct snapshot_robot *robot, bool is_turn,
                       double x_px, double y_px)
{
    double x_m, y_m;
    struct drag *drag = begin_drag(view, is_turn ? DRAG_TURN : DRAG_ROBOT, x_px, y_px);
    viewport_m(&view->viewport, x_px, y_px, &x_m, &y_m);
    drag->offset_x_m = robot->pose.x_m - x_m;
    drag->offset_y_m = robot->pose.y_m - y_m;
    drag->start = drag->target = robot->pose;
}

static void set_target(struct view *view)
{
    struct drag *drag = &view->drag;
    double x_m, y_m;
    viewport_m(&view->viewport, drag->x_px, drag->y_px, &x_m, &y_m);
    drag->target = drag->start;
    if (drag->kind == DRAG_ROBOT) {
        drag->target.x_m = x_m + drag->offset_x_m;
        drag->target.y_m = y_m + drag->offset_y_m;
    } else {
        double degrees = atan2(y_m - drag->start.y_m, x_m - drag->start.x_m) / ANGLE_RAD_DEG;
        drag->target.heading_rad = round(degrees / TURN_STEP_DEG) * TURN_STEP_DEG * ANGLE_RAD_DEG;
    }
    drag->is_target_unsent = true;
}

void pointer_place_text(char *text, size_t size, const char *name, struct snapshot_pose pose)
{
    snprintf(text, size, "%s.place x=%.5f y=%.5f heading=%.3f", name, pose.x_m, pose.y_m,
             pose.heading_rad / ANGLE_RAD_DEG);
}

void pointer_send_target(struct view *view)
{
    struct drag *drag = &view->drag;
    const struct snapshot_robot *robot = view_robot(view);
    char command[VIEW_COMMAND_MAX];
    if (!drag->is_target_unsent || !robot || !outbox_is_settled(&view->outbox))
        return;
    drag->is_target_unsent = false;
    pointer_place_text(command, sizeof command, robot->name, drag->target);
    view_command(view, "%s", command);
}

static void drop_robot(struct view *view)
{
    struct drag *drag = &view->drag;
    const struct snapshot_robot *robot = view_robot(view);
    char command[VIEW_COMMAND_MAX], inverse[VIEW_COMMAND_MAX];
    if (!drag->has_moved || !robot)
        return;
    pointer_place_text(command, sizeof command, robot->name, drag->target);
    pointer_place_text(inverse, sizeof inverse, robot->name, drag->start);
    if (drag->is_target_unsent)
        view_command(view, "%s", command);
    drag->is_target_unsent = false;
    view_remember(view, command, inverse);
}

/* ---- The mouse ---- */

/* The hand tool presses a part, drags a robot, or pans. */
static void press_hand_tool(struct view *view, double x_px, double y_px, bool is_turn)
{
    int32_t robot = robot_at(&view->viewport, view->snapshot, x_px, y_px);
    bool is_past = snapshot_is_past(view->snapshot); // the past cannot change
    if (is_past && robot != VIEWPORT_NOBODY)
        view_select(view, robot);
    if (is_past || robot == VIEWPORT_NOBODY) {
        begin_drag(view, DRAG_PAN, x_px, y_px);
        return;
    }
    double before_px = view->viewport.width_px;
    view_select(view, robot);
    if (view->viewport.width_px != before_px)
        return; // the panel appeared and the picture moved: the mouse is over something else now
    const char *part =
        is_turn ? NULL : part_at(&view->viewport, view->snapshot, (size_t)robot, x_px, y_px);
    if (part) {
        begin_drag(view, DRAG_PART, x_px, y_px);
        press_part(view, part);
    } else {
        drag_robot(view, view_robot(view), is_turn, x_px, y_px);
    }
}

void pointer_press(struct view *view, double x_px, double y_px, bool is_turn)
{
    if (!view->snapshot || y_px < VIEW_TOOLBAR_PX || x_px >= view_room_px(view))
        return;
    view->stale |= STALE_ROOM;
    if (view->is_help) {
        view->is_help = false;
        view->stale = STALE_ALL;
        view_update_viewport(view);
        return;
    }
    if (view->snapshot->is_tap)
        return;
    y_px -= VIEW_TOOLBAR_PX;
    if (view->tool == TOOL_HAND)
        press_hand_tool(view, x_px, y_px, is_turn);
    else if (view->tool == TOOL_ERASE)
        erase(view, x_px, y_px);
    else
        begin_drag(view, DRAG_DRAW, x_px, y_px);
}

void pointer_move(struct view *view, double x_px, double y_px)
{
    struct drag *drag = &view->drag;
    // Buttons are highlighted while the mouse is over them: paint again when it enters or leaves.
    view->stale |= fmin(y_px, view->mouse_y_px) < VIEW_TOOLBAR_PX ? STALE_TOOLBAR : 0;
    view->stale |= fmax(x_px, view->mouse_x_px) >= view_room_px(view) ? STALE_PANEL : 0;
    view->mouse_x_px = x_px;
    view->mouse_y_px = y_px;
    if (drag->kind == DRAG_NONE)
        return;
    y_px -= VIEW_TOOLBAR_PX;
    double dx_px = x_px - drag->x_px, dy_px = y_px - drag->y_px;
    if (!drag->has_moved && hypot(x_px - drag->from_x_px, y_px - drag->from_y_px) < CLICK_PX)
        return;
    drag->has_moved = true;
    drag->x_px = x_px;
    drag->y_px = y_px;
    view->stale |= STALE_ROOM;
    if (drag->kind == DRAG_PAN)
        view_pan(view, dx_px, dy_px);
    if (drag->kind == DRAG_ROBOT || drag->kind == DRAG_TURN)
        set_target(view);
}

void pointer_release(struct view *view, double x_px, double y_px)
{
    struct drag *drag = &view->drag;
    pointer_move(view, x_px, y_px);
    if (drag->kind == DRAG_PART)
        release_part(view);
    if (drag->kind == DRAG_ROBOT || drag->kind == DRAG_TURN)
        drop_robot(view);
    if (drag->kind == DRAG_DRAW && drag->has_moved)
        finish_drawing(view);
    pointer_cancel(view);
}
