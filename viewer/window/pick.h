/* What is under a point of the picture: pure functions of snapshot and viewport. */
#ifndef PTYBOT_VIEWER_WINDOW_PICK_H
#define PTYBOT_VIEWER_WINDOW_PICK_H

#include "viewer/draw/viewport.h"

/* Number of the robot under a point, or VIEWPORT_NOBODY. */
int32_t pick_robot(const struct viewport *viewport, const struct snapshot *snapshot, double x_px,
                   double y_px);

/* The command of the part of a robot under a point ("press bumper=left"), or NULL. */
const char *pick_part(const struct viewport *viewport, const struct snapshot *snapshot,
                      size_t robot, double x_px, double y_px);

enum pick_kind { PICK_NOTHING, PICK_WALL, PICK_BOX };
struct pick_thing {
    enum pick_kind kind;
    size_t index; /* in the snapshot's list */
};

/* The wall or box under a point. */
struct pick_thing pick_thing(const struct viewport *viewport, const struct snapshot *snapshot,
                             double x_px, double y_px);

#endif
