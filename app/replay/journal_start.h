/* The simulation of a journal in its initial state. */
#pragma once

#include <stdbool.h>

#include "app/links/live.h"
#include "base/error.h"
#include "sim/record/journal.h"
#include "sim/record/playback.h"

struct snapshot;
struct watch;

/* Applies the options in the head of a journal to the scene. False, with the reason in ERROR. */
bool journal_start_set(struct scene *scene, const struct journal_head *head, struct error *error);

/* Creates the simulation of that scene, with the initial memories of its robots. LIVE is opened;
 * close it after the simulation. NULL, with the reason in ERROR. */
struct sim *journal_start_sim(const struct scene *scene, const struct journal_head *head,
                              struct live *live, struct error *error);

/* Call it after playback has ended with STATE: decides open expectations as in the original run. */
void journal_start_end(struct sim *sim, enum playback_state state);

/* Snapshots of the simulation, in a buffer that grows as needed. All zero at first. The owner frees
 * SNAPSHOT. */
struct journal_start_view {
    struct snapshot *snapshot;
    size_t room;
};

/* Returns the present state, with the data of WATCH (may be NULL). NULL: no memory. */
struct snapshot *journal_start_snapshot(struct journal_start_view *view, const struct sim *sim,
                                        const struct watch *watch);
