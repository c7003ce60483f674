/* Docking through real ptys, four times as fast as real: host programs that know nothing but the
 * Kobuki protocol find the dock. The argument is the part of the poses: 0, 1 or 2. */
#include <stdio.h>
#include <stdlib.h>

#include "base/angle.h"
#include "tests/support/check.h"
#include "tests/support/dock_trial.h"
#include "tests/support/stage.h"

/* A dozen of the poses that are also run in lockstep: every twentieth, in parts of four. */
enum { POSES = 240, EVERY = 20, PARTS = 3, SEED = 1 };

static int part; /* of PARTS: side by side they take a third of the time */

static void start(struct stage *stage)
{
    folder_write(&stage->folder, "dock.yaml",
                 "name: A dock\n"
                 "world:\n"
                 "  size: {x: 7, y: 7}\n"
                 "  docks: [{name: dock, pose: {x: %g, y: %g}}]\n"
                 "robots:\n"
                 "  - {name: kobuki, type: kobuki, pose: {x: 3, y: 3.5}, links: [{pty: %s}],\n"
                 "     options: {battery_v: 14.5}}\n",
                 dock_trial_dock.x_m, dock_trial_dock.y_m, stage->port);
    stage_run(stage, "dock.yaml", (const char *const[]){"--speed", "4", NULL});
}

/* Puts the robot somewhere, lets a host dock it, and looks at the truth. */
static void dock(struct stage *stage, const char *program, struct pose from, struct program *host)
{
    char path[256], command[96];
    snprintf(path, sizeof path, "%s/%s", PTYBOT_HOSTS_DIR, program);
    snprintf(command, sizeof command, "kobuki.place x=%.6f y=%.6f heading=%.6f", from.x_m, from.y_m,
             from.heading_rad * 180 / ANGLE_PI);
    stage_do(stage, command);
    stage_do(stage, "kobuki.reset");
    double start_s = stage_get(stage, "world.time_s");
    const char *const words[] = {path, stage->port, NULL};
    int code = program_run(host, &stage->folder, "host", words);
    print_message("%s from x %.2f y %.2f heading %.0f deg: %.1f s of the robot's time\n", program,
                  from.x_m, from.y_m, from.heading_rad * 180 / ANGLE_PI,
                  stage_get(stage, "world.time_s") - start_s);
    if (code != 0) {
        char *said = program_out(host);
        print_error("%s", said);
        free(said);
    }
    assert_int_equal(code, 0);
    assert_true(stage_get(stage, "kobuki.dock_contact") == 1);
    assert_true(stage_get(stage, "kobuki.charger") == 6);
    assert_true(stage_get(stage, "kobuki.charging") == 1);
    assert_true(stage_get(stage, "kobuki.collisions") == 0);
}

static void the_docking_host_docks_through_a_pty(void **state)
{
    struct stage *stage = *state;
    struct program host;
    static struct pose poses[POSES];
    start(stage);
    dock_trial_poses(SEED, true, poses, POSES);
    for (int i = part * EVERY; i < POSES; i += PARTS * EVERY) {
        dock(stage, "kobuki_dock", poses[i], &host);
        assert_true(program_has_said(&host, "Lights: front near left"));
        assert_true(program_has_said(&host, "approaching: steering by the near lights"));
        assert_true(program_has_said(&host, "is charging at"));
        assert_true(program_has_said(&host, " 0 of them damaged"));
    }
    stage_end(stage);
}

static void the_plain_host_docks_from_in_front_through_a_pty(void **state)
{
    struct stage *stage = *state;
    struct program host;
    start(stage);
    struct pose in_front = {dock_trial_face.x + 1.2, dock_trial_face.y, 1};
    dock(stage, "kobuki_dock_simple", in_front, &host);
    assert_true(program_has_said(&host, "Charging."));
    stage_end(stage);
}

int main(int argc, char **argv)
{
    part = argc > 1 ? atoi(argv[1]) % PARTS : 0;
    const struct CMUnitTest tests[] = {
        STAGED(the_docking_host_docks_through_a_pty),
        STAGED(the_plain_host_docks_from_in_front_through_a_pty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
