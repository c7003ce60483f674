#include "protocols/process/process.h"

#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/hash.h"

struct inbox {
    bool is_present;
    uint8_t lines;
    uint32_t size;
    uint8_t bytes[PROCESS_INBOX_MAX];
};

/* State of the robot for the simulation. It does not contain the memory of the process, but a hash
 * of all its answers. */
struct state {
    struct process_shape shape;
    struct inbox channels[ROBOT_CHANNELS_MAX];
    uint64_t command_count;
    struct process_command commands[PROCESS_COMMANDS_MAX];
    int64_t power_us;
    bool is_start;
    uint64_t answers, answers_hash;
    double signals[PROCESS_SIGNALS_MAX];
    uint64_t observation_count; /* of the last answer */
    struct process_observation observations[PROCESS_OBSERVATIONS_MAX];
    struct robot_scan scan;
    struct robot_stats stats[ROBOT_CHANNELS_MAX];
    uint64_t boots;
};

int process_signal_index(const struct signal_row *row)
{
    size_t first = offsetof(struct state, signals), after = sizeof(((struct state *)0)->signals);
    bool is_own = row->type == SIGNAL_DOUBLE && row->offset >= first && row->offset < first + after;
    return is_own ? (int)((row->offset - first) / sizeof(double)) : -1;
}

struct process_shape process_shape_of(const struct robot_type *type, const struct robot_body *body)
{
    struct process_shape shape = {
        .wheel_count = (uint32_t)body->wheel_count,
        .sensor_count = (uint32_t)body->sensor_count,
        .channel_count = (uint32_t)type->channel_count,
        .command_count = (uint32_t)type->command_count,
        .is_dc = body->motor == ROBOT_MOTOR_DC,
    };
    for (size_t i = 0; i < type->signal_count; i++)
        shape.signal_count += process_signal_index(&type->signals[i]) >= 0;
    for (size_t i = 0; i < type->channel_count; i++)
        shape.frame_max[i] = (uint32_t)type->channels[i].frame_max;
    for (size_t i = 0; i < body->sensor_count; i++) {
        const struct sensor_spec *spec = &body->sensors[i];
        if (spec->kind == SENSOR_CAMERA)
            shape.eyes[i] = (struct process_eye){.width = spec->width, .height = spec->height};
        shape.eyes[i].is_scanner = spec->kind == SENSOR_SCANNER;
    }
    return shape;
}

/* ---- Commands. They wait for the next question. ---- */

static bool push(struct state *state, uint32_t index, const void *args, struct error *error)
{
    if (state->command_count == PROCESS_COMMANDS_MAX)
        return error_set(error, "%d commands are already waiting for its firmware",
                         PROCESS_COMMANDS_MAX);
    struct process_command *command = &state->commands[state->command_count++];
    command->index = index;
    memcpy(command->numbers, args, sizeof command->numbers);
    return true;
}

#define EACH(DO)                                                                                   \
    DO(0)                                                                                          \
    DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define RUN(index)                                                                                 \
    static bool run_##index(void *state, const void *args, int64_t now_us, struct error *error)    \
    {                                                                                              \
        (void)now_us;                                                                              \
        return push(state, index, args, error);                                                    \
    }
#define ROW(index) {.args_size = PROCESS_NUMBERS_MAX * sizeof(double), .run = run_##index},
EACH(RUN)
static const struct command_row command_rows[PROCESS_COMMANDS_MAX] = {EACH(ROW)};

/* ---- Observations, taken at the present time ---- */

struct view {
    size_t count, ray_count;
    struct robot_sight sights[PROCESS_OBSERVATIONS_MAX];
    struct robot_echo echoes[PROCESS_RAYS_MAX];
};

static void cast_rays(struct state *state, const struct process_observation *observation,
                      const struct robot_rays *rays, int64_t now_us, struct view *view)
{
    struct robot_echo *echoes = view->echoes + view->ray_count;
    for (int64_t i = 0; i < observation->rays; i++) {
        double part = observation->rays > 1 ? (double)i / (double)(observation->rays - 1) : 0;
        double heading_rad =
            observation->from_rad + part * (observation->to_rad - observation->from_rad);
        rays->cast(rays->context, observation->sensor, heading_rad, 0, now_us, &echoes[i]);
        robot_scan_note(&state->scan, heading_rad / (2 * ANGLE_PI), echoes[i].distance_m);
    }
    view->ray_count += (size_t)observation->rays;
    state->scan.count = (uint32_t)observation->rays;
    view->sights[view->count++] = (struct robot_sight){
        .sensor = observation->sensor, .echoes = echoes, .echo_count = (size_t)observation->rays};
}

static void take_picture(const struct state *state, const struct process_observation *observation,
                         const struct robot_cameras *cameras, struct view *view)
{
    uint32_t width = observation->width > 0 ? (uint32_t)observation->width
                                            : state->shape.eyes[observation->sensor].width;
    view->sights[view->count++] =
        (struct robot_sight){.sensor = observation->sensor,
                             .image = cameras->take(cameras->context, observation->sensor, width)};
}

static void see(struct state *state, const struct robot_sensors *sensors, int64_t now_us,
                struct view *view)
{
    view->count = view->ray_count = 0;
    for (size_t i = 0; i < state->observation_count; i++) {
        const struct process_observation *observation = &state->observations[i];
        if (state->shape.eyes[observation->sensor].is_scanner)
            cast_rays(state, observation, &sensors->rays, now_us, view);
        else
            take_picture(state, observation, &sensors->cameras, view);
    }
}

/* ---- A question and its answer ---- */

static void compose(const struct state *state, const struct robot_sensors *sensors,
                    const struct robot_tx *tx, int64_t now_us, struct process_question *question)
{
    question->now_us = now_us;
    question->power_us = state->power_us;
    question->is_start = state->is_start;
    question->sensors = *sensors;
    for (unsigned i = 0; i < state->shape.channel_count; i++) {
        const struct inbox *inbox = &state->channels[i];
        struct process_channel *channel = &question->channels[i];
        channel->is_present = inbox->is_present;
        channel->lines = inbox->lines;
        channel->queued = (uint32_t)tx_queued(tx, i);
        channel->size = inbox->size;
        memcpy(channel->bytes, inbox->bytes, inbox->size);
    }
    question->command_count = (uint32_t)state->command_count;
    memcpy(question->commands, state->commands, sizeof question->commands);
}

static void forget(struct state *state)
{
    state->is_start = false;
    memset(state->commands, 0, state->command_count * sizeof *state->commands);
    state->command_count = 0;
    for (size_t i = 0; i < COUNT(state->channels); i++) {
        memset(state->channels[i].bytes, 0, state->channels[i].size);
        state->channels[i].size = 0;
    }
}

static void obey(struct state *state, const struct process_answer *answer,
                 struct robot_actuators *actuators, const struct robot_tx *tx)
{
    *actuators = answer->actuators;
    for (size_t i = 0; i < answer->signal_count; i++)
        state->signals[answer->signals[i].index] = answer->signals[i].value;
    state->observation_count = answer->observation_count;
    memcpy(state->observations, answer->observations, sizeof state->observations);
    for (size_t i = 0; i < answer->frame_count; i++) {
        const struct process_frame *frame = &answer->frames[i];
        tx_send(tx, frame->channel, frame->bytes, frame->size, &state->stats[frame->channel]);
    }
}

static int64_t process_tick(void *memory, const struct robot_sensors *sensors,
                            struct robot_actuators *actuators, const struct robot_tx *tx,
                            int64_t now_us)
{
    struct state *state = memory;
    struct process_question question;
    struct process_answer answer;
    struct view view;
    uint8_t asked[PROCESS_QUESTION_MAX], answered[PROCESS_ANSWER_MAX];
    compose(state, sensors, tx, now_us, &question);
    see(state, sensors, now_us, &view);
    const struct robot_question whole = {
        .bytes = asked,
        .size = process_question_write(&state->shape, &question, asked),
        .sights = view.sights,
        .sight_count = view.count,
    };
    size_t size = tx->ask ? tx->ask(tx->context, &whole, answered, sizeof answered) : 0;
    forget(state);
    if (size == 0 || !process_answer_read(&state->shape, answered, size, &answer, NULL)) {
        *actuators = (struct robot_actuators){0};
        return ROBOT_NEVER;
    }
    state->answers++;
    state->answers_hash = hash_bytes(state->answers_hash, answered, size);
    obey(state, &answer, actuators, tx);
    return answer.wait_us == ROBOT_NEVER ? ROBOT_NEVER : now_us + answer.wait_us;
}

/* ---- The interface of a robot type ---- */

static int64_t process_reset(void *memory, const struct robot_start *from)
{
    struct state *state = memory;
    memset(state, 0, sizeof *state);
    state->shape = process_shape_of(from->type, from->body);
    for (size_t i = 0; i < state->shape.channel_count; i++) {
        state->channels[i].is_present = from->hosts[i].is_present;
        state->channels[i].lines = (uint8_t)from->hosts[i].lines;
    }
    state->is_start = true;
    state->power_us = from->now_us;
    state->answers_hash = HASH_START;
    state->boots = 1;
    return from->now_us;
}

/* The process receives each event immediately: in the tick of this step. */

static int64_t process_host(void *memory, unsigned channel, bool present, int64_t now_us)
{
    struct state *state = memory;
    state->channels[channel].is_present = present;
    return now_us;
}

static int64_t process_lines(void *memory, unsigned channel, unsigned lines, int64_t now_us)
{
    struct state *state = memory;
    state->channels[channel].lines = (uint8_t)lines;
    return now_us;
}

static int64_t process_rx(void *memory, unsigned channel, const uint8_t *bytes, size_t size,
                          int64_t now_us)
{
    struct state *state = memory;
    struct inbox *inbox = &state->channels[channel];
    size_t room = sizeof inbox->bytes - inbox->size;
    size_t taken = size < room ? size : room;
    memcpy(inbox->bytes + inbox->size, bytes, taken);
    inbox->size += (uint32_t)taken;
    state->stats[channel].noise_bytes += size - taken; /* nobody hears them */
    return now_us;
}

static const struct signal_row signal_rows[] = {
    SIGNAL_ROW("own", state, signals[0], "", "see the body file"),
    SIGNAL_ROW("firmware_answers", state, answers, "",
               "answers of the firmware's process since its start"),
    {.name = "firmware_hash",
     .type = SIGNAL_U32,
     .offset = offsetof(struct state, answers_hash),
     .unit = "",
     .note = "hash of all these answers"},
    SIGNAL_ROW("boots", state, boots, "", "power-ons and resets"),
};

static const struct wire_packet *const no_packets[] = {NULL};

const struct robot_type process_type = {
    .name = "process",
    .title = "Firmware in a process",
    .folder = "process",
    .signals = signal_rows,
    .signal_count = COUNT(signal_rows),
    ROBOT_COMMANDS,
    .packets = no_packets,
    .state_size = sizeof(struct state),
    .stats_offset = offsetof(struct state, stats),
    .storage_offset = SIZE_MAX,
    .boots_offset = offsetof(struct state, boots),
    .scan_offset = offsetof(struct state, scan),
    .host = process_host,
    .lines = process_lines,
    ROBOT_FUNCTIONS(process),
};
