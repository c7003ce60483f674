/* The commands `fault PART=KIND ...` and `heal` of every robot, and the kinds of faults. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/option.h"
#include "sim/commands/fault.h"
#include "sim/wire/line_fault.h"

/* One kind of fault: the part that it applies to, its name, the arguments of the command `fault`
 * (optional ones in brackets), and its effect. False: NUMBER is beyond the last one. */
struct sim_fault_info {
    const char *part, *kind;
    char arguments[128];
    const char *note;
};
bool sim_fault_info(size_t number, struct sim_fault_info *info);

/* The arguments of the command `fault`. */
struct fault_args {
    char part[64];
    double rate, for_s, ms, grip, drift_rad_s, volts, factor;
    int64_t bytes, baud, count;
    int32_t direction, unit;
};

/* Indices of the arguments, in the order of their rows. */
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

/* Faults of a wire use enum line_fault_kind; these values follow. */
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
    FAULT_KIND_SERVO, /* plus enum servo_fault_kind */
};

struct fault_kind {
    const char *name;
    enum fault_class class;
    int kind;              /* enum line_fault_kind, or one of the above */
    unsigned needs, takes; /* required and allowed arguments, as bits: 1 << FAULT_ARG_RATE ... */
    const char *note;
};

/* Whether kind NUMBER of sim_fault_info is possible for this part of the robot. */
bool fault_befalls(size_t number, const struct sim_robot *robot, const struct fault_part *part);

/* The word for a kind, given as in struct fault_kind. */
const char *fault_word(enum fault_class class, int kind);

/* The index in robot_faults.senses of a part that has one and is not FAULT_ALL. */
size_t fault_sense_of(const struct fault_part *part);

/* Finds the part of a robot with that name. False: there is no such part. */
bool fault_find_part(const struct sim_robot *robot, const char *name, struct fault_part *part);
/* Sets ERROR to a suggestion, or to the list of existing parts. Returns false. */
bool fault_unknown_part(const struct sim_robot *robot, const char *name, struct error *error);

/* The command `fault`, on a struct sim_robot. */
bool fault_check(const void *setup, const void *args, struct error *error);
bool fault_command(void *state, const void *args, int64_t now_us, struct error *error);
/* The command `heal`, on a struct sim_robot. */
bool fault_heal_command(void *state, const void *args, int64_t now_us, struct error *error);
