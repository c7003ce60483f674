/* The scanner as a robot type: its tables, requests, scans. */
#include "protocols/rplidar_a1/rplidar_a1.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/modem_lines.h"
#include "base/rng.h"
#include "protocols/rplidar_a1/rplidar_a1_wire.h"

/* The command profile: what an A2 takes for full speed (SDK: DEFAULT_MOTOR_PWM). */
#define FULL_PWM 660.0

static const struct channel_spec channels[] = {
    {.name = "uart",
     .kind = CHANNEL_SERIAL,
     .baud = 115200,
     .frame_max = RPLIDAR_ULTRA_BYTES,
     .device = "/dev/ttyUSB0", /* rplidar_ros: rplidar_a1.launch */
     .frames = {&rplidar_answers, &rplidar_requests},
     .framing =
         "To the robot: `A5`, the command, and if bit 7 of that is set a byte with the length "
         "of the payload, the payload and the XOR of all before. To the host: `A5 5A`, four "
         "bytes with the length of the answer (30 bits) and whether it repeats, a byte of "
         "type, the answer. Points that repeat follow without any head"},
};

/* ---- What the firmwares are ---- */

struct mode {
    const char *name;
    uint16_t sample_us;
    uint8_t type; /* of the answer */
};
enum { MODES_MAX = 5 };
/* Times are those that a unit of firmware 1.29 reports; 1.24 and 1.25 list three modes. */
static const struct mode modes_1_29[MODES_MAX] = {
    {"Standard", 508, RPLIDAR_NODE},   {"Express", 254, RPLIDAR_EXPRESS},
    {"Boost", 127, RPLIDAR_ULTRA},     {"Sensitivity", 127, RPLIDAR_ULTRA},
    {"Stability", 201, RPLIDAR_ULTRA},
};

struct firmware {
    uint8_t minor, hardware;
    size_t mode_count;    /* 0: they cannot be asked for */
    uint8_t typical_mode; /* 1.29 starts in Sensitivity (rplidar_ros, issue 129) */
    bool has_express;
    const char *text;
};
#define TEXT(version, hardware)                                                                    \
    "RP LIDAR System.\r\nFirmware Ver " version ", HW Ver " hardware "\r\nModel: 18\r\n"
static const struct firmware firmwares[RPLIDAR_FIRMWARES] = {
    [RPLIDAR_1_16] = {16, 0, 0, 0, false, TEXT("1.16 - rtm", "0")},
    [RPLIDAR_1_20] = {20, 0, 0, 0, true, TEXT("1.20 - rtm", "0")},
    [RPLIDAR_1_24] = {24, 5, 3, 1, true, TEXT("1.24 - rtm", "5")},
    [RPLIDAR_1_25] = {25, 5, 3, 1, true, TEXT("1.25 - rc2", "5")},
    [RPLIDAR_1_29] = {29, 7, 5, 3, true, TEXT("1.29 - rtm", "7")},
};

/* The serial number of a unit that its owner has published. */
static const uint8_t serial_number[16] = {0xD8, 0xE0, 0xED, 0xF9, 0xC7, 0xE2, 0x9B, 0xD1,
                                          0xA7, 0xE3, 0x9E, 0xF2, 0x48, 0x33, 0x43, 0x1B};

/* ---- State ---- */

enum activity { IDLE, WAITING, STANDARD, EXPRESS, ULTRA };
static const char *const activity_words[] = {"idle",    "waiting", "standard",
                                             "express", "ultra",   NULL};
static const char *const health_words[] = {"good", "warning", "error", NULL};

enum { REQUESTS_MAX = 16 }; /* chosen: more than a driver sends before it reads */

struct request {
    int64_t due_us;
    uint8_t size;
    uint8_t bytes[RPLIDAR_REQUEST_MAX];
};

struct state {
    struct lidar lidar; /* first: its commands find it there */
    struct rplidar_a1_options options;
    struct rplidar_framer framer;
    struct request requests[REQUESTS_MAX]; /* the oldest first */
    uint32_t request_count;
    uint64_t lost_requests;
    struct robot_stats stats;
    uint64_t boots;

    int64_t boot_until_us; /* 0: it has booted */
    int32_t health;        /* a position in health_words */
    uint16_t health_code;
    bool has_host, has_lines, is_dtr_on;
    bool is_motor_on;
    uint16_t pwm;

    uint8_t activity; /* enum activity */
    uint8_t wanted;   /* the same, while it waits for the rotation */
    bool is_forced;   /* whatever the rotation */
    bool is_begun;    /* the first capsule is out */
    bool is_turn_new; /* the next point is the first of a turn */
    uint16_t sample_us;
    int64_t sample_due_us;
    double start_turn; /* where the capsule's first point was measured */
    uint32_t held;     /* points of the capsule */
    uint16_t held_mm[RPLIDAR_ULTRA_SAMPLES + 1];
    double shift_deg;      /* of the last distance, by which the next is looked for */
    uint32_t bad_capsules; /* still to come */

    struct {
        struct rplidar_express_scan express_scan;
        struct rplidar_get_conf get_conf;
        struct rplidar_get_mode_conf get_mode_conf;
        struct rplidar_set_motor set_motor;
        struct rplidar_word get_board, board;
        struct rplidar_info info;
        struct rplidar_health health;
        struct rplidar_rates rates;
        struct rplidar_conf_type conf_type;
        struct rplidar_conf_count conf_count;
        struct rplidar_conf_value conf_value;
        struct rplidar_conf_name conf_name;
        struct rplidar_descriptor descriptor;
        struct rplidar_node node;
        struct rplidar_start express, ultra;
        struct rplidar_boot_text boot_text;
    } last;
};

static const struct firmware *firmware_of(const struct state *state)
{
    return &firmwares[state->options.firmware];
}

/* ---- The motor ---- */

static double target_hz(const struct state *state)
{
    if (!state->is_motor_on)
        return 0;
    double share = state->options.motor == RPLIDAR_MOTOR_COMMAND ? state->pwm / FULL_PWM : 1;
    return state->options.scan_hz * share;
}

/* DTR stops the motor, once the host has shown that it can let go of it. */
static void decide_motor(struct state *state)
{
    switch ((enum rplidar_motor)state->options.motor) {
    case RPLIDAR_MOTOR_DTR:
        state->is_motor_on = !state->is_dtr_on || !state->has_lines;
        break;
    case RPLIDAR_MOTOR_COMMAND:
        state->is_motor_on = state->pwm > 0;
        break;
    case RPLIDAR_MOTOR_ALWAYS:
        state->is_motor_on = true;
        break;
    }
}

/* ---- Sending ---- */

static bool send(struct state *state, const struct robot_tx *tx, const uint8_t *bytes, size_t size)
{
    bool is_sent = tx_frame(tx, 0, bytes, size);
    state->stats.sent += is_sent;
    state->stats.overruns += !is_sent;
    return is_sent;
}

static void answer(struct state *state, const struct robot_tx *tx, const struct wire_packet *packet,
                   const void *message, const char *name)
{
    uint8_t bytes[RPLIDAR_ANSWER_MAX];
    send(state, tx, bytes, rplidar_answer(packet, message, name, bytes));
}

/* ---- Requests ---- */

static void stop(struct state *state)
{
    state->activity = IDLE;
    lidar_stop(&state->lidar);
}

static void begin_scan(struct state *state, enum activity wanted, uint16_t sample_us,
                       int64_t now_us)
{
    stop(state);
    state->activity = WAITING;
    state->wanted = (uint8_t)wanted;
    state->sample_us = sample_us;
    state->is_begun = state->is_turn_new = false;
    state->held = 0;
    state->sample_due_us = now_us;
}

static void announce(struct state *state, const struct robot_tx *tx,
                     const struct wire_packet *packet, size_t length)
{
    uint8_t bytes[RPLIDAR_ANSWER_MAX];
    state->last.descriptor =
        (struct rplidar_descriptor){(uint32_t)length | UINT32_C(1) << 30, packet->id};
    send(state, tx, bytes, rplidar_begin(packet, length, bytes));
}

static void start_standard(struct state *state, const struct robot_tx *tx, bool is_forced,
                           int64_t now_us)
{
    if (state->health == 2)
        return; // protection stop: only a reset leads out
    begin_scan(state, STANDARD, modes_1_29[0].sample_us, now_us);
    state->is_forced = is_forced;
    announce(state, tx, &rplidar_node_packet, RPLIDAR_NODE_BYTES);
}

/* Without a list of modes there is express alone, by its old number too. */
static void start_express(struct state *state, const struct robot_tx *tx, int64_t now_us)
{
    size_t id = state->last.express_scan.mode, known = firmware_of(state)->mode_count;
    if (!firmware_of(state)->has_express || state->health == 2 || id >= (known ? known : 2))
        return;
    const struct mode *mode = &modes_1_29[id == 0 ? 1 : id];
    bool is_ultra = mode->type == RPLIDAR_ULTRA;
    begin_scan(state, is_ultra ? ULTRA : EXPRESS, mode->sample_us, now_us);
    state->is_forced = false;
    announce(state, tx, is_ultra ? &rplidar_ultra_packet : &rplidar_express_packet,
             is_ultra ? RPLIDAR_ULTRA_BYTES : RPLIDAR_EXPRESS_BYTES);
}

static uint16_t typical_of(const struct state *state)
{
    return state->options.typical_mode < 0 ? firmware_of(state)->typical_mode
                                           : (uint16_t)state->options.typical_mode;
}

/* Keys: SDK, rplidar_cmd.h (RPLIDAR_CONF_...). No answer to one that it does not know. */
static void tell_conf(struct state *state, const struct robot_tx *tx, uint32_t key, size_t id)
{
    enum {
        SPEED = 1,
        COUNT_OF = 0x70,
        TIME = 0x71,
        RANGE = 0x74,
        TYPE = 0x75,
        TYPICAL = 0x7C,
        NAME = 0x7F
    };
    /* chosen: 600 rpm is answered so in no capture, but drivers work with it */
    enum { SPEED_RPM = 600, SPEED_PWM = 660 };
    const struct firmware *firmware = firmware_of(state);
    const struct mode *mode = &modes_1_29[id];
    uint16_t typical = typical_of(state);
    if (id >= firmware->mode_count)
        return;
    if (key == COUNT_OF || key == TYPICAL) {
        state->last.conf_count = (struct rplidar_conf_count){
            key, key == TYPICAL ? typical : (uint16_t)firmware->mode_count};
        answer(state, tx, &rplidar_conf_count_packet, &state->last.conf_count, NULL);
    } else if (key == TYPE) {
        state->last.conf_type = (struct rplidar_conf_type){key, mode->type};
        answer(state, tx, &rplidar_conf_type_packet, &state->last.conf_type, NULL);
    } else if (key == NAME) {
        state->last.conf_name = (struct rplidar_conf_name){key};
        answer(state, tx, &rplidar_conf_name_packet, &state->last.conf_name, mode->name);
    } else if (key == TIME || key == RANGE || key == SPEED) {
        uint32_t range = wire_saturate_u16(state->options.optics.range_max_m * 256);
        uint32_t value = key == TIME    ? mode->sample_us * UINT32_C(256)
                         : key == RANGE ? range
                                        : SPEED_RPM | (uint32_t)SPEED_PWM << 16;
        state->last.conf_value = (struct rplidar_conf_value){key, value};
        answer(state, tx, &rplidar_conf_value_packet, &state->last.conf_value, NULL);
    }
}

static void tell_info(struct state *state, const struct robot_tx *tx)
{
    const struct firmware *firmware = firmware_of(state);
    state->last.info = (struct rplidar_info){.model = 0x18,
                                             .firmware_minor = firmware->minor,
                                             .firmware_major = 1,
                                             .hardware = firmware->hardware};
    memcpy(state->last.info.serial, serial_number, sizeof serial_number);
    answer(state, tx, &rplidar_info_packet, &state->last.info, NULL);
}

static void boot(struct state *state, int64_t now_us)
{
    stop(state);
    state->health = 0;
    state->health_code = 0;
    state->boot_until_us = now_us + (int64_t)(state->options.boot_s * 1e6) + 1;
    state->boots++;
}

/* What commands of a payload have said. */
static void *message_of(struct state *state, const struct wire_packet *packet)
{
    if (packet == &rplidar_express_scan_packet)
        return &state->last.express_scan;
    if (packet == &rplidar_get_conf_packet)
        return &state->last.get_conf;
    if (packet == &rplidar_get_mode_conf_packet)
        return &state->last.get_mode_conf;
    if (packet == &rplidar_set_motor_packet)
        return &state->last.set_motor;
    return packet == &rplidar_get_board_packet ? &state->last.get_board : NULL;
}

static void obey(struct state *state, const struct request *request, const struct robot_tx *tx,
                 int64_t now_us)
{
    size_t size;
    const uint8_t *payload = rplidar_payload(request->bytes, &size);
    const struct wire_packet *packet = rplidar_request_find(request->bytes[1], size);
    void *message = message_of(state, packet);
    bool takes_pwm = state->options.motor == RPLIDAR_MOTOR_COMMAND;
    if (message)
        wire_decode(packet, payload, size, message);
    switch ((enum rplidar_command)request->bytes[1]) {
    case RPLIDAR_STOP:
        stop(state);
        break;
    case RPLIDAR_RESET:
        boot(state, now_us);
        break;
    case RPLIDAR_SCAN:
    case RPLIDAR_FORCE_SCAN:
        start_standard(state, tx, request->bytes[1] == RPLIDAR_FORCE_SCAN, now_us);
        break;
    case RPLIDAR_EXPRESS_SCAN:
        start_express(state, tx, now_us);
        break;
    case RPLIDAR_GET_INFO:
        tell_info(state, tx);
        break;
    case RPLIDAR_GET_HEALTH:
        state->last.health = (struct rplidar_health){(uint8_t)state->health, state->health_code};
        answer(state, tx, &rplidar_health_packet, &state->last.health, NULL);
        break;
    case RPLIDAR_GET_RATES:
        state->last.rates =
            (struct rplidar_rates){modes_1_29[0].sample_us, modes_1_29[1].sample_us};
        if (firmware_of(state)->has_express)
            answer(state, tx, &rplidar_rates_packet, &state->last.rates, NULL);
        break;
    case RPLIDAR_GET_CONF:
        if (packet == &rplidar_get_conf_packet)
            tell_conf(state, tx, state->last.get_conf.key, 0);
        else
            tell_conf(state, tx, state->last.get_mode_conf.key, state->last.get_mode_conf.mode);
        break;
    case RPLIDAR_SET_MOTOR:
        state->pwm = takes_pwm ? state->last.set_motor.pwm : 0;
        decide_motor(state);
        break;
    case RPLIDAR_GET_BOARD:
        state->last.board = (struct rplidar_word){1};
        if (takes_pwm)
            answer(state, tx, &rplidar_board_packet, &state->last.board, NULL);
        break;
    }
}

/* A request is obeyed after its turnaround; while the firmware boots it waits. */
static void take_request(struct state *state, size_t size, int64_t now_us)
{
    const uint8_t *bytes = state->framer.bytes;
    size_t payload_size;
    rplidar_payload(bytes, &payload_size);
    if (!rplidar_is_command(bytes[1])) {
        state->stats.unknown_ids++;
    } else if (!rplidar_request_find(bytes[1], payload_size)) {
        state->stats.bad_lengths++;
    } else if (state->request_count == REQUESTS_MAX) {
        state->lost_requests++;
    } else {
        struct request *request = &state->requests[state->request_count++];
        *request = (struct request){.due_us = now_us + (int64_t)(state->options.turnaround_s * 1e6),
                                    .size = (uint8_t)size};
        memcpy(request->bytes, bytes, size);
    }
}

static void run_requests(struct state *state, const struct robot_tx *tx, int64_t now_us)
{
    while (state->request_count > 0 && state->requests[0].due_us <= now_us &&
           state->boot_until_us == 0) {
        struct request first = state->requests[0];
        state->request_count--;
        memmove(state->requests, state->requests + 1,
                state->request_count * sizeof *state->requests);
        memset(&state->requests[state->request_count], 0, sizeof *state->requests);
        obey(state, &first, tx, now_us);
    }
}

/* ---- Scans ---- */

static unsigned angle_q6(double turn)
{
    return (unsigned)((turn - floor(turn)) * RPLIDAR_TURN_Q6 + 0.5) % RPLIDAR_TURN_Q6;
}

/* Chosen: 15 for a wall of light paint at 3 m, as units report it. */
static unsigned quality_of(struct lidar_point point)
{
    enum { MOST = 63 };
    double quality = point.signal > 0 ? 4 * sqrt(point.signal) : 0;
    return quality < 1 ? point.distance_m > 0 : quality > MOST ? MOST : (unsigned)quality;
}

static void send_node(struct state *state, const struct robot_tx *tx, struct lidar_point point)
{
    uint8_t bytes[RPLIDAR_NODE_BYTES];
    rplidar_put_node(state->is_turn_new, quality_of(point), angle_q6(state->lidar.turn),
                     point.distance_m * 1000, bytes);
    wire_decode(&rplidar_node_packet, bytes, sizeof bytes, &state->last.node);
    send(state, tx, bytes, sizeof bytes);
}

/* A capsule is whole when its last point is known, an ultra capsule with the first of the next. */
static void send_capsule(struct state *state, const struct robot_tx *tx)
{
    uint8_t bytes[RPLIDAR_ULTRA_BYTES];
    bool is_ultra = state->activity == ULTRA;
    unsigned start = angle_q6(state->start_turn);
    struct rplidar_start head = {(uint16_t)(start | (state->is_begun ? 0 : 0x8000u))};
    if (is_ultra) {
        state->last.ultra = head;
        rplidar_put_ultra(!state->is_begun, start, state->held_mm, bytes);
    } else {
        state->last.express = head;
        rplidar_put_express(!state->is_begun, start, state->held_mm, bytes);
    }
    if (state->bad_capsules > 0) {
        state->bad_capsules--;
        bytes[0] ^= 0x01;
    }
    if (send(state, tx, bytes, is_ultra ? RPLIDAR_ULTRA_BYTES : RPLIDAR_EXPRESS_BYTES))
        state->is_begun = true;
}

/* The host turns a point of an ultra capsule back by its distance, so its ray is cast there: at the
 * distance of the last one, and again where that moves it by more than a step of the angles. */
static struct lidar_point measure_ultra(struct state *state, const struct robot_rays *rays,
                                        int64_t at_us, double *turn)
{
    enum { TRIES = 3 };
    double raw = state->lidar.turn, shift_deg = state->shift_deg, again_deg = shift_deg;
    struct lidar_point point = {0};
    uint64_t sample = state->lidar.samples;
    for (int i = 0; i < TRIES; i++) {
        *turn = raw - shift_deg / 360;
        state->lidar.samples = sample; /* the same sample: the same luck */
        point = lidar_measure(&state->lidar, &state->options.optics, rays, *turn, at_us);
        if (point.distance_m <= 0)
            break;
        again_deg = rplidar_ultra_shift_deg(point.distance_m);
        if (fabs(again_deg - shift_deg) < 1.0 / 64)
            break;
        shift_deg = again_deg;
    }
    if (point.distance_m > 0)
        state->shift_deg = again_deg;
    return point;
}

static void measure(struct state *state, const struct robot_rays *rays, const struct robot_tx *tx,
                    int64_t at_us)
{
    double turn = state->lidar.turn;
    struct lidar_point point =
        state->activity == ULTRA
            ? measure_ultra(state, rays, at_us, &turn)
            : lidar_measure(&state->lidar, &state->options.optics, rays, turn, at_us);
    lidar_note(&state->lidar, turn, point, state->is_turn_new, at_us);
    if (state->activity == STANDARD) {
        send_node(state, tx, point);
        return;
    }
    bool is_ultra = state->activity == ULTRA;
    size_t whole = is_ultra ? RPLIDAR_ULTRA_SAMPLES + 1 : RPLIDAR_EXPRESS_SAMPLES;
    uint16_t mm = wire_saturate_u16(point.distance_m * 1000);
    if (state->held == 0)
        state->start_turn = state->lidar.turn;
    state->held_mm[state->held++] = mm;
    if (state->held < whole)
        return;
    send_capsule(state, tx);
    state->held = 0;
    if (is_ultra) { // the one too many is the first of the next
        state->held_mm[state->held++] = mm;
        state->start_turn = state->lidar.turn;
    }
}

/* All samples that are due. The stream is silent while the rotation is not stable. */
static void scan(struct state *state, const struct robot_rays *rays, const struct robot_tx *tx,
                 int64_t now_us)
{
    const struct rplidar_a1_options *options = &state->options;
    for (; state->sample_due_us <= now_us; state->sample_due_us += state->sample_us) {
        state->is_turn_new = lidar_spin(&state->lidar, target_hz(state), options->spin_up_s,
                                        options->spin_down_s, state->sample_due_us);
        bool is_ready = state->is_forced || lidar_is_stable(&state->lidar, target_hz(state));
        if (!is_ready) {
            if (state->activity != WAITING)
                lidar_stop(&state->lidar);
            state->activity = WAITING;
            state->held = 0;
            continue;
        }
        state->activity = state->wanted;
        measure(state, rays, tx, state->sample_due_us);
    }
}

/* ---- The contract ---- */

static int64_t next_due(const struct state *state, int64_t now_us)
{
    enum { LOOK_US = 100000 }; /* chosen: an idle one looks at its motor */
    int64_t due_us = now_us + LOOK_US;
    bool is_busy = state->activity != IDLE || fabs(state->lidar.hz - target_hz(state)) > 1e-9 ||
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
    struct state *state = memory;
    state->has_host = present;
    state->has_lines = state->has_lines && present;
    state->is_dtr_on = present;
    decide_motor(state);
    return next_due(state, now_us);
}

/* Both lines go on as the port is opened and off as it is closed; a host that lets go of DTR alone
 * can do so at all. */
static int64_t rplidar_lines(void *memory, unsigned channel, unsigned lines, int64_t now_us)
{
    (void)channel;
    struct state *state = memory;
    state->is_dtr_on = (lines & MODEM_DTR) != 0;
    state->has_lines = state->has_lines || (state->has_host && lines == MODEM_RTS);
    decide_motor(state);
    return next_due(state, now_us);
}

static int64_t rplidar_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                          int64_t now_us)
{
    (void)channel;
    struct state *state = memory;
    size_t whole;
    for (size_t i = 0; i < size; i++)
        if (rplidar_framer_push(&state->framer, bytes[i], &state->stats, &whole))
            take_request(state, whole, now_us);
    return next_due(state, now_us);
}

static int64_t rplidar_tick(void *memory, const struct robot_sensors *sensors,
                            struct robot_actuators *actuators, const struct robot_tx *tx,
                            int64_t now_us)
{
    (void)actuators;
    struct state *state = memory;
    const struct rplidar_a1_options *options = &state->options;
    if (state->boot_until_us > 0 && now_us >= state->boot_until_us) {
        state->boot_until_us = 0;
        memcpy(state->last.boot_text.text, firmware_of(state)->text, RPLIDAR_TEXT_BYTES);
        send(state, tx, (const uint8_t *)firmware_of(state)->text, RPLIDAR_TEXT_BYTES);
    }
    run_requests(state, tx, now_us);
    if (state->lidar.stall_until_us <= now_us)
        state->lidar.stall_until_us = 0;
    if (state->activity != IDLE)
        scan(state, &sensors->rays, tx, now_us);
    else
        lidar_spin(&state->lidar, target_hz(state), options->spin_up_s, options->spin_down_s,
                   now_us);
    return next_due(state, now_us);
}

#define AT(member) .offset = offsetof(struct rplidar_a1_options, member)
#define AT_OPTICS(member)                                                                          \
    (offsetof(struct rplidar_a1_options, optics) + offsetof(struct lidar_optics, member))
#define NUMBER(name, member, units, factor, low, high, standard, text)                             \
    LIDAR_NUMBER(name, offsetof(struct rplidar_a1_options, member), units, factor, low, high,      \
                 standard, text)

static const char *const firmware_words[] = {"1.16", "1.20", "1.24", "1.25", "1.29", NULL};
static const char *const motor_words[] = {"dtr", "command", "always", NULL};

static const struct option_row option_rows[] = {
    {.key = "firmware",
     .type = OPTION_CHOICE,
     AT(firmware),
     .fallback = "1.29",
     .choices = firmware_words,
     .note = "1.16: no express scan; up to 1.20: no list of modes; 1.24, 1.25: three modes"},
    {.key = "motor",
     .type = OPTION_CHOICE,
     AT(motor),
     .fallback = "dtr",
     .choices = motor_words,
     .note =
         "dtr: stopped while the host holds DTR, if it can let go of it; command: by set_motor, "
         "as on an A2; always: runs"},
    {.key = "typical_mode",
     .type = OPTION_INTEGER,
     AT(typical_mode),
     .unit = "",
     .min = -1,
     .max = MODES_MAX - 1,
     .fallback = "-1",
     .note = "what it tells as the typical mode; -1: that of the firmware"},
    {.key = "left_scanning",
     .type = OPTION_BOOL,
     AT(is_left_scanning),
     .fallback = "no",
     .note = "it scans from the start, in its typical mode, as after a host that was killed"},
    NUMBER("scan_hz", scan_hz, "Hz", 1, 1, 10, "5.5", "turns of the motor; typical (data sheet)"),
    NUMBER("spin_up_s", spin_up_s, "s", 1, 0, 60, "1.5", "from rest to that; chosen"),
    NUMBER("spin_down_s", spin_down_s, "s", 1, 0, 60, "2", "chosen"),
    NUMBER("turnaround_ms", turnaround_s, "ms", 0.001, 0, 1000, "2",
           "from a request to its answer; 14 requests took 64 ms with their wire time"),
    NUMBER("boot_s", boot_s, "s", 1, 0, 60, "0.67",
           "from power-on or reset to the boot text; measured on a unit. Requests wait"),
    LIDAR_OPTICS_ROWS(AT_OPTICS, "0.15", "12", "1", "0.3", "1", "0.22"),
};

/* ---- Commands ---- */

struct health_args {
    int32_t status;
    int64_t code;
};
static const struct option_row health_rows[] = {
    {.key = "status",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct health_args, status),
     .unit = "",
     .fallback = "error",
     .choices = health_words,
     .note = "error: protection stop, until it is reset"},
    {.key = "code",
     .type = OPTION_INTEGER,
     .offset = offsetof(struct health_args, code),
     .unit = "",
     .max = UINT16_MAX,
     .fallback = "0"},
};

static bool run_health(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct state *state = memory;
    const struct health_args *wanted = args;
    state->health = wanted->status;
    state->health_code = (uint16_t)wanted->code;
    if (state->health == 2)
        stop(state);
    return true;
}

struct spoil_args {
    int64_t count;
};
static const struct option_row spoil_rows[] = {
    {.key = "count",
     .type = OPTION_INTEGER,
     .offset = offsetof(struct spoil_args, count),
     .unit = "",
     .min = 0,
     .max = 1e9,
     .fallback = "1"},
};

static bool run_spoil(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    ((struct state *)memory)->bad_capsules = (uint32_t)((const struct spoil_args *)args)->count;
    return true;
}

static const struct command_row command_rows[] = {
    LIDAR_COMMAND_ROWS,
    {.name = "health",
     .args = health_rows,
     .arg_count = COUNT(health_rows),
     .args_size = sizeof(struct health_args),
     .run = run_health,
     .note = "what it tells of its health"},
    {.name = "spoil",
     .args = spoil_rows,
     .arg_count = COUNT(spoil_rows),
     .args_size = sizeof(struct spoil_args),
     .run = run_spoil,
     .note = "the next capsules have a wrong checksum"},
};

/* ---- Signals ---- */

#define SIGNAL(label, kind, member, words)                                                         \
    {                                                                                              \
        .name = (label), .type = SIGNAL_##kind, .offset = offsetof(struct state, member),          \
        .unit = "", .note = (words)                                                                \
    }
static const struct signal_row signal_rows[] = {
    LIDAR_SIGNAL_ROWS(state),
    SIGNAL("motor_on", BOOL, is_motor_on, "as DTR or set_motor have it"),
    SIGNAL("dtr_seen", BOOL, has_lines, "the host has shown that it can let go of DTR"),
    {.name = "activity",
     .type = SIGNAL_U8,
     .offset = offsetof(struct state, activity),
     .unit = "",
     .names = activity_words,
     .note = "waiting: for a stable rotation"},
    {.name = "health_status",
     .type = SIGNAL_I32,
     .offset = offsetof(struct state, health),
     .unit = "",
     .names = health_words,
     .note = ""},
    SIGNAL("lost_requests", U64, lost_requests, "too many at once"),
    SIGNAL("boots", U64, boots, "power-ons and resets"),
};

#define LAST(name)                                                                                 \
    {                                                                                              \
        &rplidar_##name##_packet, offsetof(struct state, last.name)                                \
    }
static const struct signal_mirror mirror_rows[] = {
    LAST(express_scan), LAST(get_conf),  LAST(get_mode_conf), LAST(set_motor),  LAST(get_board),
    LAST(info),         LAST(health),    LAST(rates),         LAST(conf_type),  LAST(conf_count),
    LAST(conf_value),   LAST(conf_name), LAST(board),         LAST(descriptor), LAST(node),
    LAST(express),      LAST(ultra),     LAST(boot_text),
};

/* ---- Power-on, body, looks ---- */

static int64_t rplidar_reset(void *memory, const struct robot_start *from)
{
    struct state *state = memory;
    memset(state, 0, sizeof *state);
    option_copy(option_rows, COUNT(option_rows), from->options, &state->options);
    state->lidar.key = rng_key(from->rng_key, "lidar");
    state->lidar.spun_us = from->now_us;
    state->shift_deg = rplidar_ultra_shift_deg(0);
    state->has_host = from->hosts[0].is_present;
    state->is_dtr_on = (from->hosts[0].lines & MODEM_DTR) != 0;
    state->has_lines = state->has_host && !state->is_dtr_on;
    decide_motor(state);
    boot(state, from->now_us);
    if (state->options.is_left_scanning) {
        state->boot_until_us = 0;
        const struct mode *mode = &modes_1_29[typical_of(state)];
        begin_scan(state,
                   mode->type == RPLIDAR_ULTRA     ? ULTRA
                   : mode->type == RPLIDAR_EXPRESS ? EXPRESS
                                                   : STANDARD,
                   mode->sample_us, from->now_us + 1);
    }
    return next_due(state, from->now_us);
}

/* 98.5 x 70 x 60 mm, 170 g (data sheet); the mirror is at the end without the motor. Raw 0 points
 * away from the motor (rplidar_ros: rplidar_A1.png). The height of the beam and the place of the
 * head are estimated from the drawing. */
#define LENGTH_M 0.0985
#define WIDTH_M  0.070
#define HEIGHT_M 0.060
#define HEAD_X_M 0.014
#define BEAM_Z_M 0.045

static void rplidar_body(const void *options, struct robot_body *body)
{
    const struct rplidar_a1_options *chosen = options;
    memset(body, 0, sizeof *body);
    body->shape = ROBOT_BOX;
    body->length_m = LENGTH_M;
    body->width_m = WIDTH_M;
    body->center_x_m = -HEAD_X_M; /* its origin is the axis of the head */
    body->height_m = HEIGHT_M;
    body->mass_kg = 0.17;
    body->inertia_kg_m2 = 0.17 * (LENGTH_M * LENGTH_M + WIDTH_M * WIDTH_M) / 12;
    body->sensor_count = 1;
    body->sensors[0] = (struct sensor_spec){.kind = SENSOR_SCANNER,
                                            .name = "lidar",
                                            .z_m = BEAM_Z_M,
                                            .range_m = chosen->optics.range_max_m,
                                            .rays = 1};
}

static const struct look_row look_rows[] = {
    {.shape = LOOK_BODY, .color = 0x2A2D33FF},
    {.shape = LOOK_DISC, .x_m = -0.034, .length_m = 0.022, .color = 0x4B515AFF},
    {.shape = LOOK_DISC, .x_m = HEAD_X_M, .length_m = 0.068, .color = 0x15181BFF},
    {.shape = LOOK_BOX,
     .x_m = HEAD_X_M + 0.02,
     .length_m = 0.02,
     .width_m = 0.05,
     .color = 0x3C1418FF,
     .lit_color = 0xE03B3BFF,
     .lit_by = "motor_on"},
};
static const struct look_list looks = {look_rows, COUNT(look_rows)};

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
    .channels = channels,
    .channel_count = 1,
    .options = option_rows,
    .option_count = COUNT(option_rows),
    .options_size = sizeof(struct rplidar_a1_options),
    .signals = signal_rows,
    .signal_count = COUNT(signal_rows),
    .mirrors = mirror_rows,
    .mirror_count = COUNT(mirror_rows),
    .commands = command_rows,
    .command_count = COUNT(command_rows),
    .looks = &looks,
    .answers = answers,
    .packets = rplidar_packets,
    .state_size = sizeof(struct state),
    .stats_offset = offsetof(struct state, stats),
    .storage_offset = SIZE_MAX,
    .boots_offset = offsetof(struct state, boots),
    .scan_offset = offsetof(struct state, lidar.scan),
    .body = rplidar_body,
    .reset = rplidar_reset,
    .host = rplidar_host,
    .lines = rplidar_lines,
    .rx = rplidar_rx,
    .tick = rplidar_tick,
};
