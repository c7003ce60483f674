/* Every kind of fault as one row: what it is of, what it takes, what it does. And what the command
 * `fault` takes. */
#ifndef PTYBOT_SIM_COMMANDS_FAULT_KINDS_H
#define PTYBOT_SIM_COMMANDS_FAULT_KINDS_H

#include "sim/commands/fault.h"
#include "sim/wire/line_fault.h"

struct fault_args {
    char part[64];
    double rate, for_s, ms, grip, drift_rad_s, volts, factor;
    int64_t bytes, baud;
    int32_t direction, unit;
};

enum { FAULT_BOTH_WAYS, FAULT_TO_HOST, FAULT_TO_ROBOT };
enum { FAULT_BY_BYTE, FAULT_BY_FRAME };

/* Numbers of the arguments, in the order of their rows. */
enum {
    FAULT_ARG_PART,
    FAULT_ARG_RATE,
    FAULT_ARG_FOR,
    FAULT_ARG_DIRECTION,
    FAULT_ARG_UNIT,
    FAULT_ARG_MS,
    FAULT_ARG_BYTES,
    FAULT_ARG_BAUD,
    FAULT_ARG_GRIP,
    FAULT_ARG_DRIFT,
    FAULT_ARG_VOLTS,
    FAULT_ARG_FACTOR,
    FAULT_ARGS,
};
extern const struct option_row fault_rows[FAULT_ARGS];

/* Kinds of a wire are those of enum line_fault_kind; these follow. */
enum {
    FAULT_KIND_HANGUP = LINE_FAULT_KINDS,
    FAULT_KIND_STUCK,
    FAULT_KIND_DEAD,
    FAULT_KIND_TURN, /* gyro drift */
    FAULT_KIND_LOSS,
    FAULT_KIND_SLIP,
    FAULT_KIND_LOW,
    FAULT_KIND_DRAIN,
    FAULT_KIND_OFF,
    FAULT_KIND_BROWNOUT,
    FAULT_KIND_USB,
};

struct fault_kind {
    const char *name;
    enum fault_class class;
    int kind;
    unsigned needs, takes; /* arguments, as bits: 1 << FAULT_ARG_RATE ... */
    const char *note;
};

/* The kind of a part that a word names; NULL, and what there is, where it names none. */
const struct fault_kind *fault_find_kind(const struct fault_part *part, const char *word,
                                         struct error *error);

/* Whether the arguments are those that the kind needs and takes. */
bool fault_check_args(const struct fault_part *part, const struct fault_kind *kind,
                      const struct fault_args *args, struct error *error);

#endif
