/* Values that vary from case to case: random between two, evenly spaced, or a list. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
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

/* Reads A..B, A..B/N or a list of values between SEPARATORs. False, with the reason in ERROR. */
bool range_read(const char *text, char separator, struct range *range, struct error *error);

/* Number INDEX of a list. */
void range_item(const struct range *range, size_t index, char value[SWEEP_WORD_MAX]);

/* The value number INDEX as text. UNIFORM: the random number of this case. */
void range_value(const struct range *range, size_t index, double uniform,
                 char value[SWEEP_WORD_MAX]);

/* The text behind its blanks, and a text without those around it. */
const char *range_skip(const char *text);
void range_trim(char *text);
