/* Error messages about the environment. The caller decides where they are written. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Drops a UTF-8 character that was cut in the middle: a JSON reader would reject the text. */
static void error_trim(char *text, size_t size)
{
    size_t end = strlen(text);
    if (end + 1 < size)
        return;
    size_t lead = end;
    while (lead > 0 && ((unsigned char)text[lead - 1] & 0xc0) == 0x80)
        lead--;
    if (lead == 0)
        return;
    unsigned char first = (unsigned char)text[lead - 1];
    size_t follow = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    if (end - lead < follow)
        text[lead - 1] = '\0';
}

static void error_write(struct error *error, bool is_environment, const char *format,
                        va_list arguments)
{
    if (!error)
        return;
    error->is_environment = is_environment;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    error_trim(error->text, sizeof error->text);
    text_guard(error->text);
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
    struct error old = *error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "%s", old.text);
    error_trim(error->text, sizeof error->text);
    text_guard(error->text);
    return false;
}
