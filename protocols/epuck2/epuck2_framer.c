/* Commands in, byte by byte. */
#include "protocols/epuck2/epuck2_framer.h"

#include <string.h>

/* The newest takes the place of the one before it where the queue is full: that one will never be
 * looked at. */
static void enqueue(struct epuck2_framer *framer)
{
    if (framer->count < EPUCK2_COMMAND_QUEUE)
        framer->count++;
    memcpy(framer->queue[framer->count - 1], framer->bytes + 1, EPUCK2_COMMAND_SIZE);
}

bool epuck2_framer_push(struct epuck2_framer *framer, uint8_t byte, bool uses_bad_id,
                        struct robot_stats *stats)
{
    if (framer->used == 0 && byte != EPUCK2_ID_COMMAND) {
        if (!uses_bad_id) {
            stats->noise_bytes++;
            return false;
        }
        stats->bad_frames++;
    }
    framer->bytes[framer->used++] = byte;
    if (framer->used < EPUCK2_COMMAND_FRAME)
        return false;
    stats->frames += framer->bytes[0] == EPUCK2_ID_COMMAND;
    enqueue(framer);
    /* Old bytes do not stay, so that noise leaves no trace. */
    framer->used = 0;
    memset(framer->bytes, 0, sizeof framer->bytes);
    return true;
}

bool epuck2_framer_take(struct epuck2_framer *framer, struct epuck2_command *command,
                        uint64_t *dropped)
{
    unsigned count = framer->count;
    if (count == 0)
        return false;
    unsigned taken = count < EPUCK2_COMMAND_QUEUE ? 0 : count - 1;
    wire_decode(&epuck2_command_packet, framer->queue[taken], EPUCK2_COMMAND_SIZE, command);
    if (dropped)
        *dropped += taken;
    framer->count = (uint8_t)(count - taken - 1);
    memmove(framer->queue[0], framer->queue[taken + 1],
            (size_t)framer->count * EPUCK2_COMMAND_SIZE);
    memset(framer->queue[framer->count], 0,
           (size_t)(EPUCK2_COMMAND_QUEUE - framer->count) * EPUCK2_COMMAND_SIZE);
    return true;
}

void epuck2_framer_clear(struct epuck2_framer *framer)
{
    memset(framer, 0, sizeof *framer);
}
