/* The state of a virtual COBOT, shared by the files of this folder. It has no pointers, so copying
 * it is a snapshot. Message structs are filled member by member, so that padding stays zero. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/cobot/cobot.h"
#include "protocols/cobot/cobot_wire.h"
#include "protocols/robot.h"

enum {
    COBOT_CONTROL_PERIOD_US = 10000, /* vendor firmware: one control task every 10 ms */
    COBOT_WINDOW_US = 50000,         /* vendor firmware: wheel speeds are counts in 50 ms */
    COBOT_SPEED_PASSES = 5,          /* the speed loop measures a speed over this number of
                                      * control passes */
};

/* Motion of the robot; left and counter-clockwise are positive. */
struct cobot_twist {
    double x_m_s, y_m_s, turn_rad_s;
};

/* Properties of the chassis that the options define. */
struct cobot_chassis {
    int32_t model;       /* enum cobot_model */
    int32_t strafe_from; /* enum cobot_strafe_from */
    double track_m, wheelbase_m;
    double wheel_radius_m;
};

struct cobot_wheel {
    double wanted_m_s;     /* from the command */
    double target_m_s;     /* the same, with limited acceleration */
    double error_m;        /* remaining distance: integral of target minus distance turned */
    double error_sum;      /* integral of error_m, m s; compensates for friction */
    double duty;           /* -1..1 */
    double current_a;      /* signed */
    double speed_m_s;      /* over the last window */
    int64_t counts;        /* encoder counts since power-on */
    int64_t counts_window; /* COUNTS at the end of the last window */
    int64_t counts_passes[COBOT_SPEED_PASSES]; /* COUNTS at the last control passes */
    int32_t window_counts;                     /* in the last window */
    uint32_t still; /* consecutive control passes without a count at target 0 */
};

struct cobot_motion {
    struct cobot_wheel wheel[COBOT_WHEELS];
    struct cobot_twist wanted;
    double steer_rad;   /* of the servo, left positive */
    bool is_driven;     /* a command is active; power-on and the watchdog clear it */
    bool was_commanded; /* a command came since the last control pass */
    bool was_heard;     /* data that feeds the watchdog came since the last control pass */
    uint32_t silent;    /* number of control passes without such data */
    uint64_t watchdog_stops;
};

/* State of the Bluetooth channel. */
struct cobot_phone {
    int32_t speed_mm_s; /* of the letters 6 and 7 */
    uint8_t letter;     /* letter of the present motion; 0: the motion came from a frame */
};

struct cobot_group {
    int64_t due_us, period_us;
};

struct cobot_inertia {
    double yaw_start_rad; /* yaw at power-on of the IMU, which is its zero */
    bool has_start;
    double accel_m_s2[3]; /* filtered like in the chip */
    uint64_t samples;     /* number of samples sent; counter of the noise */
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
    struct cobot_group fast, middle, slow; /* messages 06; 02, 03, 05; 04, 07 */

    struct cobot_motion motion;
    struct cobot_phone phone;
    struct cobot_inertia inertia;
    struct cobot_power power;
    uint64_t imu_key; /* of the noise */
};

/* ---- The inertial sensors: attitude, gyro and accelerometer of one motion (cobot_senses.c)
 * ---- */

/* Takes a sample; called once per control pass. */
void cobot_imu_sample(struct cobot_state *state, const struct robot_sensors *sensors);

/* Fill messages 05 and 06 with the present values. */
void cobot_imu_fill_attitude(struct cobot_state *state, const struct robot_sensors *sensors);
void cobot_imu_fill_raw(struct cobot_state *state, const struct robot_sensors *sensors);

/* ---- Commands of hosts, and periodic messages of the board (cobot_host.c) ---- */

void cobot_host_reset(struct cobot_state *state, int64_t now_us);

/* Takes a byte from a host. Executes the command that it completes. */
void cobot_host_byte(struct cobot_state *state, enum cobot_channel channel, uint8_t byte);

/* Time of the next message. */
int64_t cobot_host_due(const struct cobot_state *state);

/* Sends the messages that are due at DUE_US and sets the times of the next messages. */
void cobot_host_send(struct cobot_state *state, const struct robot_sensors *sensors,
                     const struct robot_tx *tx, int64_t due_us);

/* ---- The battery (cobot_power.c) ---- */

/* Lowest and highest voltage of a cell. */
#define COBOT_CELL_EMPTY_V 3.00
#define COBOT_CELL_FULL_V  4.20

/* Charge of a battery that has VOLTS, limited to 0..1. OPTIONS: a struct cobot_options. */
double cobot_battery_charge(const void *options, double volts);

void cobot_power_read(struct cobot_state *state, const struct robot_sensors *sensors);

/* Change of the charge at the present load and charger, 1/s. */
double cobot_power_charge_rate(const struct cobot_state *state);

/* Fills message 04. */
void cobot_power_fill(struct cobot_state *state);
