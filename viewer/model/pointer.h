/* Mouse operations in the room: the mouse selects, drags and turns robots, presses their parts, and
 * draws and deletes walls and boxes. Every change of the simulation is a command. Points are in
 * window coordinates unless stated otherwise; parts of toolbar and panel take precedence, see
 * view_hit_area. */
#pragma once

#include "viewer/model/view.h"

/* A button is pressed over the room, the mouse moves, the button is released. IS_TURN: the button
 * that turns robots. */
void pointer_press(struct view *view, double x_px, double y_px, bool is_turn);
void pointer_move(struct view *view, double x_px, double y_px);
void pointer_release(struct view *view, double x_px, double y_px);

/* Sends the target pose of a dragged robot after the last command was answered: call it often. */
void pointer_send_target(struct view *view);

/* Writes the command that moves the robot NAME to a pose. */
void pointer_place_text(char *text, size_t size, const char *name, struct snapshot_pose pose);

/* Ends a drag without any further effect. */
void pointer_cancel(struct view *view);

/* ---- Objects under a point of the picture ---- */

enum pick_kind { PICK_NOTHING, PICK_WALL, PICK_BOX };
struct pick {
    enum pick_kind kind;
    size_t index; /* in the snapshot's list */
};

/* The wall or box at a point of the picture. */
struct pick pointer_pick(const struct viewport *viewport, const struct snapshot *snapshot,
                         double x_px, double y_px);

/* ---- The wall or box being drawn, DRAG_DRAW ---- */

/* The ends of a wall, or opposite corners of a box; on a grid. */
struct drawn {
    double x_m, y_m, to_x_m, to_y_m;
};

struct drawn pointer_drawn(const struct view *view);
