/* How much of a test runs. In a tree with sanitizers a test takes a part of equal cases, and leaves
 * out tests of code that its other tests run too: one more run of the same code shows a sanitizer
 * nothing new. A test that repeats a run many times repeats it less often. With PTYBOT_ALL_CASES in
 * the environment (./dev nightly test) nothing is left out. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>

#ifndef PTYBOT_SAMPLE
#define PTYBOT_SAMPLE 1 /* tests/CMakeLists.txt */
#endif

#define SAMPLE_OF(count) ((count) / PTYBOT_SAMPLE)

static inline bool sample_is_whole(void)
{
    return getenv("PTYBOT_ALL_CASES") != NULL;
}

/* How far the next case of a table is. */
static inline size_t sample_stride(void)
{
    size_t stride = PTYBOT_SAMPLE;
    return sample_is_whole() ? 1 : stride;
}

/* Runs two groups of cmocka; with sanitizers MORE only where nothing is left out. */
#define SAMPLE_RUN(tests, more)                                                                    \
    (cmocka_run_group_tests(tests, NULL, NULL) +                                                   \
     (sample_stride() > 1 ? 0 : cmocka_run_group_tests(more, NULL, NULL)))
