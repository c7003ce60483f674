/* Conditions on signals: the one language of a scene's `that` and `when` and of the control
 * socket's `until`. scenes/README.md has its grammar. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct sim;

enum {
    CONDITION_TERMS_MAX = 16, /* comparisons; chosen: more than fits a line that people read */
    CONDITION_CODE_MAX = 96,  /* chosen: each comparison has six numbers, signals and operators */
    CONDITION_DEPTH_MAX = 16, /* of parentheses and the like; chosen: deeper than people read */
    CONDITION_TEXT_MAX = 512, /* of its text and of the values that describe it, with NUL */
};

/* What one step of a judgment does with a stack of numbers; truth is 1, falsehood 0. There is no
 * `not`: reading it turns over what it negates. */
enum condition_op {
    CONDITION_NUMBER,
    CONDITION_SIGNAL,
    CONDITION_NEGATE,
    CONDITION_ABS,
    CONDITION_ADD,
    CONDITION_SUBTRACT,
    CONDITION_MULTIPLY,
    CONDITION_DIVIDE,
    CONDITION_EQUAL, /* from here on each pair is one and its opposite */
    CONDITION_NOT_EQUAL,
    CONDITION_LESS,
    CONDITION_AT_LEAST,
    CONDITION_AT_MOST,
    CONDITION_MORE,
    CONDITION_AND,
    CONDITION_OR,
};

struct condition_code {
    enum condition_op op;
    union {
        double number;
        size_t wanted; /* index of the signal */
        size_t term;   /* of a comparison */
    };
};

/* One side of a comparison. */
struct condition_side {
    size_t from, size; /* in the text */
    size_t wanted;     /* the signal that it is, or SIZE_MAX */
    bool is_constant;
};

struct condition_term {
    struct condition_side sides[2];
    size_t code;    /* index of the comparison */
    bool has_words; /* compares states, between which there is no distance */
};

/* Plain data; good for as long as the simulation whose signals it names. */
struct condition {
    char text[CONDITION_TEXT_MAX];
    struct condition_term terms[CONDITION_TERMS_MAX];
    size_t count; /* of terms; 0: no condition */
    struct condition_code code[CONDITION_CODE_MAX];
    size_t code_count;
};

/* How near each comparison came to being true; zeroed before the first look. */
struct condition_nearest {
    struct {
        bool has_held, has_value;
        double distance;
        double values[2]; /* of its sides, at */
        int64_t at_us;
    } terms[CONDITION_TERMS_MAX];
};

/* How far a condition is from the other verdict, as signal temporal logic reckons robustness (A.
 * Donze, O. Maler: "Robust satisfaction of temporal logic over real-valued signals", 2010): of a <
 * b it is b - a, of a == b -|a - b|, of `and` the smaller, of `or` the larger. Numbers are compared
 * whatever their unit. */
struct condition_margin {
    double margin;  /* at least 0 where it holds, at most 0 where not; infinite between states and
                       for what is no number: there is no distance */
    double closest; /* the left side of the comparison that decides */
    int64_t at_us;
};

/* Reads TEXT. False, and in ERROR what was found, what is allowed and the place under a caret, for
 * what is no condition. */
bool condition_parse(const struct sim *sim, const char *text, struct condition *out,
                     struct error *error);

/* The same for a number: what may stand on one side of a comparison. */
bool condition_parse_value(const struct sim *sim, const char *text, struct condition *out,
                           struct error *error);

/* What such a number is now; may be none (isfinite). */
double condition_value(const struct sim *sim, const struct condition *value);

/* Whether it holds now. A comparison with a value that is no number is neither true nor false, and
 * nothing holds that depends on it. */
bool condition_holds(const struct sim *sim, const struct condition *condition);

/* The same, and how far it is from the other verdict NOW_US. */
bool condition_gauge(const struct sim *sim, const struct condition *condition, int64_t now_us,
                     struct condition_margin *margin);

/* The same, and notes in NEAREST how near each comparison is. */
bool condition_watch(const struct sim *sim, const struct condition *condition, int64_t now_us,
                     struct condition_nearest *nearest, struct condition_margin *margin);

/* Writes the values now, "kobuki.battery_v = 14.8 V, kobuki.charger = docked_charging", each signal
 * once, and what is computed of them; cut at SIZE. Returns TEXT. */
const char *condition_describe(const struct sim *sim, const struct condition *condition, char *text,
                               size_t size);

/* Writes the nearest values of the comparisons that were never true, "kobuki.x_m = 3.98 m at 12.3
 * s", or that all were, but not together; "" where there is nothing to say. Cut at SIZE. Returns
 * TEXT. */
const char *condition_describe_nearest(const struct sim *sim, const struct condition *condition,
                                       const struct condition_nearest *nearest, char *text,
                                       size_t size);

/* False, with a sentence in ERROR, where a signal of the condition depends on the kernel or the
 * wall clock: a run again might judge it otherwise. */
bool condition_refuse_live(const struct sim *sim, const struct condition *condition,
                           struct error *error);
