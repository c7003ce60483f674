#include "sim/commands/robot_commands.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/modem_lines.h"
#include "base/text.h"
#include "sim/commands/command.h"
#include "sim/commands/fault_commands.h"
#include "sim/state/power.h"
#include "sim/state/state.h"

#define FOREVER_S 1e9
#define OVERLAP_M 0.001 /* chosen: a millimeter of contact is not a collision */

/* End of an effect that lasts SECONDS from now; 0: until it is undone. */
static int64_t until_us(const struct sim *sim, double seconds)
{
    return seconds > 0 ? sim->now_us + (int64_t)(seconds * 1e6) : ROBOT_NEVER;
}

/* ---- place ---- */

struct place_args {
    double x_m, y_m, heading_rad;
};

static const struct option_row place_rows[] = {
    ROW_NUMBER("x", place_args, x_m, "m", 0, 0, NULL),
    ROW_NUMBER("y", place_args, y_m, "m", 0, 0, NULL),
    ROW_SCALED("heading", place_args, heading_rad, "deg", ANGLE_RAD_DEG, 0, 0, "0"),
};

static const struct sim_robot *robot_of(const void *setup)
{
    return ((const struct command_setup *)setup)->robot;
}

/* Refuses a mounted robot: it moves with its carrier. */
static bool is_standing(const void *setup, const char *command, struct error *error)
{
    const struct sim_robot *robot = robot_of(setup);
    return !robot_is_mounted(robot) || error_set(error, "the robot is mounted on %s: %s that robot",
                                                 robot_carrier(robot)->name, command);
}

static bool place_check(const void *setup, const void *data, struct error *error)
{
    if (!is_standing(setup, "place", error))
        return false;
    const struct scene *scene = ((const struct command_setup *)setup)->scene;
    const struct place_args *args = data;
    double x = args->x_m - scene->low.x, y = args->y_m - scene->low.y;
    return (x > 0 && x < scene->size_x_m && y > 0 && y < scene->size_y_m) ||
           error_set(error, "x=%g y=%g is outside the room of %g x %g m", args->x_m, args->y_m,
                     scene->size_x_m, scene->size_y_m);
}

/* Whether a robot is at this place, or lifted above it: a robot must not be put down on another. */
static bool is_over_robot(const struct sim_robot *robot, const struct body_def *shape)
{
    const struct sim *sim = robot->sim;
    for (size_t i = 0; i < sim->robot_count; i++)
        if (&sim->robots[i] != robot && !robot_is_mounted(&sim->robots[i]) &&
            world_overlaps_body(sim->world, shape, sim->robots[i].body_index, NULL, OVERLAP_M))
            return true;
    return false;
}

static bool place(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct sim_robot *robot = state;
    const struct place_args *args = data;
    struct pose pose = {args->x_m, args->y_m, args->heading_rad};
    const struct body_def shape = {
        .shape = robot->body->shape == ROBOT_BOX ? WORLD_BOX : WORLD_DISC,
        .radius_m = robot->body->radius_m,
        .length_m = robot->body->length_m,
        .width_m = robot->body->width_m,
        .offset = {robot->body->center_x_m, 0},
        .pose = pose,
    };
    if (world_overlaps(robot->sim->world, &shape, robot->body_index, OVERLAP_M) ||
        is_over_robot(robot, &shape))
        return error_set(error, "x=%g y=%g is inside a wall, an obstacle or a robot", args->x_m,
                         args->y_m);
    world_place(robot->sim->world, robot->body_index, pose);
    robot->pose = pose;
    return true;
}

/* ---- lift ---- */

struct lift_args {
    bool is_up;
    int64_t wheel;
    double for_s;
};

enum { LIFT_WHOLE = -1 };

static const struct option_row lift_rows[] = {
    ROW_BOOL("up", lift_args, is_up, "true", "false: put the whole robot down"),
    ROW_INTEGER("wheel", lift_args, wheel, "", LIFT_WHOLE, ROBOT_WHEELS_MAX - 1, "-1",
                "lift only this wheel, counted from 0 (left); -1: lift the whole robot"),
    ROW_NUMBER("for", lift_args, for_s, "s", 0, FOREVER_S, "0", "0: until it is put down"),
};

static bool lift_check(const void *setup, const void *data, struct error *error)
{
    size_t wheels = robot_of(setup)->body->wheel_count;
    int64_t wheel = ((const struct lift_args *)data)->wheel;
    if (!is_standing(setup, "lift", error))
        return false;
    if (wheels == 0 && wheel >= 0)
        return error_set(error, "wheel: the robot has no wheels; leave this argument out");
    return wheel < (int64_t)wheels ||
           error_set(error, "wheel: no wheel %d; allowed: 0 to %zu", (int)wheel, wheels - 1);
}

static bool lift(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct sim_robot *robot = state;
    struct robot_handling *handling = &robot->handling;
    const struct lift_args *args = data;
    if (!args->is_up || args->wheel == LIFT_WHOLE)
        robot_handling_put_down(robot); // a robot that is held level does not hang
    if (!args->is_up)
        return true;
    int64_t end_us = until_us(robot->sim, args->for_s);
    if (args->wheel == LIFT_WHOLE) {
        handling->is_lifted = true;
        handling->lift_until_us = end_us;
        world_lift(robot->sim->world, robot->body_index, true);
    } else {
        handling->hung_wheels |= UINT32_C(1) << args->wheel;
        handling->hang_until_us[args->wheel] = end_us;
    }
    return true;
}

/* ---- press, release ---- */

struct press_args {
    char bumper[32], button[32];
    double for_s;
};

/* The last row is for press only. */
static const struct option_row press_rows[] = {
    ROW_TEXT("bumper", press_args, bumper, ""),
    ROW_TEXT("button", press_args, button, ""),
    ROW_NUMBER("for", press_args, for_s, "s", 0, FOREVER_S, "0.2", "0: until it is released"),
};

static const char *bumper_name(const struct sim_robot *robot, size_t i)
{
    return i < robot->body->bumper_count ? robot->body->bumpers[i].name : NULL;
}

static const char *button_name(const struct sim_robot *robot, size_t i)
{
    return robot->type->buttons ? robot->type->buttons[i] : NULL;
}

/* Position of a name in a NULL-terminated list. If it is not in the list, returns SIZE_MAX and sets
 * ERROR to the list. */
static size_t find_name(const struct sim_robot *robot, const char *key, const char *wanted,
                        const char *(*name)(const struct sim_robot *, size_t), struct error *error)
{
    char names[160] = "";
    for (size_t i = 0; name(robot, i); i++) {
        if (strcmp(name(robot, i), wanted) == 0)
            return i;
        text_add(names, sizeof names, ", ", "%s", name(robot, i));
    }
    error_set(error, "%s: there is no '%s'; it has: %s", key, wanted, *names ? names : "none");
    return SIZE_MAX;
}

/* Index of the requested bumper or button; SIZE_MAX: not found. */
static size_t find_pressed(const struct sim_robot *robot, const struct press_args *args,
                           struct error *error)
{
    return *args->bumper ? find_name(robot, "bumper", args->bumper, bumper_name, error)
                         : find_name(robot, "button", args->button, button_name, error);
}

static bool press_check(const void *setup, const void *data, struct error *error)
{
    const struct press_args *args = data;
    if ((*args->bumper == '\0') == (*args->button == '\0'))
        return error_set(error, "give bumper=NAME or button=NAME");
    return find_pressed(robot_of(setup), args, error) != SIZE_MAX;
}

/* Presses it until END_US, or releases it. */
static bool set_pressed(struct sim_robot *robot, const struct press_args *args, bool is_pressed,
                        int64_t end_us, struct error *error)
{
    struct robot_handling *handling = &robot->handling;
    size_t i = find_pressed(robot, args, error);
    assert(i < 32); // checked before it is run
    uint32_t *pressed = *args->bumper ? &handling->pressed_bumpers : &handling->pressed_buttons;
    int64_t *release_us = *args->bumper ? handling->release_bumper_us : handling->release_button_us;
    *pressed = (*pressed & ~(UINT32_C(1) << i)) | (uint32_t)is_pressed << i;
    release_us[i] = end_us;
    return true;
}

static bool press(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct sim_robot *robot = state;
    const struct press_args *args = data;
    return set_pressed(robot, args, true, until_us(robot->sim, args->for_s), error);
}

static bool let_go(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    return set_pressed(state, data, false, ROBOT_NEVER, error);
}

/* ---- plug, unplug ---- */

struct plug_args {
    char what[32];
    double for_s;
};

/* The last row is for unplug only. */
static const struct option_row plug_rows[] = {
    ROW_TEXT("what", plug_args, what, NULL, "a channel, or adapter: the charger's plug"),
    ROW_NUMBER("for", plug_args, for_s, "s", 0, FOREVER_S, "0",
               "a channel only; 0: until it is plugged in again"),
};

enum { PLUG_ADAPTER = ROBOT_CHANNELS_MAX, PLUG_UNKNOWN };

/* The index of the requested channel, or one of the above values. */
static size_t find_plug(const struct sim_robot *robot, const struct plug_args *args)
{
    if (strcmp(args->what, "adapter") == 0)
        return PLUG_ADAPTER;
    for (size_t c = 0; c < robot->type->channel_count; c++)
        if (strcmp(robot->type->channels[c].name, args->what) == 0)
            return c;
    return PLUG_UNKNOWN;
}

static bool plug_check(const void *setup, const void *data, struct error *error)
{
    const struct sim_robot *robot = robot_of(setup);
    const struct plug_args *args = data;
    size_t found = find_plug(robot, args);
    if (found == PLUG_ADAPTER && args->for_s > 0)
        return error_set(error, "for: only with a channel, not with the adapter");
    return found != PLUG_UNKNOWN || error_set(error,
                                              "what: '%s' is neither a channel nor the adapter; "
                                              "the first channel is '%s'",
                                              args->what, robot->type->channels[0].name);
}

static bool set_plug(struct sim_robot *robot, const struct plug_args *args, bool is_in)
{
    size_t found = find_plug(robot, args);
    if (found == PLUG_ADAPTER) {
        robot->handling.has_adapter = is_in;
        return true;
    }
    struct sim_channel *channel = &robot->sim->channels[robot->first_channel + found];
    if (!is_in)
        line_reset(channel->line, robot->sim->now_us);
    channel->is_plugged = is_in;
    channel->replug_us = is_in ? ROBOT_NEVER : until_us(robot->sim, args->for_s);
    return true;
}

static bool plug(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    return set_plug(state, data, true);
}

static bool unplug(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    return set_plug(state, data, false);
}

/* ---- modem ---- */

struct modem_args {
    char what[32];
    int32_t lines[4]; /* for each line: keep, off, on */
};

enum { KEEP, OFF, ON };
static const char *const modem_words[] = {"keep", "off", "on", NULL};

enum { MODEM_LINES = 4 };
static const uint8_t modem_bits[MODEM_LINES] = {MODEM_CTS, MODEM_DSR, MODEM_DCD, MODEM_RI};

#define MODEM_LINE(name, number) ROW_CHOICE(name, modem_args, lines[number], modem_words, "keep")

static const struct option_row modem_rows[] = {
    ROW_TEXT("what", modem_args, what, NULL, "a serial channel"),
    MODEM_LINE("cts", 0),
    MODEM_LINE("dsr", 1),
    MODEM_LINE("dcd", 2),
    MODEM_LINE("ri", 3),
};

/* The index of the requested serial channel; SIZE_MAX: not found. */
static size_t find_serial(const struct sim_robot *robot, const char *wanted)
{
    for (size_t c = 0; c < robot->type->channel_count; c++)
        if (robot->type->channels[c].kind == CHANNEL_SERIAL &&
            strcmp(robot->type->channels[c].name, wanted) == 0)
            return c;
    return SIZE_MAX;
}

static bool modem_check(const void *setup, const void *data, struct error *error)
{
    const struct sim_robot *robot = robot_of(setup);
    const struct modem_args *args = data;
    if (find_serial(robot, args->what) == SIZE_MAX)
        return error_set(error, "what: '%s' is not a serial channel; the first channel is '%s'",
                         args->what, robot->type->channels[0].name);
    for (size_t i = 0; i < MODEM_LINES; i++)
        if (args->lines[i] != KEEP)
            return true;
    return error_set(error, "give at least one of cts, dsr, dcd, ri");
}

static bool modem(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct sim_robot *robot = state;
    const struct modem_args *args = data;
    uint8_t *lines =
        &robot->sim->channels[robot->first_channel + find_serial(robot, args->what)].robot_lines;
    for (size_t i = 0; i < MODEM_LINES; i++)
        if (args->lines[i] == ON)
            *lines |= modem_bits[i];
        else if (args->lines[i] == OFF)
            *lines &= (uint8_t)~modem_bits[i];
    return true;
}

/* ---- battery ---- */

struct battery_args {
    double volts;
};

static const struct option_row battery_rows[] = {
    ROW_NUMBER("v", battery_args, volts, "V", 0, 0, NULL),
};

static bool battery_check(const void *setup, const void *data, struct error *error)
{
    const struct robot_body *body = robot_of(setup)->body;
    double volts = ((const struct battery_args *)data)->volts;
    if (!robot_has_battery(robot_of(setup)->type))
        return error_set(error, "the robot has no battery");
    return (volts >= body->battery_min_v && volts <= body->battery_max_v) ||
           error_set(error, "v: %g; allowed: %g to %g V", volts, body->battery_min_v,
                     body->battery_max_v);
}

static bool battery(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct sim_robot *robot = state;
    const struct battery_args *args = data;
    robot->charge = robot_battery_charge(robot->type, robot->options, args->volts);
    return true;
}

/* ---- reset ---- */

static bool reset(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)data, (void)now_us, (void)error;
    robot_power(state, POWER_CYCLE, ROBOT_NEVER);
    return true;
}

void robot_restart(struct sim_robot *robot)
{
    struct sim *sim = robot->sim;
    fault_heal(robot);
    robot->handling = robot_handling_none();
    for (size_t c = 0; c < robot->type->channel_count; c++)
        channel_set_ready(&sim->channels[robot->first_channel + c]);
    if (!robot_is_mounted(robot)) {
        world_lift(sim->world, robot->body_index, false);
        world_place(sim->world, robot->body_index, robot->start);
    }
    robot->pose = robot->start;
    robot->collisions = 0;
    robot->charge = robot_start_charge(robot->type, robot->options);
    robot_power(robot, POWER_CYCLE, ROBOT_NEVER);
}

/* ---- The table ---- */

static const struct command_row robot_commands[] = {
    COMMAND_ROW("place", place_rows, place_args, place, "move the robot to another place, at rest",
                .check = place_check),
    COMMAND_ROW("lift", lift_rows, lift_args, lift, "lift the robot; the wheels drop",
                .check = lift_check),
    COMMAND_ROW("press", press_rows, press_args, press, "press a bumper or a button",
                .check = press_check),
    {.name = "release",
     .args = press_rows,
     .arg_count = COUNT(press_rows) - 1,
     .args_size = sizeof(struct press_args),
     .check = press_check,
     .run = let_go,
     .note = "release a pressed bumper or button"},
    {.name = "plug",
     .args = plug_rows,
     .arg_count = COUNT(plug_rows) - 1,
     .args_size = sizeof(struct plug_args),
     .check = plug_check,
     .run = plug,
     .note = "plug in the adapter or the cable of a channel"},
    COMMAND_ROW("unplug", plug_rows, plug_args, unplug,
                "unplug the adapter or the cable of a channel", .check = plug_check),
    COMMAND_ROW("modem", modem_rows, modem_args, modem,
                "set the modem lines that the driver of a channel reads", .check = modem_check),
    COMMAND_ROW("battery", battery_rows, battery_args, battery,
                "set the charge by the voltage without load", .check = battery_check),
    {.name = "reset", .run = reset, .note = "power off and on again"},
    COMMAND_ROW("fault", fault_rows, fault_args, fault_command, "make something fail",
                .flags = COMMAND_OF_PART, .check = fault_check),
    {.name = "heal", .run = fault_heal_command, .note = "end all faults"},
};

const struct command_row *sim_robot_commands(size_t *count)
{
    *count = COUNT(robot_commands);
    return robot_commands;
}
