/* How long a test waits for what must happen. */
#pragma once

#include <stdlib.h>

/* Generous, since machines are busy; PTYBOT_TIMEOUT_FACTOR: so many times as long (./dev test sets
 * it by the load). */
static inline int test_timeout_ms(void)
{
    const char *text = getenv("PTYBOT_TIMEOUT_FACTOR");
    int times = text ? atoi(text) : 1;
    return 30000 * (times > 1 ? times : 1);
}
#define TEST_TIMEOUT_MS test_timeout_ms()
