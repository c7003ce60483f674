/* The inside of a line, shared by the files that make it up and by nobody else. */
#ifndef PTYBOT_SIM_WIRE_LINE_STATE_H
#define PTYBOT_SIM_WIRE_LINE_STATE_H

#include "sim/wire/line.h"

enum {
    LINE_FROM_HOST_MAX = 4096, /* chosen: what a Linux tty buffers; a host that writes more than the
                                * wire carries is held back by its own write, as on a real UART */
    LINE_FRAMES_MAX = 64, /* chosen: over a second of Kobuki packets, far more than ever waits */
};

struct line_frame_end {
    int64_t end_ns; /* when its last bit has arrived at the host */
    size_t size;
};

struct line {
    struct line_config config;
    struct line_stats stats;
    bool is_host;
    uint32_t host_baud;
    int64_t byte_ns;

    uint8_t from_host[LINE_FROM_HOST_MAX];
    size_t from_head, from_size;
    int64_t from_free_ns; /* the wire towards the robot is busy until then */

    uint8_t *to_host; /* ring of queued bytes */
    size_t to_capacity, to_head, to_size;
    struct line_frame_end frames[LINE_FRAMES_MAX];
    size_t frame_head, frame_count;
    size_t front_taken; /* bytes of the front frame already given out */
    int64_t to_free_ns;
    int64_t ftdi_due_ns;
    uint8_t *chunk; /* what line_to_host handed out last */
    uint8_t *heard; /* what a receiver at another baud makes of bytes; NULL: bauds do not matter */
    size_t heard_size;

    struct line_faults faults[LINE_WAYS];
    bool is_faulty[LINE_WAYS];        /* bytes go through the faults */
    uint64_t sent_bytes, sent_frames; /* by the firmware, what was refused included */
    uint64_t host_bytes, host_frames; /* by the host; a frame is what it wrote within a step */
    bool has_host_frame;              /* it is begun */
    uint8_t host_frame[LINE_FROM_HOST_MAX]; /* its bytes, where faults wait for them */
    size_t host_frame_size;
    int64_t host_frame_us;
};

/* A receiver at another baud samples the wrong bits: OUT and the size are what it reads, valid
 * until the next call; where the bauds agree, or do not matter, BYTES as they are. */
size_t line_misread(struct line *line, enum line_way way, const uint8_t *bytes, size_t size,
                    const uint8_t **out);

#endif
