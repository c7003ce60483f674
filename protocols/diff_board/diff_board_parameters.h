/* The parameter block in the board's EEPROM or flash, and what it means. */
#pragma once

#include "protocols/diff_board/diff_board_state.h"

/* Whether it is an Arduino Mega, with or without a shield. */
bool diff_board_is_mega(const struct diff_board_options *options);

/* Fills the memory at power-on: with STORED, or without one as the options say. */
void diff_board_memory_load(struct diff_board_state *state, const struct robot_storage *stored);

/* Saves a block, which takes effect at once. */
void diff_board_memory_save(struct diff_board_state *state,
                            const uint8_t block[DIFF_BOARD_BLOCK_SIZE]);

/* Fills a block with what a fresh memory holds. */
void diff_board_memory_fresh(const struct diff_board_options *options,
                             enum diff_board_eeprom eeprom, uint8_t block[DIFF_BOARD_BLOCK_SIZE]);

/* Encoder counts per wheel turn according to the parameters: for targets, where the firmware reads
 * encoder_resolution as signed, and for odometry. */
double diff_board_target_counts(const struct diff_board_state *state);
double diff_board_odometry_counts(const struct diff_board_state *state);
