/* The state of a virtual Kobuki, shared by the files of this folder. It has no pointers, so copying
 * it is a snapshot. Message structs are filled member by member, so that padding stays zero. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/kobuki/kobuki.h"
#include "protocols/kobuki/kobuki_wire.h"
#include "protocols/robot.h"

enum {
    KOBUKI_PACKET_PERIOD_US = 20000,  /* 50 Hz: protocol.rst */
    KOBUKI_CONTROL_PERIOD_US = 10000, /* chosen: two control passes per packet */
    KOBUKI_ANALOG_INPUTS = 4,
    KOBUKI_COMMAND_QUEUE = 256, /* base controls during the dead time; one every 20 ms for 5 s */
};

/* Properties of a firmware version. */
struct kobuki_profile {
    struct kobuki_version version;
    uint16_t legacy_number; /* two-byte form of the version; 0: four bytes */
    bool has_gains;         /* commands 13 and 14 */
    bool has_safety;        /* bumper, cliff and wheel drop stop the wheels */
    bool has_charge_blip;   /* shows "charged" for a second after plugging in */
    uint8_t inertia_fill;   /* value of the unused inertia bytes */
    double drift_deg_s;     /* drift of the inertia angle, if noise is on */
};

struct kobuki_wheel {
    double target_m_s; /* present target */
    double error_m;    /* remaining distance: integral of target minus distance turned */
    double error_sum;  /* integral of error_m, m s */
    double duty;       /* -1..1 */
    double current_a;
    int64_t ticks;        /* since power-on */
    int64_t ticks_loop;   /* the same at the last control pass */
    uint32_t still;       /* consecutive control passes without a tick at target 0 */
    uint32_t overload;    /* consecutive control passes above the limit */
    int64_t cut_until_us; /* 0: not cut */
    bool is_cut;
};

struct kobuki_queued {
    int64_t due_us;
    int16_t speed, radius;
};

struct kobuki_motion {
    struct kobuki_wheel wheel[KOBUKI_WHEELS];
    double base_m_s[KOBUKI_WHEELS];  /* from the last base control whose dead time is over */
    int64_t base_us;                 /* time of the last base control */
    double start_rad[KOBUKI_WHEELS]; /* angle of the wheels at the start of the counters */
    bool has_start;
    bool is_driven; /* a base control is active; the watchdog clears it */
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
    uint64_t first; /* index of the first waiting sample */
    struct kobuki_gyro_sample samples[KOBUKI_GYRO_SAMPLES_MAX];
    double rate_deg_s; /* of the last sample, without bias */
    double rate_sum;   /* of the waiting samples */
    double angle_deg;  /* -180..180 */
};

struct kobuki_play {
    int32_t sequence; /* enum kobuki_melody, -1: none */
    uint32_t note;
    double hz;        /* 0: silence */
    int64_t until_us; /* ROBOT_NEVER: no sound is playing */
    uint64_t started; /* melodies and notes since power-on */
};

/* The lamps. Each color has its own bit, because an appearance row has one color. */
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
    int64_t plugged_us;   /* time when the charger was connected */
    uint8_t charger;      /* value of the byte in the protocol */
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
    uint16_t requests; /* bits of request_extra whose replies wait for the next packet */
    bool wants_gains;  /* the reply to get_gain waits for the next packet */
    int64_t heard_us;  /* time of the last good frame */
    bool is_host_alive;
    uint64_t bad_values; /* commands with an undefined value */

    struct kobuki_motion motion;
    struct kobuki_gain gains;
    struct kobuki_gyro_state gyro;
    struct kobuki_play play;
    struct kobuki_power power;

    uint8_t bumper, wheel_drop, cliff, buttons; /* present state, as on the wire */
    uint8_t touched;                            /* bumpers touched since the last packet */
    uint16_t cliff_adc[3];                      /* right, center, left */
    uint8_t dock[3];                            /* right, center, left */
    bool has_analog[KOBUKI_ANALOG_INPUTS];      /* false: not connected */
    double analog_v[KOBUKI_ANALOG_INPUTS];
    uint16_t digital_inputs;

    uint32_t udid[3];
    uint64_t gyro_key, adc_key; /* of the noise */
};

/* The profile of the state's firmware option (kobuki_firmware.c). */
const struct kobuki_profile *kobuki_profile(const struct kobuki_state *state);

/* ---- Commands of the host, and the packet that the robot sends every 20 ms (kobuki_host.c)
 * ---- */

/* Largest packet: all replies and three gyro samples. It is sufficient even for the highest
 * gyro_rate_hz. */
enum { KOBUKI_FEEDBACK_MAX = 128 };

/* Executes all sub-payloads of one good frame. */
void kobuki_host_obey(struct kobuki_state *state, const uint8_t *payload, size_t size,
                      int64_t now_us);

/* A host that sends no frame for the time of the watchdog counts as gone. */
void kobuki_host_watch(struct kobuki_state *state, int64_t now_us);

/* Makes the packet from the state and sends it, together with the waiting replies. */
void kobuki_host_send(struct kobuki_state *state, const struct robot_tx *tx);
