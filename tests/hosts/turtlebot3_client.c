#define _GNU_SOURCE
#include "tests/hosts/turtlebot3_client.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const double PI = 3.14159265358979323846;

enum { READ = 2, WRITE = 3, ID = 200, TABLE_AT = 10, TABLE_SIZE = 172, ANSWER_MS = 100 };

static uint16_t crc16(const uint8_t *bytes, size_t size)
{
    unsigned crc = 0;
    for (size_t i = 0; i < size; i++) {
        crc ^= (unsigned)bytes[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? (crc << 1 ^ 0x8005) & 0xFFFF : crc << 1;
    }
    return (uint16_t)crc;
}

static bool read_all(int port, uint8_t *bytes, size_t size)
{
    while (size > 0) {
        struct pollfd ready = {.fd = port, .events = POLLIN};
        ssize_t got = poll(&ready, 1, ANSWER_MS) > 0 ? read(port, bytes, size) : 0;
        if (got <= 0)
            return false;
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

/* Sends a request (never one that needs stuffing) and reads its status into DATA. */
static bool ask(int port, uint8_t instruction, const uint8_t *parameters, size_t size,
                uint8_t *data, size_t data_size)
{
    uint8_t frame[512] = {0xFF, 0xFF, 0xFD, 0, ID, (uint8_t)(size + 3), 0, instruction};
    memcpy(frame + 8, parameters, size);
    uint16_t check = crc16(frame, 8 + size);
    frame[8 + size] = (uint8_t)check;
    frame[9 + size] = (uint8_t)(check >> 8);
    if (write(port, frame, size + 10) != (ssize_t)(size + 10) || !read_all(port, frame, 7))
        return false;
    size_t length = frame[5] | (size_t)frame[6] << 8, used = 0;
    if (memcmp(frame, "\xFF\xFF\xFD\0\xC8", 5) != 0 || length < 4 || length > sizeof frame - 7 ||
        !read_all(port, frame + 7, length))
        return false;
    const uint8_t *end = frame + 7 + length - 2;
    if (crc16(frame, 5 + length) != (end[0] | end[1] << 8) || frame[8] != 0)
        return false;
    for (const uint8_t *at = frame + 9; at < end; at++) {
        if (used == data_size)
            return false;
        data[used++] = *at;
        at += at >= frame + 11 && memcmp(at - 2, "\xFF\xFF\xFD\xFD", 4) == 0;
    }
    return used == data_size;
}

static int32_t s32(const uint8_t *at)
{
    return (int32_t)(at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
}

static double f32(const uint8_t *at)
{
    uint32_t bits = (uint32_t)s32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

const char *turtlebot3_open(struct turtlebot3_client *self, const char *path)
{
    struct termios settings;
    uint8_t model[2];
    self->port = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (self->port < 0 || tcgetattr(self->port, &settings) != 0)
        return "cannot open the port";
    cfmakeraw(&settings);
    cfsetspeed(&settings, B1000000);
    settings.c_cflag |= CLOCAL | CREAD;
    if (tcsetattr(self->port, TCSANOW, &settings) != 0)
        return "cannot set the port";
    const uint8_t check[] = {0, 0, 2, 0};
    if (!ask(self->port, READ, check, sizeof check, model, sizeof model))
        return "no answer";
    return model[0] == 0x00 && model[1] == 0x50 ? NULL : "another board";
}

static void take(struct turtlebot3_client *self, const uint8_t *table)
{
    int32_t left = s32(table + 136 - TABLE_AT), right = s32(table + 140 - TABLE_AT);
    double w = f32(table + 96 - TABLE_AT), z = f32(table + 108 - TABLE_AT);
    double yaw_rad = 2 * atan2(z, w), count_m = 2 * PI / 4096 * 0.033;
    if (self->has_odometry) {
        double turned_rad = remainder(yaw_rad - self->yaw_rad, 2 * PI);
        double way_m = ((double)(left - self->left) + (right - self->right)) / 2 * count_m;
        self->x_m += way_m * cos(self->heading_rad + turned_rad / 2);
        self->y_m += way_m * sin(self->heading_rad + turned_rad / 2);
        self->heading_rad += turned_rad;
    }
    self->has_odometry = true;
    self->left = left;
    self->right = right;
    self->yaw_rad = yaw_rad;
    self->readings++;
}

static void put(uint8_t *at, double value)
{
    int32_t hundredths = (int32_t)(value * 100);
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)((uint32_t)hundredths >> 8 * i);
}

bool turtlebot3_round(struct turtlebot3_client *self, double v_m_s, double w_rad_s)
{
    const uint8_t beat[] = {19, 0, ++self->beat};
    const uint8_t range[] = {TABLE_AT, 0, TABLE_SIZE, 0};
    uint8_t velocity[26] = {150, 0}, table[TABLE_SIZE];
    put(velocity + 2, v_m_s);
    put(velocity + 22, w_rad_s);
    bool is_good = ask(self->port, WRITE, beat, sizeof beat, NULL, 0) &&
                   ask(self->port, WRITE, velocity, sizeof velocity, NULL, 0) &&
                   ask(self->port, READ, range, sizeof range, table, sizeof table);
    if (is_good)
        take(self, table);
    self->failures += !is_good;
    return is_good;
}
