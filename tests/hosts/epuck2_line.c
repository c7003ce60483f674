/* Follows a black line on a white floor with an e-puck2 with ground sensors. Uses only the public
 * protocol. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/hosts/epuck2_client.h"

enum {
    SILENCE_MS = 30000,
    SPEED = 300,    /* steps/s, 3.9 cm/s */
    TURN_MAX = 250, /* steps/s */
    BLACK = 500,    /* half way between the floor and the line */
};

struct follower {
    double turn;    /* the last one */
    uint64_t lost;  /* packets without the line under any sensor */
    bool has_found; /* it has seen the line */
};

/* Computes the turn from the position of each sensor on the line, 0 to 1. */
static int follow(struct follower *self, const struct epuck2_client *client)
{
    double dark[3], sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        double light = epuck2_client_ground(client, i) / 1000.0;
        dark[i] = light < 1 ? 1 - light : 0;
        sum += dark[i];
    }
    bool is_seen = false;
    for (unsigned i = 0; i < 3; i++)
        is_seen = is_seen || epuck2_client_ground(client, i) < BLACK;
    self->has_found = self->has_found || is_seen;
    self->lost += self->has_found && !is_seen;
    if (is_seen)
        self->turn = TURN_MAX * (dark[0] - dark[2]) / sum;
    /* Lost: continue the last turn, but faster. */
    else if (self->has_found)
        self->turn = self->turn > 0 ? TURN_MAX : self->turn < 0 ? -TURN_MAX : 0;
    return (int)self->turn;
}

int main(int argc, char **argv)
{
    static struct epuck2_client client;
    struct follower follower = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: epuck2_line HOST[:PORT] PACKETS\n");
        return 2;
    }
    const char *problem = epuck2_client_open(&client, argv[1]);
    if (problem) {
        fprintf(stderr, "epuck2_line: %s: %s\n", argv[1], problem);
        return 3;
    }
    client.command[1] = EPUCK2_CLIENT_SENSORS;
    bool is_good = epuck2_client_drive(&client, 0, 0);
    long count = atol(argv[2]);
    for (long i = 0; is_good && i < count + 4; i++) {
        is_good = epuck2_client_wait(&client, EPUCK2_CLIENT_SENSORS, SILENCE_MS);
        int turn = is_good ? follow(&follower, &client) : 0;
        bool has_ended = i >= count; /* a few more, until the robot has it */
        is_good = is_good && epuck2_client_drive(&client, has_ended ? 0 : SPEED - turn,
                                                 has_ended ? 0 : SPEED + turn);
    }
    epuck2_client_close(&client);
    if (!is_good) {
        fprintf(stderr, "epuck2_line: %s: the robot has fallen silent\n", argv[1]);
        return 1;
    }
    printf("%llu packets, in %llu of them beside the line.\n", (unsigned long long)client.packets,
           (unsigned long long)follower.lost);
    return !follower.has_found;
}
