/* A program that nothing can be preloaded into: linked statically. Sleeps a moment and ends. */
#define _GNU_SOURCE
#include <time.h>

int main(void)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    return nanosleep(&moment, NULL);
}
