/* The machine and its appearance. Sizes are from the drawings of the Open Interface document,
 * called "OI" below. The positions of sensors are chosen from pictures of the bottom and the
 * front. */
#include "protocols/create2/create2.h"

#include "base/angle.h"
#include "base/array.h"
#include "protocols/create2/create2_power.h"

#define RAD(degrees) ((degrees)*ANGLE_RAD_DEG)
#define RADIUS_M     0.17425 /* OI: 348.5 mm with the bumper */

#define CLIFF_SENSOR(text, x, y)                                                                   \
    {                                                                                              \
        .kind = SENSOR_CLIFF, .name = (text), .x_m = (x), .y_m = (y), .z_m = 0.02, .range_m = 0.2, \
        .rays = 1                                                                                  \
    }
/* Chosen: on the bumper, facing outward, with a cone of 20 degrees and a range of 0.4 m. */
#define LIGHT_SENSOR(text, x, y, heading)                                                          \
    {                                                                                              \
        .kind = SENSOR_RANGE, .name = (text), .x_m = (x), .y_m = (y), .z_m = 0.05,                 \
        .heading_rad = RAD(heading), .cone_half_rad = RAD(10), .range_m = 0.4, .rays = 5           \
    }
/* Chosen: the range is longer than any beam; left and right receivers have a field of view of 60
 * degrees to each side of 25 degrees. */
#define RECEIVER(text, x, y, heading, half)                                                        \
    {                                                                                              \
        .kind = SENSOR_DOCK_IR, .name = (text), .x_m = (x), .y_m = (y), .z_m = 0.07,               \
        .heading_rad = RAD(heading), .cone_half_rad = RAD(half), .range_m = 5, .rays = 1           \
    }

/* Chosen: one turn of the motor gives eight of the 508.8 counts. The motor's free speed is a
 * quarter above the allowed maximum, and it draws 2.9 A when blocked. */
#define SUPPLY_V       14.4 /* nominal, twelve NiMH cells */
#define RESISTANCE_OHM 5.0
#define EMF_V_S_RAD    0.0127
#define GEAR           63.6
#define IDLE_A         0.08
/* OI: wheel base 235.0 mm, wheel diameter 72.0 mm. */
#define WHEEL_Y_M      0.1175
#define WHEEL_RADIUS_M 0.036

const struct robot_body create2_body = {
    .shape = ROBOT_DISC,
    .radius_m = RADIUS_M,
    .height_m = 0.092,       /* OI */
    .mass_kg = 3.5,          /* the maker: about 7.9 pounds */
    .inertia_kg_m2 = 0.053,  /* of a disc */
    .mass_center_x_m = 0.01, /* chosen: it rests on its front caster */
    .drive = ROBOT_DIFFERENTIAL,
    .motor = ROBOT_MOTOR_DC,
    .wheel_count = CREATE2_WHEELS,
    .wheels = {[CREATE2_LEFT] = {.y_m = WHEEL_Y_M, .radius_m = WHEEL_RADIUS_M},
               [CREATE2_RIGHT] = {.y_m = -WHEEL_Y_M, .radius_m = WHEEL_RADIUS_M}},
    .supply_v = SUPPLY_V,
    .resistance_ohm = RESISTANCE_OHM,
    .torque_nm_a = 0.0115,
    .emf_v_s_rad = EMF_V_S_RAD,
    .gear = GEAR,
    .idle_a = IDLE_A,
    .wheel_inertia_kg_m2 = 1.0e-6 * GEAR * GEAR, /* a rotor of 10 g cm2 */
    .speed_max_m_s = (SUPPLY_V - IDLE_A * RESISTANCE_OHM) / (EMF_V_S_RAD * GEAR) * WHEEL_RADIUS_M,
    .grip = 0.8, /* rubber on a hard floor */
    .sensor_count = CREATE2_SENSORS,
    .sensors =
        {
            [CREATE2_CLIFF_LEFT] = CLIFF_SENSOR("cliff_left", 0.075, 0.140),
            [CREATE2_CLIFF_FRONT_LEFT] = CLIFF_SENSOR("cliff_front_left", 0.150, 0.050),
            [CREATE2_CLIFF_FRONT_RIGHT] = CLIFF_SENSOR("cliff_front_right", 0.150, -0.050),
            [CREATE2_CLIFF_RIGHT] = CLIFF_SENSOR("cliff_right", 0.075, -0.140),
            [CREATE2_BUMP_LEFT] = LIGHT_SENSOR("light_left", 0.074, 0.152, 64),
            [CREATE2_BUMP_FRONT_LEFT] = LIGHT_SENSOR("light_front_left", 0.133, 0.104, 38),
            [CREATE2_BUMP_CENTER_LEFT] = LIGHT_SENSOR("light_center_left", 0.165, 0.035, 12),
            [CREATE2_BUMP_CENTER_RIGHT] = LIGHT_SENSOR("light_center_right", 0.165, -0.035, -12),
            [CREATE2_BUMP_FRONT_RIGHT] = LIGHT_SENSOR("light_front_right", 0.133, -0.104, -38),
            [CREATE2_BUMP_RIGHT] = LIGHT_SENSOR("light_right", 0.074, -0.152, -64),
            [CREATE2_IR_OMNI] = RECEIVER("ir_omni", 0.150, 0, 0, 180),
            [CREATE2_IR_LEFT] = RECEIVER("ir_left", 0.150, 0.060, 25, 60),
            [CREATE2_IR_RIGHT] = RECEIVER("ir_right", 0.150, -0.060, -25, 60),
        },
    /* Two halves that overlap in front: a collision there presses both. Chosen: an overlap of 20
     * degrees. */
    .bumper_count = 2,
    .bumpers = {{"right", RAD(-90), RAD(10)}, {"left", RAD(-10), RAD(90)}},
    /* Charge pads: estimated from pictures of the bottom. */
    .contact_x_m = 0.115,
    .contact_half_y_m = 0.045,
    .dock = DOCK_HOME_BASE,
    .battery_min_v = CREATE2_EMPTY_V,
    .battery_max_v = CREATE2_FULL_V,
};

/* ---- Appearance, estimated from pictures of the top. ---- */

/* 0xRRGGBBAA */
#define BODY_COLOR   0x3A3F46FFu
#define EDGE_COLOR   0x565E68FFu
#define PLATE_COLOR  0x2B2F35FFu
#define WELL_COLOR   0x1A1C1FFFu
#define BUMPER_COLOR 0x6A727DFFu
#define WINDOW       0x4A3550FFu
#define PAD_COLOR    0x7A828DFFu
#define MARK_COLOR   0xE6EAEEFFu
#define GOLD         0xB08D3CFFu
#define BRIGHT_GOLD  0xFFD75EFFu
#define DARK_LAMP    0x15181BFFu
#define RED          0xFF4B3EFFu
#define GREEN        0x3BE06CFFu
#define BLUE         0x4FA8FFFFu
#define LIGHT        0x7FD4FFFFu
#define CLEAR        0x00000000u
#define HIT          0xFF5A36FFu

#define DISC(x, y, diameter, shown, bright, by, words)                                             \
    APPEARANCE_ROW(DISC, x, y, diameter, diameter, .color = (shown), .lit_color = (bright),        \
                   .lit_by = (by), .label = (words))
#define RING(diameter, stroke, shown)                                                              \
    APPEARANCE_ROW(RING, 0, 0, diameter, stroke, .color = (shown), .lit_color = (shown))
#define WELL(y, name)                                                                              \
    APPEARANCE_ROW(BOX, 0, y, 0.082, 0.032, .color = WELL_COLOR, .lit_color = HIT,                 \
                   .lit_by = "wheel_drop_" name, .label = name " wheel")
#define BUMPER(from, to, name)                                                                     \
    APPEARANCE_ROW(ARC, 0, 0, 0.334, 0.014, .from_rad = RAD(from), .to_rad = RAD(to),              \
                   .color = BUMPER_COLOR, .lit_color = HIT, .lit_by = "bump_" name,                \
                   .click = "press bumper=" name, .label = name " bumper")
#define CLIFF(x, y, name)             DISC(x, y, 0.014, WELL_COLOR, HIT, "edge_" name, name " cliff")
#define GLOW(x, y, name)              DISC(x, y, 0.009, WINDOW, LIGHT, "light_bump_" name, name " light bumper")
#define HEARS(x, y, name, label_text) DISC(x, y, 0.012, WINDOW, LIGHT, name, label_text)
#define PAD(y)                                                                                     \
    APPEARANCE_ROW(BOX, 0.115, y, 0.014, 0.024, .color = GOLD, .lit_color = BRIGHT_GOLD,           \
                   .lit_by = "charging", .label = "charge pad")
#define BUTTON(x, y, diameter, name)                                                               \
    APPEARANCE_ROW(DISC, x, y, diameter, diameter, .color = PAD_COLOR, .lit_color = MARK_COLOR,    \
                   .lit_by = "button_" name, .click = "press button=" name, .label = name)
/* Seven segments of a digit whose center is at Y. The display is read from behind the robot. */
#define SEGMENT(x, y, along, across, name)                                                         \
    APPEARANCE_ROW(BOX, x, y, along, across, .color = CLEAR, .lit_color = BLUE, .lit_by = (name),  \
                   .label = "digit")
#define DIGIT(y, n)                                                                                \
    SEGMENT(-0.056, y, 0.002, 0.010, "digit" n "_a"),                                              \
        SEGMENT(-0.062, (y)-0.006, 0.010, 0.002, "digit" n "_b"),                                  \
        SEGMENT(-0.074, (y)-0.006, 0.010, 0.002, "digit" n "_c"),                                  \
        SEGMENT(-0.080, y, 0.002, 0.010, "digit" n "_d"),                                          \
        SEGMENT(-0.074, (y) + 0.006, 0.010, 0.002, "digit" n "_e"),                                \
        SEGMENT(-0.062, (y) + 0.006, 0.010, 0.002, "digit" n "_f"),                                \
        SEGMENT(-0.068, y, 0.002, 0.010, "digit" n "_g")

static const struct appearance_row appearance_rows[] = {
    {.shape = APPEARANCE_BODY, .color = BODY_COLOR, .lit_color = BODY_COLOR},
    RING(0.346, 0.003, EDGE_COLOR),
    WELL(0.1175, "left"),
    WELL(-0.1175, "right"),
    {.shape = APPEARANCE_WHEELS, .width_m = 0.022},
    DISC(0, 0, 0.190, PLATE_COLOR, PLATE_COLOR, NULL, NULL),
    RING(0.190, 0.002, EDGE_COLOR),
    BUMPER(1, 89, "left"),
    BUMPER(-89, -1, "right"),
    PAD(0.045),
    PAD(-0.045),
    CLIFF(0.075, 0.140, "left"),
    CLIFF(0.150, 0.050, "front_left"),
    CLIFF(0.150, -0.050, "front_right"),
    CLIFF(0.075, -0.140, "right"),
    GLOW(0.074, 0.152, "left"),
    GLOW(0.133, 0.104, "front_left"),
    GLOW(0.165, 0.035, "center_left"),
    GLOW(0.165, -0.035, "center_right"),
    GLOW(0.133, -0.104, "front_right"),
    GLOW(0.074, -0.152, "right"),
    HEARS(0.150, 0, "hears_omni", "omni receiver"),
    HEARS(0.140, 0.060, "hears_left", "left receiver"),
    HEARS(0.140, -0.060, "hears_right", "right receiver"),
    BUTTON(0.030, 0, 0.040, "clean"),
    BUTTON(0.030, 0.042, 0.022, "spot"),
    BUTTON(0.030, -0.042, 0.022, "dock"),
    BUTTON(-0.020, 0.040, 0.012, "minute"),
    BUTTON(-0.020, 0.024, 0.012, "hour"),
    BUTTON(-0.020, 0.008, 0.012, "day"),
    BUTTON(-0.020, -0.008, 0.012, "schedule"),
    BUTTON(-0.020, -0.024, 0.012, "clock"),
    DISC(0.030, 0, 0.014, DARK_LAMP, GREEN, "power_green", "power"),
    DISC(0.030, 0, 0.014, CLEAR, RED, "power_red", "power"),
    DISC(0.058, 0.030, 0.009, DARK_LAMP, BLUE, "led_debris", "debris"),
    DISC(0.058, 0.010, 0.009, DARK_LAMP, GREEN, "led_spot", "spot"),
    DISC(0.058, -0.010, 0.009, DARK_LAMP, GREEN, "led_dock", "dock"),
    DISC(0.058, -0.030, 0.009, DARK_LAMP, RED, "led_check", "check robot"),
    APPEARANCE_ROW(BOX, -0.068, 0, 0.032, 0.080, .color = DARK_LAMP, .lit_color = DARK_LAMP,
                   .label = "display"),
    DIGIT(0.028, "0"),
    DIGIT(0.010, "1"),
    DIGIT(-0.010, "2"),
    DIGIT(-0.028, "3"),
};

const struct appearance_list create2_appearance = {.rows = appearance_rows,
                                                   .count = COUNT(appearance_rows)};
