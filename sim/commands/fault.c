#include "sim/commands/fault.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/rng.h"
#include "sim/state/power.h"
#include "sim/state/state.h"

/* An encoder loses pulses in units of this size. Chosen, because only the firmware knows its ticks:
 * finer than the encoders of most robots, coarser than the 2578 per turn of a Kobuki. */
#define ENCODER_PIECES 1000
#define PIECE_RAD      (2 * ANGLE_PI / ENCODER_PIECES)

/* ---- Parts ---- */

struct part_list {
    struct fault_part *parts;
    size_t count;
};

__attribute__((format(printf, 4, 5))) static void
add(struct part_list *list, enum fault_class class, size_t number, const char *format, ...)
{
    assert(list->count < FAULT_PARTS_MAX);
    struct fault_part *part = &list->parts[list->count++];
    part->class = class;
    part->number = number;
    va_list values;
    va_start(values, format);
    vsnprintf(part->name, sizeof part->name, format, values);
    va_end(values);
}

size_t fault_parts(const struct robot_type *type, const struct robot_body *body,
                   struct fault_part *parts)
{
    static const char *const inertials[FAULT_INERTIALS] = {"gyro", "accelerometer", "compass"};
    struct part_list list = {.parts = parts};
    for (size_t i = 0; i < type->channel_count; i++)
        add(&list, FAULT_CHANNEL, i, "%s", type->channels[i].name);
    for (size_t i = 0; i < body->sensor_count; i++)
        add(&list, FAULT_SENSOR, i, "%s", body->sensors[i].name);
    for (size_t i = 0; i < body->bumper_count; i++)
        add(&list, FAULT_BUMPER, i, "bumper_%s", body->bumpers[i].name);
    for (size_t i = 0; type->buttons && type->buttons[i]; i++)
        add(&list, FAULT_BUTTON, i, "button_%s", type->buttons[i]);
    for (size_t i = 0; i < FAULT_INERTIALS; i++)
        add(&list, FAULT_INERTIAL, i, "%s", inertials[i]);
    if (body->wheel_count > 0)
        add(&list, FAULT_ENCODER, FAULT_ALL, "encoders");
    for (size_t i = 0; i < body->wheel_count; i++)
        add(&list, FAULT_ENCODER, i, "encoder_%zu", i);
    if (body->wheel_count > 0)
        add(&list, FAULT_WHEEL, FAULT_ALL, "wheels");
    for (size_t i = 0; i < body->wheel_count; i++)
        add(&list, FAULT_WHEEL, i, "wheel_%zu", i);
    for (size_t i = 0; i < body->servo_count; i++)
        add(&list, FAULT_SERVO, i, "%s", body->servos[i].name);
    if (robot_has_battery(type))
        add(&list, FAULT_BATTERY, 0, "battery");
    add(&list, FAULT_POWER, 0, "power");
    return list.count;
}

/* ---- Setting and ending faults ---- */

void fault_reset(struct robot_faults *faults)
{
    struct robot_faults fresh = {
        .next_us = ROBOT_NEVER,
        .counts = faults->counts,
        .yaw_off_rad = faults->yaw_off_rad,
    };
    for (size_t i = 0; i < ROBOT_WHEELS_MAX; i++) {
        fresh.slip_until_us[i] = ROBOT_NEVER;
        // An encoder that works again does not recover the missed pulses.
        fresh.encoder_off_rad[i] = faults->encoder_off_rad[i];
        fresh.is_any = fresh.is_any || fresh.encoder_off_rad[i] != 0;
    }
    fresh.is_any = fresh.is_any || fresh.yaw_off_rad != 0;
    fresh.power_until_us = ROBOT_NEVER;
    *faults = fresh;
}

static void expect_end(struct robot_faults *faults, int64_t until_us)
{
    if (until_us < faults->next_us)
        faults->next_us = until_us;
}

void fault_set_sense(struct sim_robot *robot, size_t sense, enum fault_sense_kind kind, double rate,
                     int64_t until_us)
{
    struct robot_faults *faults = &robot->faults;
    if (sense >= FAULT_SENSE_ENCODERS && sense < FAULT_SENSE_INERTIALS) {
        size_t wheel = sense - FAULT_SENSE_ENCODERS;
        faults->turned_rad[wheel] =
            world_drive(robot->sim->world, robot->body_index)->wheels[wheel].rad;
    }
    faults->senses[sense] = (struct fault_sense){
        .kind = kind,
        .rate = rate,
        .until_us = until_us,
        .key = rng_u64(rng_key(robot->rng_key, "fault"), sense),
    };
    faults->last_us = robot->sim->now_us;
    faults->is_any = true;
}

void fault_set_drift(struct sim_robot *robot, double rad_s, int64_t until_us)
{
    robot->faults.drift_rad_s = rad_s;
    robot->faults.drift_until_us = until_us;
    robot->faults.last_us = robot->sim->now_us;
    robot->faults.is_any = true;
}

void fault_set_slip(struct sim_robot *robot, size_t wheel, double grip, int64_t until_us)
{
    world_set_slip(robot->sim->world, robot->body_index, wheel, 1 - grip);
    robot->faults.slip_until_us[wheel] = until_us;
    robot->faults.counts.slips += grip < 1;
    expect_end(&robot->faults, until_us);
}

void fault_set_drain(struct sim_robot *robot, double factor, int64_t until_us)
{
    robot->faults.drain = factor;
    robot->faults.drain_until_us = until_us;
}

void fault_heal_channel(struct sim_channel *channel)
{
    line_clear_faults(channel->line);
    if (channel->replug_us != ROBOT_NEVER && channel->replug_us == channel->hangup_until_us) {
        channel->is_plugged = true;
        channel->replug_us = ROBOT_NEVER;
    }
}

void fault_heal(struct sim_robot *robot)
{
    robot_power(robot, POWER_ON, ROBOT_NEVER);
    for (size_t i = 0; i < robot->body->wheel_count; i++)
        world_set_slip(robot->sim->world, robot->body_index, i, 0);
    fault_reset(&robot->faults);
    for (size_t c = 0; c < robot->type->channel_count; c++)
        fault_heal_channel(&robot->sim->channels[robot->first_channel + c]);
}

void fault_expire(struct sim_robot *robot)
{
    struct robot_faults *faults = &robot->faults;
    int64_t now_us = robot->sim->now_us;
    faults->next_us = ROBOT_NEVER;
    for (size_t i = 0; i < robot->body->wheel_count; i++) {
        if (faults->slip_until_us[i] <= now_us) {
            world_set_slip(robot->sim->world, robot->body_index, i, 0);
            faults->slip_until_us[i] = ROBOT_NEVER;
        }
        expect_end(faults, faults->slip_until_us[i]);
    }
    if (faults->power_until_us <= now_us)
        robot_power(robot, POWER_ON, ROBOT_NEVER);
    expect_end(faults, faults->power_until_us);
}

double fault_charge_rate_1_s(struct sim_robot *robot)
{
    struct robot_faults *faults = &robot->faults;
    double rate_1_s = robot->actuators.charge_rate_1_s;
    if (faults->drain == 0 || rate_1_s >= 0)
        return rate_1_s;
    if (faults->drain_until_us <= robot->sim->now_us) {
        faults->drain = 0;
        return rate_1_s;
    }
    faults->counts.drained -= (faults->drain - 1) * rate_1_s * (SIM_STEP_US * 1e-6);
    return rate_1_s * faults->drain;
}

/* ---- Falsified sensor values ---- */

/* The fault of a sensor input at this sample; counts it. */
static enum fault_sense_kind wrong(struct robot_faults *faults, size_t sense, int64_t now_us)
{
    struct fault_sense *at = &faults->senses[sense];
    if (at->kind == FAULT_NONE)
        return FAULT_NONE;
    if (at->until_us <= now_us) {
        at->kind = FAULT_NONE;
        return FAULT_NONE;
    }
    if (at->kind != FAULT_LOSS && rng_uniform(at->key, (uint64_t)now_us) >= at->rate)
        return FAULT_NONE;
    faults->counts.stuck += at->kind == FAULT_STUCK;
    faults->counts.dead += at->kind == FAULT_DEAD;
    return at->kind;
}

/* Whether this is the first stuck sample, whose value is kept. */
static bool freezes(struct robot_faults *faults, size_t sense)
{
    bool is_first = !faults->senses[sense].is_frozen;
    faults->senses[sense].is_frozen = true;
    return is_first;
}

/* Reading of a dead sensor: no echo, no light, no sound. */
static struct sensor_reading nothing(const struct sensor_spec *spec)
{
    bool is_downward = spec->kind == SENSOR_CLIFF || spec->kind == SENSOR_GROUND;
    return (struct sensor_reading){.distance_m = is_downward ? (double)INFINITY : spec->range_m};
}

static void overlay_sensor(struct sim_robot *robot, size_t i)
{
    struct robot_faults *faults = &robot->faults;
    struct sensor_reading *sensed = &robot->sensors.sensor[i];
    const struct sensor_spec *spec = &robot->body->sensors[i];
    enum fault_sense_kind kind = wrong(faults, i, robot->sim->now_us);
    if (kind == FAULT_DEAD) {
        *sensed = nothing(spec);
        if (spec->kind == SENSOR_CAMERA)
            robot->sensors.image.rgb = NULL;
        if (spec->kind == SENSOR_CAMERA || spec->kind == SENSOR_SCANNER)
            robot->blind |= UINT32_C(1) << i;
    } else if (kind == FAULT_STUCK) {
        if (freezes(faults, i))
            faults->frozen.sensor[i] = *sensed;
        *sensed = faults->frozen.sensor[i];
    }
}

/* Applies faults to one bit of bumpers or buttons. */
static void overlay_bit(struct sim_robot *robot, size_t sense, uint32_t bit, uint32_t *sensed,
                        uint32_t *frozen)
{
    enum fault_sense_kind kind = wrong(&robot->faults, sense, robot->sim->now_us);
    if (kind == FAULT_DEAD) {
        *sensed &= ~bit;
    } else if (kind == FAULT_STUCK) {
        if (freezes(&robot->faults, sense))
            *frozen = (*frozen & ~bit) | (*sensed & bit);
        *sensed = (*sensed & ~bit) | (*frozen & bit);
    }
}

static void overlay_vector(struct sim_robot *robot, enum fault_inertial number, double *sensed,
                           double *frozen)
{
    size_t sense = FAULT_SENSE_INERTIALS + (size_t)number, bytes = 3 * sizeof *sensed;
    enum fault_sense_kind kind = wrong(&robot->faults, sense, robot->sim->now_us);
    if (kind == FAULT_DEAD) {
        memset(sensed, 0, bytes);
    } else if (kind == FAULT_STUCK) {
        if (freezes(&robot->faults, sense))
            memcpy(frozen, sensed, bytes);
        memcpy(sensed, frozen, bytes);
    }
}

static void overlay_inertia(struct sim_robot *robot)
{
    struct robot_faults *faults = &robot->faults;
    struct robot_sensors *sensed = &robot->sensors;
    double true_rad_s = sensed->gyro_rad_s[2];
    overlay_vector(robot, FAULT_GYRO, sensed->gyro_rad_s, faults->frozen.gyro_rad_s);
    overlay_vector(robot, FAULT_ACCELEROMETER, sensed->accel_m_s2, faults->frozen.accel_m_s2);
    overlay_vector(robot, FAULT_COMPASS, sensed->field_ut, faults->frozen.field_ut);
    if (faults->drift_until_us > robot->sim->now_us) {
        sensed->gyro_rad_s[2] += faults->drift_rad_s;
        faults->counts.drifts++;
    }
    // A board that integrates its heading integrates the error too.
    double passed_s = (double)(robot->sim->now_us - faults->last_us) * 1e-6;
    faults->yaw_off_rad += (sensed->gyro_rad_s[2] - true_rad_s) * passed_s;
    sensed->yaw_rad += faults->yaw_off_rad;
}

/* The part of a wheel's turn between two angles whose pulses are lost. The units are numbered by
 * angle, so that the same ones are lost at any sampling rate. */
static double lost_rad(struct robot_faults *faults, size_t wheel, double from_rad, double to_rad)
{
    const struct fault_sense *sense = &faults->senses[FAULT_SENSE_ENCODERS + wheel];
    int64_t from = (int64_t)floor(from_rad / PIECE_RAD), to = (int64_t)floor(to_rad / PIECE_RAD);
    int64_t step = to > from ? 1 : -1, lost = 0;
    for (int64_t at = from; at != to; at += step)
        lost += rng_uniform(sense->key, (uint64_t)(step > 0 ? at : at - 1)) < sense->rate;
    faults->counts.lost_ticks += (uint64_t)lost;
    return (double)(lost * step) * PIECE_RAD;
}

static void overlay_encoder(struct sim_robot *robot, size_t wheel)
{
    struct robot_faults *faults = &robot->faults;
    double true_rad = robot->sensors.wheel_rad[wheel];
    double moved_rad = true_rad - faults->turned_rad[wheel], lost = 0;
    enum fault_sense_kind kind = wrong(faults, FAULT_SENSE_ENCODERS + wheel, robot->sim->now_us);
    if (kind == FAULT_STUCK || kind == FAULT_DEAD)
        lost = moved_rad;
    else if (kind == FAULT_LOSS)
        lost = lost_rad(faults, wheel, faults->turned_rad[wheel], true_rad);
    if (kind != FAULT_NONE && moved_rad != 0)
        robot->sensors.wheel_rad_s[wheel] *= 1 - lost / moved_rad;
    faults->encoder_off_rad[wheel] -= lost;
    faults->turned_rad[wheel] = true_rad;
    robot->sensors.wheel_rad[wheel] = true_rad + faults->encoder_off_rad[wheel];
}

void fault_overlay(struct sim_robot *robot)
{
    struct robot_faults *faults = &robot->faults;
    struct robot_sensors *sensed = &robot->sensors;
    for (size_t i = 0; i < robot->body->sensor_count; i++)
        overlay_sensor(robot, i);
    for (size_t i = 0; i < ROBOT_BUMPERS_MAX; i++)
        overlay_bit(robot, FAULT_SENSE_BUMPERS + i, UINT32_C(1) << i, &sensed->bumpers,
                    &faults->frozen.bumpers);
    for (size_t i = 0; i < ROBOT_BUTTONS_MAX; i++)
        overlay_bit(robot, FAULT_SENSE_BUTTONS + i, UINT32_C(1) << i, &sensed->buttons,
                    &faults->frozen.buttons);
    for (size_t i = 0; i < robot->body->wheel_count; i++)
        overlay_encoder(robot, i);
    overlay_inertia(robot);
    for (size_t i = 0; i < robot->body->servo_count; i++)
        if (faults->servos[i].until_us > robot->sim->now_us)
            sensed->servo[i] = faults->servos[i];
    if (faults->power == POWER_USB) {
        sensed->battery_charge = 0;
        sensed->charger = CHARGER_NONE;
    }
    faults->last_us = robot->sim->now_us;
}
