/* Reads the snapshots of a running simulation from its shared file. */
#pragma once

#include <stdbool.h>

#include "sim/watch/snapshot.h"

struct snapshot_reader;

/* Opens the file of a run. NULL: the reason is on stderr. */
struct snapshot_reader *snapshot_reader_open(const char *path);
void snapshot_reader_close(struct snapshot_reader *reader);

enum reader_news { READER_NOTHING, READER_NEW, READER_BROKEN };

/* Copies the newest snapshot if it differs from the last, and requests the next. Never waits.
 * READER_BROKEN: out of memory, or the snapshot is from another build. */
enum reader_news snapshot_reader_update(struct snapshot_reader *reader);

/* The snapshot copied last; NULL before the first. Valid until the next update. */
const struct snapshot *snapshot_reader_latest(const struct snapshot_reader *reader);

/* Whether the run has no memory for newer snapshots: the latest is old until the run gets
 * memory. */
bool snapshot_reader_is_outdated(const struct snapshot_reader *reader);
