/* A recording played as a robot: what it said to its driver comes out of ptys, each block at its
 * time, and what the driver says is held against what was recorded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "app/links/poller.h"
#include "base/error.h"

struct recorded;

/* Opens a recording and a pty for each of its lines, named as its robot (`kobuki` of `kobuki.uart`;
 * further lines of one robot by their whole names). SPEED: recorded seconds a second. SUB_FOLDER:
 * of the ports, NULL: none of their own. NULL with ERROR. */
struct recorded *recorded_open(const char *path, double speed, const char *sub_folder,
                               struct error *error);

/* One line of it. NULL: there are no more. */
const char *recorded_name(const struct recorded *recorded, size_t line);
const char *recorded_port(const struct recorded *recorded, size_t line);

/* Plays from the first host on to the end of the recording, or until somebody asks for the end. */
void recorded_run(struct recorded *recorded, struct poller *poller);

struct recorded_counts {
    uint64_t sent, dropped;   /* bytes to hosts; those that they did not read */
    uint64_t heard, expected; /* bytes of hosts; those of the recording up to now */
    size_t departed;          /* lines whose host said something else than recorded */
    bool is_over;             /* all was played */
    const char *trouble;      /* of the recording; "": none */
};

struct recorded_counts recorded_counts(const struct recorded *recorded);

void recorded_close(struct recorded *recorded);
