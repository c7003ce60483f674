/* Drives a TurtleBot 2 (Kobuki and RPLIDAR A1) through the office of scenes/maps, makes an
 * occupancy grid only from scans and odometry, and compares it with the map. Needs the paths of
 * both serial ports. Decodes standard scans as the vendor's SDK does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/hosts/grid_map.h"
#include "tests/hosts/kobuki_client.h"
#include "tests/hosts/lidar_client.h"

static const double PI = 3.14159265358979323846;

/* All chosen: brisk enough to watch, gentle enough not to slip. */
static const double CRUISE_M_S = 0.25, TURN_RAD_S = 0.8, ARRIVED_M = 0.05, ARRIVED_RAD = 0.01;
static const double ACCELERATION_M_S2 = 0.5, TURN_ACCELERATION_RAD_S2 = 3.5, PACKET_S = 0.02;
/* Scans arrive late, so points measured during a turn would be smeared. */
static const double STEADY_RAD_S = 0.1;
enum { SILENCE_MS = 4000, SPIN_PACKETS = 150, LOOK_PACKETS = 25, SCAN_SILENCE_PACKETS = 100 };

/* The scanner is 2 cm behind the center, with its motor in front. The angle that rplidar_ros
 * publishes (180 degrees minus the scanner's) is the heading relative to the robot. */
static const double LIDAR_X_M = -0.02;

struct mapper {
    struct kobuki_client base;
    int lidar;
    struct lidar_node node;
    struct grid_map *map;
    double x_m, y_m, heading_rad; /* by the robot's odometry, from its start at the map's origin */
    double v_m_s, w_rad_s;
    uint16_t left_ticks, right_ticks;
    double gyro_deg;
    unsigned long points, returns;
    unsigned silent; /* packets of the base without a point */
};

/* ---- The scanner ---- */

static void take_point(struct mapper *self, const uint8_t *bytes)
{
    double angle_deg = (bytes[1] >> 1 | bytes[2] << 7) / 64.0;
    double away_m = (bytes[3] | bytes[4] << 8) / 4000.0;
    self->points++;
    self->silent = 0;
    if (away_m == 0 || fabs(self->w_rad_s) > STEADY_RAD_S)
        return;
    self->returns++;
    double toward = self->heading_rad + PI - angle_deg * PI / 180;
    double x_m = self->x_m + LIDAR_X_M * cos(self->heading_rad);
    double y_m = self->y_m + LIDAR_X_M * sin(self->heading_rad);
    grid_map_ray(self->map, x_m, y_m, x_m + away_m * cos(toward), y_m + away_m * sin(toward));
}

static void lidar_read(struct mapper *self)
{
    uint8_t bytes[4096];
    ssize_t size;
    while ((size = read(self->lidar, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < size; i++)
            if (lidar_node_push(&self->node, bytes[i]))
                take_point(self, self->node.bytes);
    self->silent++;
}

/* ---- The base ---- */

static void odometry_update(struct mapper *self)
{
    const struct kobuki_reading *reading = &self->base.reading;
    int left = (int16_t)(uint16_t)(reading->left_ticks - self->left_ticks);
    int right = (int16_t)(uint16_t)(reading->right_ticks - self->right_ticks);
    double turned_rad = remainder(reading->heading_deg - self->gyro_deg, 360) * PI / 180;
    double way_m = (left + right) / 2.0 * KOBUKI_M_PER_TICK;
    self->x_m += way_m * cos(self->heading_rad + turned_rad / 2);
    self->y_m += way_m * sin(self->heading_rad + turned_rad / 2);
    self->heading_rad += turned_rad;
    self->left_ticks = reading->left_ticks;
    self->right_ticks = reading->right_ticks;
    self->gyro_deg = reading->heading_deg;
}

static double limited(double wanted, double is, double step)
{
    return is + fmax(-step, fmin(step, wanted - is));
}

/* One round of 20 ms. */
static bool go(struct mapper *self, double v_m_s, double w_rad_s)
{
    int16_t speed, radius;
    self->v_m_s = limited(v_m_s, self->v_m_s, ACCELERATION_M_S2 * PACKET_S);
    self->w_rad_s = limited(w_rad_s, self->w_rad_s, TURN_ACCELERATION_RAD_S2 * PACKET_S);
    kobuki_encode_velocity(self->v_m_s, self->w_rad_s, &speed, &radius);
    if (!kobuki_client_answer(&self->base, speed, radius) ||
        kobuki_client_wait(&self->base, SILENCE_MS) != KOBUKI_PACKET) {
        printf("The base is gone or silent.\n");
        return false;
    }
    odometry_update(self);
    lidar_read(self);
    if (self->base.reading.bumper)
        printf("The bumper is pressed.\n");
    if (self->silent > SCAN_SILENCE_PACKETS)
        printf("The scanner is silent.\n");
    return !self->base.reading.bumper && self->silent <= SCAN_SILENCE_PACKETS;
}

static bool stand(struct mapper *self, int packets)
{
    for (int i = 0; i < packets; i++)
        if (!go(self, 0, 0))
            return false;
    return true;
}

static bool drive_to(struct mapper *self, double x_m, double y_m)
{
    for (;;) {
        double dx = x_m - self->x_m, dy = y_m - self->y_m, away_m = hypot(dx, dy);
        double aside_rad = remainder(atan2(dy, dx) - self->heading_rad, 2 * PI);
        if (away_m < ARRIVED_M)
            return stand(self, LOOK_PACKETS);
        double w_rad_s = fmax(-TURN_RAD_S, fmin(TURN_RAD_S, 2.5 * aside_rad));
        bool is_straight = fabs(aside_rad) < (self->v_m_s > 0.01 ? 0.3 : ARRIVED_RAD * 3);
        if (!go(self, is_straight ? fmin(CRUISE_M_S, away_m + 0.02) : 0,
                is_straight ? fmax(-0.5, fmin(0.5, w_rad_s)) : w_rad_s))
            return false;
    }
}

static bool tour(struct mapper *self)
{
    /* Through the door, along the corridor, into the upper room and back, to the right end. */
    static const double places[][2] = {{1.2, 0.7}, {3.2, 0.75}, {4.4, 0.9},
                                       {4.4, 2.3}, {4.4, 0.9},  {6.6, 0.6}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (!drive_to(self, places[i][0], places[i][1]))
            return false;
        printf("At (%.2f, %.2f) by the odometry; %lu points so far.\n", self->x_m, self->y_m,
               self->returns);
    }
    return true;
}

static bool run(struct mapper *self)
{
    if (kobuki_client_wait(&self->base, SILENCE_MS) != KOBUKI_PACKET) {
        printf("The base is silent.\n");
        return false;
    }
    self->left_ticks = self->base.reading.left_ticks;
    self->right_ticks = self->base.reading.right_ticks;
    self->gyro_deg = self->base.reading.heading_deg;
    /* Stops a scan that may still be running; then the rotation has time to become stable. */
    if (!lidar_ask(self->lidar, LIDAR_STOP) || !stand(self, 5) ||
        !lidar_ask(self->lidar, LIDAR_SCAN))
        return false;
    for (int i = 0; i < SPIN_PACKETS && self->points == 0; i++) {
        self->silent = 0;
        if (!go(self, 0, 0))
            return false;
    }
    bool is_done = stand(self, LOOK_PACKETS) && tour(self);
    lidar_ask(self->lidar, LIDAR_STOP);
    return is_done;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: lidar_map KOBUKI_PORT LIDAR_PORT MAP.yaml PICTURE.png\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct mapper mapper = {0};
    const char *problem = kobuki_client_open(&mapper.base, argv[1]);
    mapper.lidar = lidar_open(argv[2], 115200);
    mapper.map = grid_map_open(argv[3]);
    if (problem || mapper.lidar < 0 || !mapper.map) {
        fprintf(stderr, "lidar_map: cannot use %s, %s or %s\n", argv[1], argv[2], argv[3]);
        return 1;
    }
    bool is_done = run(&mapper);
    kobuki_client_close(&mapper.base);
    struct grid_map_score score = grid_map_compare(mapper.map);
    bool is_drawn = grid_map_picture(mapper.map, argv[4]);
    printf(
        "%lu points, %lu of them in the map, %lu stray bytes. %zu cells of walls: %.1f %% of them "
        "within 0.1 m of the truth, the mean %.0f mm away; %.0f %% of all walls seen. %s\n",
        mapper.points, mapper.returns, mapper.node.stray, score.cells, 100 * score.good,
        1000 * score.mean_m, 100 * score.seen, is_drawn ? argv[4] : "No picture.");
    bool is_good = is_done && is_drawn && score.cells > 500 && score.good >= 0.95;
    grid_map_close(mapper.map);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
