#include "tests/hosts/create2_seek.h"

#include <stdbool.h>

/* Characters: 160 and 8 red, 4 green, 1 force field (Open Interface). */
enum { RED = 8, GREEN = 4, FIELD = 1 };

/* Chosen, in frames of 1/64 s and mm/s. */
enum {
    TURN_FRAMES = 500, /* more than a full turn */
    LOST_FRAMES = 60,
    BACK_FRAMES = 110,
    STUCK_FRAMES = 80,
    WANDER_FRAMES = 400,
    FAST = 150,
    SLOW = 90,
    CREEP = 45,
    SPIN = 110,
    SLOW_SPIN = 45,
};

static int light(uint8_t character)
{
    return character > 160 && character <= 173 ? character - 160 : 0;
}

static struct create2_speeds speeds(int left, int right)
{
    return (struct create2_speeds){left, right};
}

static struct create2_speeds spin(int to_left, int speed)
{
    return speeds(-to_left * speed, to_left * speed);
}

static void enter(struct create2_seek *self, enum create2_seek_state state)
{
    self->state = state;
    self->frames = 0;
}

/* Position of the robot as seen by a person who drives towards the dock: -1 in the green light on
 * the left, 1 in the red light on the right, 0 in both or in neither. */
static int side_of(int seen)
{
    return ((seen & RED) != 0) - ((seen & GREEN) != 0);
}

static struct create2_speeds look(struct create2_seek *self, int omni, int left, int right)
{
    /* At the edge of the light, one of the receivers may never see it. */
    bool is_tired = self->frames > TURN_FRAMES && (left || right);
    if ((left && right) || is_tired) {
        enter(self, side_of(left | omni | right) ? SEEK_CROSS : SEEK_FOLLOW);
        return speeds(0, 0);
    }
    if (left || right)
        self->turn = left ? 1 : -1;
    if (!omni && self->frames > TURN_FRAMES)
        enter(self, SEEK_WANDER);
    else if (self->frames > 2 * TURN_FRAMES)
        enter(self, SEEK_BACK);
    return spin(self->turn, left || right ? SLOW_SPIN : SPIN);
}

/* In the green light the border is to the right, so the robot keeps the dock on its left. */
static struct create2_speeds cross(struct create2_seek *self, int omni, int left, int right)
{
    int side = side_of(omni);
    if (side == 0) {
        self->turn = -self->turn;
        enter(self, omni ? SEEK_TURN : SEEK_WANDER);
        return speeds(0, 0);
    }
    self->turn = side < 0 ? -1 : 1;
    int outer = side < 0 ? right : left, inner = side < 0 ? left : right;
    if (outer)
        return spin(self->turn, SLOW);
    return inner ? speeds(FAST, FAST) : spin(-self->turn, SPIN);
}

/* On the border the left receiver sees green and the right one red. */
static struct create2_speeds follow(struct create2_seek *self, int omni, int left, int right)
{
    if (!left && !right) {
        if (self->frames > LOST_FRAMES)
            enter(self, SEEK_TURN);
        return spin(self->turn, SLOW_SPIN);
    }
    int speed = omni & FIELD ? CREEP : SLOW;
    int aside =
        side_of(omni) + ((left & (RED | GREEN)) == RED) - ((right & (RED | GREEN)) == GREEN);
    int turn = aside * speed / 5;
    if (!left != !right)
        turn = left ? speed / 2 : -speed / 2;
    self->turn = turn < 0 ? -1 : 1;
    return speeds(speed - turn, speed + turn);
}

struct create2_speeds create2_seek_step(struct create2_seek *self,
                                        const struct create2_reading *reading)
{
    int omni = light(reading->ir_omni), left = light(reading->ir_left),
        right = light(reading->ir_right);
    if (self->turn == 0)
        self->turn = 1;
    if (reading->sources & 2) {
        self->state = SEEK_DONE;
        return speeds(0, 0);
    }
    if (self->state == SEEK_DONE) { /* the contact was lost again */
        self->tries++;
        enter(self, SEEK_BACK);
    }
    self->frames++;
    if (reading->bumps && self->state != SEEK_BACK) {
        /* Touching the front of the dock is the goal; pushing it for long is not. */
        bool is_patient = self->state == SEEK_FOLLOW && self->frames < STUCK_FRAMES;
        if (!is_patient) {
            self->tries++;
            enter(self, SEEK_BACK);
        }
    } else if (self->state == SEEK_FOLLOW && (left || right)) {
        self->frames = 0;
    }
    switch (self->state) {
    case SEEK_TURN:
        return look(self, omni, left, right);
    case SEEK_WANDER:
        if (omni || self->frames > WANDER_FRAMES)
            enter(self, SEEK_TURN);
        return speeds(FAST, FAST);
    case SEEK_CROSS:
        return cross(self, omni, left, right);
    case SEEK_FOLLOW:
        return follow(self, omni, left, right);
    case SEEK_BACK:
        if (self->frames > BACK_FRAMES + 20 * (self->tries % 3))
            enter(self, SEEK_TURN);
        /* At a slightly different angle, so that the next try differs. */
        return speeds(-FAST, -FAST + (self->tries % 2 ? 40 : -40));
    case SEEK_DONE:
        break;
    }
    return speeds(0, 0);
}

const char *create2_seek_name(enum create2_seek_state state)
{
    static const char *const names[] = {
        [SEEK_TURN] = "turning until the dock is ahead",
        [SEEK_WANDER] = "driving on, there is no light",
        [SEEK_CROSS] = "crossing the dock's front",
        [SEEK_FOLLOW] = "following the border of green and red",
        [SEEK_BACK] = "backing off",
        [SEEK_DONE] = "on the dock",
    };
    return names[state];
}
