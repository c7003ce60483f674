/* A COBOT from above: its plate and wheels, with the default sizes whatever the options say. */
#include "protocols/cobot/cobot_rows.h"

/* 0xRRGGBBAA */
#define PLATE_COLOR 0x3B4754FFu
#define DECK_COLOR  0x55636FFFu
#define WHEEL_COLOR 0x15171AFFu
#define MARK_COLOR  0xD8DDE3FFu
#define LAMP_COLOR  0x23282EFFu
#define GREEN       0x34C759FFu

#define BOX(x, y, length, width, shown)                                                            \
    {                                                                                              \
        .shape = LOOK_BOX, .x_m = (x), .y_m = (y), .length_m = (length), .width_m = (width),       \
        .color = (shown), .lit_color = (shown)                                                     \
    }

const struct look_row cobot_look_rows[COBOT_LOOK_COUNT] = {
    BOX(0.0925, 0.110, 0.080, 0.040, WHEEL_COLOR),
    BOX(-0.0925, 0.110, 0.080, 0.040, WHEEL_COLOR),
    BOX(0.0925, -0.110, 0.080, 0.040, WHEEL_COLOR),
    BOX(-0.0925, -0.110, 0.080, 0.040, WHEEL_COLOR),
    BOX(0, 0, 0.255, 0.170, PLATE_COLOR),
    BOX(-0.03, 0, 0.140, 0.120, DECK_COLOR),
    {.shape = LOOK_LINE,
     .x_m = 0.05,
     .length_m = 0.07,
     .width_m = 0.008,
     .color = MARK_COLOR,
     .lit_color = MARK_COLOR,
     .label = "front"},
    {.shape = LOOK_DISC,
     .x_m = -0.10,
     .length_m = 0.016,
     .width_m = 0.016,
     .color = LAMP_COLOR,
     .lit_color = GREEN,
     .lit_by = "driven",
     .label = "driven"},
};
