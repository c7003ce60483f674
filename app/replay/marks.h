/* Marks of a repeated run on its time line: verdicts, faults, commands and drivers, past ones from
 * the run and future ones from the journal. Each is noted once, however often the run is repeated.
 * If memory runs out, some are missing. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sim/record/journal.h"
#include "sim/sim.h"
#include "sim/watch/snapshot.h"

struct marks {
    struct snapshot_mark *list; /* sorted by time */
    size_t count, room;
    int64_t length_us; /* of the journal */

    enum sim_verdict *verdicts; /* as noted last; NULL: the run has not started */
    struct snapshot_fault faults[SNAPSHOT_FAULTS_MAX];
    uint32_t fault_count;
};

/* Reads the rest of the journal in a copy of READER, which has read HEAD. MARKS must be zero. */
void marks_scan(struct marks *marks, const struct journal_head *head,
                const struct journal_reader *reader);
void marks_free(struct marks *marks);

/* The run starts, possibly again. */
void marks_begin(struct marks *marks);
/* Notes the verdicts; call it after each step, and at the end. */
void marks_step(struct marks *marks, const struct sim *sim);

enum { MARKS_UPDATE_STEPS = 20 }; /* the period of signals.csv of `ptybot test` */
/* Notes changes of faults since the last call, from a snapshot of the present state. Call it at the
 * start and then every MARKS_UPDATE_STEPS. */
void marks_update(struct marks *marks, const struct sim *sim, const struct snapshot *snapshot);

/* Additional bytes that a snapshot needs for the marks. */
size_t marks_size(const struct marks *marks);
/* Adds the marks after a filled snapshot, which has room for that many bytes: the first
 * SNAPSHOT_MARKS_MAX, with preference for verdicts and faults. */
void marks_show(const struct marks *marks, struct snapshot *snapshot);
