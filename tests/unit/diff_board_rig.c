#include "tests/unit/diff_board_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char big_room[] = "name: big room\n"
                               "seed: 7\n"
                               "world: {size: {x: 40, y: 40}}\n"
                               "robots:\n"
                               "  - name: board\n"
                               "    type: diff_board\n"
                               "    pose: {x: 20, y: 20, heading: 0}\n"
                               "    links: [{pty: board}]\n"
                               "    options:\n"
                               "      accel_noise_m_s2: 0\n"
                               "      gyro_noise_rad_s: 0\n"
                               "      field_noise_mg: 0\n"
                               "      gyro_bias_rad_s: 0\n";

void board_open(struct board *board, const char *const *options)
{
    board->count = 0;
    board->rig = rig_open_scene(big_room, options);
    board_run(board, 1);
}

void board_close(struct board *board)
{
    rig_close(&board->rig);
}

void board_run(struct board *board, int milliseconds)
{
    struct sim *sim = board->rig.sim;
    const uint8_t *bytes;
    size_t size;
    for (int i = 0; i < milliseconds; i++) {
        sim_step(sim);
        while (sim_output(sim, board->rig.channel, &bytes, &size)) {
            assert_in_range(board->count, 0, BOARD_FRAMES_MAX - 1);
            struct board_frame *frame = &board->frames[board->count++];
            assert_in_range(size, 4, sizeof frame->bytes);
            frame->at_us = sim_now_us(sim);
            frame->size = size;
            memcpy(frame->bytes, bytes, size);
        }
    }
}

/* ---- To the board ---- */

static uint8_t sum(const uint8_t *bytes, size_t size)
{
    unsigned total = 0;
    for (size_t i = 0; i < size; i++)
        total += bytes[i];
    return (uint8_t)(total & 0xff);
}

void board_write(struct board *board, const uint8_t *bytes, size_t size)
{
    assert_true(sim_host_room(board->rig.sim, board->rig.channel) >= size);
    sim_host_bytes(board->rig.sim, board->rig.channel, bytes, size);
}

static size_t from_hex(const char *hex, uint8_t *bytes, size_t cap)
{
    size_t size = 0;
    unsigned byte;
    for (int used; sscanf(hex, "%2x%n", &byte, &used) == 1; hex += used) {
        assert_in_range(size, 0, cap - 1);
        bytes[size++] = (uint8_t)byte;
    }
    return size;
}

void board_write_hex(struct board *board, const char *hex)
{
    uint8_t bytes[1024];
    board_write(board, bytes, from_hex(hex, bytes, sizeof bytes));
}

void board_send(struct board *board, uint8_t id, const uint8_t *body, size_t size)
{
    uint8_t frame[259] = {0x5a, id, (uint8_t)size};
    if (size > 0)
        memcpy(frame + 3, body, size);
    frame[3 + size] = sum(frame, 3 + size);
    board_write(board, frame, size + 4);
}

void board_velocity(struct board *board, int vx_cm_s, int vy_cm_s, int wz)
{
    const int values[] = {vx_cm_s, vy_cm_s, wz};
    uint8_t body[6];
    for (size_t i = 0; i < 3; i++) {
        body[2 * i] = (uint8_t)(values[i] & 0xff);
        body[2 * i + 1] = (uint8_t)(values[i] >> 8 & 0xff);
    }
    board_send(board, 4, body, sizeof body);
}

void board_drive(struct board *board, int vx_cm_s, int vy_cm_s, int wz, int milliseconds)
{
    for (int done = 0; done < milliseconds; done += 100) {
        board_velocity(board, vx_cm_s, vy_cm_s, wz);
        board_run(board, 100);
        board->count = 0;
    }
}

/* ---- From the board ---- */

const uint8_t *board_ask(struct board *board, uint8_t id, size_t size)
{
    board->count = 0;
    board_send(board, id, NULL, 0);
    for (int i = 0; i < 150 && board->count == 0; i++)
        board_run(board, 1);
    const struct board_frame *frame = &board->frames[0];
    assert_int_equal(board->count, 1);
    assert_int_equal(frame->size, size + 4);
    assert_int_equal(frame->bytes[0], 0x5a);
    assert_int_equal(frame->bytes[1], id);
    assert_int_equal(frame->bytes[2], size);
    assert_int_equal(frame->bytes[size + 3], sum(frame->bytes, size + 3));
    return frame->bytes + 3;
}

int32_t board_i32(const uint8_t *bytes)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++)
        bits |= (uint32_t)bytes[i] << (8 * i);
    return (int32_t)bits;
}

float board_f32(const uint8_t *bytes)
{
    int32_t bits = board_i32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int i16(const uint8_t *bytes)
{
    return (int16_t)(uint16_t)(bytes[0] | bytes[1] << 8);
}

struct board_odometry board_odometry(struct board *board)
{
    const uint8_t *body = board_ask(board, 5, 16);
    return (struct board_odometry){i16(body),           i16(body + 2),        i16(body + 4),
                                   board_i32(body + 6), board_i32(body + 10), i16(body + 14)};
}

void board_set(struct board *board, size_t at, uint32_t value, size_t size)
{
    uint8_t block[BOARD_BLOCK];
    memcpy(block, board_ask(board, 2, sizeof block), sizeof block);
    for (size_t i = 0; i < size; i++)
        block[at + i] = (uint8_t)(value >> (8 * i) & 0xff);
    board->count = 0;
    board_send(board, 1, block, sizeof block);
    board_run(board, 20);
    assert_true(board_came(board, "5a01005b"));
}

double board_get(const struct board *board, const char *signal_of_robot)
{
    char name[128];
    snprintf(name, sizeof name, "board.%s", signal_of_robot);
    return rig_get(&board->rig, name);
}

bool board_came(const struct board *board, const char *hex)
{
    uint8_t bytes[1024], came[1024];
    size_t size = from_hex(hex, bytes, sizeof bytes), at = 0;
    for (size_t i = 0; i < board->count && at + board->frames[i].size <= sizeof came; i++) {
        memcpy(came + at, board->frames[i].bytes, board->frames[i].size);
        at += board->frames[i].size;
    }
    return at == size && memcmp(came, bytes, size) == 0;
}
