/* The clock shim: a library to preload into a host, whose time then runs PTYBOT_WARP times as fast
 * as real time. This is what its files (clock.c, clock_hold.c, clock_io.c, clock_load.c,
 * clock_time.c, clock_turn.c, clock_wait.c) share. Moments and spans are nanoseconds; a deadline is
 * a moment of the warped CLOCK_MONOTONIC. Nothing here allocates, locks or changes errno, so it may
 * be called in signal handlers and after fork.
 *
 * This is the programs' half of virtual time. The other half is in ptybot: app/time/hold.h moves
 * held time, app/drivers/warp.h makes the shared memory. clock_shm.h says how the two work
 * together.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "pty/shim/next.h"

struct clock_shm;

/* Starts warped time once, when the library is loaded: with the shared memory, or one line
 * without end where SHARED is NULL. Real and warped time are the same at the two origins. */
void clock_begin(struct clock_shm *shared, double factor, int64_t monotonic_ns,
                 int64_t realtime_ns);

/* The time of CLOCK without the shim. */
int64_t clock_real_ns(clockid_t clock);

/* Whether time is warped; false without a valid PTYBOT_WARP. */
bool clock_is_on(void);

/* The warped time of CLOCK. False: it is not warped, such as the time of a CPU. */
bool clock_read(clockid_t clock, struct timespec *now);

/* The deadline of a time-out that begins now. False: time is not warped, or SPAN is NULL, invalid
 * or longer than anybody waits; then the next function gets the call as it came. */
bool clock_after(const struct timespec *span, int64_t *deadline);
bool clock_after_ns(int64_t span_ns, int64_t *deadline);

/* The deadline of an absolute time-out. False: as above, or the clock is not warped. */
bool clock_until(clockid_t clock, const struct timespec *moment, int64_t *deadline);

/* Whether a deadline is still to come. After a wait for clock_rest or until clock_moment that is so
 * only where the world has fallen behind meanwhile. */
bool clock_is_early(int64_t deadline);

/* The real time left until then, rounded up; 0: it has come. */
struct timespec clock_rest(int64_t deadline);

/* The deadline as a moment of the real CLOCK. */
struct timespec clock_moment(clockid_t clock, int64_t deadline);

/* The warped time left until then; 0: it has come. */
int64_t clock_left_ns(int64_t deadline);

/* Spans for kernel timers, which follow the factor but not the world. A span above 0 stays above 0;
 * what cannot be scaled stays as it is. */
struct timespec clock_shrink(struct timespec span);
struct timespec clock_stretch(struct timespec span);
struct timeval clock_shrink_tv(struct timeval span);
struct timeval clock_stretch_tv(struct timeval span);

struct timespec clock_timespec(int64_t ns);
struct timeval clock_timeval(int64_t ns);

/* ---- Time that waits for the programs (clock_shm.h) ---- */

struct clock_slot;

/* The shared memory where it is held, else NULL. */
struct clock_shm *clock_held(void);

/* Once, when the library is loaded and its shared memory is mapped. */
void clock_hold_start(void);

/* Begins a wait of this thread that the simulation ends at DEADLINE: a call without a time-out must
 * follow, which then fails with EINTR. NULL: time is not held, the deadline has come, or there are
 * too many waits; then the caller follows the clock by itself. */
struct clock_slot *clock_wait_begin(int64_t deadline);

/* Ends it. Returns whether its deadline has come. NULL: false. Keeps errno. */
bool clock_wait_end(struct clock_slot *wait);
/* The same, then clock_resume. */
bool clock_wait_finish(struct clock_slot *wait);
/* Sleeps in it until ptybot ends it. IS_CALL: or until a signal came, and the thread may be
 * cancelled. Keeps errno. */
void clock_wait_sleep(struct clock_slot *wait, bool is_call);
/* Whether its deadline has come. */
bool clock_wait_is_over(const struct clock_slot *wait);

/* What a call found that waits at most until a deadline of a held clock, after the wait was ended:
 * its own failure, or that time is up, which is EINTR to the kernel. Keeps errno. */
bool clock_wait_is_timeout(bool is_over, bool has_failed);

/* This thread was woken from a wait. Unless ptybot did that (IS_RELEASED), other threads may run
 * too, so it waits for its turn: until they wait again. With a slow host it continues later by a
 * drawn span. Keeps errno. */
void clock_resume(bool is_released);

/* This thread is about to wait: ptybot, which may sleep until then, looks at once. Without that it
 * does so a little later. */
void clock_announce(void);

/* Before and after a wait for descriptors. The second is clock_resume, or less where only this
 * thread can have been woken; the third is for a call that did not wait. */
void clock_input_begin(void);
void clock_input_end(bool is_released);
void clock_input_drop(void);

/* Waits until ptybot lets this thread continue, DELAY of simulated time from now, and runs it while
 * all others wait. */
void clock_turn(uint32_t delay_us);

/* Futexes, of a PRIVACY of 0 or FUTEX_PRIVATE_FLAG. The first returns whether the thread slept
 * until a wake. Both keep errno. */
bool clock_futex_wait(unsigned *word, int privacy, unsigned value);
void clock_futex_wake(unsigned *word, int privacy, int most);

/* A signal is about to be sent to one thread, or one is cancelled: all must hear it. */
void clock_be_loud(void);

/* The number of this thread in its PID namespace. */
int32_t clock_thread(void);

/* The number of this thread in the order of creation, from 1 on. Who creates a thread or process
 * draws it; a thread that has none draws its own. */
uint32_t clock_ordinal_draw(void);
void clock_ordinal_set(uint32_t ordinal);
uint32_t clock_ordinal(void);

/* Something runs by real time, which the simulation cannot know. */
void clock_lost(void);

/* A thread looked for something that was not there yet: at the clock with weight 1, by a call that
 * asks for data or for its turn with CLOCK_POLL_CALL. Costs time if it does nothing else. */
enum { CLOCK_POLL_CALL = 10 }; /* chosen: programs ask for the time also while they compute */
void clock_count_poll(uint32_t weight);

/* Sleeps, uninterrupted, so long; for what can only be tried again and again. False: time is not
 * held. */
bool clock_nap(int64_t span_ns);

/* SET without the signal that ends waits, in COPY if need be; NULL stays NULL. */
const sigset_t *clock_without_signal(const sigset_t *set, sigset_t *copy);

/* Whether the program has a signal handler after which waiting calls fail with EINTR. */
bool clock_signals_interrupt(void);

/* The bits of enum clock_timed: notes that a program has set such a time-out; whether one may be
 * set. */
void clock_timed_note(uint32_t how);
bool clock_timed_any(uint32_t how);

/* Timers of a held clock: KIND and HANDLE (a descriptor, or 0) name one of this process. A deadline
 * of 0 disarms it. False: there is no room. */
bool clock_timer_set(uint32_t kind, int handle, int64_t deadline, int64_t interval_ns);
/* The span until then; 0: it is not set. */
int64_t clock_timer_get(uint32_t kind, int handle, int64_t *interval_ns);
