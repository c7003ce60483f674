/* Both scanners: one packet, one stream. */
#include "protocols/ld06/ld06.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "base/rng.h"

#define SAMPLE_HZ  4500.0 /* data sheet: 4500 points a second, whatever the speed */
#define TIME_WRAPS 30000

/* ---- The packet ---- */

/* A row for each point: the table knows no array of pairs. */
struct packet {
    uint8_t points;
    uint16_t speed, start;
    uint16_t distance0, distance1, distance2, distance3, distance4, distance5, distance6, distance7,
        distance8, distance9, distance10, distance11;
    uint8_t confidence0, confidence1, confidence2, confidence3, confidence4, confidence5,
        confidence6, confidence7, confidence8, confidence9, confidence10, confidence11;
    uint16_t end, time;
};

#define POINT(n)                                                                                   \
    WIRE_FIELD(packet, distance##n, 1, "mm", "0: none"),                                           \
        WIRE_FIELD(packet, confidence##n, 1, "", "strength of the return, 0 .. 255")
static const struct wire_field points_fields[] = {
    WIRE_FIELD(packet, points, 1, "", "bits 0..4: 12 points; the upper bits are 001"),
    WIRE_FIELD(packet, speed, 1, "deg/s", ""),
    WIRE_FIELD(packet, start, 0.01, "deg", "angle of the first point, clockwise"),
    POINT(0),
    POINT(1),
    POINT(2),
    POINT(3),
    POINT(4),
    POINT(5),
    POINT(6),
    POINT(7),
    POINT(8),
    POINT(9),
    POINT(10),
    POINT(11),
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

static const struct wire_framing framing = {
    .head = {0x54, POINTS_BYTE},
    .head_size = 2,
    .size = LD06_PACKET_BYTES,
    .check = WIRE_CHECK_CRC8,
    .body_at = 1,
    .only = &points_packet,
};

static const struct channel_spec channels[] = {
    {.name = "uart",
     .kind = CHANNEL_SERIAL,
     .baud = 230400,
     .frame_max = LD06_PACKET_BYTES,
     .device = "/dev/ttyUSB0", /* ldlidar_stl_ros2: launch files */
     .frames = {&framing, NULL},
     .framing =
         "`54`, the body, and a CRC-8 of all bytes before it (polynomial 4D). It receives nothing"},
};

/* ---- State ---- */

struct state {
    struct lidar lidar; /* first: its commands find it there */
    struct ld06_options options;
    struct robot_stats stats;
    uint64_t boots;
    int64_t start_us;   /* of its clock */
    uint64_t next;      /* number of the next sample */
    uint32_t held;      /* points of the packet */
    uint32_t turn_hole; /* points until the hole of this turn; 0: it is over */
    bool is_turn_new, is_measuring;
    struct packet packet; /* that is being filled, then the last one */
};

/* Where in a packet's struct the value of a point is. */
static uint16_t *distance_of(struct packet *packet, size_t i)
{
    return &packet->distance0 + i;
}

static uint8_t *confidence_of(struct packet *packet, size_t i)
{
    return &packet->confidence0 + i;
}

/* Chosen: about 200 for light paint at some meters, as units report it. */
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
    packet->points = POINTS_BYTE;
    packet->speed = wire_saturate_u16(state->lidar.hz * 360);
    packet->end = centidegrees(state->lidar.turn);
    packet->time = (uint16_t)((at_us - state->start_us) / 1000 % TIME_WRAPS);
    size_t size = wire_encode(&points_packet, packet, bytes + 1);
    size = wire_frame_wrap(&framing, &points_packet, bytes + 1, size, bytes);
    bool is_sent = tx_frame(tx, 0, bytes, size);
    state->stats.sent += is_sent;
    state->stats.overruns += !is_sent;
}

/* The vendor's driver drops a turn in which all near points are one group, as they are in a closed
 * room without noise: a point that is lost breaks it (README.md). */
static bool is_hole(struct state *state)
{
    enum { AFTER = 90 };
    if (!state->options.has_hole)
        return false;
    if (state->is_turn_new)
        state->turn_hole = AFTER;
    return state->turn_hole > 0 && --state->turn_hole == 0;
}

static void measure(struct state *state, const struct robot_rays *rays, const struct robot_tx *tx,
                    int64_t at_us)
{
    double turn = state->lidar.turn;
    struct lidar_point point =
        lidar_measure(&state->lidar, &state->options.optics, rays, turn, 0, at_us);
    if (is_hole(state))
        point = (struct lidar_point){0};
    lidar_note(&state->lidar, turn, point, state->is_turn_new, at_us);
    if (state->held == 0)
        state->packet.start = centidegrees(turn);
    *distance_of(&state->packet, state->held) = wire_saturate_u16(point.distance_m * 1000);
    *confidence_of(&state->packet, state->held) = confidence(point);
    if (++state->held == LD06_POINTS) {
        send(state, tx, at_us);
        state->held = 0;
    }
}

/* ---- The contract ---- */

static int64_t sample_us(const struct state *state)
{
    return state->start_us + (int64_t)((double)state->next * (1e6 / SAMPLE_HZ));
}

static int64_t ld06_host(void *memory, unsigned channel, bool present, int64_t now_us)
{
    (void)memory, (void)channel, (void)present;
    return now_us + 1000;
}

/* Nobody reads what comes in. */
static int64_t ld06_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                       int64_t now_us)
{
    (void)channel, (void)bytes;
    ((struct state *)memory)->stats.noise_bytes += size;
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
        state->is_turn_new = lidar_spin(&state->lidar, options->scan_hz, options->spin_up_s,
                                        options->spin_up_s, at_us);
        bool is_stable = lidar_is_stable(&state->lidar, options->scan_hz);
        if (!is_stable && state->is_measuring)
            lidar_stop(&state->lidar);
        state->is_measuring = is_stable;
        if (is_stable)
            measure(state, &sensors->rays, tx, at_us);
        else
            state->held = 0;
    }
    return now_us + 1000;
}

/* Both: 0.02 to 12 m at 70 % reflectance, sigma 10 mm (table of the LD19). */
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

static const struct command_row command_rows[] = {
    LIDAR_COMMAND_ROWS,
};

static const struct signal_row signal_rows[] = {
    LIDAR_SIGNAL_ROWS(state),
    SIGNAL_ROW("boots", state, boots, "", "power-ons"),
};

static const struct signal_mirror mirror_rows[] = {
    {&points_packet, offsetof(struct state, packet)},
};

static int64_t ld06_reset(void *memory, const struct robot_start *from)
{
    struct state *state = memory;
    memset(state, 0, sizeof *state);
    option_copy(option_rows, COUNT(option_rows), from->options, &state->options);
    state->lidar.key = rng_key(from->rng_key, "lidar");
    state->lidar.spun_us = state->start_us = from->now_us;
    state->lidar.hz = from->has_booted ? state->options.scan_hz : 0;
    state->boots = 1;
    return from->now_us + 1000;
}

/* ---- Body and looks: LD06 38.6 mm square, 34.3 mm high (data sheet); LD19 chosen alike. The
 * beam's height is estimated from the drawing. ---- */

#define SIDE_M   0.0386
#define HEIGHT_M 0.0343
#define BEAM_Z_M 0.026

static void ld06_body(const void *options, struct robot_body *body)
{
    const struct ld06_options *chosen = options;
    memset(body, 0, sizeof *body);
    body->shape = ROBOT_BOX;
    body->length_m = body->width_m = SIDE_M;
    body->height_m = HEIGHT_M;
    body->mass_kg = 0.042;
    body->inertia_kg_m2 = 0.042 * SIDE_M * SIDE_M / 6;
    body->sensor_count = 1;
    body->sensors[0] = (struct sensor_spec){.kind = SENSOR_SCANNER,
                                            .name = "lidar",
                                            .z_m = BEAM_Z_M,
                                            .range_m = chosen->optics.range_max_m,
                                            .rays = 1};
}

static const struct appearance_row appearance_rows[] = {
    {.shape = APPEARANCE_BODY, .color = 0x2A2D33FF},
    {.shape = APPEARANCE_DISC, .length_m = 0.034, .color = 0x15181BFF},
    {.shape = APPEARANCE_BOX,
     .x_m = 0.010,
     .length_m = 0.008,
     .width_m = 0.016,
     .color = 0x3C1418FF,
     .lit_color = 0xE03B3BFF,
     .lit_by = "scan_hz"},
};
static const struct appearance_list appearance = {appearance_rows, COUNT(appearance_rows)};

#define TYPE(label, words)                                                                         \
    {                                                                                              \
        .name = (label), .title = (words), .folder = "ld06", .guide = "lidar",                     \
        .channels = channels, .channel_count = 1, .options = option_rows,                          \
        .option_count = COUNT(option_rows), .options_size = sizeof(struct ld06_options),           \
        .signals = signal_rows, .signal_count = COUNT(signal_rows), .mirrors = mirror_rows,        \
        .mirror_count = COUNT(mirror_rows), .commands = command_rows,                              \
        .command_count = COUNT(command_rows), .appearance = &appearance, .packets = packets,       \
        .state_size = sizeof(struct state), .stats_offset = offsetof(struct state, stats),         \
        .storage_offset = SIZE_MAX, .boots_offset = offsetof(struct state, boots),                 \
        .scan_offset = offsetof(struct state, lidar.scan), .body = ld06_body, .reset = ld06_reset, \
        .host = ld06_host, .rx = ld06_rx, .tick = ld06_tick                                        \
    }
const struct robot_type ld06_type = TYPE("ld06", "LDROBOT LD06");
const struct robot_type ld19_type = TYPE("ld19", "LDROBOT LD19");
