/* Options and commands of the board. */
#include "protocols/diff_board/diff_board_rows.h"

#include <math.h>

#include "protocols/diff_board/diff_board_memory.h"
#include "protocols/diff_board/diff_board_motion.h"

/* ---- Options ---- */

static const char *const model_words[] = {"apollo",  "apollo_x", "zeus",  "hades",
                                          "hades_x", "hera",     "omni4", NULL};
static const char *const board_words[] = {"mega2560", "mega2560_shield", "stm32f1", "stm32f4",
                                          NULL};
static const char *const firmware_words[] = {"1.0.1", "2.0.0", NULL};
static const char *const eeprom_words[] = {"factory", "erased", NULL};

#define AT(member)       .offset = offsetof(struct diff_board_options, member)
#define RANGE(low, high) .min = (low), .max = (high)
#define CHOICE(name, member, words, standard, text)                                                \
    {                                                                                              \
        .key = (name), .type = OPTION_CHOICE, AT(member), .fallback = (standard),                  \
        .choices = (words), .note = (text)                                                         \
    }
#define SWITCH(name, member, standard, text)                                                       \
    {                                                                                              \
        .key = (name), .type = OPTION_BOOL, AT(member), .fallback = (standard), .note = (text)     \
    }
#define NUMBER(name, member, units, factor, low, high, standard, text)                             \
    {                                                                                              \
        .key = (name), .type = OPTION_NUMBER, AT(member), .unit = (units), .scale = (factor),      \
        RANGE(low, high), .fallback = (standard), .note = (text)                                   \
    }
#define INTEGER(name, member, low, high, text)                                                     \
    {                                                                                              \
        .key = (name), .type = OPTION_INTEGER, AT(member), .unit = "", RANGE(low, high),           \
        .fallback = "0", .note = (text)                                                            \
    }

const struct option_row diff_board_option_rows[DIFF_BOARD_OPTION_COUNT] = {
    CHOICE("model", model, model_words, "apollo",
           "the chassis and its factory parameters; omni4 is our own"),
    CHOICE("board", board, board_words, "stm32f1",
           "115200 baud, stm32f4 921600; decides the PWM range and the factory gains"),
    CHOICE("firmware", firmware, firmware_words, "2.0.0",
           "1.0.1: no ids 8 and 9, no motor_ratio, model_type and flags"),
    CHOICE("eeprom", eeprom, eeprom_words, "factory",
           "what a board without stored parameters starts with; erased: 64 x 0xFF"),
    NUMBER("turnaround_ms", turnaround_s, "ms", 0.001, 1, 1000, "1",
           "from a request to its reply; real boards need less than 1 ms and wire time"),
    SWITCH("auto_reset", has_auto_reset, "no",
           "the board boots when a host opens the port or sets DTR, as an Arduino does"),
    NUMBER("boot_s", boot_s, "s", 1, 0, 60, "1.6",
           "deaf and silent after an auto-reset: bootloader and start"),
    SWITCH("heading_lag", has_heading_lag, "yes",
           "differential odometry turns a step late, as in the firmware"),
    SWITCH("omni3_velocity_quirk", has_omni3_quirk, "no",
           "omni3 velocities in message 5 too small by 1000: 0, as in the firmware"),
    SWITCH("yaw_wrap", has_yaw_wrap, "no", "yaw modulo 628, as in a later derivative"),
    SWITCH("pwm_timeout", has_pwm_timeout, "no",
           "PWM 0 after twice cmd_last_time, as in a later derivative"),
    NUMBER("wheel_diameter_mm", wheel_diameter_m, "mm", 0.001, 0, 500, "0",
           "of the machine, whatever its parameters say; below 10: as the model"),
    NUMBER("wheel_track_mm", wheel_track_m, "mm", 0.001, 0, 1000, "0",
           "of the machine, as in the parameters; below 50: as the model"),
    INTEGER("encoder_counts", encoder_counts, 0, 1000000,
            "of the machine, per wheel turn; 0: that of the model"),
    INTEGER("motors_crossed", motors_crossed, 0, 15, "bits 0..3: motors 1..4 wired in reverse"),
    INTEGER("encoders_crossed", encoders_crossed, 0, 15,
            "bits 0..3: encoders 1..4 wired in reverse"),
    NUMBER("accel_noise_m_s2", accel_noise_m_s2, "m/s2", 1, 0, 10, "0.03",
           "standard deviation; chosen"),
    NUMBER("gyro_noise_rad_s", gyro_noise_rad_s, "rad/s", 1, 0, 10, "0.003",
           "standard deviation; chosen"),
    NUMBER("field_noise_mg", field_noise_mg, "mG", 1, 0, 1000, "2", "standard deviation; chosen"),
    NUMBER("gyro_bias_rad_s", gyro_bias_rad_s, "rad/s", 1, -10, 10, "0.01", "about z; chosen"),
};

void diff_board_options_copy(struct diff_board_options *to, const struct diff_board_options *from)
{
    to->model = from->model;
    to->board = from->board;
    to->firmware = from->firmware;
    to->eeprom = from->eeprom;
    to->turnaround_s = from->turnaround_s;
    to->boot_s = from->boot_s;
    to->has_auto_reset = from->has_auto_reset;
    to->has_heading_lag = from->has_heading_lag;
    to->has_omni3_quirk = from->has_omni3_quirk;
    to->has_yaw_wrap = from->has_yaw_wrap;
    to->has_pwm_timeout = from->has_pwm_timeout;
    to->wheel_diameter_m = from->wheel_diameter_m;
    to->wheel_track_m = from->wheel_track_m;
    to->encoder_counts = from->encoder_counts;
    to->motors_crossed = from->motors_crossed;
    to->encoders_crossed = from->encoders_crossed;
    to->accel_noise_m_s2 = from->accel_noise_m_s2;
    to->gyro_noise_rad_s = from->gyro_noise_rad_s;
    to->field_noise_mg = from->field_noise_mg;
    to->gyro_bias_rad_s = from->gyro_bias_rad_s;
}

/* ---- Commands ---- */

struct eeprom_args {
    int32_t contents; /* enum diff_board_eeprom */
};

static bool run_eeprom(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)error;
    struct diff_board_state *state = memory;
    const struct eeprom_args *wanted = args;
    uint8_t block[DIFF_BOARD_BLOCK_SIZE];
    diff_board_memory_fresh(&state->options, (enum diff_board_eeprom)wanted->contents, block);
    diff_board_memory_save(state, block);
    diff_board_motion_reschedule(state, now_us);
    return true;
}

static const struct option_row eeprom_rows[] = {
    {.key = "contents",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct eeprom_args, contents),
     .fallback = "factory",
     .choices = eeprom_words},
};

const struct command_row diff_board_command_rows[DIFF_BOARD_COMMAND_COUNT] = {
    {.name = "eeprom",
     .args = eeprom_rows,
     .arg_count = sizeof eeprom_rows / sizeof eeprom_rows[0],
     .args_size = sizeof(struct eeprom_args),
     .run = run_eeprom,
     .note = "writes factory or erased parameters, which act at once"},
};
