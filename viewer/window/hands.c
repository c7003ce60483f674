/* What the mouse does in the room: every deed is a command. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/window/pick.h"
#include "viewer/window/view.h"

static const double DEG_1_RAD = 57.29577951308232;
static const double CLICK_PX = 3;      /* chosen: a hand that moves less meant a click */
static const double GRID_M = 0.05;     /* chosen: corners of walls and boxes snap to this */
static const double TURN_STEP_DEG = 5; /* chosen */
enum { CLICK_MS = 200 };               /* chosen: as long as the command `press` lasts by itself */

static struct hand *grip(struct view *view, enum hand_grip how, double x_px, double y_px)
{
    view->hand = (struct hand){.grip = how,
                               .from_x_px = x_px,
                               .from_y_px = y_px,
                               .x_px = x_px,
                               .y_px = y_px,
                               .since_ms = view->now_ms};
    return &view->hand;
}

void hands_drop(struct view *view)
{
    view->hand.grip = GRIP_NOTHING;
    view->stale |= STALE_ROOM;
}

/* ---- Bumpers and buttons ---- */

static void press_part(struct view *view, const char *command)
{
    const struct snapshot_robot *robot = view_robot(view);
    struct hand *hand = &view->hand;
    snprintf(hand->part, sizeof hand->part, "%s", command);
    if (strncmp(command, "press ", 6) == 0)
        view_do(view, "%s.%s for=0", robot->name, command);
    else
        view_do(view, "%s.%s", robot->name, command);
}

/* A short click still lasts long enough for any firmware to see it. */
static void release_part(struct view *view)
{
    const struct snapshot_robot *robot = view_robot(view);
    const struct hand *hand = &view->hand;
    if (!robot || strncmp(hand->part, "press ", 6) != 0)
        return;
    if (view->now_ms - hand->since_ms < CLICK_MS)
        view_do(view, "%s.%s for=0.2", robot->name, hand->part);
    else
        view_do(view, "%s.release %s", robot->name, hand->part + 6);
}

/* ---- Walls and boxes ---- */

static double snap(double value_m)
{
    return round(value_m / GRID_M) * GRID_M;
}

/* The lowest number from 1 on that no wall or box of the snapshot has. */
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
        i = SIZE_MAX; // look again from the first on
    }
    return number;
}

static void draw_thing(struct view *view)
{
    const struct hand *hand = &view->hand;
    double x_m, y_m, to_x_m, to_y_m;
    char doing[EDIT_TEXT_MAX], undoing[EDIT_TEXT_MAX];
    viewport_m(&view->viewport, hand->from_x_px, hand->from_y_px, &x_m, &y_m);
    viewport_m(&view->viewport, hand->x_px, hand->y_px, &to_x_m, &to_y_m);
    x_m = snap(x_m), y_m = snap(y_m), to_x_m = snap(to_x_m), to_y_m = snap(to_y_m);
    bool is_wall = view->tool == TOOL_WALL;
    if (is_wall ? x_m == to_x_m && y_m == to_y_m : x_m == to_x_m || y_m == to_y_m)
        return; // a click, or flat
    unsigned number = free_number(view->snapshot, is_wall);
    if (is_wall)
        snprintf(doing, sizeof doing,
                 "world.wall number=%u from_x=%.3f from_y=%.3f to_x=%.3f to_y=%.3f", number, x_m,
                 y_m, to_x_m, to_y_m);
    else
        snprintf(doing, sizeof doing,
                 "world.box number=%u x=%.3f y=%.3f length=%.3f width=%.3f mass=2", number,
                 (x_m + to_x_m) / 2, (y_m + to_y_m) / 2, fabs(to_x_m - x_m), fabs(to_y_m - y_m));
    snprintf(undoing, sizeof undoing, "world.remove %s=%u", is_wall ? "wall" : "box", number);
    view_edit(view, doing, undoing);
}

static void erase(struct view *view, double x_px, double y_px)
{
    const struct snapshot *snapshot = view->snapshot;
    struct pick_thing thing = pick_thing(&view->viewport, snapshot, x_px, y_px);
    char doing[EDIT_TEXT_MAX], undoing[EDIT_TEXT_MAX];
    if (thing.kind == PICK_NOTHING) {
        view_tell(view, "there is no wall or box; those of the room itself stay");
        return;
    }
    if (thing.kind == PICK_WALL) {
        const struct snapshot_wall *wall =
            (const struct snapshot_wall *)snapshot_at(snapshot, snapshot->walls) + thing.index;
        snprintf(doing, sizeof doing, "world.remove wall=%u", wall->number);
        snprintf(undoing, sizeof undoing,
                 "world.wall number=%u from_x=%.4f from_y=%.4f to_x=%.4f to_y=%.4f", wall->number,
                 (double)wall->from.x_m, (double)wall->from.y_m, (double)wall->to.x_m,
                 (double)wall->to.y_m);
    } else {
        const struct snapshot_box *box =
            (const struct snapshot_box *)snapshot_at(snapshot, snapshot->boxes) + thing.index;
        snprintf(doing, sizeof doing, "world.remove box=%u", box->number);
        snprintf(undoing, sizeof undoing,
                 "world.box number=%u x=%.4f y=%.4f heading=%.3f length=%.4f width=%.4f mass=%.4g",
                 box->number, box->pose.x_m, box->pose.y_m, box->pose.heading_rad * DEG_1_RAD,
                 (double)box->length_m, (double)box->width_m, (double)box->mass_kg);
    }
    uint32_t color =
        thing.kind == PICK_WALL
            ? ((const struct snapshot_wall *)snapshot_at(snapshot, snapshot->walls) + thing.index)
                  ->color
            : ((const struct snapshot_box *)snapshot_at(snapshot, snapshot->boxes) + thing.index)
                  ->color;
    size_t used = strlen(undoing);
    if (color)
        snprintf(undoing + used, sizeof undoing - used, " color=#%06x", color >> 8);
    view_edit(view, doing, undoing);
}

/* ---- Robots ---- */

static void hold_robot(struct view *view, const struct snapshot_robot *robot, bool is_turn,
                       double x_px, double y_px)
{
    double x_m, y_m;
    struct hand *hand = grip(view, is_turn ? GRIP_TURN : GRIP_ROBOT, x_px, y_px);
    viewport_m(&view->viewport, x_px, y_px, &x_m, &y_m);
    hand->off_x_m = robot->pose.x_m - x_m;
    hand->off_y_m = robot->pose.y_m - y_m;
    hand->was = hand->wants = robot->pose;
}

static void wish(struct view *view)
{
    struct hand *hand = &view->hand;
    double x_m, y_m;
    viewport_m(&view->viewport, hand->x_px, hand->y_px, &x_m, &y_m);
    hand->wants = hand->was;
    if (hand->grip == GRIP_ROBOT) {
        hand->wants.x_m = x_m + hand->off_x_m;
        hand->wants.y_m = y_m + hand->off_y_m;
    } else {
        double degrees = atan2(y_m - hand->was.y_m, x_m - hand->was.x_m) * DEG_1_RAD;
        hand->wants.heading_rad = round(degrees / TURN_STEP_DEG) * TURN_STEP_DEG / DEG_1_RAD;
    }
    hand->is_wish_open = true;
}

static void place_text(char *text, size_t size, const char *name, struct snapshot_pose pose)
{
    snprintf(text, size, "%s.place x=%.5f y=%.5f heading=%.3f", name, pose.x_m, pose.y_m,
             pose.heading_rad * DEG_1_RAD);
}

void hands_visit(struct view *view)
{
    struct hand *hand = &view->hand;
    const struct snapshot_robot *robot = view_robot(view);
    char command[EDIT_TEXT_MAX];
    if (!hand->is_wish_open || !robot || remote_waiting(view->remote) > 0)
        return;
    hand->is_wish_open = false;
    place_text(command, sizeof command, robot->name, hand->wants);
    remote_do(view->remote, command);
}

static void let_robot_go(struct view *view)
{
    struct hand *hand = &view->hand;
    const struct snapshot_robot *robot = view_robot(view);
    char doing[EDIT_TEXT_MAX], undoing[EDIT_TEXT_MAX];
    if (!hand->has_moved || !robot)
        return;
    place_text(doing, sizeof doing, robot->name, hand->wants);
    place_text(undoing, sizeof undoing, robot->name, hand->was);
    if (hand->is_wish_open)
        remote_do(view->remote, doing);
    hand->is_wish_open = false;
    edits_add(&view->edits, doing, undoing);
}

/* ---- The mouse ---- */

/* In the room, with the hand: a part, a robot, or the floor. */
static void take_hold(struct view *view, double x_px, double y_px, bool is_turn)
{
    int32_t robot = pick_robot(&view->viewport, view->snapshot, x_px, y_px);
    if (robot == VIEWPORT_NOBODY) {
        grip(view, GRIP_ROOM, x_px, y_px);
        return;
    }
    double before_px = view->viewport.width_px;
    view_select(view, robot);
    if (view->viewport.width_px != before_px)
        return; // the panel came and the picture moved: what is under the mouse now was not meant
    const char *part =
        is_turn ? NULL : pick_part(&view->viewport, view->snapshot, (size_t)robot, x_px, y_px);
    if (part) {
        grip(view, GRIP_PART, x_px, y_px);
        press_part(view, part);
    } else {
        hold_robot(view, view_robot(view), is_turn, x_px, y_px);
    }
}

void hands_press(struct view *view, double x_px, double y_px, bool is_turn)
{
    const struct zone *zone = zones_at(&view->zones, x_px, y_px);
    if (!zone)
        zone = zones_at(&view->panel_zones, x_px, y_px);
    if (zone) {
        view_act(view, zone->action, zone->number);
        return;
    }
    if (!view->snapshot || y_px < VIEW_TOOLBAR_PX || x_px >= view_room_px(view))
        return;
    view->stale |= STALE_ROOM;
    if (view->is_help) {
        view_act(view, ACTION_HELP, 0);
        return;
    }
    y_px -= VIEW_TOOLBAR_PX;
    if (view->tool == TOOL_HAND)
        take_hold(view, x_px, y_px, is_turn);
    else if (view->tool == TOOL_ERASE)
        erase(view, x_px, y_px);
    else
        grip(view, GRIP_DRAW, x_px, y_px);
}

void hands_move(struct view *view, double x_px, double y_px)
{
    struct hand *hand = &view->hand;
    // What lights up under the mouse is painted when it comes and when it goes.
    view->stale |= fmin(y_px, view->mouse_y_px) < VIEW_TOOLBAR_PX ? STALE_TOOLBAR : 0;
    view->stale |= fmax(x_px, view->mouse_x_px) >= view_room_px(view) ? STALE_PANEL : 0;
    view->mouse_x_px = x_px;
    view->mouse_y_px = y_px;
    if (hand->grip == GRIP_NOTHING)
        return;
    y_px -= VIEW_TOOLBAR_PX;
    double dx_px = x_px - hand->x_px, dy_px = y_px - hand->y_px;
    if (!hand->has_moved && hypot(x_px - hand->from_x_px, y_px - hand->from_y_px) < CLICK_PX)
        return;
    hand->has_moved = true;
    hand->x_px = x_px;
    hand->y_px = y_px;
    view->stale |= STALE_ROOM;
    if (hand->grip == GRIP_ROOM)
        view_pan(view, dx_px, dy_px);
    if (hand->grip == GRIP_ROBOT || hand->grip == GRIP_TURN)
        wish(view);
}

void hands_release(struct view *view, double x_px, double y_px)
{
    struct hand *hand = &view->hand;
    hands_move(view, x_px, y_px);
    if (hand->grip == GRIP_PART)
        release_part(view);
    if (hand->grip == GRIP_ROBOT || hand->grip == GRIP_TURN)
        let_robot_go(view);
    if (hand->grip == GRIP_DRAW && hand->has_moved)
        draw_thing(view);
    hands_drop(view);
}
