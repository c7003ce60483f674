#include "tests/unit/playback_inputs.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/rng.h"
#include "sim/state/inputs.h"

static void send_anything(struct sim *sim, size_t channel, uint64_t dice)
{
    static const uint8_t drive[] = {0xaa, 0x55, 6, 1, 4, 200, 0, 0, 0, 0xcb};
    uint8_t bytes[64];
    size_t size = dice % 2 == 0 ? sizeof drive : dice / 2 % sizeof bytes;
    for (size_t i = 0; i < size; i++)
        bytes[i] = dice % 2 == 0 ? drive[i] : (uint8_t)rng_u64(dice, i);
    if (size <= sim_host_room(sim, channel))
        sim_host_bytes(sim, channel, bytes, size);
}

static void do_anything(struct sim *sim, uint64_t dice)
{
    static const char *const commands[] = {
        "kobuki.press bumper=left for=0.1",
        "kobuki.lift for=0.3",
        "kobuki.place x=2 y=3 heading=40",
        "kobuki.battery v=14.5",
        "kobuki.unplug what=uart for=0.2",
        "board.reset",
        "alone.press button=b1",
        "world.speed x=3",
        "board.modem what=uart cts=off",
        "kobuki.jump",
        "kobuki.fault uart=flip rate=0.02",
        "kobuki.fault uart=delay rate=0.1 ms=20",
        "kobuki.fault uart=hangup for=0.1",
        "kobuki.fault uart=garbage",
        "board.fault uart=drop rate=0.05",
        "board.fault power=brownout",
        "alone.fault encoders=loss rate=0.2",
        "kobuki.heal",
    };
    struct error ignored;
    sim_do(sim, commands[dice % (sizeof commands / sizeof commands[0])], &ignored);
}

void playback_input_anything(struct sim *sim, uint64_t seed, uint64_t *counter)
{
    static const uint32_t bauds[] = {115200, 115200, 9600, 0};
    uint64_t dice = rng_u64(seed, (*counter)++);
    size_t channel = dice / 64 % PLAYBACK_INPUT_CHANNELS;
    switch (dice % 64) {
    case 0:
    case 1:
        sim_host_present(sim, channel, true);
        break;
    case 2:
        sim_host_present(sim, channel, dice & 1 << 20);
        break;
    case 3:
        sim_host_lines(sim, channel, dice >> 30 & 3);
        break;
    case 4:
        sim_host_baud(sim, channel, bauds[dice >> 30 & 3]);
        break;
    case 5:
        do_anything(sim, dice >> 30);
        break;
    case 6:
        sim_storage_saved(sim, 1);
        break;
    case 7:
        sim_host_reads(sim, channel, dice & 1 << 20);
        break;
    default:
        if (dice % 64 < 16)
            send_anything(sim, channel, dice >> 30);
    }
}
