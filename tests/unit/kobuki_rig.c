#include "tests/unit/kobuki_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/simulation.h"

static const char big_room[] = "name: big room\n"
                               "seed: 7\n"
                               "world: {size: {x: 20, y: 20}}\n"
                               "robots:\n"
                               "  - name: kobuki\n"
                               "    type: kobuki\n"
                               "    pose: {x: 10, y: 10, heading: 0}\n"
                               "    links: [{pty: kobuki}]\n";

struct rig rig_open_scene(const char *yaml, const char *const *options)
{
    struct simulation opened = simulation_open(yaml, options);
    struct rig rig = {.scene = opened.scene, .sim = opened.sim};
    rig.channel = sim_channel_index(rig.sim, 0, 0);
    sim_host_present(rig.sim, rig.channel, true);
    return rig;
}

struct rig rig_open(const char *const *options)
{
    return rig_open_scene(big_room, options);
}

void rig_close(struct rig *rig)
{
    simulation_close(&(struct simulation){rig->scene, rig->sim});
}

/* XOR over length and payload (Kobuki protocol, Checksum). */
static uint8_t parity(const uint8_t *bytes, size_t size)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum ^= bytes[i];
    return sum;
}

void rig_send(struct rig *rig, const uint8_t *payload, size_t size)
{
    uint8_t frame[260] = {0xaa, 0x55, (uint8_t)size};
    memcpy(frame + 3, payload, size);
    frame[3 + size] = parity(frame + 2, size + 1);
    assert_true(sim_host_room(rig->sim, rig->channel) >= size + 4);
    sim_host_bytes(rig->sim, rig->channel, frame, size + 4);
}

void rig_base(struct rig *rig, int speed_mm_s, int radius_mm)
{
    uint16_t speed = (uint16_t)(int16_t)speed_mm_s, radius = (uint16_t)(int16_t)radius_mm;
    const uint8_t payload[] = {1,
                               4,
                               (uint8_t)(speed & 0xff),
                               (uint8_t)(speed >> 8),
                               (uint8_t)(radius & 0xff),
                               (uint8_t)(radius >> 8)};
    rig_send(rig, payload, sizeof payload);
}

/* One step; returns whether a packet came out. */
static bool step(struct rig *rig)
{
    const uint8_t *bytes;
    size_t size;
    bool came = false;
    sim_step(rig->sim);
    while (sim_output(rig->sim, rig->channel, &bytes, &size)) {
        came = true;
        rig->packets++;
        bool good = size >= 7 && size <= sizeof rig->packet && bytes[0] == 0xaa &&
                    bytes[1] == 0x55 && bytes[2] + 4u == size && parity(bytes + 2, size - 2) == 0;
        rig->bad_packets += !good;
        if (good) {
            memcpy(rig->packet, bytes, size);
            rig->packet_size = size;
        }
    }
    return came;
}

void rig_run(struct rig *rig, double seconds)
{
    for (int64_t end = sim_now_us(rig->sim) + (int64_t)(seconds * 1e6); sim_now_us(rig->sim) < end;)
        step(rig);
}

void rig_drive(struct rig *rig, int speed_mm_s, int radius_mm, double seconds)
{
    for (int64_t end = sim_now_us(rig->sim) + (int64_t)(seconds * 1e6); sim_now_us(rig->sim) < end;)
        if (step(rig))
            rig_base(rig, speed_mm_s, radius_mm);
}

double rig_get(const struct rig *rig, const char *name)
{
    return simulation_get(rig->sim, name);
}

void rig_do(struct rig *rig, const char *command)
{
    simulation_do(rig->sim, command);
}

const uint8_t *rig_part(const struct rig *rig, uint8_t id, size_t *size)
{
    for (size_t at = 3; at + 3 < rig->packet_size; at += 2u + rig->packet[at + 1])
        if (rig->packet[at] == id) {
            *size = rig->packet[at + 1];
            return rig->packet + at + 2;
        }
    return NULL;
}
