#include "sim/commands/time_commands.h"

#include "base/array.h"
#include "sim/commands/room_commands.h"
#include "sim/state/state.h"

struct pause_args {
    bool is_paused;
};

static const struct option_row pause_rows[] = {
    {.key = "paused",
     .type = OPTION_BOOL,
     .offset = offsetof(struct pause_args, is_paused),
     .unit = "",
     .fallback = "true",
     .note = "false lets time go on"},
};

static bool pause_time(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct sim *sim = state;
    bool is_paused = ((const struct pause_args *)data)->is_paused;
    if (!is_paused && sim->pace.is_lockstep)
        return error_set(error, "this run is in lockstep: time goes on by steps only");
    sim->pace.is_paused = is_paused;
    sim->pace.steps_wanted = 0; // a pause stops steps under way, too
    return true;
}

struct step_args {
    int64_t ms;
};

static const struct option_row step_rows[] = {
    {.key = "ms",
     .type = OPTION_INTEGER,
     .offset = offsetof(struct step_args, ms),
     .unit = "ms",
     .min = 1,
     .max = 86400000,
     .fallback = "1",
     .note = "while paused: go on for this long"},
};

static bool step(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct sim *sim = state;
    if (!sim->pace.is_paused)
        return error_set(error, "time is not paused; world.pause first");
    sim->pace.steps_wanted += ((const struct step_args *)data)->ms * 1000 / SIM_STEP_US;
    return true;
}

struct speed_args {
    double factor;
};

static const struct option_row speed_rows[] = {
    {.key = "x",
     .type = OPTION_NUMBER,
     .offset = offsetof(struct speed_args, factor),
     .unit = "",
     .min = 0.001,
     .max = 1000,
     .note = "simulated seconds a second"},
};

static bool set_speed(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct sim *sim = state;
    sim->pace.speed = ((const struct speed_args *)data)->factor;
    return true;
}

static const struct command_row world_commands[] = {
    {.name = "pause",
     .args = pause_rows,
     .arg_count = COUNT(pause_rows),
     .args_size = sizeof(struct pause_args),
     .flags = COMMAND_FOR_TIME,
     .run = pause_time,
     .note = "stop time, or let it go on"},
    {.name = "step",
     .args = step_rows,
     .arg_count = COUNT(step_rows),
     .args_size = sizeof(struct step_args),
     .flags = COMMAND_FOR_TIME,
     .run = step,
     .note = "go on for a while although paused"},
    {.name = "speed",
     .args = speed_rows,
     .arg_count = COUNT(speed_rows),
     .args_size = sizeof(struct speed_args),
     .flags = COMMAND_FOR_TIME,
     .run = set_speed,
     .note = "run faster or slower than real time"},
    {.name = "reset",
     .run = room_reset,
     .note = "all robots and things as at the start; time goes on"},
    {.name = "wall",
     .args = room_wall_rows,
     .arg_count = ROOM_WALL_ROWS,
     .args_size = sizeof(struct room_wall_args),
     .check = room_wall_check,
     .run = room_wall,
     .note = "build a wall"},
    {.name = "box",
     .args = room_box_rows,
     .arg_count = ROOM_BOX_ROWS,
     .args_size = sizeof(struct room_box_args),
     .check = room_box_check,
     .run = room_box,
     .note = "put up a box"},
    {.name = "remove",
     .args = room_remove_rows,
     .arg_count = ROOM_REMOVE_ROWS,
     .args_size = sizeof(struct room_remove_args),
     .check = room_remove_check,
     .run = room_remove,
     .note = "take a wall or a box away"},
};

const struct command_row *sim_world_commands(size_t *count)
{
    *count = COUNT(world_commands);
    return world_commands;
}
