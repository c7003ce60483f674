/* Splits the bytes of a driver into frames. */
#include "sim/watch/frame_splitter.h"

#include <string.h>

/* chosen: drivers write a frame in one piece, so that refused bytes before such a pause belong
 * together */
static const int64_t PAUSE_US = 3000;

static const struct {
    size_t offset;
    const char *signal;
} counters[REFUSALS] = {
    [REFUSAL_BAD_LENGTH] = {offsetof(struct robot_stats, bad_lengths), "bad_lengths"},
    [REFUSAL_UNKNOWN_ID] = {offsetof(struct robot_stats, unknown_ids), "unknown_ids"},
    [REFUSAL_BAD_FRAME] = {offsetof(struct robot_stats, bad_frames), "bad_frames"},
    [REFUSAL_NOISE] = {offsetof(struct robot_stats, noise_bytes), "noise_bytes"},
};

uint64_t refusal_count(const struct robot_stats *stats, enum refusal cause)
{
    uint64_t count;
    memcpy(&count, (const char *)stats + counters[cause].offset, sizeof count);
    return count;
}

const char *refusal_signal(enum refusal cause)
{
    return counters[cause].signal;
}

static unsigned unreported_causes(const struct frame_splitter *splitter)
{
    unsigned causes = 0;
    for (unsigned i = 0; i < REFUSALS; i++)
        if (refusal_count(&splitter->now, i) > refusal_count(&splitter->reported, i))
            causes |= 1u << i;
    return causes;
}

/* Reports the first SIZE held bytes and removes them. */
static void hand_out(struct frame_splitter *splitter, const struct frame_splitter_user *user,
                     size_t size, bool is_good, int64_t at_us)
{
    if (size == 0)
        return;
    user->take(user->context,
               &(struct frame_piece){.direction = WIRE_TO_ROBOT,
                                     .bytes = splitter->hold,
                                     .size = size,
                                     .at_us = at_us,
                                     .is_good = is_good,
                                     .causes = is_good ? 0 : unreported_causes(splitter)});
    if (is_good)
        wire_promises_note(&splitter->promises,
                           robot_framing(user->type, user->channel, WIRE_TO_ROBOT),
                           user->type->packets, WIRE_TO_ROBOT, splitter->hold, size, at_us * 1000);
    uint64_t frames = splitter->reported.frames + is_good;
    splitter->reported = splitter->now;
    splitter->reported.frames = frames;
    splitter->held -= (uint32_t)size;
    memmove(splitter->hold, splitter->hold + size, splitter->held);
}

static void ignore_part(void *user, const struct wire_packet *packet, uint8_t id,
                        const uint8_t *body, size_t size)
{
    (void)user, (void)packet, (void)id, (void)body, (void)size;
}

/* The size of the good frame at the beginning of BYTES; 0: none. */
static size_t good_size(const struct frame_splitter_user *user, const uint8_t *bytes, size_t left)
{
    const struct robot_type *type = user->type;
    size_t reported =
        wire_frame_size(robot_framing(type, user->channel, WIRE_TO_ROBOT), bytes, left);
    size_t least = reported == WIRE_SIZE_UNKNOWN ? 1 : reported;
    size_t most = reported == WIRE_SIZE_UNKNOWN || reported > left ? left : reported;
    for (size_t size = least; size > 0 && size <= most; size++)
        if (robot_walk(type, user->channel, WIRE_TO_ROBOT, 0, bytes, size, ignore_part, NULL))
            return size;
    return 0;
}

/* Reports everything up to the end of the first good frame. False: there is none. */
static bool take_frame(struct frame_splitter *splitter, const struct frame_splitter_user *user,
                       int64_t now_us)
{
    for (uint32_t from = 0; from < splitter->held; from++) {
        size_t size = good_size(user, splitter->hold + from, splitter->held - from);
        if (size > 0) {
            hand_out(splitter, user, from, false, now_us);
            hand_out(splitter, user, size, true, now_us);
            return true;
        }
    }
    return false;
}

/* Reports the next frame if the robot has counted one that was not reported yet. The search may
 * fail: its bytes may have been dropped, or the robot may be more tolerant than the search. Without
 * a count there is no search, because noise can be long. */
static bool take_counted(struct frame_splitter *splitter, const struct frame_splitter_user *user,
                         int64_t now_us)
{
    return splitter->reported.frames < splitter->now.frames && take_frame(splitter, user, now_us);
}

void frame_splitter_push(struct frame_splitter *splitter, const struct frame_splitter_user *user,
                         const uint8_t *bytes, size_t size, const struct robot_stats *stats,
                         int64_t now_us)
{
    int64_t idle_us = now_us - splitter->held_us;
    if (idle_us > WIRE_SILENCE_NS / 1000 ||
        (idle_us > PAUSE_US && unreported_causes(splitter) != 0))
        hand_out(splitter, user, splitter->held, false, splitter->held_us);
    splitter->held_us = now_us;
    splitter->now = *stats;
    while (size > 0) {
        size_t room = FRAME_SPLITTER_BYTES - splitter->held;
        size_t part = size < room ? size : room;
        memcpy(splitter->hold + splitter->held, bytes, part);
        splitter->held += (uint32_t)part;
        bytes += part;
        size -= part;
        if (size > 0 && !take_counted(splitter, user, now_us))
            hand_out(splitter, user, splitter->held, false, now_us);
    }
    while (take_counted(splitter, user, now_us)) {
    }
    splitter->reported.frames = splitter->now.frames;
}

void frame_splitter_sent(struct frame_splitter *splitter, const struct frame_splitter_user *user,
                         const uint8_t *bytes, size_t size, bool is_queued, int64_t now_us)
{
    const struct wire_framing *framing = robot_framing(user->type, user->channel, WIRE_TO_HOST);
    struct frame_piece piece = {
        .direction = WIRE_TO_HOST, .bytes = bytes, .at_us = now_us, .is_good = is_queued};
    for (; size > 0; piece.bytes += piece.size, size -= piece.size) {
        piece.size = size;
        piece.promised = wire_promises_cut(&splitter->promises, framing, user->type->packets,
                                           piece.bytes, &piece.size, now_us * 1000);
        user->take(user->context, &piece);
    }
}

void frame_splitter_end(struct frame_splitter *splitter, const struct frame_splitter_user *user)
{
    hand_out(splitter, user, splitter->held, false, splitter->held_us);
}
