/* A Create 2 reaches its Home Base from every place where it detects its light: by its own
 * seek-dock command, and with a host that uses only the infrared characters. The map of 200 poses
 * is tests/bench/home_map.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/angle.h"
#include "tests/support/home_trial.h"

enum { POSES = 24 };

static void all_dock(enum home_trial_who who)
{
    struct pose poses[POSES];
    home_trial_poses(11, poses, POSES);
    unsigned failed = 0;
    for (size_t i = 0; i < POSES; i++) {
        struct home_outcome outcome = home_trial_run(who, poses[i]);
        assert_int_equal(outcome.damaged, 0);
        if (outcome.is_charging)
            continue;
        failed++;
        print_error("from (%.3f, %.3f), heading %.0f deg: ends at (%.3f, %.3f), %.0f deg\n",
                    poses[i].x_m, poses[i].y_m - home_trial_dock.y_m,
                    poses[i].heading_rad / ANGLE_RAD_DEG, outcome.end.x_m,
                    outcome.end.y_m - home_trial_dock.y_m, outcome.end.heading_rad / ANGLE_RAD_DEG);
    }
    assert_int_equal(failed, 0);
}

static void seek_dock_of_the_firmware_docks(void **state)
{
    (void)state;
    all_dock(HOME_BY_FIRMWARE);
}

static void a_host_docks_by_the_characters_alone(void **state)
{
    (void)state;
    all_dock(HOME_BY_HOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seek_dock_of_the_firmware_docks),
        cmocka_unit_test(a_host_docks_by_the_characters_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
