/* A simple docking driver: turn until in front, aim, straight in. It never drives around to the
 * front of a dock that it sees from the side. */
#include "tests/hosts/straight_in.h"

#include <assert.h>

enum {
    FRONT_RECEIVER = 1, /* of dock_ir: right, center, left */

    /* Signal bits (kobuki_documentation: protocol.rst, docking IR). */
    LEFT_BITS = 0x01 | 0x10,
    RIGHT_BITS = 0x04 | 0x20,
    NEAR_BITS = 0x01 | 0x02 | 0x04,

    /* The robot sends 50 packets a second (protocol.rst). A light counts as seen for 20 packets,
     * the window of the vendor's driver (kobuki_core: dock_drive.cpp). */
    SEEN_PACKETS = 20,
    NEVER = 60000, /* maximum of an age */

    DARK_PACKETS = 100,     /* chosen: two seconds without any light mean that it is off course */
    CHARGED_PACKETS = 50,   /* chosen: a second of charge means docked, not touched */
    BACKING_PACKETS = 150,  /* chosen: about 15 cm, enough to see the lights well again */
    DRIVING_PACKETS = 5000, /* chosen: the 5 m of specifications.rst take about 75 s */
    LOOKING_PACKETS = 1600, /* chosen: a little more than two turns at LOOK_RAD_S */
    BUMPS_MAX = 4,          /* chosen: a robot in front needs one or two */
};

/* Chosen: below the 0.66 rad/s of the vendor's docking, so that it does not miss the lights, and
 * still slower for the aim: the rotation between a packet and the wheels' reaction is an error of
 * the aim. */
#define LOOK_RAD_S 0.4
#define AIM_RAD_S  0.15

/* As in the vendor's docking (kobuki_core: its dock_drive sources). */
#define FAR_M_S         0.1
#define FAR_BEND_RAD_S  0.3
#define NEAR_M_S        0.05
#define NEAR_BEND_RAD_S 0.1
#define BACKING_M_S     0.05

static void enter(struct straight_in *self, enum straight_in_phase phase)
{
    self->phase = phase;
    self->in_phase = 0;
    self->first = 0;
}

static void age(unsigned *packets, bool is_seen)
{
    if (is_seen)
        *packets = 0;
    else if (*packets < NEVER)
        (*packets)++;
}

static void look(struct straight_in *self, const struct kobuki_reading *reading)
{
    uint8_t seen = reading->dock_ir[FRONT_RECEIVER];
    age(&self->left_age, (seen & LEFT_BITS) != 0);
    age(&self->right_age, (seen & RIGHT_BITS) != 0);
    age(&self->near_age, (seen & NEAR_BITS) != 0);
}

/* Packets since both sides were last seen together. */
static unsigned both_age(const struct straight_in *self)
{
    return self->left_age > self->right_age ? self->left_age : self->right_age;
}

static bool sees_both(const struct straight_in *self)
{
    return both_age(self) < SEEN_PACKETS;
}

static void fail_approach(struct straight_in *self)
{
    self->bumps++;
    enter(self, self->bumps < BUMPS_MAX ? STRAIGHT_BACKING : STRAIGHT_LOST);
}

/* The bumper and the charger take precedence over lights. */
static void feel(struct straight_in *self, const struct kobuki_reading *reading)
{
    if (reading->charger != 0) {
        if (self->phase != STRAIGHT_CHARGING)
            enter(self, STRAIGHT_CHARGING);
    } else if (self->phase == STRAIGHT_CHARGING ||
               (reading->bumper != 0 && self->phase != STRAIGHT_BACKING)) {
        fail_approach(self);
    }
}

static void turn(struct straight_in *self)
{
    bool both = sees_both(self);
    if (both && self->first == 0)
        self->first = self->in_phase;
    switch (self->phase) {
    case STRAIGHT_TURNING:
        if (both)
            enter(self, STRAIGHT_LEAVING);
        break;
    case STRAIGHT_LEAVING:
        if (!both)
            enter(self, STRAIGHT_SWEEPING);
        break;
    case STRAIGHT_SWEEPING:
        if (!both && self->first != 0) {
            self->width = self->in_phase - both_age(self) - self->first;
            enter(self, STRAIGHT_AIMING);
        }
        break;
    default:
        if (self->first != 0 && self->in_phase >= self->first + self->width / 2)
            enter(self, STRAIGHT_DRIVING);
        break;
    }
    if (self->in_phase > LOOKING_PACKETS)
        enter(self, STRAIGHT_LOST);
}

static void drive(struct straight_in *self)
{
    if (self->in_phase > DRIVING_PACKETS)
        fail_approach(self);
    else if (self->left_age >= DARK_PACKETS && self->right_age >= DARK_PACKETS)
        enter(self, STRAIGHT_TURNING);
}

/* Drives straight as long as both are seen. If only one side is seen, it shows the direction of the
 * deviation: the dock's left is on the right of a robot that faces the dock. */
static void command_drive(struct straight_in *self)
{
    bool is_near = self->near_age < SEEN_PACKETS;
    self->v_m_s = is_near ? NEAR_M_S : FAR_M_S;
    if (!sees_both(self)) {
        double bend_rad_s = is_near ? NEAR_BEND_RAD_S : FAR_BEND_RAD_S;
        self->w_rad_s = self->left_age < self->right_age ? bend_rad_s : -bend_rad_s;
    }
}

static void command(struct straight_in *self)
{
    self->v_m_s = 0;
    self->w_rad_s = 0;
    switch (self->phase) {
    case STRAIGHT_TURNING:
    case STRAIGHT_LEAVING:
        self->w_rad_s = LOOK_RAD_S;
        break;
    case STRAIGHT_AIMING:
        self->w_rad_s = AIM_RAD_S;
        break;
    case STRAIGHT_SWEEPING:
        self->w_rad_s = -AIM_RAD_S;
        break;
    case STRAIGHT_DRIVING:
        command_drive(self);
        break;
    case STRAIGHT_BACKING:
        self->v_m_s = -BACKING_M_S;
        break;
    case STRAIGHT_CHARGING:
    case STRAIGHT_LOST:
        break;
    }
}

void straight_in_step(struct straight_in *self, const struct kobuki_reading *reading)
{
    assert(self != NULL && reading != NULL);
    if (!self->is_started) {
        self->is_started = true;
        self->left_age = self->right_age = self->near_age = NEVER;
        enter(self, STRAIGHT_TURNING);
    }
    if (straight_in_is_over(self)) {
        command(self);
        return;
    }
    self->in_phase++;
    look(self, reading);
    feel(self, reading);
    switch (self->phase) {
    case STRAIGHT_TURNING:
    case STRAIGHT_LEAVING:
    case STRAIGHT_SWEEPING:
    case STRAIGHT_AIMING:
        turn(self);
        break;
    case STRAIGHT_DRIVING:
        drive(self);
        break;
    case STRAIGHT_BACKING:
        if (self->in_phase >= BACKING_PACKETS)
            enter(self, STRAIGHT_TURNING);
        break;
    case STRAIGHT_CHARGING:
    case STRAIGHT_LOST:
        break;
    }
    command(self);
}

bool straight_in_is_over(const struct straight_in *self)
{
    return self->phase == STRAIGHT_LOST ||
           (self->phase == STRAIGHT_CHARGING && self->in_phase >= CHARGED_PACKETS);
}
