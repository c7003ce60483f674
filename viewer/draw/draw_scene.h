/* A snapshot as a picture: pure functions from snapshot and viewport to a draw list. What stands
 * still is a list of its own, so that it is painted once. */
#ifndef PTYBOT_VIEWER_DRAW_DRAW_SCENE_H
#define PTYBOT_VIEWER_DRAW_DRAW_SCENE_H

#include "viewer/draw/draw_list.h"

/* Floor, grid, cliffs, walls and docks without their light. Changes only with snapshot->generation
 * and the viewport. */
void draw_standing(struct draw_list *list, const struct viewport *viewport,
                   const struct snapshot *snapshot);

/* The rest, to be painted upon it. */
void draw_moving(struct draw_list *list, const struct viewport *viewport,
                 const struct snapshot *snapshot);

#endif
