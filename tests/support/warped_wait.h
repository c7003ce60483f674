/* Waits of the clock shim, one test each. */
#ifndef TESTS_SUPPORT_WARPED_WAIT_H
#define TESTS_SUPPORT_WARPED_WAIT_H

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

/* The bound above is half of what it would take unwarped: 25 times what it should take, for a busy
 * machine. */
static inline void a_wait_takes_its_span_of_warped_time(void **state)
{
    wait_function *const *wait = *state;
    int64_t real_ns = warped_real_ns(CLOCK_MONOTONIC), now_ns = warped_now_ns(CLOCK_MONOTONIC);
    (*wait)();
    int64_t took_ns = warped_now_ns(CLOCK_MONOTONIC) - now_ns;
    int64_t took_really_ns = warped_real_ns(CLOCK_MONOTONIC) - real_ns;
    assert_in_range(took_really_ns, SPAN_NS / WARPED_FACTOR - 20000000 / WARPED_FACTOR,
                    SPAN_NS / 2);
    /* Timers of the kernel may be a tick early (that of sockets counts in ticks of 4 ms and more).
     */
    assert_true(took_ns >= SPAN_NS - 20000000);
}

#define WAIT(function)                                                                             \
    {                                                                                              \
        .name = #function, .test_func = a_wait_takes_its_span_of_warped_time,                      \
        .initial_state = &(wait_function *)                                                        \
        {                                                                                          \
            function                                                                               \
        }                                                                                          \
    }

#endif
