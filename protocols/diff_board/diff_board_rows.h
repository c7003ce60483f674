/* The tables of the board that other parts of the program read: options, commands, signals, looks,
 * body. */
#ifndef PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_ROWS_H
#define PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_ROWS_H

#include <stddef.h>

#include "protocols/diff_board/diff_board.h"
#include "protocols/robot.h"

enum {
    DIFF_BOARD_OPTION_COUNT = 20,
    DIFF_BOARD_COMMAND_COUNT = 1,
    DIFF_BOARD_SIGNAL_COUNT = 36,
    DIFF_BOARD_MIRROR_COUNT = 9,
    DIFF_BOARD_LOOK_COUNT = 17,
};

extern const struct option_row diff_board_option_rows[DIFF_BOARD_OPTION_COUNT];
extern const struct command_row diff_board_command_rows[DIFF_BOARD_COMMAND_COUNT];
extern const struct signal_row diff_board_signal_rows[DIFF_BOARD_SIGNAL_COUNT];
extern const struct signal_mirror diff_board_mirror_rows[DIFF_BOARD_MIRROR_COUNT];
extern const struct look_row diff_board_look_rows[DIFF_BOARD_LOOK_COUNT];

/* Fills the machine; see robot_type.body. */
void diff_board_body(const void *options, struct robot_body *body);

/* Copies options member by member, so that no padding comes along. */
void diff_board_options_copy(struct diff_board_options *to, const struct diff_board_options *from);

#endif
