/* The bus of Feetech's serial servos: frames FF FF, id, length, instruction or error, parameters,
 * and the inverted sum of all behind the FF FF; and the control tables of STS and SCS servos.
 * Sources: Feetech's memory table STS3215 V3.6 and protocol manual V1.01, both in
 * matthieuvigne/STS_servos: extras; names of registers: huggingface/lerobot: motors/feetech. */
#ifndef PTYBOT_PROTOCOLS_FEETECH_FEETECH_WIRE_H
#define PTYBOT_PROTOCOLS_FEETECH_FEETECH_WIRE_H

#include "protocols/control_table.h"
#include "protocols/framing.h"
#include "protocols/robot.h"

enum feetech_instruction {
    FEETECH_PING = 0x01,
    FEETECH_READ = 0x02,
    FEETECH_WRITE = 0x03,
    FEETECH_REG_WRITE = 0x04,
    FEETECH_ACTION = 0x05,
    FEETECH_RESTORE = 0x06,
    FEETECH_REBOOT = 0x08,
    FEETECH_RESET_TURNS = 0x0A,
    FEETECH_CALIBRATE = 0x0B,
    FEETECH_SYNC_READ = 0x82,
    FEETECH_SYNC_WRITE = 0x83,
};

enum {
    FEETECH_BROADCAST = 0xFE,
    FEETECH_HEAD = 4, /* bytes up to the length */
    FEETECH_FRAME_MAX = FEETECH_HEAD + 255,
    FEETECH_DATA_MAX = 253, /* of a status */
    FEETECH_EEPROM = 40,    /* bytes from address 0 on that can be permanent */
    FEETECH_LOCK_SCS = 48,  /* where an SCS servo has its lock */
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
        velocity_i;
    uint8_t torque_enable, acceleration;
    uint16_t goal_position, goal_time, goal_velocity, torque_limit;
    char gap50[5], gap49[7];
    uint8_t lock;
    uint16_t present_position, present_velocity, present_load;
    uint8_t present_voltage, present_temperature, registered, status, moving;
    uint16_t goal_copy, present_current, goal_position_2;
    char gap73[7];
    uint8_t moving_threshold, dts, velocity_unit, hts, max_velocity, max_acceleration,
        acceleration_multiplier;
};

/* Further effects of a write: bits of control_table_write. */
enum feetech_effect {
    FEETECH_EFFECT_TORQUE = 1,
    FEETECH_EFFECT_GOAL,
    FEETECH_EFFECT_ID,
};

extern const struct control_table feetech_sts, feetech_scs;
extern const struct wire_packet feetech_registers; /* the table as a packet */

/* ---- Packets ---- */

struct feetech_request {
    uint8_t servo, address, count;
};
struct feetech_answer {
    uint8_t servo, error;
};
enum { FEETECH_REQUESTS = 11 };
extern const struct wire_packet feetech_ping, feetech_read, feetech_write, feetech_reg_write,
    feetech_action, feetech_restore, feetech_reboot, feetech_reset_turns, feetech_calibrate,
    feetech_sync_read, feetech_sync_write, feetech_status_packet;
extern const struct wire_packet *const feetech_packets[]; /* the requests first; NULL-terminated */
extern const struct robot_answer feetech_answers[];
extern const struct wire_framing feetech_framing[2]; /* by enum wire_direction */

/* Received bytes. All zero is the start. */
struct feetech_parser {
    uint32_t used, waiting; /* bytes of the frame that is coming, and of whole good ones */
    uint8_t frame[FEETECH_FRAME_MAX];
    uint8_t queue[4096]; /* chosen: what a serial port of Linux holds */
};

/* Takes bytes, and adds whole good frames to the queue. Behind the head of a frame with a wrong sum
 * it looks for another. */
void feetech_push(struct feetech_parser *parser, const uint8_t *bytes, size_t size,
                  struct robot_stats *stats);

/* Takes the first frame out of the queue. Returns its size; 0: there is none. */
size_t feetech_pop(struct feetech_parser *parser, uint8_t frame[FEETECH_FRAME_MAX]);

/* Writes a status. Returns its size. */
size_t feetech_status(uint8_t id, uint8_t error, const uint8_t *bytes, size_t size,
                      uint8_t out[FEETECH_FRAME_MAX]);

#endif
