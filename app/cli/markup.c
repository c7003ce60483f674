#include "app/cli/markup.h"

#include <stdint.h>
#include <string.h>

/* The code point at TEXT, and its length in bytes; -1 if it is not UTF-8. */
static int32_t decode(const unsigned char *text, size_t *size)
{
    static const int32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t count = text[0] < 0x80             ? 1
                   : (text[0] & 0xe0) == 0xc0 ? 2
                   : (text[0] & 0xf0) == 0xe0 ? 3
                   : (text[0] & 0xf8) == 0xf0 ? 4
                                              : 0;
    *size = 1;
    if (count <= 1)
        return count == 1 ? text[0] : -1;
    int32_t code = text[0] & (0x7f >> count);
    for (size_t i = 1; i < count; i++) {
        if ((text[i] & 0xc0) != 0x80) // also the end of the text
            return -1;
        code = code << 6 | (text[i] & 0x3f);
    }
    if (code < lowest[count])
        return -1;
    *size = count;
    return code;
}

/* The characters that XML 1.0 allows, section 2.2 (Char). */
static bool is_allowed(int32_t code)
{
    return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code <= 0xd7ff) ||
           (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

/* NULL: the character needs no entity. */
static const char *entity(int32_t code)
{
    static const char marks[] = "&<>\"\n\r\t"; // an attribute's value would lose the last three
    static const char *const entities[] = {"&amp;", "&lt;",  "&gt;", "&quot;",
                                           "&#10;", "&#13;", "&#9;"};
    const char *at = code > 0 && code < 0x80 ? strchr(marks, code) : NULL;
    return at ? entities[at - marks] : NULL;
}

void markup_text(const char *text, bool is_body, FILE *out)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        size_t size;
        int32_t code = decode(at, &size);
        const char *escaped = is_body && (code == '\n' || code == '\t') ? NULL : entity(code);
        if (code < 0 || !is_allowed(code))
            fputs("\xef\xbf\xbd", out);
        else if (escaped)
            fputs(escaped, out);
        else
            fwrite(at, 1, size, out);
        at += size;
    }
}

void markup_base64(const char *bytes, size_t size, FILE *out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *from = (const uint8_t *)bytes;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t three = (uint32_t)from[i] << 16 | (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                         (left > 2 ? from[i + 2] : 0);
        for (size_t k = 0; k < 4; k++)
            fputc(k <= left ? letters[three >> (18 - 6 * k) & 63] : '=', out);
    }
}
