/* Docking guided only by the characters of the Home Base: one decision per frame of the stream. */
#pragma once

#include "tests/hosts/create2_client.h"

enum create2_seek_state {
    SEEK_TURN,   /* turning until the dock is ahead */
    SEEK_WANDER, /* no light is visible: driving on */
    SEEK_CROSS,  /* across the dock's front, to the border of its two lights */
    SEEK_FOLLOW, /* along that border, to the dock */
    SEEK_BACK,   /* an obstacle is in the way */
    SEEK_DONE,   /* the dock feeds the robot */
};

/* All zero is the start. */
struct create2_seek {
    enum create2_seek_state state;
    unsigned frames; /* frames of 1/64 s in this state */
    int turn;        /* default direction; 1: to the left */
    unsigned tries;
};

struct create2_speeds {
    int left_mm_s, right_mm_s;
};

struct create2_speeds create2_seek_step(struct create2_seek *self,
                                        const struct create2_reading *reading);

const char *create2_seek_name(enum create2_seek_state state);
