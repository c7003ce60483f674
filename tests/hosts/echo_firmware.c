/* A firmware in C: echoes received bytes, drives, and shows the number of questions. */
#include <stdlib.h>

#include "include/ptybot/firmware.h"

int main(void)
{
    struct ptybot_firmware *robot = ptybot_firmware_open();
    double asked = 0, level = 0;
    if (!robot)
        return EXIT_FAILURE;
    while (ptybot_firmware_ask(robot)) {
        const struct ptybot_senses *now = ptybot_firmware_senses(robot);
        struct ptybot_deeds *does = ptybot_firmware_deeds(robot);
        if (now->order_count > 0)
            level = now->orders[0].numbers[0];
        does->motor[0] = does->motor[1] = now->sensors[0].distance_m > 0.5 ? 0.5 : 0;
        ptybot_firmware_send(robot, 0, now->channels[0].bytes, now->channels[0].size);
        ptybot_firmware_signal(robot, 0, ++asked);
        ptybot_firmware_signal(robot, 1, level);
    }
    ptybot_firmware_close(robot);
    return EXIT_SUCCESS;
}
