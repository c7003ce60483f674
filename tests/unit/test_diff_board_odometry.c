/* A board's estimates of its position and motion: odometry, its quirks, encoders and IMU. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/diff_board_rig.h"

enum { DIAMETER = 0, TRACK = 2, MAX_WZ = 21, IMU_TYPE = 23 };

static void a_wrong_diameter_gives_a_wrong_odometry(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, (const char *const[]){"board.wheel_diameter_mm=60", NULL});
    double from_m = board_get(&board, "x_m");
    board_drive(&board, 30, 0, 0, 5000);
    board_drive(&board, 0, 0, 0, 1000);
    double way_m = board_get(&board, "x_m") - from_m;
    int believed_cm = board_odometry(&board).x_cm;
    print_message("wheels of 60 mm taken for 65: %.3f m driven, %d cm believed\n", way_m,
                  believed_cm);
    assert_true(fabs(way_m - 1.5 * 60 / 65) < 0.015);
    assert_in_range(believed_cm, 148, 151);

    /* The correct parameter corrects it, without a restart. */
    board_set(&board, DIAMETER, 60, 2);
    board_ask(&board, 3, 0);
    from_m = board_get(&board, "x_m");
    board_drive(&board, 30, 0, 0, 5000);
    board_drive(&board, 0, 0, 0, 1000);
    way_m = board_get(&board, "x_m") - from_m;
    assert_true(fabs(way_m - 1.5) < 0.015);
    assert_true(fabs(board_odometry(&board).x_cm / 100.0 - way_m) <= 0.01);
    board_close(&board);
}

static void odometry_goes_negative(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, (const char *const[]){"board.model=hades", NULL});
    board_drive(&board, -20, -15, -30, 2000);
    struct board_odometry odometry = board_odometry(&board);
    assert_true(odometry.vx_cm_s < -15 && odometry.vy_cm_s < -10 && odometry.wz < -25);
    assert_true(odometry.x_cm < -10 && odometry.y_cm < -10 && odometry.yaw < -40);
    board_close(&board);
}

static void yaw_is_not_wrapped_at_any_turn(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    /* Beyond pi, 2 pi and 100 rad. */
    for (int i = 0; i < 60; i++) {
        board_drive(&board, 0, 0, 200, 1000);
        struct board_odometry odometry = board_odometry(&board);
        double truth = board_get(&board, "heading_deg") / 57.29577951308232;
        assert_true(fabs(odometry.yaw / 100.0 - truth) < 0.3); /* up to 100 ms old */
    }
    assert_true(board_odometry(&board).yaw > 11000);
    /* The 16 bits end at 327.67 rad; after that the value is negative. */
    for (int i = 0; i < 120; i++)
        board_drive(&board, 0, 0, 200, 1000);
    int yaw = board_odometry(&board).yaw;
    double believed = board_get(&board, "odom_yaw_rad");
    assert_true(believed > 330 && believed < 400);
    assert_true(abs(yaw + 65536 - (int)(believed * 100)) < 60);
    board_close(&board);

    board_open(&board, (const char *const[]){"board.yaw_wrap=yes", NULL});
    for (int sign = 1; sign >= -1; sign -= 2) {
        board_ask(&board, 3, 0);
        board_drive(&board, 0, 0, 150 * sign, 8000);
        int wrapped = board_odometry(&board).yaw;
        double whole = board_get(&board, "odom_yaw_rad") * 100;
        assert_true(sign * whole > 1000);
        assert_in_range(sign * wrapped, 0, 627); /* the sign is kept */
        assert_true(abs((int)whole % 628 - wrapped) < 20);
        board_drive(&board, 0, 0, 0, 2000);
    }
    board_close(&board);
}

static void odometry_is_new_every_hundred_milliseconds(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    board_drive(&board, 30, 0, 0, 1000);
    int changes = 0;
    double last = board_get(&board, "odom_x_m");
    for (int ms = 0; ms < 2000; ms++) {
        if (ms % 100 == 0)
            board_velocity(&board, 30, 0, 0);
        board_run(&board, 1);
        changes += board_get(&board, "odom_x_m") != last;
        last = board_get(&board, "odom_x_m");
    }
    assert_int_equal(changes, 20);
    board_close(&board);
}

static void initializing_clears_the_odometry_and_nothing_else(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    board_drive(&board, 30, 0, 50, 2000);
    double target = board_get(&board, "motor2_target");
    board_ask(&board, 3, 0);
    struct board_odometry odometry = board_odometry(&board);
    assert_in_range(odometry.x_cm, 0, 2);
    assert_true(odometry.y_cm == 0 && abs(odometry.yaw) <= 3);
    assert_true(fabs((double)board_f32(board_ask(&board, 8, 16) + 4)) < 60);
    assert_true(board_get(&board, "motor2_target") == target);
    board_drive(&board, 30, 0, 50, 1000);
    assert_true(board_get(&board, "speed_m_s") > 0.28);
    odometry = board_odometry(&board);
    assert_in_range(odometry.x_cm, 25, 31);
    board_close(&board);
}

/* 30 cm/s and 0.5 rad/s for 1 s: 28.8 and 7.3 cm, rotated back by the lag of the firmware. */
static void differential_odometry_lags_as_in_the_firmware(void **state)
{
    (void)state;
    int y_cm[2];
    for (int has_lag = 0; has_lag < 2; has_lag++) {
        struct board board;
        board_open(&board, (const char *const[]){
                               has_lag ? "board.heading_lag=yes" : "board.heading_lag=no", NULL});
        board_drive(&board, 30, 0, 50, 2000);
        board_ask(&board, 3, 0);
        board_drive(&board, 30, 0, 50, 1000);
        struct board_odometry odometry = board_odometry(&board);
        print_message("lag %d: x %d, y %d cm\n", has_lag, odometry.x_cm, odometry.y_cm);
        y_cm[has_lag] = odometry.y_cm;
        assert_in_range(odometry.x_cm, 26, 30);
        board_close(&board);
    }
    assert_in_range(y_cm[0], 5, 7);
    assert_in_range(y_cm[1], 3, 5);
    assert_true(y_cm[1] < y_cm[0]);
}

static void the_omni3_quirk_hides_the_velocity(void **state)
{
    (void)state;
    for (int has_quirk = 0; has_quirk < 2; has_quirk++) {
        struct board board;
        board_open(&board, (const char *const[]){"board.model=zeus",
                                                 has_quirk ? "board.omni3_velocity_quirk=yes"
                                                           : "board.omni3_velocity_quirk=no",
                                                 NULL});
        board_drive(&board, 20, 20, 60, 2000);
        struct board_odometry odometry = board_odometry(&board);
        assert_true(odometry.yaw > 80);
        assert_true(odometry.y_cm > 20);
        assert_in_range(odometry.vx_cm_s, has_quirk ? 0 : 19, has_quirk ? 0 : 21);
        assert_in_range(odometry.vy_cm_s, has_quirk ? 0 : 19, has_quirk ? 0 : 21);
        assert_in_range(odometry.wz, has_quirk ? 0 : 58, has_quirk ? 0 : 62);
        board_close(&board);
    }
}

static void a_differential_robot_knows_no_sideways(void **state)
{
    (void)state;
    static const char *const models[] = {"board.model=apollo", "board.model=hera"};
    for (size_t i = 0; i < 2; i++) {
        struct board board;
        board_open(&board, (const char *const[]){models[i], NULL});
        board_drive(&board, 0, 30, 0, 1000);
        assert_true(board_get(&board, "speed_m_s") == 0);
        board_drive(&board, 20, 30, 50, 1000);
        assert_int_equal(board_odometry(&board).vy_cm_s, 0);
        board_close(&board);
    }
}

static void encoders_count_what_the_wheels_turn(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    double from_m = board_get(&board, "x_m");
    board_drive(&board, 20, 0, 0, 5000);
    board_drive(&board, 0, 0, 0, 1000);
    double turns = (board_get(&board, "x_m") - from_m) / (3.14159265 * 0.065);
    const uint8_t *body = board_ask(&board, 8, 16);
    assert_true(fabs((double)board_f32(body) + turns * 3960) < 5);
    assert_true(fabs((double)board_f32(body + 4) - turns * 3960) < 5);
    board_close(&board);
}

/* ---- IMU ---- */

struct imu {
    double accel[3], gyro[3], field[3];
};

static struct imu ask_imu(struct board *board)
{
    struct imu imu;
    const uint8_t *body = board_ask(board, 7, 36);
    for (size_t i = 0; i < 3; i++) {
        imu.accel[i] = (double)board_f32(body + 4 * i);
        imu.gyro[i] = (double)board_f32(body + 12 + 4 * i);
        imu.field[i] = (double)board_f32(body + 24 + 4 * i);
    }
    return imu;
}

static void the_imu_feels_the_motion(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    board_run(&board, 100);
    struct imu imu = ask_imu(&board);
    assert_true(fabs(imu.accel[2] - 9.80665) < 1e-4);
    assert_true(fabs(imu.accel[0]) < 1e-4 && fabs(imu.accel[1]) < 1e-4);
    assert_true(fabs(imu.gyro[2]) < 1e-6);
    /* Heading 0 is east: the field of central Europe, 200 mG, points to the left. */
    assert_true(fabs(imu.field[1] - 200) < 0.1 && fabs(imu.field[0]) < 0.1);
    assert_true(fabs(imu.field[2] + 440) < 0.1);

    /* A circle: rotation rate, and acceleration toward its center. */
    board_drive(&board, 30, 0, 100, 3000);
    imu = ask_imu(&board);
    assert_true(fabs(imu.gyro[2] - 1) < 0.02);
    assert_true(fabs(imu.accel[1] - 0.3) < 0.03);
    assert_true(fabs(hypot(imu.field[0], imu.field[1]) - 200) < 0.1);

    board_set(&board, IMU_TYPE, 255, 1);
    board_run(&board, 100);
    imu = ask_imu(&board);
    assert_true(imu.accel[2] == 0 && imu.gyro[2] == 0 && imu.field[2] == 0);
    board_close(&board);
}

static void a_resting_imu_is_noisy_about_its_bias(void **state)
{
    (void)state;
    struct board board;
    board_open(&board,
               (const char *const[]){"board.accel_noise_m_s2=0.03", "board.gyro_noise_rad_s=0.003",
                                     "board.field_noise_mg=2", "board.gyro_bias_rad_s=0.01", NULL});
    struct imu sum = {.accel = {0}};
    double square = 0;
    for (int i = 0; i < 500; i++) {
        board_run(&board, 10);
        struct imu imu = ask_imu(&board);
        sum.accel[2] += imu.accel[2];
        sum.gyro[2] += imu.gyro[2];
        square += pow(imu.gyro[2] - 0.01, 2);
    }
    assert_true(fabs(sum.accel[2] / 500 - 9.80665) < 0.01);
    assert_true(fabs(sum.gyro[2] / 500 - 0.01) < 0.001);
    double deviation = sqrt(square / 500);
    assert_true(deviation > 0.002 && deviation < 0.004);
    board_close(&board);
}

static void parameters_of_zero_lose_the_pose_until_message_3_with_that_quirk(void **state)
{
    (void)state;
    struct board board;
    const uint8_t zeros[BOARD_BLOCK] = {0};
    uint8_t factory[BOARD_BLOCK];
    board_open(&board, (const char *const[]){"board.nan_quirk=yes", "board.yaw_wrap=yes", NULL});
    memcpy(factory, board_ask(&board, 2, BOARD_BLOCK), BOARD_BLOCK);
    board_drive(&board, 20, 0, 0, 500);
    assert_true(board_odometry(&board).x_cm > 0);

    board_send(&board, 1, zeros, BOARD_BLOCK);
    board_run(&board, 300);
    board_send(&board, 1, factory, BOARD_BLOCK);
    board_run(&board, 300);
    struct board_odometry lost = board_odometry(&board);
    assert_int_equal(lost.x_cm, INT32_MIN);
    assert_int_equal(lost.y_cm, INT32_MIN);
    assert_int_equal(lost.yaw, 0);
    assert_int_equal(lost.vx_cm_s, 0);

    board_ask(&board, 3, 0);
    board_drive(&board, 20, 0, 0, 500);
    assert_in_range(board_odometry(&board).x_cm, 1, 12);
    assert_true(isfinite(board_get(&board, "odometry_x_m")));
    board_close(&board);
}

static void parameters_of_zero_leave_the_pose_as_it_is_without_it(void **state)
{
    (void)state;
    struct board board;
    const uint8_t zeros[BOARD_BLOCK] = {0};
    board_open(&board, (const char *const[]){NULL});
    board_drive(&board, 20, 0, 0, 500);
    board_send(&board, 1, zeros, BOARD_BLOCK);
    board_run(&board, 300);
    int x_cm = board_odometry(&board).x_cm;
    assert_in_range(x_cm, 1, 20);
    board_close(&board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_of_zero_lose_the_pose_until_message_3_with_that_quirk),
        cmocka_unit_test(parameters_of_zero_leave_the_pose_as_it_is_without_it),
        cmocka_unit_test(a_wrong_diameter_gives_a_wrong_odometry),
        cmocka_unit_test(odometry_goes_negative),
        cmocka_unit_test(yaw_is_not_wrapped_at_any_turn),
        cmocka_unit_test(odometry_is_new_every_hundred_milliseconds),
        cmocka_unit_test(initializing_clears_the_odometry_and_nothing_else),
        cmocka_unit_test(differential_odometry_lags_as_in_the_firmware),
        cmocka_unit_test(the_omni3_quirk_hides_the_velocity),
        cmocka_unit_test(a_differential_robot_knows_no_sideways),
        cmocka_unit_test(encoders_count_what_the_wheels_turn),
        cmocka_unit_test(the_imu_feels_the_motion),
        cmocka_unit_test(a_resting_imu_is_noisy_about_its_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
