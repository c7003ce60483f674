/* The tables of the Kobuki that other parts of the program read: options, commands, signals,
 * looks, body. */
#ifndef PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_ROWS_H
#define PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_ROWS_H

#include <stddef.h>

#include "protocols/kobuki/kobuki.h"
#include "protocols/robot.h"

enum {
    KOBUKI_OPTION_COUNT = 22,
    KOBUKI_COMMAND_COUNT = 3,
    KOBUKI_SIGNAL_COUNT = 72,
    KOBUKI_MIRROR_COUNT = 22,
    KOBUKI_LOOK_COUNT = 40,
};

extern const struct option_row kobuki_option_rows[KOBUKI_OPTION_COUNT];
extern const struct command_row kobuki_command_rows[KOBUKI_COMMAND_COUNT];
extern const struct signal_row kobuki_signal_rows[KOBUKI_SIGNAL_COUNT];
extern const struct signal_mirror kobuki_mirror_rows[KOBUKI_MIRROR_COUNT];
extern const struct look_row kobuki_look_rows[KOBUKI_LOOK_COUNT];
extern const char *const kobuki_button_names[];

/* Fills the machine; see robot_type.body. */
void kobuki_body(const void *options, struct robot_body *body);

#endif
