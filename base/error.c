/* Error messages about the environment. The caller decides where they are written. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { WHOLE_MAX = 9216 }; /* chosen: room for two of the longest paths */

static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Cuts a long message in the middle, since it ends with its reason and remedy. A UTF-8 character
 * is kept whole or dropped: a JSON reader would reject a part of it. */
static void error_put(struct error *error, char *whole)
{
    static const char gap[] = " [...] ";
    size_t size = strlen(whole), room = sizeof error->text - sizeof gap;
    bool is_long = size >= sizeof error->text;
    size_t head = is_long ? room / 2 : size, tail = is_long ? size - room / 2 : size;
    while (head < tail && head > 0 && is_inside_character(whole[head]))
        head--;
    while (head < tail && is_inside_character(whole[tail]))
        tail++;
    snprintf(error->text, sizeof error->text, "%.*s%s%s", (int)head, whole, is_long ? gap : "",
             whole + tail);
    text_guard(error->text);
}

static void error_write(struct error *error, bool is_environment, const char *format,
                        va_list arguments)
{
    if (!error)
        return;
    char whole[WHOLE_MAX];
    error->is_environment = is_environment;
    vsnprintf(whole, sizeof whole, format, arguments);
    error_put(error, whole);
}

bool error_set(struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_write(error, false, format, arguments);
    va_end(arguments);
    return false;
}

bool error_environment(struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_write(error, true, format, arguments);
    va_end(arguments);
    return false;
}

bool error_prefix(struct error *error, const char *format, ...)
{
    if (!error)
        return false;
    char whole[WHOLE_MAX + sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(whole, WHOLE_MAX, format, arguments);
    va_end(arguments);
    memcpy(whole + strlen(whole), error->text, strlen(error->text) + 1);
    error_put(error, whole);
    return false;
}
