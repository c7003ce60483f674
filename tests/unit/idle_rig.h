/* A driver whose processes and threads run, wait, end and create others, and the proof that watches
 * them. Each rig is a child, controlled by shared memory. Failures end the test. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "app/cli/keeper.h"
#include "app/time/idle_proof.h"
#include "pty/shim/clock_shm.h"

enum { TRIES = 20000 }; /* attempts, with a pause of 1 ms each; enough for a busy machine */

/* Memory shared by rig and test. */
struct shared {
    _Atomic int stop; /* ends busy loops */
    _Atomic int count;
    _Atomic int64_t total; /* sum over the chain */
    _Atomic int is_over;   /* the first thread ends */
};

struct rig {
    struct shared *shared;
    pid_t child;
    bool is_kept; /* the child has a keeper */
    struct keeper keeper;
    struct idle_proof *proof;
    struct clock_shm *page; /* page of the clock, as programs with the library have it */
};

extern struct rig rig;

int setup(void **state);
/* The child has a keeper. */
int setup_kept(void **state);
int teardown(void **state);

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_KEPT(name)                                                                            \
    {                                                                                              \
        "kept: " #name, name, setup_kept, teardown, NULL                                           \
    }

/* Starts a child in a separate process group. It calls BEHAVE and then ends. */
void start(void (*behave)(void));

bool becomes_idle(bool *has_run);

/* Smallest number of reads of a proof while all threads wait. */
long fewest_reads(void);

void nap_ms(long ms);

/* Behavior of children. */
void wait_for_ever(void);
void spin(void); /* Busy-waits until STOP is set, then waits. */
