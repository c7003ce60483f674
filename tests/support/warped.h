/* The clock shim in a test program. PTYBOT_CLOCK is its path. Real time comes directly from the
 * kernel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WARPED_FACTOR 50

/* Starts this program again with the clock preloaded and these settings, unless it is already
 * preloaded. Returns only in the program started again. */
static inline void warped_preload(char **argv)
{
    const char *preloaded = getenv("LD_PRELOAD");
    char factor[16];

    if (preloaded != NULL && strstr(preloaded, PTYBOT_CLOCK) != NULL)
        return;
    snprintf(factor, sizeof factor, "%d", WARPED_FACTOR);
    setenv("PTYBOT_WARP", factor, 1);
    setenv("LD_PRELOAD", PTYBOT_CLOCK, 1);
    execv("/proc/self/exe", argv);
    perror("/proc/self/exe");
    exit(1);
}

static inline int64_t warped_ns(const struct timespec *at)
{
    return (int64_t)at->tv_sec * 1000000000 + at->tv_nsec;
}

/* Whether time waits for this program: it is a host of `ptybot test`. */
static inline bool warped_is_held(void)
{
    return getenv("PTYBOT_WARP_PAGE") != NULL;
}

/* Reads the kernel's clock. */
static inline int64_t warped_real_ns(clockid_t clock)
{
    struct timespec now = {0};
    syscall(SYS_clock_gettime, clock, &now);
    return warped_ns(&now);
}

/* Reads the program's clock. */
static inline int64_t warped_now_ns(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return warped_ns(&now);
}
