/* A Kobuki from above. Sizes of body, wheels and bumpers are true; the places of the panel's parts
 * are read off the pictures of anatomy.rst, roughly. */
#include "protocols/kobuki/kobuki_rows.h"

#define RAD(degrees) ((degrees)*0.017453292519943295769)

/* 0xRRGGBBAA */
#define BODY_COLOR   0x2B2E33FFu
#define RIM_COLOR    0x17191CFFu
#define WHEEL_COLOR  0x0E0F11FFu
#define PLATE_COLOR  0x3A3E45FFu
#define BUMPER_COLOR 0x4A4F57FFu
#define MARK_COLOR   0xC8CCD2FFu
#define PAD_COLOR    0x5A606AFFu
#define LAMP_COLOR   0x1B1D20FFu
#define RED          0xFF3B30FFu
#define GREEN        0x34C759FFu
#define ORANGE       0xFF9500FFu
#define CLEAR        0x00000000u
#define HIT          0xFF453AFFu

#define ROUND(kind, length, width, shown)                                                          \
    {                                                                                              \
        .shape = (kind), .length_m = (length), .width_m = (width), .color = (shown),               \
        .lit_color = (shown)                                                                       \
    }
#define FRONT_MARK                                                                                 \
    {                                                                                              \
        .shape = LOOK_LINE, .x_m = 0.04, .length_m = 0.09, .width_m = 0.006, .color = MARK_COLOR,  \
        .lit_color = MARK_COLOR, .label = "front"                                                  \
    }
#define WHEEL(y)                                                                                   \
    {                                                                                              \
        .shape = LOOK_BOX, .y_m = (y), .length_m = 0.07, .width_m = 0.021, .color = WHEEL_COLOR,   \
        .lit_color = WHEEL_COLOR                                                                   \
    }
#define BUMPER(from, to, name)                                                                     \
    {                                                                                              \
        .shape = LOOK_ARC, .length_m = 0.345, .width_m = 0.014, .from_rad = RAD(from),             \
        .to_rad = RAD(to), .color = BUMPER_COLOR, .lit_color = HIT, .lit_by = "bumper_" name,      \
        .click = "press bumper=" name, .label = name " bumper"                                     \
    }
#define CLIFF(x, y, name)                                                                          \
    {                                                                                              \
        .shape = LOOK_DISC, .x_m = (x), .y_m = (y), .length_m = 0.012, .width_m = 0.012,           \
        .color = PLATE_COLOR, .lit_color = HIT, .lit_by = "cliff_" name, .label = name " cliff"    \
    }
#define BUTTON(y, name)                                                                            \
    {                                                                                              \
        .shape = LOOK_DISC, .x_m = -0.11, .y_m = (y), .length_m = 0.022, .width_m = 0.022,         \
        .color = PAD_COLOR, .lit_color = MARK_COLOR, .lit_by = "button_" name,                     \
        .click = "press button=" name, .label = name                                               \
    }
#define LAMP(x, y, shown, by, words)                                                               \
    {                                                                                              \
        .shape = LOOK_DISC, .x_m = (x), .y_m = (y), .length_m = 0.012, .width_m = 0.012,           \
        .color = CLEAR, .lit_color = (shown), .lit_by = (by), .label = (words)                     \
    }
#define SOCKET(x, y)                                                                               \
    {                                                                                              \
        .shape = LOOK_DISC, .x_m = (x), .y_m = (y), .length_m = 0.014, .width_m = 0.014,           \
        .color = LAMP_COLOR, .lit_color = LAMP_COLOR                                               \
    }

const struct look_row kobuki_look_rows[KOBUKI_LOOK_COUNT] = {
    ROUND(LOOK_DISC, 0.352, 0.352, BODY_COLOR),
    ROUND(LOOK_RING, 0.350, 0.004, RIM_COLOR),
    WHEEL(0.115),
    WHEEL(-0.115),
    ROUND(LOOK_DISC, 0.200, 0.200, PLATE_COLOR),
    BUMPER(30, 90, "left"),
    BUMPER(-30, 30, "center"),
    BUMPER(-90, -30, "right"),
    CLIFF(0.08734, 0.13601, "left"),
    CLIFF(0.156, 0, "center"),
    CLIFF(0.085, -0.13601, "right"),
    FRONT_MARK,
    BUTTON(0.035, "b0"),
    BUTTON(0, "b1"),
    BUTTON(-0.035, "b2"),
    SOCKET(-0.14, 0.03),
    LAMP(-0.14, 0.03, RED, "led1_red", "LED1"),
    LAMP(-0.14, 0.03, GREEN, "led1_green", "LED1"),
    LAMP(-0.14, 0.03, ORANGE, "led1_orange", "LED1"),
    SOCKET(-0.14, 0),
    LAMP(-0.14, 0, RED, "led2_red", "LED2"),
    LAMP(-0.14, 0, GREEN, "led2_green", "LED2"),
    LAMP(-0.14, 0, ORANGE, "led2_orange", "LED2"),
    SOCKET(-0.14, -0.03),
    LAMP(-0.14, -0.03, GREEN, "status_green", "status"),
    LAMP(-0.14, -0.03, ORANGE, "status_orange", "status"),
};
