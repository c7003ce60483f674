/* The clock shim for threads that were woken: when they continue, and their numbers, which do not
 * depend on the machine. */
#include "pty/shim/clock.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "pty/shim/clock_shm.h"

/* ---- Delays of a slow host (--host-delay) ---- */

static __thread __attribute__((tls_model("initial-exec"))) uint32_t drawn; /* by this thread */

/* 64 uniformly distributed bits (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", 2014). */
static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static uint32_t draw_delay_us(const struct clock_shm *shm)
{
    if (shm->delay_max_us == 0)
        return 0;
    uint64_t bits = mix(mix(shm->delay_seed ^ mix(clock_ordinal())) + drawn++);
    uint64_t range_us = UINT64_C(1) + shm->delay_max_us - shm->delay_min_us;
    return (uint32_t)(shm->delay_min_us + (bits >> 32) * range_us / (UINT64_C(1) << 32));
}

void clock_resume(bool is_released)
{
    const struct clock_shm *shm = clock_held();
    uint32_t delay_us = shm != NULL ? draw_delay_us(shm) : 0;
    if (shm != NULL && (!is_released || delay_us > 0))
        clock_turn(delay_us);
}

void clock_input_begin(void)
{
    struct clock_shm *shm = clock_held();
    if (shm != NULL)
        atomic_fetch_add(&shm->inputs, 1);
}

void clock_input_drop(void)
{
    struct clock_shm *shm = clock_held();
    if (shm != NULL)
        atomic_fetch_sub(&shm->inputs, 1);
}

void clock_input_end(bool is_released)
{
    struct clock_shm *shm = clock_held();
    if (shm == NULL)
        return;
    clock_input_drop();
    bool is_alone = atomic_exchange(&shm->alone, 0) == 1;
    clock_resume(is_released || is_alone);
}

bool clock_wait_finish(struct clock_slot *wait)
{
    bool is_over = clock_wait_end(wait);
    clock_resume(is_over);
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
    clock_turn(0);
    return start.routine(start.argument);
}

/* The C library's headers use parameter names such as __newthread. */
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
        clock_turn(0);
    }
    return child;
}

SHIM_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    SHIM_NEXT(pthread_barrier_wait);
    int result = next(barrier);
    clock_resume(false);
    return result;
}

/* ---- Signals to single threads ----
 *
 * The functions that change a user or group send a signal to each thread. */

#define LOUD(name, parameters, ...)                                                                \
    SHIM_EXPORT int name parameters                                                                \
    {                                                                                              \
        SHIM_NEXT(name);                                                                           \
        clock_be_loud();                                                                           \
        return next(__VA_ARGS__);                                                                  \
    }
LOUD(pthread_kill, (pthread_t thread, int number), thread, number)
LOUD(pthread_sigqueue, (pthread_t thread, int number, const union sigval value), thread, number,
     value)
LOUD(pthread_cancel, (pthread_t thread), thread)
LOUD(tgkill, (pid_t process, pid_t thread, int number), process, thread, number)
LOUD(setuid, (uid_t id), id)
LOUD(setgid, (gid_t id), id)
LOUD(seteuid, (uid_t id), id)
LOUD(setegid, (gid_t id), id)
LOUD(setreuid, (uid_t real, uid_t effective), real, effective)
LOUD(setregid, (gid_t real, gid_t effective), real, effective)
LOUD(setresuid, (uid_t real, uid_t effective, uid_t saved), real, effective, saved)
LOUD(setresgid, (gid_t real, gid_t effective, gid_t saved), real, effective, saved)
LOUD(setgroups, (size_t count, const gid_t *groups), count, groups)

/* ---- Locks for reading and writing ----
 *
 * The C library lets several threads compete for a released lock. Here each of them waits for its
 * turn and then tries again. Locks between processes are left to the C library. */

static unsigned given_up, wanted; /* number of releases; number of waiting threads */

static int lock_in_turn(pthread_rwlock_t *lock, int (*attempt)(pthread_rwlock_t *))
{
    int result;
    __atomic_fetch_add(&wanted, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        unsigned seen = __atomic_load_n(&given_up, __ATOMIC_SEQ_CST);
        result = attempt(lock);
        if (result != EBUSY)
            break;
        if (clock_futex_wait(&given_up, FUTEX_PRIVATE_FLAG, seen))
            clock_turn(0);
    }
    __atomic_fetch_sub(&wanted, 1, __ATOMIC_SEQ_CST);
    return result;
}

#define LOCK_IN_TURN(name, attempt)                                                                \
    SHIM_EXPORT int name(pthread_rwlock_t *lock)                                                   \
    {                                                                                              \
        SHIM_NEXT(name);                                                                           \
        bool is_ours = clock_held() != NULL && lock->__data.__shared == 0;                         \
        bool is_own = is_ours && lock->__data.__cur_writer == clock_thread();                      \
        int result = is_own ? EDEADLK : is_ours ? attempt(lock) : next(lock);                      \
        return is_ours && result == EBUSY ? lock_in_turn(lock, attempt) : result;                  \
    }
LOCK_IN_TURN(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock)
LOCK_IN_TURN(pthread_rwlock_wrlock, pthread_rwlock_trywrlock)

SHIM_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    SHIM_NEXT(pthread_rwlock_unlock);
    int result = next(lock);
    if (__atomic_load_n(&wanted, __ATOMIC_SEQ_CST) > 0) {
        __atomic_fetch_add(&given_up, 1, __ATOMIC_SEQ_CST);
        clock_futex_wake(&given_up, FUTEX_PRIVATE_FLAG, INT_MAX);
    }
    return result;
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
