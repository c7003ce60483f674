/* How well the host of a link reads: the number of bytes that wait for it, and the longest time
 * that bytes have waited. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { READING_MARKS = 32 }; /* chosen: resolution of the age of waiting bytes */

/* Initial value: all zero. */
struct reading {
    struct {
        uint64_t bytes; /* total bytes sent up to AT_US */
        int64_t at_us;
    } marks[READING_MARKS]; /* marks of bytes that still wait, oldest first */
    size_t count;
    uint64_t unread, unread_most; /* bytes that wait now; largest number so far */
    uint64_t taken;               /* bytes that the host has read */
    unsigned slow_polls;          /* calls that found that the host reads, but leaves much unread */
    int64_t silence_us;           /* longest time that bytes have waited */
    int64_t silence_from_us;      /* simulated time when that wait began */
};

/* UNREAD of the SENT bytes so far wait at the simulated time NOW_US. Bytes sent between two calls
 * count as sent at the second call, so that no wait is overestimated. */
void reading_note(struct reading *reading, uint64_t sent, uint64_t unread, int64_t now_us);
