/* The state of one bus, shared by the files of this folder. No pointers: copying it is a snapshot.
 */
#ifndef PTYBOT_PROTOCOLS_FEETECH_FEETECH_STATE_H
#define PTYBOT_PROTOCOLS_FEETECH_FEETECH_STATE_H

#include "protocols/feetech/feetech.h"
#include "protocols/feetech/feetech_wire.h"
#include "protocols/servo_joint.h"

enum {
    FEETECH_REPLIES_MAX = 32, /* chosen: two for each servo */
};

struct feetech_servo {
    struct feetech_table table; /* first: its fields are signals */
    struct servo_joint joint;
    uint64_t model;                   /* number in the list of models */
    double goal;                      /* steps, as present_position counts */
    double turns_steps;               /* that were forgotten by a reset of the turns */
    double overload_s, overcurrent_s; /* how long it has been too much */
    uint8_t latched;                /* bits of status that last until the torque is switched off */
    uint8_t eeprom[FEETECH_EEPROM]; /* as it is after power-on */
    uint8_t stored[FEETECH_FRAME_MAX]; /* of a reg_write: address and data */
    uint32_t stored_size;
    int64_t deaf_until_us;
    uint64_t packets, fault_key, fault_hits; /* for faults of status packets */
};

struct feetech_reply {
    int64_t due_us; /* 0: this place is free */
    uint64_t size;
    uint8_t bytes[FEETECH_FRAME_MAX + 5]; /* a multiple of 8: no padding */
};

struct feetech_state {
    struct feetech_options options;
    struct robot_stats stats;
    struct robot_storage storage;
    uint64_t boots;
    struct feetech_servo servos[ROBOT_SERVOS_MAX];
    struct servo_spec specs[ROBOT_SERVOS_MAX]; /* their places in the machine */
    size_t count;
    struct feetech_parser parser;
    struct feetech_reply replies[FEETECH_REPLIES_MAX];
    struct feetech_request requests[FEETECH_REQUESTS]; /* the last one of each kind */
    struct feetech_answer status;                      /* the last one */
    int64_t stepped_us;                                /* up to when the joints have moved */
    double supply_v, current_a;
    uint64_t clamped, ignored, fault_packets;
};

/* A kind of servo: its number, table, and motor at its rated voltage. */
struct feetech_model {
    uint16_t number;
    bool is_scs;
    double steps, range_rad; /* of the position sensor */
    double rated_v, free_rad_s, stall_nm;
    uint8_t max_v; /* register, 0.1 V */
};
extern const char *const feetech_model_names[]; /* NULL-terminated */
const struct feetech_model *feetech_model(const struct feetech_state *state, size_t servo);

/* ---- One servo ---- */

const struct control_table *feetech_table_of(const struct feetech_state *state, size_t servo);

/* The registers as from the factory; the same in its place of the machine; as after power-on. */
void feetech_factory(const struct feetech_state *state, size_t servo, struct feetech_table *table);
void feetech_servo_make(struct feetech_state *state, size_t servo);
void feetech_servo_boot(struct feetech_state *state, size_t servo);
/* Factory values, but for its id and baud. */
void feetech_servo_restore(struct feetech_state *state, size_t servo);

/* Its place becomes POSITION. */
void feetech_servo_calibrate(struct feetech_state *state, size_t servo, double position);

/* Writes registers, with all effects. */
void feetech_servo_write(struct feetech_state *state, size_t servo, uint8_t address,
                         const uint8_t *bytes, size_t size);

/* Moves all joints up to NOW_US, and updates the registers. */
void feetech_servos_step(struct feetech_state *state, const struct robot_sensors *sensors,
                         int64_t now_us);

/* Whether it has power. */
bool feetech_has_power(const struct robot_sensors *sensors, size_t servo);

/* ---- The bus ---- */

/* Obeys the requests that wait. */
void feetech_bus_serve(struct feetech_state *state, const struct robot_sensors *sensors,
                       int64_t now_us);
/* The baud of its first servo. */
uint32_t feetech_bus_baud(const struct feetech_state *state);
/* Sends the replies that are due. */
void feetech_bus_send(struct feetech_state *state, const struct robot_tx *tx, int64_t now_us);

/* ---- The machines ---- */

void feetech_bare_body(const void *options, struct robot_body *body);
void feetech_so100_body(const void *options, struct robot_body *body);
void feetech_so101_body(const void *options, struct robot_body *body);
void feetech_lekiwi_body(const void *options, struct robot_body *body);
extern const struct appearance_list feetech_bare_looks, feetech_arm_looks, feetech_lekiwi_looks;

#endif
