/* A held clock and its driver: processes that sleep. The test itself records their waits, in the
 * same way as the preloaded library. Failures end the test. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "app/time/hold.h"
#include "pty/shim/clock_shm.h"

#define MS   INT64_C(1000000) /* in ns */
#define HELD CLOCK_SHM_HELD_NS

enum { THREADS = 3 };

/* Counters that the driver increments. */
struct counts {
    _Atomic int alarms, wakes;
    _Atomic int spins;            /* set by the test: the driver computes after the next signal */
    _Atomic int threads[THREADS]; /* thread IDs of a driver with threads */
    _Atomic int woken;            /* the last thread that was woken by a signal */
};

struct rig {
    struct clock_shm *shm; /* followed by inaccessible memory */
    struct counts *counts;
    struct hold hold;
    pid_t host;
    int pair;              /* a socket, connected to a socket of the driver */
    int timer;             /* a timer that the driver has too */
    int pipes[THREADS][2]; /* each thread reads from one pipe */
    int64_t now_ns, wake_ns;
};

extern struct rig rig;

/* A driver with one thread, which counts signals. */
int setup(void **state);
/* A driver whose THREADS threads read from pipes. */
int setup_threads(void **state);
/* A driver that sleeps by a system call. */
int setup_sleeper(void **state);
int teardown(void **state);

#define TEST(name)         cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_THREADS(name) cmocka_unit_test_setup_teardown(name, setup_threads, teardown)
#define TEST_SLEEPER(name) cmocka_unit_test_setup_teardown(name, setup_sleeper, teardown)

bool may_go(void);

/* Records a wait of the driver's first thread, until AFTER_NS after the clock's beginning. */
struct clock_slot *arm(unsigned index, enum clock_slot_kind kind, int64_t after_ns);
/* Like arm, for a timer, which is not the thread's latest wait. */
struct clock_slot *arm_timer(unsigned index, int64_t after_ns, int64_t interval_ns);
/* Like arm, for thread NUMBER of a driver with threads. */
struct clock_slot *arm_thread(unsigned index, enum clock_slot_kind kind, int64_t after_ns,
                              unsigned number);

/* Makes these threads of a driver with threads run before the next proof that succeeds. */
void run_threads(unsigned first, unsigned last);

enum hold_move next(bool is_stepping);

/* The clock that programs see, in ns since its beginning. */
int64_t clock_ns(void);

/* Waits until the timer expires. */
bool expires(void);
