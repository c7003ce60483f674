/* Frames of a channel, for display. Bytes from a host are split: the robot's parser has counted the
 * good frames, and the walk over its packets says which bytes they are. The rest is reported in
 * pieces, as pauses and frames cut it. What the robot sends comes whole; packets that a frame of
 * either direction has promised are cut off (struct wire_promises). Plain data without pointers;
 * the simulation does not depend on it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"

enum { FRAME_SPLITTER_BYTES = 192 }; /* chosen: more than any frame that a host writes */

/* Why a robot refuses bytes, by the counters of struct robot_stats. */
enum refusal { REFUSAL_BAD_LENGTH, REFUSAL_UNKNOWN_ID, REFUSAL_BAD_FRAME, REFUSAL_NOISE, REFUSALS };

/* The counter of a cause, and the name of its signal. */
uint64_t refusal_count(const struct robot_stats *stats, enum refusal cause);
const char *refusal_signal(enum refusal cause);

struct frame_splitter {
    struct robot_stats now;      /* the robot's, after the bytes that came last */
    struct robot_stats reported; /* of what was handed out so far */
    uint32_t held;               /* bytes of a frame that is not complete yet */
    int64_t held_us;             /* when the last of them came */
    uint8_t hold[FRAME_SPLITTER_BYTES];
    struct wire_promises promises;
};

/* To the robot: a whole frame that it has counted as good, or bytes that are none. To the host: a
 * frame, or a packet that was promised. */
struct frame_piece {
    enum wire_direction direction;
    const uint8_t *bytes; /* the splitter's or the caller's, until the callback ends */
    size_t size;
    int64_t at_us;     /* simulated time of its last byte */
    bool is_good;      /* to the host: the wire has taken it */
    uint16_t promised; /* as in struct wire_piece */
    unsigned causes;   /* of bytes that are no frame: a bit (1 << refusal) for each counter that
                        * went up meanwhile; 0: none did, so that they may yet be part of something */
};

/* Called by the splitter, for whoever gave it. */
typedef void frame_splitter_take(void *context, const struct frame_piece *piece);

/* Whose bytes they are, and who receives the frames. */
struct frame_splitter_user {
    const struct robot_type *type;
    unsigned channel; /* of the type */
    frame_splitter_take *take;
    void *context;
};

/* Bytes on their way to a robot, split anywhere. STATS are the robot's, which has counted them. */
void frame_splitter_push(struct frame_splitter *splitter, const struct frame_splitter_user *user,
                         const uint8_t *bytes, size_t size, const struct robot_stats *stats,
                         int64_t now_us);

/* Bytes that the robot sends at once. IS_QUEUED: the wire has taken them. */
void frame_splitter_sent(struct frame_splitter *splitter, const struct frame_splitter_user *user,
                         const uint8_t *bytes, size_t size, bool is_queued, int64_t now_us);

/* Hands out what is held, since nothing follows. */
void frame_splitter_end(struct frame_splitter *splitter, const struct frame_splitter_user *user);
