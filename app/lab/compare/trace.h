/* What one line of a robot said to its host: the packets in their order, each with its time and the
 * numbers of its fields. And where that comes from: a recording, or the virtual robot that gets the
 * host's bytes of a recording at their times. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/lab/recording/capture_reader.h"
#include "app/record/capture.h"
#include "base/error.h"
#include "protocols/robot.h"
#include "sim/scene/scene.h"

enum { TRACE_SERIES_MAX = 64 }; /* chosen: twice the packets of the richest robot */

/* All packets of one kind. */
struct trace_series {
    const struct wire_packet *packet;
    size_t width; /* numbers of a packet: all elements of all its fields */
    size_t count, room;
    double *time_s; /* from the start of the recording */
    double *raw;    /* as on the wire, WIDTH of each packet */
};

struct trace {
    struct trace_series series[TRACE_SERIES_MAX];
    size_t count;
    size_t size;  /* bytes of memory of the series */
    bool is_full; /* a packet found no memory: nothing more is added */
};

/* One thing that the host did. */
struct trace_input {
    int64_t time_ns; /* from the start of the recording */
    bool is_bytes;
    uint8_t *bytes;
    size_t size;
    unsigned lines; /* MODEM_HOST_LINES */
    uint32_t baud;  /* 0: not told */
    bool comes, leaves;
};

struct recording {
    struct trace trace; /* what the robot said */
    struct trace_input *inputs;
    size_t input_count, input_room;
    const struct robot_type *type;
    unsigned channel;
    char line[CAPTURE_NAME_MAX];
    int64_t length_ns; /* up to the latest block */
    int64_t quiet_ns;  /* in which nothing was recorded, as far as it is too long */
    bool is_simulated; /* its times are those of a simulation from its start */
    bool is_raw;       /* a text log or bare bytes of a real robot */
    bool is_untimed;   /* bare bytes: packets have only an order */
};

/* Reads the first line of a recording that is of TYPE and CHANNEL, or the one called LINE ("":
 * any). False with ERROR. */
bool recording_read(struct recording *recording, const char *path,
                    const struct block_format *format, const struct robot_type *type,
                    unsigned channel, const char *line, struct error *error);
/* Gives packets without times those of the virtual robot, the first to the first; what only one of
 * the two has is dropped. Does nothing to a recording with times. */
void recording_take_times(struct recording *recording, struct trace *ours);
void recording_free(struct recording *recording);

/* Runs SCENE, whose robot number ROBOT gets what the host of the recording did, and fills TRACE
 * with what that robot says. A recording of a real robot begins some seconds after the virtual
 * robot was switched on. False with ERROR. */
bool trace_run(struct trace *trace, const struct recording *recording, const struct scene *scene,
               size_t robot, struct error *error);
void trace_free(struct trace *trace);

/* The series of a packet, or NULL. */
const struct trace_series *trace_find(const struct trace *trace, const struct wire_packet *packet);
