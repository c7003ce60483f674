/* The clock shim: a library that is preloaded into a driver. The driver's clocks then run
 * PTYBOT_WARP times as fast as real time, or are held (clock_shm.h). This header is shared by its
 * files (clock.c, clock_hold.c, clock_io.c, clock_load.c, clock_time.c, clock_turn.c,
 * clock_wait.c). Times and spans are in nanoseconds. A deadline is a time of the virtual
 * CLOCK_MONOTONIC. No function in this header allocates memory, takes a lock or changes errno, so
 * signal handlers may call them, also after fork.
 *
 * This is the programs' half of virtual time. The other half is in ptybot: app/time/hold.h moves
 * held time, app/drivers/warp.h makes the shared memory. clock_shm.h describes how both halves work
 * together. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "pty/shim/next.h"

struct clock_shm;

/* Starts virtual time, once, when the library is loaded. SHARED: the shared memory; NULL:
 * virtual time follows one straight line without end. Real and virtual time are equal at the two
 * origins. */
void clock_begin(struct clock_shm *shared, double factor, int64_t monotonic_ns,
                 int64_t realtime_ns);

/* The time of CLOCK without the shim. */
int64_t clock_real_ns(clockid_t clock);

/* Whether time is virtual. False without a valid PTYBOT_WARP. */
bool clock_is_on(void);

/* The virtual time of CLOCK. False: CLOCK is not virtual, such as the CPU time. */
bool clock_read(clockid_t clock, struct timespec *now);

/* The deadline of a timeout that begins now. False: time is not virtual, or SPAN is NULL, invalid
 * or unrealistically long. The caller then passes its call to the next function unchanged. */
bool clock_after(const struct timespec *span, int64_t *deadline);
bool clock_after_ns(int64_t span_ns, int64_t *deadline);

/* The deadline of an absolute timeout. False: as above, or CLOCK is not virtual. */
bool clock_until(clockid_t clock, const struct timespec *moment, int64_t *deadline);

/* Whether a deadline has not come yet. After a wait for clock_rest or until clock_moment, this can
 * happen only if the world has fallen behind meanwhile. */
bool clock_is_early(int64_t deadline);

/* The real time until the deadline, rounded up; 0: it has passed. */
struct timespec clock_rest(int64_t deadline);

/* The deadline as a time of the real CLOCK. */
struct timespec clock_moment(clockid_t clock, int64_t deadline);

/* The virtual time until the deadline; 0: it has passed. */
int64_t clock_left_ns(int64_t deadline);

/* Conversion of spans for kernel timers, which follow the factor but do not wait for the world. A
 * span above 0 stays above 0. A span that cannot be scaled stays unchanged. */
struct timespec clock_shrink(struct timespec span);
struct timespec clock_stretch(struct timespec span);
struct timeval clock_shrink_tv(struct timeval span);
struct timeval clock_stretch_tv(struct timeval span);

struct timespec clock_timespec(int64_t ns);
struct timeval clock_timeval(int64_t ns);

/* ---- Held time (clock_shm.h) ---- */

struct clock_slot;

/* The shared memory if time is held; otherwise NULL. */
struct clock_shm *clock_held(void);

/* Called once, when the library is loaded and its shared memory is mapped. */
void clock_hold_start(void);

/* Begins a wait of this thread, which the simulation ends at DEADLINE. The caller must then make a
 * call without a timeout; it fails with EINTR at the deadline. NULL: time is not held, the deadline
 * has passed, or there are too many waits. The caller then follows the clock itself. */
struct clock_slot *clock_wait_begin(int64_t deadline);

/* Ends the wait. Returns whether its deadline has come. NULL: false. Keeps errno. */
bool clock_wait_end(struct clock_slot *wait);
/* clock_wait_end, followed by clock_resume. */
bool clock_wait_finish(struct clock_slot *wait);
/* Sleeps until ptybot ends the wait. IS_CALL: a signal ends the sleep too, and the thread can be
 * cancelled. Keeps errno. */
void clock_wait_sleep(struct clock_slot *wait, bool is_call);
/* Whether the deadline of the wait has come. */
bool clock_wait_is_over(const struct clock_slot *wait);

/* Whether a call that waits at most until a deadline of held time has timed out. The caller has
 * ended its wait. The kernel reports the timeout as EINTR; other failures are the call's own. Keeps
 * errno. */
bool clock_wait_is_timeout(bool is_over, bool has_failed);

/* To be called when this thread was woken from a wait. IS_RELEASED: ptybot woke it. Otherwise other
 * threads may run too, and this thread waits for its turn, that is, until they wait again. With
 * --host-delay it continues later, by a random span. Keeps errno. */
void clock_resume(bool is_released);

/* To be called before this thread waits. It wakes ptybot, which may sleep until a thread waits.
 * Without this call ptybot checks the threads a little later. */
void clock_announce(void);

/* To be called before and after a wait for descriptors. clock_input_end is clock_resume, but does
 * nothing if only this thread can have been woken. clock_input_drop is for a call that did not
 * wait. */
void clock_input_begin(void);
void clock_input_end(bool is_released);
void clock_input_drop(void);

/* Waits until ptybot lets this thread continue, DELAY_US of simulated time from now, while all
 * other threads wait. */
void clock_turn(uint32_t delay_us);

/* Futex calls; PRIVACY is 0 or FUTEX_PRIVATE_FLAG. clock_futex_wait returns whether the thread
 * slept until a wake. Both keep errno. */
bool clock_futex_wait(unsigned *word, int privacy, unsigned value);
void clock_futex_wake(unsigned *word, int privacy, int most);

/* To be called before a signal is sent to one thread, or a thread is cancelled: deaf threads
 * (clock_shm.h) would not receive it, so all of them wake. */
void clock_be_loud(void);

/* The ID of this thread in its PID namespace. */
int32_t clock_thread(void);

/* The number of this thread in the order of creation, from 1 on. The creator of a thread or process
 * draws the number. A thread without a number draws one itself. */
uint32_t clock_ordinal_draw(void);
void clock_ordinal_set(uint32_t ordinal);
uint32_t clock_ordinal(void);

/* To be called when something runs by real time. The simulation cannot control it. */
void clock_lost(void);

/* To be called when a thread polled without success. WEIGHT: 1 for reading the clock;
 * CLOCK_POLL_CALL for a call that asks for data or yields the processor. Too many such polls in a
 * row take simulated time. */
enum { CLOCK_POLL_CALL = 10 }; /* chosen: programs also read the clock while they compute */
void clock_count_poll(uint32_t weight);

/* Sleeps for a span without interruption. For operations that can only be tried repeatedly. False:
 * time is not held. */
bool clock_nap(int64_t span_ns);

/* SET without the signal that ends waits. Uses COPY if SET contains it. NULL stays NULL. */
const sigset_t *clock_without_signal(const sigset_t *set, sigset_t *copy);

/* Whether the program has installed a signal handler after which waiting calls fail with EINTR. */
bool clock_signals_interrupt(void);

/* clock_timed_note records that a program has set timeouts of these kinds, bits of enum
 * clock_timed. clock_timed_any: whether a program may have set one of these kinds. */
void clock_timed_note(uint32_t how);
bool clock_timed_any(uint32_t how);

/* Timers of a held clock. KIND and HANDLE (a descriptor, or 0) identify a timer of this process. A
 * deadline of 0 disarms it. False: there is no room. */
bool clock_timer_set(uint32_t kind, int handle, int64_t deadline, int64_t interval_ns);
/* The span until the timer expires; 0: it is not set. */
int64_t clock_timer_get(uint32_t kind, int handle, int64_t *interval_ns);
