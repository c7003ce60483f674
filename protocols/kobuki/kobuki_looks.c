/* A Kobuki from above. Sizes of body, wheels and bumpers are true; the places of the panel's parts
 * are read off the pictures of anatomy.rst, roughly. What is below (casters, pads, sensors) shows
 * through. Casters: kobuki_description (urdf/kobuki.urdf.xacro). */
#include "protocols/kobuki/kobuki_rows.h"

#define RAD(degrees) ((degrees)*0.017453292519943295769)

/* 0xRRGGBBAA */
#define BODY_COLOR   0x25282DFFu
#define EDGE_COLOR   0x4B515AFFu
#define WELL_COLOR   0x16181BFFu
#define PLATE_COLOR  0x31353BFFu
#define PLATE_EDGE   0x464C55FFu
#define SCREW_COLOR  0x1B1D20FFu
#define BUMPER_COLOR 0x5A626DFFu
#define MARK_COLOR   0xE6EAEEFFu
#define PAD_COLOR    0x68707BFFu
#define LAMP_COLOR   0x141618FFu
#define GOLD         0xB08D3CFFu
#define BRIGHT_GOLD  0xFFD75EFFu
#define WINDOW       0x4A3550FFu
#define CASTER       0x3C4148FFu
#define RED          0xFF4B3EFFu
#define GREEN        0x3BE06CFFu
#define ORANGE       0xFFA028FFu
#define LIGHT        0x7FD4FFFFu
#define CLEAR        0x00000000u
#define HIT          0xFF5A36FFu

#define ROUND(kind, length, width, shown)                                                          \
    {                                                                                              \
        .shape = (kind), .length_m = (length), .width_m = (width), .color = (shown),               \
        .lit_color = (shown)                                                                       \
    }
#define SPOT(x, y, diameter, shown)                                                                \
    {                                                                                              \
        .shape = LOOK_DISC, .x_m = (x), .y_m = (y), .length_m = (diameter), .width_m = (diameter), \
        .color = (shown), .lit_color = (shown)                                                     \
    }
/* Two strokes that meet in front. */
#define FRONT_MARK(y, heading)                                                                     \
    {                                                                                              \
        .shape = LOOK_LINE, .x_m = 0.062, .y_m = (y), .heading_rad = RAD(heading),                 \
        .length_m = 0.036, .width_m = 0.007, .color = MARK_COLOR, .lit_color = MARK_COLOR,         \
        .label = "front"                                                                           \
    }
#define WELL(y, name)                                                                              \
    {                                                                                              \
        .shape = LOOK_BOX, .y_m = (y), .length_m = 0.080, .width_m = 0.030, .color = WELL_COLOR,   \
        .lit_color = HIT, .lit_by = "wheel_drop_" name, .label = name " wheel"                     \
    }
#define BUMPER(from, to, name)                                                                     \
    {                                                                                              \
        .shape = LOOK_ARC, .length_m = 0.336, .width_m = 0.016, .from_rad = RAD(from),             \
        .to_rad = RAD(to), .color = BUMPER_COLOR, .lit_color = HIT, .lit_by = "bumper_" name,      \
        .click = "press bumper=" name, .label = name " bumper"                                     \
    }
#define CLIFF(x, y, name)                                                                          \
    {                                                                                              \
        .shape = LOOK_DISC, .x_m = (x), .y_m = (y), .length_m = 0.014, .width_m = 0.014,           \
        .color = WELL_COLOR, .lit_color = HIT, .lit_by = "cliff_" name, .label = name " cliff"     \
    }
#define RECEIVER(x, y, name)                                                                       \
    {                                                                                              \
        .shape = LOOK_DISC, .x_m = (x), .y_m = (y), .length_m = 0.011, .width_m = 0.011,           \
        .color = WINDOW, .lit_color = LIGHT, .lit_by = "dock_" name,                               \
        .label = name " dock receiver"                                                             \
    }
#define PAD(y)                                                                                     \
    {                                                                                              \
        .shape = LOOK_BOX, .x_m = 0.128, .y_m = (y), .length_m = 0.014, .width_m = 0.024,          \
        .color = GOLD, .lit_color = BRIGHT_GOLD, .lit_by = "charging", .label = "charge pad"       \
    }
#define BUTTON(y, name)                                                                            \
    {                                                                                              \
        .shape = LOOK_DISC, .x_m = -0.122, .y_m = (y), .length_m = 0.022, .width_m = 0.022,        \
        .color = PAD_COLOR, .lit_color = MARK_COLOR, .lit_by = "button_" name,                     \
        .click = "press button=" name, .label = name                                               \
    }
#define LAMP(x, y, shown, by, words)                                                               \
    {                                                                                              \
        .shape = LOOK_DISC, .x_m = (x), .y_m = (y), .length_m = 0.011, .width_m = 0.011,           \
        .color = CLEAR, .lit_color = (shown), .lit_by = (by), .label = (words)                     \
    }

const struct look_row kobuki_look_rows[KOBUKI_LOOK_COUNT] = {
    {.shape = LOOK_BODY, .color = BODY_COLOR, .lit_color = BODY_COLOR},
    ROUND(LOOK_RING, 0.346, 0.003, EDGE_COLOR),
    WELL(0.115, "left"),
    WELL(-0.115, "right"),
    {.shape = LOOK_WHEELS, .width_m = 0.0206},
    ROUND(LOOK_DISC, 0.196, 0.196, PLATE_COLOR),
    ROUND(LOOK_RING, 0.196, 0.002, PLATE_EDGE),
    SPOT(0.115, 0, 0.034, CASTER),
    SPOT(0.115, 0, 0.016, WELL_COLOR),
    SPOT(-0.060, 0.060, 0.008, SCREW_COLOR),
    SPOT(-0.060, -0.060, 0.008, SCREW_COLOR),
    SPOT(0.060, 0.060, 0.008, SCREW_COLOR),
    SPOT(0.060, -0.060, 0.008, SCREW_COLOR),
    BUMPER(31, 89, "left"),
    BUMPER(-29, 29, "center"),
    BUMPER(-89, -31, "right"),
    PAD(0.044),
    PAD(-0.044),
    CLIFF(0.08734, 0.13601, "left"),
    CLIFF(0.150, 0, "center"),
    CLIFF(0.085, -0.13601, "right"),
    RECEIVER(0.082, 0.1465, "left"),
    RECEIVER(0.168, 0, "center"),
    RECEIVER(0.082, -0.1465, "right"),
    FRONT_MARK(0.0255, -45),
    FRONT_MARK(-0.0255, 45),
    BUTTON(0.034, "b0"),
    BUTTON(0, "b1"),
    BUTTON(-0.034, "b2"),
    SPOT(-0.148, 0.028, 0.013, LAMP_COLOR),
    LAMP(-0.148, 0.028, RED, "led1_red", "LED1"),
    LAMP(-0.148, 0.028, GREEN, "led1_green", "LED1"),
    LAMP(-0.148, 0.028, ORANGE, "led1_orange", "LED1"),
    SPOT(-0.148, 0, 0.013, LAMP_COLOR),
    LAMP(-0.148, 0, RED, "led2_red", "LED2"),
    LAMP(-0.148, 0, GREEN, "led2_green", "LED2"),
    LAMP(-0.148, 0, ORANGE, "led2_orange", "LED2"),
    SPOT(-0.148, -0.028, 0.013, LAMP_COLOR),
    LAMP(-0.148, -0.028, GREEN, "status_green", "status"),
    LAMP(-0.148, -0.028, ORANGE, "status_orange", "status"),
};
