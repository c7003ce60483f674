/* Loading and saving parameters. What a block means is looked up where it is used: it acts live. */
#include "protocols/diff_board/diff_board_memory.h"

#include <string.h>

#include "protocols/diff_board/diff_board_models.h"

/* Erased EEPROM and flash read so. */
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
    struct diff_board_parameters factory;
    diff_board_factory(options, &factory);
    wire_encode(&diff_board_parameters_packet, &factory, block);
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

/* Without a gear ratio (firmware 1.0.1) the counts are those of the wheel. */
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

const struct diff_board_kinematics *diff_board_model(const struct diff_board_state *state)
{
    const struct diff_board_kinematics *chosen = NULL;
    if (state->options.firmware != DIFF_BOARD_FIRMWARE_1_0_1)
        chosen = diff_board_kinematics(state->parameters.model_type);
    return chosen ? chosen : diff_board_kinematics(diff_board_chassis(&state->options)->kind);
}
