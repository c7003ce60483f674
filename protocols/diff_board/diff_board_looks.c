/* A chassis board from above: the outline and wheels of its model, and the board, which is the same
 * on all of them. Its parts are guessed. */
#include "protocols/diff_board/diff_board_rows.h"

/* 0xRRGGBBAA */
#define PLATE_COLOR 0x3A3F46FFu
#define BOARD_COLOR 0x1D5FA8FFu
#define TRACE_COLOR 0x3D86D6FFu
#define CHIP_COLOR  0x12161AFFu
#define METAL       0xB7C0C9FFu
#define PLUG_COLOR  0xE9EDF0FFu
#define MARK_COLOR  0xE6EAEEFFu
#define LAMP_COLOR  0x0B1C33FFu
#define GREEN       0x3BE06CFFu
#define ORANGE      0xFFA028FFu

#define PART(kind, x, y, length, width, shown, ...)                                                \
    {                                                                                              \
        .shape = (kind), .x_m = (x), .y_m = (y), .length_m = (length), .width_m = (width),         \
        .color = (shown), __VA_ARGS__                                                              \
    }
#define PLAIN(kind, x, y, length, width, shown)                                                    \
    PART(kind, x, y, length, width, shown, .lit_color = (shown))
#define MARK(y, heading)                                                                           \
    PART(LOOK_LINE, 0.062, y, 0.028, 0.006, MARK_COLOR, .lit_color = MARK_COLOR,                   \
         .heading_rad = (heading), .label = "front")

const struct look_row diff_board_look_rows[DIFF_BOARD_LOOK_COUNT] = {
    {.shape = LOOK_BODY, .color = PLATE_COLOR, .lit_color = PLATE_COLOR},
    {.shape = LOOK_WHEELS},
    PLAIN(LOOK_BOX, -0.01, 0, 0.096, 0.076, TRACE_COLOR),
    PLAIN(LOOK_BOX, -0.01, 0, 0.093, 0.073, BOARD_COLOR),
    PLAIN(LOOK_DISC, 0.032, 0.031, 0.006, 0.006, METAL),
    PLAIN(LOOK_DISC, 0.032, -0.031, 0.006, 0.006, METAL),
    PLAIN(LOOK_DISC, -0.052, 0.031, 0.006, 0.006, METAL),
    PLAIN(LOOK_DISC, -0.052, -0.031, 0.006, 0.006, METAL),
    PLAIN(LOOK_BOX, -0.006, 0, 0.020, 0.020, CHIP_COLOR),
    PLAIN(LOOK_BOX, 0.024, 0, 0.010, 0.044, CHIP_COLOR),
    PLAIN(LOOK_BOX, -0.052, 0, 0.014, 0.014, METAL),
    PLAIN(LOOK_BOX, 0.004, 0.031, 0.036, 0.008, PLUG_COLOR),
    PLAIN(LOOK_BOX, 0.004, -0.031, 0.036, 0.008, PLUG_COLOR),
    MARK(0.0198, -0.7853981633974483),
    MARK(-0.0198, 0.7853981633974483),
    PART(LOOK_DISC, -0.034, 0.016, 0.007, 0.007, LAMP_COLOR, .lit_color = GREEN,
         .lit_by = "running", .label = "motors"),
    PART(LOOK_DISC, -0.034, -0.016, 0.007, 0.007, LAMP_COLOR, .lit_color = ORANGE,
         .lit_by = "booting", .label = "booting"),
};
