/* How well the host of a link reads: how many bytes wait for it, and for how long they have waited
 * at most. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { READING_MARKS = 32 }; /* chosen: how finely the age of what waits is known */

/* All zero is the start. */
struct reading {
    struct {
        uint64_t bytes; /* that had been sent by then */
        int64_t at_us;
    } marks[READING_MARKS]; /* of bytes that still wait, oldest first */
    size_t count;
    uint64_t unread, unread_most; /* bytes that wait now; and did at most */
    uint64_t taken;               /* bytes that the host has read */
    unsigned slow_polls;          /* calls since which it had read, and yet left much unread */
    int64_t silence_us;           /* longest time for which bytes have waited */
    int64_t silence_from_us;      /* since when these had waited */
};

/* Of SENT bytes so far UNREAD wait at the simulated time NOW_US. Between two calls bytes count as
 * sent at the second, so that no time is exaggerated. */
void reading_note(struct reading *reading, uint64_t sent, uint64_t unread, int64_t now_us);
