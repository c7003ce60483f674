/* The loop of the WiFi firmware. Approximated: the rates of the turns are two options, because no
 * measured rates are published. Left out: LED2's other colors during the WiFi setup. */
#include "protocols/epuck2/epuck2_host.h"

#include <math.h>
#include <string.h>

#include "protocols/epuck2/epuck2_motion.h"
#include "protocols/epuck2/epuck2_power.h"
#include "protocols/epuck2/epuck2_senses.h"

int64_t epuck2_actuate(struct epuck2_state *state, const struct epuck2_command *command,
                       int64_t now_us)
{
    if ((command->settings & EPUCK2_SETTING_STEPS) != 0)
        epuck2_motion_count(state, command->left, command->right, now_us);
    else
        epuck2_motion_speeds(state, command->left, command->right, now_us);
    epuck2_motion_avoid(state, (command->settings & EPUCK2_SETTING_AVOID) != 0, now_us);
    epuck2_lamps_obey(state, command);
    int64_t free_us = epuck2_sounds_obey(&state->play, command->sound, now_us);
    if ((command->settings & EPUCK2_SETTING_CALIBRATE) != 0) {
        int64_t ready_us = now_us + (int64_t)floor(state->options.calibration_s * 1e6);
        epuck2_senses_calibrate(state);
        free_us = ready_us > free_us ? ready_us : free_us;
    }
    return free_us;
}

enum {
    STEP_US = 1000,         /* a send() that blocks is retried at the next step */
    LEAVING_TURNS = 2,      /* a send fails one or two packets after the client has left */
    SENDING_LAMP_US = 8000, /* chosen: LED2 flickers visibly */
};

/* ---- Clients ---- */

static bool is_served(const struct epuck2_state *state)
{
    int64_t limit = state->options.socket_limit;
    return limit == 0 || state->stream.hosts <= (uint64_t)limit;
}

static void client_came(struct epuck2_state *state, int64_t now_us)
{
    struct epuck2_stream *stream = &state->stream;
    /* The previous client may have just left: its last command is still executed. */
    if (stream->phase == EPUCK2_LEAVING &&
        epuck2_framer_take(&state->framer, &state->last.command, &stream->dropped_commands))
        epuck2_actuate(state, &state->last.command, now_us);
    epuck2_framer_clear(&state->framer);
    stream->phase = EPUCK2_SILENT;
    stream->is_awaiting = stream->is_blocked = stream->is_split = stream->has_command = false;
    stream->due_us = ROBOT_NEVER;
    stream->hosts++;
}

static void client_left(struct epuck2_state *state, int64_t now_us)
{
    struct epuck2_stream *stream = &state->stream;
    if (stream->phase == EPUCK2_WAITING)
        return;
    stream->phase = EPUCK2_LEAVING;
    stream->is_awaiting = stream->is_blocked = false;
    stream->turns_left = LEAVING_TURNS;
    stream->due_us = now_us;
}

void epuck2_host_present(struct epuck2_state *state, bool present, int64_t now_us)
{
    if (present)
        client_came(state, now_us);
    else
        client_left(state, now_us);
}

void epuck2_host_arrived(struct epuck2_state *state, int64_t now_us)
{
    if (state->stream.is_awaiting) {
        state->stream.is_awaiting = false;
        state->stream.due_us = now_us;
    }
}

/* ---- Turns ---- */

static int64_t period_us(const struct epuck2_state *state)
{
    bool has_image = (state->last.command.request & EPUCK2_REQUEST_IMAGE) != 0;
    double hz = has_image ? state->options.image_hz : state->options.sensors_hz;
    double period_s = 1 / hz + (state->has_sd ? state->options.sd_delay_s : 0);
    return (int64_t)floor(period_s * 1e6);
}

/* The sensor values of this turn are sent at the next turn. The command is executed after they are
 * taken. Its effect is therefore visible in the second packet after it. */
static void exchange(struct epuck2_state *state, int64_t now_us)
{
    struct epuck2_stream *stream = &state->stream;
    epuck2_motion_advance(state, now_us);
    epuck2_senses_packet(state, &state->next);
    for (int i = 0; i < EPUCK2_WHEELS; i++)
        state->next_steps[i] = state->motion.wheel[i].steps;
    stream->had_picture = (state->last.command.request & EPUCK2_REQUEST_IMAGE) != 0;
    stream->is_picture_due = stream->had_picture;
    int64_t free_us = epuck2_actuate(state, &state->last.command, now_us);

    int64_t period = period_us(state);
    stream->due_us += period;
    if (stream->due_us <= now_us)
        stream->due_us = now_us + period; /* after a wait */
    stream->due_us = free_us > stream->due_us ? free_us : stream->due_us;
    stream->turns++;
}

void epuck2_host_poll(struct epuck2_state *state, int64_t now_us)
{
    struct epuck2_stream *stream = &state->stream;
    if (stream->phase != EPUCK2_SILENT || !is_served(state))
        return;
    if (state->options.has_split_quirk && state->framer.used > 0 && state->framer.count == 0)
        stream->is_split = true;
    if (!epuck2_framer_take(&state->framer, &state->last.command, &stream->dropped_commands))
        return;
    if (stream->is_split) {
        stream->is_split = false; /* stored but not obeyed */
        return;
    }
    stream->phase = EPUCK2_STREAMING;
    stream->has_command = true;
    stream->due_us = now_us;
    exchange(state, now_us);
}

static void send_frame(struct epuck2_state *state, const struct robot_tx *tx, const uint8_t *frame,
                       size_t size)
{
    tx_send(tx, EPUCK2_WIFI, frame, size, &state->stats[EPUCK2_WIFI]);
}

static void send_image(struct epuck2_state *state, const struct robot_image *image,
                       const struct robot_tx *tx)
{
    uint8_t frame[EPUCK2_HOST_FRAME_MAX];
    if (!state->stream.had_picture)
        return; /* requested only now: no picture has been taken yet */
    frame[0] = EPUCK2_ID_IMAGE;
    epuck2_image_write(image, state->options.camera_gain, frame + 1);
    send_frame(state, tx, frame, sizeof frame);
    state->stream.images++;
}

static void send_sensors(struct epuck2_state *state, const struct robot_tx *tx)
{
    uint8_t frame[1 + EPUCK2_SENSORS_SIZE];
    state->last.sensors = state->next;
    memcpy(state->odometry_steps, state->next_steps, sizeof state->odometry_steps);
    frame[0] = EPUCK2_ID_SENSORS;
    wire_encode(&epuck2_sensors_packet, &state->last.sensors, frame + 1);
    send_frame(state, tx, frame, sizeof frame);
}

static void send_requested(struct epuck2_state *state, const struct robot_image *image,
                           const struct robot_tx *tx, int64_t now_us)
{
    static const uint8_t empty = EPUCK2_ID_EMPTY;
    uint8_t request = state->last.command.request;
    if (request == 0)
        send_frame(state, tx, &empty, 1);
    if ((request & EPUCK2_REQUEST_IMAGE) != 0)
        send_image(state, image, tx);
    if ((request & EPUCK2_REQUEST_SENSORS) != 0)
        send_sensors(state, tx);
    state->lamps.sending_until_us = now_us + SENDING_LAMP_US;
}

/* The client has left. The last commands that it wrote are still executed. */
static void turn_leaving(struct epuck2_state *state, int64_t now_us)
{
    struct epuck2_stream *stream = &state->stream;
    bool has_new =
        epuck2_framer_take(&state->framer, &state->last.command, &stream->dropped_commands);
    stream->has_command = stream->has_command || has_new;
    stream->turns_left--;
    if (stream->turns_left > 0) {
        if (stream->has_command && is_served(state))
            exchange(state, now_us);
        else
            stream->due_us = now_us + EPUCK2_SENSE_PERIOD_US;
        stream->is_picture_due = false;
        return;
    }
    if (has_new)
        epuck2_actuate(state, &state->last.command, now_us);
    epuck2_framer_clear(&state->framer);
    stream->phase = EPUCK2_WAITING;
    stream->due_us = ROBOT_NEVER;
    if (state->options.disconnect == EPUCK2_DISCONNECT_STOP) {
        epuck2_motion_avoid(state, false, now_us);
        epuck2_motion_speeds(state, 0, 0, now_us);
    }
}

void epuck2_host_turn(struct epuck2_state *state, const struct robot_image *image,
                      const struct robot_tx *tx, int64_t now_us)
{
    struct epuck2_stream *stream = &state->stream;
    if (stream->phase == EPUCK2_LEAVING) {
        turn_leaving(state, now_us);
        return;
    }
    /* If the last turn's send() has not returned, waits for the client, which does not read. */
    stream->is_blocked = tx_queued(tx, EPUCK2_WIFI) > 0;
    if (stream->is_blocked) {
        stream->due_us = now_us + STEP_US;
        return;
    }
    /* Waits for the rest of an incomplete command. */
    if (!epuck2_framer_take(&state->framer, &state->last.command, &stream->dropped_commands) &&
        state->framer.used > 0) {
        stream->is_awaiting = true;
        stream->due_us = ROBOT_NEVER;
        return;
    }
    uint8_t request = state->last.command.request;
    bool is_known =
        request == 0 || (request & (EPUCK2_REQUEST_IMAGE | EPUCK2_REQUEST_SENSORS)) != 0;
    if (!is_known) {
        stream->due_us = now_us + EPUCK2_SENSE_PERIOD_US; /* nothing is sent or obeyed */
        return;
    }
    send_requested(state, image, tx, now_us);
    exchange(state, now_us);
}
