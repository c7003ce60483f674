/* Prints a hash of the whole state after a minute of driving, for each of a few seeds. Two builds
 * agree to the bit if they print the same; ./dev test compares gcc's with clang's. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <setjmp.h>

#include <cmocka.h>

#include "tests/unit/diff_board_rig.h"
#include "tests/unit/kobuki_rig.h"

static const char room[] = "world:\n"
                           "  size: {x: 4, y: 3}\n"
                           "  walls: [{from: {x: 2, y: 0}, to: {x: 2, y: 1}}]\n"
                           "  boxes: [{pose: {x: 3, y: 2, heading: 20}, size: {x: 0.4, y: 0.3}, "
                           "mass: 2}]\n"
                           "  docks: [{name: dock, pose: {x: 0.04, y: 1}}]\n"
                           "  discs: [{pose: {x: 1, y: 2.4}, radius: 0.1, mass: 0.5}]\n"
                           "robots:\n"
                           "  - {name: kobuki, type: kobuki, pose: {x: 1, y: 1}}\n"
                           "  - {name: bert, type: kobuki, pose: {x: 3, y: 1}}\n";

static const int moves[][2] = {{300, 0}, {250, -300}, {-200, 0}, {200, 1}, {700, 0}, {400, 150}};

static void print_hashes(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 3; seed++) {
        char yaml[sizeof room + 32];
        snprintf(yaml, sizeof yaml, "seed: %d\n%s", seed, room);
        struct rig rig = rig_open_scene(yaml, NULL);
        for (int i = 0; i < 30; i++) {
            const int *move = moves[(i * seed + i / 6) % 6];
            rig_drive(&rig, move[0], move[1], 2);
        }
        printf("seed %d: %016llx after %.0f collisions\n", seed,
               (unsigned long long)sim_hash(rig.sim), rig_get(&rig, "kobuki.collisions"));
        rig_close(&rig);
    }
}

static void print_hashes_of_boards(void **state)
{
    (void)state;
    static const char *const models[] = {"board.model=hera", "board.model=hades",
                                         "board.model=zeus"};
    for (size_t i = 0; i < 3; i++) {
        struct board board;
        board_open(&board, (const char *const[]){models[i], "board.gyro_noise_rad_s=0.1", NULL});
        for (int k = 0; k < 20; k++) {
            board_drive(&board, 40 - 4 * k, 3 * k, 10 * k - 100, 1000);
            board_ask(&board, 7, 36);
            board_odometry(&board);
        }
        printf("seed of %s: %016llx\n", models[i], (unsigned long long)sim_hash(board.rig.sim));
        board_close(&board);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(print_hashes),
        cmocka_unit_test(print_hashes_of_boards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
