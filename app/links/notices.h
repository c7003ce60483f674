/* Messages about the hosts of one link, for people: eight at once, then one a second. The number of
 * messages left out follows as soon as there is room for it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* All zero but the name is the start. */
struct notices {
    char name[96];   /* robot.channel */
    int64_t said_ns; /* the messages up to this time are used up */
    unsigned unsaid; /* left out since the last message */
};

/* Prints a message, printf-style, or counts it as left out. */
void notices_say(struct notices *notices, int64_t now_ns, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports how many were left out, if any and if there is room; IS_LAST: in any case. */
void notices_catch_up(struct notices *notices, int64_t now_ns, bool is_host, bool is_last);
