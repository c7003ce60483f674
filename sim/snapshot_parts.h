/* The two halves of a snapshot, for its own files only. */
#ifndef PTYBOT_SIM_SNAPSHOT_PARTS_H
#define PTYBOT_SIM_SNAPSHOT_PARTS_H

#include "sim/sim_state.h"
#include "sim/snapshot.h"

/* Lays out a snapshot and writes what stands still. OUT is NULL: only counts. Returns the size. */
size_t snapshot_lay_out(const struct sim *sim, struct snapshot *out);

#endif
