/* The tables of the COBOT that other parts of the program read: options, signals, looks, body. */
#ifndef PTYBOT_PROTOCOLS_COBOT_COBOT_ROWS_H
#define PTYBOT_PROTOCOLS_COBOT_COBOT_ROWS_H

#include "protocols/cobot/cobot.h"
#include "protocols/robot.h"

enum {
    COBOT_OPTION_COUNT = 23,
    COBOT_SIGNAL_COUNT = 36,
    COBOT_MIRROR_COUNT = 8,
    COBOT_LOOK_COUNT = 17,
};

extern const struct option_row cobot_option_rows[COBOT_OPTION_COUNT];
extern const struct signal_row cobot_signal_rows[COBOT_SIGNAL_COUNT];
extern const struct signal_mirror cobot_mirror_rows[COBOT_MIRROR_COUNT];
extern const struct look_row cobot_look_rows[COBOT_LOOK_COUNT];
extern const char *const cobot_model_words[];

/* Fills the machine; see robot_type.body. */
void cobot_body(const void *chosen, struct robot_body *body);

#endif
