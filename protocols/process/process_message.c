#include "protocols/process/process_message.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/array.h"

/* ---- Numbers of 64 bits, reading and writing ---- */

static void put_i64(struct wire_cursor *at, int64_t value)
{
    wire_put_u32(at, (uint32_t)(uint64_t)value);
    wire_put_u32(at, (uint32_t)((uint64_t)value >> 32));
}

static int64_t get_i64(struct wire_cursor *at)
{
    uint64_t low = wire_get_u32(at);
    return (int64_t)(low | (uint64_t)wire_get_u32(at) << 32);
}

static void put_f64(struct wire_cursor *at, double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_i64(at, bits);
}

static double get_f64(struct wire_cursor *at)
{
    int64_t bits = get_i64(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_bytes(struct wire_cursor *at, const uint8_t *bytes, size_t size)
{
    at->ok = at->ok && size <= at->size - at->at;
    if (!at->ok)
        return;
    memcpy(at->bytes + at->at, bytes, size);
    at->at += size;
}

static const uint8_t *get_bytes(struct wire_cursor *at, size_t size)
{
    at->ok = at->ok && size <= at->size - at->at;
    if (!at->ok)
        return NULL;
    at->at += size;
    return at->bytes + at->at - size;
}

/* ---- A question. One list of its numbers is used for reading and writing. ---- */

struct side {
    struct wire_cursor at;
    bool is_reading;
};

static void f64(struct side *side, double *value)
{
    if (side->is_reading)
        *value = get_f64(&side->at);
    else
        put_f64(&side->at, *value);
}

static void f64s(struct side *side, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        f64(side, &values[i]);
}

static void i64(struct side *side, int64_t *value)
{
    if (side->is_reading)
        *value = get_i64(&side->at);
    else
        put_i64(&side->at, *value);
}

static void u32(struct side *side, uint32_t *value)
{
    if (side->is_reading)
        *value = wire_get_u32(&side->at);
    else
        wire_put_u32(&side->at, *value);
}

static void flag(struct side *side, bool *value)
{
    uint32_t number = side->is_reading ? 0 : *value; // what is read over need not be a bool
    u32(side, &number);
    *value = number != 0;
}

static void sense(struct side *side, const struct process_shape *shape,
                  struct robot_sensors *sensors)
{
    size_t wheels = shape->wheel_count;
    f64s(side, sensors->wheel_rad, wheels);
    f64s(side, sensors->wheel_rad_s, wheels);
    f64s(side, sensors->motor_a, wheels);
    for (size_t i = 0; i < wheels; i++)
        flag(side, &sensors->wheel_dropped[i]);
    f64(side, &sensors->steer_rad);
    f64s(side, sensors->gyro_rad_s, COUNT(sensors->gyro_rad_s));
    f64s(side, sensors->accel_m_s2, COUNT(sensors->accel_m_s2));
    f64(side, &sensors->roll_rad);
    f64(side, &sensors->pitch_rad);
    f64(side, &sensors->yaw_rad);
    f64s(side, sensors->field_ut, COUNT(sensors->field_ut));
    f64(side, &sensors->temperature_c);
    f64(side, &sensors->battery_charge);
    uint32_t charger = side->is_reading ? 0 : sensors->charger;
    u32(side, &charger);
    sensors->charger = (enum charger_kind)charger;
    u32(side, &sensors->bumpers);
    u32(side, &sensors->buttons);
    for (size_t i = 0; i < shape->sensor_count; i++) {
        f64(side, &sensors->sensor[i].distance_m);
        f64(side, &sensors->sensor[i].reflectance);
        f64(side, &sensors->sensor[i].level);
        u32(side, &sensors->sensor[i].beams);
    }
}

static void hear(struct side *side, struct process_channel *channel)
{
    u32(side, &channel->is_present);
    u32(side, &channel->lines);
    u32(side, &channel->queued);
    u32(side, &channel->size);
    side->at.ok = side->at.ok && channel->size <= PROCESS_INBOX_MAX;
    if (!side->is_reading) {
        put_bytes(&side->at, channel->bytes, channel->size);
        return;
    }
    const uint8_t *bytes = get_bytes(&side->at, channel->size);
    if (bytes)
        memcpy(channel->bytes, bytes, channel->size);
}

static void ask(struct side *side, const struct process_shape *shape,
                struct process_question *question)
{
    i64(side, &question->now_us);
    i64(side, &question->power_us);
    flag(side, &question->is_start);
    sense(side, shape, &question->sensors);
    for (size_t i = 0; i < shape->channel_count; i++)
        hear(side, &question->channels[i]);
    u32(side, &question->command_count);
    side->at.ok = side->at.ok && question->command_count <= PROCESS_COMMANDS_MAX;
    for (size_t i = 0; side->at.ok && i < question->command_count; i++) {
        u32(side, &question->commands[i].index);
        f64s(side, question->commands[i].numbers, PROCESS_NUMBERS_MAX);
    }
}

size_t process_question_write(const struct process_shape *shape,
                              const struct process_question *question,
                              uint8_t out[PROCESS_QUESTION_MAX])
{
    struct side side = {.at = {.bytes = out, .size = PROCESS_QUESTION_MAX, .ok = true}};
    ask(&side, shape, (struct process_question *)question); /* not changed in this direction */
    assert(side.at.ok);
    return side.at.at;
}

int64_t process_question_time(const uint8_t *bytes)
{
    struct wire_cursor at = {.bytes = (uint8_t *)bytes, .size = sizeof(int64_t), .ok = true};
    return get_i64(&at);
}

bool process_question_read(const struct process_shape *shape, const uint8_t *bytes, size_t size,
                           struct process_question *question)
{
    struct side side = {.at = {.bytes = (uint8_t *)bytes, .size = size, .ok = true},
                        .is_reading = true};
    ask(&side, shape, question);
    return side.at.ok && side.at.at == size;
}

/* ---- Pictures and scans for the process ---- */

static size_t pixel_bytes(const struct robot_image *image)
{
    return (size_t)image->width * image->height * 3;
}

size_t process_sights_write(const struct robot_sight *sights, size_t count, uint8_t *out)
{
    enum { HEAD = 16, RAY = 24 };
    size_t size = count > 0 ? 4 : 0;
    for (size_t i = 0; i < count; i++)
        size += HEAD + pixel_bytes(&sights[i].image) + sights[i].echo_count * RAY;
    struct wire_cursor at = {.bytes = out, .size = size, .ok = size > 0 && out};
    wire_put_u32(&at, (uint32_t)count);
    for (size_t i = 0; at.ok && i < count; i++) {
        const struct robot_sight *sight = &sights[i];
        wire_put_u32(&at, (uint32_t)sight->sensor);
        wire_put_u32(&at, sight->image.width);
        wire_put_u32(&at, sight->image.height);
        wire_put_u32(&at, (uint32_t)sight->echo_count);
        if (sight->image.rgb)
            put_bytes(&at, sight->image.rgb, pixel_bytes(&sight->image));
        for (size_t k = 0; k < sight->echo_count; k++) {
            put_f64(&at, sight->echoes[k].distance_m);
            put_f64(&at, sight->echoes[k].reflectance);
            put_f64(&at, sight->echoes[k].cosine);
        }
    }
    return size;
}

/* ---- An answer. One list is used for reading and writing. ---- */

/* A number that has 64 bits in the struct and 32 bits in the message. */
static void small(struct side *side, int64_t *value)
{
    uint32_t number = side->is_reading ? 0 : (uint32_t)*value;
    u32(side, &number);
    if (side->is_reading)
        *value = number;
}

/* The number of following elements, each of at least SIZE bytes. */
static void count(struct side *side, uint32_t *value, uint32_t most, size_t size)
{
    u32(side, value);
    side->at.ok = side->at.ok && *value <= most && *value * size <= side->at.size - side->at.at;
    if (side->is_reading && !side->at.ok)
        *value = 0;
}

static void act(struct side *side, const struct process_shape *shape, struct robot_actuators *does)
{
    for (size_t i = 0; i < shape->wheel_count; i++) {
        f64(side, &does->motor[i]);
        flag(side, &does->motor_free[i]);
    }
    f64(side, &does->steer_rad);
    f64s(side, does->aim_rad, shape->sensor_count);
    f64(side, &does->sound_hz);
    f64(side, &does->sound_level);
    f64(side, &does->charge_rate_1_s);
    for (size_t i = 0; i < shape->channel_count; i++)
        u32(side, &does->baud[i]);
}

static void say(struct side *side, struct process_frame *frame)
{
    u32(side, &frame->channel);
    u32(side, &frame->size);
    if (side->is_reading)
        frame->bytes = get_bytes(&side->at, frame->size);
    else
        put_bytes(&side->at, frame->bytes, frame->size);
}

static void observe(struct side *side, struct process_observation *observation)
{
    u32(side, &observation->sensor);
    small(side, &observation->width);
    small(side, &observation->rays);
    f64(side, &observation->from_rad);
    f64(side, &observation->to_rad);
}

static void answer_of(struct side *side, const struct process_shape *shape,
                      struct process_answer *answer)
{
    i64(side, &answer->wait_us);
    act(side, shape, &answer->actuators);
    count(side, &answer->signal_count, COUNT(answer->signals), 12);
    for (size_t i = 0; i < answer->signal_count; i++) {
        u32(side, &answer->signals[i].index);
        f64(side, &answer->signals[i].value);
    }
    count(side, &answer->frame_count, COUNT(answer->frames), 8);
    for (size_t i = 0; i < answer->frame_count; i++)
        say(side, &answer->frames[i]);
    // May be missing: a firmware that requests nothing does not need them.
    if (side->is_reading ? !side->at.ok || side->at.at == side->at.size
                         : answer->observation_count == 0)
        return;
    count(side, &answer->observation_count, COUNT(answer->observations), 28);
    side->at.ok = side->at.ok && answer->observation_count > 0;
    for (size_t i = 0; i < answer->observation_count; i++)
        observe(side, &answer->observations[i]);
}

size_t process_answer_write(const struct process_shape *shape, const struct process_answer *answer,
                            uint8_t out[PROCESS_ANSWER_MAX])
{
    struct side side = {.at = {.bytes = out, .size = PROCESS_ANSWER_MAX, .ok = true}};
    answer_of(&side, shape, (struct process_answer *)answer); /* not changed in this direction */
    return side.at.ok ? side.at.at : 0;
}

bool process_answer_read(const struct process_shape *shape, const uint8_t *bytes, size_t size,
                         struct process_answer *answer, struct error *error)
{
    struct side side = {.at = {.bytes = (uint8_t *)bytes, .size = size, .ok = true},
                        .is_reading = true};
    memset(answer, 0, offsetof(struct process_answer, frames));
    answer_of(&side, shape, answer);
    if (!side.at.ok || side.at.at != size)
        return error_set(error, "an answer of %zu bytes that %s", size,
                         side.at.ok ? "has bytes after its end"
                                    : "is cut off, or a count in it is too large");
    return process_answer_check(shape, answer, error);
}

/* ---- Allowed values ---- */

static bool check_range(const char *name, double value, double low, double high,
                        struct error *error)
{
    return (value >= low && value <= high) ||
           error_set(error, "%s is %g; allowed: %g .. %g", name, value, low, high);
}

static bool check_actuators(const struct process_shape *shape, const struct robot_actuators *does,
                            struct error *error)
{
    /* Chosen: the limit for steppers (rad/s) is above the speed of all wheels, that for sound (Hz)
     * above the range of hearing. */
    const double motor_max = shape->is_dc ? 1 : 1e4, sound_max = 1e5;
    for (size_t i = 0; i < shape->wheel_count; i++)
        if (!check_range("motor", does->motor[i], -motor_max, motor_max, error))
            return error_prefix(error, "wheel %zu: ", i);
    for (size_t i = 0; i < shape->sensor_count; i++)
        if (!check_range("aim_rad", does->aim_rad[i], -10, 10, error))
            return error_prefix(error, "sensor %zu: ", i);
    return check_range("steer_rad", does->steer_rad, -10, 10, error) &&
           check_range("sound_hz", does->sound_hz, 0, sound_max, error) &&
           check_range("sound_level", does->sound_level, 0, 1, error) &&
           check_range("charge_rate_1_s", does->charge_rate_1_s, -1, 1, error);
}

static bool check_frame(const struct process_shape *shape, const struct process_frame *frame,
                        struct error *error)
{
    if (frame->channel >= shape->channel_count)
        return error_set(error, "bytes for channel %u, but there are %u channels", frame->channel,
                         shape->channel_count);
    return (frame->size > 0 && frame->size <= shape->frame_max[frame->channel]) ||
           error_set(error, "%u bytes at once for channel %u; allowed: 1 .. %u", frame->size,
                     frame->channel, shape->frame_max[frame->channel]);
}

static bool check_count(const char *name, int64_t value, int64_t low, int64_t high,
                        struct error *error)
{
    return (value >= low && value <= high) ||
           error_set(error, "%s is %lld; allowed: %lld .. %lld", name, (long long)value,
                     (long long)low, (long long)high);
}

static bool check_observation(const struct process_eye *eye,
                              const struct process_observation *observation, struct error *error)
{
    if (eye->is_scanner)
        return check_count("width, of a scanner,", observation->width, 0, 0, error) &&
               check_count("rays", observation->rays, 1, PROCESS_RAYS_MAX, error) &&
               check_range("from_rad", observation->from_rad, -10, 10, error) &&
               check_range("to_rad", observation->to_rad, -10, 10, error);
    if (eye->width == 0)
        return error_set(
            error,
            "not a camera or scanner; each question contains the readings of the other sensors");
    return check_count("width", observation->width, 0, eye->width, error) &&
           check_count("rays, of a camera,", observation->rays, 0, 0, error);
}

/* Checks the total size of the requested observations. */
static bool check_sum(const struct process_shape *shape, const struct process_answer *answer,
                      struct error *error)
{
    uint64_t pixels = 0, rays = 0;
    for (size_t i = 0; i < answer->observation_count; i++) {
        const struct process_observation *observation = &answer->observations[i];
        const struct process_eye *eye = &shape->eyes[observation->sensor];
        rays += (uint64_t)observation->rays;
        if (eye->is_scanner)
            continue;
        uint32_t width = observation->width > 0 ? (uint32_t)observation->width : eye->width;
        pixels += (uint64_t)width * robot_image_rows(width, eye->width, eye->height);
    }
    if (pixels > PROCESS_PIXELS_MAX)
        return error_set(error,
                         "observe: images of %llu pixels; allowed: %d per answer. Use a "
                         "smaller width",
                         (unsigned long long)pixels, PROCESS_PIXELS_MAX);
    return rays <= PROCESS_RAYS_MAX ||
           error_set(error, "observe: %llu rays; allowed: %d per answer", (unsigned long long)rays,
                     PROCESS_RAYS_MAX);
}

static bool check_observations(const struct process_shape *shape,
                               const struct process_answer *answer, struct error *error)
{
    for (size_t i = 0; i < answer->observation_count; i++) {
        const struct process_observation *observation = &answer->observations[i];
        if (observation->sensor >= shape->sensor_count)
            return error_set(error, "observe: sensor %u does not exist; the robot has %u sensors",
                             observation->sensor, shape->sensor_count);
        for (size_t k = 0; k < i; k++)
            if (answer->observations[k].sensor == observation->sensor)
                return error_set(error, "observe: sensor %u: twice; allowed: once per answer",
                                 observation->sensor);
        if (!check_observation(&shape->eyes[observation->sensor], observation, error))
            return error_prefix(error, "observe: sensor %u: ", observation->sensor);
    }
    return check_sum(shape, answer, error);
}

bool process_answer_check(const struct process_shape *shape, const struct process_answer *answer,
                          struct error *error)
{
    static const int64_t wait_max_us = INT64_C(3600000000); /* an hour; chosen */
    if (answer->wait_us != ROBOT_NEVER && (answer->wait_us < 1 || answer->wait_us > wait_max_us))
        return error_set(error, "wait_us is %lld; allowed: 1 .. %lld, or never",
                         (long long)answer->wait_us, (long long)wait_max_us);
    for (size_t i = 0; i < answer->signal_count; i++) {
        if (answer->signals[i].index >= shape->signal_count)
            return error_set(error, "signal %u does not exist; the robot has %u signals, from 0",
                             answer->signals[i].index, shape->signal_count);
        if (!isfinite(answer->signals[i].value))
            return error_set(error, "the value of signal %u is not a finite number",
                             answer->signals[i].index);
    }
    for (size_t i = 0; i < answer->frame_count; i++)
        if (!check_frame(shape, &answer->frames[i], error))
            return false;
    return check_observations(shape, answer, error) &&
           check_actuators(shape, &answer->actuators, error);
}
