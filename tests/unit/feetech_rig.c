#include "tests/unit/feetech_rig.h"
#include "tests/support/hex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct bus_rig bus_open(const char *type, const char *options)
{
    struct bus_rig bus = {0};
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "seed: 1\nworld: {size: {x: 9, y: 9}}\nrobots:\n- {name: bot, type: %s, pose: {x: 4, "
             "y: 4}, options: {%s}}\n",
             type, options);
    bus.s = simulation_open(yaml, NULL);
    sim_host_present(bus.s.sim, 0, true);
    bus_run(&bus, 0.01);
    return bus;
}

void bus_close(struct bus_rig *bus)
{
    simulation_close(&bus->s);
}

static void run_ms(struct bus_rig *bus, int ms)
{
    const uint8_t *bytes;
    size_t size;
    for (int i = 0; i < ms; i++) {
        sim_step(bus->s.sim);
        while (sim_output(bus->s.sim, 0, &bytes, &size)) {
            assert_true(bus->size + size <= sizeof bus->heard);
            memcpy(bus->heard + bus->size, bytes, size);
            bus->size += size;
        }
    }
}

void bus_run(struct bus_rig *bus, double seconds)
{
    run_ms(bus, (int)(seconds * 1000 + 0.5));
}

void bus_send(struct bus_rig *bus, const char *hex, int ms)
{
    uint8_t bytes[512];
    size_t size = from_hex(hex, bytes);
    bus->size = 0;
    sim_host_bytes(bus->s.sim, 0, bytes, size);
    run_ms(bus, ms);
}

void bus_ask(struct bus_rig *bus, const char *hex, const char *wanted)
{
    uint8_t bytes[512];
    size_t size = from_hex(wanted, bytes);
    bus_send(bus, hex, 20);
    if (bus->size != size || memcmp(bus->heard, bytes, size) != 0) {
        char text[3 * 64 + 1] = "";
        for (size_t i = 0; i < bus->size && i < 64; i++)
            sprintf(text + 3 * i, "%02x ", bus->heard[i]);
        fail_msg("%s: heard %s, not %s", hex, text, wanted);
    }
}

static void make(const uint8_t *body, size_t size, uint8_t *frame)
{
    uint8_t sum = 0;
    frame[0] = frame[1] = 0xFF;
    memcpy(frame + 2, body, size);
    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + body[i]);
    frame[size + 2] = (uint8_t)~sum;
}

static int transact(struct bus_rig *bus, const uint8_t *body, size_t size)
{
    uint8_t frame[512], sum = 0;
    make(body, size, frame);
    bus->size = 0;
    sim_host_bytes(bus->s.sim, 0, frame, size + 3);
    run_ms(bus, 5);
    for (size_t i = 2; i < bus->size; i++)
        sum = (uint8_t)(sum + bus->heard[i]);
    return bus->size >= 6 && sum == 0xFF && bus->heard[2] == body[0] ? bus->heard[4] : -1;
}

int bus_read(struct bus_rig *bus, unsigned id, unsigned address, unsigned size)
{
    const uint8_t body[] = {(uint8_t)id, 4, 2, (uint8_t)address, (uint8_t)size};
    if (transact(bus, body, sizeof body) < 0)
        return -1;
    return size == 1 ? bus->heard[5] : bus->heard[5] | bus->heard[6] << 8;
}

int bus_write(struct bus_rig *bus, unsigned id, unsigned address, unsigned size, int value)
{
    const uint8_t body[] = {(uint8_t)id,      (uint8_t)(3 + size), 3,
                            (uint8_t)address, (uint8_t)value,      (uint8_t)(value >> 8)};
    int error = transact(bus, body, 4 + size);
    if (error < 0)
        fail_msg("no answer to a write of %u to %u", address, id);
    return error;
}

void bus_sync_write(struct bus_rig *bus, unsigned address, unsigned first, unsigned count,
                    const int *values)
{
    uint8_t body[64] = {0xFE, (uint8_t)(3 * count + 4), 0x83, (uint8_t)address, 2}, frame[80];
    for (unsigned i = 0; i < count; i++) {
        unsigned raw = values[i] < 0 ? (unsigned)-values[i] | 0x8000 : (unsigned)values[i];
        body[5 + 3 * i] = (uint8_t)(first + i);
        body[6 + 3 * i] = (uint8_t)raw;
        body[7 + 3 * i] = (uint8_t)(raw >> 8);
    }
    make(body, 5 + 3 * count, frame);
    sim_host_bytes(bus->s.sim, 0, frame, 8 + 3 * count);
    run_ms(bus, 3);
}

double bus_get(const struct bus_rig *bus, const char *signal)
{
    char name[96];
    snprintf(name, sizeof name, "bot.%s", signal);
    return simulation_get(bus->s.sim, name);
}

void bus_do(struct bus_rig *bus, const char *command)
{
    char text[128];
    snprintf(text, sizeof text, "bot.%s", command);
    simulation_do(bus->s.sim, text);
}
