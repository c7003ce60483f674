/* A driver with many sleeping threads. A signal, the end of a thread and another program must take
 * effect at the same simulated microsecond. If they do not, exits with 1 and prints the reason.
 * Usage: held_crowd WAY THREADS */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SPAN_US = 50000, LONG_S = 3000, LATE_US = 100 };

static _Thread_local int number; /* of a thread of the crowd, from 1 on */
static _Atomic int heard, hearer;
static _Atomic int64_t heard_us, woken_us;
static _Atomic int sleep_result;

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static void hear(int signal_number)
{
    (void)signal_number;
    hearer = number;
    heard_us = now_us();
    heard++;
}

static void check(int is_true, const char *what)
{
    if (is_true)
        return;
    printf("failed: %s\n", what);
    fflush(NULL);
    _exit(1);
}

static void check_time(int64_t from_us, int64_t at_us, const char *what)
{
    int64_t late_us = at_us - from_us;
    if (late_us < 0 || late_us > LATE_US)
        printf("%s: after %lld us\n", what, (long long)late_us);
    check(late_us >= 0 && late_us <= LATE_US, what);
}

/* ---- The crowd ---- */

static void *sleep_again_and_again(void *memory)
{
    number = (int)(intptr_t)memory;
    for (;;)
        usleep(10000 + 1000 * (useconds_t)(number % 7));
    return NULL;
}

static void *sleep_long(void *memory)
{
    const struct timespec span = {.tv_sec = LONG_S};
    number = (int)(intptr_t)memory;
    sleep_result = nanosleep(&span, NULL) == 0 ? 0 : errno;
    woken_us = now_us();
    return NULL;
}

static pthread_t make(void *(*routine)(void *), int of)
{
    pthread_t thread;
    check(pthread_create(&thread, NULL, routine, (void *)(intptr_t)of) == 0, "pthread_create");
    return thread;
}

static pthread_t start(void *(*last)(void *), int count)
{
    for (int i = 1; i < count; i++)
        make(sleep_again_and_again, i);
    pthread_t thread = make(last, count);
    usleep(SPAN_US);
    return thread;
}

/* ---- Ways ---- */

static void end_sleep_by(int (*interrupt)(pthread_t), int count)
{
    pthread_t sleeper = start(sleep_long, count);
    for (int i = 0; i < 3; i++) {
        int64_t at_us = now_us();
        check(interrupt(sleeper) == 0, "the signal");
        pthread_join(sleeper, NULL);
        check_time(at_us, woken_us, "the sleep ended");
        check(sleep_result == EINTR, "EINTR");
        check(heard == i + 1 && hearer == count, "the thread heard it");
        sleeper = make(sleep_long, count);
        usleep(SPAN_US);
    }
}

static int by_pthread_kill(pthread_t thread)
{
    return pthread_kill(thread, SIGUSR1);
}

static int by_pthread_sigqueue(pthread_t thread)
{
    return pthread_sigqueue(thread, SIGUSR1, (union sigval){.sival_int = 1});
}

static void kill_thread(int count)
{
    end_sleep_by(by_pthread_kill, count);
}

static void queue_to_thread(int count)
{
    end_sleep_by(by_pthread_sigqueue, count);
}

static _Atomic int sleeper_number;

static void *say_and_sleep_long(void *memory)
{
    sleeper_number = (int)syscall(SYS_gettid);
    return sleep_long(memory);
}

static void call_tgkill(int count)
{
    pthread_t sleeper = start(say_and_sleep_long, count);
    int64_t at_us = now_us();
    check(syscall(SYS_tgkill, getpid(), sleeper_number, SIGUSR1) == 0, "tgkill");
    pthread_join(sleeper, NULL);
    check_time(at_us, woken_us, "the sleep ended");
    check(sleep_result == EINTR && heard == 1, "EINTR");
}

static void cancel_thread(int count)
{
    void *result;
    pthread_t sleeper = start(sleep_long, count);
    int64_t at_us = now_us();
    check(pthread_cancel(sleeper) == 0, "pthread_cancel");
    pthread_join(sleeper, &result);
    check(result == PTHREAD_CANCELED, "cancelled");
    check_time(at_us, now_us(), "the thread ended");
}

static void change_user(int count)
{
    start(sleep_again_and_again, count);
    make(sleep_long, count + 1);
    usleep(SPAN_US);
    int64_t at_us = now_us();
    check(setuid(getuid()) == 0 && setgid(getgid()) == 0, "setuid");
    check_time(at_us, now_us(), "setuid");
}

/* The first thread blocks the signal, so the other threads receive it. */
static void block(int signal_number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void take_alarms(int count)
{
    start(sleep_again_and_again, count);
    block(SIGALRM);
    for (int i = 1; i <= 3; i++) {
        int64_t at_us = now_us() + 20000;
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 20000}, NULL);
        usleep(2 * SPAN_US);
        check(heard == i, "one alarm");
        check_time(at_us, heard_us, "the alarm");
        check(hearer > 0, "one of the crowd heard it");
        printf("heard by %d\n", hearer);
    }
}

static void take_a_signal_of_a_child(int count)
{
    start(sleep_again_and_again, count);
    block(SIGUSR1);
    int64_t at_us = now_us();
    pid_t child = fork();
    if (child == 0)
        _exit(kill(getppid(), SIGUSR1));
    waitpid(child, NULL, 0);
    usleep(SPAN_US);
    check(heard == 1 && hearer > 0, "one of the crowd heard it");
    check_time(at_us, heard_us, "the signal");
    printf("heard by %d\n", hearer);
}

static void *become_another_program(void *memory)
{
    (void)memory;
    usleep(SPAN_US);
    execlp("sh", "sh", "-c", "sleep 0.1; echo the other; sleep 0.1", (char *)NULL);
    return NULL;
}

static void exec_in_thread(int count)
{
    start(sleep_again_and_again, count - 1);
    make(become_another_program, count);
    pause();
}

/* Number of waits of this thread in the kernel. */
static long count_waits(void)
{
    static const char field[] = "\nvoluntary_ctxt_switches:\t";
    char text[4096] = "";
    FILE *file = fopen("/proc/thread-self/status", "r");
    check(file && fread(text, 1, sizeof text - 1, file) > 0 && fclose(file) == 0, "the status");
    const char *at = strstr(text, field);
    check(at != NULL, "the field");
    return atol(at + sizeof field - 1);
}

/* A sleeping thread is not woken early, even after the first thread has ended. */
static void *end_all(void *memory)
{
    enum { SLEEPS = 20 };
    (void)memory;
    usleep(SPAN_US);
    long before = count_waits();
    for (int i = 0; i < SLEEPS; i++)
        usleep(SPAN_US / SLEEPS);
    long waits = count_waits() - before;
    if (waits > SLEEPS + SLEEPS / 2)
        printf("%ld waits\n", waits);
    check(waits <= SLEEPS + SLEEPS / 2, "one wait for each sleep");
    printf("the end\n");
    exit(0);
}

static void end_the_first_thread(int count)
{
    start(sleep_again_and_again, count - 1);
    make(end_all, count);
    pthread_exit(NULL);
}

/* Child processes with many threads end, and the parent is notified. */
static void end_children(int count)
{
    for (int i = 0; i < 5; i++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            start(sleep_again_and_again, count);
            _exit(i);
        }
        int status = 0;
        check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == i, "the child");
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        printf("child %d ended at %lld.%09ld\n", i, (long long)now.tv_sec, now.tv_nsec);
        usleep(1000);
    }
}

static const struct {
    const char *name;
    void (*run)(int count);
} ways[] = {
    {"kill", kill_thread},
    {"queue", queue_to_thread},
    {"tgkill", call_tgkill},
    {"cancel", cancel_thread},
    {"user", change_user},
    {"alarm", take_alarms},
    {"child", take_a_signal_of_a_child},
    {"exec", exec_in_thread},
    {"first", end_the_first_thread},
    {"children", end_children},
};

int main(int count, char **words)
{
    const struct sigaction action = {.sa_handler = hear};

    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    for (size_t i = 0; count == 3 && i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].name, words[1]) != 0)
            continue;
        ways[i].run(atoi(words[2]));
        printf("done\n");
        fflush(NULL);
        _exit(0);
    }
    return 2;
}
