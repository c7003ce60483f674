/* The parameter block in the board's EEPROM or flash, and values derived from it. */
#pragma once

#include "protocols/diff_board/diff_board_state.h"

/* Whether the board is an Arduino Mega, with or without a shield. */
bool diff_board_is_mega(const struct diff_board_options *options);

/* Sets the memory at power-on: to STORED, or, if STORED is NULL, as the options define. */
void diff_board_memory_load(struct diff_board_state *state, const struct robot_storage *stored);

/* Saves a block. It takes effect immediately. */
void diff_board_memory_save(struct diff_board_state *state,
                            const uint8_t block[DIFF_BOARD_BLOCK_SIZE]);

/* Fills a block with the contents of a fresh memory. */
void diff_board_memory_fresh(const struct diff_board_options *options,
                             enum diff_board_eeprom eeprom, uint8_t block[DIFF_BOARD_BLOCK_SIZE]);

/* Encoder counts per wheel turn according to the parameters. For targets, the firmware reads
 * encoder_resolution as signed; the other value is for odometry. */
double diff_board_target_counts(const struct diff_board_state *state);
double diff_board_odometry_counts(const struct diff_board_state *state);
