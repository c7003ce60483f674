/* Trails shift: they are reported as moves. All else is compared byte by byte. */
#include "viewer/web/change.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
    GAP = 3,     /* chosen: equal bytes that are not worth a new piece, which takes two */
    SHIFTS = 32, /* chosen: points that come to a trail between two pictures */
};

void change_free(struct change *change)
{
    free(change->reported);
    free(change->bytes);
    *change = (struct change){0};
}

/* ---- Bytes that grow ---- */

static void put(struct change *change, const uint8_t *bytes, size_t count)
{
    change->is_short |=
        !array_reserve(&change->bytes, &change->byte_room, change->byte_count + count, 1);
    if (change->is_short)
        return;
    memcpy(change->bytes + change->byte_count, bytes, count);
    change->byte_count += count;
}

static void put_number(struct change *change, size_t number)
{
    uint8_t bytes[10];
    size_t count = 0;
    do {
        bytes[count++] = (uint8_t)((number & 0x7F) | (number > 0x7F ? 0x80 : 0));
        number >>= 7;
    } while (number > 0);
    put(change, bytes, count);
}

/* ---- Moves ---- */

/* By how many points a full trail has moved on; 0: it has not, or too far. */
static size_t shift_of(const struct snapshot_trail *old, const struct snapshot_trail *new)
{
    if (old->count != new->count || new->count <= SHIFTS)
        return 0;
    for (size_t shift = 0; shift <= SHIFTS; shift++)
        if (memcmp(old->points + shift, new->points, (new->count - shift) * sizeof *new->points) ==
            0)
            return shift;
    return 0;
}

/* Reports how the trail at byte AT has moved, and moves what was told. */
static size_t notify_shift(struct change *change, const uint8_t *snapshot, size_t at,
                           bool is_counted)
{
    const struct snapshot_trail *new = (const void *)(snapshot + at);
    struct snapshot_trail *old = (void *)(change->reported + at);
    size_t shift = shift_of(old, new);
    if (shift == 0 || is_counted)
        return shift > 0;
    size_t to = at + offsetof(struct snapshot_trail, points);
    size_t bytes = (new->count - shift) * sizeof *new->points;
    put_number(change, to);
    put_number(change, to + shift * sizeof *new->points);
    put_number(change, bytes);
    memmove(change->reported + to, old->points + shift, bytes);
    return 1;
}

/* Tells all moves; IS_COUNTED: only counts them. */
static size_t notify_shifts(struct change *change, const struct snapshot *snapshot, bool is_counted)
{
    size_t count = 0;
    for (size_t i = 0; i < snapshot->robots.count; i++) {
        size_t at = snapshot->robots.at + i * sizeof(struct snapshot_robot);
        const uint8_t *bytes = (const uint8_t *)snapshot;
        count +=
            notify_shift(change, bytes, at + offsetof(struct snapshot_robot, trail), is_counted);
        count += notify_shift(change, bytes, at + offsetof(struct snapshot_robot, odometry_trail),
                              is_counted);
    }
    return count;
}

/* ---- Pieces ---- */

/* Where the next bytes differ, from AT on; SIZE: nowhere. Most are the same. */
static size_t next_difference(const uint8_t *old, const uint8_t *new, size_t at, size_t size)
{
    while (at + 64 <= size && memcmp(old + at, new + at, 64) == 0)
        at += 64;
    while (at < size && old[at] == new[at])
        at++;
    return at;
}

static size_t end_of_difference(const uint8_t *old, const uint8_t *new, size_t at, size_t size)
{
    size_t end = at + 1;
    for (size_t i = end; i < size && i - end < GAP; i++)
        if (old[i] != new[i])
            end = i + 1;
    return end;
}

static void notify_pieces(struct change *change, const uint8_t *new, size_t size)
{
    size_t reported = 0;
    for (size_t at = next_difference(change->reported, new, 0, size); at < size;) {
        size_t end = end_of_difference(change->reported, new, at, size);
        put_number(change, at - reported);
        put_number(change, end - at);
        put(change, new + at, end - at);
        reported = end;
        at = next_difference(change->reported, new, end, size);
    }
}

bool change_make(struct change *change, const struct snapshot *snapshot, size_t size,
                 bool *is_whole)
{
    *is_whole = change->size != size || change->generation != snapshot->generation;
    if (!array_reserve(&change->reported, &change->room, size, 1))
        return false;
    if (*is_whole)
        memset(change->reported, 0, size);
    change->byte_count = 0;
    change->is_short = false;
    put_number(change, size);
    put_number(change, *is_whole ? 0 : notify_shifts(change, snapshot, true));
    if (!*is_whole)
        notify_shifts(change, snapshot, false);
    notify_pieces(change, (const uint8_t *)snapshot, size);
    memcpy(change->reported, snapshot, size);
    change->size = change->is_short ? 0 : size;
    change->generation = snapshot->generation;
    return !change->is_short;
}
