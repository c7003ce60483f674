/* Recordings as of a real Kobuki, made by a virtual one: some minutes old, with counters that begin
 * anywhere, a clock that drifts, and bytes in batches as of a USB adapter. What a test plants is a
 * change of its frames. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "app/lab/compare/compare.h"
#include "tests/support/folder.h"

struct rig_plan {
    const char *set[8]; /* options of the recorded robot: "kobuki.battery_v=14" */
    bool is_still;      /* the driver never moves it */
    bool is_precise;    /* no batches */
    /* Changes frame number NUMBER in place. Returns how many seconds late it comes, or -1: lost. */
    double (*plant)(uint8_t *frame, size_t size, unsigned number);
};

/* Records some 20 s of a driver that goes straight, in arcs and turns. */
void rig_record(const struct folder *folder, const char *name, const struct rig_plan *plan,
                char path[FOLDER_PATH_MAX]);

/* The scene that a user compares with: a Kobuki as it is by default, with SET. The caller frees. */
struct scene *rig_scene(const char *const set[8]);
