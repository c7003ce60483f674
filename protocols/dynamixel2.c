/* The parser has no timeout, like the library: a truncated frame swallows the bytes that follow
 * it. */
#include "protocols/dynamixel2.h"

#include <string.h>

static const uint8_t head[] = {0xFF, 0xFF, 0xFD};

enum { ENTRY = 12 }; /* of a queued request before its bytes: time, id, instruction, size */

/* ---- Receiving ---- */

static void forget(struct dynamixel2 *self)
{
    memset(self->frame, 0, self->used);
    self->used = self->size = 0;
}

static void enqueue(struct dynamixel2 *self, size_t size, int64_t now_us, struct robot_stats *stats)
{
    uint8_t plain[sizeof self->frame];
    const uint8_t *from = self->frame + DYNAMIXEL2_HEAD + 1;
    uint16_t count = (uint16_t)wire_unstuff(from, size - DYNAMIXEL2_HEAD - 3, plain);
    uint8_t *entry = self->queue + self->waiting;
    stats->frames++;
    if (self->waiting + ENTRY + count > sizeof self->queue) {
        stats->overruns++;
        return;
    }
    memcpy(entry, &now_us, sizeof now_us);
    entry[8] = self->frame[4];
    entry[9] = self->frame[DYNAMIXEL2_HEAD];
    memcpy(entry + 10, &count, sizeof count);
    memcpy(entry + ENTRY, plain, count);
    self->waiting += ENTRY + count;
}

static void end_frame(struct dynamixel2 *self, int64_t now_us, struct robot_stats *stats)
{
    size_t body = self->used - 2;
    uint16_t check = (uint16_t)(self->frame[body] | self->frame[body + 1] << 8);
    if (wire_crc16(self->frame, body) == check)
        enqueue(self, self->used, now_us, stats);
    else
        stats->bad_frames++;
    forget(self);
}

/* BYTE does not continue a frame header: counts it and the held bytes as noise. */
static void drop(struct dynamixel2 *self, uint8_t byte, struct robot_stats *stats)
{
    uint32_t kept = byte == 0xFF && self->used == 2 ? 2 : 0; // the last two of a run of FF
    stats->noise_bytes += self->used + 1 - kept;
    forget(self);
    self->used = kept;
    memset(self->frame, 0xFF, kept);
}

static void push_byte(struct dynamixel2 *self, enum dynamixel2_library library, uint8_t byte,
                      int64_t now_us, struct robot_stats *stats)
{
    uint32_t at = self->used;
    bool is_head = at < sizeof head ? byte == head[at] : at != 3 || byte != 0xFD;
    if (!is_head) {
        drop(self, byte, stats);
        return;
    }
    self->frame[self->used++] = byte;
    if (at == DYNAMIXEL2_HEAD - 1) {
        uint32_t length = (uint32_t)(self->frame[5] | byte << 8);
        self->size = DYNAMIXEL2_HEAD + length;
        if (length < 3 || length > DYNAMIXEL2_LENGTH_MAX) {
            stats->bad_frames++;
            forget(self);
        }
        return;
    }
    bool is_stuffing = at >= DYNAMIXEL2_HEAD + 3 && at + 2 < self->size && byte == 0xFD &&
                       memcmp(self->frame + at - 3, head, sizeof head) == 0;
    if (is_stuffing && library < DYNAMIXEL2_0_7_0 && self->size < sizeof self->frame)
        self->size++;
    if (self->used == self->size)
        end_frame(self, now_us, stats);
}

void dynamixel2_push(struct dynamixel2 *self, enum dynamixel2_library library, const uint8_t *bytes,
                     size_t size, int64_t now_us, struct robot_stats *stats)
{
    for (size_t i = 0; i < size; i++)
        push_byte(self, library, bytes[i], now_us, stats);
}

bool dynamixel2_pop(struct dynamixel2 *self, struct dynamixel2_request *request)
{
    if (self->waiting == 0)
        return false;
    memcpy(&request->at_us, self->queue, sizeof request->at_us);
    request->id = self->queue[8];
    request->instruction = self->queue[9];
    memcpy(&request->size, self->queue + 10, sizeof request->size);
    memcpy(request->bytes, self->queue + ENTRY, request->size);
    uint32_t taken = ENTRY + (uint32_t)request->size;
    self->waiting -= taken;
    memmove(self->queue, self->queue + taken, self->waiting);
    memset(self->queue + self->waiting, 0, taken);
    return true;
}

/* ---- Sending ---- */

size_t dynamixel2_status(enum dynamixel2_library library, uint8_t id, uint8_t error,
                         const uint8_t *bytes, size_t size, uint8_t out[DYNAMIXEL2_FRAME_MAX])
{
    uint8_t *body = out + DYNAMIXEL2_HEAD;
    memcpy(out, head, sizeof head);
    out[3] = 0;
    out[4] = id;
    body[0] = DYNAMIXEL2_STATUS;
    body[1] = error;
    if (size > 0)
        memcpy(body + 2, bytes, size);
    size_t stuffed = wire_stuff(body, size + 2);
    if (library == DYNAMIXEL2_0_6_1 && stuffed > size + 2) {
        size_t at = 2;
        while (memcmp(body + at - 2, head, sizeof head) != 0)
            at++;
        memset(body + at, 0xFD, stuffed - at);
    }
    size_t end = DYNAMIXEL2_HEAD + stuffed, length = stuffed + 2;
    out[5] = (uint8_t)length;
    out[6] = (uint8_t)(length >> 8);
    uint16_t check = wire_crc16(out, end);
    out[end] = (uint8_t)check;
    out[end + 1] = (uint8_t)(check >> 8);
    return end + 2;
}

static uint16_t u16_at(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

size_t dynamixel2_obey(const struct dynamixel2_device *device,
                       const struct dynamixel2_request *request, uint64_t *effects,
                       struct robot_stats *stats, uint8_t out[DYNAMIXEL2_FRAME_MAX])
{
    uint8_t data[DYNAMIXEL2_READ_MAX];
    const uint8_t *bytes = request->bytes;
    size_t size = request->size, count = size == 4 ? u16_at(bytes + 2) : SIZE_MAX;
    enum control_result result;
    if (request->id != *device->id)
        return 0;
    switch (request->instruction) {
    case DYNAMIXEL2_PING:
        return dynamixel2_status(device->library, *device->id, 0, device->identity,
                                 sizeof device->identity, out);
    case DYNAMIXEL2_READ:
        stats->bad_lengths += count > sizeof data;
        if (count > sizeof data)
            return 0;
        control_table_read(device->table, device->message, u16_at(bytes), data, count);
        return dynamixel2_status(device->library, *device->id, 0, data, count, out);
    case DYNAMIXEL2_WRITE:
        stats->bad_lengths += size < 3;
        if (size < 3)
            return 0;
        result = control_table_write(device->table, device->message, u16_at(bytes), bytes + 2,
                                     size - 2, effects);
        return dynamixel2_status(device->library, *device->id, (uint8_t)result, NULL, 0, out);
    default:
        stats->unknown_ids++;
        return 0;
    }
}
