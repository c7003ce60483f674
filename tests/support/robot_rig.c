/* One robot without a world and without physics: wheels simply follow their motors. */
#include "tests/support/robot_rig.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/modem_lines.h"
#include "base/number.h"
#include "base/rng.h"
#include "protocols/process/process.h"

enum { RIG_STEP_US = 1000, RIG_PART = 256 };

/* A robot that requests its next tick later than this hangs, unless it requests no tick at all.
 * Chosen: 1 h. */
static const int64_t RIG_DUE_MAX_US = 3600000000;

static void __attribute__((format(printf, 2, 3)))
rig_break(struct robot_rig *rig, const char *format, ...)
{
    if (rig->broken[0] != '\0')
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(rig->broken, sizeof rig->broken, format, arguments);
    va_end(arguments);
}

static void rig_around(const struct robot_rig *rig, bool is_inside)
{
    if (rig->around)
        rig->around(is_inside);
}

/* ---- Options ---- */

static void rig_value(const struct option_row *row, uint64_t random, char *text, size_t size)
{
    double part = (double)(random >> 11) * 0x1p-53;
    bool is_bounded = row->min != 0 || row->max != 0;
    double number = is_bounded ? row->min + (row->max - row->min) * part : 10 * part;
    size_t words = 0;
    switch (row->type) {
    case OPTION_NUMBER:
    case OPTION_ANGLE:
        number_print(number, 17, text, size);
        break;
    case OPTION_INTEGER:
        snprintf(text, size, "%lld", (long long)number);
        break;
    case OPTION_BOOL:
        snprintf(text, size, "%s", random % 2 ? "on" : "off");
        break;
    case OPTION_CHOICE:
        while (row->choices[words])
            words++;
        assert(words > 0);
        snprintf(text, size, "%s", row->choices[random % words]);
        break;
    case OPTION_TEXT:
        snprintf(text, size, "a");
        break;
    case OPTION_COLOR:
        snprintf(text, size, "#%06x", (unsigned)(random & 0xFFFFFF));
        break;
    }
}

void rig_arguments(const struct option_row *rows, size_t count, uint64_t seed, void *out)
{
    for (size_t i = 0; i < count; i++) {
        char text[64];
        rig_value(&rows[i], rng_u64(seed, i), text, sizeof text);
        bool use_fallback = rows[i].fallback && (seed == 0 || rng_u64(~seed, i) % 2 == 0);
        option_set(&rows[i], use_fallback ? rows[i].fallback : text, out, NULL);
    }
}

/* ---- The wire ---- */

static void rig_part(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                     size_t size)
{
    struct robot_rig *rig = user;
    (void)body;
    if (!packet) {
        rig_break(rig, "sent a part of unknown id 0x%02x", id);
        return;
    }
    size_t fixed = wire_size(packet);
    if (packet->direction != WIRE_TO_HOST || packet->id != id)
        rig_break(rig, "sent %s, which is no packet to the host", packet->name);
    if (packet->repeat ? size < fixed : size != fixed)
        rig_break(rig, "sent %s with %zu bytes", packet->name, size);
}

/* A robot that is off or has too many requests leaves requests unanswered. Drops the promises
 * before the answer of this size. False: no promise has this size. */
static bool rig_skip(struct wire_promises *promises, size_t size)
{
    for (size_t first = 0; first < promises->count; first++) {
        size_t sum = 0;
        for (size_t i = first; i < promises->count && sum < size; i++)
            sum += promises->queue[i].size;
        if (sum == size) {
            promises->count = (uint8_t)(promises->count - first);
            memmove(promises->queue, promises->queue + first,
                    promises->count * sizeof *promises->queue);
            return true;
        }
    }
    return false;
}

static void rig_ignore(void *user, const struct wire_packet *packet, uint8_t id,
                       const uint8_t *body, size_t size)
{
    (void)user, (void)packet, (void)id, (void)body, (void)size;
}

/* A LiDAR may have been scanning when its port was opened. Then a series of answers continues whose
 * start the rig has not seen; its bits identify the series. */
static void rig_join(struct robot_rig *rig, unsigned channel, const uint8_t *bytes, size_t size)
{
    const struct wire_framing *framing = robot_framing(rig->type, channel, WIRE_TO_HOST);
    struct wire_promises *promises = &rig->lines[channel].promises;
    const struct wire_promise *row = framing ? framing->promises : NULL;
    for (; row && row->repeat != WIRE_ONCE && promises->count == 0; row++)
        if (robot_walk(rig->type, channel, WIRE_TO_HOST, (uint16_t)(row->id + 1), bytes, size,
                       rig_ignore, NULL))
            promises->queue[promises->count++] = (struct wire_promised){
                .size = (uint32_t)size, .id = row->id, .repeat = row->repeat};
}

/* Whether the bytes that a robot sends in one call are good frames or promised answers. */
static bool rig_explains(struct robot_rig *rig, unsigned channel, const uint8_t *bytes, size_t size)
{
    const struct robot_type *type = rig->type;
    const struct wire_framing *framing = robot_framing(type, channel, WIRE_TO_HOST);
    struct rig_line *line = &rig->lines[channel];
    if (!framing) /* any bytes are one */
        return true;
    bool is_asked = line->requests.framing && !wire_frame_is_good(framing, bytes, size);
    if (is_asked && (line->is_lost || !rig_skip(&line->promises, size)))
        return line->is_lost;
    rig_join(rig, channel, bytes, size);
    bool is_good = true;
    for (size_t at = 0, part; is_good && at < size; at += part) {
        part = size - at;
        uint16_t promised = wire_promises_cut(&line->promises, framing, type->packets, bytes + at,
                                              &part, rig->now_us * 1000);
        rig->answers += promised != 0;
        is_good =
            robot_walk(type, channel, WIRE_TO_HOST, promised, bytes + at, part, rig_part, rig);
    }
    return is_good;
}

static bool rig_send(void *context, unsigned channel, const uint8_t *bytes, size_t size)
{
    struct robot_rig *rig = context;
    const struct robot_type *type = rig->type;
    if (channel >= type->channel_count) {
        rig_break(rig, "sent on channel %u, which does not exist", channel);
        return false;
    }
    if (size == 0 || size > type->channels[channel].frame_max) {
        rig_break(rig, "sent a frame of %zu bytes, frame_max is %u", size,
                  type->channels[channel].frame_max);
    }
    if (!rig_explains(rig, channel, bytes, size))
        rig_break(rig, "sent %zu bytes that are no good frame", size);
    if (rig->is_full)
        return false;
    rig->sent++;
    rig->sent_hash = hash_bytes(rig->sent_hash, &rig->now_us, sizeof rig->now_us);
    rig->sent_hash = hash_bytes(rig->sent_hash, &channel, sizeof channel);
    rig->sent_hash = hash_bytes(rig->sent_hash, bytes, size);
    return true;
}

static size_t rig_queued(void *context, unsigned channel)
{
    const struct robot_rig *rig = context;
    return rig->is_full && channel < rig->type->channel_count
               ? rig->type->channels[channel].frame_max
               : 0;
}

/* ---- Sensors and motors ---- */

/* A wall on all sides at 2 m, as white as paper and perpendicular to the ray. Checks that the time
 * of the ray is not in the future. */
static void rig_cast(void *context, size_t sensor, double heading_rad, double aside_m,
                     int64_t at_us, struct robot_echo *echo)
{
    struct robot_rig *rig = context;
    bool is_scanner =
        sensor < rig->body.sensor_count && rig->body.sensors[sensor].kind == SENSOR_SCANNER;
    if (!is_scanner || !isfinite(heading_rad) || !isfinite(aside_m) || at_us > rig->now_us ||
        at_us < rig->now_us - 10 * RIG_STEP_US)
        rig_break(rig, "casts a ray of sensor %zu at %g rad, %lld us from now", sensor, heading_rad,
                  (long long)(at_us - rig->now_us));
    *echo = (struct robot_echo){.distance_m = 2, .reflectance = 0.9, .cosine = 1};
}

/* A black picture. Checks that the camera has this width. */
static struct robot_image rig_take(void *context, size_t sensor, uint32_t width)
{
    struct robot_rig *rig = context;
    const struct sensor_spec *spec = &rig->body.sensors[sensor];
    if (sensor >= rig->body.sensor_count || spec->kind != SENSOR_CAMERA || width < 1 ||
        width > spec->width)
        rig_break(rig, "takes a picture of %u columns by sensor %zu", width, sensor);
    uint32_t height = robot_image_rows(width, spec->width, spec->height);
    rig->sensors.image = (struct robot_image){(uint16_t)width, (uint16_t)height, rig->image};
    return rig->sensors.image;
}

/* Level, still, on the floor, with nothing near. */
static void rig_rest(struct robot_rig *rig)
{
    struct robot_sensors *sensors = &rig->sensors;
    *sensors = (struct robot_sensors){.temperature_c = 25};
    sensors->accel_m_s2[2] = 9.81;
    sensors->field_ut[0] = 20; /* middle Europe: about 20 uT to the north, 45 uT down */
    sensors->field_ut[2] = -45;
    sensors->battery_charge = robot_start_charge(rig->type, rig->options);
    for (size_t i = 0; i < rig->body.sensor_count; i++) {
        const struct sensor_spec *spec = &rig->body.sensors[i];
        sensors->sensor[i].distance_m = spec->kind == SENSOR_CLIFF ? spec->z_m : spec->range_m;
        sensors->sensor[i].reflectance = 0.5;
    }
}

/* A picture remains until the next picture is taken. */
static void rig_camera(struct robot_rig *rig)
{
    struct robot_image *image = &rig->sensors.image;
    for (size_t i = 0; rig->actuators.wants_image && i < rig->body.sensor_count; i++) {
        const struct sensor_spec *spec = &rig->body.sensors[i];
        if (spec->kind == SENSOR_CAMERA)
            *image = (struct robot_image){spec->width, spec->height, rig->image};
    }
}

static void rig_drive(struct robot_rig *rig)
{
    for (size_t i = 0; i < rig->body.wheel_count; i++) {
        double motor = rig->actuators.motor[i];
        bool is_dc = rig->body.motor == ROBOT_MOTOR_DC;
        double full_rad_s = rig->body.speed_max_m_s / rig->body.wheels[i].radius_m;
        rig->sensors.wheel_rad_s[i] = is_dc ? motor * full_rad_s : motor;
        rig->sensors.wheel_rad[i] += rig->sensors.wheel_rad_s[i] * RIG_STEP_US * 1e-6;
        rig->sensors.motor_a[i] = 0;
    }
    rig->sensors.steer_rad = rig->actuators.steer_rad;
}

static void rig_check_actuators(struct robot_rig *rig)
{
    const struct robot_actuators *actuators = &rig->actuators;
    for (size_t i = 0; i < ROBOT_WHEELS_MAX; i++) {
        double motor = actuators->motor[i];
        if (!isfinite(motor) || (rig->body.motor == ROBOT_MOTOR_DC && fabs(motor) > 1))
            rig_break(rig, "motor %zu is set to %g", i, motor);
    }
    if (!isfinite(actuators->steer_rad) || !isfinite(actuators->charge_rate_1_s) ||
        !isfinite(actuators->sound_hz) || actuators->sound_hz < 0) {
        rig_break(rig, "an actuator is not finite: steer %g, charge %g, sound %g Hz",
                  actuators->steer_rad, actuators->charge_rate_1_s, actuators->sound_hz);
    }
    if (!(actuators->sound_level >= 0 && actuators->sound_level <= 1))
        rig_break(rig, "the sound has level %g", actuators->sound_level);
}

/* ---- Calls into the robot ---- */

/* Bytes and hosts arrive before the ticks of a step. A tick that became due since the last step has
 * not run yet, so these calls may return a time up to one step ago. */
static void rig_due(struct robot_rig *rig, int64_t due_us, int64_t earliest_us, const char *who)
{
    if (due_us < earliest_us || (due_us != ROBOT_NEVER && due_us - rig->now_us > RIG_DUE_MAX_US)) {
        rig_break(rig, "%s at %lld us wants the next tick at %lld us", who, (long long)rig->now_us,
                  (long long)due_us);
        due_us = rig->now_us + RIG_STEP_US;
    }
    rig->due_us = due_us;
}

void rig_reset(struct robot_rig *rig)
{
    bool has_storage = rig->type->storage_offset != SIZE_MAX;
    struct robot_start start = {
        .type = rig->type,
        .body = &rig->body,
        .options = rig->options,
        .storage = has_storage ? &rig->storage : NULL,
        .rng_key = rng_key(1, "robot"),
        .now_us = rig->now_us,
    };
    rig->actuators = (struct robot_actuators){0};
    rig_rest(rig);
    rig_around(rig, true);
    int64_t due_us = rig->type->reset(rig->state, &start);
    rig_around(rig, false);
    rig_due(rig, due_us, rig->now_us, "reset");
}

void rig_host(struct robot_rig *rig, unsigned channel, bool present)
{
    if (rig->type->host) {
        rig_around(rig, true);
        int64_t due_us = rig->type->host(rig->state, channel, present, rig->now_us);
        rig_around(rig, false);
        rig_due(rig, due_us, rig->now_us - RIG_STEP_US + 1, "host");
    }
    if (!rig->type->lines)
        return;
    rig_around(rig, true);
    int64_t due_us =
        rig->type->lines(rig->state, channel, present ? MODEM_DTR | MODEM_RTS : 0, rig->now_us);
    rig_around(rig, false);
    if (due_us != ROBOT_RESET)
        rig_due(rig, due_us, rig->now_us - RIG_STEP_US + 1, "lines");
}

/* Finds the requests in the bytes that a robot has received, independently of the robot. */
static void rig_listen(struct robot_rig *rig, unsigned channel, const uint8_t *bytes, size_t size)
{
    struct rig_line *line = &rig->lines[channel];
    if (!line->requests.framing)
        return;
    struct wire_piece piece;
    for (size_t at = 0, part; at < size; at += part) {
        part = size - at < RIG_PART ? size - at : RIG_PART;
        wire_splitter_push(&line->requests, bytes + at, part, rig->now_us * 1000);
        while (wire_splitter_next(&line->requests, false, &piece))
            line->told += piece.kind == WIRE_PIECE_FRAME;
    }
    line->is_lost |=
        line->told != rig_stats(rig, channel)->frames || line->promises.count == WIRE_PROMISES_MAX;
}

static void rig_open_line(struct robot_rig *rig, unsigned channel)
{
    const struct wire_framing *framing = robot_framing(rig->type, channel, WIRE_TO_ROBOT);
    struct rig_line *line = &rig->lines[channel];
    if (!framing || !framing->promises)
        return;
    if (!wire_splitter_open(&line->requests, framing, RIG_PART)) {
        perror("robot_rig");
        exit(3);
    }
    wire_splitter_join(&line->requests, WIRE_TO_ROBOT, &line->promises, rig->type->packets);
}

void rig_rx(struct robot_rig *rig, unsigned channel, const uint8_t *bytes, size_t size)
{
    rig_around(rig, true);
    int64_t due_us = rig->type->rx(rig->state, channel, bytes, size, rig->now_us);
    rig_around(rig, false);
    rig_due(rig, due_us, rig->now_us - RIG_STEP_US + 1, "rx");
    rig_listen(rig, channel, bytes, size);
}

/* Replaces the process of a firmware: echoes, sends bytes on each channel, sets the motors, uses
 * its sensors. It has no memory, since a snapshot does not contain the memory of a process. */
static size_t rig_answer(void *context, const struct robot_question *question, uint8_t *out,
                         size_t room)
{
    struct robot_rig *rig = context;
    struct process_shape shape = process_shape_of(rig->type, &rig->body);
    struct process_question asked;
    struct process_answer answer = {.wait_us = 10 * RIG_STEP_US, .signal_count = 1};
    if (!process_question_read(&shape, question->bytes, question->size, &asked) ||
        room < PROCESS_ANSWER_MAX)
        rig_break(rig, "asks with %zu bytes that are no question", question->size);
    for (uint32_t i = 0; i < shape.sensor_count; i++)
        if (shape.eyes[i].width > 0 || shape.eyes[i].is_scanner)
            answer.observations[answer.observation_count++] =
                (struct process_observation){.sensor = i, .rays = shape.eyes[i].is_scanner ? 8 : 0};
    if (question->sight_count != (asked.is_start ? 0 : answer.observation_count))
        rig_break(rig, "shows %zu things", question->sight_count);
    for (size_t i = 0; i < shape.wheel_count; i++)
        answer.actuators.motor[i] = asked.now_us / 1000 % 2 == 0 ? 0.5 : -0.25;
    for (uint32_t i = 0; i < shape.channel_count; i++) {
        const struct process_channel *channel = &asked.channels[i];
        uint32_t most = shape.frame_max[i] < channel->size ? shape.frame_max[i] : channel->size;
        answer.frames[answer.frame_count++] = (struct process_frame){
            i, most > 0 ? most : 1, most > 0 ? channel->bytes : (const uint8_t *)"."};
    }
    answer.signals[0].value = asked.sensors.battery_charge;
    return process_answer_write(&shape, &answer, out);
}

static void rig_tick(struct robot_rig *rig)
{
    struct robot_tx tx = {.context = rig, .frame = rig_send, .queued = rig_queued};
    if (rig->type->program)
        tx.ask = rig_answer;
    rig_camera(rig);
    rig->sensors.rays = (struct robot_rays){rig, rig_cast};
    rig->sensors.cameras = (struct robot_cameras){rig, rig_take};
    rig_around(rig, true);
    int64_t due_us = rig->type->tick(rig->state, &rig->sensors, &rig->actuators, &tx, rig->now_us);
    rig_around(rig, false);
    rig_due(rig, due_us, rig->now_us + 1, "tick");
    rig_check_actuators(rig);
}

void rig_run(struct robot_rig *rig, int64_t duration_us)
{
    int64_t end_us = rig->now_us + duration_us;
    while (rig->now_us < end_us) {
        if (rig->now_us >= rig->due_us)
            rig_tick(rig);
        rig->now_us += RIG_STEP_US;
        rig_drive(rig);
    }
}

/* ---- Life ---- */

static void *rig_allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) {
        perror("robot_rig");
        exit(3);
    }
    return memory;
}

void rig_open(struct robot_rig *rig, const struct robot_type *type, uint64_t seed)
{
    *rig = (struct robot_rig){.type = type, .sent_hash = HASH_START};
    rig->options = rig_allocate(type->options_size + 1);
    rig->state = rig_allocate(type->state_size);
    rig_arguments(type->options, type->option_count, seed, rig->options);
    robot_type_body(type, rig->options, &rig->body);
    for (size_t i = 0; i < rig->body.sensor_count; i++) {
        const struct sensor_spec *spec = &rig->body.sensors[i];
        if (spec->kind == SENSOR_CAMERA && !rig->image)
            rig->image = rig_allocate((size_t)spec->width * spec->height * 3);
    }
    rig_reset(rig);
    for (unsigned channel = 0; channel < type->channel_count; channel++) {
        rig_open_line(rig, channel);
        rig_host(rig, channel, true);
    }
}

void rig_copy(struct robot_rig *to, const struct robot_rig *from)
{
    struct robot_rig own = *to;
    *to = *from;
    to->state = memcpy(own.state, from->state, from->type->state_size);
    to->options = own.options;
    to->image = own.image;
    for (size_t i = 0; i < ROBOT_CHANNELS_MAX; i++) {
        struct wire_splitter *requests = &to->lines[i].requests;
        if (!requests->framing)
            continue;
        requests->held = memcpy(own.lines[i].requests.held, requests->held, requests->used);
        requests->promises = &to->lines[i].promises;
    }
}

void rig_close(struct robot_rig *rig)
{
    for (unsigned channel = 0; channel < ROBOT_CHANNELS_MAX; channel++)
        wire_splitter_close(&rig->lines[channel].requests);
    free(rig->options);
    free(rig->state);
    free(rig->image);
    *rig = (struct robot_rig){0};
}

struct robot_stats *rig_stats(const struct robot_rig *rig, unsigned channel)
{
    return (struct robot_stats *)(void *)((char *)rig->state + rig->type->stats_offset) + channel;
}

bool rig_same_state(const struct robot_rig *a, const struct robot_rig *b)
{
    size_t start = a->type->stats_offset;
    size_t end = start + a->type->channel_count * sizeof(struct robot_stats);
    const char *left = a->state;
    const char *right = b->state;
    return memcmp(left, right, start) == 0 &&
           memcmp(left + end, right + end, a->type->state_size - end) == 0;
}
