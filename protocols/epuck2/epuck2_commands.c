/* Commands of the e-puck2: what a person can do to it beside pressing its button. */
#include <stddef.h>

#include "base/array.h"
#include "protocols/epuck2/epuck2_motion.h"
#include "protocols/epuck2/epuck2_rows.h"
#include "protocols/epuck2/epuck2_sounds.h"
#include "protocols/epuck2/epuck2_state.h"

#define RAD_1_DEG        0.017453292519943295769
#define AT(tag, member)  .offset = offsetof(struct tag, member)
#define RANGE(low, high) .min = (low), .max = (high)

/* ---- TV remote ---- */

struct remote_args {
    int64_t key, address;
};

/* Speeds of the keys 1..9, steps/s (Asercom2.c). */
static const int16_t key_speeds[10][2] = {
    {0, 0}, {300, 600},  {600, 600},   {600, 300},   {-600, 600},
    {0, 0}, {600, -600}, {-300, -600}, {-600, -600}, {-600, -300},
};

static bool run_remote(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)error;
    struct epuck2_state *state = memory;
    const struct remote_args *remote = args;
    state->remote_toggle ^= 1;
    state->remote_address = (uint8_t)remote->address;
    state->remote_data = (uint8_t)remote->key;
    bool is_ours = remote->address == 0 || remote->address == 8;
    if (!state->options.has_remote_drive || !is_ours)
        return true;
    if (remote->key == 0) {
        epuck2_sounds_obey(&state->play, 1u << (EPUCK2_SOUND_MARIO - 1), now_us);
        return true;
    }
    const int16_t *speeds = key_speeds[remote->key <= 9 ? remote->key : 0];
    epuck2_motion_speeds(state, speeds[EPUCK2_LEFT], speeds[EPUCK2_RIGHT], now_us);
    return true;
}

static const struct option_row remote_rows[] = {
    {.key = "key",
     .type = OPTION_INTEGER,
     AT(remote_args, key),
     RANGE(0, 127),
     .note = "1 to 9 drive, 5 and others stop, 0 plays a sound"},
    {.key = "address",
     .type = OPTION_INTEGER,
     AT(remote_args, address),
     RANGE(0, 31),
     .fallback = "0",
     .note = "the robot obeys 0 and 8"},
};

/* ---- What stands on the robot ---- */

struct selector_args {
    int64_t position;
};

static bool run_selector(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us;
    (void)error;
    struct epuck2_state *state = memory;
    const struct selector_args *selector = args;
    state->selector =
        (uint8_t)(selector->position < 0 ? (state->selector + 1) % 16 : selector->position);
    return true;
}

static const struct option_row selector_rows[] = {
    {.key = "position",
     .type = OPTION_INTEGER,
     AT(selector_args, position),
     RANGE(-1, 15),
     .fallback = "-1",
     .note = "-1: the next one"},
};

struct sd_args {
    bool is_present;
};

static bool run_sd(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us;
    (void)error;
    struct epuck2_state *state = memory;
    const struct sd_args *sd = args;
    state->has_sd = sd->is_present;
    return true;
}

static const struct option_row sd_rows[] = {
    {.key = "present", .type = OPTION_BOOL, AT(sd_args, is_present), .fallback = "yes"},
};

/* ---- A hand ---- */

struct tilt_args {
    double roll_rad, pitch_rad;
};

static bool run_tilt(void *memory, const void *args, int64_t now_us, struct error *error)
{
    (void)now_us;
    (void)error;
    struct epuck2_state *state = memory;
    const struct tilt_args *tilt = args;
    state->inertia.roll_rad = tilt->roll_rad;
    state->inertia.pitch_rad = tilt->pitch_rad;
    return true;
}

static const struct option_row tilt_rows[] = {
    {.key = "roll",
     .type = OPTION_NUMBER,
     AT(tilt_args, roll_rad),
     .unit = "deg",
     .scale = RAD_1_DEG,
     RANGE(-180, 180),
     .fallback = "0",
     .note = "right side down"},
    {.key = "pitch",
     .type = OPTION_NUMBER,
     AT(tilt_args, pitch_rad),
     .unit = "deg",
     .scale = RAD_1_DEG,
     RANGE(-180, 180),
     .fallback = "0",
     .note = "nose down"},
};

const struct command_row epuck2_command_rows[EPUCK2_COMMAND_COUNT] = {
    {.name = "remote",
     .args = remote_rows,
     .arg_count = COUNT(remote_rows),
     .args_size = sizeof(struct remote_args),
     .run = run_remote,
     .note = "a key of a TV remote (RC5) is pressed"},
    {.name = "selector",
     .args = selector_rows,
     .arg_count = COUNT(selector_rows),
     .args_size = sizeof(struct selector_args),
     .run = run_selector,
     .note = "turns the selector on top"},
    {.name = "sd",
     .args = sd_rows,
     .arg_count = COUNT(sd_rows),
     .args_size = sizeof(struct sd_args),
     .run = run_sd,
     .note = "puts a micro SD card in or takes it out"},
    {.name = "tilt",
     .args = tilt_rows,
     .arg_count = COUNT(tilt_rows),
     .args_size = sizeof(struct tilt_args),
     .run = run_tilt,
     .note = "holds the robot aslant: what acceleration and magnetic field tell"},
};
