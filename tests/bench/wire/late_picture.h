/* How late packets were, as a picture: a panel for the idle and one for the busy machine, in each
 * the share of packets (upwards) that was later than so long (to the right), both logarithmic. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct plot;

/* As plot_begin; plot_end ends it. */
struct plot *late_picture_begin(const char *path);

/* A curve of COUNT sorted latenesses. ROUND: idle, busy, each also with _realtime behind it.
 * False: memory is short. */
bool late_picture_add(struct plot *plot, const char *round, bool is_bare, const double *late_us,
                      size_t count);
