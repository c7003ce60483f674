/* Faults of a robot: the parts that can fail, and the effect of a fault. They change robot_sensors
 * and the inputs of the drive, so firmwares contain no code for them. Faults of a wire are in
 * sim/wire/line_fault.h, power is in sim/state/power.h. */
#pragma once

#include "protocols/robot.h"
#include "sim/state/faults.h"

/* Kinds of parts that can fail. */
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

/* A part of a robot that can fail. */
struct fault_part {
    char name[FAULT_NAME_MAX]; /* "uart", "cliff_left", "bumper_left", "encoder_0", "power" */
    enum fault_class class;
    size_t number; /* index within its class; FAULT_ALL: all parts of the class */
};

#define FAULT_ALL SIZE_MAX

/* Lists the parts of a robot of this type and body, in the order of the classes. Returns their
 * number, at most FAULT_PARTS_MAX. */
size_t fault_parts(const struct robot_type *type, const struct robot_body *body,
                   struct fault_part *parts);

struct sim_robot;
struct sim_channel;

/* Ends all faults. Their effects stay: the counts, and the errors of encoders and heading. */
void fault_reset(struct robot_faults *faults);

/* Makes a sensor input fail; RATE is the fraction of samples, or of an encoder's ticks, that is
 * affected. */
void fault_set_sense(struct sim_robot *robot, size_t sense, enum fault_sense_kind kind, double rate,
                     int64_t until_us);
/* Adds RAD_S to the turn rate that the gyro reads. */
void fault_set_drift(struct sim_robot *robot, double rad_s, int64_t until_us);
/* Reduces the grip of the wheel to the fraction GRIP, 0..1. */
void fault_set_slip(struct sim_robot *robot, size_t wheel, double grip, int64_t until_us);
/* Discharges the battery FACTOR times as fast; 0: normal speed. */
void fault_set_drain(struct sim_robot *robot, double factor, int64_t until_us);

/* Ends the faults of one wire, including a hang-up. */
void fault_heal_channel(struct sim_channel *channel);
/* Ends all faults of the robot and of its wires, and switches its power on. */
void fault_heal(struct sim_robot *robot);

/* Change of the battery's charge per second: the consumption of the firmware, and a drain by a
 * fault. Must be called once per step, because it counts the drained charge. */
double fault_charge_rate_1_s(struct sim_robot *robot);

/* Falsifies the sensor values before the firmware reads them. Called if is_any is set. */
void fault_overlay(struct sim_robot *robot);
/* Ends the faults whose time is over; called when next_us is reached. */
void fault_expire(struct sim_robot *robot);
