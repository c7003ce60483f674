/* The scanner as a robot type: effects of its host, and its tables. */
#include "protocols/rplidar_a1/rplidar_a1.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "base/modem_lines.h"
#include "base/rng.h"
#include "protocols/rplidar_a1/rplidar_a1_scan.h"

static const struct channel_spec channels[] = {
    {.name = "uart",
     .baud = 115200,
     .frame_max = RPLIDAR_ULTRA_BYTES,
     .device = "/dev/ttyUSB0", /* rplidar_ros: rplidar_a1.launch */
     .frames = {&rplidar_answers, &rplidar_requests},
     .framing =
         "To the robot: `A5`, the command, and if bit 7 of that is set a byte with the length "
         "of the payload, the payload and the XOR of all bytes before it. To the driver: `A5 5A`, "
         "four "
         "bytes with the length of the answer (30 bits) and whether it repeats, a byte of "
         "type, the answer. Repeated points follow without a header"},
};

/* ---- The interface of a robot type ---- */

static int64_t next_due(const struct rplidar_state *state, int64_t now_us)
{
    enum { POLL_US = 100000 }; /* chosen: an idle one looks at its motor */
    int64_t due_us = now_us + POLL_US;
    bool is_busy = state->activity != RPLIDAR_IDLE ||
                   fabs(state->lidar.hz - rplidar_target_hz(state)) > 1e-9 ||
                   state->lidar.stall_until_us != 0;
    if (state->boot_until_us > 0)
        due_us = state->boot_until_us;
    else if (state->request_count > 0)
        due_us = state->requests[0].due_us;
    int64_t step_us = now_us + 1000;
    return is_busy && step_us < due_us ? step_us : due_us;
}

static int64_t rplidar_host(void *memory, unsigned channel, bool present, int64_t now_us)
{
    (void)channel;
    struct rplidar_state *state = memory;
    state->has_host = present;
    state->has_lines = state->has_lines && present;
    state->is_dtr_on = present;
    rplidar_decide_motor(state);
    return next_due(state, now_us);
}

/* Both lines change to on when the port is opened and to off when it is closed. If only DTR changes
 * to off, the host has shown that it can control DTR. */
static int64_t rplidar_lines(void *memory, unsigned channel, unsigned lines, int64_t now_us)
{
    (void)channel;
    struct rplidar_state *state = memory;
    state->is_dtr_on = (lines & MODEM_DTR) != 0;
    state->has_lines = state->has_lines || (state->has_host && lines == MODEM_RTS);
    rplidar_decide_motor(state);
    return next_due(state, now_us);
}

static int64_t rplidar_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                          int64_t now_us)
{
    (void)channel;
    struct rplidar_state *state = memory;
    size_t whole;
    for (size_t i = 0; i < size; i++)
        if (rplidar_framer_push(&state->framer, bytes[i], &state->stats, &whole))
            rplidar_take_request(state, whole, now_us);
    return next_due(state, now_us);
}

static int64_t rplidar_tick(void *memory, const struct robot_sensors *sensors,
                            struct robot_actuators *actuators, const struct robot_tx *tx,
                            int64_t now_us)
{
    (void)actuators;
    struct rplidar_state *state = memory;
    const struct rplidar_a1_options *options = &state->options;
    if (state->boot_until_us > 0 && now_us >= state->boot_until_us) {
        state->boot_until_us = 0;
        memcpy(state->last.boot_text.text, rplidar_profile(state)->text, RPLIDAR_TEXT_BYTES);
        tx_send(tx, 0, (const uint8_t *)rplidar_profile(state)->text, RPLIDAR_TEXT_BYTES,
                &state->stats);
    }
    rplidar_run_requests(state, tx, now_us);
    if (state->lidar.stall_until_us <= now_us)
        state->lidar.stall_until_us = 0;
    if (state->activity != RPLIDAR_IDLE)
        rplidar_scan(state, &sensors->rays, tx, now_us);
    else
        lidar_spin(&state->lidar, rplidar_target_hz(state), options->spin_up_s,
                   options->spin_down_s, now_us);
    return next_due(state, now_us);
}

static const char *const firmware_words[] = {"1.16", "1.20", "1.24", "1.25", "1.29", NULL};
static const char *const quality_words[] = {"15", "31", NULL};
static const char *const motor_words[] = {"dtr", "command", "always", NULL};

static const struct option_row option_rows[] = {
    ROW_CHOICE("firmware", rplidar_a1_options, firmware, firmware_words, "1.29",
               "1.16: no express scan; up to 1.20: no list of modes; 1.24, 1.25: three modes"),
    ROW_CHOICE("motor", rplidar_a1_options, motor, motor_words, "dtr",
               "dtr: stopped while the driver holds DTR, if it can clear DTR; command: by "
               "set_motor, as on an A2; always: runs"),
    ROW_CHOICE("quality", rplidar_a1_options, quality, quality_words, "15",
               "15: 0 or 6 to 15, as a recorded unit; 31: 0 or 10 to 31, as an older unit"),
    ROW_INTEGER("typical_mode", rplidar_a1_options, typical_mode, "", -1, RPLIDAR_MODES_MAX - 1,
                "-1", "reported typical mode; -1: typical mode of the firmware"),
    ROW_BOOL("left_scanning", rplidar_a1_options, is_left_scanning, "no",
             "scans from the start (typical mode), as left by a driver that was killed"),
    ROW_NUMBER("scan_hz", rplidar_a1_options, scan_hz, "Hz", 1, 10, "6.5",
               "turns of the motor; recorded units have 6.1 to 7.4, the data sheet 5.5"),
    ROW_NUMBER("spin_up_s", rplidar_a1_options, spin_up_s, "s", 0, 60, "1.5",
               "time from rest to full speed; chosen"),
    ROW_NUMBER("spin_down_s", rplidar_a1_options, spin_down_s, "s", 0, 60, "2", "chosen"),
    ROW_SCALED("turnaround_ms", rplidar_a1_options, turnaround_s, "ms", 0.001, 0, 1000, "2",
               "time from a request to its answer; 14 requests took 64 ms, transmission included"),
    ROW_NUMBER("boot_s", rplidar_a1_options, boot_s, "s", 0, 60, "0.67",
               "time from power-on or reset to the boot text; measured on a unit. Requests wait"),
    LIDAR_OPTICS_ROWS(rplidar_a1_options, "0.12", "12", "1.1", "0.22", "2.2", "5", "0.028", "1"),
};

/* ---- Commands ---- */

static const char *const health_words[] = {"good", "warning", "error", NULL};

struct health_args {
    int32_t status;
    int64_t code;
};
static const struct option_row health_rows[] = {
    ROW_CHOICE("status", health_args, status, health_words, "error",
               "error: protection stop, until it is reset"),
    ROW_INTEGER("code", health_args, code, "", 0, UINT16_MAX, "0"),
};

static bool run_health(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct rplidar_state *state = memory;
    const struct health_args *wanted = args;
    state->health = wanted->status;
    state->health_code = (uint16_t)wanted->code;
    if (state->health == 2)
        rplidar_stop(state);
    return true;
}

struct spoil_args {
    int64_t count;
};
static const struct option_row spoil_rows[] = {
    ROW_INTEGER("count", spoil_args, count, "", 0, 1e9, "1"),
};

static bool run_spoil(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    ((struct rplidar_state *)memory)->bad_capsules =
        (uint32_t)((const struct spoil_args *)args)->count;
    return true;
}

static const struct command_row command_rows[] = {
    LIDAR_COMMAND_ROWS,
    COMMAND_ROW("health", health_rows, health_args, run_health, "set the reported health"),
    COMMAND_ROW("spoil", spoil_rows, spoil_args, run_spoil,
                "the next capsules have a wrong checksum"),
};

/* ---- Signals ---- */

static const char *const activity_words[] = {"idle",    "waiting", "standard",
                                             "express", "ultra",   NULL};
static const struct signal_row signal_rows[] = {
    LIDAR_SIGNAL_ROWS(rplidar_state),
    SIGNAL_ROW("motor_on", rplidar_state, is_motor_on, "", "state set by DTR or set_motor"),
    SIGNAL_ROW("dtr_seen", rplidar_state, has_lines, "",
               "1: the driver has shown that it can clear DTR"),
    SIGNAL_ROW("activity", rplidar_state, activity, "", "waiting: for a stable rotation",
               .names = activity_words),
    SIGNAL_ROW("health_status", rplidar_state, health, "", "", .names = health_words),
    SIGNAL_ROW("lost_requests", rplidar_state, lost_requests, "",
               "requests dropped because of too many at once"),
    SIGNAL_ROW("boots", rplidar_state, boots, "", "power-ons and resets"),
};

static const struct signal_mirror mirror_rows[] = {
#define MIRROR(name, tag) {&rplidar_##name##_packet, offsetof(struct rplidar_state, last.name)},
#define NO_MIRROR(name, tag)
    RPLIDAR_PACKETS(MIRROR, NO_MIRROR)
#undef NO_MIRROR
#undef MIRROR
};

/* ---- Power-on, body, appearance ---- */

static int64_t rplidar_reset(void *memory, const struct robot_start *from)
{
    struct rplidar_state *state = memory;
    memset(state, 0, sizeof *state);
    option_copy(option_rows, COUNT(option_rows), from->options, &state->options);
    state->lidar.key = rng_key(from->rng_key, "lidar");
    state->quality_key = rng_key(from->rng_key, "quality");
    state->lidar.spun_us = from->now_us;
    state->has_host = from->hosts[0].is_present;
    state->is_dtr_on = (from->hosts[0].lines & MODEM_DTR) != 0;
    state->has_lines = state->has_host && !state->is_dtr_on;
    rplidar_decide_motor(state);
    rplidar_boot(state, from->now_us);
    if (from->has_booted || state->options.is_left_scanning)
        state->boot_until_us = 0;
    if (from->has_booted)
        state->lidar.hz = rplidar_target_hz(state);
    if (state->options.is_left_scanning) {
        const struct rplidar_mode *mode = &rplidar_modes[rplidar_typical(state)];
        rplidar_begin_scan(state,
                           mode->type == RPLIDAR_ULTRA     ? RPLIDAR_SCANS_ULTRA
                           : mode->type == RPLIDAR_EXPRESS ? RPLIDAR_SCANS_EXPRESS
                                                           : RPLIDAR_SCANS_STANDARD,
                           mode->sample_us, from->now_us + 1);
    }
    return next_due(state, from->now_us);
}

/* 98.5 x 70 x 60 mm, 170 g (data sheet). The mirror is at the end opposite the motor. Raw 0 points
 * away from the motor (rplidar_ros: rplidar_A1.png). The height of the beam and the position of the
 * head are estimated from the drawing. */
#define LENGTH_M 0.0985
#define WIDTH_M  0.070
#define HEIGHT_M 0.060
#define HEAD_X_M 0.014
#define BEAM_Z_M 0.045

static void rplidar_body(const void *options, struct robot_body *body)
{
    const struct rplidar_a1_options *chosen = options;
    lidar_body(&chosen->optics, LENGTH_M, WIDTH_M, HEIGHT_M, 0.17, BEAM_Z_M, body);
    body->center_x_m = -HEAD_X_M; /* its origin is the axis of the head */
}

static const struct appearance_row appearance_rows[] = {
    {.shape = APPEARANCE_BODY, .color = 0x2A2D33FF},
    {.shape = APPEARANCE_DISC, .x_m = -0.034, .length_m = 0.022, .color = 0x4B515AFF},
    {.shape = APPEARANCE_DISC, .x_m = HEAD_X_M, .length_m = 0.068, .color = 0x15181BFF},
    APPEARANCE_ROW(BOX, HEAD_X_M + 0.02, 0, 0.02, 0.05, .color = 0x3C1418FF,
                   .lit_color = 0xE03B3BFF, .lit_by = "motor_on"),
};
static const struct appearance_list appearance = {appearance_rows, COUNT(appearance_rows)};

static const struct robot_answer answers[] = {
    {"info", "get_info"},           {"health", "get_health"},
    {"rates", "get_rates"},         {"conf_count", "get_conf"},
    {"conf_type", "get_mode_conf"}, {"conf_name", "get_mode_conf"},
    {"board", "get_board"},         {NULL, NULL},
};

const struct robot_type rplidar_a1_type = {
    .name = "rplidar_a1",
    .title = "Slamtec RPLIDAR A1",
    .guide = "lidar",
    ROBOT_TABLES(rplidar_state, rplidar_a1_options),
    ROBOT_MIRRORS,
    ROBOT_COMMANDS,
    .appearance = &appearance,
    .answers = answers,
    .packets = rplidar_packets,
    .storage_offset = SIZE_MAX,
    .boots_offset = offsetof(struct rplidar_state, boots),
    .scan_offset = offsetof(struct rplidar_state, lidar.scan),
    .body = rplidar_body,
    .lines = rplidar_lines,
    ROBOT_FUNCTIONS(rplidar),
    .host = rplidar_host,
};
