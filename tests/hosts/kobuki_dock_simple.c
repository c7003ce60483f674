/* Docks a Kobuki that is in front of its dock, by the simple method of straight_in.h. Needs only
 * the path of the serial port. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/hosts/kobuki_client.h"
#include "tests/hosts/straight_in.h"

enum { SILENCE_MS = 4000 }; /* same as the vendor's driver */

static const char *const sentences[] = {
    [STRAIGHT_LEAVING] = "Both lights are seen at once; turning to see where they begin.",
    [STRAIGHT_TURNING] = "Turning until the left and the right light are seen together.",
    [STRAIGHT_SWEEPING] = "Both are seen: the robot is in front of the dock. Turning on.",
    [STRAIGHT_AIMING] = "They are out of sight again; turning back to the middle.",
    [STRAIGHT_DRIVING] = "Aimed; driving straight in.",
    [STRAIGHT_BACKING] = "Bumped without charge; backing off.",
    [STRAIGHT_CHARGING] = "Charging.",
    [STRAIGHT_LOST] = "Two turns and the lights were never seen together: not in front of a dock.",
};

static bool dock(struct kobuki_client *client, struct straight_in *straight)
{
    int told = -1;
    while (!straight_in_is_over(straight)) {
        int16_t speed, radius;
        if (kobuki_client_wait(client, SILENCE_MS) != KOBUKI_PACKET) {
            puts("The robot is silent or gone.");
            return false;
        }
        straight_in_step(straight, &client->reading);
        if (told != (int)straight->phase)
            puts(sentences[straight->phase]);
        told = (int)straight->phase;
        kobuki_encode_velocity(straight->v_m_s, straight->w_rad_s, &speed, &radius);
        if (!kobuki_client_answer(client, speed, radius)) {
            puts("The port is gone.");
            return false;
        }
    }
    return straight->phase == STRAIGHT_CHARGING;
}

int main(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: kobuki_dock_simple PORT (such as /dev/kobuki)\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct kobuki_client client;
    const char *problem = kobuki_client_open(&client, argv[1]);
    if (problem) {
        fprintf(stderr, "kobuki_dock_simple: %s: %s\n", argv[1], problem);
        return 1;
    }
    struct straight_in straight = {0};
    bool is_charging = dock(&client, &straight);
    kobuki_client_close(&client);
    return is_charging ? EXIT_SUCCESS : EXIT_FAILURE;
}
