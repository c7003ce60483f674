/* Frames of a channel, for display. The bytes of a driver are split into frames: the robot's parser
 * has counted the good frames, and a search with the parser of its packets finds which bytes they
 * are. The remaining bytes are reported in pieces, divided by pauses and frames. Frames of the
 * robot arrive complete; packets that a frame of either direction has promised are separated
 * (struct wire_promises). Plain data without pointers. The simulation does not depend on it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"

enum { FRAME_SPLITTER_BYTES = 192 }; /* chosen: more than any frame that a driver writes */

/* Reasons of a robot for refusing bytes, by the counters of struct robot_stats. */
enum refusal { REFUSAL_BAD_LENGTH, REFUSAL_UNKNOWN_ID, REFUSAL_BAD_FRAME, REFUSAL_NOISE, REFUSALS };

/* The counter of a cause, and the name of its signal. */
uint64_t refusal_count(const struct robot_stats *stats, enum refusal cause);
const char *refusal_signal(enum refusal cause);

struct frame_splitter {
    struct robot_stats now;      /* the robot's counters, after the last bytes */
    struct robot_stats reported; /* counters of the pieces reported so far */
    uint32_t held;               /* number of bytes of an incomplete frame */
    int64_t held_us;             /* arrival time of the last of them */
    uint8_t hold[FRAME_SPLITTER_BYTES];
    struct wire_promises promises;
};

/* Driver to robot: a whole frame that the robot has counted as good, or bytes that form no frame.
 * Robot to driver: a frame, or a promised packet. */
struct frame_piece {
    enum wire_direction direction;
    const uint8_t *bytes; /* owned by splitter or caller, until the callback ends */
    size_t size;
    int64_t at_us;     /* simulated time of its last byte */
    bool is_good;      /* robot to driver: the wire has accepted it */
    uint16_t promised; /* as in struct wire_piece */
    unsigned causes;   /* for bytes that form no frame: a bit (1 << refusal) for each counter that
                          increased meanwhile; 0: no counter did, so the bytes may still become part
                          of a frame */
};

/* Receives the pieces of a splitter. */
typedef void frame_splitter_take(void *context, const struct frame_piece *piece);

/* The robot that the bytes belong to, and the receiver of the frames. */
struct frame_splitter_user {
    const struct robot_type *type;
    unsigned channel; /* number in the robot's type */
    frame_splitter_take *take;
    void *context;
};

/* Processes bytes for a robot, split at any place. STATS are the robot's counters, which include
 * these bytes. */
void frame_splitter_push(struct frame_splitter *splitter, const struct frame_splitter_user *user,
                         const uint8_t *bytes, size_t size, const struct robot_stats *stats,
                         int64_t now_us);

/* Processes bytes that the robot sends at once. IS_QUEUED: the wire has accepted them. */
void frame_splitter_sent(struct frame_splitter *splitter, const struct frame_splitter_user *user,
                         const uint8_t *bytes, size_t size, bool is_queued, int64_t now_us);

/* Reports the held bytes, because no more follow. */
void frame_splitter_end(struct frame_splitter *splitter, const struct frame_splitter_user *user);
