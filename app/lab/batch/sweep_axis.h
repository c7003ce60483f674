/* One thing that varies from case to case, as one text of `sweep:` says it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/lab/batch/sweep.h"
#include "app/lab/batch/sweep_range.h"
#include "physics/geom.h"

enum area_kind { AREA_NONE, AREA_ROOM, AREA_BOX, AREA_LIGHT };

/* Where a pose is drawn. */
struct area {
    enum area_kind kind;
    struct vec2 low, high;
    size_t dock;
    double heading_low_deg, heading_high_deg;
};

struct sweep_axis {
    char name[SWEEP_WORD_MAX]; /* two of one name exclude each other */
    char robot[SCENE_NAME_MAX + 1];
    bool is_seed, is_pose;
    char pieces[SWEEP_SLOTS_MAX + 1][SWEEP_WORD_MAX]; /* what stands around the values */
    struct range slots[SWEEP_SLOTS_MAX];
    size_t slot_count;
    struct area area; /* of a pose that is drawn */
    size_t count;     /* of cases that it makes of one */
    uint64_t key;     /* of its random numbers */
};

/* Reads one text of `sweep:` or --vary for a scene, which is as before afterwards. False, with the
 * reason in ERROR. */
bool axis_read(struct sweep_axis *axis, struct scene *scene, const char *text, struct error *error);
