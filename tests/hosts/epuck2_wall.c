/* Drives an e-puck2 around a room with the wall on its right, by its infrared sensors only. Uses
 * only the public protocol. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/hosts/epuck2_client.h"

enum {
    SILENCE_MS = 30000,
    SPEED = 500,    /* steps/s, 6.4 cm/s */
    SIDE = 150,     /* reading for a wall at about 4 cm */
    AHEAD = 130,    /* an obstacle is in front */
    NOWHERE = 20,   /* no wall */
    TURN_MAX = 350, /* steps/s */
};

static int limit(int value, int most)
{
    return value > most ? most : value < -most ? -most : value;
}

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Speeds from the present sensor values; a turn to the left is positive. */
static void follow(const struct epuck2_client *client, bool *has_wall, int *left, int *right)
{
    unsigned ahead = larger(epuck2_client_prox(client, 0), epuck2_client_prox(client, 7));
    unsigned side = larger(epuck2_client_prox(client, 1), epuck2_client_prox(client, 2));
    *has_wall = *has_wall || larger(ahead, side) > AHEAD;
    if (ahead > AHEAD) { /* a corner: turn on the spot, away from the wall */
        *left = -SPEED / 2;
        *right = SPEED / 2;
        return;
    }
    int turn = 0;
    if (*has_wall && side < NOWHERE)
        turn = -TURN_MAX / 2; /* lost: the wall ends on the right */
    else if (*has_wall)
        turn = limit(((int)side - SIDE) * 2, TURN_MAX);
    *left = SPEED - turn;
    *right = SPEED + turn;
}

int main(int argc, char **argv)
{
    static struct epuck2_client client;
    if (argc != 3) {
        fprintf(stderr, "usage: epuck2_wall HOST[:PORT] PACKETS\n");
        return 2;
    }
    const char *problem = epuck2_client_open(&client, argv[1]);
    if (problem) {
        fprintf(stderr, "epuck2_wall: %s: %s\n", argv[1], problem);
        return 3;
    }
    client.command[1] = EPUCK2_CLIENT_SENSORS;
    bool is_good = epuck2_client_drive(&client, 0, 0), has_wall = false;
    for (long i = atol(argv[2]); is_good && i > 0; i--) {
        int left, right;
        is_good = epuck2_client_wait(&client, EPUCK2_CLIENT_SENSORS, SILENCE_MS);
        if (is_good) {
            follow(&client, &has_wall, &left, &right);
            is_good = epuck2_client_drive(&client, left, right);
        }
    }
    is_good = is_good && epuck2_client_wait(&client, EPUCK2_CLIENT_SENSORS, SILENCE_MS) &&
              epuck2_client_drive(&client, 0, 0);
    for (int i = 0; is_good && i < 3; i++) /* until the robot has received it */
        is_good = epuck2_client_wait(&client, EPUCK2_CLIENT_SENSORS, SILENCE_MS) &&
                  epuck2_client_drive(&client, 0, 0);
    epuck2_client_close(&client);
    if (!is_good) {
        fprintf(stderr, "epuck2_wall: %s: the robot has fallen silent\n", argv[1]);
        return 1;
    }
    printf("%llu packets, %s.\n", (unsigned long long)client.packets,
           has_wall ? "along a wall" : "no wall was found");
    return !has_wall;
}
