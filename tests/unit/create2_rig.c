#include "tests/unit/create2_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char big_room[] = "world: {size: {x: 20, y: 20}}\n"
                               "robots:\n"
                               "  - name: create\n"
                               "    type: create2\n"
                               "    pose: {x: 10, y: 10, heading: 0}\n";

void create_open_scene(struct create *create, const char *yaml, const char *const *options)
{
    memset(create, 0, sizeof *create);
    create->rig = rig_open_scene(yaml, options);
}

void create_open(struct create *create, const char *const *options)
{
    create_open_scene(create, big_room, options);
}

void create_close(struct create *create)
{
    rig_close(&create->rig);
}

void create_clear(struct create *create)
{
    create->count = 0;
    create->chunks = 0;
}

void create_run(struct create *create, int milliseconds)
{
    struct sim *sim = create->rig.sim;
    for (int i = 0; i < milliseconds; i++) {
        const uint8_t *bytes;
        size_t size;
        sim_step(sim);
        while (sim_output(sim, create->rig.channel, &bytes, &size)) {
            assert_true(create->count + size <= CREATE_BYTES_MAX);
            memcpy(create->bytes + create->count, bytes, size);
            create->count += size;
            create->last_us = sim_now_us(sim);
            if (create->chunks++ == 0)
                create->first_us = create->last_us;
        }
    }
}

void create_say(struct create *create, const char *hex)
{
    uint8_t bytes[600];
    size_t size = 0;
    char *end;
    for (const char *at = hex; *at; at = end + strspn(end, " ")) {
        bytes[size++] = (uint8_t)strtoul(at, &end, 16);
        assert_true(end > at && size < sizeof bytes);
    }
    assert_true(sim_host_room(create->rig.sim, create->rig.channel) >= size);
    sim_host_bytes(create->rig.sim, create->rig.channel, bytes, size);
    create_run(create, 20);
}

const uint8_t *create_ask(struct create *create, uint8_t id, size_t size)
{
    char hex[8];
    snprintf(hex, sizeof hex, "8e %02x", id);
    create_clear(create);
    create_say(create, hex);
    create_run(create, 12); /* 80 bytes take 7 ms */
    if (create->count != size)
        fail_msg("packet %u: %zu bytes, not %zu", id, create->count, size);
    return create->bytes;
}

int create_u8(struct create *create, uint8_t id)
{
    return create_ask(create, id, 1)[0];
}

int create_u16(struct create *create, uint8_t id)
{
    const uint8_t *data = create_ask(create, id, 2);
    return data[0] << 8 | data[1];
}

int create_i16(struct create *create, uint8_t id)
{
    return (int16_t)create_u16(create, id);
}

double create_get(const struct create *create, const char *signal)
{
    char name[64];
    snprintf(name, sizeof name, "create.%s", signal);
    return rig_get(&create->rig, name);
}
