/* The board as a robot type, from its lines of text to its PID. "Firmware":
 * hbrobotics/ros_arduino_bridge a960c8a and the fork joshnewans/ros_arduino_bridge 210a122.
 * "Robot": joshnewans/articubot_one 11b64ef: description/robot_core.xacro. */
#include "protocols/ros_arduino_bridge/ros_arduino_bridge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/modem_lines.h"
#include "protocols/arduino_port.h"

enum {
    LEFT,
    RIGHT,
    SIDES,
    ARGUMENT_MAX = 15, /* characters; the firmware has unchecked buffers of 16 bytes; here
                        * further characters are lost */
    LINE_MAX = 32,     /* of a reply; two numbers of 32 bits need 25 */
    BYTE_US = 170,     /* data sheet: at the rate nearest to 57600 baud that a clock of 16 MHz
                        * supports */
    PWM_MAX = 255,
    PID_MS = 33,         /* firmware: 1000 / 30 */
    AUTO_STOP_MS = 2000, /* firmware */
};

/* ---- Options ---- */

struct options {
    int64_t encoder_counts;
    double wheel_diameter_m, wheel_track_m;
    bool has_auto_reset;
    double boot_s;
};

static const struct option_row option_rows[] = {
    ROW_INTEGER(
        "encoder_counts", options, encoder_counts, "", 10, 100000, "3436",
        "counts per wheel turn, four per slot; drivers use the same value: enc_counts_per_rev"),
    ROW_SCALED("wheel_diameter_mm", options, wheel_diameter_m, "mm", 0.001, 20, 300, "68",
               "real diameter of the robot's wheels"),
    ROW_SCALED("wheel_track_mm", options, wheel_track_m, "mm", 0.001, 100, 1000, "332",
               "real track of the robot"),
    ROW_BOOL("auto_reset", options, has_auto_reset, "no",
             "reboot when a driver opens the port or sets DTR, as an Arduino does"),
    ROW_NUMBER("boot_s", options, boot_s, "s", 0, 60, "1.5",
               "time without input and output after an auto-reset: boot loader and start"),
};

/* ---- State ---- */

struct request {
    char letter;
    char argument[2][ARGUMENT_MAX + 1];
};

/* Names are those of the firmware, if it has them. */
struct wheel {
    int32_t count;    /* encoder count */
    int32_t origin;   /* encoder count at its last reset */
    int32_t previous; /* count at the last pass of the PID */
    int32_t target;   /* counts per pass */
    int32_t output, pwm;
    int16_t input, i_term;
};

struct state {
    struct options options;
    struct request line; /* line that is being received */
    uint32_t argument;   /* part that is being received: 0 letter, 1 or 2 argument */
    uint8_t used[2];     /* number of characters of each argument */
    struct arduino_port port;
    struct wheel wheels[SIDES];
    int16_t kp, kd, ki, ko;
    bool is_moving, is_booting, has_origin, is_dtr_on, is_listening; /* is_listening: waits for an
                                                                      * echo */
    uint64_t pins; /* levels written by the host */
    int64_t start_us, next_pid_ms, command_ms;
    struct robot_stats stats[1];
    uint64_t boots;
};

/* ---- Lines of text ---- */

/* Reads a number as an AVR does: 16 bits, and values out of range wrap. */
static int16_t number(const char **text)
{
    const char *at = *text;
    while (*at == '\t' || *at == '\n' || *at == '\v' || *at == '\f')
        at++;
    bool is_negative = *at == '-';
    at += *at == '-' || *at == '+';
    uint16_t value = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        value = (uint16_t)(value * 10u + (unsigned)(*at - '0'));
    *text = at;
    return (int16_t)(is_negative ? -value : value);
}

static void begin_line(struct state *state)
{
    memset(&state->line, 0, sizeof state->line);
    state->argument = 0;
    memset(state->used, 0, sizeof state->used);
}

static void take_byte(struct state *state, char byte)
{
    struct request *line = &state->line;
    if (byte == ' ') {
        state->argument += state->argument < 2;
    } else if (state->argument == 0) {
        state->stats[0].noise_bytes += line->letter != '\0'; /* the last letter wins */
        line->letter = byte;
    } else {
        uint8_t *used = &state->used[state->argument - 1];
        if (*used < ARGUMENT_MAX)
            line->argument[state->argument - 1][(*used)++] = byte;
        else
            state->stats[0].noise_bytes++;
    }
}

/* ---- Motion ---- */

static void reset_pid(struct state *state)
{
    for (int i = 0; i < SIDES; i++) {
        struct wheel *wheel = &state->wheels[i];
        wheel->target = wheel->output = 0;
        wheel->previous = wheel->count;
        wheel->input = wheel->i_term = 0;
    }
}

static int32_t limit(int64_t value)
{
    return (int32_t)(value > PWM_MAX ? PWM_MAX : value < -PWM_MAX ? -PWM_MAX : value);
}

static void set_motors(struct state *state, int32_t left, int32_t right)
{
    state->wheels[LEFT].pwm = limit(left);
    state->wheels[RIGHT].pwm = limit(right);
}

/* Computes in the integer sizes of an AVR. With a divisor of 0, the quotient is 0 (chosen). */
static void do_pid(const struct state *state, struct wheel *wheel)
{
    int16_t input = (int16_t)((uint32_t)wheel->count - (uint32_t)wheel->previous);
    int64_t error = (int64_t)wheel->target - input;
    int16_t slope = (int16_t)(state->kd * (int16_t)(input - wheel->input));
    int64_t sum = state->kp * error - slope + wheel->i_term;
    int64_t output = (state->ko != 0 ? sum / state->ko : 0) + wheel->output;
    wheel->previous = wheel->count;
    if (output > -PWM_MAX && output < PWM_MAX)
        wheel->i_term = (int16_t)(wheel->i_term + state->ki * error);
    wheel->output = limit(output);
    wheel->input = input;
}

static void update_pid(struct state *state)
{
    if (!state->is_moving) {
        if (state->wheels[LEFT].input != 0 || state->wheels[RIGHT].input != 0)
            reset_pid(state);
        return;
    }
    do_pid(state, &state->wheels[LEFT]);
    do_pid(state, &state->wheels[RIGHT]);
    set_motors(state, state->wheels[LEFT].output, state->wheels[RIGHT].output);
}

static void read_encoders(struct state *state, const struct robot_sensors *sensors)
{
    double counts_a_rad = (double)state->options.encoder_counts / (2 * ANGLE_PI);
    for (int i = 0; i < SIDES; i++) {
        struct wheel *wheel = &state->wheels[i];
        int32_t raw = (int32_t)(uint32_t)(int64_t)floor(sensors->wheel_rad[i] * counts_a_rad);
        if (!state->has_origin)
            wheel->origin = raw;
        wheel->count = (int32_t)((uint32_t)raw - (uint32_t)wheel->origin);
    }
    state->has_origin = true;
}

/* ---- Requests ---- */

static const double BATTERY_MIN_V = 9, BATTERY_MAX_V = 12.6; /* three lithium cells; chosen */

/* A0 measures the battery through a divider 2 : 1 with a reference of 5 V; the other pins are not
 * connected. Both are chosen. */
static int analog(int16_t pin, const struct robot_sensors *sensors)
{
    double volts = BATTERY_MIN_V + sensors->battery_charge * (BATTERY_MAX_V - BATTERY_MIN_V);
    return pin == 0 ? (int)(volts / 3 / 5 * 1023) : 0;
}

static uint64_t pin_bit(int16_t pin)
{
    return pin >= 0 && pin < 64 ? UINT64_C(1) << pin : 0;
}

/* Distance of an echo within 4 m; 0 without an echo. */
static int ping_cm(const struct robot_sensors *sensors)
{
    double distance_m = sensors->sensor[0].distance_m;
    return distance_m < 4 ? (int)(distance_m * 100) : 0;
}

/* Duration of the loop's wait for the echo of an HC-SR04, as in clients/avr/wiring.c. */
static int64_t echo_us(const struct robot_sensors *sensors)
{
    double distance_m = sensors->sensor[0].distance_m;
    return 450 + (distance_m < 4 ? (int64_t)(distance_m * 2e6 / 343) : 38000);
}

static void drive(struct state *state, char letter, int16_t left, int16_t right, int64_t now_ms)
{
    state->command_ms = now_ms;
    state->is_moving = letter == 'm' && (left != 0 || right != 0);
    if (!state->is_moving) {
        reset_pid(state);
        set_motors(state, left, right);
    }
    if (letter == 'm') {
        state->wheels[LEFT].target = left;
        state->wheels[RIGHT].target = right;
    }
}

/* Format Kp:Kd:Ki:Ko. For missing values the firmware uses arbitrary values; here they stay
 * unchanged. */
static void set_gains(struct state *state, const char *text)
{
    int16_t *const gains[] = {&state->kp, &state->kd, &state->ki, &state->ko};
    for (size_t i = 0; i < COUNT(gains); i++) {
        text += strspn(text, ":");
        if (*text == '\0')
            return;
        *gains[i] = number(&text);
        text += strcspn(text, ":");
    }
}

static void reset_encoders(struct state *state)
{
    for (int i = 0; i < SIDES; i++) {
        struct wheel *wheel = &state->wheels[i];
        wheel->origin = (int32_t)((uint32_t)wheel->origin + (uint32_t)wheel->count);
        wheel->count = 0;
    }
    reset_pid(state);
}

/* Executes a request and writes its reply, without the line end. */
static void obey(struct state *state, const struct request *request,
                 const struct robot_sensors *sensors, int64_t now_ms, char reply[LINE_MAX])
{
    const char *first = request->argument[0], *second = request->argument[1];
    int16_t one = number(&first), two = number(&second);
    snprintf(reply, LINE_MAX, "OK");
    switch (request->letter) {
    case 'e':
        snprintf(reply, LINE_MAX, "%d %d", (int)state->wheels[LEFT].count,
                 (int)state->wheels[RIGHT].count);
        break;
    case 'r':
        reset_encoders(state);
        break;
    case 'b':
        snprintf(reply, LINE_MAX, "57600");
        break;
    case 'm':
    case 'o':
        drive(state, request->letter, one, two, now_ms);
        break;
    case 'u':
        set_gains(state, request->argument[0]);
        break;
    case 'a':
        snprintf(reply, LINE_MAX, "%d", analog(one, sensors));
        break;
    case 'd':
        snprintf(reply, LINE_MAX, "%d", (state->pins & pin_bit(one)) != 0);
        break;
    case 'w':
        if (two == 0 || two == 1)
            state->pins = (state->pins & ~pin_bit(one)) | (two ? pin_bit(one) : 0);
        break;
    case 'x':
    case 'c':
        break;
    case 'p':
        snprintf(reply, LINE_MAX, "%d", ping_cm(sensors));
        break;
    default:
        snprintf(reply, LINE_MAX, "Invalid Command");
    }
}

static void end_line(struct state *state, const struct robot_sensors *sensors,
                     const struct robot_tx *tx, int64_t now_us)
{
    static const char letters[] = "erboumadxwcp";
    bool is_known = state->line.letter != '\0' && strchr(letters, state->line.letter);
    char reply[LINE_MAX], text[LINE_MAX + 2];
    obey(state, &state->line, sensors, (now_us - state->start_us) / 1000, reply);
    int size = snprintf(text, sizeof text, "%s\r\n", reply);
    bool is_sent = tx_frame(tx, 0, (const uint8_t *)text, (size_t)size);
    arduino_port_write(&state->port, (size_t)size, BYTE_US, now_us);
    state->stats[0].frames += is_known;
    state->stats[0].unknown_ids += !is_known;
    state->stats[0].sent += is_sent;
    state->stats[0].overruns += !is_sent;
    begin_line(state);
}

/* Reads the port while the loop is free. A `p` is executed when its echo has arrived. */
static void serve(struct state *state, const struct robot_sensors *sensors,
                  const struct robot_tx *tx, int64_t now_us)
{
    uint8_t byte = '\r';
    while (state->is_listening ? state->port.free_us <= now_us
                               : arduino_port_take(&state->port, now_us, &byte)) {
        bool is_end = byte == '\r';
        state->is_listening = is_end && state->line.letter == 'p' && !state->is_listening;
        if (state->is_listening)
            arduino_port_wait(&state->port, echo_us(sensors), now_us);
        else if (is_end)
            end_line(state, sensors, tx, now_us);
        else
            take_byte(state, (char)byte);
    }
    state->stats[0].overruns += arduino_port_settle(&state->port);
}

/* ---- The interface of a robot type ---- */

static int64_t next_due(const struct state *state, int64_t now_us)
{
    if (state->is_booting)
        return state->start_us;
    bool is_heard = state->port.count > 0 || state->is_listening;
    int64_t due_us = is_heard ? now_us : state->start_us + (state->next_pid_ms + 1) * 1000;
    return due_us > state->port.free_us ? due_us : state->port.free_us;
}

static int64_t bridge_reset(void *memory, const struct robot_start *from)
{
    struct state *state = memory;
    memset(state, 0, sizeof *state);
    option_copy(option_rows, COUNT(option_rows), from->options, &state->options);
    state->is_dtr_on = (from->hosts[0].lines & MODEM_DTR) != 0;
    state->is_booting =
        state->options.has_auto_reset && state->options.boot_s > 0 && !from->has_booted;
    state->start_us =
        from->now_us + (state->is_booting ? (int64_t)floor(state->options.boot_s * 1e6) : 0);
    state->kp = 20;
    state->kd = 12;
    state->ko = 50;
    state->next_pid_ms = PID_MS;
    state->boots = 1;
    return from->now_us; /* so that the motors stop */
}

static int64_t bridge_lines(void *memory, unsigned channel, unsigned lines, int64_t now_us)
{
    (void)channel;
    struct state *state = memory;
    bool was_on = state->is_dtr_on;
    state->is_dtr_on = (lines & MODEM_DTR) != 0;
    bool is_reset = state->options.has_auto_reset && state->is_dtr_on && !was_on;
    return is_reset ? ROBOT_RESET : next_due(state, now_us);
}

static const char *bridge_deaf(const void *memory)
{
    return ((const struct state *)memory)->is_booting ? "was starting" : NULL;
}

static int64_t bridge_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                         int64_t now_us)
{
    (void)channel;
    struct state *state = memory;
    if (state->is_booting) {
        state->stats[0].noise_bytes += size;
        return state->start_us;
    }
    for (size_t i = 0; i < size; i++)
        arduino_port_put(&state->port, bytes[i]);
    return now_us;
}

/* One pass of the firmware's loop(). */
static int64_t bridge_tick(void *memory, const struct robot_sensors *sensors,
                           struct robot_actuators *actuators, const struct robot_tx *tx,
                           int64_t now_us)
{
    struct state *state = memory;
    int64_t now_ms = (now_us - state->start_us) / 1000;
    state->is_booting = now_us < state->start_us;
    if (!state->is_booting) {
        read_encoders(state, sensors);
        serve(state, sensors, tx, now_us);
    }
    if (!state->is_booting && state->port.free_us <= now_us) {
        for (; now_ms > state->next_pid_ms; state->next_pid_ms += PID_MS)
            update_pid(state);
        if (now_ms - state->command_ms > AUTO_STOP_MS) {
            set_motors(state, 0, 0);
            state->is_moving = false;
        }
    }
    for (int i = 0; i < SIDES; i++)
        actuators->motor[i] = state->wheels[i].pwm / (double)PWM_MAX;
    return next_due(state, now_us);
}

/* ---- Messages: text in both directions ---- */

struct character {
    char character;
};
static const struct wire_field character_fields[] = {
    WIRE_FIELD(character, character, 1, "", "character of the line"),
};
#define CHARACTERS(to)                                                                             \
    WIRE_PACKET("character", 0, to, WIRE_LITTLE_ENDIAN, 1, character_fields, character,            \
                .note = "character of a line of text")
static const struct wire_packet to_host = CHARACTERS(WIRE_TO_HOST);
static const struct wire_packet to_robot = CHARACTERS(WIRE_TO_ROBOT);
static const struct wire_packet request_packet = WIRE_TEXT_PACKET(
    "request", WIRE_TO_ROBOT, WIRE_LITTLE_ENDIAN, to_robot,
    "a letter, up to two arguments after a space each, and CR; see the page on its drivers",
    "m 36 -36\r");
static const struct wire_packet reply_packet = WIRE_TEXT_PACKET(
    "reply", WIRE_TO_HOST, WIRE_LITTLE_ENDIAN, to_host,
    "one for each CR: numbers, `OK` or `Invalid Command`, then CR LF", "12 -34\r\n");
static const struct wire_packet *const packets[] = {&request_packet, &reply_packet, NULL};
static const struct robot_answer answers[] = {{"reply", "request"}, {NULL, NULL}};
static const struct wire_first_byte no_frames[] = {{0}};
static const struct wire_framing framing[] = {
    [WIRE_TO_HOST] = {.text = &reply_packet, .sizes = no_frames}, /* up to its LF */
    [WIRE_TO_ROBOT] = {.line = &request_packet, .has_end = true},
};

static const struct channel_spec channels[] = {
    {.name = "uart",
     .baud = 57600, /* firmware */
     .frame_max = LINE_MAX + 2,
     .device = "/dev/ttyUSB0", /* driver: diffdrive_arduino, the usual parameter */
     .frames = {&framing[WIRE_TO_HOST], &framing[WIRE_TO_ROBOT]},
     .framing = "text: a request ends with CR, its reply with CR LF"},
};

/* ---- Signals ---- */

static const struct signal_row signal_rows[] = {
    SIGNAL_ROW("left_count", state, wheels[LEFT].count, "",
               "count of the encoder at the last pass of the loop"),
    SIGNAL_ROW("right_count", state, wheels[RIGHT].count, "", "the same"),
    SIGNAL_ROW("left_target", state, wheels[LEFT].target, "",
               "counts per pass of the PID, 30.3 passes per second"),
    SIGNAL_ROW("right_target", state, wheels[RIGHT].target, "", "the same"),
    SIGNAL_ROW("left_pwm", state, wheels[LEFT].pwm, "", "-255 .. 255"),
    SIGNAL_ROW("right_pwm", state, wheels[RIGHT].pwm, "", "-255 .. 255"),
    SIGNAL_ROW("running", state, is_moving, "", "the PID is on"),
    SIGNAL_ROW("booting", state, is_booting, "", "deaf and silent"),
    SIGNAL_ROW("boots", state, boots, "", "power-ons and resets"),
};

/* ---- The robot ---- */

static void bridge_body(const void *memory, struct robot_body *body)
{
    const struct options *options = memory;
    const double free_rad_s = 170 * 2 * ANGLE_PI / 60; /* 12 V, 170 turns a minute; chosen */
    const double gear = 48;                            /* chosen */
    memset(body, 0, sizeof *body);
    body->shape = ROBOT_BOX;
    body->length_m = 0.335; /* these, the track and the wheels: robot */
    body->width_m = 0.265;
    body->height_m = 0.162;
    body->center_x_m = body->mass_center_x_m = 0.335 / 2 - 0.226;
    body->mass_kg = 1.5; /* with battery and computer; chosen */
    body->inertia_kg_m2 = 1.5 * (0.335 * 0.335 + 0.265 * 0.265) / 12;
    body->drive = ROBOT_DIFFERENTIAL;
    body->motor = ROBOT_MOTOR_DC;
    body->wheel_count = SIDES;
    for (int i = 0; i < SIDES; i++) {
        body->wheels[i].y_m = (i == LEFT ? 0.5 : -0.5) * options->wheel_track_m;
        body->wheels[i].radius_m = options->wheel_diameter_m / 2;
    }
    body->grip = 0.8; /* chosen, as all below */
    body->supply_v = 12;
    body->resistance_ohm = 8;
    body->gear = gear;
    body->idle_a = 0.05;
    body->emf_v_s_rad = (12 - 0.05 * 8) / (free_rad_s * gear);
    body->torque_nm_a = body->emf_v_s_rad;
    body->wheel_inertia_kg_m2 = 3e-7 * gear * gear;
    body->speed_max_m_s = free_rad_s * options->wheel_diameter_m / 2;
    body->battery_min_v = BATTERY_MIN_V;
    body->battery_max_v = BATTERY_MAX_V;
    body->sensor_count = 1;
    body->sensors[0] = (struct sensor_spec){.kind = SENSOR_RANGE,
                                            .name = "sonar",
                                            .x_m = 0.109,
                                            .z_m = 0.08,
                                            .cone_half_rad = 15 * ANGLE_PI / 180,
                                            .range_m = 4,
                                            .rays = 5};
}

static double battery_charge(const void *options, double volts)
{
    (void)options;
    return fmax(0, fmin(1, (volts - BATTERY_MIN_V) / (BATTERY_MAX_V - BATTERY_MIN_V)));
}

static const struct appearance_row appearance_rows[] = {
    {.shape = APPEARANCE_BODY, .color = 0xE8702AFF},
    {.shape = APPEARANCE_WHEELS, .width_m = 0.026},
    APPEARANCE_ROW(BOX, -0.04, 0, 0.075, 0.055, .color = 0x1D6F8AFF),
    APPEARANCE_ROW(BOX, -0.02, 0, 0.034, 0.008, .color = 0x12161AFF),
    APPEARANCE_ROW(BOX, -0.075, 0, 0.014, 0.013, .color = 0xB7C0C9FF),
    APPEARANCE_ROW(BOX, 0.158, 0, 0.014, 0.045, .color = 0xB7C0C9FF),
    APPEARANCE_ROW(DISC, -0.015, 0.018, 0.008, 0, .color = 0x3A2A10FF, .lit_color = 0xFFB02EFF,
                   .lit_by = "running", .label = "motors"),
};
static const struct appearance_list appearance = {appearance_rows, COUNT(appearance_rows)};

const struct robot_type ros_arduino_bridge_type = {
    .name = "ros_arduino_bridge",
    .title = "Arduino with ros_arduino_bridge",
    ROBOT_TABLES(state, options),
    .appearance = &appearance,
    .packets = packets,
    .answers = answers,
    .storage_offset = SIZE_MAX,
    .boots_offset = offsetof(struct state, boots),
    .body = bridge_body,
    .battery_charge = battery_charge,
    .lines = bridge_lines,
    .deaf = bridge_deaf,
    ROBOT_FUNCTIONS(bridge),
};
