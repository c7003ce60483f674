/* Text from elsewhere made fit for a terminal and a report. */
#include "base/plain_text.h"

#include <stdbool.h>

enum { ESCAPE = 0x1b, BELL = 0x07, DELETE = 0x7f };

static bool is_control(char byte)
{
    return (unsigned char)byte < 0x20 || byte == DELETE;
}

/* The length of the escape sequence at TEXT (ECMA-48, 5.4 and 5.6: control sequences, control
 * strings; ECMA-35, 13.2: others). */
static size_t escape_size(const char *text, size_t size)
{
    size_t i = 2;
    if (size < 2)
        return size;
    if (text[1] == '[') {
        while (i < size && text[i] >= 0x20 && text[i] < 0x40)
            i++;
        return i < size && !is_control(text[i]) ? i + 1 : i;
    }
    if (text[1] == ']' || text[1] == 'P' || text[1] == 'X' || text[1] == '^' || text[1] == '_') {
        // Strings end with a bell or with ESC \; one that does not end with its line is none.
        while (i < size && text[i] != BELL && text[i] != ESCAPE && text[i] != '\n')
            i++;
        if (i + 1 < size && text[i] == ESCAPE)
            return i + 2;
        return i < size && text[i] == BELL ? i + 1 : i;
    }
    // Others: intermediate bytes and a final one.
    i = 1;
    while (i < size && text[i] >= 0x20 && text[i] < 0x30)
        i++;
    return i < size && !is_control(text[i]) ? i + 1 : i;
}

/* Controls of eight bits, as UTF-8 has them: U+0080 to U+009F. */
static bool is_high_control(const char *text, size_t size)
{
    return size >= 2 && (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] >= 0x80 &&
           (unsigned char)text[1] < 0xa0;
}

size_t plain_text_clean(char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        if (text[i] == ESCAPE) {
            i += escape_size(text + i, size - i);
        } else if (is_high_control(text + i, size - i)) {
            i += 2;
        } else if (text[i] == '\r') {
            if (i + 1 < size && text[i + 1] != '\n' && text[i + 1] != '\r')
                text[used++] = '\n';
            i++;
        } else {
            bool is_bad = is_control(text[i]) && text[i] != '\n' && text[i] != '\t';
            text[used++] = is_bad ? ' ' : text[i];
            i++;
        }
    }
    text[used] = '\0';
    return used;
}

void plain_text_flatten(char *text)
{
    for (; *text; text++)
        if (is_control(*text))
            *text = ' ';
}
