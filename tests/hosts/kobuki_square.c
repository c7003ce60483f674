/* Drives a Kobuki around a square of 1 m by its encoders and its gyro, and prints the robot's data.
 * Needs only the path of the serial port. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/hosts/kobuki_client.h"

static const double PI = 3.14159265358979323846;

/* All chosen: brisk enough to watch, gentle enough not to slip. */
static const double SIDE_M = 1.0;
static const double CRUISE_M_S = 0.25, CREEP_M_S = 0.012, ARRIVED_M = 0.002;
static const double ACCELERATION_M_S2 = 0.5; /* as the vendor's driver limits it */
static const double TURN_RAD_S = 1.3, CREEP_RAD_S = 0.05, ARRIVED_RAD = 0.005, SETTLED_RAD = 0.02;
static const double TURN_ACCELERATION_RAD_S2 = 3.5; /* as the vendor's driver limits it */
static const double APPROACH_1_S = 2.5;             /* slower when near: the rest takes 0.4 s */
static const double PACKET_S = 0.02;
enum {
    SILENCE_MS = 4000,     /* same as the vendor's driver */
    IDENTITY_PACKETS = 50, /* a robot without an answer after a second will not answer */
    STILL_PACKETS = 10,
};

struct square {
    struct kobuki_client client;
    /* Odometry: the pose computed from the robot's data, from its start; x forward, y left. */
    double x_m, y_m, heading_rad; /* heading counts whole turns */
    double v_m_s, w_rad_s;        /* requested last */
    uint16_t left_ticks, right_ticks;
    double gyro_deg;
    unsigned still; /* consecutive packets without a tick */
};

static volatile sig_atomic_t is_interrupted;

static void on_signal(int number)
{
    (void)number;
    is_interrupted = 1;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double degrees(double rad)
{
    return rad * 180 / PI;
}

static double clamp(double value, double limit)
{
    return fmax(-limit, fmin(limit, value));
}

/* ---- Odometry ---- */

static void odometry_start(struct square *self)
{
    const struct kobuki_reading *reading = &self->client.reading;
    self->left_ticks = reading->left_ticks;
    self->right_ticks = reading->right_ticks;
    self->gyro_deg = reading->heading_deg;
}

static void odometry_update(struct square *self)
{
    const struct kobuki_reading *reading = &self->client.reading;
    /* The counters wrap; a difference as signed 16 bits stays correct. */
    int left = (int16_t)(uint16_t)(reading->left_ticks - self->left_ticks);
    int right = (int16_t)(uint16_t)(reading->right_ticks - self->right_ticks);
    double turned_deg = remainder(reading->heading_deg - self->gyro_deg, 360);
    odometry_start(self);

    double way_m = (left + right) / 2.0 * KOBUKI_M_PER_TICK;
    double turned_rad = turned_deg * PI / 180;
    self->x_m += way_m * cos(self->heading_rad + turned_rad / 2);
    self->y_m += way_m * sin(self->heading_rad + turned_rad / 2);
    self->heading_rad += turned_rad;
    self->still = left || right ? 0 : self->still + 1;
}

/* ---- Talking ---- */

/* Names of the sides in the bits of a bumper or a cliff. */
static const char *side_names(uint8_t bits)
{
    static const char *const names[] = {
        "",     "right",          "center",          "center and right",
        "left", "left and right", "left and center", "left, center and right"};
    return names[bits & 7];
}

/* Whether a sensor of the robot forbids driving on; prints which. */
static bool is_hurt(const struct kobuki_reading *reading)
{
    /* Wheel drop has its left bit where the others have the center. */
    uint8_t dropped = (uint8_t)((reading->wheel_drop & KOBUKI_RIGHT_DROPPED ? KOBUKI_RIGHT : 0) |
                                (reading->wheel_drop & KOBUKI_LEFT_DROPPED ? KOBUKI_LEFT : 0));
    if (reading->bumper)
        printf("The bumper is pressed (%s): the robot has hit something. Stopping.\n",
               side_names(reading->bumper));
    if (reading->cliff)
        printf("There is a cliff (%s). Stopping.\n", side_names(reading->cliff));
    if (dropped)
        printf("The robot has lost the ground (wheel %s). Stopping.\n", side_names(dropped));
    return reading->bumper || reading->cliff || dropped;
}

/* Waits for a packet and updates the odometry. */
static bool hear(struct square *self)
{
    switch (kobuki_client_wait(&self->client, SILENCE_MS)) {
    case KOBUKI_PACKET:
        odometry_update(self);
        return !is_interrupted && !is_hurt(&self->client.reading);
    case KOBUKI_SILENCE:
        if (!is_interrupted)
            printf("The robot has been silent for %d s. Is it switched on?\n", SILENCE_MS / 1000);
        return false;
    case KOBUKI_GONE:
        break;
    }
    printf("The port is gone: was the cable pulled?\n");
    return false;
}

/* One round of 20 ms: commands V and W, approached at the allowed acceleration. */
static bool go(struct square *self, double v_m_s, double w_rad_s)
{
    int16_t speed, radius;
    self->v_m_s += clamp(v_m_s - self->v_m_s, ACCELERATION_M_S2 * PACKET_S);
    self->w_rad_s += clamp(w_rad_s - self->w_rad_s, TURN_ACCELERATION_RAD_S2 * PACKET_S);
    kobuki_encode_velocity(self->v_m_s, self->w_rad_s, &speed, &radius);
    if (!kobuki_client_answer(&self->client, speed, radius)) {
        printf("The port is gone: was the cable pulled?\n");
        return false;
    }
    return hear(self);
}

static bool halt(struct square *self)
{
    self->v_m_s = self->w_rad_s = 0;
    self->still = 0;
    while (self->still < STILL_PACKETS)
        if (!go(self, 0, 0))
            return false;
    return true;
}

/* ---- Driving ---- */

/* Drives along the line from corner SIDE of the square to the next. */
static bool drive_side(struct square *self, int side)
{
    static const double corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const double to_line = 3, to_direction = 2; /* chosen: settles within half a meter */
    double from_x_m = corners[side][0] * SIDE_M, from_y_m = corners[side][1] * SIDE_M;
    double direction_rad = side * PI / 2;
    double forward_x = cos(direction_rad), forward_y = sin(direction_rad);
    for (;;) {
        double dx_m = self->x_m - from_x_m, dy_m = self->y_m - from_y_m;
        double left_m = SIDE_M - (dx_m * forward_x + dy_m * forward_y);
        double off_line_m = dy_m * forward_x - dx_m * forward_y;
        if (left_m < ARRIVED_M)
            return halt(self);
        double v_m_s = fmin(CRUISE_M_S, fmax(CREEP_M_S, APPROACH_1_S * left_m));
        double w_rad_s = -to_line * off_line_m - to_direction * (self->heading_rad - direction_rad);
        if (!go(self, v_m_s, clamp(w_rad_s, 0.5)))
            return false;
    }
}

static bool turn_to(struct square *self, double heading_rad)
{
    for (;;) {
        double left_rad = heading_rad - self->heading_rad;
        if (fabs(left_rad) < ARRIVED_RAD) {
            /* If a late command has made it turn too far, it turns back. */
            if (!halt(self))
                return false;
            if (fabs(heading_rad - self->heading_rad) < SETTLED_RAD)
                return true;
            continue;
        }
        double w_rad_s = fmin(TURN_RAD_S, fmax(CREEP_RAD_S, APPROACH_1_S * fabs(left_rad)));
        if (!go(self, 0, copysign(w_rad_s, left_rad)))
            return false;
    }
}

static bool drive_square(struct square *self)
{
    for (int side = 0; side < 4; side++) {
        double start_s = now_s();
        if (!drive_side(self, side))
            return false;
        printf("Side %d of 4 done in %.1f s; odometry says x %.3f m, y %.3f m.\n", side + 1,
               now_s() - start_s, self->x_m, self->y_m);
        start_s = now_s();
        if (!turn_to(self, (side + 1) * PI / 2))
            return false;
        printf("Turn %d of 4 done in %.1f s; the gyro says %.1f degrees.\n", side + 1,
               now_s() - start_s, degrees(self->heading_rad));
    }
    return true;
}

/* ---- The start ---- */

static const char *charger_name(uint8_t charger)
{
    switch (charger) { /* protocol.rst, Basic Sensor Data */
    case 0:
        return "not charging";
    case 2:
    case 18:
        return "fully charged";
    case 6:
        return "charging on the dock";
    case 22:
        return "charging at the adapter";
    default:
        return "in an unknown charging state";
    }
}

static void print_identity(const struct kobuki_client *client)
{
    const struct kobuki_identity *identity = &client->identity;
    const struct kobuki_version *hardware = &identity->hardware, *firmware = &identity->firmware;
    const struct kobuki_reading *reading = &client->reading;
    if (identity->has_udid)
        printf("It is hardware %d.%d.%d with firmware %d.%d.%d and UDID %u-%u-%u.\n",
               hardware->major, hardware->minor, hardware->patch, firmware->major, firmware->minor,
               firmware->patch, identity->udid[0], identity->udid[1], identity->udid[2]);
    else
        printf("It does not tell its versions.\n");
    if (identity->has_gains)
        printf("Its wheel controller has the %s gains P %g, I %g, D %g.\n",
               identity->gain_type ? "user's" : "factory", identity->gains[0], identity->gains[1],
               identity->gains[2]);
    else
        printf("It does not tell the gains of its wheel controller (firmware before 1.2).\n");
    printf(
        "Its battery has %.1f V, %s; its encoders stand at %u and %u, its gyro at %.2f degrees.\n",
        reading->battery_v, charger_name(reading->charger), reading->left_ticks,
        reading->right_ticks, reading->heading_deg);
}

/* Waits for the robot, and then until it has sent its identity. */
static bool meet(struct square *self)
{
    double start_s = now_s();
    if (kobuki_client_wait(&self->client, SILENCE_MS) != KOBUKI_PACKET) {
        printf("No packet within %d s. Is the robot switched on?\n", SILENCE_MS / 1000);
        return false;
    }
    printf("The robot is there: its first packet took %.0f ms.\n", 1000 * (now_s() - start_s));
    odometry_start(self);
    const struct kobuki_identity *identity = &self->client.identity;
    for (int i = 0; i < IDENTITY_PACKETS && !(identity->has_udid && identity->has_gains); i++)
        if (!go(self, 0, 0))
            return false;
    print_identity(&self->client);
    return true;
}

static void print_end(const struct square *self)
{
    const struct kobuki_counters *counters = &self->client.counters;
    printf("%" PRIu64 " packets came, %" PRIu64 " of them damaged, %" PRIu64
           " stray bytes, %" PRIu64 " parts unknown.\n",
           counters->packets + counters->bad_packets, counters->bad_packets, counters->skipped,
           counters->malformed);
    printf("By its odometry the robot has come to x %.3f m, y %.3f m, heading %.1f degrees, seen "
           "from its start.\n",
           self->x_m, self->y_m, degrees(self->heading_rad));
}

int main(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: kobuki_square PORT (such as /dev/kobuki)\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);

    struct square square = {0};
    const char *problem = kobuki_client_open(&square.client, argv[1]);
    if (problem) {
        fprintf(stderr, "kobuki_square: %s: %s\n", argv[1], problem);
        return 1;
    }
    bool is_done = meet(&square) && drive_square(&square);
    print_end(&square);
    kobuki_client_close(&square.client);
    return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
