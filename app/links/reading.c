#include "app/links/reading.h"

#include <string.h>

enum { MUCH = 512 }; /* chosen, bytes: a driver that reads all available bytes leaves less */

static void drop_first(struct reading *reading, size_t count)
{
    reading->count -= count;
    memmove(reading->marks, reading->marks + count, reading->count * sizeof *reading->marks);
}

/* Keeps every second mark, including the oldest. */
static void thin_out(struct reading *reading)
{
    size_t kept = 0;
    for (size_t i = 0; i < reading->count; i += 2)
        reading->marks[kept++] = reading->marks[i];
    reading->count = kept;
}

void reading_note(struct reading *reading, uint64_t sent, uint64_t unread, int64_t now_us)
{
    uint64_t taken = unread < sent ? sent - unread : 0;
    size_t gone = 0;
    if (taken > reading->taken && unread > MUCH && reading->unread > MUCH)
        reading->slow_polls++;
    reading->taken = taken;
    reading->unread = unread;
    if (unread > reading->unread_most)
        reading->unread_most = unread;
    while (gone < reading->count && reading->marks[gone].bytes <= taken)
        gone++;
    drop_first(reading, gone);
    if (reading->count > 0 && now_us - reading->marks[0].at_us > reading->silence_us) {
        reading->silence_us = now_us - reading->marks[0].at_us;
        reading->silence_from_us = reading->marks[0].at_us;
    }
    uint64_t marked = reading->count > 0 ? reading->marks[reading->count - 1].bytes : taken;
    if (sent <= marked)
        return;
    if (reading->count == READING_MARKS)
        thin_out(reading);
    reading->marks[reading->count].bytes = sent;
    reading->marks[reading->count++].at_us = now_us;
}
