/* Whether all processes that a host consists of wait: the proof that time may go on. It reads /proc
 * of each thread of the trees below the keepers of drivers (app/cli/keeper.h), which adopt what
 * these leave behind.
 *
 * It does not read the page that ptybot shares with the programs (pty/shim/clock_page.h). A wait of
 * pty/shim/clock_hold.c is a call without a timeout, which is visible in /proc. */
#ifndef PTYBOT_APP_TIME_QUIET_H
#define PTYBOT_APP_TIME_QUIET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct quiet;

/* A wait that the kernel will end by itself, after real time. */
struct quiet_foreign {
    uint64_t seen;    /* proofs that met one; 0: none */
    pid_t process;    /* of the first */
    char name[32];    /* of that process */
    const char *call; /* "nanosleep" */
};

/* Two threads of a process that ran at the same time although virtual time lets one run at a time:
 * the second was not woken by a call of the clock library. */
struct quiet_race {
    pid_t process; /* 0: there was none */
    pid_t threads[2];
    char name[32]; /* of that process */
    char call[32]; /* that the second waited in: "futex", "system call 0" */
};

struct quiet_stats {
    uint64_t proofs, quiets;
    struct quiet_foreign foreign;
    bool has_unseen; /* a process may not be looked into */
    size_t threads_max;
};

/* Watches the process ROOT and all below it, and the children of this process that are in another
 * group than it: the keepers of drivers, and all below these. NULL: memory is short. */
struct quiet *quiet_create(pid_t root);
void quiet_destroy(struct quiet *quiet);

enum quiet_state {
    QUIET_BUSY,    /* something runs, or may run */
    QUIET_STOPPED, /* nothing runs, and something is stopped, by a signal or a debugger */
    QUIET_NOW,     /* everything waited at one moment, and only we or the outside can end that */
};

/* Looks. *HAS_RUN: something has run since the last proof; set where QUIET_NOW is returned. */
enum quiet_state quiet_prove(struct quiet *quiet, bool *has_run);

/* Reads anew what belongs to the host, where no proof succeeds. */
void quiet_renew(struct quiet *quiet);

/* Whether the last proof met a wait that ends after real time. */
bool quiet_is_foreign(const struct quiet *quiet);

/* How many threads ran between the last two proofs that succeeded, those that ended included; and
 * whether this one did. */
size_t quiet_ran(const struct quiet *quiet);
bool quiet_has_run(const struct quiet *quiet, pid_t process, pid_t thread);

/* After a proof: this thread only came to wait for its turn. */
void quiet_excuse(struct quiet *quiet, pid_t process, pid_t thread);

/* Finds two others of a process that ran between the last two proofs that succeeded. */
bool quiet_find_race(const struct quiet *quiet, struct quiet_race *race);

/* Nanoseconds of a processor that the busiest thread has had since the last proof. */
int64_t quiet_busy_ns(const struct quiet *quiet);

/* A thread as programs in a PID namespace know it. */
struct quiet_name {
    uint64_t space; /* the inode of the namespace; 0: not known, and any will do */
    pid_t process;
    pid_t thread; /* 0: any of the process */
};

/* Finds one of the threads, and its numbers here. */
bool quiet_find(const struct quiet *quiet, const struct quiet_name *name, pid_t *process,
                pid_t *thread);

/* Whether any process of the host was, so far, in the PID namespace SPACE. */
bool quiet_knows_space(const struct quiet *quiet, uint64_t space);

/* The PID namespace of this process; 0: not known. */
uint64_t quiet_own_space(void);

/* Number INDEX of the processes; 0: there are no more. */
pid_t quiet_process(const struct quiet *quiet, size_t index);

const struct quiet_stats *quiet_stats(const struct quiet *quiet);

/* Whether all this works here: tries it on a child that runs, then waits. False, with what is
 * missing in ERROR. */
bool quiet_test(struct error *error);

#endif
