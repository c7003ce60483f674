/* Drives a COBOT: holds one motion until odometry reports the distance of that motion in a given
 * time, stops, and prints the final position. Uses only the public protocol. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/hosts/cobot_client.h"

enum { SILENCE_MS = 10000, REST_MESSAGES = 20 };

static const char *const models[] = {"unknown", "Ackermann", "4WD differential", "mecanum",
                                     "tracked"};

/* Sends one command after each message 02, which comes every 50 ms, until the distance is WAY_M; 0:
 * for MESSAGES messages. A driver that is late reads old messages, so only the distance shows the
 * effect of its commands. */
static bool hold(struct cobot_client *client, int x, int y, int turn, double way_m, long messages)
{
    double gone_m = 0;
    for (long i = 0; way_m > 0 ? gone_m < way_m && i < 20 * messages : i < messages; i++) {
        double x_m = client->x_m, y_m = client->y_m;
        if (!cobot_client_move(client, x, y, turn) || !cobot_client_wait(client, 2, SILENCE_MS))
            return false;
        gone_m += hypot(client->x_m - x_m, client->y_m - y_m);
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: cobot_drive PORT X_MM_S Y_MM_S TURN SECONDS\n"
                        "TURN: 0.01 rad/s, on Ackermann degrees; left is positive\n");
        return 2;
    }
    struct cobot_client client;
    const char *problem = cobot_client_open(&client, argv[1]);
    if (problem) {
        fprintf(stderr, "cobot_drive: %s: %s\n", argv[1], problem);
        return 3;
    }
    int x = atoi(argv[2]), y = atoi(argv[3]), turn = atoi(argv[4]);
    double seconds = atof(argv[5]);
    bool is_good =
        cobot_client_wait(&client, 7, SILENCE_MS) &&
        hold(&client, x, y, turn, hypot(x, y) * 1e-3 * seconds, (long)(seconds * 20 + 0.5)) &&
        hold(&client, 0, 0, 0, 0, REST_MESSAGES);
    cobot_client_close(&client);
    if (!is_good) {
        fprintf(stderr, "cobot_drive: %s: the robot has fallen silent\n", argv[1]);
        return 1;
    }
    const struct cobot_reading *reading = &client.reading;
    printf("Model: %s. Battery: %.1f V.\n", models[reading->model <= 4 ? reading->model : 0],
           reading->battery_v);
    printf("By its odometry the robot has come to x %.3f m, y %.3f m, heading %.1f deg.\n",
           client.x_m, client.y_m, client.heading_rad * 57.29578);
    printf("%llu messages 02, %llu damaged, %llu stray bytes.\n",
           (unsigned long long)client.messages[2], (unsigned long long)client.bad,
           (unsigned long long)client.skipped);
    return client.bad + client.skipped > 0;
}
