/* The machine and its appearance. Sources for the machine: the vendor's specification; for missing
 * values, the models of the robot in Webots (E-puck.proto) and Enki (EPuck.cpp). */
#include "protocols/epuck2/epuck2_body.h"

#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "protocols/epuck2/epuck2_motion.h"
#include "protocols/epuck2/epuck2_power.h"

#define RAD(degrees) ((degrees)*ANGLE_RAD_DEG)

/* Positions around the body: x forward, y left, and the outward angle (vendor; Webots and Enki
 * agree within 8 degrees). Clockwise from the front right. */
static const struct {
    double x_m, y_m, heading_rad;
} prox_places[EPUCK2_PROX_COUNT] = {
    {0.035, -0.010, RAD(-17)},   {0.025, -0.025, RAD(-45)}, {0, -0.030, RAD(-90)},
    {-0.035, -0.020, RAD(-150)}, {-0.035, 0.020, RAD(150)}, {0, 0.030, RAD(90)},
    {0.025, 0.025, RAD(45)},     {0.035, 0.010, RAD(17)},
};
static const char *const prox_names[EPUCK2_PROX_COUNT] = {"prox0", "prox1", "prox2", "prox3",
                                                          "prox4", "prox5", "prox6", "prox7"};

/* The rays start inside the shell, because some sensors protrude from the round body. Otherwise
 * they would start behind a wall that the body touches. The firmware subtracts this distance
 * again. */
static void set_back(struct sensor_spec *sensor)
{
    double sine;
    double cosine;
    angle_sin_cos(sensor->heading_rad, &sine, &cosine);
    sensor->x_m -= EPUCK2_SET_BACK_M * cosine;
    sensor->y_m -= EPUCK2_SET_BACK_M * sine;
    sensor->range_m += EPUCK2_SET_BACK_M;
}

/* Aperture about 15 degrees to each side (GCtronic; Enki casts three rays). */
static void body_prox(struct sensor_spec sensors[])
{
    for (int i = 0; i < EPUCK2_PROX_COUNT; i++) {
        struct sensor_spec *sensor = &sensors[EPUCK2_PROX0 + i];
        *sensor = (struct sensor_spec){
            .kind = SENSOR_RANGE,
            .name = prox_names[i],
            .x_m = prox_places[i].x_m,
            .y_m = prox_places[i].y_m,
            .z_m = 0.033,
            .heading_rad = prox_places[i].heading_rad,
            .cone_half_rad = RAD(15),
            .range_m = EPUCK2_PROX_RANGE_M,
            .rays = 3,
        };
        set_back(sensor);
    }
}

/* Chosen: on the rim, at the height of the upper board. */
#define MICROPHONE(text, x, y)                                                                     \
    {                                                                                              \
        .kind = SENSOR_MICROPHONE, .name = (text), .x_m = (x), .y_m = (y), .z_m = 0.035            \
    }
#define GROUND_SENSOR(text, y)                                                                     \
    {                                                                                              \
        .kind = SENSOR_GROUND, .name = (text), .x_m = 0.030, .y_m = (y), .z_m = EPUCK2_GROUND_Z_M  \
    }

static const struct sensor_spec fixed[] = {
    [EPUCK2_MIC_RIGHT] = MICROPHONE("mic_right", 0, -0.033),
    [EPUCK2_MIC_LEFT] = MICROPHONE("mic_left", 0, 0.033),
    [EPUCK2_MIC_BACK] = MICROPHONE("mic_back", -0.033, 0),
    [EPUCK2_MIC_FRONT] = MICROPHONE("mic_front", 0.033, 0),
    [EPUCK2_GROUND_LEFT] = GROUND_SENSOR("ground_left", 0.0095),
    [EPUCK2_GROUND_CENTER] = GROUND_SENSOR("ground_center", 0),
    [EPUCK2_GROUND_RIGHT] = GROUND_SENSOR("ground_right", -0.0095),
};

static void body_sensors(const struct epuck2_options *options, struct robot_body *body)
{
    memcpy(body->sensors, fixed, sizeof fixed);
    body_prox(body->sensors);
    body->sensors[EPUCK2_CAMERA] = (struct sensor_spec){
        .kind = SENSOR_CAMERA,
        .name = "camera",
        .x_m = 0.030,
        .z_m = 0.028,
        .cone_half_rad = options->camera_fov_rad / 2, /* horizontal */
        .range_m = 10,                                /* chosen: the length of a room */
        .width = EPUCK2_IMAGE_WIDTH,
        .height = EPUCK2_IMAGE_HEIGHT,
    };
    body->sensors[EPUCK2_TOF] = (struct sensor_spec){
        .kind = SENSOR_RANGE,
        .name = "tof",
        .x_m = 0.034,
        .y_m = -0.002,
        .z_m = 0.033,
        .cone_half_rad = RAD(12.5),
        .range_m = EPUCK2_TOF_RANGE_M,
        .rays = 5, /* chosen: a post of 2 cm is seen at 20 cm */
    };
    set_back(&body->sensors[EPUCK2_TOF]);
    body->sensor_count = options->has_ground ? EPUCK2_SENSOR_COUNT : EPUCK2_GROUND_LEFT;
}

void epuck2_body(const void *options, struct robot_body *body)
{
    const struct epuck2_options *chosen = options;
    double radius_m = chosen->wheel_diameter_m / 2;
    memset(body, 0, sizeof *body);
    body->shape = ROBOT_DISC;
    body->radius_m = 0.035;       /* vendor; 0.0355 and 0.037 in Webots */
    body->height_m = 0.045;       /* vendor */
    body->mass_kg = 0.130;        /* vendor */
    body->inertia_kg_m2 = 8.7e-5; /* Webots, about the vertical */

    body->drive = ROBOT_DIFFERENTIAL;
    body->motor = ROBOT_MOTOR_STEPPER;
    body->wheel_count = EPUCK2_WHEELS;
    body->wheels[EPUCK2_LEFT] =
        (struct robot_wheel){.y_m = chosen->axle_m / 2, .radius_m = radius_m};
    body->wheels[EPUCK2_RIGHT] =
        (struct robot_wheel){.y_m = -chosen->axle_m / 2, .radius_m = radius_m};
    body->speed_max_m_s =
        epuck2_motion_true_steps_s(EPUCK2_SPEED_MAX) * EPUCK2_RAD_PER_STEP * radius_m;
    /* Resistance of a wheel whose coils are off, as idle_a * torque_nm_a * gear: 8 mNm. Chosen: the
     * detent torque of a small stepper motor, 0.16 mNm, through the gear of 50:1. */
    body->idle_a = 1;
    body->torque_nm_a = 0.16e-3;
    body->gear = 50;
    body->grip = 0.8; /* chosen: rubber rings on a hard floor */

    body_sensors(chosen, body);
    body->battery_min_v = EPUCK2_BATTERY_OFF_V;
    body->battery_max_v = EPUCK2_BATTERY_FULL_V;
}

/* ---- Appearance. Positions of the LEDs are from the robot's model in Webots (E-puck.proto); the
 * rest is estimated from the vendor's pictures. ---- */

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
    APPEARANCE_ROW(BOX, x, y, length, width, .color = (shown), .lit_color = (shown),               \
                   .label = (words))
#define LAMP(x, y, dark, shown, by, words)                                                         \
    APPEARANCE_ROW(DISC, x, y, 0.006, 0.006, .color = (dark), .lit_color = (shown),                \
                   .lit_by = (by), .label = (words))
#define RGB(x, y, led, words)                                                                      \
    LAMP(x, y, LED_COLOR, LED_COLOR, NULL, words), LAMP(x, y, CLEAR, RED, led "_red", words),      \
        LAMP(x, y, CLEAR, GREEN, led "_green", words),                                             \
        LAMP(x, y, CLEAR, YELLOW, led "_yellow", words),                                           \
        LAMP(x, y, CLEAR, BLUE, led "_blue", words),                                               \
        LAMP(x, y, CLEAR, MAGENTA, led "_magenta", words),                                         \
        LAMP(x, y, CLEAR, CYAN, led "_cyan", words), LAMP(x, y, CLEAR, WHITE, led "_white", words)
#define PROX(x, y, heading, words)                                                                 \
    APPEARANCE_ROW(BOX, x, y, 0.003, 0.005, .heading_rad = RAD(heading), .color = PART_COLOR,      \
                   .lit_color = RED, .lit_by = (words), .label = (words))

static const struct appearance_row appearance_rows[] = {
    ROUND(APPEARANCE_DISC, 0.070, 0.070, BODY_COLOR),
    APPEARANCE_ROW(DISC, 0, 0, 0.066, 0.066, .color = CLEAR, .lit_color = GLOW,
                   .lit_by = "body_led", .label = "body LED"),
    ROUND(APPEARANCE_RING, 0.068, 0.003, RIM_COLOR),
    BOX(0, 0.0265, 0.041, 0.003, WHEEL_COLOR, NULL),
    BOX(0, -0.0265, 0.041, 0.003, WHEEL_COLOR, NULL),
    ROUND(APPEARANCE_DISC, 0.044, 0.044, BOARD_COLOR),
    BOX(0.030, 0, 0.005, 0.009, PART_COLOR, "camera"),
    BOX(0.0255, -0.002, 0.002, 0.004, PART_COLOR, "ToF"),
    APPEARANCE_ROW(LINE, 0.016, 0, 0.010, 0.0015, .color = MARK_COLOR, .lit_color = MARK_COLOR,
                   .label = "front"),
    PROX(0.0325, -0.0100, -17, "prox0"),
    PROX(0.0240, -0.0240, -45, "prox1"),
    PROX(0.0000, -0.0320, -90, "prox2"),
    PROX(-0.0285, -0.0165, -150, "prox3"),
    PROX(-0.0285, 0.0165, 150, "prox4"),
    PROX(0.0000, 0.0320, 90, "prox5"),
    PROX(0.0240, 0.0240, 45, "prox6"),
    PROX(0.0325, 0.0100, 17, "prox7"),
    APPEARANCE_ROW(DISC, -0.010, 0.010, 0.008, 0.008, .color = PART_COLOR, .lit_color = PART_COLOR,
                   .click = "selector", .label = "selector"),
    APPEARANCE_ROW(DISC, -0.010, -0.010, 0.006, 0.006, .color = MARK_COLOR, .lit_color = BLUE,
                   .lit_by = "button", .click = "press button=user", .label = "button"),
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

const struct appearance_list epuck2_appearance = {.rows = appearance_rows,
                                                  .count = COUNT(appearance_rows)};
