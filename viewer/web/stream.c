/* Snapshots, their changes, events as text, and compression. */
#include "viewer/web/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- Data that a page does not show becomes zero ---- */

/* Rounded to powers of two, so that the last bytes of a number are zero. Chosen: 1/6 pixel at the
 * largest zoom of a page, and the precision of a panel. */
static const double METERS = 1.0 / 131072; /* 8 micrometers */
static const double RADIANS = 1.0 / 65536;
static const double COARSE = 1.0 / 2048; /* half a millimeter, for readings of sensors */

static double rounded(double value, double step)
{
    return round(value / step) * step;
}

static float rounded_f(float value, double step)
{
    return isfinite(value) ? (float)rounded((double)value, step) : value;
}

static void round_pose(struct snapshot_pose *pose)
{
    pose->x_m = rounded(pose->x_m, METERS);
    pose->y_m = rounded(pose->y_m, METERS);
    pose->heading_rad = rounded(pose->heading_rad, RADIANS);
}

static void round_reach(float reach_m[SNAPSHOT_LIGHT_RAYS])
{
    for (size_t i = 0; i < SNAPSHOT_LIGHT_RAYS; i++)
        reach_m[i] = rounded_f(reach_m[i], COARSE);
}

static void round_robot(struct snapshot_robot *robot)
{
    round_pose(&robot->pose);
    round_pose(&robot->odometry);
    robot->charge = rounded_f(robot->charge, 1.0 / 1024);
    robot->speed_m_s = rounded_f(robot->speed_m_s, COARSE);
    robot->turn_rad_s = rounded_f(robot->turn_rad_s, COARSE);
    for (uint32_t i = 0; i < robot->wheel_count; i++) {
        struct snapshot_wheel *wheel = &robot->wheels[i];
        wheel->heading_rad = rounded_f(wheel->heading_rad, COARSE);
        wheel->turned_rad = rounded_f(wheel->turned_rad, 1.0 / 256);
    }
    for (uint32_t i = 0; i < robot->sensor_count; i++)
        robot->sensors[i].distance_m = rounded_f(robot->sensors[i].distance_m, COARSE);
}

static void slim_channel(struct snapshot_channel *channel, bool is_wished)
{
    channel->stats.sent = 0;
    if (is_wished)
        return;
    memset(channel->frames, 0, sizeof channel->frames);
    channel->stats.frames = 0;
    channel->to_host_frames = channel->to_host_bytes = channel->from_host_bytes = 0;
    channel->taken_frames = 0;
}

/* Keeps only the values of a robot's signals that light parts of its appearance. */
static void slim_values(struct snapshot *snapshot, const struct snapshot_robot *robot)
{
    double *values = (double *)((char *)snapshot + snapshot->values.at);
    const uint32_t *lit_by = snapshot_at(snapshot, robot->lit_by);
    for (uint32_t i = 0; i < robot->signals.count; i++) {
        uint32_t signal = robot->first_signal + i;
        bool is_light = false;
        for (uint32_t k = 0; k < robot->lit_by.count && !is_light; k++)
            is_light = lit_by[k] == signal;
        if (!is_light)
            values[signal] = 0;
    }
}

static bool is_wished(const struct slim_wishes *wishes, uint32_t robot)
{
    return robot < SLIM_ROBOTS_MAX && wishes->robots[robot / 32] >> (robot % 32) & 1;
}

void slim_snapshot(struct snapshot *snapshot, const struct slim_wishes *wishes, bool is_exact)
{
    struct snapshot_robot *robots = (void *)((char *)snapshot + snapshot->robots.at);
    struct snapshot_channel *channels = (void *)((char *)snapshot + snapshot->channels.at);
    struct snapshot_fault *faults = (void *)((char *)snapshot + snapshot->faults.at);
    struct snapshot_dock *docks = (void *)((char *)snapshot + snapshot->docks.at);
    struct snapshot_beacon *beacons = (void *)((char *)snapshot + snapshot->beacons.at);
    for (uint32_t i = 0; i < snapshot->robots.count; i++) {
        if (!is_exact)
            round_robot(&robots[i]);
        if (is_wished(wishes, i))
            continue;
        slim_values(snapshot, &robots[i]);
        memset((char *)snapshot + robots[i].image.at, 0, robots[i].image.count);
    }
    for (uint32_t i = 0; i < snapshot->channels.count; i++)
        slim_channel(&channels[i], is_wished(wishes, channels[i].robot));
    for (uint32_t i = 0; i < snapshot->docks.count && !is_exact; i++)
        round_reach(docks[i].reach_m);
    for (uint32_t i = 0; i < snapshot->beacons.count && !is_exact; i++)
        round_reach(beacons[i].reach_m);
    // The page shows the remaining time in whole seconds.
    for (uint32_t i = 0; i < snapshot->fault_count && !is_exact; i++)
        faults[i].left_s = isfinite(faults[i].left_s) ? ceilf(faults[i].left_s) : faults[i].left_s;
}

/* Trails shift, which is reported as moves. All other data is compared byte by byte. */

enum {
    GAP = 3,     /* chosen: equal bytes that are not worth a new piece, which takes two */
    SHIFTS = 32, /* chosen: points added to a trail between two pictures */
};

void change_free(struct change *change)
{
    free(change->reported);
    free(change->bytes);
    *change = (struct change){0};
}

/* ---- Growing buffers ---- */

static void put_change(struct change *change, const uint8_t *bytes, size_t count)
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
    put_change(change, bytes, count);
}

/* ---- Moves ---- */

/* The distance that a full trail has moved, in points; 0: it has not moved, or too far. */
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

/* Reports the move of the trail at byte AT, and applies it to the known state. */
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

/* Reports all moves; IS_COUNTED: only counts them. */
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

/* The position of the next difference from AT on; SIZE: none. Most bytes are equal. */
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
        put_change(change, new + at, end - at);
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

bool stream_open(struct stream *stream, bool is_zipped)
{
    *stream = (struct stream){.is_zipped = is_zipped};
    // 16 + 15: with a gzip header, as browsers need; level 4, since the changes are small.
    return !is_zipped ||
           deflateInit2(&stream->zip, 4, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

void stream_close(struct stream *stream)
{
    if (stream->is_zipped)
        deflateEnd(&stream->zip);
    change_free(&stream->change);
    free(stream->slim);
    free(stream->out);
    free(stream->text);
    *stream = (struct stream){0};
}

bool stream_is_taken(const struct stream *stream)
{
    return stream->out_at == stream->out_size;
}

size_t stream_take(struct stream *stream, char *bytes, size_t size)
{
    size_t left = stream->out_size - stream->out_at;
    size_t taken = left < size ? left : size;
    memcpy(bytes, stream->out + stream->out_at, taken);
    stream->out_at += taken;
    return taken;
}

/* ---- Texts ---- */

static void put(struct stream *stream, const char *text, size_t size)
{
    if (!array_reserve(&stream->text, &stream->text_room, stream->text_size + size, 1))
        return;
    memcpy(stream->text + stream->text_size, text, size);
    stream->text_size += size;
}

static void put_bytes(struct stream *stream, const uint8_t *bytes, size_t count)
{
    if (!array_reserve(&stream->text, &stream->text_room, stream->text_size + 2 * count, 1))
        return;
    for (size_t i = 0; i < count; i++, stream->text_size += 2)
        change_utf8(bytes[i], stream->text + stream->text_size);
}

/* Adds the text to the data to be sent. */
static void send_text(struct stream *stream)
{
    if (stream_is_taken(stream))
        stream->out_at = stream->out_size = 0;
    size_t most =
        stream->is_zipped ? deflateBound(&stream->zip, stream->text_size) + 64 : stream->text_size;
    if (!array_reserve(&stream->out, &stream->out_room, stream->out_size + most, 1))
        return;
    char *end = stream->out + stream->out_size;
    if (!stream->is_zipped) {
        memcpy(end, stream->text, stream->text_size);
        stream->out_size += stream->text_size;
        return;
    }
    stream->zip.next_in = (Bytef *)stream->text;
    stream->zip.avail_in = (uInt)stream->text_size;
    stream->zip.next_out = (Bytef *)end;
    stream->zip.avail_out = (uInt)most;
    deflate(&stream->zip, Z_SYNC_FLUSH);
    stream->out_size += most - stream->zip.avail_out;
}

static void begin(struct stream *stream, const char *event)
{
    stream->text_size = 0;
    put(stream, "event: ", 7);
    put(stream, event, strlen(event));
    put(stream, "\ndata: ", 7);
}

static void end(struct stream *stream, int64_t now_ms)
{
    put(stream, "\n\n", 2);
    send_text(stream);
    stream->said_ms = now_ms;
}

void stream_say(struct stream *stream, const char *event, const char *data, int64_t now_ms)
{
    begin(stream, event);
    put(stream, data, strlen(data));
    end(stream, now_ms);
}

/* ---- Snapshots ---- */

void stream_show(struct stream *stream, const struct snapshot *snapshot, int64_t now_ms)
{
    size_t size = (size_t)snapshot->size;
    bool is_whole;
    if (!array_reserve(&stream->slim, &stream->slim_room, size, 1))
        return;
    memcpy(stream->slim, snapshot, size);
    slim_snapshot(stream->slim, &stream->wishes, snapshot->is_paused || snapshot->is_lockstep);
    stream->is_due = false;
    if (!change_make(&stream->change, stream->slim, size, &is_whole))
        return;
    begin(stream, is_whole ? "whole" : "change");
    put_bytes(stream, stream->change.bytes, stream->change.byte_count);
    end(stream, now_ms);
}
