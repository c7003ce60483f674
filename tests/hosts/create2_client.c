#define _GNU_SOURCE
#include "tests/hosts/create2_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { START = 128, DRIVE_DIRECT = 145, STREAM = 148, SENSORS = 142, STOP = 173, HEADER = 19 };

/* Bytes of packets 7 to 58 (Open Interface, Sensor packets). */
static const uint8_t sizes[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 1, 2, 2, 1,
                                2, 2, 2, 2, 2, 2, 2, 1, 2, 1, 1, 1, 1, 1, 2, 2, 2, 2,
                                2, 2, 1, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 1};

static int u16(const uint8_t *at)
{
    return at[0] << 8 | at[1];
}

static void read_packet(struct create2_reading *out, uint8_t id, const uint8_t *data)
{
    switch (id) {
    case 7:
        out->bumps = data[0] & 3;
        out->wheel_drops = data[0] >> 2 & 3;
        break;
    case 9:
    case 10:
    case 11:
    case 12:
        out->cliffs = (uint8_t)((out->cliffs & ~(1 << (id - 9))) | (data[0] & 1) << (id - 9));
        break;
    case 13:
        out->is_virtual_wall = data[0];
        break;
    case 17:
        out->ir_omni = data[0];
        break;
    case 18:
        out->buttons = data[0];
        break;
    case 21:
        out->charging_state = data[0];
        break;
    case 22:
        out->voltage_mv = (uint16_t)u16(data);
        break;
    case 23:
        out->current_ma = (int16_t)u16(data);
        break;
    case 25:
        out->charge_mah = (uint16_t)u16(data);
        break;
    case 26:
        out->capacity_mah = (uint16_t)u16(data);
        break;
    case 34:
        out->sources = data[0];
        break;
    case 35:
        out->mode = data[0];
        break;
    case 43:
        out->left_counts = (uint16_t)u16(data);
        break;
    case 44:
        out->right_counts = (uint16_t)u16(data);
        break;
    case 45:
        out->light_bumper = data[0];
        break;
    case 52:
        out->ir_left = data[0];
        break;
    case 53:
        out->ir_right = data[0];
        break;
    default:
        break;
    }
}

/* Takes the values only if all parts are complete. */
static bool read_frame(struct create2_client *self, bool is_taken)
{
    size_t end = 2u + self->frame[1];
    for (size_t at = 2; at < end;) {
        uint8_t id = self->frame[at++];
        if (id < 7 || id > 58 || at + sizes[id - 7] > end)
            return false;
        if (is_taken)
            read_packet(&self->reading, id, self->frame + at);
        at += sizes[id - 7];
    }
    return true;
}

static uint8_t sum_of(const uint8_t *bytes, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += bytes[i];
    return (uint8_t)sum;
}

bool create2_push(struct create2_client *self, uint8_t byte)
{
    if (self->used == 0 && byte != HEADER) {
        self->skipped++;
        return false;
    }
    self->frame[self->used++] = byte;
    if (self->used < 3 || self->used < 3u + self->frame[1])
        return false;
    size_t size = self->used;
    self->used = 0;
    bool is_good = sum_of(self->frame, size) == 0 && read_frame(self, false);
    self->frames += is_good;
    self->bad_frames += !is_good;
    return is_good && read_frame(self, true);
}

/* ---- The port ---- */

void create2_init(struct create2_client *self)
{
    memset(self, 0, sizeof *self);
    self->descriptor = -1;
}

const char *create2_open(struct create2_client *self, const char *path)
{
    struct termios settings;
    create2_init(self);
    self->descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (self->descriptor < 0)
        return strerror(errno);
    if (tcgetattr(self->descriptor, &settings) != 0)
        return "this is no serial port";
    cfmakeraw(&settings);
    cfsetspeed(&settings, B115200);
    settings.c_cflag |= CLOCAL | CREAD;
    if (tcsetattr(self->descriptor, TCSANOW, &settings) != 0)
        return strerror(errno);
    tcflush(self->descriptor, TCIFLUSH);
    return NULL;
}

bool create2_write(struct create2_client *self, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(self->descriptor, bytes, size);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return true;
}

bool create2_command(struct create2_client *self, uint8_t opcode)
{
    return create2_write(self, &opcode, 1);
}

bool create2_wheels(struct create2_client *self, int left_mm_s, int right_mm_s)
{
    unsigned left = (unsigned)left_mm_s, right = (unsigned)right_mm_s;
    const uint8_t bytes[] = {DRIVE_DIRECT, (uint8_t)(right >> 8), (uint8_t)right,
                             (uint8_t)(left >> 8), (uint8_t)left};
    return create2_write(self, bytes, sizeof bytes);
}

bool create2_stream(struct create2_client *self, const uint8_t *ids, size_t count)
{
    uint8_t bytes[2 + 255] = {STREAM, (uint8_t)count};
    memcpy(bytes + 2, ids, count);
    return create2_write(self, bytes, 2 + count);
}

void create2_close(struct create2_client *self)
{
    if (self->descriptor < 0)
        return;
    create2_wheels(self, 0, 0);
    create2_command(self, START);
    create2_command(self, STOP);
    tcdrain(self->descriptor);
    close(self->descriptor);
    self->descriptor = -1;
}

/* Reads one byte. False: timeout, or the port is gone. */
static bool next_byte(struct create2_client *self, int timeout_ms, uint8_t *byte)
{
    while (self->input_at == self->input_size) {
        struct pollfd poll_fd = {.fd = self->descriptor, .events = POLLIN};
        if (poll(&poll_fd, 1, timeout_ms) <= 0 || !(poll_fd.revents & POLLIN))
            return false;
        ssize_t got = read(self->descriptor, self->input, sizeof self->input);
        if (got <= 0)
            return false;
        self->input_at = 0;
        self->input_size = (size_t)got;
    }
    *byte = self->input[self->input_at++];
    return true;
}

bool create2_ask(struct create2_client *self, uint8_t id, uint8_t *data, size_t size,
                 int timeout_ms)
{
    const uint8_t question[] = {SENSORS, id};
    if (!create2_write(self, question, sizeof question))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!next_byte(self, timeout_ms, &data[i]))
            return false;
    return true;
}

bool create2_wait(struct create2_client *self, int timeout_ms)
{
    uint8_t byte;
    while (next_byte(self, timeout_ms, &byte))
        if (create2_push(self, byte))
            return true;
    return false;
}
