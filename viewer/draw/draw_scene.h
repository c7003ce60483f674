/* Pictures of snapshots: pure functions from snapshot and viewport to a draw list. The static layer
 * is a list of its own, so that it is painted only once. */
#pragma once

#include "viewer/draw/draw_list.h"

/* Floor, grid, cliffs, walls and fixed obstacles. Changes only with snapshot->generation and the
 * viewport. */
void draw_static(struct draw_list *list, const struct viewport *viewport,
                 const struct snapshot *snapshot);

/* The rest, to be painted on top of it. */
void draw_moving(struct draw_list *list, const struct viewport *viewport,
                 const struct snapshot *snapshot);

/* What a folded list leaves out: the items of the group of a robot. */
void draw_group(struct draw_list *list, const struct viewport *viewport,
                const struct snapshot *snapshot, size_t robot);
