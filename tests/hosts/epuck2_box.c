/* Searches for a red object in the images of an e-puck2, drives to it and stops in front of it.
 * Uses only the public protocol. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/hosts/epuck2_client.h"

enum {
    SILENCE_MS = 30000,
    SEARCH = 120,    /* steps/s, about 33 degrees/s */
    SPEED = 400,     /* steps/s */
    NEAR = 25,       /* proximity at about 6 cm: slow from here on */
    CLOSE = 90,      /* at about 3 cm */
    PIXELS_MIN = 20, /* fewer red pixels are not a box */
    BOTH = EPUCK2_CLIENT_IMAGE | EPUCK2_CLIENT_SENSORS,
};

/* The average column of all red pixels, -1..1 from left to right. False: there are none. */
static bool find_red(const struct epuck2_client *client, double *aside)
{
    long count = 0, sum = 0;
    for (unsigned row = 0; row < EPUCK2_CLIENT_HEIGHT; row++)
        for (unsigned column = 0; column < EPUCK2_CLIENT_WIDTH; column++) {
            int rgb[3];
            epuck2_client_pixel(client, column, row, rgb);
            if (rgb[0] > 70 && rgb[0] > 2 * rgb[1] && rgb[0] > 2 * rgb[2]) {
                count++;
                sum += (long)column;
            }
        }
    if (count < PIXELS_MIN)
        return false;
    double middle = (EPUCK2_CLIENT_WIDTH - 1) / 2.0;
    *aside = ((double)sum / (double)count - middle) / middle;
    return true;
}

static unsigned ahead(const struct epuck2_client *client)
{
    unsigned right = epuck2_client_prox(client, 0), left = epuck2_client_prox(client, 7);
    return right > left ? right : left;
}

/* Decides from one image. */
static void approach(const struct epuck2_client *client, bool *has_arrived, int *left, int *right)
{
    double aside = 0;
    bool is_seen = find_red(client, &aside);
    *has_arrived = *has_arrived || (is_seen && ahead(client) > CLOSE);
    *left = SEARCH;
    *right = -SEARCH;
    if (is_seen) {
        double speed = ahead(client) > NEAR ? SPEED / 4 : SPEED;
        double turn = aside * SPEED / 2, on = aside > -0.5 && aside < 0.5 ? speed : 0;
        *left = (int)(on + turn);
        *right = (int)(on - turn);
    }
    if (*has_arrived)
        *left = *right = 0;
}

int main(int argc, char **argv)
{
    static struct epuck2_client client;
    if (argc != 3) {
        fprintf(stderr, "usage: epuck2_box HOST[:PORT] PICTURES\n");
        return 2;
    }
    const char *problem = epuck2_client_open(&client, argv[1]);
    if (problem) {
        fprintf(stderr, "epuck2_box: %s: %s\n", argv[1], problem);
        return 3;
    }
    client.command[1] = BOTH;
    bool is_good = epuck2_client_drive(&client, 0, 0), has_arrived = false;
    int rest = 4; /* images after arrival, until the robot has stopped */
    for (long i = atol(argv[2]); is_good && i > 0 && rest > 0; i--) {
        int left, right;
        is_good = epuck2_client_wait(&client, EPUCK2_CLIENT_IMAGE, SILENCE_MS) &&
                  epuck2_client_wait(&client, EPUCK2_CLIENT_SENSORS, SILENCE_MS);
        if (is_good) {
            approach(&client, &has_arrived, &left, &right);
            is_good = epuck2_client_drive(&client, left, right);
        }
        rest -= has_arrived;
    }
    epuck2_client_close(&client);
    if (!is_good) {
        fprintf(stderr, "epuck2_box: %s: the robot has fallen silent\n", argv[1]);
        return 1;
    }
    printf("%llu pictures, %s.\n", (unsigned long long)client.images,
           has_arrived ? "in front of something red" : "nothing red was reached");
    return !has_arrived;
}
