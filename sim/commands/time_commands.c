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
    {"pause", pause_rows, COUNT(pause_rows), sizeof(struct pause_args), pause_time,
     "stop time, or let it go on"},
    {"step", step_rows, COUNT(step_rows), sizeof(struct step_args), step,
     "go on for a while although paused"},
    {"speed", speed_rows, COUNT(speed_rows), sizeof(struct speed_args), set_speed,
     "run faster or slower than real time"},
    {"reset", NULL, 0, 0, room_reset, "all robots and things as at the start; time goes on"},
    {"wall", room_wall_rows, ROOM_WALL_ROWS, sizeof(struct room_wall_args), room_wall,
     "build a wall"},
    {"box", room_box_rows, ROOM_BOX_ROWS, sizeof(struct room_box_args), room_box, "put up a box"},
    {"remove", room_remove_rows, ROOM_REMOVE_ROWS, sizeof(struct room_remove_args), room_remove,
     "take a wall or a box away"},
};

bool time_commands_has(const struct command_row *row)
{
    return row->run == pause_time || row->run == step || row->run == set_speed;
}

const struct command_row *sim_world_commands(size_t *count)
{
    *count = COUNT(world_commands);
    return world_commands;
}
