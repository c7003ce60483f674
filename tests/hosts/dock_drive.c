#include "tests/hosts/dock_drive.h"

#include <math.h>
#include <string.h>

/* protocol.rst, Docking IR */
enum {
    NEAR_LEFT = 0x01,
    NEAR_CENTER = 0x02,
    NEAR_RIGHT = 0x04,
    FAR_CENTER = 0x08,
    FAR_LEFT = 0x10,
    FAR_RIGHT = 0x20,
    LEFT = NEAR_LEFT | FAR_LEFT,
    CENTER = NEAR_CENTER | FAR_CENTER,
    RIGHT = NEAR_RIGHT | FAR_RIGHT,
    NEAR = NEAR_LEFT | NEAR_CENTER | NEAR_RIGHT,
    FAR = FAR_LEFT | FAR_CENTER | FAR_RIGHT,
};

/* Packets, as in the original. */
enum { RELEASED_PACKETS = 10, DOCKED_PACKETS = 21 };

/* Only if is_wary; chosen. */
enum { DARK_PACKETS = 50, BUMPS = 2 };
static const double RETREAT_M = 0.3, RETREAT_M_S = -0.1;

/* Lights seen by the three receivers recently. */
struct seen {
    uint8_t right, center, left;
};

static void go(struct dock_drive *self, enum dock_state state, double v_m_s, double w_rad_s)
{
    self->state = state;
    self->v_m_s = v_m_s;
    self->w_rad_s = w_rad_s;
}

static void begin_search(struct dock_drive *self)
{
    self->sides = 0;
    self->rotated = 0;
}

/* ---- The states ---- */

static void scan(struct dock_drive *self, struct seen seen)
{
    if (seen.center & CENTER) {
        go(self, DOCK_ALIGNED, 0.05, 0);
        return;
    }
    if (seen.center & LEFT)
        self->sides--;
    else if (seen.center & RIGHT)
        self->sides++;
    else if (seen.center) {
        go(self, DOCK_SCAN, 0, 0.1);
        return;
    } else if (fabs(self->rotated) > 1) {
        go(self, DOCK_FIND_STREAM, 0, 0);
        return;
    }
    go(self, DOCK_SCAN, 0, 0.66);
}

/* In the right region the dock must be to the left of the robot, which then crosses the front of
 * the dock; in the left region vice versa. */
static void find_stream(struct dock_drive *self, struct seen seen)
{
    bool is_right = self->sides > 0;
    if (is_right ? seen.left & RIGHT : seen.right & LEFT)
        go(self, DOCK_GET_STREAM, 0.5, 0);
    else
        go(self, DOCK_FIND_STREAM, 0, is_right ? -0.33 : 0.33);
}

static void get_stream(struct dock_drive *self, struct seen seen)
{
    bool is_right = self->sides > 0;
    self->dark = (is_right ? seen.left : seen.right) ? 0 : self->dark + 1;
    if (self->is_wary && self->dark > DARK_PACKETS) {
        begin_search(self);
        go(self, DOCK_SCAN, 0, 0.66);
    } else if (is_right ? seen.left & LEFT : seen.right & RIGHT) {
        begin_search(self);
        go(self, DOCK_SCAN, 0, 0.1);
    } else {
        go(self, DOCK_GET_STREAM, 0.05, 0);
    }
}

static void aligned(struct dock_drive *self, struct seen seen)
{
    uint8_t near = seen.center & NEAR, far = seen.center & FAR;
    if (near == NEAR_CENTER || near == NEAR)
        go(self, DOCK_ALIGNED_NEAR, 0.05, 0);
    else if (near)
        go(self, DOCK_ALIGNED_NEAR, 0.05, near & NEAR_LEFT ? 0.1 : -0.1);
    else if (far == FAR_CENTER || far == FAR)
        go(self, DOCK_ALIGNED_FAR, 0.1, 0);
    else if (far)
        go(self, DOCK_ALIGNED_FAR, 0.1, far & FAR_LEFT ? 0.3 : -0.3);
    else {
        begin_search(self);
        go(self, DOCK_SCAN, 0, 0.66);
    }
}

static void follow_light(struct dock_drive *self, struct seen seen)
{
    switch (self->state) {
    case DOCK_IDLE:
        begin_search(self);
        go(self, DOCK_SCAN, 0, 0.66);
        break;
    case DOCK_SCAN:
        scan(self, seen);
        break;
    case DOCK_FIND_STREAM:
        find_stream(self, seen);
        break;
    case DOCK_GET_STREAM:
        get_stream(self, seen);
        break;
    case DOCK_ALIGNED:
    case DOCK_ALIGNED_FAR:
    case DOCK_ALIGNED_NEAR:
        aligned(self, seen);
        break;
    default:
        go(self, DOCK_LOST_CONTACT, 0, 0);
        break;
    }
}

/* ---- Bumper and charger, which take precedence ---- */

/* After a bump without charge. */
static void search_again(struct dock_drive *self)
{
    go(self, DOCK_SCAN, 0, 0);
    if (!self->is_wary || ++self->bumps < BUMPS)
        return;
    self->bumps = 0;
    self->back_m = RETREAT_M;
    begin_search(self);
    go(self, DOCK_RETREAT, RETREAT_M_S, 0);
}

static void retreat(struct dock_drive *self, double way_m)
{
    self->back_m += way_m;
    if (self->back_m <= 0)
        go(self, DOCK_SCAN, 0, 0.66);
}

/* True if they determine the next action. */
static bool feel(struct dock_drive *self, const struct kobuki_reading *reading)
{
    if (reading->charger) {
        if (reading->bumper) {
            go(self, DOCK_BUMPED_DOCK, -0.01, 0);
        } else {
            self->docked++;
            go(self, self->docked >= DOCKED_PACKETS ? DOCK_DONE : DOCK_DOCKED_IN, 0, 0);
        }
        return true;
    }
    self->docked = 0;
    if (reading->bumper) {
        self->released = 0;
        go(self, DOCK_BUMPED, -0.05, 0);
        return true;
    }
    if (self->state == DOCK_BUMPED) {
        if (self->released++ >= RELEASED_PACKETS)
            search_again(self);
        return true;
    }
    return false;
}

/* While the bumper or the charger is active, lights are ignored. */
static struct seen look(struct dock_drive *self, const struct kobuki_reading *reading)
{
    uint8_t seen[3] = {0};
    if (!reading->bumper && !reading->charger) {
        memcpy(self->window[self->window_at], reading->dock_ir, sizeof seen);
        self->window_at = (self->window_at + 1) % DOCK_WINDOW;
    }
    for (unsigned i = 0; i < DOCK_WINDOW; i++)
        for (unsigned k = 0; k < 3; k++)
            seen[k] |= self->window[i][k];
    return (struct seen){.right = seen[0], .center = seen[1], .left = seen[2]};
}

/* Distance since the last packet, from the encoders, whose counters wrap. */
static double rolled_m(struct dock_drive *self, const struct kobuki_reading *reading)
{
    int left = (int16_t)(uint16_t)(reading->left_ticks - self->ticks[0]);
    int right = (int16_t)(uint16_t)(reading->right_ticks - self->ticks[1]);
    self->ticks[0] = reading->left_ticks;
    self->ticks[1] = reading->right_ticks;
    return (left + right) / 2.0 * KOBUKI_M_PER_TICK;
}

void dock_drive_step(struct dock_drive *self, const struct kobuki_reading *reading)
{
    if (self->has_heading)
        self->rotated += remainder(reading->heading_deg - self->gyro_deg, 360) / 360;
    self->has_heading = true;
    self->gyro_deg = reading->heading_deg;
    struct seen seen = look(self, reading);
    double way_m = rolled_m(self, reading);
    if (feel(self, reading))
        return;
    if (self->state == DOCK_RETREAT)
        retreat(self, way_m);
    else
        follow_light(self, seen);
}

const char *dock_state_name(enum dock_state state)
{
    static const char *const names[DOCK_STATES] = {
        [DOCK_IDLE] = "idle",
        [DOCK_SCAN] = "searching",
        [DOCK_FIND_STREAM] = "turning aside",
        [DOCK_GET_STREAM] = "crossing the front",
        [DOCK_ALIGNED] = "aligned",
        [DOCK_ALIGNED_FAR] = "approaching from afar",
        [DOCK_ALIGNED_NEAR] = "approaching",
        [DOCK_BUMPED] = "bumped",
        [DOCK_BUMPED_DOCK] = "bumped, charging",
        [DOCK_DOCKED_IN] = "docked",
        [DOCK_DONE] = "done",
        [DOCK_RETREAT] = "going back",
        [DOCK_LOST_CONTACT] = "stuck: the contact is lost",
    };
    return names[state];
}
