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

/* A wait that ends after real time. */
struct idle_proof_foreign {
    uint64_t seen;    /* number of proofs that found such a wait */
    pid_t process;    /* the first one found */
    char name[32];    /* of that process */
    const char *call; /* "nanosleep" */
};

/* Two threads that ran at the same time although virtual time lets one run at a time: the second
 * was not woken by a call of the clock library. */
struct idle_proof_race {
    pid_t process; /* of the second; 0: none found */
    pid_t threads[2];
    char name[80]; /* of their process, or of both */
    char call[32]; /* call where the second thread waited: "futex", "system call 0" */
};

struct idle_proof_stats {
    struct idle_proof_foreign foreign;
    bool has_unseen; /* ptybot is not permitted to read a process */
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
    IDLE_PROOF_IDLE,    /* all threads waited at the same moment; only ptybot or an external process
                           can wake them */
};

/* Tries a proof. *HAS_RUN: a thread has run since the last success; set with IDLE_PROOF_IDLE. */
enum idle_proof_state idle_proof_try(struct idle_proof *proof, bool *has_run);

/* Reads the list of processes again. Call it if proofs keep failing. */
void idle_proof_renew(struct idle_proof *proof);

/* Wakes a thread from a deaf wait. False: it was not deaf. */
bool idle_proof_rouse(struct clock_slot *slot);

/* Whether the last proof found a wait that ends after real time. */
bool idle_proof_is_foreign(const struct idle_proof *proof);

/* Whether the last proof failed because a thread was woken and has not run since. */
bool idle_proof_is_starved(const struct idle_proof *proof);

/* Number of threads that ran between the last two successful proofs, including threads that have
 * ended; and whether this thread did. */
size_t idle_proof_ran(const struct idle_proof *proof);
bool idle_proof_has_run(const struct idle_proof *proof, pid_t process, pid_t thread);

/* After a proof: does not count this thread as one that ran, since it only began to wait for its
 * turn. */
void idle_proof_excuse(struct idle_proof *proof, pid_t process, pid_t thread);

/* Finds two other threads that ran between the last two successful proofs. */
bool idle_proof_find_race(const struct idle_proof *proof, struct idle_proof_race *race);

/* Nanoseconds of CPU time that the busiest thread has used since the last successful proof. */
int64_t idle_proof_busy_ns(const struct idle_proof *proof);

/* A thread by its numbers in a PID namespace. */
struct idle_proof_name {
    uint64_t space; /* inode of the namespace; 0: unknown, which matches every namespace */
    pid_t process;
    pid_t thread; /* 0: any thread of the process */
};

/* Finds the thread in the list, and its numbers in the namespace of ptybot. */
bool idle_proof_find(const struct idle_proof *proof, const struct idle_proof_name *name,
                     pid_t *process, pid_t *thread);

/* Whether a process of the driver has been in the PID namespace SPACE so far. */
bool idle_proof_knows_space(const struct idle_proof *proof, uint64_t space);

/* PID namespace of this process; 0: unknown. */
uint64_t idle_proof_own_space(void);

/* Process number INDEX; 0: there are no more. */
pid_t idle_proof_process(const struct idle_proof *proof, size_t index);

const struct idle_proof_stats *idle_proof_stats(const struct idle_proof *proof);

/* Reads the name of a process; "?" if the process is gone. */
void idle_proof_read_name(pid_t process, char name[32]);

/* Checks that proofs work on this machine, with a child that first runs and then waits. False, with
 * the missing feature in ERROR. */
bool idle_proof_test(struct error *error);
