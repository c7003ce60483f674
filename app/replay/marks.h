/* What happened in a run that is done again, and of its journal what will: verdicts, faults,
 * commands, hosts. Each is noted once, however often the run is done again. Where memory is short,
 * some are missing. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sim/record/journal.h"
#include "sim/sim.h"
#include "sim/watch/snapshot.h"

struct marks {
    struct snapshot_mark *list; /* by time */
    size_t count, room;
    int64_t length_us; /* of the journal */

    enum sim_verdict *verdicts; /* as noted last; NULL: the run has not begun */
    struct snapshot_fault faults[SNAPSHOT_FAULTS_MAX];
    uint32_t fault_count;
};

/* Reads on to the end of the journal in a copy of READER, which has read HEAD. Zero MARKS before.
 */
void marks_scan(struct marks *marks, const struct journal_head *head,
                const struct journal_reader *reader);
void marks_free(struct marks *marks);

/* The run begins, maybe again. */
void marks_begin(struct marks *marks);
/* Notes the verdicts: call it after each step, and at the end. */
void marks_step(struct marks *marks, const struct sim *sim);

enum { MARKS_UPDATE_STEPS = 20 }; /* as signals.csv of `ptybot test` has them */
/* Notes what has become of faults since the last call, by a snapshot of now: call it at the start
 * and then each MARKS_UPDATE_STEPS. */
void marks_update(struct marks *marks, const struct sim *sim, const struct snapshot *snapshot);

/* Bytes that a snapshot needs for them. */
size_t marks_size(const struct marks *marks);
/* Puts them behind a snapshot that was filled, with room for so many bytes: the first
 * SNAPSHOT_MARKS_MAX, and rather verdicts and faults than the others. */
void marks_show(const struct marks *marks, struct snapshot *snapshot);
