/* Commands on the room: build walls and boxes, take them away, put all back. */
#ifndef PTYBOT_SIM_COMMANDS_ROOM_COMMANDS_H
#define PTYBOT_SIM_COMMANDS_ROOM_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/option.h"
#include "sim/scene/scene.h"

enum { ROOM_WALL_ROWS = 7, ROOM_BOX_ROWS = 9, ROOM_REMOVE_ROWS = 2 };
struct room_wall_args {
    int64_t number;
    struct scene_wall wall;
};
struct room_box_args {
    int64_t number;
    struct scene_box box;
};
struct room_remove_args {
    int64_t wall, box;
};
extern const struct option_row room_wall_rows[ROOM_WALL_ROWS], room_box_rows[ROOM_BOX_ROWS],
    room_remove_rows[ROOM_REMOVE_ROWS];

/* What the rows check, on a struct command_setup, and run, on a struct sim. */
bool room_wall_check(const void *setup, const void *args, struct error *error);
bool room_box_check(const void *setup, const void *args, struct error *error);
bool room_remove_check(const void *setup, const void *args, struct error *error);
bool room_wall(void *state, const void *args, int64_t now_us, struct error *error);
bool room_box(void *state, const void *args, int64_t now_us, struct error *error);
bool room_remove(void *state, const void *args, int64_t now_us, struct error *error);
bool room_reset(void *state, const void *args, int64_t now_us, struct error *error);

#endif
