/* Values of signals as a person reads them. */
#pragma once

#include "sim/watch/snapshot.h"

/* Signal NUMBER of a snapshot. */
const struct snapshot_signal *signal_of(const struct snapshot *snapshot, uint32_t number);

/* Writes a value of a signal: its word, or a number in the precision of its unit. The set bits of
 * a field of flags have their names, and a heading is between -180 and 180 degrees. */
void signal_text(const struct snapshot *snapshot, uint32_t number, double value, char *text,
                 size_t size);

/* Writes a number in the precision of its unit. */
void signal_number_text(double value, const char *unit, char *text, size_t size);
