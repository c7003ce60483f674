/* Conditions on signals, as scenes and the control socket write them: terms `SIGNAL OP NUMBER`
 * joined by `and`. There is no `or` and no arithmetic. */
#ifndef PTYBOT_SIM_VERDICT_CONDITION_H
#define PTYBOT_SIM_VERDICT_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct sim;

enum {
    CONDITION_TERMS_MAX = 16, /* chosen: more than fits a line that people read */
    CONDITION_TEXT_MAX = 512, /* of its text and of the values that describe it, with NUL */
};

enum condition_op {
    CONDITION_EQUAL,
    CONDITION_NOT_EQUAL,
    CONDITION_LESS,
    CONDITION_AT_MOST,
    CONDITION_MORE,
    CONDITION_AT_LEAST,
};

struct condition_term {
    size_t wanted; /* index of the signal */
    enum condition_op op;
    double number;
};

/* Plain data; good for as long as the simulation whose signals it names. */
struct condition {
    struct condition_term terms[CONDITION_TERMS_MAX];
    size_t count;
};

/* Reads TEXT: each OP is one of == != < <= > >=, and NUMBER may be a word of the signal's names, or
 * true or false where it is a bool. False, and what was found and what is allowed in ERROR, for
 * anything else. */
bool condition_parse(const struct sim *sim, const char *text, struct condition *out,
                     struct error *error);

/* Whether every term holds now. A signal that is no number fulfills nothing. */
bool condition_holds(const struct sim *sim, const struct condition *condition);

/* Writes the values now, "kobuki.battery_v = 14.8 V, kobuki.charger = docked_charging", each signal
 * once; cut at SIZE. Returns TEXT. */
const char *condition_describe(const struct sim *sim, const struct condition *condition, char *text,
                               size_t size);

/* False, with a sentence in ERROR, where a signal of the condition depends on the kernel or the
 * wall clock: a run again might judge it otherwise. */
bool condition_refuse_live(const struct sim *sim, const struct condition *condition,
                           struct error *error);

#endif
