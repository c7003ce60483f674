/* How long a process may take to answer. Neither the clock of the wall nor a busy machine counts: a
 * process may compute for so long, or sleep for so long, together with those it has started. A
 * process that sleeps in each answer may do so for a while only, or a run would have no end in
 * sight. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define ANSWER_POLL_US 10000 /* how often to look */

/* All zero: nothing was asked yet. */
struct answer_timeout {
    bool has_begun;
    double began_cpu_s; /* of the process, when it was first looked at */
    double cpu_s;
    int64_t polled_us;   /* when, by the clock that the wait goes by */
    int64_t idle_us;     /* between looks that found it asleep, without a break */
    int64_t all_idle_us; /* the same over all answers, less ANSWER_POLL_US for each */
};

/* Begins the wait for the next answer. */
void answer_timeout_begin(struct answer_timeout *timeout);

/* Looks at a process that has not answered for ANSWER_POLL_US, at NOW_US. False, with how it
 * fails in ERROR: it computes or sleeps for too long. */
bool answer_timeout_check(struct answer_timeout *timeout, pid_t process, int64_t now_us,
                          struct error *error);
