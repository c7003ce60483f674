/* The tables of the robot that other parts of the program read: options, commands, signals, looks,
 * body. */
#ifndef PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_ROWS_H
#define PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_ROWS_H

#include <stddef.h>

#include "protocols/epuck2/epuck2.h"
#include "protocols/robot.h"

enum {
    EPUCK2_OPTION_COUNT = 21,
    EPUCK2_COMMAND_COUNT = 4,
    EPUCK2_SIGNAL_COUNT = 88,
    EPUCK2_MIRROR_COUNT = 2,
    EPUCK2_LOOK_COUNT = 56,
};

extern const struct option_row epuck2_option_rows[EPUCK2_OPTION_COUNT];
extern const struct command_row epuck2_command_rows[EPUCK2_COMMAND_COUNT];
extern const struct signal_row epuck2_signal_rows[EPUCK2_SIGNAL_COUNT];
extern const struct signal_mirror epuck2_mirror_rows[EPUCK2_MIRROR_COUNT];
extern const struct look_row epuck2_look_rows[EPUCK2_LOOK_COUNT];

/* Fills the machine; see robot_type.body. */
void epuck2_body(const void *options, struct robot_body *body);

#endif
