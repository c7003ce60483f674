/* Plays a recording as a robot. Bytes to the driver are written to ptys, each block at its recorded
 * time. Bytes from the driver are compared with the recording. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "app/links/poller.h"
#include "base/error.h"

struct recorded;

/* Opens a recording and a pty for each of its lines. The name of the pty is that of the robot
 * (`kobuki` for `kobuki.uart`); further lines of the same robot use their full names. SPEED:
 * recorded seconds per second. SUB_FOLDER: folder of the ports; NULL: the default folder. NULL with
 * ERROR. */
struct recorded *recorded_open(const char *path, double speed, const char *sub_folder,
                               struct error *error);

/* The name of a line. NULL: there are no more lines. */
const char *recorded_name(const struct recorded *recorded, size_t line);
const char *recorded_port(const struct recorded *recorded, size_t line);

/* Plays from the connection of the first host to the end of the recording, or until an end is
 * requested. */
void recorded_run(struct recorded *recorded, struct poller *poller);

struct recorded_counts {
    uint64_t sent, dropped;   /* bytes to hosts; bytes that they did not read */
    uint64_t heard, expected; /* bytes from hosts; bytes in the recording so far */
    size_t departed;          /* lines whose host sent other bytes than recorded */
    bool is_over;             /* the whole recording was played */
    const char *trouble;      /* problem of the recording; "": none */
};

struct recorded_counts recorded_counts(const struct recorded *recorded);

void recorded_close(struct recorded *recorded);
