/* Fuzz body of all robots: hostile bytes in any chunks, drivers that connect and disconnect,
 * extreme sensor values, and time in between. The rig checks the contract after every call; the
 * sanitizers check the rest. fuzz_rx.h describes the format of an input. */
#include "tests/fuzz/fuzz_rx.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/rng.h"
#include "protocols/registry.h"
#include "tests/support/robot_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Longest simulated time of one input, so that no input is slow. Chosen: 20 s. */
static const int64_t TIME_MAX_US = 20000000;

static void shake(struct robot_rig *rig, uint64_t seed)
{
    struct robot_sensors *sensors = &rig->sensors;
    uint64_t random = rng_u64(seed, 0);
    sensors->bumpers = (uint32_t)random & 0xff;
    sensors->buttons = (uint32_t)(random >> 8) & 0xff;
    sensors->charger = (enum charger_kind)((random >> 16) % 3);
    sensors->battery_charge = rng_uniform(seed, 1);
    sensors->gyro_rad_s[2] = rng_normal(seed, 2) * 20;
    for (size_t i = 0; i < rig->body.wheel_count; i++) {
        sensors->motor_a[i] = rng_normal(seed, 3 + i) * 4;
        sensors->wheel_dropped[i] = (random >> (24 + i) & 1) != 0;
    }
    for (size_t i = 0; i < rig->body.sensor_count; i++) {
        sensors->sensor[i].distance_m = rng_uniform(seed, 10 + i);
        sensors->sensor[i].beams = (uint32_t)rng_u64(seed, 50 + i);
    }
}

static void require_sound(const struct robot_rig *rig)
{
    if (rig->broken[0] != '\0') {
        fprintf(stderr, "%s: %s\n", rig->type->name, rig->broken);
        abort();
    }
}

/* Parses arbitrary bytes, as the viewer does. */
static void visit(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                  size_t size)
{
    uint64_t *hash = user;
    *hash = hash_bytes(*hash, &id, 1);
    *hash = hash_bytes(*hash, body, size);
    (void)packet;
}

/* One operation; returns the number of its data bytes. */
static size_t operate(struct robot_rig *rig, uint8_t operation, const uint8_t *data, size_t size)
{
    unsigned channel = operation % (unsigned)rig->type->channel_count;
    size_t count = (size_t)(operation & FUZZ_RX_COUNT) + 1;
    switch (operation & FUZZ_RX_KIND) {
    case FUZZ_RX_RUN:
        rig_run(rig, (int64_t)count * 1000);
        return 0;
    case FUZZ_RX_HOST:
        rig->is_full = (operation & 0x10) != 0;
        rig_host(rig, channel, (operation & 0x08) != 0);
        return 0;
    case FUZZ_RX_SHAKE:
        shake(rig, operation);
        return 0;
    default: /* FUZZ_RX_BYTES, on the first channel, or on the second if there is one */
        channel = (operation & FUZZ_RX_SECOND) && rig->type->channel_count > 1 ? 1 : 0;
        count = count < size ? count : size;
        rig_rx(rig, channel, data, count);
        return count;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t types;
    const struct robot_type *const *all = registry_types(&types);
    if (size < FUZZ_RX_HEAD)
        return 0;
    struct robot_rig rig;
    rig_open(&rig, all[data[0] % types], data[1]);
    uint64_t hash = HASH_START;
    for (int way = WIRE_TO_HOST; way <= WIRE_TO_ROBOT; way++) {
        robot_walk(rig.type, 0, (enum wire_direction)way, 0, data + FUZZ_RX_HEAD,
                   size - FUZZ_RX_HEAD, visit, &hash);
    }
    for (size_t at = FUZZ_RX_HEAD; at < size && rig.now_us < TIME_MAX_US;) {
        uint8_t operation = data[at++];
        at += operate(&rig, operation, data + at, size - at);
        require_sound(&rig);
    }
    rig_run(&rig, 100000);
    require_sound(&rig);
    rig_close(&rig);
    return 0;
}
