/* Docking through real ptys: driver programs that use only the Kobuki protocol find the dock, in
 * virtual time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/dock_trial.h"
#include "tests/support/sample.h"
#include "tests/support/test_stage.h"

/* Every twentieth of the poses that are also run in lockstep: twelve. By day every second of
 * those. */
enum { POSES = 240, EVERY = 20, SEED = 1 };

/* A driver docks from that pose, and the docking is real. Returns its output, which the caller
 * frees. */
static char *dock(struct stage *stage, const char *program, struct pose from)
{
    char host[512];
    folder_write(&stage->folder, "dock.yaml",
                 "world:\n"
                 "  size: {x: 7, y: 7}\n"
                 "  docks: [{name: dock, pose: {x: %g, y: %g}}]\n"
                 "robots:\n"
                 "  - name: kobuki\n"
                 "    type: kobuki\n"
                 "    pose: {x: %.6f, y: %.6f, heading: %.6f}\n"
                 "    options: {battery_v: 14.5}\n"
                 "expect:\n"
                 "  - {that: kobuki.dock_contact == true, at_end: true}\n"
                 "  - {that: kobuki.charger == 6, at_end: true}\n"
                 "  - {that: kobuki.charging == true, at_end: true}\n"
                 "  - {that: kobuki.collisions == 0, always: true}\n",
                 dock_trial_dock.x_m, dock_trial_dock.y_m, from.x_m, from.y_m,
                 from.heading_rad * 180 / ANGLE_PI);
    snprintf(host, sizeof host, "exec %s/%s $PTYBOT_PORT_KOBUKI >%s/said", PTYBOT_HOSTS_DIR,
             program, stage->folder.path);
    if (TEST_RUN(stage, "dock.yaml", "--warp", "max", "--", "sh", "-c", host) != 0)
        fail_msg("%s", program_out(&stage->ptybot));
    return folder_read(&stage->folder, "said");
}

static void the_docking_host_docks_through_a_pty(void **state)
{
    static struct pose poses[POSES];
    const int every = sample_is_whole() ? EVERY : 2 * EVERY * (int)sample_stride();
    dock_trial_poses(SEED, true, poses, POSES);
    for (int i = 0; i < POSES; i += every) {
        char *said = dock(*state, "kobuki_dock", poses[i]);
        assert_non_null(strstr(said, "Lights: front near left"));
        assert_non_null(strstr(said, "approaching: steering by the near lights"));
        assert_non_null(strstr(said, "is charging at"));
        assert_non_null(strstr(said, " 0 of them damaged"));
        free(said);
    }
}

static void the_plain_host_docks_from_in_front_through_a_pty(void **state)
{
    struct pose in_front = {dock_trial_face.x + 1.2, dock_trial_face.y, 1};
    char *said = dock(*state, "kobuki_dock_simple", in_front);
    assert_non_null(strstr(said, "Charging."));
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(the_docking_host_docks_through_a_pty),
        TEST_STAGED(the_plain_host_docks_from_in_front_through_a_pty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
