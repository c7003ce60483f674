/* Virtual time, which waits for the driver. It advances only while all threads of the driver wait,
 * and then directly to the next event that they can notice. Computing takes no simulated
 * time.
 *
 * The other half runs inside the driver's programs: the preloaded library of pty/shim/clock.h,
 * mainly pty/shim/clock_hold.c. Both share one block of memory; pty/shim/clock_shm.h describes its
 * layout, its writers and their order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "app/time/external_peers.h"
#include "app/time/idle_proof.h"

struct clock_shm;

#define HOLD_NEVER INT64_MAX

struct hold {
    struct clock_shm *shm;    /* shared with the programs; belongs to the caller */
    struct idle_proof *proof; /* NULL: no driver was started */
    double ceiling; /* maximum speed, simulated seconds per real second; the caller may change it at
                       any time; INFINITY: no limit */
    int64_t clock_ns;   /* the present CLOCK_MONOTONIC of the driver's programs */
    int64_t stepped_ns; /* the same at the last step of the simulation */
    bool is_stepping;   /* the simulation advances with the clock; otherwise it is stopped */
    bool has_run;       /* threads of the driver ran since ptybot last received their output */
    bool is_proven;     /* hold_may_go returned true, and nothing has changed since */
    bool is_stopped; /* all threads wait, and a process is stopped: time waits until it continues */
    int64_t grant_ns; /* up to here time may advance without a proof, for a thread that spins */
    int64_t stuck_ns; /* real time since when all threads wait and no event is due; 0: not in that
                         state */

    uint64_t wake_order; /* seed of the order of threads that are due together; 0: the order of
                            their creation */
    /* Set by hold_next: delay of a thread of a slow driver; 0: no such thread. */
    uint32_t delayed_us, delayed_thread;

    double pace; /* since the anchor: the ceiling, or at most 1 if a thread waits by real time */
    int64_t anchor_real_ns, anchor_clock_ns;

    /* State of the present busy period, which ends with a proof. */
    int64_t busy_since_ns, charge_check_ns, spell_ns, spell_free_ns;
    unsigned tries;
    bool is_released; /* a thread was woken, and has not waited since */

    unsigned free_again; /* how often the count of free polls was reset since the driver last
                            noticed an event */

    struct idle_proof_race race; /* the first one found */
    uint64_t orders;             /* number of waits at the last proof after a thread ran */

    pid_t stray; /* a process that uses the clock and is not a descendant of the driver; 0: none;
                    -1: it is in another PID namespace, where ptybot cannot end its waits */
    int64_t charged_ns; /* simulated time that passed without a proof */
    struct external_peers peers;
    int64_t external_ns, external_clock_ns; /* real time and clock of the last poll of the peers */
    int64_t external_pause_ns; /* added to the usual interval, because the poll took long */
    uint32_t connects;         /* number of connections in the shared memory at that poll */
};

/* The shared memory is that of a new run. Sets the ceiling to 1. */
void hold_open(struct hold *hold, struct clock_shm *shm);
void hold_close(struct hold *hold);

/* Watches the driver that was started as process HOST. False: no memory. */
bool hold_watch(struct hold *hold, pid_t host);

/* Whether the simulation may advance. False: a thread runs; the call has waited a little. */
bool hold_may_go(struct hold *hold);

/* Call it if a process is stopped. Lets the next thread in turn continue, because it may belong to
 * a debugger. False: no thread waits for its turn. */
bool hold_free_turn(struct hold *hold);

/* The next action, after hold_may_go returned true. */
enum hold_move {
    HOLD_STEP,     /* the clock is at the end of the next step of the simulation: run that step */
    HOLD_RELEASED, /* a thread was woken: call hold_may_go again */
    HOLD_WAIT,     /* nothing is due before the real time *WAKE_NS, or at all (HOLD_NEVER) */
};
/* IS_STEPPING: the simulation advances with the clock. */
enum hold_move hold_next(struct hold *hold, bool is_stepping, int64_t now_ns, int64_t *wake_ns);

/* Writes the processes of the driver into OUT, at most HOLD_HOSTS_MAX. Returns their number. */
enum { HOLD_HOSTS_MAX = 256 }; /* chosen */
size_t hold_hosts(const struct hold *hold, pid_t *out);

/* Polls at intervals for external processes that talk to the driver. Call it while the driver
 * waits. */
void hold_poll_external(struct hold *hold, int64_t now_ns);

/* Call it after ptybot has written bytes to the driver. Waits a moment, until a thread has received
 * them and is about to wait again. */
void hold_await_input(struct hold *hold);

/* Call it after ptybot has sent something to the driver. */
void hold_felt(struct hold *hold);

/* Simulated time that passed because threads of the driver polled too often, their sum. */
int64_t hold_polled_ns(const struct hold *hold);

/* Whether time was held for the whole run: no time passed without a proof, no thread waited by real
 * time, and no external process talked to the driver or used the clock. */
bool hold_was_exact(const struct hold *hold);
