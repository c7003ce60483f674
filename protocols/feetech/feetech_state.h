/* A bus of Feetech serial servos, shared by the files of this folder: control table, packets, and
 * the state. It has no pointers, so copying it is a snapshot. A frame is FF FF, id, length,
 * instruction or error, parameters, and the inverted sum of all bytes after the FF FF. Sources:
 * Feetech's memory table STS3215 V3.6 and protocol manual V1.01, both in matthieuvigne/STS_servos:
 * extras; names of registers: huggingface/lerobot: motors/feetech. */
#pragma once

#include "protocols/control_table.h"
#include "protocols/feetech/feetech.h"
#include "protocols/framing.h"

/* Instructions. */
enum { FEETECH_PING = 1, FEETECH_READ, FEETECH_WRITE, FEETECH_REG_WRITE, FEETECH_ACTION };
enum { FEETECH_RESTORE = 6, FEETECH_REBOOT = 8, FEETECH_RESET_TURNS = 10, FEETECH_CALIBRATE };
enum { FEETECH_SYNC_READ = 0x82, FEETECH_SYNC_WRITE };

enum {
    FEETECH_BROADCAST = 0xFE,
    FEETECH_FRAME_MAX = 4 + 255,
    FEETECH_DATA_MAX = 253,   /* in a status packet */
    FEETECH_EEPROM = 40,      /* bytes from address 0 on that are permanent */
    FEETECH_REPLIES_MAX = 32, /* chosen: two per servo */
    FEETECH_REQUESTS = 11,    /* kinds of requests */
};

/* The registers of a servo. */
struct feetech_table {
    uint8_t firmware_major, firmware_minor, byte_order;
    uint16_t model;
    uint8_t id, baud, return_delay, response_level;
    uint16_t min_position, max_position;
    uint8_t max_temperature, max_voltage, min_voltage;
    uint16_t max_torque;
    uint8_t phase, unload_condition, led_condition, p, d, i;
    uint16_t start_force;
    uint8_t cw_dead_zone, ccw_dead_zone;
    uint16_t protection_current;
    uint8_t angular_resolution;
    uint16_t homing_offset;
    uint8_t mode, protective_torque, protection_time, overload_torque, velocity_p, overcurrent_time,
        velocity_i, torque_enable, acceleration;
    uint16_t goal_position, goal_time, goal_velocity, torque_limit;
    char gap50[5];
    uint8_t lock;
    uint16_t present_position, present_velocity, present_load;
    uint8_t present_voltage, present_temperature, registered, status, moving;
    uint16_t goal_copy, present_current, goal_position_2;
    char gap73[7];
    uint8_t moving_threshold, dts, velocity_unit, hts, max_velocity, max_acceleration,
        acceleration_multiplier;
};

struct feetech_request {
    uint8_t servo, length, instruction, address, count;
};
struct feetech_answer {
    uint8_t servo, length, error;
};
extern const struct wire_packet feetech_registers; /* the table as a packet */

struct feetech_servo {
    struct feetech_table table;    /* first member, because its fields are signals */
    double angle_rad, speed_rad_s; /* of the shaft; for a wheel, the wanted speed */
    double duty;                   /* of the motor, signed like the torque */
    double current_a, temperature_c;
    double hand_rad, hand_rad_s;       /* position and speed of a movement by hand; 0: not moved
                                        * by hand */
    double height_m, reach_m;          /* of the end of its link, relative to the first axis */
    double goal;                       /* steps, in the unit of present_position */
    double turns_steps;                /* steps that a reset of the turns has removed */
    double overload_s;                 /* duration of the present overload */
    int64_t deaf_until_us;             /* no answer until then; ROBOT_NEVER: no power */
    uint64_t packets, fault_key, hits; /* for faults of status packets */
    uint32_t stored_size;
    uint8_t latched;                  /* status bits that stay until the torque is switched off */
    uint8_t stored[FEETECH_DATA_MAX]; /* address and data of a reg_write */
};

struct feetech_reply {
    int64_t due_us;
    uint64_t size;                        /* 0: unused entry */
    uint8_t bytes[FEETECH_FRAME_MAX + 5]; /* a multiple of 8: no padding */
};

struct feetech_state {
    struct feetech_options options;
    struct robot_stats stats;
    struct robot_storage storage; /* FEETECH_EEPROM bytes per servo */
    uint64_t boots;
    struct feetech_servo servos[ROBOT_SERVOS_MAX];
    struct servo_spec specs[ROBOT_SERVOS_MAX]; /* servos as parts of the machine */
    size_t count, received, good; /* GOOD: received bytes that are part of good frames */
    uint8_t rx[4096];             /* chosen: capacity of a serial port in Linux */
    struct feetech_reply replies[FEETECH_REPLIES_MAX];
    int64_t stepped_us; /* time of the last movement of the joints */
    double supply_v, current_a;
    uint64_t out_of_range, ignored, fault_packets;
    struct feetech_request requests[FEETECH_REQUESTS]; /* last request of each kind */
    struct feetech_answer status;                      /* last status packet */
};

/* ---- A single servo ---- */

/* feetech_servo_make sets the permanent registers as in the machine; feetech_servo_boot sets all
 * registers as after power-on. */
void feetech_servo_make(struct feetech_state *state, size_t i);
void feetech_servo_boot(struct feetech_state *state, size_t i);
/* Restores the factory values of all registers except id and baud. */
void feetech_servo_restore(struct feetech_state *state, size_t i);

/* Makes TO the value of the present position. */
void feetech_servo_calibrate(struct feetech_state *state, size_t i, double to);

/* feetech_servo_read reads registers; false: two servos gave different answers. feetech_servo_write
 * writes registers, with all effects. */
bool feetech_servo_read(const struct feetech_state *state, size_t i, enum servo_fault_kind fault,
                        size_t address, uint8_t *out, size_t size);
void feetech_servo_write(struct feetech_state *state, size_t i, size_t address,
                         const uint8_t *bytes, size_t size);

/* Moves all joints up to NOW_US, and updates the registers. */
void feetech_servos_step(struct feetech_state *state, const struct robot_sensors *sensors,
                         int64_t now_us);

/* ---- The machines ---- */

void feetech_bare_body(const void *memory, struct robot_body *body);
void feetech_so100_body(const void *options, struct robot_body *body);
void feetech_so101_body(const void *options, struct robot_body *body);
void feetech_lekiwi_body(const void *memory, struct robot_body *body);
extern const struct appearance_list feetech_bare_looks, feetech_arm_looks, feetech_lekiwi_looks;
