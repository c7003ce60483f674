/* Options and commands of the Kobuki. */
#include "protocols/kobuki/kobuki_rows.h"

#include <stddef.h>

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

const struct option_row kobuki_option_rows[KOBUKI_OPTION_COUNT] = {
    {.key = "firmware",
     .type = OPTION_CHOICE,
     AT(firmware),
     .fallback = "1.2.0",
     .choices = firmware_words,
     .note =
         "below 1.1.2: two-byte versions; below 1.2.0: no gain commands; 2.0.0: drivers refuse"},
    {.key = "hardware",
     .type = OPTION_CHOICE,
     AT(hardware),
     .fallback = "1.0.4",
     .choices = hardware_words,
     .note = "hardware version, 1.0.4 in the field"},
    {.key = "udid",
     .type = OPTION_TEXT,
     AT(udid),
     .size = sizeof((struct kobuki_options *)0)->udid,
     .fallback = "",
     .note = "A-B-C in decimal, or any text; empty: made from the scene's seed and the name"},
    {.key = "udid_always",
     .type = OPTION_BOOL,
     AT(is_udid_always),
     .fallback = "no",
     .note = "UDID and versions in every packet, not only on request"                                                                                             },
    {.key = "battery_v",
     .type = OPTION_NUMBER,
     AT(battery_v),
     .unit = "V",
     RANGE(10.7,                                                                                            16.7),
     .fallback = "16.5",
     .note = "at the start; chosen: nearly full"},
    {.key = "battery_pack",
     .type = OPTION_CHOICE,
     AT(battery_pack),
     .fallback = "4s1p",
     .choices = pack_words,
     .note = "4s1p: 2200 mAh, 4s2p: 4400 mAh"},
    {.key = "watchdog_s",
     .type = OPTION_NUMBER,
     AT(watchdog_s),
     .unit = "s",
     RANGE(0,                                                                                            3600),
     .fallback = "1.5",
     .note = "silence that stops the wheels; 0: off; chosen: the real time is unknown"},
    {.key = "command_dead_time_s",
     .type = OPTION_NUMBER,
     AT(command_dead_time_s),
     .unit = "s",
     RANGE(0,                                                                                                      5),
     .fallback = "0",
     .note = "from base control to wheels; 0.2 was measured once (yujinrobot/kobuki#389)"},
    {.key = "timestamp_start_ms",
     .type = OPTION_INTEGER,
     AT(timestamp_start_ms),
     .unit = "ms",
     RANGE(0, 65535),
     .fallback = "0",
     .note = "the robot's clock at power-on"},
    {.key = "left_encoder_start",
     .type = OPTION_INTEGER,
     AT(left_encoder_start),
     .unit = "tick",
     RANGE(0,                                                                                                  65535),
     .fallback = "0",
     .note = "count at power-on"},
    {.key = "right_encoder_start",
     .type = OPTION_INTEGER,
     AT(right_encoder_start),
     .unit = "tick",
     RANGE(0,                                                                                                     65535),
     .fallback = "0",
     .note = "count at power-on"},
    {.key = "angle_start_deg",
     .type = OPTION_NUMBER,
     AT(angle_start_deg),
     .unit = "deg",
     RANGE(-180,                                            180),
     .fallback = "0",
     .note = "inertia angle at power-on"},
    {.key = "gyro_rate_hz",
     .type = OPTION_NUMBER,
     AT(gyro_rate_hz),
     .unit = "Hz",
     RANGE(50,                                                                                                  150),
     .fallback = "101.42",
     .note = "of the samples; chosen: three in one packet of 35, else two"},
    {.key = "gyro_frame_start",
     .type = OPTION_INTEGER,
     AT(gyro_frame_start),
     RANGE(0,                                                                                        255),
     .fallback = "0",
     .note = "id of the first sample"},
    {.key = "gyro_lost_every",
     .type = OPTION_INTEGER,
     AT(gyro_lost_every),
     RANGE(0,                                                                                  1000000),
     .fallback = "0",
     .note = "every so many samples one is lost: gaps in the frame id; 0: none"},
    {.key = "gyro_bias_x",
     .type = OPTION_INTEGER,
     AT(gyro_bias[0]),
     RANGE(-1000,                                                                                               1000),
     .fallback = "38",
     .note = "digits of 0.00875 deg/s, raw samples only; as a captured robot"},
    {.key = "gyro_bias_y",
     .type = OPTION_INTEGER,
     AT(gyro_bias[1]),
     RANGE(-1000,                                                                                               1000),
     .fallback = "-107",
     .note = "as gyro_bias_x"},
    {.key = "gyro_bias_z",
     .type = OPTION_INTEGER,
     AT(gyro_bias[2]),
     RANGE(-1000,                                        1000),
     .fallback = "-70",
     .note = "as gyro_bias_x"},
    {.key = "cliff_threshold_m",
     .type = OPTION_NUMBER,
     AT(cliff_threshold_m),
     .unit = "m",
     RANGE(0.02,                                                                                 0.15),
     .fallback = "0.08",
     .note = "floor distance at which the cliff flag trips (yujinrobot/kobuki#236)"},
    {.key = "set_power",
     .type = OPTION_CHOICE,
     AT(set_power),
     .fallback = "accept",
     .choices = set_power_words,
     .note = "the obsolete command 8"},
    {.key = "checksum",
     .type = OPTION_CHOICE,
     AT(checksum),
     .fallback = "strict",
     .choices = checksum_words,
     .note = "lenient: also a checksum that leaves out the length, as some clients send"},
    {.key = "noise",
     .type = OPTION_BOOL,
     AT(has_noise),
     .fallback = "on",
     .note = "of gyro and cliff sensors, and the heading's error at low rates"                 },
};

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
    {.key = "channel", .type = OPTION_INTEGER, AT(input_args, channel),                           RANGE(0,      3)},
    {.key = "high",                .type = OPTION_BOOL,                          AT(input_args,     is_high), .fallback = "yes"},
};

static const struct option_row analog_rows[] = {
    {.key = "channel",  .type = OPTION_INTEGER, AT(analog_args, channel), RANGE(0, 3)},
    {.key = "volts",
     .type = OPTION_NUMBER,
     AT(analog_args,                                            volts),
     .unit = "V",
     RANGE(0,                                                                          3.3),
     .fallback = "3.3"},
    {.key = "open",
     .type = OPTION_BOOL,
     AT(analog_args,                         is_open),
     .fallback = "no",
     .note = "nothing connected: floats to the top"                                },
};

static const struct option_row board_rows[] = {
    {.key = "attached", .type = OPTION_BOOL, AT(board_args, is_attached), .fallback = "yes"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct command_row kobuki_command_rows[KOBUKI_COMMAND_COUNT] = {
    {.name = "input",
     .args = input_rows,
     .arg_count = COUNT(input_rows),
     .args_size = sizeof(struct input_args),
     .run = run_input,
     .note = "level of a digital input of the expansion port"                  },
    {.name = "analog",
     .args = analog_rows,
     .arg_count = COUNT(analog_rows),
     .args_size = sizeof(struct analog_args),
     .run = run_analog,
     .note = "voltage at an analog input of the expansion port"                },
    {.name = "test_board",
     .args = board_rows,
     .arg_count = COUNT(board_rows),
     .args_size = sizeof(struct board_args),
     .run = run_test_board,
     .note = "a test board on the expansion port: bit 64 of the digital inputs"},
};
