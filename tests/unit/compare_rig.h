/* Recordings that resemble those of a real Kobuki, made by a virtual one. The robot has run for
 * some minutes, its counters begin at any value, its clock drifts, and its bytes come in batches as
 * from a USB adapter. A test plants a difference by changing frames. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "app/lab/compare/compare.h"
#include "tests/support/folder.h"

struct rig_plan {
    const char *set[8]; /* options of the recorded robot: "kobuki.battery_v=14" */
    bool is_still;      /* the driver never moves it */
    bool is_precise;    /* no batches */
    /* Changes frame number NUMBER in place. Returns its delay in seconds, or -1 if it is lost. */
    double (*plant)(uint8_t *frame, size_t size, unsigned number);
};

/* Records about 20 s of a driver that moves straight, in arcs and in turns. */
void rig_record(const struct folder *folder, const char *name, const struct rig_plan *plan,
                char path[FOLDER_PATH_MAX]);

/* Scene that a user compares with: a Kobuki with default options and SET. The caller frees it. */
struct scene *rig_scene(const char *const set[8]);
