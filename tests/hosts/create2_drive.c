/* Drives a Create 2 as pycreate2 does: requests all its sensors one after the other, plays a song,
 * and drives a square of 0.6 m by its encoders. Needs only the path of the serial port. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/hosts/create2_client.h"

enum { START = 128, SAFE = 131, GROUP_ALL = 100, SIZE_ALL = 80, TIMEOUT_MS = 5000 };
enum { AT_MODE = 40, AT_LEFT = 52, AT_RIGHT = 54, AT_BUMPS = 0 }; /* in group 100 */

static const double SIDE_M = 0.6, CRUISE_MM_S = 200, CREEP_MM_S = 40, PI = 3.14159265358979;

struct driver {
    struct create2_client client;
    double left_m, right_m;
    uint16_t left_counts, right_counts;
    bool has_counts;
    unsigned answers;
};

static bool look(struct driver *self)
{
    uint8_t data[SIZE_ALL];
    if (!create2_ask(&self->client, GROUP_ALL, data, sizeof data, TIMEOUT_MS)) {
        printf("No whole answer within %d s.\n", TIMEOUT_MS / 1000);
        return false;
    }
    uint16_t left = (uint16_t)(data[AT_LEFT] << 8 | data[AT_LEFT + 1]);
    uint16_t right = (uint16_t)(data[AT_RIGHT] << 8 | data[AT_RIGHT + 1]);
    if (self->has_counts) {
        self->left_m += (int16_t)(uint16_t)(left - self->left_counts) * CREATE2_M_PER_COUNT;
        self->right_m += (int16_t)(uint16_t)(right - self->right_counts) * CREATE2_M_PER_COUNT;
    }
    self->left_counts = left;
    self->right_counts = right;
    self->has_counts = true;
    self->answers++;
    if (data[AT_BUMPS] || data[AT_MODE] != 2)
        printf("Bumps and drops %u, mode %u: stopping.\n", data[AT_BUMPS], data[AT_MODE]);
    return !data[AT_BUMPS] && data[AT_MODE] == 2;
}

/* Slower near the target, so that the wheels roll on only a little. */
static int speed_for(double left_m)
{
    double speed = fmin(CRUISE_MM_S, fmax(CREEP_MM_S, fabs(left_m) * 1500));
    return (int)copysign(speed, left_m);
}

static bool go(struct driver *self, double left_m, double right_m)
{
    double to_left_m = self->left_m + left_m, to_right_m = self->right_m + right_m;
    while (fabs(to_left_m - self->left_m) > 0.003 || fabs(to_right_m - self->right_m) > 0.003) {
        create2_wheels(&self->client, speed_for(to_left_m - self->left_m),
                       speed_for(to_right_m - self->right_m));
        if (!look(self))
            return false;
    }
    create2_wheels(&self->client, 0, 0);
    for (int i = 0; i < 20; i++)
        if (!look(self))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    static const uint8_t song[] = {140, 1, 4, 60, 16, 64, 16, 67, 16, 72, 32, 141, 1};
    struct driver driver = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: create2_drive PORT\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *problem = create2_open(&driver.client, argv[1]);
    if (problem) {
        fprintf(stderr, "create2_drive: %s: %s\n", argv[1], problem);
        return 1;
    }
    create2_command(&driver.client, START);
    create2_command(&driver.client, SAFE);
    create2_write(&driver.client, song, sizeof song);
    double quarter_m = CREATE2_WHEEL_BASE_M / 2 * PI / 2;
    bool is_good = look(&driver);
    for (int side = 0; side < 4 && is_good; side++) {
        is_good = go(&driver, SIDE_M, SIDE_M) && go(&driver, -quarter_m, quarter_m);
        printf("Side %d of 4: the left wheel has gone %.3f m, the right one %.3f m.\n", side + 1,
               driver.left_m, driver.right_m);
    }
    printf("%u answers of %d bytes.\n", driver.answers, SIZE_ALL);
    create2_close(&driver.client);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
