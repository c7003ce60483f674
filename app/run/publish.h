/* Snapshots for viewers: a file in the run's folder, which lies in memory, that any number of them
 * map. It is made for the first viewer; where nobody asks, nothing is filled. */
#ifndef PTYBOT_APP_RUN_PUBLISH_H
#define PTYBOT_APP_RUN_PUBLISH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/sim.h"

struct publish;

/* Nothing is made yet. FOLDER and SIM outlive it; the folder's owner removes the file. NULL with
 * ERROR where memory is short. */
struct publish *publish_create(const char *folder, const struct sim *sim, struct error *error);
void publish_destroy(struct publish *self);

/* The file that viewers map, absolute, made where it is not there yet. NULL with ERROR. Valid as
 * long as the publisher. */
const char *publish_path(struct publish *self, struct error *error);

/* Fills in a snapshot if a viewer has taken the last one, at most 60 a second. Call it at each turn
 * of the loop. Never waits for anybody; where memory for a larger room is refused, viewers see
 * nothing new. */
void publish_visit(struct publish *self, int64_t now_ns);

#endif
