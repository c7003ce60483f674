/* The state of one virtual COBOT, shared by the files of this folder. No pointers: copying it is a
 * snapshot. Message structs are filled member by member, so that padding stays zero. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/cobot/cobot.h"
#include "protocols/cobot/cobot_wire.h"
#include "protocols/robot.h"

enum {
    COBOT_CONTROL_PERIOD_US = 10000, /* vendor firmware: one control task every 10 ms */
    COBOT_WINDOW_US = 50000,         /* vendor firmware: wheel speeds are counts in 50 ms */
    COBOT_SPEED_PASSES = 5,          /* control passes over which the speed loop takes a speed */
};

/* A motion of the robot, left and counter-clockwise positive. */
struct cobot_twist {
    double x_m_s, y_m_s, turn_rad_s;
};

/* What the options say about the chassis. */
struct cobot_chassis {
    int32_t model;       /* enum cobot_model */
    int32_t strafe_from; /* enum cobot_strafe_from */
    double track_m, wheelbase_m;
    double wheel_radius_m;
};

struct cobot_wheel {
    double wanted_m_s;     /* from the command */
    double target_m_s;     /* the same, with limited acceleration */
    double error_m;        /* distance still to go: integral of target minus turned */
    double error_sum;      /* integral of error_m, m s: makes up for friction */
    double duty;           /* -1..1 */
    double current_a;      /* signed */
    double speed_m_s;      /* over the last window */
    int64_t counts;        /* of the encoder, since power-on */
    int64_t counts_window; /* the same at the end of the last window */
    int64_t counts_passes[COBOT_SPEED_PASSES]; /* the same at the last control passes */
    int32_t window_counts;                     /* in the last window */
    uint32_t still; /* control passes without a count while the target is 0 */
};

struct cobot_motion {
    struct cobot_wheel wheel[COBOT_WHEELS];
    struct cobot_twist wanted;
    double steer_rad;   /* of the servo, left positive */
    bool is_driven;     /* 1 while a command is active; boot and the watchdog clear it */
    bool was_commanded; /* since the last control pass */
    bool was_heard;     /* what feeds the watchdog came since the last control pass */
    uint32_t silent;    /* control passes without */
    uint64_t watchdog_stops;
};

/* What the Bluetooth channel remembers. */
struct cobot_phone {
    int32_t speed_mm_s; /* of the letters 6 and 7 */
    uint8_t letter;     /* that the motion in force came from; 0: it came from a frame */
};

struct cobot_group {
    int64_t due_us, period_us;
};

struct cobot_inertia {
    double yaw_start_rad; /* yaw counts from where the IMU was switched on */
    bool has_start;
    double accel_m_s2[3]; /* filtered as the chip does */
    uint64_t samples;     /* sent, for the noise */
};

struct cobot_power {
    double battery_v;
    double charge; /* 0..1 */
    bool is_charging;
};

/* The last sent and received message of each kind. */
struct cobot_messages {
    struct cobot_move motion, velocity;
    struct cobot_letter letter;
    struct cobot_motors motors;
    struct cobot_battery battery;
    struct cobot_attitude attitude;
    struct cobot_imu imu;
    struct cobot_model_report model;
};

struct cobot_state {
    struct cobot_options options;
    struct robot_stats stats[COBOT_CHANNELS];
    struct cobot_framer framer[COBOT_CHANNELS];
    struct cobot_messages last;
    struct cobot_chassis chassis;
    double free_m_s; /* rim speed at full duty without load */

    int64_t control_due_us, window_due_us;
    struct cobot_group fast, middle, slow; /* 06; 02, 03, 05; 04, 07 */

    struct cobot_motion motion;
    struct cobot_phone phone;
    struct cobot_inertia inertia;
    struct cobot_power power;
    uint64_t imu_key; /* of the noise */
};

/* ---- The inertial unit: attitude, gyro and accelerometer of one motion (cobot_senses.c) ---- */

/* Takes a sample; once a control pass. */
void cobot_imu_sample(struct cobot_state *state, const struct robot_sensors *sensors);

/* Messages 05 and 06 of now. */
void cobot_imu_fill_attitude(struct cobot_state *state, const struct robot_sensors *sensors);
void cobot_imu_fill_raw(struct cobot_state *state, const struct robot_sensors *sensors);

/* ---- What hosts say, and what the board sends by itself (cobot_host.c) ---- */

void cobot_host_reset(struct cobot_state *state, int64_t now_us);

/* Takes one byte from a host and obeys what it completes. */
void cobot_host_byte(struct cobot_state *state, enum cobot_channel channel, uint8_t byte);

/* When the next message is due. */
int64_t cobot_host_due(const struct cobot_state *state);

/* Sends what is due at DUE_US and sets the times of the next messages. */
void cobot_host_send(struct cobot_state *state, const struct robot_sensors *sensors,
                     const struct robot_tx *tx, int64_t due_us);

/* ---- The battery (cobot_power.c) ---- */

/* Lowest and highest voltage of a cell. */
#define COBOT_CELL_EMPTY_V 3.00
#define COBOT_CELL_FULL_V  4.20

/* Charge at which the pack shows VOLTS, limited to 0..1. OPTIONS: a struct cobot_options. */
double cobot_battery_charge(const void *options, double volts);

void cobot_power_read(struct cobot_state *state, const struct robot_sensors *sensors);

/* Change of the charge with the present load and charger, 1/s. */
double cobot_power_charge_rate(const struct cobot_state *state);

/* Message 04. */
void cobot_power_fill(struct cobot_state *state);
