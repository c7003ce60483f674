/* Ten Kobukis at once, each on a separate pty, all driven from one loop in real time; and a large
 * number of them. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

enum { ROBOTS = 10, PACKETS = 250, STOP_PACKETS = 25 };

/* The first robot has the name that the stage waits for. */
static const char *robot_name(int i)
{
    static const char *const names[ROBOTS] = {"kobuki", "r1", "r2", "r3", "r4",
                                              "r5",     "r6", "r7", "r8", "r9"};
    return names[i];
}

static void write_fleet(const struct stage *stage)
{
    char robots[4096] = "";
    size_t used = 0;
    for (int i = 0; i < ROBOTS; i++)
        used += (size_t)snprintf(robots + used, sizeof robots - used,
                                 "  - {name: %s, type: kobuki, pose: {x: %d, y: %d}, "
                                 "links: [{pty: %s/%s}]}\n",
                                 robot_name(i), 3 + 4 * (i % 5), 3 + 4 * (i / 5),
                                 stage->folder.path, robot_name(i));
    folder_write(&stage->folder, "fleet.yaml",
                 "name: Fleet\nworld: {size: {x: 22, y: 10}}\nrobots:\n%s", robots);
}

/* Each drives on a different circle. */
static int16_t radius_mm(int i)
{
    return (int16_t)(300 + 60 * i);
}

static void answer(struct kobuki_host *host, int i)
{
    uint8_t command[KOBUKI_COMMAND_MAX];
    bool is_over = host->protocol.counters.packets > PACKETS - STOP_PACKETS;
    size_t size = is_over ? kobuki_base_control(command, 0, 0)
                          : kobuki_base_control(command, 250, radius_mm(i));
    assert_true(serial_port_write(host->port, command, size));
}

static void drive_all(struct kobuki_host *hosts)
{
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    for (int done = 0; done < ROBOTS;) {
        struct pollfd ports[ROBOTS];
        for (int i = 0; i < ROBOTS; i++)
            ports[i] = (struct pollfd){.fd = hosts[i].port, .events = POLLIN};
        poll(ports, ROBOTS, 1000);
        done = 0;
        for (int i = 0; i < ROBOTS; i++) {
            if (ports[i].revents && kobuki_host_take(&hosts[i]) > 0)
                answer(&hosts[i], i);
            done += hosts[i].protocol.counters.packets >= PACKETS;
        }
        assert_true(now_ms() < end_ms);
    }
}

static void ten_kobukis_driven_at_once_lose_no_packet(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host hosts[ROBOTS];
    char path[FOLDER_PATH_MAX];
    write_fleet(stage);
    stage_run(stage, "fleet.yaml", (const char *const[]){"--speed", "1", NULL});
    for (int i = 0; i < ROBOTS; i++)
        kobuki_host_open(&hosts[i], folder_path(&stage->folder, robot_name(i), path));
    drive_all(hosts);
    for (int i = 0; i < ROBOTS; i++) {
        kobuki_host_check(&hosts[i], 0);
        /* On circles to the left, the distances of the wheels are proportional to the radii of
         * their circles. */
        const struct kobuki_reading *reading = &hosts[i].protocol.reading;
        double left = reading->left_ticks, right = reading->right_ticks;
        double wanted = (radius_mm(i) + 115.0) / (radius_mm(i) - 115.0);
        assert_true(left > 2000);
        assert_true(fabs(right / left / wanted - 1) < 0.05);
        kobuki_host_close(&hosts[i]);
    }
    stage_end(stage);
}

/* More than the 128 inotify instances that Linux allows per user. */
static void two_hundred_kobukis_fit_under_the_usual_limits(void **state)
{
    enum { MANY = 200 };
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    FILE *scene = fopen(folder_path(&stage->folder, "crowd.yaml", path), "w");
    assert_non_null(scene);
    fprintf(scene, "world: {size: {x: 22, y: 12}}\nrobots:\n");
    for (int i = 0; i < MANY; i++)
        fprintf(scene,
                "  - {name: %s%.0d, type: kobuki, pose: {x: %d, y: %d}, links: [{pty: "
                "%s/%s%.0d}]}\n",
                i == 0 ? "kobuki" : "r", i, 1 + i % 20, 1 + i / 20, stage->folder.path,
                i == 0 ? "kobuki" : "r", i);
    assert_int_equal(fclose(scene), 0);
    stage_run(stage, "crowd.yaml", (const char *const[]){"--speed", "0.2", NULL});
    struct kobuki_host host;
    for (int i = 0; i < MANY; i += 66) {
        char name[16];
        snprintf(name, sizeof name, "%s%.0d", i == 0 ? "kobuki" : "r", i);
        kobuki_host_open(&host, folder_path(&stage->folder, name, path));
        int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
        while (host.protocol.counters.packets < 5 && now_ms() < end_ms) {
            struct pollfd port = {.fd = host.port, .events = POLLIN};
            poll(&port, 1, 1000);
            kobuki_host_take(&host);
        }
        assert_true(host.protocol.counters.packets >= 5);
        kobuki_host_close(&host);
    }
    stage_end(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(ten_kobukis_driven_at_once_lose_no_packet),
        STAGED(two_hundred_kobukis_fit_under_the_usual_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
