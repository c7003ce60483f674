/* The parameter block: factory values (pibotek/pibot_bringup: pypibot params.py), loading, saving.
 * Other files interpret the values each time they use them, so changes take effect immediately. */
#include "protocols/diff_board/diff_board_parameters.h"

#include <string.h>

#include "protocols/diff_board/diff_board_body.h"

/* ---- Factory values ---- */

bool diff_board_is_mega(const struct diff_board_options *options)
{
    return options->board == DIFF_BOARD_MEGA2560 || options->board == DIFF_BOARD_MEGA2560_SHIELD;
}

static void factory_gains(const struct diff_board_options *options,
                          struct diff_board_parameters *out)
{
    out->kp = 320;
    out->ki = 2700;
    if (diff_board_is_mega(options)) {
        out->kp = 75;
        out->ki = 2500;
    } else if (options->model == DIFF_BOARD_APOLLO_X) {
        out->kp = 250;
        out->ki = 1200;
    } else if (options->model == DIFF_BOARD_HADES_X) {
        out->kp = 250;
        out->ki = 2750;
    }
    out->kd = 0;
    out->ko = 10;
}

static void factory_limits(const struct diff_board_options *options,
                           struct diff_board_parameters *out)
{
    bool is_apollo = options->model == DIFF_BOARD_APOLLO || options->model == DIFF_BOARD_APOLLO_X;
    bool is_slow = is_apollo &&
                   (diff_board_is_mega(options) ||
                    (options->model == DIFF_BOARD_APOLLO && options->board == DIFF_BOARD_STM32F4));
    out->max_v_liner_x = is_slow ? 40 : 50;
    out->max_v_liner_y = is_apollo ? 0 : 50;
    out->max_v_angular_z = is_apollo ? 200 : 250;
}

static void factory(const struct diff_board_options *options,
                    struct diff_board_parameters *parameters)
{
    const struct diff_board_chassis *self = diff_board_chassis(options);
    memset(parameters, 0, sizeof *parameters);
    parameters->wheel_diameter = self->wheel_diameter_mm;
    parameters->wheel_track = self->wheel_track_mm;
    parameters->encoder_resolution = self->encoder_resolution;
    parameters->do_pid_interval = 10;
    factory_gains(options, parameters);
    parameters->cmd_last_time = 250;
    factory_limits(options, parameters);
    parameters->imu_type = diff_board_is_mega(options) ? 69 : 71; /* GY85, GY87 */
    parameters->motor_ratio = self->motor_ratio;
    parameters->model_type = self->kind;
    parameters->motor_nonexchange_flag = 0xFF;
    parameters->encoder_nonexchange_flag = 0xFF;
    memset(parameters->reserve, 0xFF, sizeof parameters->reserve);
    if (options->firmware == DIFF_BOARD_FIRMWARE_1_0_1) {
        /* It has counts per wheel turn, and its block ends before motor_ratio. */
        parameters->encoder_resolution = (uint16_t)(self->encoder_resolution * self->motor_ratio);
        parameters->motor_ratio = 0xFFFF;
        parameters->model_type = 0xFF;
    }
}

/* ---- Memory ---- */

/* Value of each byte of an erased EEPROM or flash. */
enum { DIFF_BOARD_ERASED = 0xFF };

static void memory_set(struct diff_board_state *state, const uint8_t *block)
{
    state->storage.size = DIFF_BOARD_BLOCK_SIZE;
    memcpy(state->storage.bytes, block, DIFF_BOARD_BLOCK_SIZE);
    wire_decode(&diff_board_parameters_packet, block, DIFF_BOARD_BLOCK_SIZE, &state->parameters);
}

void diff_board_memory_fresh(const struct diff_board_options *options,
                             enum diff_board_eeprom eeprom, uint8_t block[DIFF_BOARD_BLOCK_SIZE])
{
    if (eeprom == DIFF_BOARD_EEPROM_ERASED) {
        memset(block, DIFF_BOARD_ERASED, DIFF_BOARD_BLOCK_SIZE);
        return;
    }
    struct diff_board_parameters parameters;
    factory(options, &parameters);
    wire_encode(&diff_board_parameters_packet, &parameters, block);
}

void diff_board_memory_load(struct diff_board_state *state, const struct robot_storage *stored)
{
    uint8_t block[DIFF_BOARD_BLOCK_SIZE];
    if (!stored || stored->size == 0) {
        diff_board_memory_fresh(&state->options, (enum diff_board_eeprom)state->options.eeprom,
                                block);
    } else {
        size_t size = stored->size < sizeof block ? stored->size : sizeof block;
        memset(block, DIFF_BOARD_ERASED, sizeof block);
        memcpy(block, stored->bytes, size);
        state->storage.is_dirty = stored->is_dirty;
    }
    memory_set(state, block);
}

void diff_board_memory_save(struct diff_board_state *state,
                            const uint8_t block[DIFF_BOARD_BLOCK_SIZE])
{
    memory_set(state, block);
    state->storage.is_dirty = true;
}

/* Without a gear ratio (firmware 1.0.1) the counts are per wheel turn. */
static double ratio(const struct diff_board_state *state)
{
    bool is_old = state->options.firmware == DIFF_BOARD_FIRMWARE_1_0_1;
    return is_old ? 1 : state->parameters.motor_ratio;
}

double diff_board_target_counts(const struct diff_board_state *state)
{
    return (int16_t)state->parameters.encoder_resolution * ratio(state);
}

double diff_board_odometry_counts(const struct diff_board_state *state)
{
    return state->parameters.encoder_resolution * ratio(state);
}
