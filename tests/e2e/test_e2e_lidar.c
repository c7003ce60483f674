/* Hosts of LiDARs, each a real process at real ports, in time that waits for it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

/* `ptybot test` of the scene with a host; LINE goes through a shell. */
static void run_host(struct stage *stage, const char *line)
{
    int code = TEST_RUN(stage, "s.yaml", "--start", "now", "--warp", "max", "--out", "out", "--for",
                        "300", "--", "sh", "-c", line);
    test_stage_said(stage, "\nheld: simulated time waited for the driver");
    char *log = folder_read(&stage->folder, "out/host.log");
    if (code != 0)
        fail_msg("%s", log);
    free(log);
}

static void a_driver_is_killed_and_opens_again_a_hundred_times(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "s.yaml",
                 "world: {size: {x: 6, y: 4}}\n"
                 "robots:\n"
                 "  - {name: lidar, type: rplidar_a1, pose: {x: 3, y: 2}}\n"
                 "expect:\n"
                 "  - {that: lidar.lost_requests == 0, always: true}\n"
                 "  - {that: lidar.uart.unknown_ids == 0, always: true}\n"
                 "  - {that: lidar.boots == 1, always: true}\n");
    run_host(stage, "exec " PTYBOT_HOSTS_DIR "/lidar_again $PTYBOT_PORT_LIDAR 100");
    char *log = folder_read(&stage->folder, "out/host.log");
    assert_string_equal(log, "killed and opened again 100 times, then a turn\n");
    free(log);
}

/* ROBOTS: the base is called base, and carries `lidar`. */
static void agree(struct stage *stage, const char *robots, const char *base, const char *lidar)
{
    char scene[512], line[512];
    snprintf(scene, sizeof scene,
             "world: {size: {x: 6, y: 4}}\nrobots:\n%s  - {name: lidar, type: %s, mount: {on: "
             "base}}\nexpect:\n  - {that: base.collisions == 0, always: true}\n",
             robots, lidar);
    folder_write(&stage->folder, "s.yaml", "%s", scene);
    snprintf(line, sizeof line, "exec %s/lidar_stamps %s $PTYBOT_PORT_BASE %s $PTYBOT_PORT_LIDAR 3",
             PTYBOT_HOSTS_DIR, base, lidar);
    run_host(stage, line);
}

static void a_kobuki_and_its_scanner_have_one_clock(void **state)
{
    static const char kobuki[] = "  - {name: base, type: kobuki, pose: {x: 3, y: 2}}\n";
    agree(*state, kobuki, "kobuki", "rplidar_a1");
    agree(*state, kobuki, "kobuki", "ld06");
}

static void a_pibot_and_its_scanner_have_one_clock(void **state)
{
    agree(*state, "  - {name: base, type: diff_board, pose: {x: 3, y: 2}}\n", "pibot", "ld06");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_driver_is_killed_and_opens_again_a_hundred_times),
        TEST_STAGED(a_kobuki_and_its_scanner_have_one_clock),
        TEST_STAGED(a_pibot_and_its_scanner_have_one_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
