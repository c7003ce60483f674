/* The two halves of a snapshot, for its own files only. */
#ifndef PTYBOT_SIM_WATCH_SNAPSHOT_PARTS_H
#define PTYBOT_SIM_WATCH_SNAPSHOT_PARTS_H

#include "sim/state/state.h"
#include "sim/watch/snapshot.h"

/* Lays out a snapshot and writes what stands still. OUT is NULL: only counts. Returns the size. */
size_t snapshot_lay_out(const struct sim *sim, struct snapshot *out);

/* The color of a thing as the snapshot has it. */
static inline uint32_t snapshot_color(const struct scene_look *look)
{
    return look->color[0] ? look->rgb << 8 | 0xFFu : 0;
}

#endif
