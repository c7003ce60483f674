/* What the hosts of one channel have said in a run, packet by packet: how often, with which values,
 * what the robot refused and why. Of fixed size; begins all zero but for its face. The simulation
 * does not depend on it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"
#include "sim/watch/frame_splitter.h"

enum {
    WIRE_ACCOUNT_PACKETS = 16, /* more than any robot understands on a channel */
    WIRE_ACCOUNT_VALUES = 8,   /* chosen: of a packet, those that fit a line */
    WIRE_ACCOUNT_IDS = 4,      /* chosen: unknown ids that are named */
    WIRE_ACCOUNT_SAMPLE = 48,  /* chosen: bytes that show what was wrong */
};

/* A packet that the robot knows. */
struct wire_account_packet {
    const struct wire_packet *packet;
    uint64_t count;    /* of the right length */
    uint64_t refused;  /* of a wrong one */
    size_t wrong_size; /* of the first of these, bytes */
    struct {
        double least, most; /* in the unit of the field */
    } values[WIRE_ACCOUNT_VALUES];
};

/* The first bytes that were refused for a cause. */
struct wire_sample {
    int64_t at_us;
    size_t size; /* 0: there were none */
    uint8_t bytes[WIRE_ACCOUNT_SAMPLE];
};

struct wire_account {
    const struct robot_type *type;
    unsigned channel; /* of the type */
    struct wire_account_packet packets[WIRE_ACCOUNT_PACKETS];
    size_t packet_count;
    uint8_t unknown[WIRE_ACCOUNT_IDS];
    size_t unknown_count;
    uint64_t unknown_parts;  /* parts with such ids in good frames */
    uint64_t refused_frames; /* good frames in which a part was refused */
    struct wire_sample samples[REFUSALS];
    uint64_t deaf_bytes;   /* of the noise, while the robot ignored all bytes; */
    const char *deaf;      /* the reason, of the last ones */
    int64_t last_us;       /* when bytes came last; 0: never */
    int64_t pause_us;      /* the longest time between two pieces */
    int64_t pause_from_us; /* when it began */
};

/* Adds what the splitter of the channel has found. */
void wire_account_add(struct wire_account *account, const struct frame_piece *piece);

/* The number of values of a packet that are kept: one for each element of each field. */
size_t wire_account_values(const struct wire_packet *packet);
/* The field of value number VALUE, and its element in *ELEMENT. */
const struct wire_field *wire_account_field(const struct wire_packet *packet, size_t value,
                                            size_t *element);

/* A byte that spoils a frame. */
struct wire_mistake {
    const struct wire_packet *packet; /* that the frame was meant to be */
    const char *byte;                 /* "checksum" or "length byte" */
    uint8_t found, wanted;
};

/* Whether another checksum, or another length byte with any checksum, makes a good frame of some of
 * the refused bytes. */
bool wire_account_meant(const struct wire_account *account, const struct wire_sample *sample,
                        struct wire_mistake *mistake);

/* The packet that the first of the refused bytes were meant to be, if one byte (a length) and the
 * checksum were others; NULL: none, or too long to try. Slow: up to a fifth of a second. */
const struct wire_packet *wire_account_misfit(const struct wire_account *account,
                                              const struct wire_sample *sample);
