/* A firmware in C that uses sensors: it prints the data of its camera, sensor 1, and its scanner,
 * sensor 2. tests/e2e/test_e2e_firmware.c has the same in Python. */
#include <stdio.h>
#include <stdlib.h>

#include "include/ptybot/firmware.h"

static void say(struct ptybot_firmware *robot, const struct ptybot_sight *eye,
                const struct ptybot_sight *lidar)
{
    char line[512];
    uint32_t sum = 0;
    for (size_t i = 0; i < (size_t)eye->width * eye->height * 3; i++)
        sum = sum * 31 + eye->rgb[i];
    int size = snprintf(line, sizeof line, "%u %u %u", eye->width, eye->height, (unsigned)sum);
    for (unsigned i = 0; i < lidar->ray_count; i++)
        size +=
            snprintf(line + size, sizeof line - (size_t)size, " %.9f %.9f %.9f",
                     lidar->rays[i].distance_m, lidar->rays[i].reflectance, lidar->rays[i].cosine);
    size += snprintf(line + size, sizeof line - (size_t)size, "\n");
    ptybot_firmware_send(robot, 0, line, (size_t)size);
}

int main(void)
{
    struct ptybot_firmware *robot = ptybot_firmware_open();
    if (!robot)
        return EXIT_FAILURE;
    while (ptybot_firmware_ask(robot)) {
        struct ptybot_deeds *does = ptybot_firmware_deeds(robot);
        const struct ptybot_sight *eye = ptybot_firmware_seen(robot, 1);
        const struct ptybot_sight *lidar = ptybot_firmware_seen(robot, 2);
        does->motor[0] = 0.5;
        does->motor[1] = -0.3;
        does->wait_us = 50000;
        if (eye && lidar)
            say(robot, eye, lidar);
        ptybot_firmware_camera_image(robot, 1, 40);
        ptybot_firmware_scan(robot, 2, 4, -1, 1.5);
    }
    ptybot_firmware_close(robot);
    return EXIT_SUCCESS;
}
