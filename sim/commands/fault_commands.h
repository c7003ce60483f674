/* The commands `fault PART=KIND ...` and `heal` of every robot, and the kinds of faults that there
 * are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/option.h"
#include "sim/commands/fault.h"
#include "sim/wire/line_fault.h"

/* One kind of fault: what of a robot it is of, its name, what the command `fault` takes with it (in
 * brackets what may be left out), what it does. False: there are no more than NUMBER. */
struct sim_fault_info {
    const char *part, *kind;
    char arguments[128];
    const char *note;
};
bool sim_fault_info(size_t number, struct sim_fault_info *info);

/* What the command takes. */
struct fault_args {
    char part[64];
    double rate, for_s, ms, grip, drift_rad_s, volts, factor;
    int64_t bytes, baud, count;
    int32_t direction, unit;
};

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
    FAULT_ARG_COUNT,
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
    FAULT_KIND_SERVO, /* and enum servo_fault_kind */
};

struct fault_kind {
    const char *name;
    enum fault_class class;
    int kind;              /* enum line_fault_kind, or one of those above */
    unsigned needs, takes; /* arguments, as bits: 1 << FAULT_ARG_RATE ... */
    const char *note;
};

/* Whether kind NUMBER of sim_fault_info can befall this part of the robot. */
bool fault_befalls(size_t number, const struct sim_robot *robot, const struct fault_part *part);

/* The word of a kind, given as struct fault_kind has it. */
const char *fault_word(enum fault_class class, int kind);

/* The place in robot_faults.senses of a part that has one, and is no FAULT_ALL. */
size_t fault_sense_of(const struct fault_part *part);

/* The part of a robot with that name. False: it has none. */
bool fault_find_part(const struct sim_robot *robot, const char *name, struct fault_part *part);
/* Fills ERROR with what was meant, or what there is. Returns false. */
bool fault_unknown_part(const struct sim_robot *robot, const char *name, struct error *error);

/* The command `fault`, on a struct sim_robot. */
bool fault_check(const void *setup, const void *args, struct error *error);
bool fault_command(void *state, const void *args, int64_t now_us, struct error *error);
/* The command `heal`, on a struct sim_robot. */
bool fault_heal_command(void *state, const void *args, int64_t now_us, struct error *error);
