/* Waits of the clock shim, one test each. */
#pragma once

#include "tests/support/check.h"
#include "tests/support/warped.h"

/* How long each lasts, by the warped clock. */
enum { SPAN_S = 3, SPAN_MS = SPAN_S * 1000 };
#define SPAN_NS (SPAN_S * INT64_C(1000000000))
static const struct timespec span = {.tv_sec = SPAN_S};

static inline struct timespec after(clockid_t clock)
{
    struct timespec when;
    clock_gettime(clock, &when);
    when.tv_sec += SPAN_S;
    return when;
}

typedef void wait_function(void);

/* The upper bound is half the unwarped duration, which is 25 times the expected duration, for a
 * busy machine. On a held clock, which a host may use for these tests, the measured time is the
 * span to the nanosecond. */
static inline void a_wait_takes_its_span_of_warped_time(void **state)
{
    wait_function *const *wait = *state;
    int64_t real_ns = warped_real_ns(CLOCK_MONOTONIC), now_ns = warped_now_ns(CLOCK_MONOTONIC);
    if (warped_is_held()) {
        (*wait)();
        assert_int_equal(warped_now_ns(CLOCK_MONOTONIC) - now_ns, SPAN_NS);
        return;
    }
    (*wait)();
    int64_t took_ns = warped_now_ns(CLOCK_MONOTONIC) - now_ns;
    int64_t took_really_ns = warped_real_ns(CLOCK_MONOTONIC) - real_ns;
    assert_in_range(took_really_ns, SPAN_NS / WARPED_FACTOR - 20000000 / WARPED_FACTOR,
                    SPAN_NS / 2);
    /* Timers of the kernel may be a tick early (that of sockets counts in ticks of 4 ms and more).
     */
    assert_true(took_ns >= SPAN_NS - 20000000);
}

/* A wait that a held clock cannot hold. */
static inline void a_wait_in_the_kernel_takes_its_span_of_warped_time(void **state)
{
    if (warped_is_held())
        skip();
    a_wait_takes_its_span_of_warped_time(state);
}

#define WAIT(function) WAIT_AS(a_wait_takes_its_span_of_warped_time, function)
#define WAIT_IN_KERNEL(function)                                                                   \
    WAIT_AS(a_wait_in_the_kernel_takes_its_span_of_warped_time, function)
#define WAIT_AS(test, function)                                                                    \
    {                                                                                              \
        .name = #function, .test_func = test, .initial_state = &(wait_function *)                  \
        {                                                                                          \
            function                                                                               \
        }                                                                                          \
    }
