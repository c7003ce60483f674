/* Frames the action: robots, docks, beacons and movable objects. The picture stays where it is
 * until one of them leaves it or all need much less of it; then it glides. */
#pragma once

#include "viewer/draw/viewport.h"

/* All zero: not aimed yet. */
struct aim {
    struct viewport wanted; /* where the picture glides to */
    bool is_gliding;
};

/* Moves the viewport by the glide of PASSED_S seconds; the first time, or when the size of the
 * picture has changed, all the way. Keeps size, theme, shows and selection. */
void aim_step(struct aim *aim, struct viewport *viewport, const struct snapshot *snapshot,
              double passed_s);
