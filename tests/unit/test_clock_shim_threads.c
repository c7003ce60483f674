/* The waits for threads, messages and signals that the clock shim covers, as
 * test_clock_shim_waits.c. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <threads.h>

#include "tests/support/warped_wait.h"

/* ---- Threads ---- */

/* A condition may also wake for no reason. */
static void condition_on(clockid_t clock)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    pthread_condattr_t attributes;
    int result = 0;
    pthread_condattr_init(&attributes);
    assert_int_equal(pthread_condattr_setclock(&attributes, clock), 0);
    pthread_cond_init(&condition, &attributes);
    pthread_mutex_lock(&mutex);
    const struct timespec when = after(clock);
    while (result == 0)
        result = pthread_cond_timedwait(&condition, &mutex, &when);
    pthread_mutex_unlock(&mutex);
    assert_int_equal(result, ETIMEDOUT);
    pthread_cond_destroy(&condition);
}

static void by_pthread_cond_timedwait(void)
{
    condition_on(CLOCK_REALTIME);
}

static void by_pthread_cond_timedwait_on_monotonic(void)
{
    condition_on(CLOCK_MONOTONIC);
}

static void by_pthread_cond_clockwait(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    const struct timespec when = after(CLOCK_MONOTONIC);
    int result = 0;
    pthread_mutex_lock(&mutex);
    while (result == 0)
        result = pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &when);
    pthread_mutex_unlock(&mutex);
    assert_int_equal(result, ETIMEDOUT);
}

static void by_cnd_timedwait(void)
{
    mtx_t mutex;
    cnd_t condition;
    const struct timespec when = after(CLOCK_REALTIME);
    int result = thrd_success;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&condition);
    mtx_lock(&mutex);
    while (result == thrd_success)
        result = cnd_timedwait(&condition, &mutex, &when);
    mtx_unlock(&mutex);
    assert_int_equal(result, thrd_timedout);
}

/* Locks that another thread holds. */
static struct {
    pthread_mutex_t mutex;
    mtx_t timed;
    pthread_rwlock_t lock;
    sem_t are_held, may_go;
} held;

static void *hold(void *data)
{
    (void)data;
    pthread_mutex_lock(&held.mutex);
    mtx_lock(&held.timed);
    pthread_rwlock_wrlock(&held.lock);
    sem_post(&held.are_held);
    while (sem_wait(&held.may_go) != 0)
        ;
    pthread_rwlock_unlock(&held.lock);
    mtx_unlock(&held.timed);
    pthread_mutex_unlock(&held.mutex);
    return NULL;
}

static pthread_t holder;

static void by_pthread_mutex_timedlock(void)
{
    const struct timespec when = after(CLOCK_REALTIME);
    assert_int_equal(pthread_mutex_timedlock(&held.mutex, &when), ETIMEDOUT);
}

static void by_pthread_mutex_clocklock(void)
{
    const struct timespec when = after(CLOCK_MONOTONIC);
    assert_int_equal(pthread_mutex_clocklock(&held.mutex, CLOCK_MONOTONIC, &when), ETIMEDOUT);
}

static void by_mtx_timedlock(void)
{
    const struct timespec when = after(CLOCK_REALTIME);
    assert_int_equal(mtx_timedlock(&held.timed, &when), thrd_timedout);
}

static void by_pthread_rwlock_timedrdlock(void)
{
    const struct timespec when = after(CLOCK_REALTIME);
    assert_int_equal(pthread_rwlock_timedrdlock(&held.lock, &when), ETIMEDOUT);
}

static void by_pthread_rwlock_timedwrlock(void)
{
    const struct timespec when = after(CLOCK_REALTIME);
    assert_int_equal(pthread_rwlock_timedwrlock(&held.lock, &when), ETIMEDOUT);
}

static void by_pthread_rwlock_clockrdlock(void)
{
    const struct timespec when = after(CLOCK_MONOTONIC);
    assert_int_equal(pthread_rwlock_clockrdlock(&held.lock, CLOCK_MONOTONIC, &when), ETIMEDOUT);
}

static void by_pthread_rwlock_clockwrlock(void)
{
    const struct timespec when = after(CLOCK_MONOTONIC);
    assert_int_equal(pthread_rwlock_clockwrlock(&held.lock, CLOCK_MONOTONIC, &when), ETIMEDOUT);
}

static void by_pthread_timedjoin_np(void)
{
    const struct timespec when = after(CLOCK_REALTIME);
    assert_int_equal(pthread_timedjoin_np(holder, NULL, &when), ETIMEDOUT);
}

static void by_pthread_clockjoin_np(void)
{
    const struct timespec when = after(CLOCK_MONOTONIC);
    assert_int_equal(pthread_clockjoin_np(holder, NULL, CLOCK_MONOTONIC, &when), ETIMEDOUT);
}

static void by_sem_timedwait(void)
{
    const struct timespec when = after(CLOCK_REALTIME);
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    assert_int_equal(sem_timedwait(&semaphore, &when), -1);
    assert_int_equal(errno, ETIMEDOUT);
}

static void by_sem_clockwait(void)
{
    const struct timespec when = after(CLOCK_MONOTONIC);
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    assert_int_equal(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &when), -1);
    assert_int_equal(errno, ETIMEDOUT);
}

/* ---- Messages and signals ---- */

static mqd_t make_queue(char byte)
{
    char name[64];
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
    snprintf(name, sizeof name, "/unit-clock-%ld", (long)getpid());
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    assert_true(queue >= 0);
    mq_unlink(name);
    if (byte != 0)
        assert_int_equal(mq_send(queue, &byte, 1, 0), 0);
    return queue;
}

static void by_mq_timedreceive(void)
{
    char byte;
    mqd_t queue = make_queue(0);
    const struct timespec when = after(CLOCK_REALTIME);
    assert_int_equal(mq_timedreceive(queue, &byte, 1, NULL, &when), -1);
    assert_int_equal(errno, ETIMEDOUT);
    mq_close(queue);
}

static void by_mq_timedsend(void)
{
    mqd_t queue = make_queue('x');
    const struct timespec when = after(CLOCK_REALTIME);
    assert_int_equal(mq_timedsend(queue, "y", 1, 0, &when), -1);
    assert_int_equal(errno, ETIMEDOUT);
    mq_close(queue);
}

static void by_semtimedop(void)
{
    struct sembuf take = {.sem_op = -1};
    int semaphores = semget(IPC_PRIVATE, 1, 0600);
    assert_true(semaphores >= 0);
    int result = semtimedop(semaphores, &take, 1, &span);
    int reason = errno;
    semctl(semaphores, 0, IPC_RMID);
    assert_int_equal(result, -1);
    assert_int_equal(reason, EAGAIN);
}

static void by_sigtimedwait(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    assert_int_equal(sigtimedwait(&set, NULL, &span), -1);
    assert_int_equal(errno, EAGAIN);
}

static void by_aio_suspend(void)
{
    char byte;
    int silent[2];
    assert_int_equal(pipe(silent), 0);
    struct aiocb request = {.aio_fildes = silent[0], .aio_buf = &byte, .aio_nbytes = 1};
    const struct aiocb *const list[] = {&request};
    assert_int_equal(aio_read(&request), 0);
    assert_int_equal(aio_suspend(list, 1, &span), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(write(silent[1], "x", 1), 1);
    while (aio_error(&request) == EINPROGRESS)
        usleep(1000);
    close(silent[0]);
    close(silent[1]);
}

/* ---- */

static int open_all(void **state)
{
    (void)state;
    pthread_mutex_init(&held.mutex, NULL);
    mtx_init(&held.timed, mtx_timed);
    pthread_rwlock_init(&held.lock, NULL);
    sem_init(&held.are_held, 0, 0);
    sem_init(&held.may_go, 0, 0);
    if (pthread_create(&holder, NULL, hold, NULL) != 0)
        return -1;
    while (sem_wait(&held.are_held) != 0)
        ;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    sem_post(&held.may_go);
    return pthread_join(holder, NULL);
}

int main(int argc, char **argv)
{
    (void)argc;
    warped_preload(argv);
    const struct CMUnitTest tests[] = {
        WAIT(by_pthread_cond_timedwait),
        WAIT(by_pthread_cond_timedwait_on_monotonic),
        WAIT(by_pthread_cond_clockwait),
        WAIT(by_cnd_timedwait),
        WAIT(by_pthread_mutex_timedlock),
        WAIT(by_pthread_mutex_clocklock),
        WAIT(by_mtx_timedlock),
        WAIT(by_pthread_rwlock_timedrdlock),
        WAIT(by_pthread_rwlock_timedwrlock),
        WAIT(by_pthread_rwlock_clockrdlock),
        WAIT(by_pthread_rwlock_clockwrlock),
        WAIT(by_pthread_timedjoin_np),
        WAIT(by_pthread_clockjoin_np),
        WAIT(by_sem_timedwait),
        WAIT(by_sem_clockwait),
        WAIT(by_mq_timedreceive),
        WAIT(by_mq_timedsend),
        WAIT(by_semtimedop),
        WAIT(by_sigtimedwait),
        WAIT_IN_KERNEL(by_aio_suspend),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
