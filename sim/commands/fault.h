/* Faults of a robot: the parts that can fail, and what a fault does. One overlay on robot_sensors
 * and on the inputs of the drive; no firmware knows of it. Faults of a wire are those of
 * sim/wire/line_fault.h, power is that of sim/state/power.h. */
#pragma once

#include "protocols/robot.h"
#include "sim/state/faults.h"

/* What can fail. */
enum fault_class {
    FAULT_CHANNEL,
    FAULT_SENSOR, /* of the body's list */
    FAULT_BUMPER,
    FAULT_BUTTON,
    FAULT_INERTIAL, /* gyro, accelerometer, compass */
    FAULT_ENCODER,
    FAULT_WHEEL,
    FAULT_BATTERY,
    FAULT_POWER,
    FAULT_SERVO, /* on a bus */
};

enum { FAULT_NAME_MAX = 40, FAULT_PARTS_MAX = 112 };

/* One thing of a robot that can fail. */
struct fault_part {
    char name[FAULT_NAME_MAX]; /* "uart", "cliff_left", "bumper_left", "encoder_0", "power" */
    enum fault_class class;
    size_t number; /* within its class; FAULT_ALL: each of it */
};

#define FAULT_ALL SIZE_MAX

/* Parts of a robot of this type and body, in the order of the classes; returns how many, at most
 * FAULT_PARTS_MAX. */
size_t fault_parts(const struct robot_type *type, const struct robot_body *body,
                   struct fault_part *parts);

struct sim_robot;
struct sim_channel;

/* Ends every fault; what has come of them stays: the counts, and encoders and a heading that are
 * off. */
void fault_reset(struct robot_faults *faults);

/* Makes a sense fail; RATE is the share of samples, or of an encoder's ticks, that it hits. */
void fault_set_sense(struct sim_robot *robot, size_t sense, enum fault_sense_kind kind, double rate,
                     int64_t until_us);
/* Adds to the turn rate that the gyro reads. */
void fault_set_drift(struct sim_robot *robot, double rad_s, int64_t until_us);
/* The wheel keeps this part of its grip, 0..1. */
void fault_set_slip(struct sim_robot *robot, size_t wheel, double grip, int64_t until_us);
/* The battery empties FACTOR times as fast; 0: as it should. */
void fault_set_drain(struct sim_robot *robot, double factor, int64_t until_us);

/* Ends the faults of one wire, a hang-up too. */
void fault_heal_channel(struct sim_channel *channel);
/* Ends all faults of the robot and of its wires, and powers it. */
void fault_heal(struct sim_robot *robot);

/* Change of the battery's charge per second: what the firmware draws, and a drain by fault. Called
 * once a step, as it counts what was drained. */
double fault_charge_rate_1_s(struct sim_robot *robot);

/* The overlay: falsifies what the firmware is about to read. Called where is_any is set. */
void fault_overlay(struct sim_robot *robot);
/* Ends what is over; called when next_us has come. */
void fault_expire(struct sim_robot *robot);
