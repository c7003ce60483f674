/* The e-puck2's sensors against the published tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/epuck2/epuck2_body.h"
#include "protocols/epuck2/epuck2_senses.h"
#include "tests/unit/epuck2_rig.h"

/* An object at that distance from all proximity sensors. */
static void surround(struct epuck2_rig *rig, double distance_m)
{
    for (int i = 0; i < EPUCK2_PROX_COUNT; i++)
        rig->sensors.sensor[EPUCK2_PROX0 + i].distance_m = distance_m + EPUCK2_SET_BACK_M;
}

/* Webots (E-puck.proto): distance m, reading, one standard deviation in percent. */
static const struct {
    double distance_m, reading, noise_percent;
} webots[] = {{0, 4095, 0.2},   {0.005, 2133, 0.3}, {0.01, 1466, 0.7}, {0.015, 601, 4},
              {0.02, 384, 1.5}, {0.03, 235, 2.4},   {0.04, 158, 2.9},  {0.05, 120, 4.2},
              {0.06, 104, 3.1}, {0.07, 67, 4.9},    {0.1, 0, 0},       {0.11, 0, 0}};

static void proximity_follows_the_published_table(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    for (size_t i = 0; i < sizeof webots / sizeof webots[0]; i++) {
        surround(rig, webots[i].distance_m);
        rig_run(rig, 200);
        struct epuck2_sensors seen = rig_sensors(rig);
        for (int k = 0; k < EPUCK2_PROX_COUNT; k++)
            assert_true(fabs(seen.prox[k] - webots[i].reading) <= 1.0);
    }
    rig_free(rig);
}

static void proximity_falls_with_the_distance_and_rises_with_the_reflectance(void **state)
{
    (void)state;
    double last = epuck2_senses_prox(0, 0.8);
    for (double distance_m = 0.001; distance_m < 0.12; distance_m += 0.001) {
        double reading = epuck2_senses_prox(distance_m, 0.8);
        assert_true(reading < last || reading == 0);
        assert_true(epuck2_senses_prox(distance_m, 0.4) <= reading);
        last = reading;
    }
    assert_true(epuck2_senses_prox(0, 1) <= 4095);
    assert_true(epuck2_senses_prox(0.03, 0) == 0);
}

/* Standard deviation of prox0 over a while, as a share of its mean. */
static double spread(struct epuck2_rig *rig)
{
    enum { SAMPLES = 800 };
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < SAMPLES; i++) {
        rig_run(rig, 10);
        double value = rig->state.prox.raw[0];
        sum += value;
        squares += value * value;
    }
    double mean = sum / SAMPLES;
    return sqrt(squares / SAMPLES - mean * mean) / mean;
}

static void noise_is_that_of_the_table_and_grows_with_the_speed(void **state)
{
    (void)state;
    for (size_t i = 1; i < 9; i++) {
        struct epuck2_rig *rig = rig_new("noise=on");
        surround(rig, webots[i].distance_m);
        double share = spread(rig) * 100;
        assert_true(share > webots[i].noise_percent * 0.85 - 0.05);
        assert_true(share < webots[i].noise_percent * 1.15 + 0.05);
        rig_do(rig, "remote key=2"); /* 600 steps/s */
        assert_true(spread(rig) * 100 > share * 1.25);
        rig_free(rig);
    }
}

static void a_calibration_makes_what_is_there_now_the_zero(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("calibration_s=1");
    surround(rig, 0.05);
    rig_stream(rig);
    assert_in_range(rig_sensors(rig).prox[3], 119, 121);
    rig_order(rig, &(struct epuck2_command){.request = 2, .settings = 1});
    rig_run(rig, 500);
    rig_order(rig, &(struct epuck2_command){.request = 2});
    rig_run(rig, 3000);
    assert_int_equal(rig_sensors(rig).prox[3], 0);
    surround(rig, 0.03);
    rig_run(rig, 200);
    assert_in_range(rig_sensors(rig).prox[3], 113, 117);
    surround(rig, 0.1);
    rig_run(rig, 200);
    assert_int_equal(rig_sensors(rig).prox[3], 0); /* never below */
    rig_free(rig);
}

static void ambient_light_reads_high_in_the_dark(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    uint16_t dark = rig_sensors(rig).ambient[0];
    rig->sensors.sensor[EPUCK2_PROX0].level = 1;
    rig_run(rig, 200);
    assert_true(dark > 3000 && rig_sensors(rig).ambient[0] < 1000);
    assert_int_equal(rig_sensors(rig).ambient[1], dark);
    rig_free(rig);
}

static void the_tof_sensor_reads_as_measured_ten_times_a_second(void **state)
{
    (void)state;
    static const double points[][2] = {{0, 20},    {0.05, 58.5}, {0.1, 111}, {0.2, 219},
                                       {0.5, 532}, {1, 1052},    {1.7, 1780}};
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        rig->sensors.sensor[EPUCK2_TOF].distance_m = points[i][0] + EPUCK2_SET_BACK_M;
        rig_run(rig, 200);
        assert_true(fabs(rig_sensors(rig).tof - points[i][1]) <= 1);
    }
    rig->sensors.sensor[EPUCK2_TOF].distance_m = 5;
    rig_run(rig, 200);
    assert_true(rig_sensors(rig).tof > 2000);
    int changes = 0;
    for (int i = 0; i < 1000; i++) {
        uint16_t was = rig->state.tof;
        rig->sensors.sensor[EPUCK2_TOF].distance_m = 0.1 + i * 0.001;
        rig_run(rig, 1);
        changes += rig->state.tof != was;
    }
    assert_in_range(changes, 9, 11);
    rig_free(rig);
}

static void ground_sensors_distinguish_white_from_black_and_the_floor_from_the_air(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("ground_sensors=yes");
    rig_stream(rig);
    assert_in_range(rig_sensors(rig).ground[0], 990, 1010);
    rig->sensors.sensor[EPUCK2_GROUND_CENTER].reflectance = 0;
    rig_run(rig, 200);
    assert_in_range(rig_sensors(rig).ground[1], 1, 300);
    assert_in_range(rig_sensors(rig).ground[2], 990, 1010);
    rig->sensors.sensor[EPUCK2_GROUND_LEFT].distance_m = EPUCK2_GROUND_Z_M + 0.016;
    rig->sensors.sensor[EPUCK2_GROUND_RIGHT].distance_m = EPUCK2_GROUND_Z_M + 0.3;
    rig_run(rig, 200);
    assert_in_range(rig_sensors(rig).ground[0], 290, 310);
    assert_int_equal(rig_sensors(rig).ground[2], 0);
    rig_free(rig);
}

static void microphones_read_peaks_of_sound(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    assert_in_range(rig_sensors(rig).mic_left, 20, 80);
    rig->sensors.sensor[EPUCK2_MIC_LEFT].level = 0.5;
    rig->sensors.sensor[EPUCK2_MIC_BACK].level = 1;
    rig_run(rig, 200);
    struct epuck2_sensors seen = rig_sensors(rig);
    assert_in_range(seen.mic_left, 1800, 2300);
    assert_int_equal(seen.mic_back, 4095);
    assert_in_range(seen.mic_right, 20, 80);
    assert_in_range(seen.mic_front, 20, 80);
    rig_free(rig);
}

static void the_accelerometer_reads_768_a_g_and_its_angles(void **state)
{
    (void)state;
    static const struct {
        const char *tilt;
        double inclination, orientation; /* of the firmware's formula; axes x right, y back */
        int x, y, z;
    } cases[] = {
        {"tilt", 0, 0, 0, 0, 768},
        {"tilt pitch=90", 90, 180 + 0, 0, 768, 0},
        {"tilt pitch=-90", 90, 180 + 180, 0, -768, 0},
        {"tilt roll=90", 90, 180 - 90, -768, 0, 0},
        {"tilt roll=-90", 90, 180 + 90, 768, 0, 0},
        {"tilt roll=180", 180, 0, 0, 0, -768},
        {"tilt pitch=3", 3, 0, 0, 40, 767}, /* nearly flat: no orientation */
    };
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig_do(rig, cases[i].tilt);
        rig_run(rig, 200);
        struct epuck2_sensors seen = rig_sensors(rig);
        double aside = fabs(seen.orientation - cases[i].orientation);
        assert_true(abs(seen.acc_x - cases[i].x) <= 1);
        assert_true(abs(seen.acc_y - cases[i].y) <= 1);
        assert_true(abs(seen.acc_z - cases[i].z) <= 1);
        assert_true(fabs(seen.inclination - cases[i].inclination) < 0.3);
        assert_true(aside < 0.3 || fabs(aside - 360) < 0.3);
        assert_true(fabsf(seen.acc_magnitude - 768) < 2);
    }
    rig->sensors.accel_m_s2[2] = 100; /* beyond 2 g */
    rig_do(rig, "tilt");
    rig_run(rig, 200);
    assert_in_range(rig_sensors(rig).acc_z, 1530, 1540);
    rig_free(rig);
}

static void the_gyro_is_positive_to_the_left_and_saturates_at_250_degrees_a_second(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    rig->sensors.gyro_rad_s[2] = 1;
    rig_run(rig, 200);
    assert_in_range(rig_sensors(rig).gyro_z, 7504, 7507); /* 57.3 deg/s x 131 */
    rig->sensors.gyro_rad_s[2] = -6;
    rig_run(rig, 200);
    assert_int_equal(rig_sensors(rig).gyro_z, -32768);
    rig_free(rig);
}

static void the_magnetometer_is_read_eight_times_a_second(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    int changes = 0;
    rig_run(rig, 100);
    for (int i = 0; i < 10000; i++) {
        float was = rig->state.inertia.mag[0];
        rig->sensors.field_ut[1] = i % 500;
        rig_run(rig, 1);
        changes += rig->state.inertia.mag[0] != was;
    }
    assert_in_range(changes, 75, 81);
    rig_free(rig);
}

static void the_battery_reads_819_a_volt_and_drains(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("battery_v=4.2");
    rig_stream(rig);
    assert_in_range(rig_sensors(rig).battery, 3440, 3442);
    assert_true(rig->actuators.charge_rate_1_s < 0);
    rig->sensors.charger = CHARGER_ADAPTER;
    rig_run(rig, 200);
    assert_true(rig->actuators.charge_rate_1_s > 0);
    rig->sensors.battery_charge = 0;
    rig_run(rig, 200);
    assert_in_range(rig_sensors(rig).battery, 2600, 2601);
    assert_true(rig->state.power.is_low);
    rig_free(rig);
}

/* Positions of the vendor: x forward, y left, and the outward angle. */
static const struct {
    double x_m, y_m, degrees;
} prox_places[EPUCK2_PROX_COUNT] = {
    {0.035, -0.010, -17}, {0.025, -0.025, -45}, {0, -0.030, -90},   {-0.035, -0.020, -150},
    {-0.035, 0.020, 150}, {0, 0.030, 90},       {0.025, 0.025, 45}, {0.035, 0.010, 17},
};

static void near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("%g instead of %g", value, expected);
}

static void sensors_are_at_the_published_places(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("ground_sensors=yes");
    for (int i = 0; i < EPUCK2_PROX_COUNT; i++) {
        const struct sensor_spec *spec = &rig->body.sensors[EPUCK2_PROX0 + i];
        double heading_rad = prox_places[i].degrees * 3.14159265358979 / 180;
        near(spec->heading_rad, heading_rad);
        near(spec->x_m + EPUCK2_SET_BACK_M * cos(heading_rad), prox_places[i].x_m);
        near(spec->y_m + EPUCK2_SET_BACK_M * sin(heading_rad), prox_places[i].y_m);
        near(spec->z_m, 0.033);
        near(spec->cone_half_rad, 15 * 3.14159265358979 / 180);
        assert_int_equal(spec->rays, 3);
    }
    const struct sensor_spec *tof = &rig->body.sensors[EPUCK2_TOF];
    near(tof->x_m + EPUCK2_SET_BACK_M, 0.034);
    near(tof->y_m, -0.002);
    near(tof->z_m, 0.033);
    near(tof->heading_rad, 0);
    near(tof->cone_half_rad, 12.5 * 3.14159265358979 / 180);
    const struct sensor_spec *camera = &rig->body.sensors[EPUCK2_CAMERA];
    near(camera->x_m, 0.030);
    near(camera->y_m, 0);
    near(camera->z_m, 0.028);
    for (int i = 0; i < EPUCK2_GROUND_COUNT; i++) {
        const struct sensor_spec *ground = &rig->body.sensors[EPUCK2_GROUND_LEFT + i];
        near(ground->x_m, 0.030);
        near(ground->y_m, 0.0095 * (1 - i));
    }
    rig_free(rig);
}

/* Positions of the robot's model in Webots. An RGB LED is a row for each of its colors. */
static void leds_are_drawn_at_the_published_places(void **state)
{
    (void)state;
    static const struct {
        const char *label;
        double x_m, y_m;
        size_t rows;
    } leds[] = {
        {"LED1", 0.034, 0, 1},       {"LED2", 0.022, -0.025, 8}, {"LED3", 0, -0.034, 1},
        {"LED4", -0.027, -0.020, 8}, {"LED5", -0.033, 0, 1},     {"LED6", -0.027, 0.020, 8},
        {"LED7", 0, 0.034, 1},       {"LED8", 0.022, 0.025, 8},  {"front LED", 0.031, -0.0125, 1},
    };
    for (size_t i = 0; i < sizeof leds / sizeof leds[0]; i++) {
        size_t rows = 0;
        for (size_t k = 0; k < epuck2_appearance.count; k++) {
            const struct appearance_row *row = &epuck2_appearance.rows[k];
            if (!row->label || strcmp(row->label, leds[i].label) != 0)
                continue;
            rows++;
            near(row->x_m, leds[i].x_m);
            near(row->y_m, leds[i].y_m);
        }
        assert_int_equal(rows, leds[i].rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proximity_follows_the_published_table),
        cmocka_unit_test(proximity_falls_with_the_distance_and_rises_with_the_reflectance),
        cmocka_unit_test(noise_is_that_of_the_table_and_grows_with_the_speed),
        cmocka_unit_test(a_calibration_makes_what_is_there_now_the_zero),
        cmocka_unit_test(ambient_light_reads_high_in_the_dark),
        cmocka_unit_test(the_tof_sensor_reads_as_measured_ten_times_a_second),
        cmocka_unit_test(ground_sensors_distinguish_white_from_black_and_the_floor_from_the_air),
        cmocka_unit_test(microphones_read_peaks_of_sound),
        cmocka_unit_test(the_accelerometer_reads_768_a_g_and_its_angles),
        cmocka_unit_test(the_gyro_is_positive_to_the_left_and_saturates_at_250_degrees_a_second),
        cmocka_unit_test(the_magnetometer_is_read_eight_times_a_second),
        cmocka_unit_test(the_battery_reads_819_a_volt_and_drains),
        cmocka_unit_test(sensors_are_at_the_published_places),
        cmocka_unit_test(leds_are_drawn_at_the_published_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
