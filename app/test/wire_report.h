/* The traffic of each channel in a test, and the bytes that its robot refused, for the report. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "app/links/links_view.h"
#include "app/test/wire_log.h"
#include "sim/sim.h"

enum {
    WIRE_REPORT_NAME = 96,   /* bytes of a channel's name */
    WIRE_REPORT_TEXT = 1024, /* chosen: bytes of a text */
};

struct wire_report_channel {
    char name[WIRE_REPORT_NAME]; /* robot.channel */
    size_t channel;              /* index in the simulation */
    uint64_t came;               /* frames from hosts, including refused frames */
    uint64_t understood;         /* frames whose parts the robot accepted completely */
    uint64_t bytes_in, frames_out, bytes_out;
    uint64_t refused;                /* sum of its refusal counters */
    uint64_t dropped;                /* chunks lost because the host did not read */
    struct reading reading;          /* how its hosts read */
    bool is_faulty;                  /* faults of the scene acted on this channel */
    char refusals[WIRE_REPORT_TEXT]; /* "base_control with a wrong length ..."; "": none */
    char reported[WIRE_REPORT_TEXT]; /* "base_control 101 times (speed 200 mm/s, ...)"; "": nothing
                                      */
};

/* The channels with traffic in any direction, in the order of the simulation. */
struct wire_report {
    struct wire_report_channel *channels;
    size_t count;
};

/* Call it after the run. False: out of memory, channels are missing. */
bool wire_report_make(struct wire_report *report, const struct sim *sim, const struct links *links,
                      const struct wire_log *log);

/* Prints a table, truncated if there are many channels. WITH_REPORTED: also prints the commands
 * that each robot received. False: out of memory, rows are missing. */
bool wire_report_print(const struct wire_report *report, bool with_reported, FILE *out);

void wire_report_free(struct wire_report *report);
