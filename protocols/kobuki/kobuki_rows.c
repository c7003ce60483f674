/* Options and commands of the Kobuki. */
#include "protocols/kobuki/kobuki_rows.h"

#include <stddef.h>

#include "base/array.h"
#include "protocols/kobuki/kobuki_state.h"

/* ---- Options ---- */

static const char *const firmware_words[] = {"1.0.0", "1.1.0", "1.1.1", "1.1.2", "1.1.3",
                                             "1.1.4", "1.2.0", "1.3.0", "2.0.0", NULL};
static const char *const hardware_words[] = {"1.0.0", "1.0.1", "1.0.2", "1.0.3", "1.0.4", NULL};
static const char *const pack_words[] = {"4s1p", "4s2p", NULL};
static const char *const set_power_words[] = {"accept", "ignore", NULL};
static const char *const checksum_words[] = {"strict", "lenient", NULL};

#define AT(member)       .offset = offsetof(struct kobuki_options, member)
#define RANGE(low, high) .min = (low), .max = (high)
#define CHOICE(name, member, normal, words, text)                                                  \
    {                                                                                              \
        .key = (name), .type = OPTION_CHOICE, AT(member), .fallback = (normal),                    \
        .choices = (words), .note = (text)                                                         \
    }
#define SWITCH(name, member, normal, text)                                                         \
    {                                                                                              \
        .key = (name), .type = OPTION_BOOL, AT(member), .fallback = (normal), .note = (text)       \
    }
#define NUMBER(name, member, units, low, high, normal, text)                                       \
    {                                                                                              \
        .key = (name), .type = OPTION_NUMBER, AT(member), .unit = (units), RANGE(low, high),       \
        .fallback = (normal), .note = (text)                                                       \
    }
#define INTEGER(name, member, units, low, high, normal, text)                                      \
    {                                                                                              \
        .key = (name), .type = OPTION_INTEGER, AT(member), .unit = (units), RANGE(low, high),      \
        .fallback = (normal), .note = (text)                                                       \
    }

const struct option_row kobuki_option_rows[KOBUKI_OPTION_COUNT] = {
    CHOICE("firmware", firmware, "1.2.0", firmware_words,
           "below 1.1.2: two-byte versions; below 1.2.0: no gain commands; 2.0.0: drivers refuse"),
    CHOICE("hardware", hardware, "1.0.4", hardware_words, "hardware version, 1.0.4 in the field"),
    {.key = "udid",
     .type = OPTION_TEXT,
     AT(udid),
     .size = sizeof((struct kobuki_options *)0)->udid,
     .fallback = "",
     .note = "A-B-C in decimal, or any text; empty: made from the scene's seed and the name"},
    SWITCH("udid_always", is_udid_always, "no",
           "UDID and versions in every packet, not only on request"),
    NUMBER("battery_v", battery_v, "V", 10.7, 16.7, "16.5", "at the start; chosen: nearly full"),
    CHOICE("battery_pack", battery_pack, "4s1p", pack_words, "4s1p: 2200 mAh, 4s2p: 4400 mAh"),
    NUMBER("watchdog_s", watchdog_s, "s", 0, 3600, "1.5",
           "silence that stops the wheels; 0: off; chosen: the real time is unknown"),
    NUMBER("command_dead_time_s", command_dead_time_s, "s", 0, 5, "0",
           "from base control to wheels; 0.2 was measured once (yujinrobot/kobuki#389)"),
    INTEGER("timestamp_start_ms", timestamp_start_ms, "ms", 0, 65535, "0",
            "the robot's clock at power-on"),
    INTEGER("left_encoder_start", left_encoder_start, "tick", 0, 65535, "0", "count at power-on"),
    INTEGER("right_encoder_start", right_encoder_start, "tick", 0, 65535, "0", "count at power-on"),
    NUMBER("angle_start_deg", angle_start_deg, "deg", -180, 180, "0", "inertia angle at power-on"),
    NUMBER("gyro_rate_hz", gyro_rate_hz, "Hz", 50, 150, "101.42",
           "of the samples; chosen: three in one packet of 35, else two"),
    INTEGER("gyro_frame_start", gyro_frame_start, NULL, 0, 255, "0", "id of the first sample"),
    INTEGER("gyro_lost_every", gyro_lost_every, NULL, 0, 1000000, "0",
            "every so many samples one is lost: gaps in the frame id; 0: none"),
    INTEGER("gyro_bias_x", gyro_bias[0], NULL, -1000, 1000, "38",
            "digits of 0.00875 deg/s, raw samples only; as a captured robot"),
    INTEGER("gyro_bias_y", gyro_bias[1], NULL, -1000, 1000, "-107", "as gyro_bias_x"),
    INTEGER("gyro_bias_z", gyro_bias[2], NULL, -1000, 1000, "-70", "as gyro_bias_x"),
    NUMBER("cliff_threshold_m", cliff_threshold_m, "m", 0.02, 0.15, "0.08",
           "floor distance at which the cliff flag trips (yujinrobot/kobuki#236)"),
    CHOICE("set_power", set_power, "accept", set_power_words, "the obsolete command 8"),
    CHOICE("checksum", checksum, "strict", checksum_words,
           "lenient: also one that leaves out the length, or it and the first id, as clients do"),
    SWITCH("noise", has_noise, "on",
           "of gyro and cliff sensors, and the heading's error at low rates"),
};

#undef INTEGER
#undef NUMBER
#undef SWITCH
#undef CHOICE
#undef AT

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
    (void)now_us;
    (void)error;
    struct kobuki_state *robot = state;
    const struct input_args *input = args;
    set_bit(&robot->digital_inputs, (uint16_t)(1u << input->channel), input->is_high);
    return true;
}

static bool run_analog(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us;
    (void)error;
    struct kobuki_state *robot = state;
    const struct analog_args *analog = args;
    robot->has_analog[analog->channel] = !analog->is_open;
    robot->analog_v[analog->channel] = analog->is_open ? 0 : analog->volts;
    return true;
}

static bool run_test_board(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us;
    (void)error;
    struct kobuki_state *robot = state;
    const struct board_args *board = args;
    set_bit(&robot->digital_inputs, KOBUKI_TEST_BOARD, board->is_attached);
    return true;
}

#define AT(tag, member) .offset = offsetof(struct tag, member)

static const struct option_row input_rows[] = {
    {.key = "channel", .type = OPTION_INTEGER, AT(input_args, channel), RANGE(0, 3)},
    {.key = "high", .type = OPTION_BOOL, AT(input_args, is_high), .fallback = "yes"},
};

static const struct option_row analog_rows[] = {
    {.key = "channel", .type = OPTION_INTEGER, AT(analog_args, channel), RANGE(0, 3)},
    {.key = "volts",
     .type = OPTION_NUMBER,
     AT(analog_args, volts),
     .unit = "V",
     RANGE(0, 3.3),
     .fallback = "3.3"},
    {.key = "open",
     .type = OPTION_BOOL,
     AT(analog_args, is_open),
     .fallback = "no",
     .note = "nothing connected: floats to the top"},
};

static const struct option_row board_rows[] = {
    {.key = "attached", .type = OPTION_BOOL, AT(board_args, is_attached), .fallback = "yes"},
};

const struct command_row kobuki_command_rows[KOBUKI_COMMAND_COUNT] = {
    {.name = "input",
     .args = input_rows,
     .arg_count = COUNT(input_rows),
     .args_size = sizeof(struct input_args),
     .run = run_input,
     .note = "level of a digital input of the expansion port"},
    {.name = "analog",
     .args = analog_rows,
     .arg_count = COUNT(analog_rows),
     .args_size = sizeof(struct analog_args),
     .run = run_analog,
     .note = "voltage at an analog input of the expansion port"},
    {.name = "test_board",
     .args = board_rows,
     .arg_count = COUNT(board_rows),
     .args_size = sizeof(struct board_args),
     .run = run_test_board,
     .note = "a test board on the expansion port: bit 64 of the digital inputs"},
};
