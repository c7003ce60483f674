#include "app/links/notices.h"

#include <stdarg.h>
#include <stdio.h>

#include "app/cli/terminal.h"

/* Chosen: nobody can read more. */
#define EACH_NS INT64_C(1000000000)
enum { BURST = 8 };

/* Takes the room for one message. */
static bool take_room(struct notices *notices, int64_t now_ns)
{
    int64_t from_ns = now_ns - BURST * EACH_NS;
    if (notices->said_ns < from_ns)
        notices->said_ns = from_ns;
    bool has_room = notices->said_ns + EACH_NS <= now_ns;
    notices->said_ns += has_room ? EACH_NS : 0;
    return has_room;
}

void notices_say(struct notices *notices, int64_t now_ns, const char *format, ...)
{
    char text[512];
    va_list args;
    if (notices->unsaid > 0 || !take_room(notices, now_ns)) {
        notices->unsaid++;
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    terminal_say("%s: %s", notices->name, text);
}

void notices_catch_up(struct notices *notices, int64_t now_ns, bool is_host, bool is_last)
{
    if (notices->unsaid == 0 || (!is_last && !take_room(notices, now_ns)))
        return;
    terminal_say("%s: %u messages about its drivers omitted; %s", notices->name, notices->unsaid,
                 is_host ? "a driver is connected" : "no driver is connected");
    notices->unsaid = 0;
}
