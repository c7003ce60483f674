/* The Kobuki as a robot type: its tables, power-on, received bytes, one pass of the loop. */
#include "protocols/kobuki/kobuki.h"

#include <stddef.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/rng.h"
#include "protocols/kobuki/kobuki_motion.h"
#include "protocols/kobuki/kobuki_power.h"
#include "protocols/kobuki/kobuki_senses.h"
#include "protocols/kobuki/kobuki_state.h"

static const struct channel_spec channels[] = {
    {.name = "uart",
     .baud = 115200, /* protocol.rst */
     .frame_max = KOBUKI_FEEDBACK_MAX,
     .device = "/dev/kobuki", /* kobuki_core: 60-kobuki.rules */
     .frames = {&kobuki_framing, &kobuki_framing},
     .framing = "`AA 55`, a byte with the length of the part before the checksum, one or more "
                "messages (each a byte of ID, a byte of length, and its body), and the exclusive "
                "or of all bytes after `AA 55`"},
};

/* ---- Options ---- */

static const char *const firmware_words[] = {"1.0.0", "1.1.0", "1.1.1", "1.1.2", "1.1.3",
                                             "1.1.4", "1.2.0", "1.3.0", "2.0.0", NULL};
static const char *const hardware_words[] = {"1.0.0", "1.0.1", "1.0.2", "1.0.3", "1.0.4", NULL};
static const char *const pack_words[] = {"4s1p", "4s2p", NULL};
static const char *const set_power_words[] = {"accept", "ignore", NULL};
static const char *const checksum_words[] = {"strict", "lenient", NULL};

#define NUMBER(key, ...)  ROW_NUMBER(key, kobuki_options, __VA_ARGS__)
#define INTEGER(key, ...) ROW_INTEGER(key, kobuki_options, __VA_ARGS__)
#define CHOICE(key, ...)  ROW_CHOICE(key, kobuki_options, __VA_ARGS__)
#define SWITCH(key, ...)  ROW_BOOL(key, kobuki_options, __VA_ARGS__)

static const char *const structure_words[] = {"bare", "turtlebot2", NULL};

static const struct option_row option_rows[] = {
    CHOICE("firmware", firmware, firmware_words, "1.2.0",
           "below 1.1.2: two-byte versions; below 1.2.0: no gain commands; 2.0.0: drivers refuse"),
    CHOICE("hardware", hardware, hardware_words, "1.0.4", "hardware version, 1.0.4 in the field"),
    ROW_TEXT("udid", kobuki_options, udid, "",
             "A-B-C in decimal, or any text; empty: made from the scene's seed and the name"),
    SWITCH("udid_always", is_udid_always, "no",
           "UDID and versions in every packet, not only on request"),
    NUMBER("battery_v", battery_v, "V", 10.7, 16.7, "16.5",
           "voltage at the start; chosen: nearly full"),
    CHOICE("battery_pack", battery_pack, pack_words, "4s1p", "4s1p: 2200 mAh, 4s2p: 4400 mAh"),
    NUMBER("watchdog_s", watchdog_s, "s", 0, 3600, "1.5",
           "gap between commands that stops the wheels; 0: off; chosen: the real time is unknown"),
    NUMBER("command_dead_time_s", command_dead_time_s, "s", 0, 5, "0",
           "delay from base control to wheels; 0.2 was measured once (yujinrobot/kobuki#389)"),
    INTEGER("timestamp_start_ms", timestamp_start_ms, "ms", 0, 65535, "0",
            "the robot's clock at power-on"),
    INTEGER("left_encoder_start", left_encoder_start, "tick", 0, 65535, "0", "count at power-on"),
    INTEGER("right_encoder_start", right_encoder_start, "tick", 0, 65535, "0", "count at power-on"),
    NUMBER("angle_start_deg", angle_start_deg, "deg", -180, 180, "0", "inertia angle at power-on"),
    NUMBER("gyro_rate_hz", gyro_rate_hz, "Hz", 50, 150, "101.42",
           "rate of the samples; chosen: three in one packet of 35, two in the others"),
    INTEGER("gyro_frame_start", gyro_frame_start, NULL, 0, 255, "0", "id of the first sample"),
    INTEGER("gyro_lost_every", gyro_lost_every, NULL, 0, 1000000, "0",
            "one sample in N is lost: gaps in the frame id; 0: no loss"),
    INTEGER("gyro_bias_x", gyro_bias[0], NULL, -1000, 1000, "38",
            "offset in digits of 0.00875 deg/s, raw samples only; as in a capture of a real robot"),
    INTEGER("gyro_bias_y", gyro_bias[1], NULL, -1000, 1000, "-107", "same as gyro_bias_x"),
    INTEGER("gyro_bias_z", gyro_bias[2], NULL, -1000, 1000, "-70", "same as gyro_bias_x"),
    NUMBER("cliff_threshold_m", cliff_threshold_m, "m", 0.02, 0.15, "0.08",
           "floor distance that trips the cliff flag (yujinrobot/kobuki#236)"),
    CHOICE("set_power", set_power, set_power_words, "accept", "the obsolete command 8"),
    CHOICE("checksum", checksum, checksum_words, "strict",
           "lenient: also accept a command without the length, or without length and first id, as "
           "some clients send it"),
    CHOICE("structure", structure, structure_words, "bare",
           "turtlebot2: with the posts and plates of a TurtleBot 2"),
    SWITCH("noise", has_noise, "on",
           "noise of gyro, cliff sensors and open inputs, and the heading's error at low rates"),
};

/* ---- Commands ---- */

struct input_args {
    int64_t channel;
    bool is_high;
};

struct analog_args {
    int64_t channel;
    double volts;
    bool is_open;
};

struct board_args {
    bool is_attached;
};

/* Bit of the digital input word that a DB25 test board sets (kobuki_msgs: SensorState.msg). */
static const uint16_t KOBUKI_TEST_BOARD = 64;

static void set_bit(uint16_t *word, uint16_t bit, bool is_set)
{
    *word = (uint16_t)(is_set ? *word | bit : *word & ~(unsigned)bit);
}

static bool run_input(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct kobuki_state *robot = state;
    const struct input_args *input = args;
    set_bit(&robot->digital_inputs, (uint16_t)(1u << input->channel), input->is_high);
    return true;
}

static bool run_analog(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct kobuki_state *robot = state;
    const struct analog_args *analog = args;
    robot->has_analog[analog->channel] = !analog->is_open;
    robot->analog_v[analog->channel] = analog->is_open ? 0 : analog->volts;
    return true;
}

static bool run_test_board(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct kobuki_state *robot = state;
    const struct board_args *board = args;
    set_bit(&robot->digital_inputs, KOBUKI_TEST_BOARD, board->is_attached);
    return true;
}

static const struct option_row input_rows[] = {
    ROW_INTEGER("channel", input_args, channel, "", 0, 3, NULL),
    ROW_BOOL("high", input_args, is_high, "yes"),
};

static const struct option_row analog_rows[] = {
    ROW_INTEGER("channel", analog_args, channel, "", 0, 3, NULL),
    ROW_NUMBER("volts", analog_args, volts, "V", 0, 3.3, "3.3"),
    ROW_BOOL("open", analog_args, is_open, "no", "not connected: floats to the maximum"),
};

static const struct option_row board_rows[] = {
    ROW_BOOL("attached", board_args, is_attached, "yes"),
};

static const struct command_row command_rows[] = {
    COMMAND_ROW("input", input_rows, input_args, run_input,
                "level of a digital input of the expansion port"),
    COMMAND_ROW("analog", analog_rows, analog_args, run_analog,
                "voltage at an analog input of the expansion port"),
    COMMAND_ROW("test_board", board_rows, board_args, run_test_board,
                "a test board on the expansion port: bit 64 of the digital inputs"),
};

/* ---- Signals ---- */

static const char *const melody_words[] = {
    "on", "off", "recharge", "button", "error", "cleaning_start", "cleaning_end", NULL};
static const char *const led_words[] = {"off", "red", "green", "orange", NULL};
static const char *const status_words[] = {"on", "low", "emergency", "charging", NULL};

#define SIGNAL(label, ...) SIGNAL_ROW(label, kobuki_state, __VA_ARGS__)

static const struct signal_row signal_rows[] = {
    /* Motion. */
    SIGNAL("left_target_m_s", motion.wheel[0].target_m_s, "m/s", "wanted wheel speed"),
    SIGNAL("right_target_m_s", motion.wheel[1].target_m_s, "m/s", "wanted wheel speed"),
    SIGNAL("left_duty", motion.wheel[0].duty, "", "PWM duty, -1..1"),
    SIGNAL("right_duty", motion.wheel[1].duty, "", "PWM duty, -1..1"),
    SIGNAL("left_current_a", motion.wheel[0].current_a, "A", "signed"),
    SIGNAL("right_current_a", motion.wheel[1].current_a, "A", "signed"),
    SIGNAL("left_ticks", motion.wheel[0].ticks, "tick", "since power-on, does not wrap"),
    SIGNAL("right_ticks", motion.wheel[1].ticks, "tick", "since power-on, does not wrap"),
    SIGNAL("left_over_current", motion.wheel[0].is_cut, "", "power of the motor is cut"),
    SIGNAL("right_over_current", motion.wheel[1].is_cut, "", "power of the motor is cut"),
    SIGNAL("over_currents", motion.overloads, "", "number of times that a motor was switched off"),
    SIGNAL("driven", motion.is_driven, "", "1 while a base control is active"),
    SIGNAL("watchdog_stops", motion.watchdog_stops, "", "stops by the watchdog"),
    SIGNAL("queued_commands", motion.queue_used, "", "base controls during the dead time"),
    SIGNAL("gain_type", gains.type, "", "0 factory, 1 user"),
    SIGNAL("gain_p", gains.p, "", "factory 100", .scale = 0.001),
    SIGNAL("gain_i", gains.i, "", "factory 0.1", .scale = 0.001),
    SIGNAL("gain_d", gains.d, "", "factory 2", .scale = 0.001),

    /* Sensors. */
    SIGNAL("bumper_right", bumper, "", "", .mask = 0x01),
    SIGNAL("bumper_center", bumper, "", "", .mask = 0x02),
    SIGNAL("bumper_left", bumper, "", "", .mask = 0x04),
    SIGNAL("wheel_drop_right", wheel_drop, "", "", .mask = 0x01),
    SIGNAL("wheel_drop_left", wheel_drop, "", "", .mask = 0x02),
    SIGNAL("cliff_right", cliff, "", "", .mask = 0x01),
    SIGNAL("cliff_center", cliff, "", "", .mask = 0x02),
    SIGNAL("cliff_left", cliff, "", "", .mask = 0x04),
    SIGNAL("button_b0", buttons, "", "", .mask = 0x01),
    SIGNAL("button_b1", buttons, "", "", .mask = 0x02),
    SIGNAL("button_b2", buttons, "", "", .mask = 0x04),
    SIGNAL("dock_right", dock[0], "", "bits that the receiver detects"),
    SIGNAL("dock_center", dock[1], "", "bits that the receiver detects"),
    SIGNAL("dock_left", dock[2], "", "bits that the receiver detects"),
    SIGNAL("gyro_angle_deg", gyro.angle_deg, "deg", "the firmware's heading"),
    SIGNAL("gyro_rate_deg_s", gyro.rate_deg_s, "deg/s", "bias removed"),
    SIGNAL("gyro_samples", gyro.index, "", "since power-on"),
    SIGNAL("digital_inputs", digital_inputs, "", "expansion port"),

    /* Power. */
    SIGNAL("battery_v", power.battery_v, "V", ""),
    SIGNAL("battery_charge", power.charge, "", "0 empty .. 1 full"),
    SIGNAL("charger", power.charger, "", "the byte of the protocol"),
    SIGNAL("charging", power.is_charging, "", ""),
    SIGNAL("charged", power.is_full, "", "1: on a charger and full"),
    SIGNAL("recharge_outlet", power.has_outlet, "", "19 V outlet, live while charging"),
    SIGNAL("outputs", power.outputs, "", "the output word"),
    SIGNAL("output0", power.outputs, "", "digital output", .mask = 0x0001),
    SIGNAL("output1", power.outputs, "", "digital output", .mask = 0x0002),
    SIGNAL("output2", power.outputs, "", "digital output", .mask = 0x0004),
    SIGNAL("output3", power.outputs, "", "digital output", .mask = 0x0008),
    SIGNAL("power_3v3", power.outputs, "", "rail", .mask = KOBUKI_OUTPUT_3V3),
    SIGNAL("power_5v", power.outputs, "", "rail", .mask = KOBUKI_OUTPUT_5V),
    SIGNAL("power_12v_5a", power.outputs, "", "rail", .mask = KOBUKI_OUTPUT_12V_5A),
    SIGNAL("power_12v_1a5", power.outputs, "", "rail", .mask = KOBUKI_OUTPUT_12V_1A5),

    /* Lamps. */
    SIGNAL("led1", power.led1, "", "", .names = led_words),
    SIGNAL("led2", power.led2, "", "", .names = led_words),
    SIGNAL("status", power.status, "", "state shown by the status lamp", .names = status_words),
    SIGNAL("led1_red", power.lamps, "", "color of the LED", .mask = KOBUKI_LAMP_LED1_RED),
    SIGNAL("led1_green", power.lamps, "", "color of the LED", .mask = KOBUKI_LAMP_LED1_GREEN),
    SIGNAL("led1_orange", power.lamps, "", "color of the LED", .mask = KOBUKI_LAMP_LED1_ORANGE),
    SIGNAL("led2_red", power.lamps, "", "color of the LED", .mask = KOBUKI_LAMP_LED2_RED),
    SIGNAL("led2_green", power.lamps, "", "color of the LED", .mask = KOBUKI_LAMP_LED2_GREEN),
    SIGNAL("led2_orange", power.lamps, "", "color of the LED", .mask = KOBUKI_LAMP_LED2_ORANGE),
    SIGNAL("status_green", power.lamps, "", "lit now, blinks", .mask = KOBUKI_LAMP_STATUS_GREEN),
    SIGNAL("status_orange", power.lamps, "", "lit now, blinks", .mask = KOBUKI_LAMP_STATUS_ORANGE),

    /* Sound. */
    SIGNAL("sound_hz", play.hz, "Hz", "0: silence"),
    SIGNAL("melody", play.sequence, "", "-1: none", .names = melody_words),
    SIGNAL("sounds", play.started, "", "notes and melodies started"),

    /* Host and identity. */
    SIGNAL("host_alive", is_host_alive, "", "1: valid frames within the time of the watchdog"),
    SIGNAL("packets", packets, "", "feedback packets since power-on"),
    SIGNAL("bad_values", bad_values, "", "commands with an invalid value"),
    SIGNAL("firmware_profile", options.firmware, "", "position in the list of the option"),
    SIGNAL("udid0", udid[0], "", ""),
    SIGNAL("udid1", udid[1], "", ""),
    SIGNAL("udid2", udid[2], "", ""),
};

static const struct signal_mirror mirror_rows[] = {
#define MIRROR(name, tag) {&kobuki_##name##_packet, offsetof(struct kobuki_state, last.name)},
    KOBUKI_PACKETS(MIRROR, MIRROR)
#undef MIRROR
};

/* ---- Identity ---- */

/* Reads one decimal number up to 2^32 - 1 and moves *AT past it. */
static bool udid_number(const char **at, uint32_t *number)
{
    uint64_t value = 0;
    const char *from = *at;
    for (; **at >= '0' && **at <= '9' && value <= UINT32_MAX; ++*at)
        value = value * 10 + (uint64_t)(**at - '0');
    *number = (uint32_t)value;
    return *at > from && value <= UINT32_MAX;
}

static bool udid_parse(const char *text, uint32_t udid[3])
{
    for (int i = 0; i < 3; i++) {
        if (!udid_number(&text, &udid[i]) || *text != (i < 2 ? '-' : '\0'))
            return false;
        text++;
    }
    return true;
}

static void udid_set(struct kobuki_state *state, uint64_t rng_of_robot)
{
    const char *text = state->options.udid;
    if (udid_parse(text, state->udid))
        return;
    uint64_t key = text[0] == '\0' ? rng_key(rng_of_robot, "udid")
                                   : hash_bytes(HASH_START, text, strlen(text));
    for (uint64_t i = 0; i < 3; i++)
        state->udid[i] = (uint32_t)(rng_u64(key, i) & UINT32_MAX);
}

/* ---- The interface of a robot type ---- */

static int64_t next_due(const struct kobuki_state *state)
{
    int64_t due = state->packet_due_us;
    due = state->control_due_us < due ? state->control_due_us : due;
    due = state->gyro.due_us < due ? state->gyro.due_us : due;
    return state->play.until_us < due ? state->play.until_us : due;
}

static int64_t kobuki_reset(void *memory, const struct robot_start *start)
{
    struct kobuki_state *state = memory;
    memset(state, 0, sizeof *state);
    option_copy(option_rows, COUNT(option_rows), start->options, &state->options);
    state->start_us = start->now_us;
    state->packet_due_us = start->now_us + KOBUKI_PACKET_PERIOD_US;
    state->control_due_us = start->now_us + KOBUKI_CONTROL_PERIOD_US;
    state->gyro_key = rng_key(start->rng_key, "gyro");
    state->adc_key = rng_key(start->rng_key, "adc");
    udid_set(state, start->rng_key);
    kobuki_gains_reset(&state->gains);
    kobuki_gyro_reset(state, start->now_us);
    kobuki_sounds_stop(&state->play);
    kobuki_power_reset(state);
    return next_due(state);
}

static int64_t kobuki_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                         int64_t now_us)
{
    (void)channel;
    struct kobuki_state *state = memory;
    bool is_lenient = state->options.checksum == KOBUKI_CHECKSUM_LENIENT;
    for (size_t i = 0; i < size; i++) {
        const uint8_t *payload;
        size_t payload_size;
        kobuki_framer_push(&state->framer, bytes[i]);
        while (
            kobuki_framer_next(&state->framer, is_lenient, &state->stats, &payload, &payload_size))
            kobuki_host_obey(state, payload, payload_size, now_us);
    }
    return next_due(state);
}

static void control_pass(struct kobuki_state *state, const struct robot_sensors *sensors)
{
    int64_t now_us = state->control_due_us;
    uint64_t pass = (uint64_t)((now_us - state->start_us) / KOBUKI_CONTROL_PERIOD_US);
    kobuki_senses_convert(state, sensors, pass);
    kobuki_host_watch(state, now_us);
    kobuki_motion_step(state, now_us);
    if (kobuki_power_read(state, sensors, now_us))
        kobuki_sounds_melody(&state->play, KOBUKI_MELODY_RECHARGE, now_us);
    kobuki_power_lamps(state, now_us);
    state->control_due_us += KOBUKI_CONTROL_PERIOD_US;
}

/* Executes the action that is due at DUE_US. If several actions are due, sending is the last
 * one. */
static void run_due(struct kobuki_state *state, const struct robot_sensors *sensors,
                    const struct robot_tx *tx, int64_t due_us)
{
    if (state->gyro.due_us == due_us) {
        kobuki_gyro_sample(state, sensors);
    } else if (state->play.until_us == due_us) {
        kobuki_sounds_next(&state->play);
    } else if (state->control_due_us == due_us) {
        control_pass(state, sensors);
    } else {
        kobuki_host_send(state, tx);
        state->packet_due_us += KOBUKI_PACKET_PERIOD_US;
    }
}

static int64_t kobuki_tick(void *memory, const struct robot_sensors *sensors,
                           struct robot_actuators *actuators, const struct robot_tx *tx,
                           int64_t now_us)
{
    struct kobuki_state *state = memory;
    kobuki_senses_read(state, sensors);
    int64_t due_us;
    while ((due_us = next_due(state)) <= now_us)
        run_due(state, sensors, tx, due_us);
    for (int i = 0; i < KOBUKI_WHEELS; i++) {
        actuators->motor[i] = state->motion.wheel[i].duty;
        actuators->motor_free[i] = state->motion.wheel[i].is_cut;
    }
    actuators->sound_hz = state->play.hz;
    actuators->sound_level = state->play.hz > 0 ? 1 : 0;
    actuators->charge_rate_1_s = kobuki_power_charge_rate(state);
    return due_us;
}

/* ---- Odometry as kobuki_node computes it: distance from the encoders, heading from the gyro ----
 */

static void kobuki_odometry(const void *state, struct robot_odometry *odometry)
{
    static const double M_PER_TICK = 0.000085292090497737556558; /* conversions.rst */
    const struct kobuki_messages *last = &((const struct kobuki_state *)state)->last;
    odometry->kind = ROBOT_ODOMETRY_WHEELS;
    odometry->left_m = last->basic.left_encoder * M_PER_TICK;
    odometry->right_m = last->basic.right_encoder * M_PER_TICK;
    odometry->wrap_m = 65536 * M_PER_TICK;
    odometry->heading_rad = last->inertia.angle * (0.01 * ANGLE_RAD_DEG);
}

static const char *const buttons[] = {"b0", "b1", "b2", NULL};

static const struct robot_answer answers[] = {
    {"hardware", "request_extra"},
    {"firmware", "request_extra"},
    {"hardware_legacy", "request_extra"},
    {"firmware_legacy", "request_extra"},
    {"udid", "request_extra"},
    {"controller_info", "get_gain"},
    {NULL, NULL},
};

const struct robot_type kobuki_type = {
    .name = "kobuki",
    .title = "Yujin Kobuki",
    ROBOT_TABLES(kobuki_state, kobuki_options),
    ROBOT_MIRRORS,
    ROBOT_COMMANDS,
    .appearance = &kobuki_appearance,
    .answers = answers,
    .packets = kobuki_packets,
    .buttons = buttons,
    .storage_offset = SIZE_MAX,
    .boots_offset = SIZE_MAX,
    .body = kobuki_body,
    .battery_charge = kobuki_battery_charge,
    ROBOT_FUNCTIONS(kobuki),
    .odometry = kobuki_odometry,
};
