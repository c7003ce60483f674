/* The clock shim for waits for other threads, messages and signals. First the conditions, mutexes
 * and semaphores of held time (clock_shm.h), whose waits the simulation ends; then one row per
 * function. */
#undef _FILE_OFFSET_BITS /* both names of aio_suspend are replaced */
#include "pty/shim/clock.h"

#include <aio.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <threads.h>

/* Bits with the attributes of a condition (glibc, nptl/pthread_cond_common.c, __wrefs). */
enum { CLOCK_CONDITION_SHARED = 1, CLOCK_CONDITION_MONOTONIC = 2 };

static long futex(unsigned *word, int operation, unsigned value)
{
    SHIM_NEXT(syscall);
    if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT)
        clock_announce();
    return next(SYS_futex, word, operation, value, NULL, NULL, 0);
}

/* Index of members of glibc's struct __pthread_cond_s, in words. glibc 2.41 moved them, and this
 * library may run with another glibc than the one it was built with. In both versions, COUNT_WORD
 * is 0 after initialization; all functions that would use that word for something else are
 * replaced. */
enum { COUNT_WORD = 10, SETTINGS_WORD = 9, SETTINGS_WORD_2_41 = 7 };
static int settings_word = SETTINGS_WORD;

__attribute__((constructor)) static void find_settings(void)
{
    pthread_condattr_t how;
    pthread_cond_t condition = {0};
    pthread_condattr_init(&how);
    pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    pthread_cond_init(&condition, &how);
    if ((((unsigned *)&condition)[SETTINGS_WORD_2_41] & CLOCK_CONDITION_MONOTONIC) != 0)
        settings_word = SETTINGS_WORD_2_41;
}

static unsigned clock_condition_settings(const pthread_cond_t *condition)
{
    return ((const unsigned *)condition)[settings_word];
}

static unsigned *count_of(pthread_cond_t *condition)
{
    return &((unsigned *)condition)[COUNT_WORD];
}

static int privacy_of(const pthread_cond_t *condition)
{
    return (clock_condition_settings(condition) & CLOCK_CONDITION_SHARED) != 0 ? 0
                                                                               : FUTEX_PRIVATE_FLAG;
}

static bool is_plain(const pthread_mutex_t *mutex);
static int lock_in_turn(pthread_mutex_t *mutex, struct clock_slot *wait);

/* Locks a mutex. If another thread has it, waits in turns. */
static int lock(pthread_mutex_t *mutex, int (*otherwise)(pthread_mutex_t *))
{
    int result = pthread_mutex_trylock(mutex);
    if (result != EBUSY)
        return result;
    bool is_own = mutex->__data.__owner == clock_thread();
    if (is_plain(mutex) && !is_own)
        return lock_in_turn(mutex, NULL);
    result = otherwise(mutex);
    clock_resume(false);
    return result;
}

static void lock_again(void *mutex)
{
    SHIM_NEXT(pthread_mutex_lock);
    lock(mutex, next);
}

/* Sleeps until the count changes or the wait is over. */
static void sleep_on(pthread_cond_t *condition, unsigned seen, const struct clock_slot *wait)
{
    int before, now;
    unsigned *count = count_of(condition);
    int privacy = privacy_of(condition);
    // Cancellable only while the thread sleeps in the kernel, as in the C library.
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before); // NOLINT(cert-pos47-c)
    while (futex(count, FUTEX_WAIT | privacy, seen) < 0 && errno == EINTR &&
           !clock_wait_is_over(wait))
        ;
    pthread_setcanceltype(before, &now);
}

static int wait_on(pthread_cond_t *condition, pthread_mutex_t *mutex, struct clock_slot *wait)
{
    unsigned seen = __atomic_load_n(count_of(condition), __ATOMIC_ACQUIRE);
    int reason = errno, failure = pthread_mutex_unlock(mutex);
    bool is_over = false;
    if (failure == 0) {
        pthread_cleanup_push(lock_again, mutex);
        sleep_on(condition, seen, wait);
        is_over = clock_wait_finish(wait);
        pthread_cleanup_pop(1);
    } else {
        clock_wait_end(wait);
    }
    errno = reason;
    return failure != 0 ? failure : is_over ? ETIMEDOUT : 0;
}

/* Like pthread_cond_timedwait and pthread_mutex_timedlock, until DEADLINE of the virtual
 * CLOCK_MONOTONIC. Only for held time. */
static int clock_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline)
{
    struct clock_slot *wait = clock_wait_begin(deadline);
    if (wait == NULL && clock_is_early(deadline)) {
        // No free slot: a spurious wake-up a little later, which is allowed.
        pthread_mutex_unlock(mutex);
        clock_nap(1000000);
        return pthread_mutex_lock(mutex);
    }
    if (wait == NULL)
        return ETIMEDOUT;
    return wait_on(condition, mutex, wait);
}

static int wake(pthread_cond_t *condition, int most)
{
    __atomic_add_fetch(count_of(condition), 1, __ATOMIC_RELEASE);
    clock_futex_wake(count_of(condition), privacy_of(condition), most);
    return 0;
}

/* glibc, nptl/pthreadP.h: PTHREAD_MUTEX_PSHARED_BIT; and PTHREAD_MUTEX_NO_ELISION_NP, which
 * PTHREAD_MUTEX_NORMAL sets. */
enum { MUTEX_SHARED = 128, MUTEX_NO_ELISION = 512 };

/* Whether the lock is a plain futex: 0 free, 1 taken, 2 taken and another thread waits. */
static bool is_plain(const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & ~(3 | MUTEX_SHARED | MUTEX_NO_ELISION)) == 0;
}

static bool sleep_on_mutex(pthread_mutex_t *mutex, struct clock_slot *wait)
{
    unsigned *word = (unsigned *)&mutex->__data.__lock, taken = 1;
    int privacy = (mutex->__data.__kind & MUTEX_SHARED) != 0 ? 0 : FUTEX_PRIVATE_FLAG;
    __atomic_compare_exchange_n(word, &taken, 2, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 2 && clock_futex_wait(word, privacy, 2))
        clock_turn(0);
    return clock_wait_is_over(wait);
}

/* Waits until the mutex is free or the wait is over. Other threads may wait too, so the state 2
 * makes the next unlock wake them. */
static int lock_in_turn(pthread_mutex_t *mutex, struct clock_slot *wait)
{
    unsigned taken = 1;
    int result = EBUSY;
    for (bool is_over = false; result == EBUSY && !is_over;) {
        is_over = sleep_on_mutex(mutex, wait);
        result = pthread_mutex_trylock(mutex);
    }
    if (result == 0)
        __atomic_compare_exchange_n((unsigned *)&mutex->__data.__lock, &taken, 2, false,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    return result;
}

static int clock_mutex_wait(pthread_mutex_t *mutex, int64_t deadline)
{
    int reason = errno, result = pthread_mutex_trylock(mutex);
    if (result == EBUSY && (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK &&
        mutex->__data.__owner == clock_thread())
        return EDEADLK;
    struct clock_slot *wait =
        result == EBUSY && is_plain(mutex) ? clock_wait_begin(deadline) : NULL;
    if (wait == NULL) {
        while (result == EBUSY && clock_is_early(deadline) && clock_nap(1000000))
            result = pthread_mutex_trylock(mutex);
        errno = reason;
        return result == EBUSY ? ETIMEDOUT : result;
    }
    result = lock_in_turn(mutex, wait);
    clock_wait_end(wait);
    errno = reason;
    return result == EBUSY ? ETIMEDOUT : result;
}

static bool is_futex_wait(const long *arguments)
{
    int operation = (int)arguments[1] & FUTEX_CMD_MASK;
    return clock_held() != NULL && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET);
}

/* The deadline in the arguments of a waiting futex call. False: the call has no deadline. */
static bool futex_deadline(const long *arguments, int64_t *deadline)
{
    int operation = (int)arguments[1] & FUTEX_CMD_MASK;
    const struct timespec *time = (const struct timespec *)arguments[3];
    clockid_t clock =
        ((int)arguments[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    return operation == FUTEX_WAIT ? clock_after(time, deadline)
                                   : clock_until(clock, time, deadline);
}

/* The C library's headers use parameter names such as __cond. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

SHIM_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    SHIM_NEXT(pthread_mutex_lock);
    return clock_held() ? lock(mutex, next) : next(mutex);
}

SHIM_EXPORT int mtx_lock(mtx_t *mutex)
{
    return pthread_mutex_lock((pthread_mutex_t *)mutex) == 0 ? thrd_success : thrd_error;
}

SHIM_EXPORT int pthread_cond_wait(pthread_cond_t *restrict condition,
                                  pthread_mutex_t *restrict mutex)
{
    SHIM_NEXT(pthread_cond_wait);
    return clock_held() ? wait_on(condition, mutex, NULL) : next(condition, mutex);
}

SHIM_EXPORT int pthread_cond_signal(pthread_cond_t *condition)
{
    SHIM_NEXT(pthread_cond_signal);
    return clock_held() ? wake(condition, 1) : next(condition);
}

SHIM_EXPORT int pthread_cond_broadcast(pthread_cond_t *condition)
{
    SHIM_NEXT(pthread_cond_broadcast);
    return clock_held() ? wake(condition, INT_MAX) : next(condition);
}

/* A condition of C11 is a condition of POSIX. */
SHIM_EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    SHIM_NEXT(cnd_wait);
    if (!clock_held())
        return next(condition, mutex);
    int result = wait_on((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, NULL);
    return result == 0 ? thrd_success : thrd_error;
}

SHIM_EXPORT int cnd_signal(cnd_t *condition)
{
    SHIM_NEXT(cnd_signal);
    return clock_held() ? wake((pthread_cond_t *)condition, 1) : next(condition);
}

SHIM_EXPORT int cnd_broadcast(cnd_t *condition)
{
    SHIM_NEXT(cnd_broadcast);
    return clock_held() ? wake((pthread_cond_t *)condition, INT_MAX) : next(condition);
}

/* ---- Semaphores ----
 *
 * In the C library, a thread that a post has woken competes with others. Here it waits for its turn
 * and then tries again. The words are those of glibc on 64 bit (sysdeps/nptl/internaltypes.h,
 * struct new_sem): 32 bits of value, 32 bits of waiters, then 0 or FUTEX_PRIVATE_FLAG if shared. */

static long sleep_on_semaphore(sem_t *semaphore)
{
    int before, now, privacy = FUTEX_PRIVATE_FLAG ^ ((const int *)(const void *)semaphore)[2];
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before); // NOLINT(cert-pos47-c)
    long slept = futex((unsigned *)(void *)semaphore, FUTEX_WAIT | privacy, 0);
    pthread_setcanceltype(before, &now);
    return slept;
}

/* Like sem_wait. errno is also EINTR if the deadline of WAIT has come. WAIT NULL: no deadline. */
static int clock_semaphore_wait(sem_t *semaphore, struct clock_slot *wait)
{
    const uint64_t one = UINT64_C(1) << 32;
    uint64_t *waiters = (uint64_t *)(void *)semaphore;
    int reason = errno, result = sem_trywait(semaphore);
    if (result != 0 && errno != EAGAIN)
        return result;
    __atomic_fetch_add(waiters, one, __ATOMIC_SEQ_CST);
    while (result != 0 && !clock_wait_is_over(wait)) {
        long slept = sleep_on_semaphore(semaphore);
        if (slept < 0 && errno == EINTR)
            break;
        if (slept == 0)
            clock_resume(false);
        result = sem_trywait(semaphore);
    }
    __atomic_fetch_sub(waiters, one, __ATOMIC_SEQ_CST);
    errno = result == 0 ? reason : EINTR;
    return result;
}

SHIM_EXPORT int sem_wait(sem_t *semaphore)
{
    SHIM_NEXT(sem_wait);
    return clock_held() ? clock_semaphore_wait(semaphore, NULL) : next(semaphore);
}

/* For programs that call futex directly: the locks of Rust, std::atomic of libstdc++. */
SHIM_EXPORT long syscall(long number, ...)
{
    va_list more;
    long arguments[6];
    SHIM_NEXT(syscall);
    va_start(more, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(more, long);
    va_end(more);
    struct clock_slot *wait = NULL;
    int64_t deadline;
    if (number == SYS_tgkill || number == SYS_tkill || number == SYS_rt_tgsigqueueinfo)
        clock_be_loud();
    bool is_wait = number == SYS_futex && is_futex_wait(arguments);
    if (is_wait && futex_deadline(arguments, &deadline))
        wait = clock_wait_begin(deadline);
    if (is_wait)
        clock_announce();
    long result = next(number, arguments[0], arguments[1], arguments[2],
                       wait == NULL ? arguments[3] : 0, arguments[4], arguments[5]);
    // EAGAIN: the word had changed before, so the call did not wait.
    bool is_over = is_wait && (result == 0 || errno != EAGAIN) ? clock_wait_finish(wait)
                                                               : clock_wait_end(wait);
    if (clock_wait_is_timeout(is_over, result < 0))
        errno = ETIMEDOUT;
    return result;
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

/* ---- One row per function ---- */

/* How a wait reports a timeout. */
#define BY_RESULT(result) ((result) == ETIMEDOUT)
#define BY_THRD(result)   ((result) == thrd_timedout)
#define BY_ERRNO(result)  ((result) < 0 && errno == ETIMEDOUT)
#define BY_EAGAIN(result) ((result) < 0 && errno == EAGAIN)

#define UNPACK(...) __VA_ARGS__

/* For held time: a call without a timeout, which a signal ends. */
#define HELD_BY(calm, time_out, ...)                                                               \
    struct clock_slot *wait = clock_wait_begin(deadline);                                          \
    if (wait != NULL) {                                                                            \
        result = calm(__VA_ARGS__);                                                                \
        if (clock_wait_is_timeout(clock_wait_finish(wait), result < 0))                            \
            errno = time_out;                                                                      \
        return result;                                                                             \
    }

/* For a call that no signal ends: tries again every millisecond. */
#define HELD_TRY(attempt, busy, time_out)                                                          \
    if (clock_held() != NULL) {                                                                    \
        while ((result = (attempt)) == (busy) && clock_is_early(deadline) && clock_nap(1000000))   \
            ;                                                                                      \
        return result == (busy) ? (time_out) : result;                                             \
    }

#define HELD_LOCK(kind)                                                                            \
    HELD_TRY(lock->__data.__cur_writer == clock_thread() ? EDEADLK                                 \
                                                         : pthread_rwlock_try##kind(lock),         \
             EBUSY, ETIMEDOUT)

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

#define HELD_MUTEX(mutex, failure, time_out)                                                       \
    if (clock_held() != NULL) {                                                                    \
        result = clock_mutex_wait(mutex, deadline);                                                \
        return result == ETIMEDOUT ? (time_out) : result == 0 ? 0 : (failure);                     \
    }

/* Defines NAME(PARAMETERS, until WHEN of CLOCK), which passes ARGUMENTS on. HELD: replaces this
 * call if time is held. */
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

/* Defines NAME(PARAMETERS, for SPAN). */
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

/* Waiting again would release the mutex in between and might miss a signal. An early timeout is
 * therefore returned as a spurious wake-up, which these calls may have. */
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

/* The C library's headers use parameter names such as __cond. */
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
    HELD_MUTEX(mutex, result, ETIMEDOUT))
WAIT_UNTIL(int, pthread_mutex_clocklock, clock, BY_RESULT,
    (pthread_mutex_t *restrict mutex, clockid_t clock), (mutex, clock),
    HELD_MUTEX(mutex, result, ETIMEDOUT))
WAIT_UNTIL(int, mtx_timedlock, CLOCK_REALTIME, BY_THRD, (mtx_t *restrict mutex), (mutex),
    HELD_MUTEX((pthread_mutex_t *)mutex, thrd_error, thrd_timedout))
WAIT_UNTIL(int, pthread_rwlock_timedrdlock, CLOCK_REALTIME, BY_RESULT,
    (pthread_rwlock_t *restrict lock), (lock), HELD_LOCK(rdlock))
WAIT_UNTIL(int, pthread_rwlock_timedwrlock, CLOCK_REALTIME, BY_RESULT,
    (pthread_rwlock_t *restrict lock), (lock), HELD_LOCK(wrlock))
WAIT_UNTIL(int, pthread_rwlock_clockrdlock, clock, BY_RESULT,
    (pthread_rwlock_t *restrict lock, clockid_t clock), (lock, clock), HELD_LOCK(rdlock))
WAIT_UNTIL(int, pthread_rwlock_clockwrlock, clock, BY_RESULT,
    (pthread_rwlock_t *restrict lock, clockid_t clock), (lock, clock), HELD_LOCK(wrlock))
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
