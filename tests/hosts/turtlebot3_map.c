/* Drives a TurtleBot3 around a square of 1 m by its odometry, makes an occupancy grid of the scans
 * of its LDS-01, and compares it with the map. Needs the paths of both serial ports. Decodes the
 * scans as ROBOTIS' driver does. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/hosts/grid_map.h"
#include "tests/hosts/lidar_client.h"
#include "tests/hosts/turtlebot3_client.h"

static const double PI = 3.14159265358979323846;

/* Chosen: a slow drive; a scan is 0.2 s old, so turns would smear it. */
static const double CRUISE_M_S = 0.18, TURN_RAD_S = 0.6, STEADY_RAD_S = 0.05;
static const double LIDAR_X_M = -0.032;
enum { PACKET = 42, ROUND_MS = 50, LOOK_ROUNDS = 16 };

struct mapper {
    struct turtlebot3_client base;
    int lidar;
    uint8_t packet[PACKET];
    size_t used;
    struct grid_map *map;
    double turned_rad_s; /* by the last two readings */
    unsigned long points, returns, stray;
};

static void take_packet(struct mapper *self)
{
    const struct turtlebot3_client *base = &self->base;
    double x_m = base->x_m + LIDAR_X_M * cos(base->heading_rad);
    double y_m = base->y_m + LIDAR_X_M * sin(base->heading_rad);
    for (int j = 0; j < 6; j++) {
        const uint8_t *at = self->packet + 6 + 6 * j;
        double away_m = (at[0] | at[1] << 8) * 1e-3;
        double angle_deg = 359 - ((self->packet[1] - 0xA0) * 6 + j);
        double toward = base->heading_rad + angle_deg * PI / 180;
        self->points++;
        if (away_m == 0 || fabs(self->turned_rad_s) > STEADY_RAD_S)
            continue;
        self->returns++;
        grid_map_ray(self->map, x_m, y_m, x_m + away_m * cos(toward), y_m + away_m * sin(toward));
    }
}

static void lidar_read(struct mapper *self)
{
    uint8_t bytes[4096];
    ssize_t size;
    while ((size = read(self->lidar, bytes, sizeof bytes)) > 0) {
        for (ssize_t i = 0; i < size; i++) {
            self->packet[self->used++] = bytes[i];
            bool is_index = self->packet[1] >= 0xA0 && self->packet[1] <= 0xDB;
            if (self->packet[0] != 0xFA || (self->used > 1 && !is_index)) {
                self->stray += self->used;
                self->used = 0;
            } else if (self->used == PACKET) {
                take_packet(self);
                self->used = 0;
            }
        }
    }
}

static bool go(struct mapper *self, double v_m_s, double w_rad_s)
{
    const struct timespec round = {.tv_nsec = ROUND_MS * 1000000};
    double before = self->base.heading_rad;
    if (!turtlebot3_round(&self->base, v_m_s, w_rad_s)) {
        printf("The base does not answer.\n");
        return false;
    }
    self->turned_rad_s = (self->base.heading_rad - before) * 1000 / ROUND_MS;
    lidar_read(self);
    nanosleep(&round, NULL);
    return true;
}

static bool stand(struct mapper *self)
{
    for (int i = 0; i < LOOK_ROUNDS; i++)
        if (!go(self, 0, 0))
            return false;
    return true;
}

/* Turns towards a place, then drives to it; slows down at the end of both. */
static bool drive_to(struct mapper *self, double x_m, double y_m)
{
    const struct turtlebot3_client *base = &self->base;
    bool is_turned = false;
    for (;;) {
        double dx = x_m - base->x_m, dy = y_m - base->y_m, away_m = hypot(dx, dy);
        double aside_rad = remainder(atan2(dy, dx) - base->heading_rad, 2 * PI);
        if (is_turned && (away_m < 0.01 || fabs(aside_rad) > PI / 2))
            return stand(self);
        is_turned |= fabs(aside_rad) < 0.02;
        double w_rad_s = fmax(-TURN_RAD_S, fmin(TURN_RAD_S, 2.5 * aside_rad));
        if (!go(self, is_turned ? fmin(CRUISE_M_S, away_m + 0.02) : 0, w_rad_s))
            return false;
    }
}

static bool run(struct mapper *self)
{
    static const double places[][2] = {{1, 0}, {1, 1}, {0, 1}, {0, 0}};
    for (int i = 0; i < 100 && self->points == 0; i++) /* the motor may still speed up */
        if (!go(self, 0, 0))
            return false;
    bool is_good = stand(self);
    for (size_t i = 0; is_good && i < sizeof places / sizeof *places; i++) {
        is_good = drive_to(self, places[i][0], places[i][1]);
        printf("At (%.3f, %.3f) by the odometry; %lu points so far.\n", self->base.x_m,
               self->base.y_m, self->returns);
    }
    return is_good;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: turtlebot3_map BURGER_PORT LDS_01_PORT MAP.yaml PICTURE.png\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct mapper mapper = {.lidar = lidar_open(argv[2], 230400), .map = grid_map_open(argv[3])};
    const char *problem = turtlebot3_open(&mapper.base, argv[1]);
    if (problem || mapper.lidar < 0 || !mapper.map || write(mapper.lidar, "b", 1) != 1) {
        fprintf(stderr, "turtlebot3_map: cannot use %s, %s or %s: %s\n", argv[1], argv[2], argv[3],
                problem ? problem : "scanner or map");
        return 1;
    }
    bool is_done = run(&mapper);
    struct grid_map_score score = grid_map_compare(mapper.map);
    bool is_drawn = grid_map_picture(mapper.map, argv[4]);
    printf(
        "%lu readings, %lu failed. %lu points, %lu of them in the map, %lu stray bytes. %zu cells "
        "of walls: %.1f %% of them within 0.1 m of the truth, the mean %.0f mm away; %.0f %% of "
        "all walls seen. %s\n",
        mapper.base.readings, mapper.base.failures, mapper.points, mapper.returns, mapper.stray,
        score.cells, 100 * score.good, 1000 * score.mean_m, 100 * score.seen,
        is_drawn ? argv[4] : "No picture.");
    bool is_good = is_done && is_drawn && score.cells > 200 && score.good >= 0.95;
    grid_map_close(mapper.map);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
