#define _GNU_SOURCE
#include "tests/support/check.h"

#include <errno.h>
#include <string.h>
#include <time.h>

int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void sleep_ms(int ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

void check_same_lines(const char *first, const char *again)
{
    int number = 1;
    size_t before = 0, line = 0, at = 0;
    for (; first[at] == again[at]; at++) {
        if (first[at] == '\0')
            return;
        if (first[at] != '\n')
            continue;
        number++;
        before = line;
        line = at + 1;
    }
    fail_msg("line %d differs, behind\n%.*s\nfirst: %.*s\nagain: %.*s", number,
             (int)strcspn(first + before, "\n"), first + before, (int)strcspn(first + line, "\n"),
             first + line, (int)strcspn(again + line, "\n"), again + line);
}
