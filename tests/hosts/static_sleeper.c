/* A statically linked program, so that no library can be preloaded. It sleeps a moment and ends;
 * with an argument it waits for the signal of a timer instead. */
#define _GNU_SOURCE
#include <signal.h>
#include <time.h>

int main(int argc, char **argv)
{
    (void)argv;
    const struct timespec moment = {.tv_nsec = 50000000};
    if (argc < 2)
        return nanosleep(&moment, NULL);
    sigset_t alarm;
    timer_t timer;
    int number;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    return sigprocmask(SIG_BLOCK, &alarm, NULL) != 0 ||
           timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0 ||
           timer_settime(timer, 0, &(struct itimerspec){.it_value = moment}, NULL) != 0 ||
           sigwait(&alarm, &number) != 0;
}
