/* Each request has one reply, in order, with the values at the time when the request arrived.
 * Source: the vendor's firmware (gskywolf/MoBot_Arduino: lib/Transport, src/robot.cpp). */
#include "protocols/diff_board/diff_board_host.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "protocols/diff_board/diff_board_motion.h"
#include "protocols/diff_board/diff_board_parameters.h"
#include "protocols/diff_board/diff_board_senses.h"

/* The board waits while its send buffer is full. Chosen: the size of the Arduino's buffer. */
enum { DIFF_BOARD_SEND_BUFFER = 64 };
static const int64_t RETRY_US = 1000;
/* A mega2560 (data sheet): 64 writes to the EEPROM, 3.3 ms each; a byte at the rate nearest to
 * 115200 baud that its clock of 16 MHz supports. */
static const int64_t SAVE_US = 211200, BYTE_US = 85;

/* ---- The queue ---- */

int64_t diff_board_host_due(const struct diff_board_replies *replies)
{
    return replies->count > 0 ? replies->reply[replies->first].due_us : ROBOT_NEVER;
}

/* The loop of a mega2560 does nothing until its port is free. */
static void hold(struct diff_board_state *state)
{
    int64_t *const due_us[] = {&state->odom.due_us, &state->imu.due_us, &state->motion.due_us};
    for (size_t i = 0; i < COUNT(due_us); i++)
        if (*due_us[i] < state->port.free_us)
            *due_us[i] = state->port.free_us;
}

static void reply(struct diff_board_state *state, uint8_t id, const void *message, int64_t now_us)
{
    struct diff_board_replies *replies = &state->replies;
    if (replies->count == DIFF_BOARD_REPLIES_MAX) {
        state->stats.overruns++;
        return;
    }
    int64_t turnaround_us = (int64_t)floor(state->options.turnaround_s * 1e6 + 0.5);
    uint32_t slot = (replies->first + replies->count++) % DIFF_BOARD_REPLIES_MAX;
    struct diff_board_reply *entry = &replies->reply[slot];
    memset(entry, 0, sizeof *entry);
    entry->due_us = now_us + turnaround_us;
    entry->size =
        diff_board_frame_make(diff_board_packet_find(WIRE_TO_HOST, id), message, entry->bytes);
    if (diff_board_is_mega(&state->options))
        arduino_port_write(&state->port, (size_t)entry->size, BYTE_US, now_us);
    hold(state);
}

void diff_board_host_send(struct diff_board_state *state, const struct robot_tx *tx, int64_t now_us)
{
    struct diff_board_replies *replies = &state->replies;
    while (diff_board_host_due(replies) <= now_us) {
        struct diff_board_reply *entry = &replies->reply[replies->first];
        if (tx_queued(tx, 0) > DIFF_BOARD_REPLY_MAX + DIFF_BOARD_SEND_BUFFER) {
            entry->due_us = now_us + RETRY_US;
            return;
        }
        bool is_sent = tx_frame(tx, 0, entry->bytes, (size_t)entry->size);
        state->stats.sent += is_sent;
        state->stats.overruns += !is_sent;
        replies->first = (replies->first + 1) % DIFF_BOARD_REPLIES_MAX;
        replies->count--;
    }
}

/* ---- Execution of the requests ---- */

/* Indexed by enum diff_board_firmware. The older version is MoBot_Arduino, the newer one its STM32
 * version. */
static const struct diff_board_version versions[] = {
    {.version = "v1.0.1", .time = "20180329"},
    {.version = "v2.0.0", .time = "20200109-m3e3"},
};

static void run_version(struct diff_board_state *state, int64_t now_us)
{
    state->last.version = versions[state->options.firmware];
    reply(state, DIFF_BOARD_VERSION, &state->last.version, now_us);
}

static void run_set_parameters(struct diff_board_state *state, int64_t now_us)
{
    reply(state, DIFF_BOARD_SET_PARAMETERS, NULL, now_us);
    diff_board_memory_save(state, state->framer.body);
    diff_board_motion_reschedule(state, now_us);
    if (diff_board_is_mega(&state->options))
        arduino_port_wait(&state->port, SAVE_US, now_us);
    hold(state);
}

static void run_init_odometry(struct diff_board_state *state, int64_t now_us)
{
    reply(state, DIFF_BOARD_INIT_ODOMETRY, NULL, now_us);
    diff_board_odometry_clear(state);
    state->wake_us = now_us;
}

static void run_set_velocity(struct diff_board_state *state, int64_t now_us)
{
    reply(state, DIFF_BOARD_SET_VELOCITY, NULL, now_us);
    diff_board_motion_command(state, &state->last.set_velocity, now_us);
}

static void run_encoders(struct diff_board_state *state, int64_t now_us)
{
    for (int i = 0; i < DIFF_BOARD_MOTORS; i++) {
        int64_t count = state->wants_clear ? 0 : state->motion.motor[i].count;
        state->last.encoders.count[i] = (float)count;
    }
    reply(state, DIFF_BOARD_ENCODERS, &state->last.encoders, now_us);
}

static void run_set_pwm(struct diff_board_state *state, int64_t now_us)
{
    reply(state, DIFF_BOARD_SET_PWM, NULL, now_us);
    diff_board_motion_by_hand(state, &state->last.set_pwm, now_us);
    state->wake_us = now_us;
}

struct request_row {
    void (*run)(struct diff_board_state *state, int64_t now_us); /* NULL: only a reply */
    /* Offset in the state: of the received message, if the request has fields; of the reply, if
     * there is no function. */
    size_t message;
};

#define LAST(member) offsetof(struct diff_board_state, last.member)
static const struct request_row requests[DIFF_BOARD_ID_COUNT] = {
    [DIFF_BOARD_VERSION] = {run_version, 0},
    [DIFF_BOARD_SET_PARAMETERS] = {run_set_parameters, LAST(set_parameters)},
    [DIFF_BOARD_GET_PARAMETERS] = {NULL, offsetof(struct diff_board_state, parameters)},
    [DIFF_BOARD_INIT_ODOMETRY] = {run_init_odometry, 0},
    [DIFF_BOARD_SET_VELOCITY] = {run_set_velocity, LAST(set_velocity)},
    [DIFF_BOARD_ODOMETRY] = {NULL, LAST(odometry)},
    [DIFF_BOARD_PID] = {NULL, LAST(pid)},
    [DIFF_BOARD_IMU] = {NULL, LAST(imu)},
    [DIFF_BOARD_ENCODERS] = {run_encoders, 0},
    [DIFF_BOARD_SET_PWM] = {run_set_pwm, LAST(set_pwm)},
};

static void obey(struct diff_board_state *state, int64_t now_us)
{
    const struct diff_board_framer *framer = &state->framer;
    const struct wire_packet *packet = diff_board_packet_find(WIRE_TO_ROBOT, framer->id);
    const struct request_row *row = &requests[framer->id];
    void *message = (char *)state + row->message;
    state->stats.bad_lengths += framer->length != packet->size;
    if (packet->field_count > 0) {
        /* If the body was too short, the rest is 0. Excess bytes are ignored. */
        wire_decode(packet, framer->body, packet->size, message);
    }
    if (row->run)
        row->run(state, now_us);
    else
        reply(state, framer->id, message, now_us);
}

static void read_byte(struct diff_board_state *state, uint8_t byte, int64_t now_us)
{
    bool is_old = state->options.firmware == DIFF_BOARD_FIRMWARE_1_0_1;
    unsigned ids = is_old ? DIFF_BOARD_ID_COUNT_1_0_1 : DIFF_BOARD_ID_COUNT;
    if (diff_board_framer_push(&state->framer, byte, ids, &state->stats))
        obey(state, now_us);
}

void diff_board_host_read(struct diff_board_state *state, int64_t now_us)
{
    uint8_t byte;
    while (arduino_port_take(&state->port, now_us, &byte))
        read_byte(state, byte, now_us);
}

void diff_board_host_hear(struct diff_board_state *state, const uint8_t *bytes, size_t size,
                          int64_t now_us)
{
    for (size_t i = 0; i < size; i++) {
        arduino_port_put(&state->port, bytes[i]);
        diff_board_host_read(state, now_us);
    }
    state->stats.overruns += arduino_port_settle(&state->port);
}
