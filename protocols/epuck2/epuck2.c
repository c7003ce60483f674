/* The e-puck2 as a robot type: its tables, power-on, received bytes, one pass of the loop. */
#include "protocols/epuck2/epuck2.h"

#include <stddef.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/rng.h"
#include "protocols/epuck2/epuck2_body.h"
#include "protocols/epuck2/epuck2_host.h"
#include "protocols/epuck2/epuck2_motion.h"
#include "protocols/epuck2/epuck2_power.h"
#include "protocols/epuck2/epuck2_senses.h"
#include "protocols/epuck2/epuck2_sercom.h"
#include "protocols/epuck2/epuck2_state.h"

static const struct channel_spec channels[EPUCK2_CHANNEL_COUNT] = {
    [EPUCK2_WIFI] = {.name = "wifi",
                     .kind = CHANNEL_TCP_SERVER,
                     .tcp_port = 1000, /* the WiFi protocol; hard-coded in every client */
                     .frame_max = EPUCK2_HOST_FRAME_MAX,
                     .frames = {&epuck2_framing_to_host, &epuck2_framing_to_robot},
                     .framing = "a byte of id, and the body, whose length follows from the id; "
                                "there is no checksum"},
    [EPUCK2_SERIAL] =
        {.name = "serial",
         .baud = 115200, /* main.h */
         .frame_max = EPUCK2_SERCOM_FRAME_MAX,
         .frames = {&epuck2_framing_answer, &epuck2_framing_request},
         .framing =
             "no frame: a line of text ends with CR or LF, a batch of binary commands with 0"},
};

/* ---- Options ---- */

static const char *const disconnect_words[] = {"keep", "stop", NULL};
static const char *const bad_id_words[] = {"hunt", "use", NULL};

#define NUMBER(key, ...)  ROW_NUMBER(key, epuck2_options, __VA_ARGS__)
#define SCALED(key, ...)  ROW_SCALED(key, epuck2_options, __VA_ARGS__)
#define INTEGER(key, ...) ROW_INTEGER(key, epuck2_options, __VA_ARGS__)
#define CHOICE(key, ...)  ROW_CHOICE(key, epuck2_options, __VA_ARGS__)
#define SWITCH(key, ...)  ROW_BOOL(key, epuck2_options, __VA_ARGS__)

static const struct option_row option_rows[] = {
    SWITCH("ground_sensors", has_ground, "no",
           "the extension with three ground sensors is mounted; without: zeros"),
    SWITCH("sd_card", has_sd, "no", "a micro SD card at the start; slows every turn"),
    INTEGER("selector", selector, "", 0, 15, "15", "its position at the start; 15: WiFi"),
    NUMBER("battery_v", battery_v, "V", 3.2, 4.2, "4.0",
           "voltage at the start; chosen: nearly full"),
    NUMBER("sensors_hz", sensors_hz, "Hz", 1, 100, "45",
           "turns per second without images; not measured, the firmware's delays allow 45"),
    NUMBER("image_hz", image_hz, "Hz", 0.5, 30, "12",
           "turns per second with images, not measured: 10 to 15"),
    NUMBER("calibration_s", calibration_s, "s", 1, 10, "1.05",
           "silence of the stream in each IR calibration: 100 samples at 100 Hz, and 50 ms of "
           "waiting by the ESP32; a calibration repeated in the next turn makes it 2.1 in total"),
    SCALED("sd_delay_ms", sd_delay_s, "ms", 0.001, 0, 1000, "5",
           "additional time of a turn with an SD card; chosen"),
    CHOICE("disconnect", disconnect, disconnect_words, "keep",
           "motors after the client disconnects; the firmware keeps them running"),
    CHOICE("bad_id", bad_id, bad_id_words, "hunt",
           "use: any 21 bytes are a command, as in the firmware; hunt: skip bytes before 0x80"),
    SWITCH("first_split", has_split_quirk, "no",
           "a first command that arrives in pieces does not start the stream, as in the firmware"),
    INTEGER("socket_limit", socket_limit, "", 0, 1000, "0",
            "number of clients after which the robot accepts no further ones; about 10 in the "
            "firmware, 0: no limit"),
    SWITCH("status_lamp", has_status_lamp, "yes",
           "LED2 shows the state of WiFi and ignores the client"),
    SWITCH("remote_drives", has_remote_drive, "yes", "keys of the TV remote set the motors"),
    INTEGER("left_steps", left_steps_start, "", -2147483648.0, 2147483647.0, "0",
            "count at power-on"),
    INTEGER("right_steps", right_steps_start, "", -2147483648.0, 2147483647.0, "0",
            "count at power-on"),
    SCALED("wheel_diameter_mm", wheel_diameter_m, "mm", 0.001, 30, 50, "41",
           "vendor; drivers compute with 40"),
    SCALED("axle_mm", axle_m, "mm", 0.001, 40, 65, "53",
           "between the wheels, vendor; 52 in Webots, 56.85 in epuck_ros2"),
    SCALED("camera_fov_deg", camera_fov_rad, "deg", ANGLE_RAD_DEG, 10, 120, "48",
           "horizontal; Webots; 60 in Enki"),
    NUMBER("camera_gain", camera_gain, "", 0, 16, "1",
           "brightness; pictures of real robots are overexposed"),
    SWITCH("noise", has_noise, "on", "noise of all sensors"),
};

/* ---- Signals ---- */

static const char *const phase_words[] = {"waiting", "silent", "streaming", "leaving", NULL};
static const char *const melody_words[] = {"none",  "mario",  "underworld", "star_wars",
                                           "4_khz", "10_khz", NULL};

#define SIGNAL(label, ...) SIGNAL_ROW(label, epuck2_state, __VA_ARGS__)
#define PROX(n)                                                                                    \
    SIGNAL("prox" #n, prox.value[n], "", "current value; sensors.prox is the value sent"),         \
        SIGNAL("prox" #n "_offset", prox.offset[n], "", "found by calibration")
#define COLORS(led, i)                                                                             \
    SIGNAL(led "_red", lamps.color[i], "", "color of the LED", .mask = EPUCK2_COLOR_RED),          \
        SIGNAL(led "_green", lamps.color[i], "", "color of the LED", .mask = EPUCK2_COLOR_GREEN),  \
        SIGNAL(led "_yellow", lamps.color[i], "", "color of the LED",                              \
               .mask = EPUCK2_COLOR_YELLOW),                                                       \
        SIGNAL(led "_blue", lamps.color[i], "", "color of the LED", .mask = EPUCK2_COLOR_BLUE),    \
        SIGNAL(led "_magenta", lamps.color[i], "", "color of the LED",                             \
               .mask = EPUCK2_COLOR_MAGENTA),                                                      \
        SIGNAL(led "_cyan", lamps.color[i], "", "color of the LED", .mask = EPUCK2_COLOR_CYAN),    \
        SIGNAL(led "_white", lamps.color[i], "", "color of the LED", .mask = EPUCK2_COLOR_WHITE),  \
        SIGNAL(led "_red_percent", lamps.rgb[i][0], "%", ""),                                      \
        SIGNAL(led "_green_percent", lamps.rgb[i][1], "%", ""),                                    \
        SIGNAL(led "_blue_percent", lamps.rgb[i][2], "%", "")

static const struct signal_row signal_rows[] = {
    /* The loop. */
    SIGNAL("phase", stream.phase, "", "phase of the WiFi firmware", .names = phase_words),
    SIGNAL("awaiting", stream.is_awaiting, "", "waiting for the rest of a command"),
    SIGNAL("blocked", stream.is_blocked, "", "waiting for a client that does not read"),
    SIGNAL("turns", stream.turns, "", "turns of the loop since power-on"),
    SIGNAL("images", stream.images, "", "sent since power-on"),
    SIGNAL("dropped_commands", stream.dropped_commands, "", "newer ones waited"),

    /* Motion. */
    SIGNAL("left_wanted", motion.wheel[0].wanted, "1/s", "steps per second, commanded"),
    SIGNAL("right_wanted", motion.wheel[1].wanted, "1/s", "steps per second, commanded"),
    SIGNAL("left_speed", motion.wheel[0].true_steps_s, "1/s", "steps per second, actual"),
    SIGNAL("right_speed", motion.wheel[1].true_steps_s, "1/s", "steps per second, actual"),
    SIGNAL("left_steps", motion.wheel[0].steps, "", "counter, does not wrap"),
    SIGNAL("right_steps", motion.wheel[1].steps, "", "counter, does not wrap"),
    SIGNAL("avoiding", motion.is_avoiding, "", "obstacle avoidance is on"),

    /* Sensors. */
    PROX(0),
    PROX(1),
    PROX(2),
    PROX(3),
    PROX(4),
    PROX(5),
    PROX(6),
    PROX(7),
    SIGNAL("calibrating", prox.is_calibrating, "", "calibration of the proximity sensors"),
    SIGNAL("calibrations", prox.calibrations, "", "since power-on"),
    SIGNAL("button", has_button, "", "pressed"),
    SIGNAL("sd", has_sd, "", "1 while a card is inserted"),
    SIGNAL("selector", selector, "", "0..15"),
    SIGNAL("remote_key", remote_data, "", "pressed last"),

    /* Power. */
    SIGNAL("battery_v", power.battery_v, "V", ""),
    SIGNAL("battery_charge", power.charge, "", "0 empty .. 1 full"),
    SIGNAL("battery_low", power.is_low, "", "below 3.54 V"),
    SIGNAL("charging", power.is_charging, "", "1: charging at the USB cable"),

    /* Lamps. */
    SIGNAL("led1", lamps.leds, "", "", .mask = 0x01),
    SIGNAL("led3", lamps.leds, "", "", .mask = 0x02),
    SIGNAL("led5", lamps.leds, "", "", .mask = 0x04),
    SIGNAL("led7", lamps.leds, "", "", .mask = 0x08),
    SIGNAL("body_led", lamps.leds, "", "", .mask = EPUCK2_LED_BODY),
    SIGNAL("front_led", lamps.leds, "", "", .mask = EPUCK2_LED_FRONT),
    COLORS("led2", EPUCK2_RGB_LED2),
    COLORS("led4", EPUCK2_RGB_LED4),
    COLORS("led6", EPUCK2_RGB_LED6),
    COLORS("led8", EPUCK2_RGB_LED8),

    /* Sound. */
    SIGNAL("sound_hz", play.hz, "Hz", "0: silence"),
    SIGNAL("melody", play.melody, "", "", .names = melody_words),
    SIGNAL("sounds", play.started, "", "melodies and tones started"),
};

#define LAST(member) offsetof(struct epuck2_state, last.member)

static const struct signal_mirror mirror_rows[] = {
    {&epuck2_sensors_packet, LAST(sensors)},
    {&epuck2_command_packet, LAST(command)},
};

/* ---- Commands: operations by a person, except pressing the button ---- */

/* ---- TV remote ---- */

struct remote_args {
    int64_t key, address;
};

/* Speeds of the keys 1..9, steps/s (Asercom2.c). */
static const int16_t key_speeds[10][2] = {
    {0, 0}, {300, 600},  {600, 600},   {600, 300},   {-600, 600},
    {0, 0}, {600, -600}, {-300, -600}, {-600, -600}, {-600, -300},
};

static bool run_remote(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)error;
    struct epuck2_state *state = memory;
    const struct remote_args *remote = args;
    state->remote_toggle ^= 1;
    state->remote_address = (uint8_t)remote->address;
    state->remote_data = (uint8_t)remote->key;
    bool is_ours = remote->address == 0 || remote->address == 8;
    if (!state->options.has_remote_drive || !is_ours)
        return true;
    if (remote->key == 0) {
        epuck2_sounds_obey(&state->play, 1u << (EPUCK2_SOUND_MARIO - 1), now_us);
        return true;
    }
    const int16_t *speeds = key_speeds[remote->key <= 9 ? remote->key : 0];
    epuck2_motion_speeds(state, speeds[EPUCK2_LEFT], speeds[EPUCK2_RIGHT], now_us);
    return true;
}

static const struct option_row remote_rows[] = {
    ROW_INTEGER("key", remote_args, key, "", 0, 127, NULL,
                "1 to 9 drive, 5 and others stop, 0 plays a sound"),
    ROW_INTEGER("address", remote_args, address, "", 0, 31, "0", "the robot obeys 0 and 8"),
};

/* ---- Parts on top of the robot ---- */

struct selector_args {
    int64_t position;
};

static bool run_selector(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct epuck2_state *state = memory;
    const struct selector_args *selector = args;
    state->selector =
        (uint8_t)(selector->position < 0 ? (state->selector + 1) % 16 : selector->position);
    return true;
}

static const struct option_row selector_rows[] = {
    ROW_INTEGER("position", selector_args, position, "", -1, 15, "-1", "-1: the next one"),
};

struct sd_args {
    bool is_present;
};

static bool run_sd(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct epuck2_state *state = memory;
    const struct sd_args *sd = args;
    state->has_sd = sd->is_present;
    return true;
}

static const struct option_row sd_rows[] = {ROW_BOOL("present", sd_args, is_present, "yes")};

/* ---- Holding the robot by hand ---- */

struct tilt_args {
    double roll_rad, pitch_rad;
};

static bool run_tilt(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct epuck2_state *state = memory;
    const struct tilt_args *tilt = args;
    state->inertia.roll_rad = tilt->roll_rad;
    state->inertia.pitch_rad = tilt->pitch_rad;
    return true;
}

static const struct option_row tilt_rows[] = {
    ROW_SCALED("roll", tilt_args, roll_rad, "deg", ANGLE_RAD_DEG, -180, 180, "0",
               "right side down"),
    ROW_SCALED("pitch", tilt_args, pitch_rad, "deg", ANGLE_RAD_DEG, -180, 180, "0", "nose down"),
};

static const struct command_row command_rows[] = {
    COMMAND_ROW("remote", remote_rows, remote_args, run_remote, "press a key of a TV remote (RC5)"),
    COMMAND_ROW("selector", selector_rows, selector_args, run_selector, "turn the selector on top"),
    COMMAND_ROW("sd", sd_rows, sd_args, run_sd, "insert or remove a micro SD card"),
    COMMAND_ROW("tilt", tilt_rows, tilt_args, run_tilt,
                "tilt the robot: affects acceleration and magnetic field"),
};

/* ---- The interface of a robot type ---- */

static int64_t next_due(const struct epuck2_state *state)
{
    int64_t due = state->sense_due_us;
    due = state->play.until_us < due ? state->play.until_us : due;
    due = state->sercom.due_us < due ? state->sercom.due_us : due;
    return state->stream.due_us < due ? state->stream.due_us : due;
}

static int64_t epuck2_reset(void *memory, const struct robot_start *start)
{
    struct epuck2_state *state = memory;
    memset(state, 0, sizeof *state);
    option_copy(option_rows, COUNT(option_rows), start->options, &state->options);
    state->start_us = start->now_us;
    state->sense_due_us = start->now_us;
    state->prox_key = rng_key(start->rng_key, "prox");
    state->inertia_key = rng_key(start->rng_key, "inertia");
    state->other_key = rng_key(start->rng_key, "senses");
    state->has_sd = state->options.has_sd;
    state->selector = (uint8_t)state->options.selector;
    epuck2_motion_reset(state, start->now_us);
    epuck2_sounds_stop(&state->play);
    state->stream.due_us = ROBOT_NEVER;
    if (start->hosts[EPUCK2_WIFI].is_present)
        epuck2_host_present(state, true, start->now_us);
    epuck2_sercom_reset(state, start->has_booted, start->now_us);
    return next_due(state);
}

static int64_t epuck2_host(void *memory, unsigned channel, bool present, int64_t now_us)
{
    struct epuck2_state *state = memory;
    if (channel == EPUCK2_WIFI)
        epuck2_host_present(state, present, now_us);
    return next_due(state);
}

static int64_t epuck2_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                         int64_t now_us)
{
    struct epuck2_state *state = memory;
    bool uses_bad_id =
        state->options.bad_id == EPUCK2_BAD_ID_USE && state->stream.phase == EPUCK2_STREAMING;
    if (channel == EPUCK2_SERIAL) {
        epuck2_sercom_rx(state, bytes, size, now_us);
        return next_due(state);
    }
    for (size_t i = 0; i < size; i++)
        if (epuck2_framer_push(&state->framer, bytes[i], uses_bad_id, &state->stats[channel]))
            epuck2_host_arrived(state, now_us);
    return next_due(state);
}

static void sense_pass(struct epuck2_state *state, const struct robot_sensors *sensors,
                       int64_t now_us)
{
    epuck2_power_read(state, sensors);
    epuck2_motion_advance(state, now_us);
    epuck2_senses_pass(state, sensors);
    if (state->sense_passes % 2 == 0)
        epuck2_motion_pass(state, now_us);
    epuck2_host_poll(state, now_us);
    state->sense_due_us += EPUCK2_SENSE_PERIOD_US;
}

/* Executes the action that is due at DUE_US. If several actions are due, sending is the last
 * one. */
static void run_due(struct epuck2_state *state, const struct robot_sensors *sensors,
                    const struct robot_tx *tx, int64_t due_us)
{
    if (state->play.until_us == due_us)
        epuck2_sounds_next(&state->play);
    else if (state->sense_due_us == due_us)
        sense_pass(state, sensors, due_us);
    else if (state->sercom.due_us == due_us)
        epuck2_sercom_send(state, &sensors->image, tx, due_us);
    else
        epuck2_host_turn(state, &sensors->image, tx, due_us);
}

static int64_t epuck2_tick(void *memory, const struct robot_sensors *sensors,
                           struct robot_actuators *actuators, const struct robot_tx *tx,
                           int64_t now_us)
{
    struct epuck2_state *state = memory;
    int64_t due_us;
    state->stream.is_picture_due = false;
    while ((due_us = next_due(state)) <= now_us)
        run_due(state, sensors, tx, due_us);
    epuck2_lamps_update(state, now_us);
    for (int i = 0; i < EPUCK2_WHEELS; i++) {
        const struct epuck2_wheel *wheel = &state->motion.wheel[i];
        actuators->motor[i] = wheel->true_steps_s * EPUCK2_RAD_PER_STEP;
        actuators->motor_free[i] = wheel->driven == 0; /* the coils are off */
    }
    actuators->sound_hz = state->play.hz;
    actuators->sound_level = state->play.hz > 0 ? 1 : 0;
    actuators->charge_rate_1_s = epuck2_power_charge_rate(state);
    actuators->wants_image = state->stream.is_picture_due || state->sercom.wants_picture;
    state->sercom.wants_picture = false;
    return due_us;
}

/* Drivers compute the heading from the wheels too. Here it uses the true sizes of the machine. */
static void epuck2_odometry(const void *memory, struct robot_odometry *odometry)
{
    const struct epuck2_state *state = memory;
    double step_m = EPUCK2_RAD_PER_STEP * state->options.wheel_diameter_m / 2;
    double wrap = 65536;
    odometry->kind = ROBOT_ODOMETRY_WHEELS;
    odometry->left_m = (uint16_t)state->last.sensors.left_steps * step_m;
    odometry->right_m = (uint16_t)state->last.sensors.right_steps * step_m;
    odometry->wrap_m = wrap * step_m;
    odometry->heading_rad =
        (state->odometry_steps[EPUCK2_RIGHT] - state->odometry_steps[EPUCK2_LEFT]) * step_m /
        state->options.axle_m;
}

static const char *const buttons[] = {"user", NULL};

const struct robot_type epuck2_type = {
    .name = "epuck2",
    .title = "GCtronic e-puck2",
    ROBOT_TABLES(epuck2_state, epuck2_options),
    ROBOT_MIRRORS,
    ROBOT_COMMANDS,
    .appearance = &epuck2_appearance,
    .packets = epuck2_packets,
    .buttons = buttons,
    .storage_offset = SIZE_MAX,
    .boots_offset = SIZE_MAX,
    .body = epuck2_body,
    .battery_charge = epuck2_battery_charge,
    ROBOT_FUNCTIONS(epuck2),
    .host = epuck2_host,
    .odometry = epuck2_odometry,
};
