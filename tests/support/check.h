/* What every end-to-end test needs: cmocka with the headers that it asks for, and waiting. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/test_timeout.h"

/* Monotonic milliseconds. */
int64_t now_ms(void);
void sleep_ms(int ms);

/* Both are the same text; a failure shows the first line that differs, and the line before. */
void check_same_lines(const char *first, const char *again);

/* Repeats until CONDITION holds; fails the test when the timeout ends. */
#define WAIT_UNTIL(condition)                                                                      \
    do {                                                                                           \
        int64_t wait_end_ = now_ms() + TEST_TIMEOUT_MS;                                            \
        while (!(condition)) {                                                                     \
            if (now_ms() > wait_end_)                                                              \
                fail_msg("waited %d s in vain for: %s", TEST_TIMEOUT_MS / 1000, #condition);       \
            sleep_ms(5);                                                                           \
        }                                                                                          \
    } while (0)
