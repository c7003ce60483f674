/* Time that waits for a host: it goes on only while all programs of the host wait, and then at once
 * to the next moment that one of them can feel. What they compute costs no time.
 *
 * The other half of this runs inside the programs: the preloaded library of pty/shim/clock.h, above
 * all pty/shim/clock_hold.c. The two share one block of shared memory; pty/shim/clock_shm.h has
 * its layout, its writers and their order. */
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
    struct idle_proof *proof; /* NULL: no host was started */
    double ceiling;           /* seconds of the world a real one, at most, as the caller sets it
                                 at any time; INFINITY: none */
    int64_t clock_ns;         /* the time that programs see now, of their CLOCK_MONOTONIC */
    int64_t stepped_ns;       /* the same at the last step of the world */
    bool is_stepping;         /* the world goes on with the clock; else it stands still */
    bool has_run;             /* programs ran since what they did was taken in */
    bool is_proven;           /* hold_may_go was true, and nothing has moved since */
    bool is_stopped;          /* all wait, and something is stopped: time waits for that */
    int64_t grant_ns;         /* how far time may go without a proof, for one who spins */
    int64_t stuck_ns;         /* real time since when all wait and nothing is due; 0: not so */

    uint64_t wake_order; /* seed for threads that are due together; 0: they wake in the
                            order of their creation */
    /* By the last hold_next: how late a thread of a slow host continues; 0: no such thread. */
    uint32_t delayed_us, delayed_thread;

    double pace; /* of the anchor: the ceiling, or 1 where a wait follows real time */
    int64_t anchor_real_ns, anchor_clock_ns;

    /* Of the present spell without quiet. */
    int64_t busy_since_ns, charge_check_ns, spell_ns, spell_free_ns;
    unsigned tries;
    bool is_released; /* a thread was woken, and has not waited again */

    unsigned free_again; /* how often since something was felt looking in vain was free again */

    struct idle_proof_race race; /* the first */
    uint64_t orders;             /* of waits, at the last proof after something ran */

    pid_t stray; /* a process that took the clock and is not below the host; 0: none, -1: one that
                    is in another PID namespace, whose waits cannot be ended */
    int64_t charged_ns; /* of time that went on without a proof */
    struct external_peers peers;
    int64_t external_ns, external_clock_ns; /* real time and clock of the last poll of them */
    int64_t external_pause_ns;              /* besides the usual one, since it took long */
    uint32_t connects;                      /* CLOCK_SHM's number of connections at that poll */
};

/* The shared memory is that of a new run. The ceiling is 1. */
void hold_open(struct hold *hold, struct clock_shm *shm);
void hold_close(struct hold *hold);

/* The host was started. False: memory is short. */
bool hold_watch(struct hold *hold, pid_t host);

/* Whether the world may go on. False: something runs; the call has waited a little. */
bool hold_may_go(struct hold *hold);

/* Where something is stopped: lets a thread continue whose turn it is, since it may be that of a
 * debugger. False: there is none. */
bool hold_free_turn(struct hold *hold);

/* What to do next, where hold_may_go. */
enum hold_move {
    HOLD_STEP,     /* the clock is at the end of the world's next step: do that */
    HOLD_RELEASED, /* a program was woken: ask hold_may_go again */
    HOLD_WAIT,     /* nothing before *WAKE of real time, or HOLD_NEVER */
};
/* IS_STEPPING: the world goes on with the clock. */
enum hold_move hold_next(struct hold *hold, bool is_stepping, int64_t now_ns, int64_t *wake_ns);

/* The processes of the host, HOLD_HOSTS_MAX at most. Returns how many. */
enum { HOLD_HOSTS_MAX = 256 }; /* chosen */
size_t hold_hosts(const struct hold *hold, pid_t *out);

/* Polls for external processes that talk to the host, from time to time: call it while the host
 * waits. */
void hold_poll_external(struct hold *hold, int64_t now_ns);

/* Call this after bytes were written to the host. Waits a moment, until a thread has received them
 * and is about to wait again. */
void hold_await_input(struct hold *hold);

/* Something was sent to the host: call it after that. */
void hold_felt(struct hold *hold);

/* Whether all was held: no time was charged, no wait was real, nobody outside was talked to, or
 * took the clock. */
bool hold_was_exact(const struct hold *hold);
