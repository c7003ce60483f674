/* The state of one virtual Kobuki, shared by the files of this folder. No pointers: copying it is
 * a snapshot. Message structs are filled member by member, so that padding stays zero. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/kobuki/kobuki.h"
#include "protocols/kobuki/kobuki_wire.h"
#include "protocols/robot.h"

enum {
    KOBUKI_PACKET_PERIOD_US = 20000,  /* 50 Hz: protocol.rst */
    KOBUKI_CONTROL_PERIOD_US = 10000, /* chosen: two passes a packet */
    KOBUKI_ANALOG_INPUTS = 4,
    KOBUKI_COMMAND_QUEUE = 256, /* base controls during the dead time; one per 20 ms for 5 s */
};

/* What a firmware version can do. */
struct kobuki_profile {
    struct kobuki_version version;
    uint16_t legacy_number; /* two-byte form of the version; 0: four bytes */
    bool has_gains;         /* commands 13 and 14 */
    bool has_safety;        /* bumper, cliff and wheel drop stop the wheels */
    bool has_charge_blip;   /* shows "charged" for a second after plugging in */
    uint8_t inertia_fill;   /* of the unused inertia bytes */
    double drift_deg_s;     /* of the inertia angle, where noise is on */
};

struct kobuki_wheel {
    double target_m_s; /* wanted now */
    double error_m;    /* distance still to go: integral of wanted minus turned */
    double error_sum;  /* integral of error_m, m s */
    double duty;       /* -1..1 */
    double current_a;
    int64_t ticks;        /* since power-on */
    int64_t ticks_loop;   /* the same at the last control pass */
    uint32_t still;       /* control passes without a tick while the target is 0 */
    uint32_t overload;    /* control passes above the limit, in a row */
    int64_t cut_until_us; /* 0: not cut */
    bool is_cut;
};

struct kobuki_queued {
    int64_t due_us;
    int16_t speed, radius;
};

struct kobuki_motion {
    struct kobuki_wheel wheel[KOBUKI_WHEELS];
    double base_m_s[KOBUKI_WHEELS];  /* from the last base control that took effect */
    int64_t base_us;                 /* when the last base control arrived */
    double start_rad[KOBUKI_WHEELS]; /* where the wheels stood when the counters began */
    bool has_start;
    bool is_driven; /* 1 while a base control is active; the watchdog clears it */
    uint64_t watchdog_stops;
    uint64_t overloads;
    uint32_t queue_used;
    struct kobuki_queued queue[KOBUKI_COMMAND_QUEUE];
};

struct kobuki_gyro_state {
    int64_t due_us;
    int64_t period_us;
    uint64_t index; /* of the next sample */
    uint32_t count; /* samples that wait for the next packet */
    uint64_t first; /* index of the first of them */
    struct kobuki_gyro_sample samples[KOBUKI_GYRO_SAMPLES_MAX];
    double rate_deg_s; /* of the last sample, bias removed */
    double rate_sum;   /* over the waiting samples */
    double angle_deg;  /* -180..180 */
};

struct kobuki_play {
    int32_t sequence; /* enum kobuki_melody, -1: none */
    uint32_t note;
    double hz;        /* 0: silence */
    int64_t until_us; /* ROBOT_NEVER: nothing plays */
    uint64_t started; /* melodies and notes since power-on */
};

/* The lamps, one bit for each color, so that one look row lights one color. */
enum kobuki_lamp {
    KOBUKI_LAMP_LED1_RED = 0x01,
    KOBUKI_LAMP_LED1_GREEN = 0x02,
    KOBUKI_LAMP_LED1_ORANGE = 0x04,
    KOBUKI_LAMP_LED2_RED = 0x08,
    KOBUKI_LAMP_LED2_GREEN = 0x10,
    KOBUKI_LAMP_LED2_ORANGE = 0x20,
    KOBUKI_LAMP_STATUS_GREEN = 0x40,
    KOBUKI_LAMP_STATUS_ORANGE = 0x80,
};

enum kobuki_status {
    KOBUKI_STATUS_ON,
    KOBUKI_STATUS_LOW,
    KOBUKI_STATUS_EMERGENCY,
    KOBUKI_STATUS_CHARGING
};

struct kobuki_power {
    double battery_v;
    double charge;        /* 0..1 */
    int64_t plugged_us;   /* when the charger came */
    uint8_t charger;      /* the byte of the protocol */
    uint8_t charger_kind; /* enum charger_kind */
    bool is_charging, is_full;
    bool has_outlet;    /* the 19 V outlet for a netbook is live */
    uint8_t status;     /* enum kobuki_status */
    uint8_t lamps;      /* enum kobuki_lamp */
    uint8_t led1, led2; /* 0 off, 1 red, 2 green, 3 orange */
    uint16_t outputs;   /* the output word */
};

/* The last sent and received message of each kind. */
struct kobuki_messages {
#define MEMBER(name, tag) struct tag name;
    KOBUKI_PACKETS(MEMBER, MEMBER)
#undef MEMBER
};

struct kobuki_state {
    struct kobuki_options options;
    struct robot_stats stats;
    struct kobuki_framer framer;
    struct kobuki_messages last;

    int64_t start_us;
    int64_t packet_due_us, control_due_us;
    uint64_t packets;  /* since power-on */
    uint16_t requests; /* bits of request_extra that wait for the next packet */
    bool wants_gains;  /* get_gain waits for the next packet */
    int64_t heard_us;  /* last good frame */
    bool is_host_alive;
    uint64_t bad_values; /* commands with a value that is not defined */

    struct kobuki_motion motion;
    struct kobuki_gain gains;
    struct kobuki_gyro_state gyro;
    struct kobuki_play play;
    struct kobuki_power power;

    uint8_t bumper, wheel_drop, cliff, buttons; /* as on the wire, now */
    uint8_t touched;                            /* bumpers touched since the last packet */
    uint16_t cliff_adc[3];                      /* right, center, left */
    uint8_t dock[3];                            /* right, center, left */
    bool has_analog[KOBUKI_ANALOG_INPUTS];      /* false: open */
    double analog_v[KOBUKI_ANALOG_INPUTS];
    uint16_t digital_inputs;

    uint32_t udid[3];
    uint64_t gyro_key, adc_key; /* of the noise */
};

/* The profile of the state's firmware option (kobuki_firmware.c). */
const struct kobuki_profile *kobuki_profile(const struct kobuki_state *state);

/* ---- What the host says, and the packet that it is sent every 20 ms (kobuki_host.c) ---- */

/* Largest packet: all replies and three gyro samples. Even the fastest gyro_rate_hz stays below it.
 */
enum { KOBUKI_FEEDBACK_MAX = 128 };

/* Obeys all sub-payloads of one good frame. */
void kobuki_host_obey(struct kobuki_state *state, const uint8_t *payload, size_t size,
                      int64_t now_us);

/* After the watchdog's time without a frame the host counts as gone. */
void kobuki_host_watch(struct kobuki_state *state, int64_t now_us);

/* Builds the packet from the state and sends it, with the replies that were waiting. */
void kobuki_host_send(struct kobuki_state *state, const struct robot_tx *tx);
