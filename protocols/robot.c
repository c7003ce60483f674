/* Functions that all robot types share: body, battery, reading of signals. */
#include "protocols/robot.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

const char *const servo_models[] = {"sts3215",     "sts3215_12v", "sts3215_191",
                                    "sts3215_147", "scs0009",     NULL};

void robot_type_body(const struct robot_type *type, const void *options, struct robot_body *body)
{
    if (type->body)
        type->body(options, body);
    else
        *body = *type->fixed_body;
}

bool robot_has_battery(const struct robot_type *type)
{
    return type->battery_charge || (type->fixed_body && type->fixed_body->battery_max_v > 0);
}

double robot_battery_charge(const struct robot_type *type, const void *options, double volts)
{
    if (type->battery_charge)
        return type->battery_charge(options, volts);
    const struct robot_body *body = type->fixed_body;
    double span_v = body->battery_max_v - body->battery_min_v;
    return span_v > 0 ? number_between((volts - body->battery_min_v) / span_v, 0, 1) : 1;
}

double robot_start_charge(const struct robot_type *type, const void *options)
{
    const struct option_row *row = option_find(type->options, type->option_count, "battery_v");
    double volts;
    if (!row || row->type != OPTION_NUMBER)
        return 1;
    memcpy(&volts, (const char *)options + row->offset, sizeof volts);
    return robot_battery_charge(type, options, volts);
}

/* A signed type shares the bits of its unsigned one, so a mask works on both. */
static double signal_number(enum signal_type type, const void *at, uint64_t *bits)
{
    static const uint8_t sizes[] = {
        [SIGNAL_DOUBLE] = 8, [SIGNAL_BOOL] = sizeof(bool),
        [SIGNAL_U8] = 1,     [SIGNAL_I8] = 1,
        [SIGNAL_U16] = 2,    [SIGNAL_I16] = 2,
        [SIGNAL_U32] = 4,    [SIGNAL_I32] = 4,
        [SIGNAL_U64] = 8,    [SIGNAL_I64] = 8,
    };
    double f64;
    assert((size_t)type < COUNT(sizes));
    *bits = number_load(at, sizes[type]);
    switch (type) {
    case SIGNAL_DOUBLE:
        *bits = 0;
        memcpy(&f64, at, sizeof f64);
        return f64;
    case SIGNAL_I8:
        return (int8_t)*bits;
    case SIGNAL_I16:
        return (int16_t)*bits;
    case SIGNAL_I32:
        return (int32_t)*bits;
    case SIGNAL_I64:
        return (double)(int64_t)*bits;
    default:
        return (double)*bits;
    }
}

double robot_signal(const struct signal_row *row, const void *state)
{
    uint64_t bits = 0;
    double number = signal_number(row->type, (const char *)state + row->offset, &bits);
    if (row->mask != 0)
        return (bits & row->mask) != 0 ? 1 : 0;
    return number * (row->scale != 0 ? row->scale : 1);
}
