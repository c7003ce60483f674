/* Statistics of the packets that the drivers of one channel have sent in a run: their number, their
 * values, and the refused ones with the reasons. The struct has a fixed size; initially all members
 * are zero except type and channel. The simulation does not depend on it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"
#include "sim/watch/frame_splitter.h"

enum {
    WIRE_ACCOUNT_PACKETS = 16, /* more than any robot accepts on a channel */
    WIRE_ACCOUNT_VALUES = 8,   /* chosen: values of a packet that fit in a line */
    WIRE_ACCOUNT_IDS = 4,      /* chosen: unknown IDs that are listed */
    WIRE_ACCOUNT_SAMPLE = 48,  /* chosen: bytes that are enough to show an error */
};

/* A packet that the robot knows. */
struct wire_account_packet {
    const struct wire_packet *packet;
    uint64_t count;    /* with the right length */
    uint64_t refused;  /* with a wrong length */
    size_t wrong_size; /* size of the first of these, bytes */
    struct {
        double least, most; /* in the unit of the field */
    } values[WIRE_ACCOUNT_VALUES];
};

/* The first bytes that were refused for a reason. */
struct wire_sample {
    int64_t at_us;
    size_t size; /* 0: no bytes */
    uint8_t bytes[WIRE_ACCOUNT_SAMPLE];
};

struct wire_account {
    const struct robot_type *type;
    unsigned channel; /* number in the robot's type */
    struct wire_account_packet packets[WIRE_ACCOUNT_PACKETS];
    size_t packet_count;
    uint8_t unknown[WIRE_ACCOUNT_IDS];
    size_t unknown_count;
    uint64_t unknown_parts;  /* parts with unknown IDs in good frames */
    uint64_t refused_frames; /* good frames with a refused part */
    struct wire_sample samples[REFUSALS];
    uint64_t deaf_bytes;   /* number of noise bytes while the robot ignored all bytes; */
    const char *deaf;      /* the reason for the last of them */
    int64_t last_us;       /* arrival time of the last bytes; 0: never */
    int64_t pause_us;      /* the longest time between two pieces */
    int64_t pause_from_us; /* start of that time */
};

/* Adds a piece that the splitter of the channel has found. */
void wire_account_add(struct wire_account *account, const struct frame_piece *piece);

/* Number of recorded values of a packet: one for each element of each field. */
size_t wire_account_values(const struct wire_packet *packet);
/* The field of value number VALUE, and its element in *ELEMENT. */
const struct wire_field *wire_account_field(const struct wire_packet *packet, size_t value,
                                            size_t *element);

/* A wrong byte in a frame. */
struct wire_mistake {
    const struct wire_packet *packet; /* the packet that the frame would be */
    const char *byte;                 /* "checksum" or "length byte" */
    uint8_t found, wanted;
};

/* Whether the refused bytes become a good frame with another checksum, or with another length byte
 * and any checksum. */
bool wire_account_meant(const struct wire_account *account, const struct wire_sample *sample,
                        struct wire_mistake *mistake);

/* The packet that the first of the refused bytes would be with another checksum and one other byte
 * (a length); NULL: none, or too long to try. Slow: up to a fifth of a second. */
const struct wire_packet *wire_account_misfit(const struct wire_account *account,
                                              const struct wire_sample *sample);
