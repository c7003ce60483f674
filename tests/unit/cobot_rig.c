#include "tests/unit/cobot_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/simulation.h"

static const char room[] = "name: big room\n"
                           "seed: 7\n"
                           "world: {size: {x: 40, y: 40}}\n"
                           "robots:\n"
                           "  - name: cobot\n"
                           "    type: cobot\n"
                           "    pose: {x: 20, y: 20, heading: 0}\n"
                           "    links:\n"
                           "      - {pty: cobot}\n"
                           "      - {pty: cobot_bluetooth, channel: bluetooth}\n"
                           "    options: {noise: off, model: %s}\n";

struct rig rig_open(const char *model, const char *const *options)
{
    char yaml[sizeof room + 32];
    snprintf(yaml, sizeof yaml, room, model);
    struct simulation opened = simulation_open(yaml, options);
    struct rig rig = {.scene = opened.scene, .sim = opened.sim};
    for (unsigned i = 0; i < RIG_CHANNELS; i++) {
        rig.channel[i] = sim_channel_index(rig.sim, 0, i);
        sim_host_present(rig.sim, rig.channel[i], true);
    }
    return rig;
}

void rig_close(struct rig *rig)
{
    simulation_close(&(struct simulation){rig->scene, rig->sim});
}

/* ---- To the robot ---- */

static void write_bytes(struct rig *rig, int channel, const uint8_t *bytes, size_t size)
{
    assert_true(sim_host_room(rig->sim, rig->channel[channel]) >= size);
    sim_host_bytes(rig->sim, rig->channel[channel], bytes, size);
}

void rig_hex(struct rig *rig, int channel, const char *hex)
{
    uint8_t bytes[256];
    size_t size = 0;
    char *end;
    for (; *hex; hex = end + (*end == ' ')) {
        assert_true(size < sizeof bytes);
        bytes[size++] = (uint8_t)strtoul(hex, &end, 16);
        assert_true(end == hex + 2);
    }
    write_bytes(rig, channel, bytes, size);
}

void rig_frame(struct rig *rig, int channel, uint8_t function, const uint8_t *data, size_t size)
{
    uint8_t frame[260] = {0xcd, (uint8_t)(size + 1), function};
    uint8_t check = function;
    for (size_t i = 0; i < size; i++)
        check ^= frame[3 + i] = data[i];
    frame[3 + size] = check;
    write_bytes(rig, channel, frame, size + 4);
}

void rig_motion(struct rig *rig, int channel, int x, int y, int turn)
{
    const int values[] = {x, y, turn};
    uint8_t data[9];
    for (int i = 0; i < 3; i++) {
        data[3 * i] = values[i] < 0;
        data[3 * i + 1] = (uint8_t)(abs(values[i]) >> 8);
        data[3 * i + 2] = (uint8_t)(abs(values[i]) & 0xff);
    }
    rig_frame(rig, channel, 1, data, sizeof data);
}

/* ---- Time ---- */

static void integrate(struct rig *rig)
{
    /* Midpoint rule over the 50 ms that the message speaks of, along the tested robot's axes. */
    struct odometry *odometry = &rig->odometry;
    double x = rig_signed(rig, 2, 3) * 0.001 * 0.05, y = rig_signed(rig, 2, 6) * 0.001 * 0.05;
    double turn = rig_signed(rig, 2, 9) * 0.01 * 0.05;
    double heading = odometry->heading_rad + turn / 2;
    odometry->x_m += x * cos(heading) - y * sin(heading);
    odometry->y_m += x * sin(heading) + y * cos(heading);
    odometry->heading_rad += turn;
}

static void take(struct rig *rig, int channel, const uint8_t *bytes, size_t size)
{
    uint8_t check = 0;
    for (size_t i = 2; i < size; i++)
        check ^= bytes[i];
    if (size < 5 || size > RIG_FRAME_MAX || bytes[0] != 0xfd || bytes[1] + 3u != size ||
        check != 0 || bytes[2] >= RIG_FUNCTIONS) {
        rig->bad[channel]++;
        return;
    }
    uint8_t function = bytes[2];
    rig->received[channel][function]++;
    if (channel != RIG_UART)
        return;
    memcpy(rig->last[function], bytes, size);
    rig->last_size[function] = size;
    if (function == 2)
        integrate(rig);
    if (function == 6)
        rig->gyro_turn_rad += rig_signed(rig, 6, 9) * 0.001 * 0.025;
    if (rig->heard)
        rig->heard(rig, function);
}

void rig_run(struct rig *rig, double seconds)
{
    const uint8_t *bytes;
    size_t size;
    int64_t end_us = sim_now_us(rig->sim) + (int64_t)(seconds * 1e6 + 0.5);
    while (sim_now_us(rig->sim) < end_us) {
        sim_step(rig->sim);
        for (int i = 0; i < RIG_CHANNELS; i++)
            while (sim_output(rig->sim, rig->channel[i], &bytes, &size))
                take(rig, i, bytes, size);
    }
}

void rig_drive(struct rig *rig, int x, int y, int turn, double seconds)
{
    int64_t left_us = (int64_t)(seconds * 1e6 + 0.5);
    for (; left_us > 0; left_us -= 50000) {
        rig_motion(rig, RIG_UART, x, y, turn);
        rig_run(rig, (left_us < 50000 ? (double)left_us : 50000) * 1e-6);
    }
}

void rig_stand(struct rig *rig, int turn)
{
    rig_drive(rig, 0, 0, turn, 1);
}

/* ---- From the robot ---- */

unsigned rig_u16(const struct rig *rig, uint8_t function, size_t at)
{
    if (rig->last_size[function] < at + 2)
        fail_msg("no message %02x with a byte %zu has come", function, at + 1);
    return (unsigned)rig->last[function][at] << 8 | rig->last[function][at + 1];
}

int rig_signed(const struct rig *rig, uint8_t function, size_t at)
{
    int value = (int)rig_u16(rig, function, at + 1);
    return rig->last[function][at] ? -value : value;
}

void rig_expect(const struct rig *rig, uint8_t function, const char *hex)
{
    char text[3 * RIG_FRAME_MAX + 1] = "";
    for (size_t i = 0; i < rig->last_size[function]; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), i ? " %02x" : "%02x",
                 rig->last[function][i]);
    assert_string_equal(text, hex);
}

void rig_forget(struct rig *rig)
{
    rig->odometry = (struct odometry){0};
    rig->gyro_turn_rad = 0;
}

double rig_get(const struct rig *rig, const char *name)
{
    char whole[96];
    snprintf(whole, sizeof whole, "cobot.%s", name);
    return simulation_get(rig->sim, whole);
}

void rig_do(struct rig *rig, const char *text)
{
    char whole[128];
    snprintf(whole, sizeof whole, "cobot.%s", text);
    simulation_do(rig->sim, whole);
}
