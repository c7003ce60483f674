/* Snapshots of a run in progress, read from the memory that it shares. */
#ifndef PTYBOT_VIEWER_WINDOW_FEED_H
#define PTYBOT_VIEWER_WINDOW_FEED_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/watch/snapshot.h"

struct feed;

/* Maps the file of a run. NULL, after having said why on the standard error. */
struct feed *feed_open(const char *path);
void feed_close(struct feed *feed);

enum feed_news { FEED_NOTHING, FEED_NEW, FEED_BROKEN };

/* Copies a snapshot if there is one that is whole and differs from the last, and asks for the next.
 * Never waits.
 * FEED_BROKEN: memory is short, or it is of another build. */
enum feed_news feed_take(struct feed *feed);

/* What was taken last: NULL before the first. Valid until the next take. */
const struct snapshot *feed_snapshot(const struct feed *feed);

#endif
