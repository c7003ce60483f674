/* The host clock: a library to preload into a host, whose time then runs PTYBOT_WARP times as fast
 * as real time. What its files share. Moments and spans are nanoseconds; a deadline is a moment of
 * the warped CLOCK_MONOTONIC. Nothing here allocates, locks or changes errno, so that it may be
 * called in signal handlers and after fork. */
#ifndef PTYBOT_PTY_SHIM_CLOCK_H
#define PTYBOT_PTY_SHIM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "pty/shim/next.h"

/* Whether time is warped at all; false without a PTYBOT_WARP that makes sense. */
bool host_clock_is_on(void);

/* The warped time of CLOCK. False: it is one that is not warped, such as that of a CPU. */
bool host_clock_read(clockid_t clock, struct timespec *now);

/* The deadline of a relative time-out, from now on. False: time is not warped, or SPAN is NULL,
 * invalid or longer than anybody waits; then the next function gets what this one got. */
bool host_clock_after(const struct timespec *span, int64_t *deadline);
bool host_clock_after_ns(int64_t span_ns, int64_t *deadline);

/* The deadline of an absolute one. False: as above, or the clock is not warped. */
bool host_clock_until(clockid_t clock, const struct timespec *moment, int64_t *deadline);

/* Whether a deadline is still to come: after a wait as long as these say only where the world has
 * fallen behind meanwhile. */
bool host_clock_is_early(int64_t deadline);

/* How long it is until then, by the real clock, rounded up; 0: it has come. */
struct timespec host_clock_rest(int64_t deadline);

/* When that is, by the real CLOCK. */
struct timespec host_clock_moment(clockid_t clock, int64_t deadline);

/* How long it is until then by the warped clock; 0: it has come. */
int64_t host_clock_left_ns(int64_t deadline);

/* Spans for kernel timers, which follow the factor but not the world. A span that is not 0 stays
 * so; what cannot be scaled stays as it is. */
int64_t host_clock_shrink_ns(int64_t span_ns);
int64_t host_clock_stretch_ns(int64_t span_ns);
struct timespec host_clock_shrink(struct timespec span);
struct timespec host_clock_stretch(struct timespec span);
struct timeval host_clock_shrink_tv(struct timeval span);
struct timeval host_clock_stretch_tv(struct timeval span);

struct timespec host_clock_timespec(int64_t ns);
struct timeval host_clock_timeval(int64_t ns);

#endif
