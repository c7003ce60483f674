/* State of a scanner. */
#pragma once

#include "protocols/rplidar_a1/rplidar_a1_firmware.h"
#include "protocols/rplidar_a1/rplidar_a1_wire.h"

enum rplidar_activity {
    RPLIDAR_IDLE,
    RPLIDAR_WAITING,
    RPLIDAR_SCANS_STANDARD,
    RPLIDAR_SCANS_EXPRESS,
    RPLIDAR_SCANS_ULTRA,
};

enum { RPLIDAR_REQUESTS_MAX = 16 }; /* chosen: more requests than a driver sends before it reads */

struct rplidar_request {
    int64_t due_us;
    uint8_t size;
    uint8_t bytes[RPLIDAR_REQUEST_MAX];
};

struct rplidar_state {
    struct lidar lidar; /* first member, because the commands of lidar.h expect it there */
    uint64_t quality_key;
    struct rplidar_a1_options options;
    struct rplidar_framer framer;
    struct rplidar_request requests[RPLIDAR_REQUESTS_MAX]; /* oldest request first */
    uint32_t request_count;
    uint64_t lost_requests;
    struct robot_stats stats;
    uint64_t boots;

    int64_t boot_until_us; /* 0: boot is complete */
    int32_t health;        /* index into health_words */
    uint16_t health_code;
    bool has_host, has_lines, is_dtr_on;
    bool is_motor_on;
    uint16_t pwm;

    uint8_t activity; /* enum rplidar_activity */
    uint8_t wanted;   /* activity after the wait for the rotation */
    bool is_forced;   /* scan regardless of the rotation */
    bool is_begun;    /* the first capsule or node was sent */
    bool is_turn_new; /* the next point is the first of a turn */
    uint16_t sample_us;
    int64_t sample_due_us;
    double start_turn; /* raw direction of the capsule's first point */
    uint32_t held;     /* number of points in the capsule */
    uint16_t held_mm[RPLIDAR_ULTRA_SAMPLES + 1];
    uint32_t bad_capsules; /* number of capsules that will still be damaged */

    struct {
#define MEMBER(name, tag) struct rplidar_##tag name;
#define NO_MEMBER(name, tag)
        RPLIDAR_PACKETS(MEMBER, NO_MEMBER)
#undef NO_MEMBER
#undef MEMBER
    } last;
};

static inline const struct rplidar_profile *rplidar_profile(const struct rplidar_state *state)
{
    return &rplidar_profiles[state->options.firmware];
}

/* The id of the mode for hosts that do not choose one. */
static inline uint16_t rplidar_typical(const struct rplidar_state *state)
{
    return state->options.typical_mode < 0 ? rplidar_profile(state)->typical_mode
                                           : (uint16_t)state->options.typical_mode;
}

/* ---- Requests (rplidar_a1_requests.c). They are stored until they are due, then executed. ---- */

/* Restarts the firmware, as at power-on and after a reset. */
void rplidar_boot(struct rplidar_state *state, int64_t now_us);

/* Takes the request of SIZE bytes from the framer. */
void rplidar_take_request(struct rplidar_state *state, size_t size, int64_t now_us);
/* Executes the requests that are due. They wait while the firmware boots. */
void rplidar_run_requests(struct rplidar_state *state, const struct robot_tx *tx, int64_t now_us);
