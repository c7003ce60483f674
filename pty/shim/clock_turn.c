/* The clock shim for threads that were woken: when they continue, and their numbers, which do not
 * depend on the machine. */
#include "pty/shim/clock.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pty/shim/clock_page.h"

/* ---- A slow host ---- */

static __thread __attribute__((tls_model("initial-exec"))) uint32_t drawn; /* by this thread */

/* 64 uniform bits (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). */
static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

void clock_resume(void)
{
    const struct clock_page *page = clock_held();
    if (page == NULL || page->delay_max_us == 0)
        return;
    uint64_t bits = mix(mix(page->delay_seed ^ mix(clock_ordinal())) + drawn++);
    uint64_t range_us = UINT64_C(1) + page->delay_max_us - page->delay_min_us;
    clock_turn((uint32_t)(page->delay_min_us + (bits >> 32) * range_us / (UINT64_C(1) << 32)));
}

bool clock_wait_finish(struct clock_slot *wait)
{
    bool is_over = clock_wait_end(wait);
    clock_resume();
    return is_over;
}

/* ---- Threads and processes ---- */

struct start {
    void *(*routine)(void *);
    void *argument;
    uint32_t ordinal;
};

static void *run(void *memory)
{
    struct start start = *(struct start *)memory;
    free(memory);
    clock_ordinal_set(start.ordinal);
    return start.routine(start.argument);
}

/* The C library's headers call the parameters __newthread and the like. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

SHIM_EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict how,
                               void *(*routine)(void *), void *restrict argument)
{
    SHIM_NEXT(pthread_create);
    if (clock_held() == NULL)
        return next(thread, how, routine, argument);
    struct start *start = malloc(sizeof *start);
    if (start == NULL)
        return EAGAIN;
    *start = (struct start){routine, argument, clock_ordinal_draw()};
    int result = next(thread, how, run, start);
    if (result != 0)
        free(start);
    return result;
}

SHIM_EXPORT pid_t fork(void)
{
    SHIM_NEXT(fork);
    uint32_t ordinal = clock_held() != NULL ? clock_ordinal_draw() : 0;
    pid_t child = next();
    if (child == 0 && ordinal != 0) {
        drawn = 0;
        clock_ordinal_set(ordinal);
    }
    return child;
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

/* ---- Semaphores without a timeout ---- */

SHIM_EXPORT int sem_wait(sem_t *semaphore)
{
    SHIM_NEXT(sem_wait);
    if (clock_held() == NULL)
        return next(semaphore);
    int reason = errno;
    if (sem_trywait(semaphore) == 0)
        return 0;
    errno = reason;
    int result = next(semaphore);
    clock_resume();
    return result;
}
