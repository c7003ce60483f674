/* The commands `fault PART=KIND ...` and `heal`. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/commands/fault_kinds.h"
#include "sim/state/state.h"

enum { KIND_NONE = -1 }; /* an end of faults */

#define BROWNOUT_S 0.5 /* chosen: a start that a host surely notices */
#define LOW_CHARGE                                                                                 \
    0.03 /* chosen: a Kobuki driver calls its battery dangerous there (below 13.2 V) */

/* ---- Parts ---- */

bool fault_find_part(const struct sim_robot *robot, const char *name, struct fault_part *part)
{
    struct fault_part parts[FAULT_PARTS_MAX];
    size_t count = fault_parts(robot->type, &robot->body, parts);
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
    size_t count = fault_parts(robot->type, &robot->body, parts), used = 0;
    for (size_t i = FAULT_ARG_RATE; i < FAULT_ARGS; i++)
        words[used++] = fault_rows[i].key;
    for (size_t i = 0; i < count; i++)
        words[used++] = parts[i].name;
    const char *near = text_nearest(words, name);
    if (near)
        return error_set(error, "'%s' is neither a part of %s nor an argument; did you mean %s?",
                         name, robot->name, near);
    char list[512] = "";
    size_t length = 0;
    for (size_t i = 0; i < count && length < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "",
                                   parts[i].name);
    return error_set(error, "'%s' is neither a part of %s nor an argument; the parts are: %s", name,
                     robot->name, list);
}

/* ---- Doing it ---- */

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
        // A cable that somebody has pulled stays so.
        if (!channel->is_plugged)
            return;
        line_reset(channel->line, robot->sim->now_us);
        channel->is_plugged = false;
        channel->replug_us = channel->hangup_until_us = until_us(robot, args->for_s);
        channel->hangups++;
        return;
    }
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

static enum fault_sense_kind sense_kind(int kind)
{
    switch (kind) {
    case FAULT_KIND_STUCK:
        return FAULT_STUCK;
    case FAULT_KIND_DEAD:
        return FAULT_DEAD;
    case FAULT_KIND_LOSS:
        return FAULT_LOSS;
    default:
        return FAULT_NONE;
    }
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
    size_t last = part->number == FAULT_ALL ? robot->body.wheel_count : first + 1;
    for (size_t i = first; i < last; i++)
        fault_set_sense(robot, first_sense[part->class] + i, sense_kind(kind),
                        args->rate > 0 ? args->rate : 1, end_us);
}

static void fault_wheel(struct sim_robot *robot, const struct fault_part *part, int kind,
                        const struct fault_args *args)
{
    for (size_t i = 0; i < robot->body.wheel_count; i++)
        if (part->number == FAULT_ALL || part->number == i)
            fault_set_slip(robot, i, kind == KIND_NONE ? 1 : args->grip,
                           until_us(robot, args->for_s));
}

static void fault_battery(struct sim_robot *robot, int kind, const struct fault_args *args)
{
    if (kind != FAULT_KIND_LOW) {
        fault_set_drain(robot, kind == KIND_NONE ? 0 : args->factor, until_us(robot, args->for_s));
        return;
    }
    robot->charge =
        args->volts > 0 ? robot->type->battery_charge(robot->options, args->volts) : LOW_CHARGE;
    robot->faults.counts.battery_lows++;
}

static void fault_power(struct sim_robot *robot, int kind, const struct fault_args *args)
{
    struct fault_counts *counts = &robot->faults.counts;
    double for_s = args->for_s;
    counts->brownouts += kind == FAULT_KIND_BROWNOUT;
    counts->power_cuts += kind == FAULT_KIND_OFF || kind == FAULT_KIND_USB;
    if (kind == FAULT_KIND_BROWNOUT && for_s == 0)
        for_s = BROWNOUT_S;
    enum fault_power power = kind == KIND_NONE        ? FAULT_POWER_ON
                             : kind == FAULT_KIND_USB ? FAULT_POWER_USB
                                                      : FAULT_POWER_OFF;
    fault_set_power(robot, power, power == FAULT_POWER_ON ? ROBOT_NEVER : until_us(robot, for_s));
}

static void apply(struct sim_robot *robot, const struct fault_part *part, int kind,
                  const struct fault_args *args)
{
    switch (part->class) {
    case FAULT_CHANNEL:
        fault_channel(robot, part, kind, args);
        break;
    case FAULT_SENSOR:
    case FAULT_BUMPER:
    case FAULT_BUTTON:
    case FAULT_INERTIAL:
    case FAULT_ENCODER:
        fault_sense(robot, part, kind, args);
        break;
    case FAULT_WHEEL:
        fault_wheel(robot, part, kind, args);
        break;
    case FAULT_BATTERY:
        fault_battery(robot, kind, args);
        break;
    case FAULT_POWER:
        fault_power(robot, kind, args);
        break;
    }
}

/* A request that was understood. */
struct request {
    struct fault_args args;
    struct fault_part part;
    int kind;
};

/* What the tables cannot say of a kind and its part. */
static bool fits(const struct sim_robot *robot, const struct request *request, struct error *error)
{
    const struct robot_body *body = &robot->body;
    double volts = request->args.volts;
    if (request->kind == FAULT_KIND_LOW && volts > 0 &&
        !(volts >= body->battery_min_v && volts <= body->battery_max_v))
        return error_set(error, "v: %g; allowed: %g to %g V", volts, body->battery_min_v,
                         body->battery_max_v);
    if (request->kind == FAULT_KIND_STUCK && request->part.class == FAULT_SENSOR &&
        body->sensors[request->part.number].kind == SENSOR_CAMERA)
        return error_set(error, "%s: it can be dead, but not stuck", request->part.name);
    bool is_serial = request->kind == LINE_FAULT_BAUD || request->kind == LINE_FAULT_FTDI;
    if (is_serial && robot->sim->channels[robot->first_channel + request->part.number].baud == 0)
        return error_set(error, "%s: it is no serial channel", request->part.name);
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
    if (!kind || !fault_check_args(&request->part, kind, &request->args, error))
        return false;
    request->kind = kind->kind;
    return fits(robot, request, error);
}

bool fault_check(const struct sim_robot *robot, const void *args, struct error *error)
{
    struct request request;
    return understand(robot, args, &request, error);
}

bool fault_command(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct request request;
    if (!understand(state, data, &request, error))
        return false;
    apply(state, &request.part, request.kind, &request.args);
    return true;
}

bool fault_heal_command(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)data, (void)now_us, (void)error;
    fault_heal(state);
    return true;
}
