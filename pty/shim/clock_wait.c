/* The clock shim for those who wait for other threads, messages and signals: a row per function. */
#undef _FILE_OFFSET_BITS /* both names of aio_suspend are replaced */
#include "pty/shim/clock.h"

#include <aio.h>
#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/sem.h>
#include <threads.h>

#include "pty/shim/clock_condition.h"

/* How a wait reports a time-out. */
#define BY_RESULT(result) ((result) == ETIMEDOUT)
#define BY_THRD(result)   ((result) == thrd_timedout)
#define BY_ERRNO(result)  ((result) < 0 && errno == ETIMEDOUT)
#define BY_EAGAIN(result) ((result) < 0 && errno == EAGAIN)

#define UNPACK(...) __VA_ARGS__

/* Where time is held (clock_shm.h): a call without a time-out, which a signal ends. */
#define HELD_BY(calm, time_out, ...)                                                               \
    struct clock_slot *wait = clock_wait_begin(deadline);                                          \
    if (wait != NULL) {                                                                            \
        result = calm(__VA_ARGS__);                                                                \
        if (clock_wait_is_timeout(clock_wait_finish(wait), result < 0))                            \
            errno = time_out;                                                                      \
        return result;                                                                             \
    }

/* Where no signal ends a call: tries, and tries again after a millisecond. */
#define HELD_TRY(attempt, busy, time_out)                                                          \
    if (clock_held() != NULL) {                                                                    \
        while ((result = (attempt)) == (busy) && clock_is_early(deadline) && clock_nap(1000000))   \
            ;                                                                                      \
        return result == (busy) ? (time_out) : result;                                             \
    }

#define HELD_SEMAPHORE(semaphore)                                                                  \
    struct clock_slot *wait = clock_wait_begin(deadline);                                          \
    if (wait != NULL) {                                                                            \
        result = clock_semaphore_wait(semaphore, wait);                                            \
        bool is_over = clock_wait_end(wait);                                                       \
        if (!clock_wait_is_timeout(is_over, result < 0))                                           \
            return result;                                                                         \
        clock_resume(true);                                                                        \
        errno = ETIMEDOUT;                                                                         \
        return result;                                                                             \
    }

#define HELD_MUTEX(mutex, success, time_out)                                                       \
    if (clock_held() != NULL) {                                                                    \
        result = clock_mutex_wait(mutex, deadline);                                                \
        return result == 0 ? (success) : result == ETIMEDOUT ? (time_out) : result;                \
    }

/* NAME(PARAMETERS, until WHEN of CLOCK), which passes ARGUMENTS on; HELD: what is done instead
 * where time is held. */
#define WAIT_UNTIL(type, name, clock, is_over, parameters, arguments, held)                        \
    SHIM_EXPORT type name(UNPACK parameters, const struct timespec *when)                          \
    {                                                                                              \
        type result;                                                                               \
        int64_t deadline;                                                                          \
        SHIM_NEXT(name);                                                                           \
        if (!clock_until(clock, when, &deadline))                                                  \
            return next(UNPACK arguments, when);                                                   \
        held do                                                                                    \
        {                                                                                          \
            const struct timespec real = clock_moment(clock, deadline);                            \
            result = next(UNPACK arguments, &real);                                                \
        }                                                                                          \
        while (is_over(result) && clock_is_early(deadline))                                        \
            ;                                                                                      \
        return result;                                                                             \
    }

/* NAME(PARAMETERS, for SPAN). */
#define WAIT_FOR(type, name, is_over, parameters, arguments)                                       \
    SHIM_EXPORT type name(UNPACK parameters, const struct timespec *span)                          \
    {                                                                                              \
        type result;                                                                               \
        int64_t deadline;                                                                          \
        SHIM_NEXT(name);                                                                           \
        if (!clock_after(span, &deadline))                                                         \
            return next(UNPACK arguments, span);                                                   \
        HELD_BY(next, EAGAIN, UNPACK arguments, NULL)                                              \
        do {                                                                                       \
            const struct timespec real = clock_rest(deadline);                                     \
            result = next(UNPACK arguments, &real);                                                \
        } while (is_over(result) && clock_is_early(deadline));                                     \
        return result;                                                                             \
    }

/* Waiting again would release the mutex in between and might miss a signal. So an early time-out is
 * returned as a spurious wake-up, which these calls may have. */
#define CONDITION_UNTIL(name, clock, over, parameters, arguments)                                  \
    SHIM_EXPORT int name(UNPACK parameters, const struct timespec *when)                           \
    {                                                                                              \
        int64_t deadline;                                                                          \
        SHIM_NEXT(name);                                                                           \
        if (!clock_until(clock, when, &deadline))                                                  \
            return next(UNPACK arguments, when);                                                   \
        if (clock_held() != NULL) {                                                                \
            int held = clock_condition_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, \
                                            deadline);                                             \
            return held == ETIMEDOUT ? (over) : held;                                              \
        }                                                                                          \
        const struct timespec real = clock_moment(clock, deadline);                                \
        int result = next(UNPACK arguments, &real);                                                \
        return result == (over) && clock_is_early(deadline) ? 0 : result;                          \
    }

static clockid_t clock_of(const pthread_cond_t *condition)
{
    return (clock_condition_settings(condition) & CLOCK_CONDITION_MONOTONIC) != 0 ? CLOCK_MONOTONIC
                                                                                  : CLOCK_REALTIME;
}

/* The C library's headers call the parameters __cond and the like. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
/* clang-format off */

CONDITION_UNTIL(pthread_cond_timedwait, clock_of(condition), ETIMEDOUT,
    (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex), (condition, mutex))
CONDITION_UNTIL(pthread_cond_clockwait, clock, ETIMEDOUT,
    (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock),
    (condition, mutex, clock))
CONDITION_UNTIL(cnd_timedwait, CLOCK_REALTIME, thrd_timedout,
    (cnd_t *restrict condition, mtx_t *restrict mutex), (condition, mutex))

WAIT_UNTIL(int, pthread_mutex_timedlock, CLOCK_REALTIME, BY_RESULT,
    (pthread_mutex_t *restrict mutex), (mutex),
    HELD_MUTEX(mutex, 0, ETIMEDOUT))
WAIT_UNTIL(int, pthread_mutex_clocklock, clock, BY_RESULT,
    (pthread_mutex_t *restrict mutex, clockid_t clock), (mutex, clock),
    HELD_MUTEX(mutex, 0, ETIMEDOUT))
WAIT_UNTIL(int, mtx_timedlock, CLOCK_REALTIME, BY_THRD, (mtx_t *restrict mutex), (mutex),
    HELD_MUTEX((pthread_mutex_t *)mutex, thrd_success, thrd_timedout))
WAIT_UNTIL(int, pthread_rwlock_timedrdlock, CLOCK_REALTIME, BY_RESULT,
    (pthread_rwlock_t *restrict lock), (lock),
    HELD_TRY(pthread_rwlock_tryrdlock(lock), EBUSY, ETIMEDOUT))
WAIT_UNTIL(int, pthread_rwlock_timedwrlock, CLOCK_REALTIME, BY_RESULT,
    (pthread_rwlock_t *restrict lock), (lock),
    HELD_TRY(pthread_rwlock_trywrlock(lock), EBUSY, ETIMEDOUT))
WAIT_UNTIL(int, pthread_rwlock_clockrdlock, clock, BY_RESULT,
    (pthread_rwlock_t *restrict lock, clockid_t clock), (lock, clock),
    HELD_TRY(pthread_rwlock_tryrdlock(lock), EBUSY, ETIMEDOUT))
WAIT_UNTIL(int, pthread_rwlock_clockwrlock, clock, BY_RESULT,
    (pthread_rwlock_t *restrict lock, clockid_t clock), (lock, clock),
    HELD_TRY(pthread_rwlock_trywrlock(lock), EBUSY, ETIMEDOUT))
WAIT_UNTIL(int, pthread_timedjoin_np, CLOCK_REALTIME, BY_RESULT,
    (pthread_t thread, void **out), (thread, out),
    HELD_TRY(pthread_tryjoin_np(thread, out), EBUSY, ETIMEDOUT))
WAIT_UNTIL(int, pthread_clockjoin_np, clock, BY_RESULT,
    (pthread_t thread, void **out, clockid_t clock), (thread, out, clock),
    HELD_TRY(pthread_tryjoin_np(thread, out), EBUSY, ETIMEDOUT))
WAIT_UNTIL(int, sem_timedwait, CLOCK_REALTIME, BY_ERRNO, (sem_t *restrict semaphore), (semaphore),
    HELD_SEMAPHORE(semaphore))
WAIT_UNTIL(int, sem_clockwait, clock, BY_ERRNO,
    (sem_t *restrict semaphore, clockid_t clock), (semaphore, clock),
    HELD_SEMAPHORE(semaphore))
WAIT_UNTIL(int, mq_timedsend, CLOCK_REALTIME, BY_ERRNO,
    (mqd_t queue, const char *message, size_t size, unsigned priority),
    (queue, message, size, priority),
    HELD_BY(mq_send, ETIMEDOUT, queue, message, size, priority))
WAIT_UNTIL(ssize_t, mq_timedreceive, CLOCK_REALTIME, BY_ERRNO,
    (mqd_t queue, char *restrict message, size_t size, unsigned *restrict priority),
    (queue, message, size, priority),
    HELD_BY(mq_receive, ETIMEDOUT, queue, message, size, priority))

WAIT_FOR(int, sigtimedwait, BY_EAGAIN,
    (const sigset_t *restrict set, siginfo_t *restrict about),
    (clock_without_signal(set, &(sigset_t){0}), about))
WAIT_FOR(int, semtimedop, BY_EAGAIN,
    (int semaphores, struct sembuf *operations, size_t count), (semaphores, operations, count))
WAIT_FOR(int, aio_suspend, BY_EAGAIN,
    (const struct aiocb *const list[], int count), (list, count))
WAIT_FOR(int, aio_suspend64, BY_EAGAIN,
    (const struct aiocb64 *const list[], int count), (list, count))

/* clang-format on */
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
