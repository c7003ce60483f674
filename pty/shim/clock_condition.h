/* Conditions, mutexes and semaphores of a held clock (clock_shm.h), whose waits the simulation
 * ends. */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

struct clock_slot;

/* Bits of how a condition was initialized (glibc, nptl/pthread_cond_common.c, __wrefs). */
enum { CLOCK_CONDITION_SHARED = 1, CLOCK_CONDITION_MONOTONIC = 2 };
unsigned clock_condition_settings(const pthread_cond_t *condition);

/* As pthread_cond_timedwait and pthread_mutex_timedlock, until DEADLINE of the warped
 * CLOCK_MONOTONIC. Only where clock_held. */
int clock_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline);
int clock_mutex_wait(pthread_mutex_t *mutex, int64_t deadline);

/* As sem_wait, with errno EINTR also where the deadline of WAIT has come. NULL: it has none. */
int clock_semaphore_wait(sem_t *semaphore, struct clock_slot *wait);
