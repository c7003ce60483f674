/* A chassis board from above, for all models alike: a look does not know the options. The size is
 * that of apollo. */
#include "protocols/diff_board/diff_board_rows.h"

/* 0xRRGGBBAA */
#define PLATE_COLOR 0x30343AFFu
#define RIM_COLOR   0x17191CFFu
#define BOARD_COLOR 0x14532DFFu
#define CHIP_COLOR  0x0E0F11FFu
#define MARK_COLOR  0xC8CCD2FFu
#define LAMP_COLOR  0x1B1D20FFu
#define GREEN       0x34C759FFu
#define ORANGE      0xFF9500FFu

#define PART(kind, x, y, length, width, shown, ...)                                                \
    {                                                                                              \
        .shape = (kind), .x_m = (x), .y_m = (y), .length_m = (length), .width_m = (width),         \
        .color = (shown), __VA_ARGS__                                                              \
    }

const struct look_row diff_board_look_rows[DIFF_BOARD_LOOK_COUNT] = {
    PART(LOOK_DISC, 0, 0, 0.230, 0.230, PLATE_COLOR, .lit_color = PLATE_COLOR),
    PART(LOOK_RING, 0, 0, 0.228, 0.004, RIM_COLOR, .lit_color = RIM_COLOR),
    PART(LOOK_BOX, -0.02, 0, 0.100, 0.080, BOARD_COLOR, .lit_color = BOARD_COLOR),
    PART(LOOK_BOX, -0.02, 0, 0.016, 0.016, CHIP_COLOR, .lit_color = CHIP_COLOR),
    PART(LOOK_LINE, 0.04, 0, 0.060, 0.006, MARK_COLOR, .lit_color = MARK_COLOR, .label = "front"),
    PART(LOOK_DISC, -0.055, 0.025, 0.008, 0.008, LAMP_COLOR, .lit_color = GREEN,
         .lit_by = "running", .label = "motors"),
    PART(LOOK_DISC, -0.055, -0.025, 0.008, 0.008, LAMP_COLOR, .lit_color = ORANGE,
         .lit_by = "booting", .label = "booting"),
};
