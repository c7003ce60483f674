/* Proves that all processes of the drivers wait, so that simulated time may advance. It reads /proc
 * of each thread in the trees below the keepers of drivers (app/cli/keeper.h), which adopt orphaned
 * processes.
 *
 * A wait of pty/shim/clock_hold.c is a call without a timeout, which is visible in /proc. It reads
 * one fact in the memory that ptybot shares with the programs (pty/shim/clock_shm.h): threads of a
 * crowd that are deaf. It does not look at those in /proc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct clock_shm;
struct clock_slot;
struct idle_proof;

/* A wait that the kernel ends after real time. */
struct idle_proof_foreign {
    uint64_t seen;    /* proofs that found one */
    pid_t process;    /* of the first */
    char name[32];    /* of that process */
    const char *call; /* "nanosleep" */
};

/* Two threads that ran at the same time although virtual time lets one run at a time: the second
 * was not woken by a call of the clock library. */
struct idle_proof_race {
    pid_t process; /* of the second; 0: none found */
    pid_t threads[2];
    char name[80]; /* of their process, or of both */
    char call[32]; /* in which the second waited: "futex", "system call 0" */
};

struct idle_proof_stats {
    struct idle_proof_foreign foreign;
    bool has_unseen; /* ptybot may not read a process */
    pid_t clockless; /* the first process without the clock library; 0: none */
    char clockless_name[32];
    size_t threads_max;
};

/* Watches the process ROOT and its descendants. It also watches the children of this process that
 * are in another process group (the keepers of drivers), and their descendants. SHM: the memory
 * that is shared with them, or NULL. Returns NULL: no memory. */
struct idle_proof *idle_proof_create(pid_t root, struct clock_shm *shm);
void idle_proof_destroy(struct idle_proof *proof);

enum idle_proof_state {
    IDLE_PROOF_BUSY,    /* something runs, or may run */
    IDLE_PROOF_STOPPED, /* nothing runs, and something is stopped, by a signal or a debugger */
    IDLE_PROOF_IDLE,    /* all threads waited at one moment; only ptybot or an external process ends
                           that */
};

/* Tries a proof. *HAS_RUN: a thread has run since the last success; set with IDLE_PROOF_IDLE. */
enum idle_proof_state idle_proof_try(struct idle_proof *proof, bool *has_run);

/* Reads the list of processes again. Call it if proofs keep failing. */
void idle_proof_renew(struct idle_proof *proof);

/* Lets a thread run that was deaf. False: it was not. */
bool idle_proof_rouse(struct clock_slot *slot);

/* Whether the last proof found a wait that ends after real time. */
bool idle_proof_is_foreign(const struct idle_proof *proof);

/* Whether the last proof failed because a thread was woken and has not run since. */
bool idle_proof_is_starved(const struct idle_proof *proof);

/* How many threads ran between the last two proofs that succeeded, those that ended included; and
 * whether this one did. */
size_t idle_proof_ran(const struct idle_proof *proof);
bool idle_proof_has_run(const struct idle_proof *proof, pid_t process, pid_t thread);

/* After a proof: this thread only came to wait for its turn. */
void idle_proof_excuse(struct idle_proof *proof, pid_t process, pid_t thread);

/* Finds two others that ran between the last two proofs that succeeded. */
bool idle_proof_find_race(const struct idle_proof *proof, struct idle_proof_race *race);

/* Nanoseconds of a processor that the busiest thread has had since the last proof. */
int64_t idle_proof_busy_ns(const struct idle_proof *proof);

/* A thread as programs in a PID namespace know it. */
struct idle_proof_name {
    uint64_t space; /* the inode of the namespace; 0: not known, and any will do */
    pid_t process;
    pid_t thread; /* 0: any of the process */
};

/* Finds one of the threads, and its numbers here. */
bool idle_proof_find(const struct idle_proof *proof, const struct idle_proof_name *name,
                     pid_t *process, pid_t *thread);

/* Whether any process of the host was, so far, in the PID namespace SPACE. */
bool idle_proof_knows_space(const struct idle_proof *proof, uint64_t space);

/* The PID namespace of this process; 0: not known. */
uint64_t idle_proof_own_space(void);

/* Number INDEX of the processes; 0: there are no more. */
pid_t idle_proof_process(const struct idle_proof *proof, size_t index);

const struct idle_proof_stats *idle_proof_stats(const struct idle_proof *proof);

/* The name of a process; "?": it is gone. */
void idle_proof_read_name(pid_t process, char name[32]);

/* Whether all this works here: tries it on a child that runs, then waits. False, with what is
 * missing in ERROR. */
bool idle_proof_test(struct error *error);
