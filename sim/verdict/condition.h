/* Conditions on signals: the language for `that` and `when` of a scene and for `until` of the
 * control socket. scenes/README.md has its grammar. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct sim;

enum {
    CONDITION_TERMS_MAX = 16, /* comparisons; chosen: more than fit in a readable line */
    CONDITION_CODE_MAX = 96,  /* chosen: each comparison has six numbers, signals and operators */
    CONDITION_DEPTH_MAX = 16, /* of parentheses etc.; chosen: deeper is unreadable */
    CONDITION_TEXT_MAX = 512, /* of its text and of the text with its values, with NUL */
};

/* One operation of an evaluation, on a stack of numbers; true is 1, false is 0. There is no `not`:
 * the parser inverts the negated part. */
enum condition_op {
    CONDITION_NUMBER,
    CONDITION_SIGNAL,
    CONDITION_NEGATE,
    CONDITION_ABS,
    CONDITION_ADD,
    CONDITION_SUBTRACT,
    CONDITION_MULTIPLY,
    CONDITION_DIVIDE,
    CONDITION_EQUAL, /* from here on each pair is an operator and its opposite */
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
        size_t term;   /* index of the comparison's term */
    };
};

/* One side of a comparison. */
struct condition_side {
    size_t from, size; /* in the text */
    size_t wanted;     /* index if the side is a single signal, otherwise SIZE_MAX */
    bool is_constant;
};

struct condition_term {
    struct condition_side sides[2];
    size_t code;    /* index of the comparison */
    bool has_words; /* compares states, which have no distance */
};

/* Plain data; valid as long as the simulation whose signals it names. */
struct condition {
    char text[CONDITION_TEXT_MAX];
    struct condition_term terms[CONDITION_TERMS_MAX];
    size_t count; /* of terms; 0: no condition */
    struct condition_code code[CONDITION_CODE_MAX];
    size_t code_count;
};

/* How near each comparison came to being true; must be zero before the first evaluation. */
struct condition_nearest {
    struct {
        bool has_held, has_value;
        double distance;
        double values[2]; /* of its sides, at this time */
        int64_t at_us;
    } terms[CONDITION_TERMS_MAX];
};

/* Distance of a condition from the opposite result, as defined for the robustness of signal
 * temporal logic (A. Donze, O. Maler: "Robust satisfaction of temporal logic over real-valued
 * signals", 2010). For a < b it is b - a, for a == b it is -|a - b|, for `and` the smaller, for
 * `or` the larger margin. Numbers are compared regardless of their units. */
struct condition_margin {
    double margin; /* at least 0 if the condition is true, at most 0 if not; infinite between states
                      and for values that are not numbers, which have no distance */
    double closest; /* the left side of the decisive comparison */
    int64_t at_us;
};

/* Parses TEXT. If it is not a condition, returns false, and ERROR has the text found, the allowed
 * texts and the place with a caret. */
bool condition_parse(const struct sim *sim, const char *text, struct condition *out,
                     struct error *error);

/* The same for a number, in the syntax of one side of a comparison. */
bool condition_parse_value(const struct sim *sim, const char *text, struct condition *out,
                           struct error *error);

/* The present value of such a number; may be infinite or NaN (isfinite). */
double condition_value(const struct sim *sim, const struct condition *value);

/* Whether the condition is true now. A comparison with a value that is not a number is neither true
 * nor false, and a condition that depends on it is not true. */
bool condition_holds(const struct sim *sim, const struct condition *condition);

/* The same, with the distance from the opposite result at NOW_US. */
bool condition_gauge(const struct sim *sim, const struct condition *condition, int64_t now_us,
                     struct condition_margin *margin);

/* The same, and stores in NEAREST how near each comparison is. */
bool condition_watch(const struct sim *sim, const struct condition *condition, int64_t now_us,
                     struct condition_nearest *nearest, struct condition_margin *margin);

/* Writes the present values, "kobuki.battery_v = 14.8 V, kobuki.charger = docked_charging", each
 * signal once, with the results calculated from them; cut at SIZE. Returns TEXT. */
const char *condition_describe(const struct sim *sim, const struct condition *condition, char *text,
                               size_t size);

/* Writes the nearest values of the comparisons that were never true, "kobuki.x_m = 3.98 m at 12.3
 * s", or that all were true, but not at the same time; "" if there is nothing to report. Cut at
 * SIZE. Returns TEXT. */
const char *condition_describe_nearest(const struct sim *sim, const struct condition *condition,
                                       const struct condition_nearest *nearest, char *text,
                                       size_t size);

/* Returns false and sets ERROR if a signal of the condition depends on the kernel or the wall
 * clock: another run could give another result. */
bool condition_refuse_live(const struct sim *sim, const struct condition *condition,
                           struct error *error);
