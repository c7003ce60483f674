/* One axis of a sweep: a text of `sweep:` or --vary. */
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
    SWEEP_DIGITS = 9, /* digits of values in texts */
};

enum range_kind {
    RANGE_RANDOM, /* LOW..HIGH: a random value for each case */
    RANGE_STEPS,  /* LOW..HIGH/COUNT */
    RANGE_WHOLE,  /* LOW, LOW + 1 ... HIGH */
    RANGE_LIST,   /* A, B, C */
};

/* A swept value. */
struct range {
    enum range_kind kind;
    double low, high;
    size_t count;
    bool is_integer;           /* of an integer option */
    char list[SWEEP_WORD_MAX]; /* RANGE_LIST */
    char separator;            /* separator of LIST */
    char name[SWEEP_WORD_MAX]; /* name in `vary`; "": the axis has a pose */
};

enum area_kind { AREA_NONE, AREA_ROOM, AREA_BOX, AREA_LIGHT };

/* The area of random poses. */
struct area {
    enum area_kind kind;
    struct vec2 low, high;
    size_t dock;
    double heading_low_deg, heading_high_deg;
};

struct sweep_axis {
    char name[SWEEP_WORD_MAX]; /* an axis replaces an earlier one of the same name */
    char robot[SCENE_NAME_MAX + 1];
    bool is_seed, is_pose;
    char pieces[SWEEP_SLOTS_MAX + 1][SWEEP_WORD_MAX]; /* the text around the values */
    struct range slots[SWEEP_SLOTS_MAX];
    size_t slot_count;
    struct area area; /* area of a random pose */
    size_t count;     /* number of values: factor for the number of cases */
    uint64_t key;     /* key of its random numbers */
};

/* Reads one text of `sweep:` or --vary for a scene, which is unchanged afterwards. False, with the
 * reason in ERROR. */
bool axis_read(struct sweep_axis *axis, struct scene *scene, const char *text, struct error *error);

/* Writes value INDEX as text. UNIFORM: the random number of this case. */
void range_value(const struct range *range, size_t index, double uniform,
                 char value[SWEEP_WORD_MAX]);

/* Removes the blanks around a text. */
void range_trim(char *text);
