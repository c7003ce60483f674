/* The bench of the Kobuki's tests. */
#include "tests/unit/kobuki_bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/kobuki/kobuki_wire.h"
#include "protocols/registry.h"

/* ---- The wire ---- */

static bool bench_frame_in(void *context, unsigned channel, const uint8_t *bytes, size_t size)
{
    struct bench *bench = context;
    assert_int_equal(channel, 0);
    if (bench->is_full)
        return false;
    assert_in_range(bench->frame_count, 0, BENCH_FRAMES_MAX - 1);
    assert_in_range(size, 1, BENCH_FRAME_BYTES);
    struct bench_frame *frame = &bench->frames[bench->frame_count++];
    frame->at_us = bench->now_us;
    frame->size = size;
    memcpy(frame->bytes, bytes, size);
    return true;
}

static size_t bench_queued(void *context, unsigned channel)
{
    (void)context;
    (void)channel;
    return 0;
}

/* ---- Power on ---- */

/* Sets the option that a text "key=value" names. */
static void set_text(const struct option_row *rows, size_t count, void *out, const char *text)
{
    char key[64];
    const char *equals = strchr(text, '=');
    assert_non_null(equals);
    snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
    const struct option_row *row = option_find(rows, count, key);
    struct error error;
    if (!row || !option_set(row, equals + 1, out, &error))
        fail_msg("%s", row ? error.text : key);
}

void bench_open(struct bench *bench, ...)
{
    const struct robot_type *type = &kobuki_type;
    memset(bench, 0, sizeof *bench);
    bench->frames = calloc(BENCH_FRAMES_MAX, sizeof *bench->frames);
    bench->state = malloc(type->state_size);
    assert_non_null(bench->frames);
    assert_non_null(bench->state);
    memset(bench->state, 0xA5, type->state_size);

    option_defaults(type->options, type->option_count, &bench->options);
    static const char *const quiet[] = {"noise=off", "gyro_bias_x=0", "gyro_bias_y=0",
                                        "gyro_bias_z=0"};
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
        set_text(type->options, type->option_count, &bench->options, quiet[i]);
    va_list texts;
    va_start(texts, bench);
    for (const char *text; (text = va_arg(texts, const char *)) != NULL;)
        set_text(type->options, type->option_count, &bench->options, text);
    va_end(texts);

    robot_type_body(type, &bench->options, &bench->body);
    bench->sensors.battery_charge = robot_start_charge(type, &bench->options);
    for (int i = KOBUKI_CLIFF_RIGHT; i <= KOBUKI_CLIFF_LEFT; i++)
        bench->sensors.sensor[i].distance_m = bench->body.sensors[i].z_m;
    struct robot_start start = {.options = &bench->options, .rng_key = 1234};
    bench->due_us = type->reset(bench->state, &start);
}

void bench_close(struct bench *bench)
{
    free(bench->state);
    free(bench->frames);
}

/* ---- Time ---- */

/* One wheel for one step: a DC motor, dry friction, half the robot's mass. */
static void wheel_turn(struct bench *bench, int wheel, double step_s)
{
    const struct robot_body *body = &bench->body;
    double radius_m = body->wheels[wheel].radius_m;
    double inertia = body->wheel_inertia_kg_m2 + 0.5 * body->mass_kg * radius_m * radius_m;
    double speed = bench->sensors.wheel_rad_s[wheel];
    bool is_free = bench->actuators.motor_free[wheel];
    double volts = bench->actuators.motor[wheel] * body->supply_v;
    double emf = body->emf_v_s_rad * body->gear * speed;
    double amps = is_free ? 0 : (volts - emf) / body->resistance_ohm;
    double push = body->torque_nm_a * body->gear * amps;
    double friction = body->torque_nm_a * body->gear * body->idle_a;

    bench->sensors.motor_a[wheel] = amps;
    double next = 0;
    if (speed != 0 || fabs(push) > friction) {
        double against = speed != 0 ? copysign(friction, speed) : copysign(friction, push);
        next = speed + (push - against) / inertia * step_s;
        next = speed * next < 0 ? 0 : next;
    }
    next = bench->is_jammed[wheel] ? 0 : next;
    bench->sensors.wheel_rad_s[wheel] = next;
    bench->sensors.wheel_rad[wheel] += next * step_s;
}

void bench_run(struct bench *bench, int milliseconds)
{
    const struct robot_tx tx = {.context = bench, .frame = bench_frame_in, .queued = bench_queued};
    for (int i = 0; i < milliseconds; i++) {
        for (int k = 0; k < 10 && !bench->is_plain; k++) {
            wheel_turn(bench, KOBUKI_LEFT, 1e-4);
            wheel_turn(bench, KOBUKI_RIGHT, 1e-4);
        }
        bench->now_us += 1000;
        if (bench->now_us >= bench->due_us) {
            bench->due_us = kobuki_type.tick(bench->state, &bench->sensors, &bench->actuators, &tx,
                                             bench->now_us);
            assert_true(bench->due_us > bench->now_us);
        }
    }
}

/* ---- The host ---- */

size_t bench_bytes(const char *hex, uint8_t *bytes, size_t max)
{
    size_t count = 0;
    while (*hex != '\0') {
        char digits[3] = {hex[0], hex[1], '\0'};
        char *end;
        assert_true(count < max);
        bytes[count++] = (uint8_t)strtoul(digits, &end, 16);
        assert_true(end == digits + 2);
        hex += 2;
        hex += *hex == ' ' ? 1 : 0;
    }
    return count;
}

static void bench_give(struct bench *bench, const uint8_t *bytes, size_t size)
{
    bench->due_us = kobuki_type.rx(bench->state, 0, bytes, size, bench->now_us);
}

void bench_send(struct bench *bench, const char *hex)
{
    uint8_t bytes[1024];
    size_t size = bench_bytes(hex, bytes, sizeof bytes);
    bench_give(bench, bytes, size);
}

void bench_send_packet(struct bench *bench, const struct wire_packet *packet, const void *message)
{
    struct kobuki_frame frame;
    kobuki_frame_begin(&frame);
    kobuki_frame_add(&frame, packet, message);
    kobuki_frame_end(&frame);
    bench_give(bench, frame.bytes, frame.size);
}

void bench_base(struct bench *bench, int speed, int radius)
{
    struct kobuki_base_control base = {(int16_t)speed, (int16_t)radius};
    bench_send_packet(bench, &kobuki_base_control_packet, &base);
}

void bench_drive(struct bench *bench, int speed, int radius, int milliseconds)
{
    for (int i = 0; i < milliseconds; i += 20) {
        bench_base(bench, speed, radius);
        bench_run(bench, 20);
    }
}

static const struct command_row *command_row(const char *name)
{
    for (size_t i = 0; i < kobuki_type.command_count; i++)
        if (strcmp(kobuki_type.commands[i].name, name) == 0)
            return &kobuki_type.commands[i];
    fail_msg("no command %s", name);
    return NULL;
}

void bench_command(struct bench *bench, const char *name, ...)
{
    const struct command_row *row = command_row(name);
    union {
        double align;
        char bytes[ROBOT_ARGS_MAX];
    } args = {0};
    option_defaults(row->args, row->arg_count, &args);
    va_list texts;
    va_start(texts, name);
    for (const char *text; (text = va_arg(texts, const char *)) != NULL;)
        set_text(row->args, row->arg_count, &args, text);
    va_end(texts);
    struct error error;
    assert_true(row->run(bench->state, &args, bench->now_us, &error));
}

/* ---- Looking ---- */

double bench_signal(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < kobuki_type.signal_count; i++)
        if (strcmp(kobuki_type.signals[i].name, name) == 0)
            return robot_signal(&kobuki_type.signals[i], bench->state);
    fail_msg("no signal %s", name);
    return 0;
}

const struct robot_stats *bench_stats(const struct bench *bench)
{
    const char *state = bench->state;
    return (const void *)(state + kobuki_type.stats_offset);
}

const struct bench_frame *bench_last(const struct bench *bench)
{
    assert_true(bench->frame_count > 0);
    return &bench->frames[bench->frame_count - 1];
}

struct found {
    uint8_t id;
    const uint8_t *body;
    size_t size;
    char ids[128];
};

static void visit(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                  size_t size)
{
    struct found *found = user;
    assert_non_null(packet);
    size_t used = strlen(found->ids);
    snprintf(found->ids + used, sizeof found->ids - used, used ? " %d" : "%d", id);
    if (id == found->id) {
        found->body = body;
        found->size = size;
    }
}

const uint8_t *bench_part(const struct bench_frame *frame, uint8_t id, size_t *size)
{
    struct found found = {.id = id};
    assert_true(
        robot_walk(&kobuki_type, 0, WIRE_TO_HOST, 0, frame->bytes, frame->size, visit, &found));
    *size = found.size;
    return found.body;
}

const char *bench_ids(const struct bench_frame *frame)
{
    static struct found found;
    memset(&found, 0, sizeof found);
    assert_true(
        robot_walk(&kobuki_type, 0, WIRE_TO_HOST, 0, frame->bytes, frame->size, visit, &found));
    return found.ids;
}

void bench_read(const struct bench *bench, const struct wire_packet *packet, void *message)
{
    size_t size;
    const uint8_t *body = bench_part(bench_last(bench), packet->id, &size);
    assert_non_null(body);
    assert_true(wire_decode(packet, body, size, message));
}

struct kobuki_basic bench_basic(const struct bench *bench)
{
    struct kobuki_basic basic;
    bench_read(bench, &kobuki_basic_packet, &basic);
    return basic;
}
