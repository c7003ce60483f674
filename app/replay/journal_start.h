/* The simulation of a journal, as it was when the journal began. */
#pragma once

#include <stdbool.h>

#include "app/links/live.h"
#include "base/error.h"
#include "sim/record/journal.h"
#include "sim/record/playback.h"

struct snapshot;
struct watch;

/* Sets in a scene what was set from outside. False, with the reason. */
bool journal_start_set(struct scene *scene, const struct journal_head *head, struct error *error);

/* Makes the simulation of that scene, with the memories that its robots had. LIVE is opened; who
 * closes it does so after the simulation. NULL, with the reason. */
struct sim *journal_start_sim(const struct scene *scene, const struct journal_head *head,
                              struct live *live, struct error *error);

/* Its playback has ended so: what is still open is judged as it was then. */
void journal_start_end(struct sim *sim, enum playback_state state);

/* Snapshots of it, in a buffer that grows with them; zero before. Who owns it frees SNAPSHOT. */
struct journal_start_view {
    struct snapshot *snapshot;
    size_t room;
};

/* How it is now, with what WATCH has seen, or NULL. NULL: memory is short. */
struct snapshot *journal_start_snapshot(struct journal_start_view *view, const struct sim *sim,
                                        const struct watch *watch);
