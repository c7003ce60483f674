/* How long a test waits for what must happen. */
#ifndef TESTS_SUPPORT_PATIENCE_H
#define TESTS_SUPPORT_PATIENCE_H

#include <stdlib.h>

/* Generous, since machines are busy; PTYBOT_PATIENCE: so many times as long (./dev test sets it by
 * the load). */
static inline int patience_ms(void)
{
    const char *text = getenv("PTYBOT_PATIENCE");
    int times = text ? atoi(text) : 1;
    return 30000 * (times > 1 ? times : 1);
}
#define PATIENCE_MS patience_ms()

#endif
