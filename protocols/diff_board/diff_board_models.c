/* Vendor models. Source of all parameters: pibotek/pibot_bringup: pypibot params.py. Sizes, masses
 * and motors are chosen: no data sheet was found; the grip lets each turn without stalling. */
#include "protocols/diff_board/diff_board_models.h"

#include <string.h>

#include "protocols/diff_board/diff_board_kinematics.h"

/* Least values of the vendor's configuration (pibot_bringup); smaller options mean the model's. */
static const double DIAMETER_MIN_M = 0.010;
static const double TRACK_MIN_M = 0.050;

static const struct diff_board_chassis chassis[DIFF_BOARD_MODEL_COUNT] = {
    [DIFF_BOARD_APOLLO] = {.kind = DIFF_BOARD_2WD,
                           .wheel_diameter_mm = 65,
                           .wheel_track_mm = 175,
                           .encoder_resolution = 44,
                           .motor_ratio = 90,
                           .length_m = 0.23,
                           .mass_kg = 2.0,
                           .resistance_ohm = 10,
                           .grip = 0.8},
    [DIFF_BOARD_APOLLO_X] = {.kind = DIFF_BOARD_2WD,
                             .wheel_diameter_mm = 96,
                             .wheel_track_mm = 350,
                             .encoder_resolution = 68,
                             .motor_ratio = 90,
                             .length_m = 0.42,
                             .mass_kg = 5.0,
                             .resistance_ohm = 6,
                             .grip = 0.8},
    [DIFF_BOARD_ZEUS] = {.kind = DIFF_BOARD_OMNI_3,
                         .wheel_diameter_mm = 58,
                         .wheel_track_mm = 230,
                         .encoder_resolution = 44,
                         .motor_ratio = 90,
                         .length_m = 0.28,
                         .mass_kg = 3.0,
                         .resistance_ohm = 10,
                         .grip = 0.7},
    [DIFF_BOARD_HADES] = {.kind = DIFF_BOARD_MECANUM,
                          .wheel_diameter_mm = 76,
                          .wheel_track_mm = 470,
                          .encoder_resolution = 44,
                          .motor_ratio = 90,
                          .is_box = true,
                          .length_m = 0.32,
                          .width_m = 0.28,
                          .mass_kg = 6.0,
                          .resistance_ohm = 8,
                          .grip = 0.7},
    [DIFF_BOARD_HADES_X] = {.kind = DIFF_BOARD_MECANUM,
                            .wheel_diameter_mm = 150,
                            .wheel_track_mm = 565,
                            .encoder_resolution = 44,
                            .motor_ratio = 72,
                            .is_box = true,
                            .length_m = 0.45,
                            .width_m = 0.36,
                            .mass_kg = 15.0,
                            .resistance_ohm = 2,
                            .grip = 0.7},
    [DIFF_BOARD_HERA] = {.kind = DIFF_BOARD_4WD,
                         .wheel_diameter_mm = 82,
                         .wheel_track_mm = 338,
                         .encoder_resolution = 44,
                         .motor_ratio = 90,
                         .is_box = true,
                         .length_m = 0.26,
                         .width_m = 0.28,
                         .mass_kg = 4.0,
                         .resistance_ohm = 4,
                         .grip = 0.5},
    /* Our own: the wheels of zeus, 115 mm from the middle. */
    [DIFF_BOARD_OMNI4] = {.kind = DIFF_BOARD_OMNI_4,
                          .wheel_diameter_mm = 58,
                          .wheel_track_mm = 325,
                          .encoder_resolution = 44,
                          .motor_ratio = 90,
                          .length_m = 0.28,
                          .mass_kg = 3.0,
                          .resistance_ohm = 10,
                          .grip = 0.7},
};

const struct diff_board_chassis *diff_board_chassis(const struct diff_board_options *options)
{
    return &chassis[options->model];
}

double diff_board_wheel_diameter_m(const struct diff_board_options *options)
{
    double given_m = options->wheel_diameter_m;
    return given_m >= DIAMETER_MIN_M ? given_m
                                     : diff_board_chassis(options)->wheel_diameter_mm * 0.001;
}

double diff_board_wheel_track_m(const struct diff_board_options *options)
{
    double given_m = options->wheel_track_m;
    return given_m >= TRACK_MIN_M ? given_m : diff_board_chassis(options)->wheel_track_mm * 0.001;
}

int64_t diff_board_encoder_counts(const struct diff_board_options *options)
{
    const struct diff_board_chassis *self = diff_board_chassis(options);
    return options->encoder_counts > 0 ? options->encoder_counts
                                       : (int64_t)self->encoder_resolution * self->motor_ratio;
}

/* ---- Parameters ---- */

static bool is_mega(const struct diff_board_options *options)
{
    return options->board == DIFF_BOARD_MEGA2560 || options->board == DIFF_BOARD_MEGA2560_SHIELD;
}

static void factory_gains(const struct diff_board_options *options,
                          struct diff_board_parameters *out)
{
    out->kp = 320;
    out->ki = 2700;
    if (is_mega(options)) {
        out->kp = 75;
        out->ki = 2500;
    } else if (options->model == DIFF_BOARD_APOLLO_X) {
        out->kp = 250;
        out->ki = 1200;
    } else if (options->model == DIFF_BOARD_HADES_X) {
        out->kp = 250;
        out->ki = 2750;
    }
    out->kd = 0;
    out->ko = 10;
}

static void factory_limits(const struct diff_board_options *options,
                           struct diff_board_parameters *out)
{
    bool is_apollo = options->model == DIFF_BOARD_APOLLO || options->model == DIFF_BOARD_APOLLO_X;
    bool is_slow = is_apollo && (is_mega(options) || (options->model == DIFF_BOARD_APOLLO &&
                                                      options->board == DIFF_BOARD_STM32F4));
    out->max_v_liner_x = is_slow ? 40 : 50;
    out->max_v_liner_y = is_apollo ? 0 : 50;
    out->max_v_angular_z = is_apollo ? 200 : 250;
}

void diff_board_factory(const struct diff_board_options *options,
                        struct diff_board_parameters *parameters)
{
    const struct diff_board_chassis *self = diff_board_chassis(options);
    memset(parameters, 0, sizeof *parameters);
    parameters->wheel_diameter = self->wheel_diameter_mm;
    parameters->wheel_track = self->wheel_track_mm;
    parameters->encoder_resolution = self->encoder_resolution;
    parameters->do_pid_interval = 10;
    factory_gains(options, parameters);
    parameters->cmd_last_time = 250;
    factory_limits(options, parameters);
    parameters->imu_type = is_mega(options) ? 69 : 71; /* GY85, GY87 */
    parameters->motor_ratio = self->motor_ratio;
    parameters->model_type = self->kind;
    parameters->motor_nonexchange_flag = 0xFF;
    parameters->encoder_nonexchange_flag = 0xFF;
    memset(parameters->reserve, 0xFF, sizeof parameters->reserve);
    if (options->firmware == DIFF_BOARD_FIRMWARE_1_0_1) {
        /* It counts per wheel turn, and its block ends before the ratio. */
        parameters->encoder_resolution = (uint16_t)(self->encoder_resolution * self->motor_ratio);
        parameters->motor_ratio = 0xFFFF;
        parameters->model_type = 0xFF;
    }
}

double diff_board_pwm_max(const struct diff_board_options *options)
{
    switch (options->board) {
    case DIFF_BOARD_MEGA2560:
        return 1023; /* gskywolf/MoBot_Arduino: src/robot.cpp */
    case DIFF_BOARD_MEGA2560_SHIELD:
        return 255; /* the same */
    default:
        return 5000; /* the vendor's STM32 firmware */
    }
}
