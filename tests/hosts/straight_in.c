#include "tests/hosts/straight_in.h"

#include <math.h>

/* protocol.rst, Docking IR: the dock's own left and right, near and far. */
enum { LEFT_LIGHTS = 0x01 | 0x10, RIGHT_LIGHTS = 0x04 | 0x20, CENTER_RECEIVER = 1 };

/* All chosen: slow enough that a packet of 20 ms is a third of a degree. */
static const double LOOK_RAD_S = 0.5, SWEEP_RAD_S = 0.3, AIM_1_S = 1.5, AIM_LEAST_RAD_S = 0.03;
static const double AIMED_DEG = 0.2;
static const double DRIVE_M_S = 0.1, BACK_M_S = -0.05;
enum { BACK_PACKETS = 60, DARK_PACKETS = 5, SURE_PACKETS = 50 };

static bool sees_both(const struct kobuki_reading *reading)
{
    uint8_t lights = reading->dock_ir[CENTER_RECEIVER];
    return (lights & LEFT_LIGHTS) && (lights & RIGHT_LIGHTS);
}

/* Seen from the robot, the dock's own left is on the right: there it has to turn to the left. */
static double side_to_look(const struct kobuki_reading *reading)
{
    uint8_t lights = reading->dock_ir[CENTER_RECEIVER];
    return (lights & RIGHT_LIGHTS) && !(lights & LEFT_LIGHTS) ? -1 : 1;
}

static void enter(struct straight_in *self, enum straight_in_phase phase)
{
    self->phase = phase;
    self->phase_deg = self->turned_deg;
    self->in_phase = 0;
    self->dark = 0;
}

static void update(struct straight_in *self, const struct kobuki_reading *reading)
{
    if (!self->is_started) {
        self->is_started = true;
        self->side = 1;
        self->gyro_deg = reading->heading_deg;
        enter(self, sees_both(reading) ? STRAIGHT_LEAVING : STRAIGHT_LOOKING);
    }
    self->turned_deg += remainder(reading->heading_deg - self->gyro_deg, 360);
    self->gyro_deg = reading->heading_deg;
    self->in_phase++;
    self->dark = sees_both(reading) ? 0 : self->dark + 1;
}

static void look(struct straight_in *self, bool is_seen)
{
    if (self->phase == STRAIGHT_LEAVING && !is_seen)
        enter(self, STRAIGHT_LOOKING);
    if (self->phase == STRAIGHT_LOOKING && is_seen) {
        self->from_deg = self->turned_deg;
        enter(self, STRAIGHT_SWEEPING);
    }
    if (self->phase == STRAIGHT_SWEEPING && !is_seen) {
        self->goal_deg = (self->from_deg + self->turned_deg) / 2;
        enter(self, STRAIGHT_AIMING);
    }
    bool looks = self->phase == STRAIGHT_LEAVING || self->phase == STRAIGHT_LOOKING;
    if (looks && fabs(self->turned_deg - self->phase_deg) > 720)
        enter(self, STRAIGHT_LOST);
}

static void travel(struct straight_in *self, const struct kobuki_reading *reading)
{
    if (reading->charger && self->phase != STRAIGHT_CHARGING)
        enter(self, STRAIGHT_CHARGING);
    if (!reading->charger && self->phase == STRAIGHT_CHARGING)
        enter(self, STRAIGHT_LOOKING);
    if (self->phase == STRAIGHT_AIMING && fabs(self->goal_deg - self->turned_deg) < AIMED_DEG)
        enter(self, STRAIGHT_DRIVING);
    if (self->phase == STRAIGHT_DRIVING && reading->bumper)
        enter(self, STRAIGHT_BACKING);
    if (self->phase == STRAIGHT_DRIVING && self->dark > DARK_PACKETS) {
        self->side = side_to_look(reading);
        enter(self, STRAIGHT_LOOKING);
    }
    if (self->phase == STRAIGHT_BACKING && self->in_phase > BACK_PACKETS)
        enter(self, sees_both(reading) ? STRAIGHT_LEAVING : STRAIGHT_LOOKING);
}

void straight_in_step(struct straight_in *self, const struct kobuki_reading *reading)
{
    update(self, reading);
    look(self, sees_both(reading));
    travel(self, reading);
    self->v_m_s = self->w_rad_s = 0;
    double left_rad = (self->goal_deg - self->turned_deg) * 3.14159265358979323846 / 180;
    switch (self->phase) {
    case STRAIGHT_LEAVING:
        self->w_rad_s = -self->side * LOOK_RAD_S;
        break;
    case STRAIGHT_LOOKING:
        self->w_rad_s = self->side * LOOK_RAD_S;
        break;
    case STRAIGHT_SWEEPING:
        self->w_rad_s = self->side * SWEEP_RAD_S;
        break;
    case STRAIGHT_AIMING:
        self->w_rad_s = copysign(fmax(AIM_LEAST_RAD_S, AIM_1_S * fabs(left_rad)), left_rad);
        break;
    case STRAIGHT_DRIVING:
        self->v_m_s = DRIVE_M_S;
        break;
    case STRAIGHT_BACKING:
        self->v_m_s = BACK_M_S;
        break;
    case STRAIGHT_CHARGING:
    case STRAIGHT_LOST:
        break;
    }
}

bool straight_in_is_over(const struct straight_in *self)
{
    return self->phase == STRAIGHT_LOST ||
           (self->phase == STRAIGHT_CHARGING && self->in_phase > SURE_PACKETS);
}
