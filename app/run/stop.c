/* The end that a person or a system asks for. */
#include "app/run/stop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

/* Of the process, as signals are. */
static volatile sig_atomic_t is_wanted; /* the number of the signal */
static volatile sig_atomic_t is_staying, is_urgent;
static struct timespec wanted_at;
static int wake_fd = -1;

/* Chosen: far longer than an orderly end takes. */
enum { PATIENCE_MS = 1000 };

static bool is_patience_over(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - wanted_at.tv_sec) * 1000 + (now.tv_nsec - wanted_at.tv_nsec) / 1000000 >=
           PATIENCE_MS;
}

/* Only one runs at a time: each holds the others off. */
static void on_signal(int number)
{
    int kept = errno;
    const uint64_t one = 1;
    if (is_wanted && is_patience_over() && is_staying) {
        is_urgent = 1;
    } else if (is_wanted && is_patience_over()) {
        signal(number, SIG_DFL);
        raise(number); // takes effect when this returns
    } else if (!is_wanted) {
        clock_gettime(CLOCK_MONOTONIC, &wanted_at);
        is_wanted = number;
    }
    // Nothing is lost if this fails: the loop looks at least at each visit.
    if (write(wake_fd, &one, sizeof one) < 0)
        errno = kept;
    errno = kept;
}

bool stop_catch(struct poller *poller, struct error *error)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&action.sa_mask, signals[i]);
    wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (wake_fd < 0 || !poller_set(poller, wake_fd, EPOLLIN, POLLER_STOP, 0))
        return error_set(error, "cannot set up the end by signals: %s", strerror(errno));
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction before;
        // nohup wants a hang-up ignored. But a shell's script ignores SIGINT for its background
        // jobs too, and `kill -INT` there means us.
        sigaction(signals[i], NULL, &before);
        if (signals[i] != SIGHUP || before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    return true;
}

bool stop_is_wanted(void)
{
    return is_wanted != 0;
}

int stop_number(void)
{
    return is_wanted;
}

void stop_ask(void)
{
    if (!is_wanted)
        clock_gettime(CLOCK_MONOTONIC, &wanted_at);
    is_wanted = SIGTERM;
}

void stop_stay(void)
{
    is_staying = 1;
}

bool stop_is_urgent(void)
{
    return is_urgent != 0;
}

void stop_release(void)
{
    if (wake_fd >= 0)
        close(wake_fd);
    wake_fd = -1;
}
