/* A COBOT from above: its plate and what is on it, of the default sizes whatever the options say,
 * and the wheels of its model. No picture of the inside is known: board and battery are guessed. */
#include "protocols/cobot/cobot_rows.h"

/* 0xRRGGBBAA */
#define PLATE_COLOR   0x3B4754FFu
#define EDGE_COLOR    0x5A6978FFu
#define DECK_COLOR    0x2C3640FFu
#define BOARD_COLOR   0x1F6F54FFu
#define CHIP_COLOR    0x14181CFFu
#define BATTERY_COLOR 0x2A4B78FFu
#define AXLE_COLOR    0x8A949EFFu
#define BAR_COLOR     0xC9D1D9FFu
#define MARK_COLOR    0xE6EAEEFFu
#define LAMP_COLOR    0x14181CFFu
#define GREEN         0x3BE06CFFu
#define ORANGE        0xFFA028FFu

#define BOX(x, y, length, width, shown)                                                            \
    {                                                                                              \
        .shape = LOOK_BOX, .x_m = (x), .y_m = (y), .length_m = (length), .width_m = (width),       \
        .color = (shown), .lit_color = (shown)                                                     \
    }
#define AXLE(x)                                                                                    \
    {                                                                                              \
        .shape = LOOK_LINE, .x_m = (x), .y_m = -0.105, .heading_rad = 1.5707963267948966,          \
        .length_m = 0.21, .width_m = 0.010, .color = AXLE_COLOR, .lit_color = AXLE_COLOR           \
    }
#define MARK(y, heading)                                                                           \
    {                                                                                              \
        .shape = LOOK_LINE, .x_m = 0.088, .y_m = (y), .heading_rad = (heading), .length_m = 0.024, \
        .width_m = 0.006, .color = MARK_COLOR, .lit_color = MARK_COLOR, .label = "front"           \
    }
#define LAMP(y, shown, by, words)                                                                  \
    {                                                                                              \
        .shape = LOOK_DISC, .x_m = -0.112, .y_m = (y), .length_m = 0.012, .width_m = 0.012,        \
        .color = LAMP_COLOR, .lit_color = (shown), .lit_by = (by), .label = (words)                \
    }

const struct look_row cobot_look_rows[COBOT_LOOK_COUNT] = {
    BOX(0, 0, 0.249, 0.164, PLATE_COLOR), /* first of all what the robot looks like from afar */
    AXLE(0.0925),
    AXLE(-0.0925),
    {.shape = LOOK_WHEELS, .width_m = 0.040},
    BOX(0, 0, 0.255, 0.170, EDGE_COLOR),
    BOX(0, 0, 0.249, 0.164, PLATE_COLOR),
    BOX(0.131, 0, 0.012, 0.120, BAR_COLOR),
    BOX(-0.062, 0, 0.080, 0.130, DECK_COLOR),
    BOX(-0.062, 0, 0.068, 0.118, BATTERY_COLOR),
    BOX(0.028, 0, 0.078, 0.112, BOARD_COLOR),
    BOX(0.030, 0.018, 0.024, 0.024, CHIP_COLOR),
    BOX(0.030, -0.026, 0.030, 0.016, CHIP_COLOR),
    BOX(0.004, 0, 0.008, 0.090, CHIP_COLOR),
    MARK(0.017, -0.7853981633974483),
    MARK(-0.017, 0.7853981633974483),
    LAMP(0.030, GREEN, "driven", "driven"),
    LAMP(-0.030, ORANGE, "charging", "charging"),
};
