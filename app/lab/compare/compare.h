/* Compares packets of a real robot with those of the virtual robot: order, rates, and each field
 * with its tolerance. */
#pragma once

#include <stdio.h>

#include "app/lab/compare/trace.h"
#include "base/error.h"

enum { COMPARE_PAIRS_UNMATCHED = -1, COMPARE_WHY_MAX = 160 };

/* How a field is compared. */
enum compare_kind {
    COMPARE_VALUE, /* at its time, within one packet */
    COMPARE_COUNT, /* its advance since the start, modulo its range */
    COMPARE_LEFT_OUT,
};

struct compare_rule {
    char field[64]; /* `packet.field`, or a part of this name */
    enum compare_kind kind;
    double tolerance; /* in the field's unit */
    double share;     /* additional tolerance: share of the value or of the advance */
};

/* One kind of packet, of both robots. */
struct compare_packet {
    const struct wire_packet *wire;
    const struct trace_series *real, *ours; /* NULL: no such packets */
    int *partner; /* for each real packet: index of the virtual packet, or UNMATCHED */
    size_t pairs, missing, extra, late; /* missing in or additional to the real packets */
    double first_missing_s, first_extra_s, worst_late_s, late_at_s;
    double real_hz, our_hz;
    double real_jitter_s, our_jitter_s; /* standard deviation of the gaps */
    bool is_beyond;
    char why[COMPARE_WHY_MAX];
};

/* One field, or one element of a field, of a packet. */
struct compare_field {
    size_t packet; /* index in PACKETS */
    const struct wire_field *field;
    size_t element, column; /* in an array; in the series */
    struct compare_rule rule;
    size_t pairs, beyond;
    double worst, worst_at_s; /* largest excess, in the field's unit */
    double score;             /* mean square of the excess, relative to the tolerance */
    double square;            /* mean square of the whole difference, relative to the tolerance */
    bool is_beyond;
    char why[COMPARE_WHY_MAX]; /* "scale: 1.05 of the virtual robot's" ... */
};

struct comparison {
    struct compare_packet packets[TRACE_SERIES_MAX];
    size_t packet_count;
    struct compare_field *fields;
    size_t field_count;
    double offset_s, drift; /* of the real clock relative to the virtual clock; drift 1e-6: 1 us
                               per s */
    bool has_drift;         /* false: the packets are not sufficient */
    double square;          /* sum over all fields; 0: equal */
    size_t beyond;          /* packets and fields that differ */
};

struct compare_options {
    bool has_room;                    /* the scene is the room of the recording */
    const struct compare_rule *rules; /* take precedence over the default rules */
    size_t rule_count;
};

/* Adds the lines `packet.field NUMBER` or `packet.field leave-out` of a file, NAME; `#` begins a
 * comment. ROOM: size of RULES. False, with ERROR, if a line is invalid, or there are too many. */
bool compare_rules_read(FILE *file, const char *name, struct compare_rule *rules, size_t room,
                        size_t *count, struct error *error);

/* False: out of memory. The traces must outlive the comparison. */
bool compare_traces(struct comparison *comparison, const struct trace *real,
                    const struct trace *ours, const struct compare_options *options);
void compare_free(struct comparison *comparison);

/* The values of all pairs of a field in the compared form, in the field's unit. */
struct compare_columns {
    double *time_s, *real, *ours;
    size_t count; /* 1 or more */
};

/* FIELD must have pairs. False: out of memory. */
bool compare_columns_take(struct compare_columns *columns, const struct comparison *comparison,
                          const struct compare_field *field);
void compare_columns_free(struct compare_columns *columns);
