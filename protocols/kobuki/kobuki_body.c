/* The machine and its appearance. Main source for the machine: the robot's description in
 * yujinrobot/kobuki (kobuki_description: urdf/kobuki.urdf.xacro), called "urdf" below. */
#include "protocols/kobuki/kobuki.h"

#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "protocols/kobuki/kobuki_power.h"

#define RAD(degrees) ((degrees)*ANGLE_RAD_DEG)

/* base_link is 10.2 mm above the floor, the cliff sensors 21.4 mm above that: urdf. */
#define CLIFF_Z_M (0.0102 + 0.0214)

/* The cliff sensors measure 2 to 15 cm (GP2Y0A51SK0F datasheet). range_m is larger, so that the
 * output decreases gradually beyond that. */
#define CLIFF_RANGE_M 0.60

/* Dock light receivers: one in front, two at the sides. The axes at 60 degrees and the half angle
 * of 45 degrees make the vendor's docking program work; the true values are unknown. Range: docking
 * works within 5 m (specifications.rst). Position and height: estimated from anatomy.rst. */
#define DOCK_IR_Z_M     0.06
#define DOCK_IR_RANGE_M 5.0

#define CLIFF_SENSOR(text, x, y)                                                                   \
    {                                                                                              \
        .kind = SENSOR_CLIFF, .name = (text), .x_m = (x), .y_m = (y), .z_m = CLIFF_Z_M,            \
        .range_m = CLIFF_RANGE_M, .rays = 1                                                        \
    }
#define DOCK_RECEIVER(text, x, y, heading)                                                         \
    {                                                                                              \
        .kind = SENSOR_DOCK_IR, .name = (text), .x_m = (x), .y_m = (y), .z_m = DOCK_IR_Z_M,        \
        .heading_rad = RAD(heading), .cone_half_rad = RAD(45), .range_m = DOCK_IR_RANGE_M,         \
        .rays = 1                                                                                  \
    }

#define WHEEL_RADIUS_M 0.035

/* Posts and plates of a TurtleBot 2 above the body (turtlebot_description:
 * urdf/stacks/hexagons.urdf.xacro; heights are relative to base_link, which is 10.2 mm above the
 * floor). A plate is approximated by a disc whose diameter is its shorter side. */
#define BASE_Z_M 0.0102
#define TOP_Z_M  0.124
#define POST(x, y, middle, length)                                                                 \
    {                                                                                              \
        .x_m = (x), .y_m = (y), .radius_m = 0.006,                                                 \
        .low_m = BASE_Z_M + (middle) - (length) / 2 > TOP_Z_M ? BASE_Z_M + (middle) - (length) / 2 \
                                                              : TOP_Z_M,                           \
        .high_m = BASE_Z_M + (middle) + (length) / 2                                               \
    }
#define POSTS(x, y, middle, length) POST(x, y, middle, length), POST(x, -(y), middle, length)
#define PLATE(x, side, middle)                                                                     \
    {                                                                                              \
        .x_m = (x), .radius_m = (side) / 2, .low_m = BASE_Z_M + (middle)-0.003,                    \
        .high_m = BASE_Z_M + (middle) + 0.003                                                      \
    }
static const struct part_spec turtlebot2[] = {
    POSTS(0.0381, 0.1505, 0.134, 0.0608),  POSTS(-0.0381, 0.1505, 0.134, 0.0608),
    POSTS(0.0381, 0.1505, 0.262, 0.2032),  POSTS(-0.0381, 0.1505, 0.262, 0.2032),
    POSTS(-0.1024, 0.098, 0.2072, 0.0936), PLATE(-0.01364, 0.28727, 0.1574),
    PLATE(-0.01364, 0.28727, 0.3666),
};

/* The motor RP385-ST-2060 (anatomy.rst, specifications.rst). */
#define SUPPLY_V       14.8 /* nominal voltage of the pack (specifications.rst) */
#define RESISTANCE_OHM 1.5506
#define EMF_V_S_RAD    (60 / (830 * 2 * ANGLE_PI)) /* 830 rpm/V */
#define GEAR           (6545.0 / 132.0)
#define IDLE_A         0.21

/* The body for all options. Wheelbase 230 mm, wheel radius 35 mm (conversions.rst). */
static const struct robot_body plain = {
    .shape = ROBOT_DISC,
    .radius_m = 0.176,        /* extent of main_body.dae in kobuki_description */
    .height_m = TOP_Z_M,      /* the same */
    .mass_kg = 2.4,           /* urdf, specifications.rst */
    .inertia_kg_m2 = 0.03675, /* urdf */
    .mass_center_x_m = 0.01,  /* urdf */
    .drive = ROBOT_DIFFERENTIAL,
    .motor = ROBOT_MOTOR_DC,
    .wheel_count = KOBUKI_WHEELS,
    .wheels = {[KOBUKI_LEFT] = {.y_m = 0.115, .radius_m = WHEEL_RADIUS_M},
               [KOBUKI_RIGHT] = {.y_m = -0.115, .radius_m = WHEEL_RADIUS_M}},
    .supply_v = SUPPLY_V,
    .resistance_ohm = RESISTANCE_OHM,
    .torque_nm_a = 0.010913,
    .emf_v_s_rad = EMF_V_S_RAD,
    .gear = GEAR,
    .idle_a = IDLE_A,
    /* Chosen: a rotor of 10 g cm2, typical for motors of this size, through the gear. */
    .wheel_inertia_kg_m2 = 1.0e-6 * GEAR * GEAR,
    .speed_max_m_s = (SUPPLY_V - IDLE_A * RESISTANCE_OHM) / (EMF_V_S_RAD * GEAR) * WHEEL_RADIUS_M,
    .grip = 0.8, /* chosen: rubber on a hard floor */
    .sensor_count = KOBUKI_SENSOR_COUNT,
    .sensors =
        {
            [KOBUKI_CLIFF_RIGHT] = CLIFF_SENSOR("cliff_right", 0.085, -0.13601),
            [KOBUKI_CLIFF_CENTER] = CLIFF_SENSOR("cliff_center", 0.156, 0),
            [KOBUKI_CLIFF_LEFT] = CLIFF_SENSOR("cliff_left", 0.08734, 0.13601),
            [KOBUKI_DOCK_RIGHT] = DOCK_RECEIVER("dock_right", 0.08, -0.14, -60),
            [KOBUKI_DOCK_CENTER] = DOCK_RECEIVER("dock_center", 0.165, 0, 0),
            [KOBUKI_DOCK_LEFT] = DOCK_RECEIVER("dock_left", 0.08, 0.14, 60),
        },
    /* Sectors of 60 degrees (kobuki_desktop: gazebo_ros_kobuki_updates.cpp), in the order of the
     * protocol's bits. */
    .bumper_count = 3,
    .bumpers = {{"right", RAD(-90), RAD(-30)},
                {"center", RAD(-30), RAD(30)},
                {"left", RAD(30), RAD(90)}},
    /* Charge pads, measured in bottom_view.jpg of anatomy.rst, +-5 mm. */
    .contact_x_m = 0.128,
    .contact_half_y_m = 0.044,
};

void kobuki_body(const void *options, struct robot_body *body)
{
    const struct kobuki_options *chosen = options;
    enum kobuki_pack pack = (enum kobuki_pack)chosen->battery_pack;
    *body = plain;
    if (pack == KOBUKI_PACK_4S2P)
        body->mass_kg = 2.6;
    if (chosen->structure == KOBUKI_TURTLEBOT2) {
        body->part_count = COUNT(turtlebot2);
        memcpy(body->parts, turtlebot2, sizeof turtlebot2);
    }
    body->battery_min_v = kobuki_battery_empty_v(pack);
    body->battery_max_v = kobuki_battery_full_v(pack);
}

/* ---- Appearance. Sizes of body, wheels and bumpers are true; the positions of the panel's
 * parts are estimated from the pictures of anatomy.rst. Parts on the bottom (casters, pads,
 * sensors) are drawn as if the body were transparent. Casters: kobuki_description
 * (urdf/kobuki.urdf.xacro). ---- */

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
    APPEARANCE_ROW(DISC, x, y, diameter, diameter, .color = (shown), .lit_color = (shown))
/* The mark of the front: two lines that meet. */
#define FRONT_MARK(y, heading)                                                                     \
    APPEARANCE_ROW(LINE, 0.062, y, 0.036, 0.007, .heading_rad = RAD(heading), .color = MARK_COLOR, \
                   .lit_color = MARK_COLOR, .label = "front")
#define WELL(y, name)                                                                              \
    APPEARANCE_ROW(BOX, 0, y, 0.080, 0.030, .color = WELL_COLOR, .lit_color = HIT,                 \
                   .lit_by = "wheel_drop_" name, .label = name " wheel")
#define BUMPER(from, to, name)                                                                     \
    APPEARANCE_ROW(ARC, 0, 0, 0.336, 0.016, .from_rad = RAD(from), .to_rad = RAD(to),              \
                   .color = BUMPER_COLOR, .lit_color = HIT, .lit_by = "bumper_" name,              \
                   .click = "press bumper=" name, .label = name " bumper")
#define CLIFF(x, y, name)                                                                          \
    APPEARANCE_ROW(DISC, x, y, 0.014, 0.014, .color = WELL_COLOR, .lit_color = HIT,                \
                   .lit_by = "cliff_" name, .label = name " cliff")
#define RECEIVER(x, y, name)                                                                       \
    APPEARANCE_ROW(DISC, x, y, 0.011, 0.011, .color = WINDOW, .lit_color = LIGHT,                  \
                   .lit_by = "dock_" name, .label = name " dock receiver")
#define PAD(y)                                                                                     \
    APPEARANCE_ROW(BOX, 0.128, y, 0.014, 0.024, .color = GOLD, .lit_color = BRIGHT_GOLD,           \
                   .lit_by = "charging", .label = "charge pad")
#define BUTTON(y, name)                                                                            \
    APPEARANCE_ROW(DISC, -0.122, y, 0.022, 0.022, .color = PAD_COLOR, .lit_color = MARK_COLOR,     \
                   .lit_by = "button_" name, .click = "press button=" name, .label = name)
#define LAMP(x, y, shown, by, words)                                                               \
    APPEARANCE_ROW(DISC, x, y, 0.011, 0.011, .color = CLEAR, .lit_color = (shown), .lit_by = (by), \
                   .label = (words))

static const struct appearance_row appearance_rows[] = {
    {.shape = APPEARANCE_BODY, .color = BODY_COLOR, .lit_color = BODY_COLOR},
    ROUND(APPEARANCE_RING, 0.346, 0.003, EDGE_COLOR),
    WELL(0.115, "left"),
    WELL(-0.115, "right"),
    {.shape = APPEARANCE_WHEELS, .width_m = 0.0206},
    ROUND(APPEARANCE_DISC, 0.196, 0.196, PLATE_COLOR),
    ROUND(APPEARANCE_RING, 0.196, 0.002, PLATE_EDGE),
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

const struct appearance_list kobuki_appearance = {.rows = appearance_rows,
                                                  .count = COUNT(appearance_rows)};
