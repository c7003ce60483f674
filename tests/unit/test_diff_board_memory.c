/* The parameters of a board: the factory settings, and which changes persist. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/diff_board/diff_board.h"
#include "tests/unit/diff_board_rig.h"

static void factory_parameters_are_those_of_the_vendor(void **state)
{
    (void)state;
    /* Source: pibotek/pibot_bringup, pypibot params.py. */
    static const struct {
        const char *model, *board;
        int diameter, track, counts, kp, ki, vx, vy, wz, imu, ratio, kind;
    } rows[] = {
        {"apollo", "mega2560", 65, 175, 44, 75, 2500, 40, 0, 200, 69, 90, 1},
        {"apollo", "stm32f1", 65, 175, 44, 320, 2700, 50, 0, 200, 71, 90, 1},
        {"apollo", "stm32f4", 65, 175, 44, 320, 2700, 40, 0, 200, 71, 90, 1},
        {"zeus", "stm32f1", 58, 230, 44, 320, 2700, 50, 50, 250, 71, 90, 101},
        {"hades", "stm32f4", 76, 470, 44, 320, 2700, 50, 50, 250, 71, 90, 201},
        {"hades_x", "stm32f4", 150, 565, 44, 250, 2750, 50, 50, 250, 71, 72, 201},
        {"hera", "stm32f1", 82, 338, 44, 320, 2700, 50, 50, 250, 71, 90, 2},
        {"apollo_x", "mega2560", 96, 350, 68, 75, 2500, 40, 0, 200, 69, 90, 1},
        {"apollo_x", "stm32f4", 96, 350, 68, 250, 1200, 50, 0, 200, 71, 90, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char model[64], kind[64];
        struct board board;
        snprintf(model, sizeof model, "board.model=%s", rows[i].model);
        snprintf(kind, sizeof kind, "board.board=%s", rows[i].board);
        board_open(&board, (const char *const[]){model, kind, NULL});
        const uint8_t *block = board_ask(&board, 2, 64);
#define U16(at) (block[at] | block[(at) + 1] << 8)
        assert_int_equal(U16(0), rows[i].diameter);
        assert_int_equal(U16(2), rows[i].track);
        assert_int_equal(U16(4), rows[i].counts);
        assert_int_equal(block[6], 10);
        assert_int_equal(U16(7), rows[i].kp);
        assert_int_equal(U16(9), rows[i].ki);
        assert_int_equal(U16(11), 0);
        assert_int_equal(U16(13), 10);
        assert_int_equal(U16(15), 250);
        assert_int_equal(U16(17), rows[i].vx);
        assert_int_equal(U16(19), rows[i].vy);
        assert_int_equal(U16(21), rows[i].wz);
        assert_int_equal(block[23], rows[i].imu);
        assert_int_equal(U16(24), rows[i].ratio);
        assert_int_equal(block[26], rows[i].kind);
        board_close(&board);
    }
}

/* The minimum is a wheel of 10 mm and a track of 50 mm. Below it, the board uses the model's
 * values: 65 and 175 mm. */
static void real_wheels_are_those_of_the_options_from_the_least_on(void **state)
{
    (void)state;
    static const struct {
        double diameter_m, track_m, is_diameter_m, is_track_m;
    } rows[] = {{0.010, 0.050, 0.010, 0.050}, {0.009, 0.049, 0.065, 0.175}, {0, 0, 0.065, 0.175}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct diff_board_options options = {.wheel_diameter_m = rows[i].diameter_m,
                                             .wheel_track_m = rows[i].track_m};
        struct robot_body body;
        diff_board_type.body(&options, &body);
        assert_true(fabs(2 * body.wheels[0].radius_m - rows[i].is_diameter_m) < 1e-9);
        assert_true(fabs(body.wheels[0].y_m - body.wheels[1].y_m - rows[i].is_track_m) < 1e-9);
    }
}

/* Writes a block; every byte differs from the factory settings. */
static void set_other_block(struct board *board, uint8_t block[BOARD_BLOCK])
{
    for (size_t i = 0; i < BOARD_BLOCK; i++)
        block[i] = (uint8_t)(0x60 + i);
    board_send(board, 1, block, BOARD_BLOCK);
    board_run(board, 20);
    board->count = 0;
}

/* Restarts the same scene with a storage. */
static void restart(struct board *board, const struct robot_storage *storage)
{
    struct error error;
    sim_destroy(board->rig.sim);
    board->rig.sim = sim_create(board->rig.scene, storage, NULL, &error);
    assert_non_null(board->rig.sim);
    sim_host_present(board->rig.sim, 0, true);
    board_run(board, 1);
}

static void parameters_survive_a_restart_to_the_byte(void **state)
{
    (void)state;
    struct board board;
    uint8_t block[BOARD_BLOCK];
    board_open(&board, NULL);
    assert_false(sim_robot_storage(board.rig.sim, 0)->is_dirty);
    set_other_block(&board, block);
    struct robot_storage saved = *sim_robot_storage(board.rig.sim, 0);
    assert_true(saved.is_dirty);
    assert_int_equal(saved.size, BOARD_BLOCK);
    assert_memory_equal(saved.bytes, block, BOARD_BLOCK);

    saved.is_dirty = false;
    restart(&board, &saved);
    assert_memory_equal(board_ask(&board, 2, 64), block, BOARD_BLOCK);
    assert_false(sim_robot_storage(board.rig.sim, 0)->is_dirty);
    rig_do(&board.rig, "board.reset");
    board_run(&board, 10);
    assert_memory_equal(board_ask(&board, 2, 64), block, BOARD_BLOCK);
    board_close(&board);
}

static void a_fresh_board_has_what_the_scene_wants(void **state)
{
    (void)state;
    uint8_t erased[BOARD_BLOCK];
    memset(erased, 0xff, sizeof erased);
    struct board board;
    board_open(&board, (const char *const[]){"board.eeprom=erased", NULL});
    assert_memory_equal(board_ask(&board, 2, 64), erased, sizeof erased);
    /* Its motion is arbitrary until it is configured, but the simulation does not crash. */
    board_drive(&board, 30, 0, 0, 2000);
    assert_true(isfinite(board_get(&board, "x_m")));
    rig_do(&board.rig, "board.eeprom contents=factory");
    board_drive(&board, 0, 0, 0, 1000);
    board_drive(&board, 30, 0, 0, 2000);
    assert_true(fabs(board_get(&board, "speed_m_s") - 0.3) < 0.01);
    assert_true(board_get(&board, "unsaved") == 1);

    /* A storage that is larger or smaller than the block, as read from a damaged file. */
    struct robot_storage other = {.size = ROBOT_STORAGE_MAX};
    memset(other.bytes, 0xff, sizeof other.bytes);
    restart(&board, &other);
    assert_memory_equal(board_ask(&board, 2, 64), erased, sizeof erased);
    other.size = 2;
    other.bytes[0] = 65;
    erased[0] = 65;
    restart(&board, &other);
    assert_memory_equal(board_ask(&board, 2, 64), erased, sizeof erased);
    board_close(&board);
}

static void the_block_decides_the_kinematics_of_the_newer_firmware(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    board_set(&board, 26, 101, 1); /* omni3 */
    board_drive(&board, 30, 0, 0, 100);
    assert_true(board_get(&board, "motor1_target") == 0);
    assert_true(board_get(&board, "motor3_target") > 0);
    board_set(&board, 26, 255, 1); /* unknown: the model that the board was built for */
    board_drive(&board, 30, 0, 0, 100);
    assert_true(board_get(&board, "motor1_target") < 0);
    assert_true(board_get(&board, "motor3_target") == 0);
    board_close(&board);

    /* The old firmware was built for its chassis, and uses counts per wheel turn. */
    board_open(&board, (const char *const[]){"board.firmware=1.0.1", "board.model=zeus", NULL});
    const uint8_t *block = board_ask(&board, 2, 64);
    assert_int_equal(U16(4), 3960);
    assert_int_equal(U16(24), 0xffff);
    board_set(&board, 26, 1, 1);
    board_drive(&board, 20, 0, 0, 2000);
    assert_true(fabs(board_get(&board, "speed_m_s") - 0.2) < 0.01);
    board_close(&board);
}

/* Where four wheels are in two rows, the wheel base is the distance between the rows. */
static void the_wheel_base_is_the_distance_of_the_axles(void **state)
{
    (void)state;
    static const char *const models[] = {"hades", "hades_x", "hera"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct diff_board_options options;
        struct robot_body body;
        struct error error;
        option_defaults(diff_board_type.options, diff_board_type.option_count, &options);
        const struct option_row *row =
            option_find(diff_board_type.options, diff_board_type.option_count, "model");
        assert_true(option_set(row, models[i], &options, &error));
        diff_board_type.body(&options, &body);
        assert_int_equal(body.wheel_count, 4);
        double front = body.wheels[0].x_m, rear = front;
        for (size_t wheel = 1; wheel < 4; wheel++) {
            front = fmax(front, body.wheels[wheel].x_m);
            rear = fmin(rear, body.wheels[wheel].x_m);
        }
        assert_true(front > 0 && fabs(front + rear) < 1e-12);
        assert_true(fabs(body.wheel_base_m - (front - rear)) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factory_parameters_are_those_of_the_vendor),
        cmocka_unit_test(parameters_survive_a_restart_to_the_byte),
        cmocka_unit_test(real_wheels_are_those_of_the_options_from_the_least_on),
        cmocka_unit_test(a_fresh_board_has_what_the_scene_wants),
        cmocka_unit_test(the_block_decides_the_kinematics_of_the_newer_firmware),
        cmocka_unit_test(the_wheel_base_is_the_distance_of_the_axles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
