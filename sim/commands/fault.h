/* Faults of a robot: what its sensors tell wrongly, wheels that lose their grip, a battery that
 * gives out, power that fails. One overlay on robot_sensors and on the inputs of the drive; no
 * firmware knows of it. Faults of a wire are those of sim/line_fault. */
#ifndef PTYBOT_SIM_COMMANDS_FAULT_H
#define PTYBOT_SIM_COMMANDS_FAULT_H

#include "protocols/robot.h"

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
};

enum fault_inertial { FAULT_GYRO, FAULT_ACCELEROMETER, FAULT_COMPASS, FAULT_INERTIALS };

enum { FAULT_NAME_MAX = 40, FAULT_PARTS_MAX = 96 };

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

enum fault_sense_kind { FAULT_NONE, FAULT_STUCK, FAULT_DEAD, FAULT_LOSS };

/* Places in robot_faults.senses, one for each thing that the firmware is told. */
enum {
    FAULT_SENSE_BUMPERS = ROBOT_SENSORS_MAX,
    FAULT_SENSE_BUTTONS = FAULT_SENSE_BUMPERS + ROBOT_BUMPERS_MAX,
    FAULT_SENSE_ENCODERS = FAULT_SENSE_BUTTONS + ROBOT_BUTTONS_MAX,
    FAULT_SENSE_INERTIALS = FAULT_SENSE_ENCODERS + ROBOT_WHEELS_MAX,
    FAULT_SENSES = FAULT_SENSE_INERTIALS + FAULT_INERTIALS,
};

struct fault_sense {
    enum fault_sense_kind kind;
    bool is_frozen; /* the value at which it is stuck is known */
    double rate;    /* of samples, or of an encoder's ticks */
    int64_t until_us;
    uint64_t key;
};

enum fault_power {
    FAULT_POWER_ON,
    FAULT_POWER_OFF, /* dead; what USB feeds stays there */
    FAULT_POWER_USB, /* the board lives on its USB plug; motors and battery are gone */
};

/* Samples hit, ticks lost and so on, since the start. */
struct fault_counts {
    uint64_t stuck, dead, drifts;
    uint64_t lost_ticks; /* thousandths of a wheel's turn */
    uint64_t slips, battery_lows, brownouts, power_cuts;
    double drained; /* share of a full battery */
};

struct robot_faults {
    bool is_any;     /* the overlay has something to do */
    int64_t next_us; /* the next time at which a wheel or the power comes back */
    int64_t last_us; /* of the last sample under the overlay */
    struct fault_sense senses[FAULT_SENSES];
    struct robot_sensors frozen; /* what stuck senses tell */
    double drift_rad_s;
    int64_t drift_until_us;
    double yaw_off_rad;                  /* of a heading that the board sums up from its gyro */
    double turned_rad[ROBOT_WHEELS_MAX]; /* true angle at the last sample */
    double encoder_off_rad[ROBOT_WHEELS_MAX]; /* told minus true */
    int64_t slip_until_us[ROBOT_WHEELS_MAX];
    double drain; /* the battery empties this many times as fast; 0: as it should */
    int64_t drain_until_us;
    uint8_t power; /* enum fault_power */
    int64_t power_until_us;
    struct fault_counts counts;
};

struct sim_robot;
struct sim_channel;

/* The part of a robot with that name. False: it has none. */
bool fault_find_part(const struct sim_robot *robot, const char *name, struct fault_part *part);
/* Fills ERROR with what was meant, or what there is. Returns false. */
bool fault_unknown_part(const struct sim_robot *robot, const char *name, struct error *error);

/* Whether `fault` would take these arguments. */
bool fault_check(const struct sim_robot *robot, const void *args, struct error *error);

/* The commands `fault` and `heal` of a robot. */
bool fault_command(void *state, const void *args, int64_t now_us, struct error *error);
bool fault_heal_command(void *state, const void *args, int64_t now_us, struct error *error);

/* Nothing is wrong. */
void fault_reset(struct robot_faults *faults);

/* Makes a sense tell wrongly. */
void fault_set_sense(struct sim_robot *robot, size_t sense, enum fault_sense_kind kind, double rate,
                     int64_t until_us);
void fault_set_drift(struct sim_robot *robot, double rad_s, int64_t until_us);
/* The wheel keeps this part of its grip, 0..1. */
void fault_set_slip(struct sim_robot *robot, size_t wheel, double grip, int64_t until_us);
void fault_set_drain(struct sim_robot *robot, double factor, int64_t until_us);
/* Switches off or over to USB, or back on. Off and on again is a start of the firmware. */
void fault_set_power(struct sim_robot *robot, enum fault_power power, int64_t until_us);

/* Ends the faults of one wire, a hang-up too. */
void fault_heal_channel(struct sim_channel *channel);
/* Ends all faults of the robot and of its wires, and powers it. */
void fault_heal(struct sim_robot *robot);

/* Change of the battery's charge per second, with what drains it beside the firmware's own. */
double fault_charge_rate_1_s(struct sim_robot *robot);

/* The overlay: changes what the firmware is about to be told. Called where is_any is set. */
void fault_overlay(struct sim_robot *robot);
/* Ends what is over; called when next_us has come. */
void fault_expire(struct sim_robot *robot);

#endif
