#define _GNU_SOURCE
#include "tests/hosts/kobuki_client.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum {
    PAYLOAD_MIN = 3, /* protocol.rst: the smallest part is ID, LEN and one byte */

    ID_BASE_CONTROL = 1,
    ID_REQUEST_EXTRA = 9,
    ID_GET_GAINS = 14,

    ID_BASIC = 1,
    ID_DOCK_IR = 3,
    ID_INERTIA = 4,
    ID_CLIFF = 5,
    ID_CURRENT = 6,
    ID_HARDWARE = 10,
    ID_FIRMWARE = 11,
    ID_GYRO = 13,
    ID_INPUTS = 16,
    ID_UDID = 19,
    ID_GAINS = 21,

    WANT_ALL = 0x0b, /* hardware 1, firmware 2, UDID 8 */
};

static uint16_t u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static int16_t s16(const uint8_t *at)
{
    return (int16_t)u16(at);
}

static uint32_t u32(const uint8_t *at)
{
    return u16(at) | (uint32_t)u16(at + 2) << 16;
}

/* ---- Parts of a packet ---- */

static void read_basic(struct kobuki_reading *out, const uint8_t *data)
{
    out->timestamp_ms = u16(data);
    out->bumper = data[2];
    out->wheel_drop = data[3];
    out->cliff = data[4];
    out->left_ticks = u16(data + 5);
    out->right_ticks = u16(data + 7);
    out->left_pwm = (int8_t)data[9];
    out->right_pwm = (int8_t)data[10];
    out->buttons = data[11];
    out->charger = data[12];
    out->battery_v = data[13] / 10.0;
    out->over_current = data[14];
}

static void read_inertia(struct kobuki_reading *out, const uint8_t *data)
{
    out->heading_deg = s16(data) / 100.0;
    out->turn_deg_s = s16(data + 2) / 100.0;
}

static bool read_version(struct kobuki_version *out, const uint8_t *data, size_t size)
{
    if (size != 4) /* two bytes: firmware before 1.1.2, with other version numbers */
        return false;
    *out = (struct kobuki_version){.patch = data[0], .minor = data[1], .major = data[2]};
    return true;
}

static void read_gains(struct kobuki_identity *out, const uint8_t *data)
{
    out->has_gains = true;
    out->gain_type = data[0];
    for (size_t i = 0; i < 3; i++)
        out->gains[i] = u32(data + 1 + 4 * i) / 1000.0;
}

/* Returns whether the part is known and has its proper length. */
static bool read_sensor(struct kobuki_reading *out, uint8_t id, const uint8_t *data, size_t size)
{
    switch (id) {
    case ID_BASIC:
        return size == 15 && (read_basic(out, data), true);
    case ID_DOCK_IR:
        return size == 3 && (memcpy(out->dock_ir, data, 3), true);
    case ID_INERTIA:
        return size == 7 && (read_inertia(out, data), true);
    case ID_CLIFF:
        for (size_t i = 0; size == 6 && i < 3; i++)
            out->cliff_adc[i] = u16(data + 2 * i);
        return size == 6;
    case ID_CURRENT:
        for (size_t i = 0; size == 2 && i < 2; i++)
            out->current_a[i] = data[i] / 100.0;
        return size == 2;
    case ID_GYRO: /* data[1] counts 16-bit words, three a sample */
        if (size < 2 || size != 2u + 2u * data[1] || data[1] % 3)
            return false;
        out->gyro_frame = data[0];
        out->gyro_samples = data[1] / 3u;
        return true;
    case ID_INPUTS:
        return size == 16;
    default:
        return false;
    }
}

static bool read_part(struct kobuki_client *self, uint8_t id, const uint8_t *data, size_t size)
{
    struct kobuki_identity *identity = &self->identity;
    switch (id) {
    case ID_HARDWARE:
        identity->has_hardware = read_version(&identity->hardware, data, size);
        return identity->has_hardware;
    case ID_FIRMWARE:
        identity->has_firmware = read_version(&identity->firmware, data, size);
        return identity->has_firmware;
    case ID_UDID:
        for (size_t i = 0; size == 12 && i < 3; i++)
            identity->udid[i] = u32(data + 4 * i);
        identity->has_udid = size == 12;
        return size == 12;
    case ID_GAINS:
        return size == 13 && (read_gains(identity, data), true);
    default:
        return read_sensor(&self->reading, id, data, size);
    }
}

static void read_payload(struct kobuki_client *self, const uint8_t *payload, size_t size)
{
    size_t at = 0;
    while (at + 2 <= size && at + 2 + payload[at + 1] <= size) {
        if (!read_part(self, payload[at], payload + at + 2, payload[at + 1]))
            self->counters.malformed++;
        at += 2u + payload[at + 1];
    }
    if (at != size) /* the last part claims more than the packet has */
        self->counters.malformed++;
}

/* ---- The byte stream: AA 55 LEN payload checksum; LEN..checksum XOR to 0 ---- */

void kobuki_client_init(struct kobuki_client *self)
{
    *self = (struct kobuki_client){.descriptor = -1};
}

static void skip_header(struct kobuki_client *self, uint8_t byte)
{
    if (self->header == 1 && byte == 0x55) {
        self->header = 2;
        self->size = 0;
        return;
    }
    /* The bytes taken for a header were not one; this byte may start one. */
    self->counters.skipped += self->header;
    self->header = byte == 0xaa;
    self->counters.skipped += byte != 0xaa;
}

bool kobuki_client_push(struct kobuki_client *self, uint8_t byte)
{
    if (self->header < 2) {
        skip_header(self, byte);
        return false;
    }
    self->packet[self->size++] = byte;
    size_t length = self->packet[0];
    if (length < PAYLOAD_MIN) {
        self->counters.bad_packets++;
        self->header = 0;
        return false;
    }
    if (self->size < length + 2)
        return false;
    self->header = 0;
    uint8_t sum = 0;
    for (size_t i = 0; i < self->size; i++)
        sum ^= self->packet[i];
    if (sum) {
        self->counters.bad_packets++;
        return false;
    }
    self->counters.packets++;
    read_payload(self, self->packet + 1, length);
    return true;
}

/* ---- Packets to the robot ---- */

size_t kobuki_packet(uint8_t *out, uint8_t id, const uint8_t *data, size_t size)
{
    size_t length = 2 + size;
    uint8_t *payload = out + 3;
    out[0] = 0xaa;
    out[1] = 0x55;
    out[2] = (uint8_t)length;
    payload[0] = id;
    payload[1] = (uint8_t)size;
    memcpy(payload + 2, data, size);
    uint8_t sum = out[2];
    for (size_t i = 0; i < length; i++)
        sum ^= payload[i];
    payload[length] = sum;
    return 3 + length + 1;
}

size_t kobuki_base_control(uint8_t *out, int16_t speed_mm_s, int16_t radius_mm)
{
    uint16_t speed = (uint16_t)speed_mm_s, radius = (uint16_t)radius_mm;
    const uint8_t data[4] = {(uint8_t)speed, (uint8_t)(speed >> 8), (uint8_t)radius,
                             (uint8_t)(radius >> 8)};
    return kobuki_packet(out, ID_BASE_CONTROL, data, sizeof data);
}

static int16_t clamp_s16(double value)
{
    return (int16_t)fmax(-32768, fmin(32767, value));
}

void kobuki_encode_velocity(double v_m_s, double w_rad_s, int16_t *speed_mm_s, int16_t *radius_mm)
{
    const double half_base_mm = 1000 * KOBUKI_WHEELBASE_M / 2;
    double radius = fabs(w_rad_s) < 1e-4 ? 0 : 1000 * v_m_s / w_rad_s;
    double speed;
    if (fabs(w_rad_s) < 1e-4) {
        speed = 1000 * v_m_s;
    } else if (fabs(v_m_s) < 1e-4 || fabs(radius) <= 1) {
        speed = half_base_mm * w_rad_s;
        radius = 1;
    } else {
        speed = (radius + copysign(half_base_mm, radius)) * w_rad_s;
    }
    *speed_mm_s = clamp_s16(speed);
    *radius_mm = clamp_s16(radius);
}

size_t kobuki_request_versions(uint8_t *out)
{
    return kobuki_packet(out, ID_REQUEST_EXTRA, (const uint8_t[]){WANT_ALL, 0}, 2);
}

size_t kobuki_request_gains(uint8_t *out)
{
    return kobuki_packet(out, ID_GET_GAINS, (const uint8_t[]){0}, 1);
}

/* ---- The port ---- */

static const char *configure(int descriptor)
{
    /* One driver per robot: the vendor's driver takes this lock, too. */
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_SETLK, &whole) != 0)
        return "another program has locked the port; end it first";
    struct termios mode;
    if (tcgetattr(descriptor, &mode) != 0)
        return "this is not a serial port";
    mode.c_iflag = 0;
    mode.c_oflag = 0;
    mode.c_lflag = 0;
    mode.c_cflag = CLOCAL | CREAD | CS8;
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    if (cfsetspeed(&mode, B115200) != 0 || tcsetattr(descriptor, TCSAFLUSH, &mode) != 0 ||
        tcflush(descriptor, TCIOFLUSH) != 0)
        return "the port cannot be set to 115200 baud";
    return NULL;
}

const char *kobuki_client_open(struct kobuki_client *self, const char *path)
{
    kobuki_client_init(self);
    /* O_NONBLOCK: do not wait for a carrier. */
    int descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return strerror(errno);
    const char *problem = configure(descriptor);
    if (!problem && fcntl(descriptor, F_SETFL, 0) != 0)
        problem = "the port cannot be made to wait";
    if (problem) {
        close(descriptor);
        return problem;
    }
    self->descriptor = descriptor;
    return NULL;
}

void kobuki_client_close(struct kobuki_client *self)
{
    uint8_t stop[KOBUKI_COMMAND_MAX];
    if (self->descriptor < 0)
        return;
    /* The robot may be gone: then no stop is needed. */
    if (write(self->descriptor, stop, kobuki_base_control(stop, 0, 0)) > 0)
        tcdrain(self->descriptor);
    close(self->descriptor);
    self->descriptor = -1;
}

/* ---- The conversation ---- */

/* Reads input. A signal counts as silence, so that the caller can react. */
static enum kobuki_wait fill(struct kobuki_client *self, int timeout_ms)
{
    struct pollfd port = {.fd = self->descriptor, .events = POLLIN};
    if (poll(&port, 1, timeout_ms) <= 0)
        return KOBUKI_SILENCE;
    ssize_t size = read(self->descriptor, self->input, sizeof self->input);
    if (size <= 0)
        return size < 0 && errno == EINTR ? KOBUKI_SILENCE : KOBUKI_GONE;
    self->input_at = 0;
    self->input_size = (size_t)size;
    return KOBUKI_PACKET;
}

enum kobuki_wait kobuki_client_wait(struct kobuki_client *self, int timeout_ms)
{
    for (;;) {
        while (self->input_at < self->input_size)
            if (kobuki_client_push(self, self->input[self->input_at++]))
                return KOBUKI_PACKET;
        enum kobuki_wait result = fill(self, timeout_ms);
        if (result != KOBUKI_PACKET)
            return result;
    }
}

static bool send_packet(struct kobuki_client *self, const uint8_t *packet, size_t size)
{
    return write(self->descriptor, packet, size) == (ssize_t)size;
}

bool kobuki_client_answer(struct kobuki_client *self, int16_t speed_mm_s, int16_t radius_mm)
{
    const struct kobuki_identity *identity = &self->identity;
    uint8_t packet[KOBUKI_COMMAND_MAX];
    return send_packet(self, packet, kobuki_base_control(packet, speed_mm_s, radius_mm)) &&
           (identity->has_udid || send_packet(self, packet, kobuki_request_versions(packet))) &&
           (identity->has_gains || send_packet(self, packet, kobuki_request_gains(packet)));
}
