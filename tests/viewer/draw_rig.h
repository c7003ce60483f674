/* Snapshots of scenes, for tests of drawing. */
#pragma once

#include "sim/sim.h"
#include "sim/watch/snapshot.h"

struct draw_rig {
    struct scene *scene;
    struct sim *sim;
    struct watch *watch;
    struct snapshot *snapshot;
    size_t size;
};

/* A scene of scenes/, without `.yaml`, after MS of simulated time. Failures end the test. */
void draw_rig_open(struct draw_rig *rig, const char *name, int ms);
/* Advances by MS and takes a new snapshot. */
void draw_rig_run(struct draw_rig *rig, int ms);
void draw_rig_do(struct draw_rig *rig, const char *command);
void draw_rig_close(struct draw_rig *rig);

/* Whether a list of shapes as text is that of tests/viewer/lists/NAME.txt; if not, prints where.
 * With PTYBOT_UPDATE_GOLDEN in the environment, rewrites the file. */
bool draw_rig_is_golden(const char *name, const char *drawn);
