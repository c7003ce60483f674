/* What every type of robot shares: its body, its battery, the reading of its signals. */
#include "protocols/robot.h"

#include <assert.h>
#include <string.h>

#include "base/number.h"

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

/* A signed type shares the bits of its unsigned one, so a mask works on both. */
static double signal_number(enum signal_type type, const void *at, uint64_t *bits)
{
    double f64;
    bool truth;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    switch (type) {
    case SIGNAL_DOUBLE:
        memcpy(&f64, at, sizeof f64);
        *bits = 0;
        return f64;
    case SIGNAL_BOOL:
        memcpy(&truth, at, sizeof truth);
        *bits = truth;
        return truth;
    case SIGNAL_U8:
    case SIGNAL_I8:
        memcpy(&u8, at, sizeof u8);
        *bits = u8;
        return type == SIGNAL_U8 ? u8 : (int8_t)u8;
    case SIGNAL_U16:
    case SIGNAL_I16:
        memcpy(&u16, at, sizeof u16);
        *bits = u16;
        return type == SIGNAL_U16 ? u16 : (int16_t)u16;
    case SIGNAL_U32:
    case SIGNAL_I32:
        memcpy(&u32, at, sizeof u32);
        *bits = u32;
        return type == SIGNAL_U32 ? (double)u32 : (double)(int32_t)u32;
    case SIGNAL_U64:
    case SIGNAL_I64:
        memcpy(bits, at, sizeof *bits);
        return type == SIGNAL_U64 ? (double)*bits : (double)(int64_t)*bits;
    }
    assert(false && "a signal has no known type");
    return 0;
}

double robot_signal(const struct signal_row *row, const void *state)
{
    uint64_t bits = 0;
    double number = signal_number(row->type, (const char *)state + row->offset, &bits);
    if (row->mask != 0)
        return (bits & row->mask) != 0 ? 1 : 0;
    return number * (row->scale != 0 ? row->scale : 1);
}
