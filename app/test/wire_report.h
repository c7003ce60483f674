/* What each wire of a test has carried, and what its robot refused, for the report. */
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
    WIRE_REPORT_TEXT = 1024, /* chosen: bytes of a sentence */
};

struct wire_report_channel {
    char name[WIRE_REPORT_NAME]; /* robot.channel */
    size_t channel;              /* of the simulation */
    uint64_t came;               /* frames from hosts, refused ones too */
    uint64_t understood;         /* those of which the robot took every part */
    uint64_t bytes_in, frames_out, bytes_out;
    uint64_t refused;                /* of its counters, all added */
    uint64_t dropped;                /* pieces lost because the host did not read */
    struct reading reading;          /* of its hosts */
    bool is_faulty;                  /* the scene's faults met this wire */
    char refusals[WIRE_REPORT_TEXT]; /* "base_control with a wrong length ...", "": none */
    char reported[WIRE_REPORT_TEXT]; /* "base_control 101 times (speed 200 mm/s, ...)", "": nothing
                                      */
};

/* The channels over which something went or was sent, in the order of the simulation. */
struct wire_report {
    struct wire_report_channel *channels;
    size_t count;
};

/* After the run. False: memory is short, and channels are missing. */
bool wire_report_make(struct wire_report *report, const struct sim *sim, const struct links *links,
                      const struct wire_log *log);

/* A table; of many channels the first ones. WITH_REPORTED: and what each robot was told. False:
 * memory is short and rows are missing. */
bool wire_report_print(const struct wire_report *report, bool with_reported, FILE *out);

void wire_report_free(struct wire_report *report);
