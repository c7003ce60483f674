/* Timeout of a test that waits for an expected event. */
#pragma once

#include <stdlib.h>

/* Generous, since machines may be busy. PTYBOT_TIMEOUT_FACTOR multiplies it (./dev test sets the
 * factor from the load). */
static inline int test_timeout_ms(void)
{
    const char *text = getenv("PTYBOT_TIMEOUT_FACTOR");
    int times = text ? atoi(text) : 1;
    return 30000 * (times > 1 ? times : 1);
}
#define TEST_TIMEOUT_MS test_timeout_ms()
