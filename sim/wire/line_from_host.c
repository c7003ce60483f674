/* The simulated wire: the queue to the robot, paced by the baud rate, and its faults. */
#include <assert.h>
#include <string.h>

#include "sim/wire/line_state.h"

enum { STEP_US = 1000 }; /* bytes held back are paced from within the last step on */

size_t line_misread(struct line *line, enum line_way way, const uint8_t *bytes, size_t size,
                    const uint8_t **out)
{
    uint32_t robot = line->config.baud, host = line->host_baud;
    *out = bytes;
    if (!line->heard || robot == 0 || host == 0 || host == robot)
        return size;
    *out = line->heard;
    return line_resample(bytes, size, way == LINE_TO_HOST ? robot : host,
                         way == LINE_TO_HOST ? host : robot, line->heard, line->heard_size);
}

size_t line_room(const struct line *line)
{
    size_t used = line->from_size + line->host_frame_size + line->faults[LINE_TO_ROBOT].hold.size;
    return used < LINE_FROM_HOST_MAX ? LINE_FROM_HOST_MAX - used : 0;
}

/* Puts bytes on the wire to the robot. */
static void start(struct line *line, const uint8_t *bytes, size_t size, int64_t now_us)
{
    if (line->from_size == 0 && line->from_free_ns < now_us * 1000)
        line->from_free_ns = now_us * 1000;
    for (size_t i = 0; i < size; i++)
        line->from_host[(line->from_head + line->from_size + i) % LINE_FROM_HOST_MAX] = bytes[i];
    line->from_size += size;
}

void line_host_bytes(struct line *line, const uint8_t *bytes, size_t size, int64_t now_us)
{
    assert(size <= line_room(line));
    line->host_frames += !line->has_host_frame;
    line->has_host_frame = true;
    line->host_bytes += size;
    if (!line->is_faulty[LINE_TO_ROBOT]) {
        start(line, bytes, size, now_us);
        return;
    }
    if (line->host_frame_size == 0)
        line->host_frame_us = now_us;
    memcpy(line->host_frame + line->host_frame_size, bytes, size);
    line->host_frame_size += size;
}

/* What the host has written goes through the faults, and what these let pass onto the wire. */
static void pass_faults(struct line *line, int64_t now_us)
{
    struct line_faults *faults = &line->faults[LINE_TO_ROBOT];
    uint64_t *counts = line->stats.faults;
    const uint8_t *bytes;
    uint8_t part[256];
    line_fault_greet(faults, now_us, counts);
    if (line->host_frame_size > 0) {
        size_t size = line_fault_damage(faults, line->host_frame, line->host_frame_size,
                                        line->host_bytes - line->host_frame_size,
                                        line->host_frames - 1, now_us, &bytes, counts);
        line->stats.fault_overruns +=
            !line_fault_hold(faults, bytes, size, line->host_frame_us, now_us, counts);
        line->host_frame_size = 0;
    }
    for (;;) {
        size_t room = LINE_FROM_HOST_MAX - line->from_size;
        int64_t due_us;
        size_t size =
            line_fault_pass(faults, part, room < sizeof part ? room : sizeof part, now_us, &due_us);
        if (size == 0)
            break;
        start(line, part, size, due_us > now_us - STEP_US ? due_us : now_us - STEP_US);
    }
    line->is_faulty[LINE_TO_ROBOT] = line_faults_is_busy(faults, now_us);
}

size_t line_to_robot(struct line *line, uint8_t *out, size_t cap, int64_t now_us)
{
    size_t size = 0;
    if (line->is_faulty[LINE_TO_ROBOT])
        pass_faults(line, now_us);
    line->has_host_frame = false;
    while (size < cap && line->from_size > 0 &&
           line->from_free_ns + line->byte_ns <= now_us * 1000) {
        line->from_free_ns += line->byte_ns;
        out[size++] = line->from_host[line->from_head];
        line->from_head = (line->from_head + 1) % LINE_FROM_HOST_MAX;
        line->from_size--;
    }
    const uint8_t *heard;
    size_t heard_size = line_misread(line, LINE_TO_ROBOT, out, size, &heard);
    if (heard != out) {
        size = heard_size < cap ? heard_size : cap; // as a receiver that overruns
        memcpy(out, heard, size);
    }
    line->stats.from_host_bytes += size;
    return size;
}
