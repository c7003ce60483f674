/* The table of faults, and what is wrong with a request for one. */
#include "sim/commands/fault_kinds.h"

#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/text.h"
#include "sim/sim.h"

#define RAD_1_DEG (ANGLE_PI / 180)
#define FOREVER_S 1e9

/* ---- Arguments ---- */

static const char *const directions[] = {"both", "to_host", "to_robot", NULL};
static const char *const units[] = {"byte", "frame", NULL};

#define ARG(member) .offset = offsetof(struct fault_args, member)
const struct option_row fault_rows[FAULT_ARGS] = {
    [FAULT_ARG_PART] =
        {.key = "PART",
         .type = OPTION_TEXT,
         ARG(part),
         .size = sizeof((struct fault_args *)0)->part,
         .unit = "",
         .fallback = "",
         .note = "a part of the robot, and its fault: uart=drop; see `ptybot list faults`"},
    [FAULT_ARG_RATE] = {.key = "rate",
                        .type = OPTION_NUMBER,
                        ARG(rate),
                        .unit = "",
                        .max = 1,
                        .fallback = "0",
                        .note = "share of bytes, frames, samples or ticks that are hit"},
    [FAULT_ARG_FOR] = {.key = "for",
                       .type = OPTION_NUMBER,
                       ARG(for_s),
                       .unit = "s",
                       .max = FOREVER_S,
                       .fallback = "0",
                       .note = "0: until PART=none or heal"},
    [FAULT_ARG_DIRECTION] = {.key = "direction",
                             .type = OPTION_CHOICE,
                             ARG(direction),
                             .unit = "",
                             .fallback = "both",
                             .choices = directions},
    [FAULT_ARG_UNIT] = {.key = "unit",
                        .type = OPTION_CHOICE,
                        ARG(unit),
                        .unit = "",
                        .fallback = "byte",
                        .choices = units,
                        .note =
                            "what rate counts; to the robot a frame is what was written at once"},
    [FAULT_ARG_MS] = {.key = "ms",
                      .type = OPTION_NUMBER,
                      ARG(ms),
                      .unit = "ms",
                      .max = 10000,
                      .fallback = "0",
                      .note = "0: delay 100, gap of a split 5, latency of ftdi 16"},
    [FAULT_ARG_BYTES] = {.key = "bytes",
                         .type = OPTION_INTEGER,
                         ARG(bytes),
                         .unit = "",
                         .min = 1,
                         .max = 1000,
                         .fallback = "16",
                         .note = "of garbage"},
    [FAULT_ARG_BAUD] = {.key = "baud",
                        .type = OPTION_INTEGER,
                        ARG(baud),
                        .unit = "bit/s",
                        .max = 4000000,
                        .fallback = "0",
                        .note = "at which the bytes are read"},
    [FAULT_ARG_GRIP] = {.key = "grip",
                        .type = OPTION_NUMBER,
                        ARG(grip),
                        .unit = "",
                        .min = 0.01,
                        .max = 1,
                        .fallback = "0.1",
                        .note = "part that is left"},
    [FAULT_ARG_DRIFT] = {.key = "deg_s",
                         .type = OPTION_NUMBER,
                         ARG(drift_rad_s),
                         .unit = "deg/s",
                         .scale = RAD_1_DEG,
                         .min = -1000,
                         .max = 1000,
                         .fallback = "0",
                         .note = "added to the turn rate"},
    [FAULT_ARG_VOLTS] = {.key = "v",
                         .type = OPTION_NUMBER,
                         ARG(volts),
                         .unit = "V",
                         .max = 1000,
                         .fallback = "0",
                         .note = "at rest; 0: 3 % of the charge is left"},
    [FAULT_ARG_FACTOR] = {.key = "factor",
                          .type = OPTION_NUMBER,
                          ARG(factor),
                          .unit = "",
                          .max = 1e6,
                          .fallback = "0",
                          .note = "times as fast as it should"},
};

/* ---- Kinds ---- */

#define BIT(argument) (1u << (argument))
#define WIRE          (BIT(FAULT_ARG_FOR) | BIT(FAULT_ARG_DIRECTION))
#define SENSE         (BIT(FAULT_ARG_RATE) | BIT(FAULT_ARG_FOR))

/* The same words for everything that has samples. */
#define SAMPLED(class)                                                                             \
    {"stuck", class, FAULT_KIND_STUCK, 0, SENSE, "tells what it told when the fault began"},       \
    {                                                                                              \
        "dead", class, FAULT_KIND_DEAD, 0, SENSE, "tells that there is nothing"                    \
    }

static const struct fault_kind kinds[] = {
    {"drop", FAULT_CHANNEL, LINE_FAULT_DROP, BIT(FAULT_ARG_RATE), WIRE | BIT(FAULT_ARG_UNIT),
     "bytes or whole frames are lost"},
    {"flip", FAULT_CHANNEL, LINE_FAULT_FLIP, BIT(FAULT_ARG_RATE), WIRE | BIT(FAULT_ARG_UNIT),
     "one bit of a byte is turned over"},
    {"duplicate", FAULT_CHANNEL, LINE_FAULT_DUPLICATE, BIT(FAULT_ARG_RATE),
     WIRE | BIT(FAULT_ARG_UNIT), "bytes or whole frames come twice"},
    {"insert", FAULT_CHANNEL, LINE_FAULT_INSERT, BIT(FAULT_ARG_RATE), WIRE | BIT(FAULT_ARG_UNIT),
     "a random byte comes in between"},
    {"delay", FAULT_CHANNEL, LINE_FAULT_DELAY, BIT(FAULT_ARG_RATE), WIRE | BIT(FAULT_ARG_MS),
     "frames come late, and all behind them"},
    {"split", FAULT_CHANNEL, LINE_FAULT_SPLIT, BIT(FAULT_ARG_RATE), WIRE | BIT(FAULT_ARG_MS),
     "frames come in two pieces with a gap"},
    {"ftdi", FAULT_CHANNEL, LINE_FAULT_FTDI, 0, BIT(FAULT_ARG_FOR) | BIT(FAULT_ARG_MS),
     "to the host: pieces of 62 bytes, and a latency timer"},
    {"stall", FAULT_CHANNEL, LINE_FAULT_STALL, BIT(FAULT_ARG_FOR), BIT(FAULT_ARG_DIRECTION),
     "nothing passes, then all at once"},
    {"garbage", FAULT_CHANNEL, LINE_FAULT_GARBAGE, 0, WIRE | BIT(FAULT_ARG_BYTES),
     "random bytes whenever a host comes"},
    {"baud", FAULT_CHANNEL, LINE_FAULT_BAUD, BIT(FAULT_ARG_BAUD), WIRE,
     "bytes are read at a wrong baud"},
    {"hangup", FAULT_CHANNEL, FAULT_KIND_HANGUP, BIT(FAULT_ARG_FOR), 0,
     "the port hangs up, is gone, and comes back"},
    SAMPLED(FAULT_SENSOR),
    SAMPLED(FAULT_BUMPER),
    SAMPLED(FAULT_BUTTON),
    SAMPLED(FAULT_INERTIAL),
    {"drift", FAULT_INERTIAL, FAULT_KIND_TURN, BIT(FAULT_ARG_DRIFT), BIT(FAULT_ARG_FOR),
     "tells a turn that is none"},
    {"stuck", FAULT_ENCODER, FAULT_KIND_STUCK, 0, SENSE, "does not count"},
    {"dead", FAULT_ENCODER, FAULT_KIND_DEAD, 0, SENSE, "does not count"},
    {"loss", FAULT_ENCODER, FAULT_KIND_LOSS, BIT(FAULT_ARG_RATE), BIT(FAULT_ARG_FOR),
     "loses ticks"},
    {"slip", FAULT_WHEEL, FAULT_KIND_SLIP, 0, BIT(FAULT_ARG_GRIP) | BIT(FAULT_ARG_FOR),
     "loses its grip on the floor"},
    {"low", FAULT_BATTERY, FAULT_KIND_LOW, 0, BIT(FAULT_ARG_VOLTS), "almost empty at once"},
    {"drain", FAULT_BATTERY, FAULT_KIND_DRAIN, BIT(FAULT_ARG_FACTOR), BIT(FAULT_ARG_FOR),
     "empties fast"},
    {"off", FAULT_POWER, FAULT_KIND_OFF, 0, BIT(FAULT_ARG_FOR),
     "dead, with the USB plug alive: the port stays"},
    {"brownout", FAULT_POWER, FAULT_KIND_BROWNOUT, 0, BIT(FAULT_ARG_FOR),
     "off for a while (0.5 s), then a new start"},
    {"usb", FAULT_POWER, FAULT_KIND_USB, 0, BIT(FAULT_ARG_FOR),
     "the board lives on USB; motors and battery are gone"},
};

/* What a person calls the parts of a class. */
static const char *const class_words[] = {
    [FAULT_CHANNEL] = "CHANNEL",
    [FAULT_SENSOR] = "SENSOR",
    [FAULT_BUMPER] = "bumper_X",
    [FAULT_BUTTON] = "button_X",
    [FAULT_INERTIAL] = "gyro, accelerometer, compass",
    [FAULT_ENCODER] = "encoder_N, encoders",
    [FAULT_WHEEL] = "wheel_N, wheels",
    [FAULT_BATTERY] = "battery",
    [FAULT_POWER] = "power",
};

bool sim_fault_info(size_t number, struct sim_fault_info *info)
{
    if (number >= COUNT(kinds))
        return false;
    const struct fault_kind *row = &kinds[number];
    *info = (struct sim_fault_info){row->kind == FAULT_KIND_TURN ? "gyro" : class_words[row->class],
                                    row->name, "", row->note};
    size_t used = 0;
    for (size_t i = 0; i < FAULT_ARGS; i++)
        if ((row->needs | row->takes) >> i & 1)
            used += (size_t)snprintf(info->arguments + used, sizeof info->arguments - used,
                                     row->needs >> i & 1 ? "%s%s=" : "%s[%s=]", used ? " " : "",
                                     fault_rows[i].key);
    return true;
}

/* ---- What is wrong with a request ---- */

const struct fault_kind *fault_find_kind(const struct fault_part *part, const char *word,
                                         struct error *error)
{
    const char *words[COUNT(kinds) + 2] = {"none"};
    char list[256] = "none";
    size_t used = 1, length = strlen(list);
    bool is_gyro = part->class == FAULT_INERTIAL && part->number == FAULT_GYRO;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (kinds[i].class != part->class || (kinds[i].kind == FAULT_KIND_TURN && !is_gyro))
            continue;
        if (strcmp(kinds[i].name, word) == 0)
            return &kinds[i];
        words[used++] = kinds[i].name;
        length += (size_t)snprintf(list + length, sizeof list - length, ", %s", kinds[i].name);
    }
    const char *near = text_nearest(words, word);
    error_set(error, "%s: '%s' is not one of %s%s%s%s", part->name, word, list,
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return NULL;
}

static size_t member_size(const struct option_row *row)
{
    return row->type == OPTION_CHOICE ? sizeof(int32_t) : sizeof(double);
}

/* Whether an argument differs from its fallback. */
static bool is_given(const struct fault_args *args, size_t argument)
{
    struct fault_args fresh = {0};
    const struct option_row *row = &fault_rows[argument];
    option_defaults(row, 1, &fresh);
    return memcmp((const char *)args + row->offset, (const char *)&fresh + row->offset,
                  member_size(row)) != 0;
}

bool fault_check_args(const struct fault_part *part, const struct fault_kind *row,
                      const struct fault_args *args, struct error *error)
{
    for (size_t i = FAULT_ARG_RATE; i < FAULT_ARGS; i++) {
        const char *key = fault_rows[i].key;
        bool is_needed = row->needs >> i & 1, is_taken = row->takes >> i & 1;
        if (is_needed && !is_given(args, i))
            return error_set(error, "%s: missing; %s=%s needs it: %s=, %s", key, part->name,
                             row->name, key, fault_rows[i].note);
        if (!is_needed && !is_taken && is_given(args, i))
            return error_set(error, "%s: does not go with %s=%s; see `ptybot list faults`", key,
                             part->name, row->name);
    }
    return true;
}
