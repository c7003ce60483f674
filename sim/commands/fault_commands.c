#include "sim/commands/fault_commands.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/rng.h"
#include "base/text.h"
#include "sim/commands/command.h"
#include "sim/state/power.h"
#include "sim/state/state.h"
#include "sim/wire/line_fault.h"

enum { KIND_NONE = -1 }; /* an end of faults */

#define BROWNOUT_S 0.5 /* chosen: a start that a host surely notices */
#define LOW_CHARGE                                                                                 \
    0.03 /* chosen: a Kobuki driver calls its battery dangerous there (below 13.2 V) */

#define FOREVER_S 1e9

/* ---- Arguments ---- */

enum { FAULT_BOTH_WAYS, FAULT_TO_HOST, FAULT_TO_ROBOT };
enum { FAULT_BY_BYTE, FAULT_BY_FRAME };

static const char *const directions[] = {"both", "to_host", "to_robot", NULL};
static const char *const units[] = {"byte", "frame", NULL};

const struct option_row fault_rows[FAULT_ARGS] = {
    [FAULT_ARG_PART] =
        ROW_TEXT("PART", fault_args, part, "",
                 "a part of the robot, and its fault: uart=drop; see `ptybot list faults`"),
    [FAULT_ARG_RATE] = ROW_NUMBER("rate", fault_args, rate, "", 0, 1, "0",
                                  "share of bytes, frames, samples or ticks that are affected"),
    [FAULT_ARG_FOR] =
        ROW_NUMBER("for", fault_args, for_s, "s", 0, FOREVER_S, "0", "0: until PART=none or heal"),
    [FAULT_ARG_DIRECTION] = ROW_CHOICE("direction", fault_args, direction, directions, "both"),
    [FAULT_ARG_UNIT] =
        ROW_CHOICE("unit", fault_args, unit, units, "byte",
                   "unit of rate; to the robot, a frame is everything written at once"),
    [FAULT_ARG_MS] = ROW_NUMBER("ms", fault_args, ms, "ms", 0, 10000, "0",
                                "0: delay 100, gap of a split 5, latency of ftdi 16"),
    [FAULT_ARG_BYTES] =
        ROW_INTEGER("bytes", fault_args, bytes, "", 1, 1000, "16", "number of random bytes"),
    [FAULT_ARG_BAUD] =
        ROW_INTEGER("baud", fault_args, baud, "bit/s", 0, 4000000, "0", "baud rate of the reader"),
    [FAULT_ARG_GRIP] = ROW_NUMBER("grip", fault_args, grip, "", 0.01, 1, "0.1", "remaining share"),
    [FAULT_ARG_DRIFT] = ROW_SCALED("deg_s", fault_args, drift_rad_s, "deg/s", ANGLE_RAD_DEG, -1000,
                                   1000, "0", "added to the turn rate"),
    [FAULT_ARG_VOLTS] = ROW_NUMBER("v", fault_args, volts, "V", 0, 1000, "0",
                                   "voltage without load; 0: 3 % of the charge is left"),
    [FAULT_ARG_FACTOR] =
        ROW_NUMBER("factor", fault_args, factor, "", 0, 1e6, "0", "factor of its normal rate"),
    [FAULT_ARG_COUNT] = ROW_INTEGER("count", fault_args, count, "", 0, 1000000, "0",
                                    "number of status packets; 0: until the fault ends"),
};

/* ---- Kinds ---- */

#define BIT(argument) (1u << (argument))
#define WIRE          (BIT(FAULT_ARG_FOR) | BIT(FAULT_ARG_DIRECTION))
#define SENSE         (BIT(FAULT_ARG_RATE) | BIT(FAULT_ARG_FOR))
#define STATUS        (SENSE | BIT(FAULT_ARG_COUNT))
#define SERVO(word, of, takes, note)                                                               \
    {                                                                                              \
        word, FAULT_SERVO, FAULT_KIND_SERVO + SERVO_##of, 0, BIT(FAULT_ARG_FOR) | (takes), note    \
    }

/* The kinds for every part that has samples. */
#define SAMPLED(class, dead)                                                                       \
    {"stuck", class, FAULT_KIND_STUCK, 0, SENSE, "repeats its last sample"},                       \
    {                                                                                              \
        "dead", class, FAULT_KIND_DEAD, 0, SENSE, dead                                             \
    }

static const struct fault_kind kinds[] = {
    {"drop", FAULT_CHANNEL, LINE_FAULT_DROP, BIT(FAULT_ARG_RATE), WIRE | BIT(FAULT_ARG_UNIT),
     "bytes or whole frames are lost"},
    {"flip", FAULT_CHANNEL, LINE_FAULT_FLIP, BIT(FAULT_ARG_RATE), WIRE | BIT(FAULT_ARG_UNIT),
     "one bit of a byte is flipped"},
    {"duplicate", FAULT_CHANNEL, LINE_FAULT_DUPLICATE, BIT(FAULT_ARG_RATE),
     WIRE | BIT(FAULT_ARG_UNIT), "bytes or whole frames are sent twice"},
    {"insert", FAULT_CHANNEL, LINE_FAULT_INSERT, BIT(FAULT_ARG_RATE), WIRE | BIT(FAULT_ARG_UNIT),
     "a random byte is inserted"},
    {"delay", FAULT_CHANNEL, LINE_FAULT_DELAY, BIT(FAULT_ARG_RATE), WIRE | BIT(FAULT_ARG_MS),
     "frames are delayed, and the frames behind them too"},
    {"split", FAULT_CHANNEL, LINE_FAULT_SPLIT, BIT(FAULT_ARG_RATE), WIRE | BIT(FAULT_ARG_MS),
     "frames arrive in two pieces with a gap"},
    {"ftdi", FAULT_CHANNEL, LINE_FAULT_FTDI, 0, BIT(FAULT_ARG_FOR) | BIT(FAULT_ARG_MS),
     "pieces of 62 bytes to the driver, with a latency timer"},
    {"stall", FAULT_CHANNEL, LINE_FAULT_STALL, BIT(FAULT_ARG_FOR), BIT(FAULT_ARG_DIRECTION),
     "all data is held, then delivered at once"},
    {"garbage", FAULT_CHANNEL, LINE_FAULT_GARBAGE, 0, WIRE | BIT(FAULT_ARG_BYTES),
     "random bytes whenever a driver opens the port"},
    {"baud", FAULT_CHANNEL, LINE_FAULT_BAUD, BIT(FAULT_ARG_BAUD), WIRE,
     "bytes are read at a wrong baud rate"},
    {"hangup", FAULT_CHANNEL, FAULT_KIND_HANGUP, BIT(FAULT_ARG_FOR), 0,
     "the port hangs up, disappears and returns"},
    SAMPLED(FAULT_SENSOR, "no signal, such as no echo; a cliff sensor reports a cliff"),
    SAMPLED(FAULT_BUMPER, "is never pressed"),
    SAMPLED(FAULT_BUTTON, "is never pressed"),
    SAMPLED(FAULT_INERTIAL, "reports zero"),
    {"drift", FAULT_INERTIAL, FAULT_KIND_TURN, BIT(FAULT_ARG_DRIFT), BIT(FAULT_ARG_FOR),
     "reports a turn that does not occur"},
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
     "without power, except for the USB plug: the port stays"},
    {"brownout", FAULT_POWER, FAULT_KIND_BROWNOUT, 0, BIT(FAULT_ARG_FOR),
     "off for 0.5 s (for), then a restart"},
    {"usb", FAULT_POWER, FAULT_KIND_USB, 0, BIT(FAULT_ARG_FOR),
     "USB power only: no motors and battery"},
    SERVO("absent", ABSENT, 0, "unplugged: no power, and silent"),
    SERVO("lost", LOST, STATUS, "status packets are lost"),
    SERVO("damaged", DAMAGED, STATUS, "one bit of status packets is wrong"),
    SERVO("late", LATE, STATUS | BIT(FAULT_ARG_MS), "status packets come later, by 60 ms"),
    SERVO("twin", TWIN, 0, "a second servo has the same id: both answer at once"),
    SERVO("hot", HOT, 0, "its temperature is 90 degrees"),
    SERVO("sag", SAG, BIT(FAULT_ARG_VOLTS), "its voltage drops to 3 V"),
    SERVO("jammed", JAMMED, 0, "the shaft is blocked: overload"),
    SERVO("foreign", FOREIGN, 0, "model and firmware differ from the other servos"),
    SERVO("echo", ECHO, 0, "the lines are tied at it: requests come back to the driver"),
};

/* Names of the parts of a class, for messages and lists. */
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
    [FAULT_SERVO] = "SERVO",
};

bool sim_fault_info(size_t number, struct sim_fault_info *info)
{
    if (number >= COUNT(kinds))
        return false;
    const struct fault_kind *row = &kinds[number];
    *info = (struct sim_fault_info){row->kind == FAULT_KIND_TURN ? "gyro" : class_words[row->class],
                                    row->name, "", row->note};
    for (size_t i = 0; i < FAULT_ARGS; i++)
        if ((row->needs | row->takes) >> i & 1)
            text_add(info->arguments, sizeof info->arguments, " ",
                     row->needs >> i & 1 ? "%s=" : "[%s=]", fault_rows[i].key);
    return true;
}

const char *fault_word(enum fault_class class, int kind)
{
    size_t i = 0;
    while (i < COUNT(kinds) && (kinds[i].class != class || kinds[i].kind != kind))
        i++;
    assert(i < COUNT(kinds));
    return kinds[i].name;
}

static bool is_of_part(const struct fault_kind *kind, const struct fault_part *part)
{
    bool is_gyro = part->class == FAULT_INERTIAL && part->number == FAULT_GYRO;
    return kind->class == part->class && (kind->kind != FAULT_KIND_TURN || is_gyro);
}

/* A picture or a scan cannot repeat its last sample. */
static bool is_too_large(const struct sim_robot *robot, int kind, const struct fault_part *part)
{
    if (kind != FAULT_KIND_STUCK || part->class != FAULT_SENSOR)
        return false;
    enum sensor_kind sensor = robot->body->sensors[part->number].kind;
    return sensor == SENSOR_CAMERA || sensor == SENSOR_SCANNER;
}

static bool lacks_baud(const struct sim_robot *robot, int kind, const struct fault_part *part)
{
    return part->class == FAULT_CHANNEL && (kind == LINE_FAULT_BAUD || kind == LINE_FAULT_FTDI) &&
           robot->sim->channels[robot->first_channel + part->number].baud == 0;
}

bool fault_befalls(size_t number, const struct sim_robot *robot, const struct fault_part *part)
{
    assert(number < COUNT(kinds));
    const struct fault_kind *kind = &kinds[number];
    return is_of_part(kind, part) && !is_too_large(robot, kind->kind, part) &&
           !lacks_baud(robot, kind->kind, part);
}

/* Finds the kind of a part's fault by its word. If the word is unknown, returns NULL and sets ERROR
 * to the list of words. */
static const struct fault_kind *fault_find_kind(const struct fault_part *part, const char *word,
                                                struct error *error)
{
    const char *words[COUNT(kinds) + 2] = {"none"};
    char list[256] = "none";
    size_t used = 1;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!is_of_part(&kinds[i], part))
            continue;
        if (strcmp(kinds[i].name, word) == 0)
            return &kinds[i];
        words[used++] = kinds[i].name;
        text_add(list, sizeof list, ", ", "%s", kinds[i].name);
    }
    const char *near = text_nearest(words, word);
    return error_null(error_set(error, "%s: '%s' is not one of %s%s", part->name, word, list,
                                TEXT_MEANT(near, NULL)));
}

/* Whether an argument differs from its fallback. */
static bool is_given(const struct fault_args *args, size_t argument)
{
    struct fault_args fresh = {0};
    const struct option_row *row = &fault_rows[argument];
    size_t size = row->type == OPTION_CHOICE ? sizeof(int32_t) : sizeof(double);
    option_defaults(row, 1, &fresh);
    return memcmp((const char *)args + row->offset, (const char *)&fresh + row->offset, size) != 0;
}

/* Whether all arguments that the kind requires are given, and no others than it allows. */
static bool check_args(const struct fault_part *part, const struct fault_kind *row,
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

/* ---- Parts by name ---- */

bool fault_find_part(const struct sim_robot *robot, const char *name, struct fault_part *part)
{
    struct fault_part parts[FAULT_PARTS_MAX];
    size_t count = fault_parts(robot->type, robot->body, parts);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(parts[i].name, name) == 0) {
            *part = parts[i];
            return true;
        }
    }
    return false;
}

bool fault_unknown_part(const struct sim_robot *robot, const char *name, struct error *error)
{
    struct fault_part parts[FAULT_PARTS_MAX];
    const char *words[FAULT_PARTS_MAX + FAULT_ARGS] = {0};
    size_t count = fault_parts(robot->type, robot->body, parts), used = 0;
    for (size_t i = FAULT_ARG_RATE; i < FAULT_ARGS; i++)
        words[used++] = fault_rows[i].key;
    for (size_t i = 0; i < count; i++)
        words[used++] = parts[i].name;
    const char *near = text_nearest(words, name);
    if (near)
        return error_set(error, "'%s' is neither a part of %s nor an argument; did you mean '%s'?",
                         name, robot->name, near);
    char list[512] = "";
    for (size_t i = 0; i < count; i++)
        text_add(list, sizeof list, ", ", "%s", parts[i].name);
    return error_set(error, "'%s' is neither a part of %s nor an argument; the parts are: %s", name,
                     robot->name, list);
}

/* ---- Applying faults ---- */

static int64_t until_us(const struct sim_robot *robot, double for_s)
{
    return for_s > 0 ? robot->sim->now_us + (int64_t)(for_s * 1e6) : ROBOT_NEVER;
}

static void fault_channel(struct sim_robot *robot, const struct fault_part *part, int kind,
                          const struct fault_args *args)
{
    struct sim_channel *channel = &robot->sim->channels[robot->first_channel + part->number];
    static const double usual_ms[LINE_FAULT_KINDS] = {
        [LINE_FAULT_DELAY] = 100, /* chosen: two to five packets of the robots here */
        [LINE_FAULT_SPLIT] = 5,   /* chosen: longer than drivers wait for the rest of a packet */
        [LINE_FAULT_FTDI] = 16,   /* default of the chip (FTDI AN232B-04) */
    };
    if (kind == KIND_NONE) {
        fault_heal_channel(channel);
        return;
    }
    if (kind == FAULT_KIND_HANGUP) {
        // A cable that was unplugged by a command stays unplugged.
        if (!channel->is_plugged)
            return;
        line_reset(channel->line, robot->sim->now_us);
        channel->is_plugged = false;
        channel->replug_us = channel->hangup_until_us = until_us(robot, args->for_s);
        channel->hangups++;
        return;
    }
    assert((unsigned)kind < LINE_FAULT_KINDS);
    const struct line_fault fault = {
        .rate = args->rate,
        .is_by_frame = args->unit == FAULT_BY_FRAME,
        .until_us = until_us(robot, args->for_s),
        .span_us = (int64_t)((args->ms > 0 ? args->ms : usual_ms[kind]) * 1000),
        .quantity = (uint32_t)(kind == LINE_FAULT_BAUD ? args->baud : args->bytes),
    };
    if (args->direction != FAULT_TO_ROBOT)
        line_set_fault(channel->line, LINE_TO_HOST, (enum line_fault_kind)kind, &fault);
    if (args->direction != FAULT_TO_HOST && kind != LINE_FAULT_FTDI)
        line_set_fault(channel->line, LINE_TO_ROBOT, (enum line_fault_kind)kind, &fault);
}

static const size_t first_sense[] = {
    [FAULT_SENSOR] = 0,
    [FAULT_BUMPER] = FAULT_SENSE_BUMPERS,
    [FAULT_BUTTON] = FAULT_SENSE_BUTTONS,
    [FAULT_INERTIAL] = FAULT_SENSE_INERTIALS,
    [FAULT_ENCODER] = FAULT_SENSE_ENCODERS,
};

size_t fault_sense_of(const struct fault_part *part)
{
    assert(part->number != FAULT_ALL && part->class <= FAULT_ENCODER &&
           part->class != FAULT_CHANNEL);
    return first_sense[part->class] + part->number;
}

static enum fault_sense_kind sense_kind(int kind)
{
    return kind == FAULT_KIND_STUCK  ? FAULT_STUCK
           : kind == FAULT_KIND_DEAD ? FAULT_DEAD
           : kind == FAULT_KIND_LOSS ? FAULT_LOSS
                                     : FAULT_NONE;
}

static void fault_sense(struct sim_robot *robot, const struct fault_part *part, int kind,
                        const struct fault_args *args)
{
    int64_t end_us = until_us(robot, args->for_s);
    if (kind == FAULT_KIND_TURN) {
        fault_set_drift(robot, args->drift_rad_s, end_us);
        return;
    }
    if (kind == KIND_NONE && part->class == FAULT_INERTIAL && part->number == FAULT_GYRO)
        fault_set_drift(robot, 0, 0);
    size_t first = part->number == FAULT_ALL ? 0 : part->number;
    size_t last = part->number == FAULT_ALL ? robot->body->wheel_count : first + 1;
    for (size_t i = first; i < last; i++)
        fault_set_sense(robot, first_sense[part->class] + i, sense_kind(kind),
                        args->rate > 0 ? args->rate : 1, end_us);
}

static void fault_wheel(struct sim_robot *robot, const struct fault_part *part, int kind,
                        const struct fault_args *args)
{
    for (size_t i = 0; i < robot->body->wheel_count; i++)
        if (part->number == FAULT_ALL || part->number == i)
            fault_set_slip(robot, i, kind == KIND_NONE ? 1 : args->grip,
                           until_us(robot, args->for_s));
}

static void fault_battery(struct sim_robot *robot, const struct fault_part *part, int kind,
                          const struct fault_args *args)
{
    (void)part;
    if (kind != FAULT_KIND_LOW) {
        fault_set_drain(robot, kind == KIND_NONE ? 0 : args->factor, until_us(robot, args->for_s));
        return;
    }
    robot->charge = args->volts > 0 ? robot_battery_charge(robot->type, robot->options, args->volts)
                                    : LOW_CHARGE;
    robot->faults.counts.battery_lows++;
}

static void fault_power(struct sim_robot *robot, const struct fault_part *part, int kind,
                        const struct fault_args *args)
{
    (void)part;
    struct fault_counts *counts = &robot->faults.counts;
    double for_s = args->for_s;
    counts->brownouts += kind == FAULT_KIND_BROWNOUT;
    counts->power_cuts += kind == FAULT_KIND_OFF || kind == FAULT_KIND_USB;
    if (kind == FAULT_KIND_BROWNOUT && for_s == 0)
        for_s = BROWNOUT_S;
    enum power_change power = kind == KIND_NONE        ? POWER_ON
                              : kind == FAULT_KIND_USB ? POWER_USB
                                                       : POWER_OFF;
    robot_power(robot, power, power == POWER_ON ? ROBOT_NEVER : until_us(robot, for_s));
}

static void fault_servo(struct sim_robot *robot, const struct fault_part *part, int kind,
                        const struct fault_args *args)
{
    /* Chosen: longer than drivers wait (50 ms), hotter and at a lower voltage than servos allow. */
    static const double usual[SERVO_FAULTS] = {
        [SERVO_LATE] = 60, [SERVO_HOT] = 90, [SERVO_SAG] = 3};
    double amount = args->ms + args->volts;
    kind = kind == KIND_NONE ? SERVO_GOOD : kind - FAULT_KIND_SERVO;
    robot->faults.servos[part->number] = (struct servo_fault){
        .kind = (enum servo_fault_kind)kind,
        .rate = args->rate > 0 ? args->rate : 1,
        .amount = amount == 0 ? usual[kind] : amount,
        .count = (uint64_t)args->count,
        .key = rng_u64(rng_key(robot->rng_key, robot->body->servos[part->number].name),
                       (uint64_t)robot->sim->now_us),
        .until_us = until_us(robot, args->for_s),
    };
    robot->faults.is_any = true;
}

/* Indexed by class of the part. */
static void (*const appliers[])(struct sim_robot *robot, const struct fault_part *part, int kind,
                                const struct fault_args *args) = {
    [FAULT_CHANNEL] = fault_channel, [FAULT_SENSOR] = fault_sense,    [FAULT_BUMPER] = fault_sense,
    [FAULT_BUTTON] = fault_sense,    [FAULT_INERTIAL] = fault_sense,  [FAULT_ENCODER] = fault_sense,
    [FAULT_WHEEL] = fault_wheel,     [FAULT_BATTERY] = fault_battery, [FAULT_POWER] = fault_power,
    [FAULT_SERVO] = fault_servo,
};

/* A request that was parsed. */
struct request {
    struct fault_args args;
    struct fault_part part;
    int kind;
};

/* Checks that the tables cannot express. */
static bool fits(const struct sim_robot *robot, const struct request *request, struct error *error)
{
    const struct robot_body *body = robot->body;
    double volts = request->args.volts;
    if (request->kind == FAULT_KIND_LOW && volts > 0 &&
        !(volts >= body->battery_min_v && volts <= body->battery_max_v))
        return error_set(error, "v: %g; allowed: %g to %g V", volts, body->battery_min_v,
                         body->battery_max_v);
    if (is_too_large(robot, request->kind, &request->part))
        return error_set(error, "%s: allowed: dead, not stuck", request->part.name);
    if (lacks_baud(robot, request->kind, &request->part))
        return error_set(error, "%s: not a serial channel", request->part.name);
    return true;
}

static bool understand(const struct sim_robot *robot, const void *data, struct request *request,
                       struct error *error)
{
    request->args = *(const struct fault_args *)data;
    char *word = strchr(request->args.part, '=');
    if (!word)
        return error_set(error,
                         "give PART=KIND, such as %s=drop rate=0.01; see `ptybot list faults`",
                         robot->type->channels[0].name);
    *word++ = '\0';
    if (!fault_find_part(robot, request->args.part, &request->part))
        return fault_unknown_part(robot, request->args.part, error);
    request->kind = KIND_NONE;
    if (strcmp(word, "none") == 0)
        return true;
    const struct fault_kind *kind = fault_find_kind(&request->part, word, error);
    if (!kind || !check_args(&request->part, kind, &request->args, error))
        return false;
    request->kind = kind->kind;
    return fits(robot, request, error);
}

bool fault_check(const void *setup, const void *args, struct error *error)
{
    struct request request;
    return understand(((const struct command_setup *)setup)->robot, args, &request, error);
}

bool fault_command(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct request request;
    if (!understand(state, data, &request, error))
        return false;
    appliers[request.part.class](state, &request.part, request.kind, &request.args);
    return true;
}

bool fault_heal_command(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)data, (void)now_us, (void)error;
    fault_heal(state);
    return true;
}
