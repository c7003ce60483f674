/* How late packets were, as a picture (SVG): a panel for the idle and one for the busy machine, in
 * each the share of packets (upwards) that was later than so long (to the right), both logarithmic.
 */
#ifndef TESTS_BENCH_WIRE_LATE_PICTURE_H
#define TESTS_BENCH_WIRE_LATE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

struct late_picture;

/* NULL: the file cannot be written, errno has why. late_picture_end frees it. */
struct late_picture *late_picture_begin(const char *path);

/* A curve of COUNT sorted latenesses. ROUND: idle, busy, each also with _realtime behind it. */
void late_picture_add(struct late_picture *picture, const char *round, bool is_bare,
                      const double *late_us, size_t count);

/* False: the file is not whole. */
bool late_picture_end(struct late_picture *picture);

#endif
