/* The machine: geometry, steppers, sensors. Sources: the vendor's specification, and the models of
 * the robot in Webots (E-puck.proto) and Enki (EPuck.cpp) where it is silent. */
#include <string.h>

#include "protocols/epuck2/epuck2_motion.h"
#include "protocols/epuck2/epuck2_power.h"
#include "protocols/epuck2/epuck2_rows.h"
#include "protocols/epuck2/epuck2_senses.h"
#include "protocols/trig.h"

#define PI           3.14159265358979323846
#define RAD(degrees) ((degrees) * (PI / 180))

/* Places around the body: x forward, y left, and the angle outward (vendor; Webots and Enki agree
 * within 8 degrees). Clockwise from the front right. */
static const struct {
    double x_m, y_m, heading_rad;
} prox_places[EPUCK2_PROX_COUNT] = {
    {0.035, -0.010, RAD(-17)},   {0.025, -0.025, RAD(-45)}, {0, -0.030, RAD(-90)},
    {-0.035, -0.020, RAD(-150)}, {-0.035, 0.020, RAD(150)}, {0, 0.030, RAD(90)},
    {0.025, 0.025, RAD(45)},     {0.035, 0.010, RAD(17)},
};
static const char *const prox_names[EPUCK2_PROX_COUNT] = {"prox0", "prox1", "prox2", "prox3",
                                                          "prox4", "prox5", "prox6", "prox7"};

/* The rays start inside the shell, since some sensors stand out of a round body and would look
 * from behind the wall that it touches; the firmware takes the distance off again. */
static void set_back(struct sensor_spec *sensor)
{
    double sine;
    double cosine;
    trig_sin_cos(sensor->heading_rad, &sine, &cosine);
    sensor->x_m -= EPUCK2_SET_BACK_M * cosine;
    sensor->y_m -= EPUCK2_SET_BACK_M * sine;
    sensor->range_m += EPUCK2_SET_BACK_M;
}

/* Aperture about 15 degrees to either side (GCtronic; Enki casts three rays). */
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
#define GROUND(text, y)                                                                            \
    {                                                                                              \
        .kind = SENSOR_GROUND, .name = (text), .x_m = 0.030, .y_m = (y), .z_m = EPUCK2_GROUND_Z_M  \
    }

static const struct sensor_spec fixed[] = {
    [EPUCK2_MIC_RIGHT] = MICROPHONE("mic_right", 0, -0.033),
    [EPUCK2_MIC_LEFT] = MICROPHONE("mic_left", 0, 0.033),
    [EPUCK2_MIC_BACK] = MICROPHONE("mic_back", -0.033, 0),
    [EPUCK2_MIC_FRONT] = MICROPHONE("mic_front", 0.033, 0),
    [EPUCK2_GROUND_LEFT] = GROUND("ground_left", 0.0095),
    [EPUCK2_GROUND_CENTER] = GROUND("ground_center", 0),
    [EPUCK2_GROUND_RIGHT] = GROUND("ground_right", -0.0095),
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
        .range_m = 10,                                /* chosen: as far as a room goes */
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
    /* What a wheel resists with when its coils are off, as idle_a * torque_nm_a * gear: 8 mNm.
     * Chosen: the detent of a small stepper, 0.16 mNm, through the gear of 50:1. */
    body->idle_a = 1;
    body->torque_nm_a = 0.16e-3;
    body->gear = 50;
    body->grip = 0.8; /* chosen: rubber rings on a hard floor */

    body_sensors(chosen, body);
    body->battery_min_v = EPUCK2_BATTERY_OFF_V;
    body->battery_max_v = EPUCK2_BATTERY_FULL_V;
}
