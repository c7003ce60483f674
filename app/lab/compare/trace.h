/* A trace contains the packets from a line of a robot to its host, in their order, each with its
 * time and the values of its fields. It comes from a recording, or from the virtual robot, which
 * gets the host's bytes of a recording at their times. */
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
    size_t width; /* values per packet: all elements of all fields */
    size_t count, room;
    double *time_s; /* since the start of the recording */
    double *raw;    /* as on the wire, WIDTH values per packet */
};

struct trace {
    struct trace_series series[TRACE_SERIES_MAX];
    size_t count;
    size_t size;  /* bytes of memory of the series */
    bool is_full; /* out of memory: no more packets are added */
};

/* One input from the host. */
struct trace_input {
    int64_t time_ns; /* since the start of the recording */
    bool is_bytes;
    uint8_t *bytes;
    size_t size;
    unsigned lines; /* MODEM_HOST_LINES */
    uint32_t baud;  /* 0: unknown */
    bool comes, leaves;
};

struct recording {
    struct trace trace; /* packets of the robot */
    struct trace_input *inputs;
    size_t input_count, input_room;
    const struct robot_type *type;
    unsigned channel;
    char line[CAPTURE_NAME_MAX];
    int64_t length_ns; /* up to the latest block */
    int64_t quiet_ns;  /* sum of the excess of long gaps */
    bool is_simulated; /* its times begin at the start of a simulation */
    bool is_raw;       /* a text log or bare bytes of a real robot */
    bool is_untimed;   /* bare bytes: packets have only an order */
};

/* Reads the first line of a recording that has TYPE and CHANNEL, or the line LINE if it is not "".
 * False with ERROR. */
bool recording_read(struct recording *recording, const char *path,
                    const struct block_format *format, const struct robot_type *type,
                    unsigned channel, const char *line, struct error *error);
/* If the recording has no times, gives its packets the times of the virtual packets, in their
 * order. Packets without a counterpart are dropped. */
void recording_take_times(struct recording *recording, struct trace *ours);
void recording_free(struct recording *recording);

/* Runs SCENE, whose robot ROBOT gets the inputs from the recording, and fills TRACE with the
 * packets of that robot. A recording of a real robot begins some seconds after the virtual robot
 * was switched on. False with ERROR. */
bool trace_run(struct trace *trace, const struct recording *recording, const struct scene *scene,
               size_t robot, struct error *error);
void trace_free(struct trace *trace);

/* The series of a packet, or NULL. */
const struct trace_series *trace_find(const struct trace *trace, const struct wire_packet *packet);
