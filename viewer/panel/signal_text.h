/* Values of signals in readable form. */
#pragma once

#include "sim/watch/snapshot.h"

/* Signal NUMBER of a snapshot. */
const struct snapshot_signal *signal_of(const struct snapshot *snapshot, uint32_t number);

/* Writes a value of a signal: its word, or a number in the precision of its unit. For a field of
 * flags, writes the names of the set bits. A heading is between -180 and 180 degrees. */
void signal_text(const struct snapshot *snapshot, uint32_t number, double value, char *text,
                 size_t size);

/* Writes a number in the precision of its unit. */
void signal_number_text(double value, const char *unit, char *text, size_t size);
