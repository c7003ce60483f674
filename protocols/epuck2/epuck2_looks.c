/* An e-puck2 from above. Places of the LEDs as in the robot's model in Webots (E-puck.proto); the
 * rest is read off the vendor's pictures, roughly. */
#include "protocols/epuck2/epuck2_rows.h"

#define RAD(degrees) ((degrees)*0.017453292519943295769)

/* 0xRRGGBBAA */
#define BODY_COLOR  0x2F6B3AFFu
#define RIM_COLOR   0xD9DDE2B0u
#define WHEEL_COLOR 0x101214FFu
#define BOARD_COLOR 0x24522DFFu
#define PART_COLOR  0x17191CFFu
#define MARK_COLOR  0xE8EBEFFFu
#define LED_COLOR   0xB9BFC680u
#define CLEAR       0x00000000u
#define RED         0xFF3B30FFu
#define GREEN       0x34C759FFu
#define YELLOW      0xFFD60AFFu
#define BLUE        0x0A84FFFFu
#define MAGENTA     0xFF2DF0FFu
#define CYAN        0x32E6F0FFu
#define WHITE       0xFFFFFFFFu
#define GLOW        0x4CFF6E70u

#define ROUND(kind, length, width, shown)                                                          \
    {                                                                                              \
        .shape = (kind), .length_m = (length), .width_m = (width), .color = (shown),               \
        .lit_color = (shown)                                                                       \
    }
#define BOX(x, y, length, width, shown, words)                                                     \
    {                                                                                              \
        .shape = LOOK_BOX, .x_m = (x), .y_m = (y), .length_m = (length), .width_m = (width),       \
        .color = (shown), .lit_color = (shown), .label = (words)                                   \
    }
#define LAMP(x, y, dark, shown, by, words)                                                         \
    {                                                                                              \
        .shape = LOOK_DISC, .x_m = (x), .y_m = (y), .length_m = 0.006, .width_m = 0.006,           \
        .color = (dark), .lit_color = (shown), .lit_by = (by), .label = (words)                    \
    }
#define RGB(x, y, led, words)                                                                      \
    LAMP(x, y, LED_COLOR, LED_COLOR, NULL, words), LAMP(x, y, CLEAR, RED, led "_red", words),      \
        LAMP(x, y, CLEAR, GREEN, led "_green", words),                                             \
        LAMP(x, y, CLEAR, YELLOW, led "_yellow", words),                                           \
        LAMP(x, y, CLEAR, BLUE, led "_blue", words),                                               \
        LAMP(x, y, CLEAR, MAGENTA, led "_magenta", words),                                         \
        LAMP(x, y, CLEAR, CYAN, led "_cyan", words), LAMP(x, y, CLEAR, WHITE, led "_white", words)
#define PROX(x, y, heading, words)                                                                 \
    {                                                                                              \
        .shape = LOOK_BOX, .x_m = (x), .y_m = (y), .heading_rad = RAD(heading), .length_m = 0.003, \
        .width_m = 0.005, .color = PART_COLOR, .lit_color = RED, .lit_by = (words),                \
        .label = (words)                                                                           \
    }

const struct look_row epuck2_look_rows[EPUCK2_LOOK_COUNT] = {
    ROUND(LOOK_DISC, 0.070, 0.070, BODY_COLOR),
    {.shape = LOOK_DISC,
     .length_m = 0.066,
     .width_m = 0.066,
     .color = CLEAR,
     .lit_color = GLOW,
     .lit_by = "body_led",
     .label = "body LED"},
    ROUND(LOOK_RING, 0.068, 0.003, RIM_COLOR),
    BOX(0, 0.0265, 0.041, 0.003, WHEEL_COLOR, NULL),
    BOX(0, -0.0265, 0.041, 0.003, WHEEL_COLOR, NULL),
    ROUND(LOOK_DISC, 0.044, 0.044, BOARD_COLOR),
    BOX(0.030, 0, 0.005, 0.009, PART_COLOR, "camera"),
    BOX(0.0255, -0.002, 0.002, 0.004, PART_COLOR, "ToF"),
    {.shape = LOOK_LINE,
     .x_m = 0.016,
     .length_m = 0.010,
     .width_m = 0.0015,
     .color = MARK_COLOR,
     .lit_color = MARK_COLOR,
     .label = "front"},
    PROX(0.0325, -0.0100, -17, "prox0"),
    PROX(0.0240, -0.0240, -45, "prox1"),
    PROX(0.0000, -0.0320, -90, "prox2"),
    PROX(-0.0285, -0.0165, -150, "prox3"),
    PROX(-0.0285, 0.0165, 150, "prox4"),
    PROX(0.0000, 0.0320, 90, "prox5"),
    PROX(0.0240, 0.0240, 45, "prox6"),
    PROX(0.0325, 0.0100, 17, "prox7"),
    {.shape = LOOK_DISC,
     .x_m = -0.010,
     .y_m = 0.010,
     .length_m = 0.008,
     .width_m = 0.008,
     .color = PART_COLOR,
     .lit_color = PART_COLOR,
     .click = "selector",
     .label = "selector"},
    {.shape = LOOK_DISC,
     .x_m = -0.010,
     .y_m = -0.010,
     .length_m = 0.006,
     .width_m = 0.006,
     .color = MARK_COLOR,
     .lit_color = BLUE,
     .lit_by = "button",
     .click = "press button=user",
     .label = "button"},
    LAMP(0.034, 0, LED_COLOR, RED, "led1", "LED1"),
    RGB(0.022, -0.025, "led2", "LED2"),
    LAMP(0, -0.034, LED_COLOR, RED, "led3", "LED3"),
    RGB(-0.027, -0.020, "led4", "LED4"),
    LAMP(-0.033, 0, LED_COLOR, RED, "led5", "LED5"),
    RGB(-0.027, 0.020, "led6", "LED6"),
    LAMP(0, 0.034, LED_COLOR, RED, "led7", "LED7"),
    RGB(0.022, 0.025, "led8", "LED8"),
    LAMP(0.031, -0.0125, CLEAR, RED, "front_led", "front LED"),
};
