/* A real robot's packets held against those of the virtual one: order, rates, and each field by its
 * tolerance. */
#pragma once

#include <stdio.h>

#include "app/lab/compare/trace.h"
#include "base/error.h"

enum { COMPARE_PAIRS_UNMATCHED = -1, COMPARE_WHY_MAX = 160 };

/* How a field is held against its counterpart. */
enum compare_kind {
    COMPARE_VALUE, /* at its time, give or take one packet */
    COMPARE_COUNT, /* what it has advanced since the start, modulo its range */
    COMPARE_LEFT_OUT,
};

struct compare_rule {
    char field[64]; /* `packet.field`, or a part of it */
    enum compare_kind kind;
    double tolerance; /* in the field's unit */
    double share;     /* and so much of what it has advanced or of its value */
};

/* One kind of packet on both sides. */
struct compare_packet {
    const struct wire_packet *wire;
    const struct trace_series *real, *ours; /* NULL: none came */
    int *partner; /* of each real packet, its number on the virtual side, or UNMATCHED */
    size_t pairs, missing, extra, late; /* missing of the real side; extra there */
    double first_missing_s, first_extra_s, worst_late_s, late_at_s;
    double real_hz, our_hz;
    double real_jitter_s, our_jitter_s; /* standard deviation of the times between two */
    bool is_beyond;
    char why[COMPARE_WHY_MAX];
};

/* One number of a packet. */
struct compare_field {
    size_t packet; /* index of the packets */
    const struct wire_field *field;
    size_t element, column; /* of an array; of the series */
    struct compare_rule rule;
    size_t pairs, beyond;
    double worst, worst_at_s; /* what is most beyond, in the field's unit */
    double score;             /* mean square of what is outside, tolerances being 1 */
    double square;            /* mean square of the whole difference, tolerances being 1 */
    bool is_beyond;
    char why[COMPARE_WHY_MAX]; /* "scale 1.05", "bytes swapped" ... */
};

struct comparison {
    struct compare_packet packets[TRACE_SERIES_MAX];
    size_t packet_count;
    struct compare_field *fields;
    size_t field_count;
    double offset_s, drift; /* of the real clock against the virtual one; drift 1e-6: 1 us a s */
    bool has_drift;         /* false: the packets do not tell it */
    double square;          /* of all fields; 0: equal */
    size_t beyond;          /* packets and fields that differ */
};

struct compare_options {
    bool has_room;                    /* the scene is the room of the recording */
    const struct compare_rule *rules; /* looked at before the default ones */
    size_t rule_count;
};

/* Adds the lines `packet.field NUMBER` or `packet.field leave-out` of a file, NAME; `#` begins a
 * comment. ROOM: rules that fit. False, with ERROR, where a line is none, or there are more. */
bool compare_rules_read(FILE *file, const char *name, struct compare_rule *rules, size_t room,
                        size_t *count, struct error *error);

/* False where memory is short. The traces outlive the comparison. */
bool compare_traces(struct comparison *comparison, const struct trace *real,
                    const struct trace *ours, const struct compare_options *options);
void compare_free(struct comparison *comparison);

/* The values of all pairs of a field as they are held against each other, in its unit. */
struct compare_columns {
    double *time_s, *real, *ours;
    size_t count; /* 1 or more */
};

/* Of a field that has pairs. False where memory is short. */
bool compare_columns_take(struct compare_columns *columns, const struct comparison *comparison,
                          const struct compare_field *field);
void compare_columns_free(struct compare_columns *columns);
