/* The active faults of a robot, as plain data: sensors that read wrong values, wheels that lose
 * their grip, a battery that drains, power that fails. sim/commands/fault.h sets it; faults of a
 * wire are in sim/wire/line_fault.h. */
#pragma once

#include "protocols/robot.h"

enum fault_inertial { FAULT_GYRO, FAULT_ACCELEROMETER, FAULT_COMPASS, FAULT_INERTIALS };

enum fault_sense_kind { FAULT_NONE, FAULT_STUCK, FAULT_DEAD, FAULT_LOSS };

/* Indices in robot_faults.senses, one for each value that the firmware reads. */
enum {
    FAULT_SENSE_BUMPERS = ROBOT_SENSORS_MAX,
    FAULT_SENSE_BUTTONS = FAULT_SENSE_BUMPERS + ROBOT_BUMPERS_MAX,
    FAULT_SENSE_ENCODERS = FAULT_SENSE_BUTTONS + ROBOT_BUTTONS_MAX,
    FAULT_SENSE_INERTIALS = FAULT_SENSE_ENCODERS + ROBOT_WHEELS_MAX,
    FAULT_SENSES = FAULT_SENSE_INERTIALS + FAULT_INERTIALS,
};

struct fault_sense {
    enum fault_sense_kind kind;
    bool is_frozen; /* the stuck value has been stored */
    double rate;    /* fraction of samples, or of an encoder's ticks */
    int64_t until_us;
    uint64_t key;
};

/* Number of affected samples, lost ticks and so on, since the start. */
struct fault_counts {
    uint64_t stuck, dead, drifts;
    uint64_t lost_ticks; /* thousandths of a wheel's turn */
    uint64_t slips, battery_lows, brownouts, power_cuts;
    double drained; /* fraction of a full battery */
};

struct robot_faults {
    bool is_any;     /* a sensor value has to be falsified */
    int64_t next_us; /* the next time when a fault of a wheel or the power ends */
    int64_t last_us; /* time of the last falsified sample */
    struct fault_sense senses[FAULT_SENSES];
    struct robot_sensors frozen; /* values of stuck sensors */
    double drift_rad_s;
    int64_t drift_until_us;
    double yaw_off_rad; /* error of a heading that the board integrates from its gyro */
    double turned_rad[ROBOT_WHEELS_MAX];      /* true angle at the last sample */
    double encoder_off_rad[ROBOT_WHEELS_MAX]; /* the encoder's reading minus the truth */
    int64_t slip_until_us[ROBOT_WHEELS_MAX];
    struct servo_fault servos[ROBOT_SERVOS_MAX];
    double drain; /* speed of the battery's discharge as a multiple of normal; 0: normal */
    int64_t drain_until_us;
    uint8_t power; /* POWER_ON, POWER_OFF or POWER_USB */
    int64_t power_until_us;
    struct fault_counts counts;
};
