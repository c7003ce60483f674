/* The clock shim for conditions, mutexes and semaphores of a held clock. Those of the C library
 * sleep again after a signal, so nothing but their own time-out ends them. So a condition is done
 * here as a whole: a count of signals, which waiters sleep on by futex, in the place where the C
 * library has its own (glibc 2.36, struct __pthread_cond_s: __g_signals is 0 after initialization).
 */
#include "pty/shim/clock_condition.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <threads.h>

#include "pty/shim/clock.h"

static long futex(unsigned *word, int operation, unsigned value)
{
    SHIM_NEXT(syscall);
    if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT)
        clock_announce();
    return next(SYS_futex, word, operation, value, NULL, NULL, 0);
}

/* Members of glibc's struct __pthread_cond_s, as words: 2.41 has moved them, and this library may
 * run with another glibc than it was made with. The word of the count is 0 after initialization in
 * both, and those that use it otherwise are replaced. */
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

unsigned clock_condition_settings(const pthread_cond_t *condition)
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

/* A mutex that another thread has is waited for in turns. */
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

/* Sleeps until the count is another one, or the wait is over. */
static void sleep_on(pthread_cond_t *condition, unsigned seen, const struct clock_slot *wait)
{
    int before, now;
    unsigned *count = count_of(condition);
    int privacy = privacy_of(condition);
    // Only while the thread sleeps in the kernel, as in the C library's own.
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

int clock_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline)
{
    struct clock_slot *wait = clock_wait_begin(deadline);
    if (wait == NULL && clock_is_early(deadline)) {
        // No room: wakes up for nothing, as it may, a little later.
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

/* The kinds whose lock is a plain futex: 0 free, 1 taken, 2 taken and somebody waits. */
static bool is_plain(const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & ~3) == 0;
}

static bool sleep_on_mutex(pthread_mutex_t *mutex, struct clock_slot *wait)
{
    unsigned *word = (unsigned *)&mutex->__data.__lock, taken = 1;
    __atomic_compare_exchange_n(word, &taken, 2, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 2 &&
        clock_futex_wait(word, FUTEX_PRIVATE_FLAG, 2))
        clock_turn(0);
    return clock_wait_is_over(wait);
}

/* Until the mutex is free or the wait is over. Others may wait too: whoever unlocks has to look. */
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

int clock_mutex_wait(pthread_mutex_t *mutex, int64_t deadline)
{
    int reason = errno, result = pthread_mutex_trylock(mutex);
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

/* Of the arguments of a futex that waits. False: it does not wait until a time. */
static bool futex_deadline(const long *arguments, int64_t *deadline)
{
    int operation = (int)arguments[1] & FUTEX_CMD_MASK;
    const struct timespec *time = (const struct timespec *)arguments[3];
    clockid_t clock =
        ((int)arguments[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    return operation == FUTEX_WAIT ? clock_after(time, deadline)
                                   : clock_until(clock, time, deadline);
}

/* The C library's headers call the parameters __cond and the like. */
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

/* Conditions of C11 are those of POSIX. */
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
 * The C library lets a thread that a post has woken race with others. Here it waits for its turn
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

int clock_semaphore_wait(sem_t *semaphore, struct clock_slot *wait)
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

/* Who calls futex by itself: the locks of Rust, std::atomic of libstdc++. */
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
    bool is_wait = number == SYS_futex && is_futex_wait(arguments);
    if (is_wait && futex_deadline(arguments, &deadline))
        wait = clock_wait_begin(deadline);
    if (is_wait)
        clock_announce();
    long result = next(number, arguments[0], arguments[1], arguments[2],
                       wait == NULL ? arguments[3] : 0, arguments[4], arguments[5]);
    // EAGAIN: the word changed before, so the call did not wait.
    bool is_over = is_wait && (result == 0 || errno != EAGAIN) ? clock_wait_finish(wait)
                                                               : clock_wait_end(wait);
    if (clock_wait_is_timeout(is_over, result < 0))
        errno = ETIMEDOUT;
    return result;
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
