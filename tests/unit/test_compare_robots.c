/* Recordings of the other robots compared with their virtual robots. Without a planted difference
 * the two are equal, and a planted difference is found and named. The recorded robot is a virtual
 * one that has run for some time. Its clock runs 200 ppm fast, and its bytes come in batches as
 * from a USB adapter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lab/compare/compare_page.h"
#include "app/record/capture_writer.h"
#include "base/modem_lines.h"
#include "protocols/cobot/cobot_wire.h"
#include "protocols/diff_board/diff_board_wire.h"
#include "protocols/epuck2/epuck2_wire.h"
#include "sim/parse/scene_parse.h"
#include "sim/sim.h"
#include "tests/support/folder.h"

enum { BEFORE_MS = 5000, LENGTH_MS = 16000, EVERY_MS = 100, FRAME_MAX = 512 };

/* Frames that a driver sends every 100 ms to move with FORWARD (mm/s) and TURN (mrad/s, left). */
typedef size_t drive_function(int forward, int turn, uint8_t out[FRAME_MAX]);

/* Changes a frame in place; false: the frame is lost. NUMBER counts the frames with the same ID. */
typedef bool plant_function(uint8_t *frame, unsigned number);

struct robot_case {
    const char *type;
    drive_function *drive;
};

static size_t wrap(const struct wire_framing *framing, const struct wire_packet *packet,
                   const void *message, uint8_t *out)
{
    uint8_t body[FRAME_MAX] = {0};
    return wire_frame_wrap(framing, packet, body, message ? wire_encode(packet, message, body) : 0,
                           out);
}

static size_t drive_cobot(int forward, int turn, uint8_t out[FRAME_MAX])
{
    const struct cobot_move move = {.x_sign = forward < 0,
                                    .x = (uint16_t)abs(forward),
                                    .turn_sign = turn < 0,
                                    .turn = (uint16_t)(abs(turn) / 10)};
    return wrap(&cobot_framing_to_robot, &cobot_motion_packet, &move, out);
}

static size_t drive_board(int forward, int turn, uint8_t out[FRAME_MAX])
{
    const struct diff_board_velocity velocity = {.v_liner_x = (int16_t)(forward / 10),
                                                 .v_angular_z = (int16_t)(turn / 10)};
    size_t size = wrap(&diff_board_framing, &diff_board_set_velocity_packet, &velocity, out);
    static const uint8_t asked[] = {DIFF_BOARD_ODOMETRY, DIFF_BOARD_IMU, DIFF_BOARD_ENCODERS};
    for (size_t i = 0; i < sizeof asked; i++)
        size += wrap(&diff_board_framing, diff_board_packet_find(WIRE_TO_ROBOT, asked[i]), NULL,
                     out + size);
    return size;
}

static size_t drive_epuck2(int forward, int turn, uint8_t out[FRAME_MAX])
{
    const struct epuck2_command command = {.request = 2,
                                           .left = (int16_t)(4 * forward - turn / 4),
                                           .right = (int16_t)(4 * forward + turn / 4)};
    return wrap(&epuck2_framing_to_robot, &epuck2_command_packet, &command, out);
}

/* A start, full mode, a stream of packets, and a drive command. */
static size_t drive_create2(int forward, int turn, uint8_t out[FRAME_MAX])
{
    static const uint8_t head[] = {128, 132, 148, 12, 7,  45, 46, 43, 44,
                                   22,  41,  42,  54, 55, 35, 21, 145};
    int left = forward - turn * 235 / 2000, right = forward + turn * 235 / 2000;
    const uint8_t speeds[] = {(uint8_t)(right >> 8 & 255), (uint8_t)(right & 255),
                              (uint8_t)(left >> 8 & 255), (uint8_t)(left & 255)};
    memcpy(out, head, sizeof head);
    memcpy(out + sizeof head, speeds, sizeof speeds);
    return sizeof head + sizeof speeds;
}

static const struct robot_case create2 = {"create2", drive_create2};
static const struct robot_case cobot = {"cobot", drive_cobot}, board = {"diff_board", drive_board},
                               epuck2 = {"epuck2", drive_epuck2};

/* ---- Recording ---- */

static struct folder folder;
static struct recording recording;
static struct trace ours;
static struct comparison found;

static struct scene *open_scene(const char *type)
{
    char text[256];
    struct error error = {0};
    int size = snprintf(text, sizeof text,
                        "world: {size: {x: 20, y: 20}}\n"
                        "robots: [{name: r, type: %s, pose: {x: 10, y: 10}}]\n",
                        type);
    struct scene *scene = scene_parse(text, (size_t)size, "case.yaml", &error);
    if (!scene)
        fail_msg("%s", error.text);
    return scene;
}

static int64_t clock_ns(double time_s)
{
    return INT64_C(1700000000000000000) + (int64_t)(time_s * (1 + 200e-6) * 1e9);
}

static void write_block(struct capture_writer *writer, enum capture_kind kind, double time_s,
                        const uint8_t *bytes, size_t size)
{
    capture_writer_add(writer, &(struct capture_block){.kind = kind,
                                                       .time_ns = clock_ns(time_s),
                                                       .lines = MODEM_HOST_LINES,
                                                       .bytes = bytes,
                                                       .size = size,
                                                       .comment = ""});
}

static void write_answer(struct capture_writer *writer, const struct wire_framing *framing,
                         plant_function *plant, double time_s, const uint8_t *bytes, size_t size)
{
    static unsigned numbers[256];
    uint8_t frame[FRAME_MAX];
    assert_true(size > 2 && size <= sizeof frame);
    memcpy(frame, bytes, size);
    // The ID follows the head or the length. Either byte distinguishes the packets of these robots.
    uint8_t id = frame[framing->id_at];
    if (time_s < 0.001 * EVERY_MS)
        memset(numbers, 0, sizeof numbers);
    if (plant && !plant(frame, numbers[id]++))
        return;
    for (int check = 0; framing->check != WIRE_CHECK_NONE && check < 256; check++) {
        frame[size - 1] = (uint8_t)check;
        if (wire_frame_is_good(framing, frame, size))
            break;
    }
    write_block(writer, CAPTURE_TO_HOST, ceil(time_s / 0.016) * 0.016, frame, size);
}

static void record(const struct robot_case *robot, plant_function *plant, char *path)
{
    static const int moves[][2] = {{0, 0}, {200, 0}, {100, 600}, {-150, 0}, {0, -800}, {150, 0}};
    struct error error = {0};
    struct scene *scene = open_scene(robot->type);
    const struct robot_type *type = scene->robots[0].type;
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    struct capture_writer *writer =
        capture_writer_open(folder_path(&folder, "real.pcapng", path), "--capture", &error);
    struct capture_interface interface = {.name = "real.x", .baud = 115200};
    assert_true(sim && writer);
    snprintf(interface.description, sizeof interface.description, "%s %s", type->name,
             type->channels[0].name);
    capture_writer_interface(writer, &interface);
    sim_host_present(sim, 0, true);
    for (int ms = -BEFORE_MS; ms < LENGTH_MS; ms++) {
        uint8_t command[FRAME_MAX];
        const uint8_t *bytes;
        size_t size;
        if (ms >= 0 && ms % EVERY_MS == 0) {
            const int *move = moves[ms / 3000 % 6];
            size = robot->drive(move[0], move[1], command);
            sim_host_bytes(sim, 0, command, size);
            write_block(writer, CAPTURE_TO_ROBOT, ms * 1e-3, command, size);
        }
        sim_step(sim);
        while (sim_output(sim, 0, &bytes, &size))
            if (ms >= 0)
                write_answer(writer, type->channels[0].frames[WIRE_TO_HOST], plant, ms * 1e-3,
                             bytes, size);
    }
    assert_true(capture_writer_close(writer, &error));
    sim_destroy(sim);
    scene_destroy(scene);
}

static void compare(const struct robot_case *robot, plant_function *plant)
{
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    struct scene *scene = open_scene(robot->type);
    record(robot, plant, path);
    if (!recording_read(&recording, path, &(struct block_format){0}, scene->robots[0].type, 0, "",
                        &error) ||
        !trace_run(&ours, &recording, scene, 0, &error))
        fail_msg("%s", error.text);
    assert_true(compare_traces(&found, &recording.trace, &ours, &(struct compare_options){0}));
    scene_destroy(scene);
}

/* ---- Reported differences ---- */

/* All differences must begin with ONLY, and their text must contain WHAT. ONLY NULL: there are no
 * differences. */
static void expect(const char *only, const char *what)
{
    char all[4096] = "";
    size_t used = 0, compared = 0;
    for (size_t i = 0; i < found.packet_count; i++)
        if (found.packets[i].is_beyond)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s: %s\n",
                                     found.packets[i].wire->name, found.packets[i].why);
    for (size_t i = 0; i < found.field_count; i++) {
        char name[160];
        compared += found.fields[i].pairs > 100;
        if (!found.fields[i].is_beyond)
            continue;
        compare_field_name(&found, &found.fields[i], name, sizeof name);
        used +=
            (size_t)snprintf(all + used, sizeof all - used, "%s: %s\n", name, found.fields[i].why);
    }
    assert_true(compared >= 8);
    if (!only && *all)
        fail_msg("nothing was planted, but:\n%s", all);
    if (only && !strstr(all, what))
        fail_msg("\"%s\" is not told in:\n%s", what, all);
    for (const char *line = all; *line; line = strchr(line, '\n') + 1)
        if (strncmp(line, only, strlen(only)) != 0)
            fail_msg("more than %s differs:\n%s", only, all);
}

static void equal_robots_do_not_differ(void **state)
{
    compare(*state, NULL);
    expect(NULL, NULL);
}

static void put_big(uint8_t *at, int value)
{
    at[0] = (uint8_t)((unsigned)value >> 8);
    at[1] = (uint8_t)value;
}

static void put_little(uint8_t *at, int value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)((unsigned)value >> 8);
}

/* FD, length, function, x sign, x ... */
static bool slow_velocity(uint8_t *frame, unsigned number)
{
    (void)number;
    if (frame[2] == 0x02)
        put_big(frame + 4, (frame[4] << 8 | frame[5]) * 7 / 10);
    return true;
}

static bool mirrored_yaw(uint8_t *frame, unsigned number)
{
    (void)number;
    if (frame[2] == 0x05)
        frame[9] ^= 1;
    return true;
}

static bool lost_imu(uint8_t *frame, unsigned number)
{
    return frame[2] != 0x06 || number % 200 != 100;
}

static void a_cobot_is_distinguished_from_another(void **state)
{
    compare(*state, slow_velocity);
    expect("velocity.x", "velocity.x: scale: 0.69");
}

static void a_cobots_sign_is_reported_with_its_amount(void **state)
{
    compare(*state, mirrored_yaw);
    expect("attitude.yaw", "attitude.yaw: sign reversed");
}

static void a_cobots_lost_packets_are_reported(void **state)
{
    compare(*state, lost_imu);
    expect("imu", "missing");
}

/* 5A, id, length, three speeds, x of four bytes ... */
static bool long_way(uint8_t *frame, unsigned number)
{
    (void)number;
    int way = (int16_t)(frame[9] | frame[10] << 8);
    if (frame[1] == DIFF_BOARD_ODOMETRY) {
        put_little(frame + 9, way * 5 / 4);
        frame[11] = frame[12] = way < 0 ? 0xFF : 0;
    }
    return true;
}

static void a_board_is_distinguished_from_another(void **state)
{
    compare(*state, long_way);
    expect("odometry.x", "odometry.x: scale: 1.2");
}

static bool swapped_rate(uint8_t *frame, unsigned number)
{
    (void)number;
    enum {
        GYRO_Z = 1 + 3 * 2 + 3 * 4 + 2 + 2
    }; // ID, three axes, three values calculated from them, x, y
    uint8_t low = frame[GYRO_Z];
    frame[GYRO_Z] = frame[GYRO_Z + 1];
    frame[GYRO_Z + 1] = low;
    return true;
}

static void an_epuck2_is_distinguished_from_another(void **state)
{
    compare(*state, swapped_rate);
    expect("sensors.gyro_z", "byte order");
}

/* Sets bumpers, the light bumper bits and its left signal as at a wall. */
static bool at_a_wall(uint8_t *frame, unsigned number)
{
    (void)number;
    assert_true(frame[2] == 7 && frame[4] == 45 && frame[6] == 46);
    frame[3] = 3;
    frame[5] = 1;
    put_big(frame + 7, 900);
    return true;
}

static void the_room_of_a_create2_is_left_out(void **state)
{
    compare(*state, at_a_wall);
    expect(NULL, NULL);
    compare_free(&found);
    assert_true(compare_traces(&found, &recording.trace, &ours,
                               &(struct compare_options){.has_room = true}));
    assert_int_equal(found.beyond, 3);
}

static bool short_way(uint8_t *frame, unsigned number)
{
    (void)number;
    assert_true(frame[9] == 43);
    put_big(frame + 10, (int16_t)(frame[10] << 8 | frame[11]) * 8 / 10);
    return true;
}

static void a_create2_is_distinguished_from_another(void **state)
{
    compare(*state, short_way);
    expect("encoder_left", "scale: 0.8");
}

static int set_up(void **state)
{
    (void)state;
    folder_make(&folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    compare_free(&found);
    trace_free(&ours);
    recording_free(&recording);
    folder_remove(&folder);
    return 0;
}

#define TEST(test, robot)                                                                          \
    {                                                                                              \
        .name = #test " " #robot, .test_func = test, .setup_func = set_up,                         \
        .teardown_func = tear_down, .initial_state = (void *)(uintptr_t) & (robot)                 \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equal_robots_do_not_differ, cobot),
        TEST(equal_robots_do_not_differ, board),
        TEST(equal_robots_do_not_differ, epuck2),
        TEST(equal_robots_do_not_differ, create2),
        TEST(the_room_of_a_create2_is_left_out, create2),
        TEST(a_create2_is_distinguished_from_another, create2),
        TEST(a_cobot_is_distinguished_from_another, cobot),
        TEST(a_cobots_sign_is_reported_with_its_amount, cobot),
        TEST(a_cobots_lost_packets_are_reported, cobot),
        TEST(a_board_is_distinguished_from_another, board),
        TEST(an_epuck2_is_distinguished_from_another, epuck2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
