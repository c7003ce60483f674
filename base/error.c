/* Sentences about the outside world. The caller decides where they go. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Drops a UTF-8 character that was cut in the middle: a reader of JSON would refuse the text. */
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

/* A sentence may quote what strangers wrote: what a terminal would obey, and what is not UTF-8,
 * becomes `?`. A line that is set in cannot pass for a message of its own. */
static void error_clean(char *text)
{
    char *to = text;
    while (*text) {
        size_t size = text_character(text);
        bool is_break = strncmp(text, TEXT_CARET_BREAK, sizeof TEXT_CARET_BREAK - 1) == 0;
        bool is_shown = size > 0 && (text_control(text, size) < 0 || is_break);
        if (is_shown)
            memmove(to, text, size);
        else
            *to = '?';
        to += is_shown ? size : 1;
        text += size > 0 ? size : 1;
    }
    *to = '\0';
}

static void error_write(struct error *error, bool is_environment, const char *format,
                        va_list arguments)
{
    if (!error)
        return;
    error->is_environment = is_environment;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    error_trim(error->text, sizeof error->text);
    error_clean(error->text);
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
    error_clean(error->text);
    return false;
}
