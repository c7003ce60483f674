/* Pictures of snapshots: pure functions from snapshot and viewport to a draw list. The static layer
 * is a separate list, so that it is painted only once. */
#pragma once

#include "viewer/draw/draw_list.h"

/* Floor, grid, cliffs, walls and fixed obstacles. Changes only with snapshot->generation and the
 * viewport. */
void draw_static(struct draw_list *list, const struct viewport *viewport,
                 const struct snapshot *snapshot);

/* All other items, to be painted on top of the static layer. */
void draw_moving(struct draw_list *list, const struct viewport *viewport,
                 const struct snapshot *snapshot);

/* The items of a robot's group, which a folded list leaves out. */
void draw_group(struct draw_list *list, const struct viewport *viewport,
                const struct snapshot *snapshot, size_t robot);
