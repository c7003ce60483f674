/* All scanners of this folder: packets and streams. */
#include "protocols/ld06/ld06.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "base/rng.h"

#define TIME_WRAPS 30000

enum { LD06, LDS_01, LDS_02 };

/* Points per second (data sheets), or 360 per turn. For an LDS-02 also the beam, which starts to
 * the right of the axis and to the left of its zero (ROBOTIS-GIT/ld08_driver @ c54a8f3: x = d + 5.9
 * mm, y = 0.11923 d - 20.14 mm). */
static const struct model {
    double sample_hz, tilt_turns, aside_m, along_m, stretch;
} models[LDS_02 + 1] = {
    [LD06] = {.sample_hz = 4500},
    [LDS_02] = {2300, 6.799278 / 360, 0.020696865, 0.003474101, 1.0070828},
};

/* ---- The packet ---- */

/* One row per point, because field tables do not support arrays of pairs. */
struct packet {
    uint8_t points;
    uint16_t speed, start;
    uint16_t distance0, distance1, distance2, distance3, distance4, distance5, distance6, distance7,
        distance8, distance9, distance10, distance11;
    uint8_t confidence0, confidence1, confidence2, confidence3, confidence4, confidence5,
        confidence6, confidence7, confidence8, confidence9, confidence10, confidence11;
    uint16_t end, time;
};

#define SIX(ROW)    ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5)
#define TWELVE(ROW) SIX(ROW), ROW(6), ROW(7), ROW(8), ROW(9), ROW(10), ROW(11)
#define POINT(n)                                                                                   \
    WIRE_FIELD(packet, distance##n, 1, "mm", "0: none"),                                           \
        WIRE_FIELD(packet, confidence##n, 1, "", "strength of the return, 0 .. 255")
static const struct wire_field points_fields[] = {
    WIRE_FIELD(packet, points, 1, "", "bits 0..4: 12 points; the upper bits are 001"),
    WIRE_FIELD(packet, speed, 1, "deg/s", ""),
    WIRE_FIELD(packet, start, 0.01, "deg", "angle of the first point, clockwise"),
    TWELVE(POINT),
    WIRE_FIELD(packet, end, 0.01, "deg", "angle of the last point"),
    WIRE_FIELD(packet, time, 1, "ms", "from 0 again at 30000"),
};

enum { POINTS_BYTE = 0x20 | LD06_POINTS, BODY_BYTES = LD06_PACKET_BYTES - 2 };

static const struct wire_packet points_packet =
    WIRE_PACKET("points", 0, WIRE_TO_HOST, WIRE_LITTLE_ENDIAN, BODY_BYTES, points_fields, packet,
                .has_no_id = true, .note = "375 times a second",
                WIRE_EXAMPLE(packet, .points = POINTS_BYTE, .speed = 3600, .distance0 = 3000,
                             .confidence0 = 200, .end = 880));
static const struct wire_packet *const packets[] = {&points_packet, NULL};

/* LDS-01 (ROBOTIS-GIT/hls_lfcd_lds_driver @ 5bf13c1; e-manual: appendix LDS-01). */
struct lds_packet {
    uint8_t index;
    uint16_t speed;
    uint16_t intensity0, intensity1, intensity2, intensity3, intensity4, intensity5;
    uint16_t distance0, distance1, distance2, distance3, distance4, distance5;
    uint16_t reserved0, reserved1, reserved2, reserved3, reserved4, reserved5;
};
#define BEAM(n)                                                                                    \
    WIRE_FIELD(lds_packet, intensity##n, 1, "", ""),                                               \
        WIRE_FIELD(lds_packet, distance##n, 1, "mm", "0: none"),                                   \
        WIRE_FIELD(lds_packet, reserved##n, 1, "", "")
static const struct wire_field lds_fields[] = {
    WIRE_FIELD(lds_packet, index, 1, "", "160 to 219: beams 6 (index - 160) and the next ones"),
    WIRE_FIELD(lds_packet, speed, 0.1, "rpm", ""),
    SIX(BEAM),
};
static const struct wire_packet lds_packet = WIRE_PACKET(
    "beams", 0, WIRE_TO_HOST, WIRE_LITTLE_ENDIAN, LDS_01_PACKET_BYTES - 3, lds_fields, lds_packet,
    .has_no_id = true, .note = "60 times a turn",
    WIRE_EXAMPLE(lds_packet, .index = 160, .speed = 3000, .intensity0 = 2000, .distance0 = 1000));

struct motor {
    char command;
};
static const struct wire_field motor_fields[] = {
    WIRE_FIELD(motor, command, 1, "", "b starts the motor, e stops it")};
static const struct wire_packet motor_packet =
    WIRE_PACKET("motor", 0, WIRE_TO_ROBOT, WIRE_LITTLE_ENDIAN, 1, motor_fields, motor,
                .has_no_id = true, .note = "not answered", WIRE_EXAMPLE(motor, .command = 'b'));
static const struct wire_packet *const lds_packets[] = {&lds_packet, &motor_packet, NULL};

static const struct wire_framing framing = {
    .head = {0x54, POINTS_BYTE},
    .head_size = 2,
    .size = LD06_PACKET_BYTES,
    .check = WIRE_CHECK_CRC8,
    .body_at = 1,
    .only = &points_packet,
};

static const struct wire_framing lds_framing = {
    .head = {0xFA},
    .head_size = 1,
    .size = LDS_01_PACKET_BYTES,
    .check = WIRE_CHECK_SUM_TWICE,
    .body_at = 1,
    .only = &lds_packet,
};
static const struct wire_first_byte no_frames[] = {{0}};
static const struct wire_framing motor_framing = {
    .singles = "be", .single = &motor_packet, .sizes = no_frames};

#define CHANNEL(bits_s, words, ...)                                                                \
    {                                                                                              \
        .name = "uart", .kind = CHANNEL_SERIAL, .baud = (bits_s), .frame_max = LD06_PACKET_BYTES,  \
        .device = "/dev/ttyUSB0", /* launch files of the drivers */                                \
            .framing = (words), .frames = {                                                        \
                __VA_ARGS__                                                                        \
            }                                                                                      \
    }
#define CRC8                                                                                       \
    "`54`, the body, and a CRC-8 of all bytes before it (polynomial 4D). It receives nothing"
static const struct channel_spec channels[] = {CHANNEL(230400, CRC8, &framing, NULL)};
static const struct channel_spec lds_02_channels[] = {CHANNEL(115200, CRC8, &framing, NULL)};
static const struct channel_spec lds_01_channels[] = {
    CHANNEL(230400,
            "`FA`, the body, and two bytes with FF minus the sum of all bytes before them (chosen: "
            "drivers do not compute it)",
            &lds_framing, &motor_framing)};

/* ---- State ---- */

struct state {
    struct lidar lidar; /* first member, because the commands of lidar.h expect it there */
    struct ld06_options options;
    struct robot_stats stats;
    uint64_t boots;
    int64_t start_us;   /* zero of its clock */
    uint64_t next;      /* number of the next sample */
    uint32_t held;      /* number of points in the packet */
    uint32_t turn_hole; /* remaining points until the lost point of this turn; 0: it has passed */
    bool is_turn_new, is_measuring, is_on;
    uint8_t model;        /* index into the list of models */
    uint32_t beam;        /* LDS-01: next beam */
    struct packet packet; /* packet that is being filled, then the last one; lds_packet for an
                           * LDS-01 */
    struct lds_packet lds_packet;
    struct motor motor; /* last command */
};

/* Position of a point's values in the packet's struct. */
static uint16_t *distance_of(struct packet *packet, size_t i)
{
    return &packet->distance0 + i;
}

static uint8_t *confidence_of(struct packet *packet, size_t i)
{
    return &packet->confidence0 + i;
}

/* Chosen: about 200 for light paint at a distance of some meters, as units report it. */
static uint8_t confidence(struct lidar_point point)
{
    return point.distance_m > 0 ? wire_saturate_u8(fmin(235, 170 + 10 * log2(1 + point.signal)))
                                : 0;
}

static uint16_t centidegrees(double turn)
{
    return (uint16_t)((unsigned)((turn - floor(turn)) * 36000 + 0.5) % 36000);
}

static void send(struct state *state, const struct robot_tx *tx, int64_t at_us)
{
    uint8_t bytes[LD06_PACKET_BYTES];
    struct packet *packet = &state->packet;
    bool is_lds_01 = state->model == LDS_01;
    packet->points = POINTS_BYTE;
    packet->speed = wire_saturate_u16(state->lidar.hz * 360);
    packet->end = centidegrees(state->lidar.turn);
    packet->time = (uint16_t)((at_us - state->start_us) / 1000 % TIME_WRAPS);
    state->lds_packet.index = (uint8_t)(0xA0 + state->beam / LDS_01_POINTS);
    state->lds_packet.speed = wire_saturate_u16(state->lidar.hz * 600);
    const struct wire_packet *of = is_lds_01 ? &lds_packet : &points_packet;
    const void *message = is_lds_01 ? (const void *)&state->lds_packet : packet;
    size_t size = wire_encode(of, message, bytes + 1);
    size = wire_frame_wrap(is_lds_01 ? &lds_framing : &framing, of, bytes + 1, size, bytes);
    tx_send(tx, 0, bytes, size, &state->stats);
}

/* The vendor's driver drops a turn if all near points form one group. This happens in a closed room
 * without noise. A lost point divides the group (README.md). */
static bool is_hole(struct state *state)
{
    enum { AFTER = 90 };
    if (!state->options.has_hole)
        return false;
    if (state->is_turn_new)
        state->turn_hole = AFTER;
    return state->turn_hole > 0 && --state->turn_hole == 0;
}

/* Distance along the beam, from the sensor's own zero. */
static uint16_t millimeters(const struct model *model, struct lidar_point point)
{
    double away_m = point.distance_m;
    if (model->aside_m > 0 && away_m > model->aside_m)
        away_m = (sqrt(away_m * away_m - model->aside_m * model->aside_m) - model->along_m) /
                 model->stretch;
    return wire_saturate_u16(away_m * 1000);
}

static void measure(struct state *state, const struct robot_rays *rays, const struct robot_tx *tx,
                    int64_t at_us)
{
    const struct model *model = &models[state->model];
    bool is_lds_01 = state->model == LDS_01;
    double turn = is_lds_01 ? (state->beam + 1) / 360.0 : state->lidar.turn;
    struct lidar_point point = lidar_measure(&state->lidar, &state->options.optics, rays,
                                             turn - model->tilt_turns, model->aside_m, at_us);
    if (is_lds_01)
        state->is_turn_new = state->beam == 0;
    if (is_hole(state))
        point = (struct lidar_point){0};
    lidar_note(&state->lidar, point.distance_m > 0 ? point.turn : turn, point, state->is_turn_new,
               at_us);
    if (state->held == 0)
        state->packet.start = centidegrees(turn);
    if (is_lds_01) { /* chosen: 2000 for light paint at 1 m */
        (&state->lds_packet.intensity0)[state->held] = wire_saturate_u16(200 * point.signal);
        (&state->lds_packet.distance0)[state->held] = millimeters(model, point);
    } else {
        *distance_of(&state->packet, state->held) = millimeters(model, point);
        *confidence_of(&state->packet, state->held) = confidence(point);
    }
    if (++state->held == (is_lds_01 ? LDS_01_POINTS : LD06_POINTS)) {
        send(state, tx, at_us);
        state->held = 0;
    }
    state->beam = (state->beam + 1) % 360;
}

/* ---- The interface of a robot type ---- */

static int64_t sample_us(const struct state *state)
{
    double fixed_hz = models[state->model].sample_hz;
    double hz = fixed_hz > 0 ? fixed_hz : 360 * state->options.scan_hz;
    return state->start_us + (int64_t)((double)state->next * (1e6 / hz));
}

/* An LDS-01 has two commands; the other scanners ignore all bytes. */
static int64_t ld06_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                       int64_t now_us)
{
    (void)channel;
    struct state *state = memory;
    for (size_t i = 0; i < size; i++) {
        bool is_command = state->model == LDS_01 && (bytes[i] == 'b' || bytes[i] == 'e');
        state->stats.frames += is_command;
        state->stats.noise_bytes += !is_command;
        if (!is_command)
            continue;
        state->motor.command = (char)bytes[i];
        state->is_on = bytes[i] == 'b';
    }
    return now_us + 1000;
}

static int64_t ld06_tick(void *memory, const struct robot_sensors *sensors,
                         struct robot_actuators *actuators, const struct robot_tx *tx,
                         int64_t now_us)
{
    (void)actuators;
    struct state *state = memory;
    const struct ld06_options *options = &state->options;
    if (state->lidar.stall_until_us <= now_us)
        state->lidar.stall_until_us = 0;
    for (int64_t at_us; (at_us = sample_us(state)) <= now_us; state->next++) {
        double hz = state->is_on ? options->scan_hz : 0;
        state->is_turn_new =
            lidar_spin(&state->lidar, hz, options->spin_up_s, options->spin_up_s, at_us);
        bool is_stable = lidar_is_stable(&state->lidar, hz);
        if (!is_stable && state->is_measuring)
            lidar_stop(&state->lidar);
        state->is_measuring = is_stable;
        if (is_stable)
            measure(state, &sensors->rays, tx, at_us);
        else
            state->held = state->beam = 0;
    }
    return now_us + 1000;
}

/* Both: 0.02 to 12 m at 70 % reflectance, standard deviation 10 mm (table of the LD19). */
static const struct option_row option_rows[] = {
    ROW_NUMBER("scan_hz", ld06_options, scan_hz, "Hz", 5, 13, "10",
               "turns per second; set by PWM on a fourth wire"),
    ROW_NUMBER("spin_up_s", ld06_options, spin_up_s, "s", 0, 60, "1.5",
               "time from power-on to the first packet; chosen"),
    ROW_BOOL("hole", ld06_options, has_hole, "no",
             "lose one point per turn: in rooms without noise, the vendor's driver makes no scan "
             "without this"),
    LIDAR_OPTICS_ROWS(ld06_options, "0.02", "12", "10", "0", "0", "0", "0", "0.2"),
};

/* Standard deviation 10 mm: their Gazebo model (ROBOTIS-GIT/turtlebot3_simulations @ eb50ff8);
 * ranges: e-manual. */
static const struct option_row lds_01_rows[] = {
    ROW_NUMBER("scan_hz", ld06_options, scan_hz, "Hz", 4, 6, "5", "turns per second"),
    ROW_NUMBER("spin_up_s", ld06_options, spin_up_s, "s", 0, 60, "1.5",
               "time from the start of the motor to the first packet; chosen"),
    ROW_BOOL("autostart", ld06_options, has_autostart, "yes",
             "the motor runs from power-on, as in units since October 2017; no: after byte b"),
    LIDAR_OPTICS_ROWS(ld06_options, "0.12", "3.5", "10", "1", "1", "0", "0", "0.2"),
};
static const struct option_row lds_02_rows[] = {
    ROW_NUMBER("scan_hz", ld06_options, scan_hz, "Hz", 4, 8, "6", "turns per second"),
    ROW_NUMBER("spin_up_s", ld06_options, spin_up_s, "s", 0, 60, "1.5",
               "time from power-on to the first packet; chosen"),
    LIDAR_OPTICS_ROWS(ld06_options, "0.16", "8", "10", "0", "0", "0", "0", "0.2"),
};

static const struct command_row command_rows[] = {LIDAR_COMMAND_ROWS};

static const struct signal_row signal_rows[] = {
    LIDAR_SIGNAL_ROWS(state),
    SIGNAL_ROW("boots", state, boots, "", "power-ons"),
};

static const struct signal_mirror mirror_rows[] = {
    {&points_packet, offsetof(struct state, packet)},
};
static const struct signal_mirror lds_mirrors[] = {
    {&lds_packet, offsetof(struct state, lds_packet)},
    {&motor_packet, offsetof(struct state, motor)},
};

static int64_t start(struct state *state, const struct robot_start *from, uint8_t model,
                     const struct option_row *rows, size_t row_count)
{
    memset(state, 0, sizeof *state);
    option_copy(rows, row_count, from->options, &state->options);
    state->model = model;
    state->is_on = state->model != LDS_01 || state->options.has_autostart;
    state->lidar.key = rng_key(from->rng_key, "lidar");
    state->lidar.spun_us = state->start_us = from->now_us;
    state->lidar.hz = from->has_booted && state->is_on ? state->options.scan_hz : 0;
    state->boots = 1;
    return from->now_us + 1000;
}

static int64_t ld06_reset(void *memory, const struct robot_start *from)
{
    return start(memory, from, LD06, option_rows, COUNT(option_rows));
}

static int64_t lds_01_reset(void *memory, const struct robot_start *from)
{
    return start(memory, from, LDS_01, lds_01_rows, COUNT(lds_01_rows));
}

static int64_t lds_02_reset(void *memory, const struct robot_start *from)
{
    return start(memory, from, LDS_02, lds_02_rows, COUNT(lds_02_rows));
}

/* ---- Body and appearance: LD06 38.6 mm square, 34.3 mm high (data sheet); chosen: the same for
 * the LD19. The height of the beam is estimated from the drawing. ---- */

#define SIDE_M   0.0386
#define HEIGHT_M 0.0343
#define BEAM_Z_M 0.026

static void ld06_body(const void *options, struct robot_body *body)
{
    const struct ld06_options *chosen = options;
    lidar_body(&chosen->optics, SIDE_M, SIDE_M, HEIGHT_M, 0.042, BEAM_Z_M, body);
}

/* LDS-01: e-manual; the height of the beam follows from its height above the floor on a TurtleBot3.
 * Chosen: the same for the LDS-02. */
static void lds_body(const void *options, struct robot_body *body)
{
    const struct ld06_options *chosen = options;
    lidar_body(&chosen->optics, 0.0955, 0.0695, 0.0395, 0.125, 0.030, body);
}

static const struct appearance_row appearance_rows[] = {
    {.shape = APPEARANCE_BODY, .color = 0x2A2D33FF},
    {.shape = APPEARANCE_DISC, .length_m = 0.034, .color = 0x15181BFF},
    APPEARANCE_ROW(BOX, 0.010, 0, 0.008, 0.016, .color = 0x3C1418FF, .lit_color = 0xE03B3BFF,
                   .lit_by = "scan_hz"),
};
static const struct appearance_list appearance = {appearance_rows, COUNT(appearance_rows)};

#define TYPE(label, words, on, rows, lists, mirrored, machine, first)                              \
    {                                                                                              \
        .name = (label), .title = (words), .folder = "ld06", .guide = "lidar", .channels = (on),   \
        .channel_count = 1, .options = (rows), .option_count = COUNT(rows),                        \
        .options_size = sizeof(struct ld06_options), .signals = signal_rows,                       \
        .signal_count = COUNT(signal_rows), .mirrors = (mirrored),                                 \
        .mirror_count = COUNT(mirrored), .commands = command_rows,                                 \
        .command_count = COUNT(command_rows), .appearance = &appearance, .packets = (lists),       \
        .state_size = sizeof(struct state), .stats_offset = offsetof(struct state, stats),         \
        .storage_offset = SIZE_MAX, .boots_offset = offsetof(struct state, boots),                 \
        .scan_offset = offsetof(struct state, lidar.scan), .body = (machine), .reset = (first),    \
        .rx = ld06_rx, .tick = ld06_tick                                                           \
    }
#define LD(label, words)                                                                           \
    TYPE(label, words, channels, option_rows, packets, mirror_rows, ld06_body, ld06_reset)
const struct robot_type ld06_type = LD("ld06", "LDROBOT LD06");
const struct robot_type ld19_type = LD("ld19", "LDROBOT LD19");
const struct robot_type lds_01_type = TYPE("lds_01", "ROBOTIS LDS-01", lds_01_channels, lds_01_rows,
                                           lds_packets, lds_mirrors, lds_body, lds_01_reset);
const struct robot_type lds_02_type = TYPE("lds_02", "ROBOTIS LDS-02", lds_02_channels, lds_02_rows,
                                           packets, mirror_rows, lds_body, lds_02_reset);
