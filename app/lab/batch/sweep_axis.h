/* One thing that varies from case to case, as one text of `sweep:` says it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/lab/batch/sweep.h"
#include "base/error.h"
#include "physics/geom.h"
#include "sim/scene/scene.h"

enum {
    SWEEP_WORD_MAX = SCENE_LINE_MAX,
    SWEEP_DIGITS = 9, /* of values, as people write them */
};

enum range_kind {
    RANGE_RANDOM, /* LOW..HIGH: a value for each case */
    RANGE_STEPS,  /* LOW..HIGH/COUNT */
    RANGE_WHOLE,  /* LOW, LOW + 1 ... HIGH */
    RANGE_LIST,   /* A, B, C */
};

/* A value that varies. */
struct range {
    enum range_kind kind;
    double low, high;
    size_t count;
    bool is_integer;           /* of an option that is */
    char list[SWEEP_WORD_MAX]; /* RANGE_LIST */
    char separator;            /* of it */
    char name[SWEEP_WORD_MAX]; /* in `vary`; "": the axis has a pose */
};

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

/* The value number INDEX as text. UNIFORM: the random number of this case. */
void range_value(const struct range *range, size_t index, double uniform,
                 char value[SWEEP_WORD_MAX]);

/* Takes the blanks around a text away. */
void range_trim(char *text);
