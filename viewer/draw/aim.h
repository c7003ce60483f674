/* Chooses a viewport that shows all robots, docks, beacons and movable objects. The viewport does
 * not change until one of them leaves it, or all of them need a much smaller area; then it
 * glides. */
#pragma once

#include "viewer/draw/viewport.h"

/* All zero: no viewport chosen yet. */
struct aim {
    struct viewport wanted; /* target of the glide */
    bool is_gliding;
};

/* Moves the viewport by PASSED_S seconds of its glide. At the first call, and after the size of the
 * picture has changed, moves it to its target at once. Keeps size, theme, shows and selection. */
void aim_step(struct aim *aim, struct viewport *viewport, const struct snapshot *snapshot,
              double passed_s);
