/* Commands as they come over WiFi: 0x80 and 20 bytes, no checksum, no length; and the few that wait
 * for the firmware's next turn. */
#ifndef PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_FRAMER_H
#define PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_FRAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/epuck2/epuck2_packets.h"
#include "protocols/robot.h"

/* With five commands or more the firmware takes the newest and forgets the others
 * (socket_e-puck2.c: 105 bytes), so no more need be kept. */
enum { EPUCK2_COMMAND_QUEUE = 5 };

/* All zero is the start. */
struct epuck2_framer {
    uint8_t used; /* bytes of a command that has begun */
    uint8_t count;
    uint8_t bytes[EPUCK2_COMMAND_FRAME];
    uint8_t queue[EPUCK2_COMMAND_QUEUE][EPUCK2_COMMAND_SIZE];
};

/* Takes one byte; true: it completed a command, which now waits. USES_BAD_ID: a command is whatever
 * 21 bytes come, as in the firmware after the first one; else bytes before 0x80 are skipped. Counts
 * frames, bad_frames and noise_bytes. */
bool epuck2_framer_push(struct epuck2_framer *framer, uint8_t byte, bool uses_bad_id,
                        struct robot_stats *stats);

/* The next command as the firmware takes it: the oldest, or the newest of five or more. False: none
 * waits. DROPPED (may be NULL) grows by those that are forgotten. */
bool epuck2_framer_take(struct epuck2_framer *framer, struct epuck2_command *command,
                        uint64_t *dropped);

/* Forgets all, as with a new connection. */
void epuck2_framer_clear(struct epuck2_framer *framer);

#endif
