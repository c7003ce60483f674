#define _GNU_SOURCE
#include "tests/hosts/cobot_client.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* ---- Messages ---- */

static double pair(const uint8_t *at, double unit)
{
    double value = (at[1] << 8 | at[2]) * unit;
    return at[0] ? -value : value;
}

static void read_velocity(struct cobot_client *self, const uint8_t *data)
{
    struct cobot_reading *out = &self->reading;
    out->x_m_s = pair(data, 0.001);
    out->y_m_s = pair(data + 3, 0.001);
    out->turn_rad_s = pair(data + 6, 0.01);
    double half = out->turn_rad_s * 0.025, middle = self->heading_rad + half;
    self->x_m += 0.05 * (out->x_m_s * cos(middle) - out->y_m_s * sin(middle));
    self->y_m += 0.05 * (out->x_m_s * sin(middle) + out->y_m_s * cos(middle));
    self->heading_rad += 2 * half;
}

static void read_imu(struct cobot_reading *out, const uint8_t *data)
{
    for (size_t i = 0; i < 3; i++) {
        out->gyro_rad_s[i] = pair(data + 3 * i, 0.001);
        out->accel_g[i] = pair(data + 9 + 3 * i, 0.0001);
    }
    for (size_t i = 0; i < 4; i++)
        out->quaternion[i] = pair(data + 18 + 3 * i, 0.0001);
}

static void read_message(struct cobot_client *self, unsigned function, const uint8_t *data)
{
    struct cobot_reading *out = &self->reading;
    switch (function) {
    case 2:
        read_velocity(self, data);
        break;
    case 3:
        for (size_t i = 0; i < 4; i++)
            out->motor[i] = (unsigned)(data[2 * i] << 8 | data[2 * i + 1]);
        break;
    case 4:
        out->battery_v = data[0] * 0.1;
        break;
    case 5:
        out->pitch_deg = pair(data, 0.01);
        out->roll_deg = pair(data + 3, 0.01);
        out->yaw_deg = pair(data + 6, 0.01);
        break;
    case 6:
        read_imu(out, data);
        break;
    default:
        out->model = data[0];
        break;
    }
}

/* ---- Bytes ---- */

unsigned cobot_client_push(struct cobot_client *self, uint8_t byte)
{
    static const uint8_t lengths[COBOT_FUNCTIONS] = {0, 0, 0x0a, 0x09, 0x02, 0x0a, 0x1f, 0x02};
    self->message[self->size++] = byte;
    if (self->message[0] != 0xfd) {
        self->skipped++;
        self->size = 0;
        return 0;
    }
    if (self->size < 3 || (self->message[1] <= 0x1f && self->size < self->message[1] + 3u))
        return 0;
    unsigned function = self->message[2];
    uint8_t sum = 0;
    for (size_t i = 2; i < self->size; i++)
        sum ^= self->message[i];
    self->size = 0;
    if (sum || function >= COBOT_FUNCTIONS || self->message[1] != lengths[function]) {
        self->bad++;
        return 0;
    }
    self->messages[function]++;
    read_message(self, function, self->message + 3);
    return function;
}

void cobot_move(uint8_t out[COBOT_COMMAND_SIZE], int x, int y, int turn)
{
    const int values[] = {x, y, turn};
    out[0] = 0xcd;
    out[1] = 0x0a;
    out[2] = 0x01;
    out[12] = out[2];
    for (size_t i = 0; i < 3; i++) {
        uint8_t *at = out + 3 + 3 * i;
        at[0] = values[i] < 0;
        at[1] = (uint8_t)(abs(values[i]) >> 8);
        at[2] = (uint8_t)(abs(values[i]) & 0xff);
        out[12] ^= (uint8_t)(at[0] ^ at[1] ^ at[2]);
    }
}

/* ---- The port ---- */

const char *cobot_client_open(struct cobot_client *self, const char *path)
{
    *self = (struct cobot_client){.descriptor = open(path, O_RDWR | O_NOCTTY)};
    struct termios mode;
    if (self->descriptor < 0)
        return strerror(errno);
    if (tcgetattr(self->descriptor, &mode) != 0)
        return "it is no serial port";
    cfmakeraw(&mode);
    cfsetspeed(&mode, B115200);
    return tcsetattr(self->descriptor, TCSANOW, &mode) == 0 ? NULL : strerror(errno);
}

void cobot_client_close(struct cobot_client *self)
{
    if (self->descriptor >= 0)
        close(self->descriptor);
    self->descriptor = -1;
}

bool cobot_client_wait(struct cobot_client *self, unsigned function, int timeout_ms)
{
    bool came = false;
    while (!came) {
        uint8_t bytes[256];
        struct pollfd port = {.fd = self->descriptor, .events = POLLIN};
        if (poll(&port, 1, timeout_ms) <= 0 || !(port.revents & POLLIN))
            return false;
        ssize_t got = read(self->descriptor, bytes, sizeof bytes);
        for (ssize_t i = 0; i < got; i++)
            came |= cobot_client_push(self, bytes[i]) == function;
        if (got <= 0)
            return false;
    }
    return true;
}

bool cobot_client_move(struct cobot_client *self, int x, int y, int turn)
{
    uint8_t command[COBOT_COMMAND_SIZE];
    cobot_move(command, x, y, turn);
    return write(self->descriptor, command, sizeof command) == (ssize_t)sizeof command;
}
