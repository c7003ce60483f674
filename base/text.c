/* Text for messages. Does not measure the width of characters: lengths are in bytes. */
#include "base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Foreign text in a message ---- */

long text_control(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] < 0x20 || bytes[i] == 0x7f)
            return bytes[i];
        /* U+0080 to U+009F, the second row of controls, are 0xc2 0x80 to 0xc2 0x9f in UTF-8. */
        if (bytes[i] == 0xc2 && i + 1 < length && bytes[i + 1] < 0xa0)
            return bytes[i + 1];
    }
    return -1;
}

/* Table 3-7 of the Unicode standard: no overlong form, no surrogate, nothing above U+10FFFF. */
size_t text_character(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char first = bytes[0];
    if (first < 0x80)
        return 1;
    size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (first < 0xc2 || first > 0xf4 || bytes[1] < low || bytes[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

const char *text_quote(const char *text, char *quote, size_t size)
{
    static const char more[] = "...";
    size_t used = 0;
    while (*text) {
        size_t step = text_character(text);
        bool is_shown = step > 0 && text_control(text, step) < 0;
        size_t width = is_shown ? step : 1;
        if (used + width + sizeof more > size) {
            memcpy(quote + used, more, sizeof more);
            return quote;
        }
        memcpy(quote + used, is_shown ? text : "?", width);
        used += width;
        text += step > 0 ? step : 1;
    }
    quote[used] = '\0';
    return quote;
}

const char *text_stem(const char *path, size_t *size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    *size = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return name;
}

const char *text_caret(const char *text, size_t place, char out[static TEXT_CARET_SIZE])
{
    enum { BEFORE = 40, WIDTH = 72 }; // chosen: the place is seen on a terminal of 80 columns
    static_assert(TEXT_CARET_SIZE > 4 * WIDTH + BEFORE + 8, "UTF-8, blanks, breaks and the caret");
    char shown[4 * WIDTH + 1];
    const char *at = text + (place > BEFORE ? place - BEFORE : 0);
    size_t used = 0, caret = 0;
    while (((unsigned char)*at & 0xc0) == 0x80) // not from the middle of a character
        at++;
    for (size_t columns = 0; *at && columns < WIDTH; columns++) {
        size_t step = text_character(at);
        bool is_plain = step > 0 && text_control(at, step) < 0;
        size_t width = is_plain ? step : 1;
        caret += at < text + place;
        memcpy(shown + used, is_plain ? at : "?", width);
        used += width;
        at += step > 0 ? step : 1;
    }
    snprintf(out, TEXT_CARET_SIZE, TEXT_CARET_BREAK "%.*s" TEXT_CARET_BREAK "%*s^", (int)used,
             shown, (int)caret, "");
    return out;
}

bool text_add(char *text, size_t size, const char *between, const char *format, ...)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, size - used, "%s", used > 0 ? between : "");
    if (used >= size)
        return false;
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
    return more >= 0 && (size_t)more < size - used;
}

/* ---- Did you mean? Compares bytes, because the words of the program are ASCII. ---- */

enum {
    DISTANCE_MAX = 48, /* longer words are not compared; chosen */
    DISTANCE_BEGINNING =
        50, /* above every true distance: a typing error is preferred to a beginning */
};

static char lower_case(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool is_same_letter(char a, char b)
{
    return lower_case(a) == lower_case(b);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance: insertions, deletions, changes and swaps of neighbors cost 1
 * each. F. J. Damerau: "A technique for computer detection and correction of spelling errors",
 * 1964. */
static int count_edits(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int rows[3][DISTANCE_MAX + 1];
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = (int)j;
    for (size_t i = 1; i <= a_size; i++) {
        int *now = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        const int *two_above = rows[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= b_size; j++) {
            int change = above[j - 1] + !is_same_letter(a[i - 1], b[j - 1]);
            now[j] = smaller(change, smaller(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
                is_same_letter(a[i - 2], b[j - 1]))
                now[j] = smaller(now[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

static bool is_beginning(const char *word, const char *candidate)
{
    /* `v1` begins `1.0.0`: versions are often written with a letter in front. */
    if (lower_case(word[0]) == 'v' && candidate[0] >= '0' && candidate[0] <= '9')
        word++;
    size_t i = 0;
    while (word[i] && is_same_letter(word[i], candidate[i]))
        i++;
    return i > 0 && word[i] == '\0';
}

int text_distance(const char *word, const char *candidate)
{
    size_t word_size = strlen(word);
    size_t size = strlen(candidate);
    if (word_size > DISTANCE_MAX || size > DISTANCE_MAX)
        return TEXT_DISTANCE_FAR;
    /* One error in three letters may be a typing error, unless no letter is the same. */
    int longest = (int)(word_size > size ? word_size : size);
    int shortest = (int)(word_size < size ? word_size : size);
    int allowed = longest < 6 ? (longest + 1) / 3 : longest / 3;
    // Every additional letter of the longer word is an edit. The lengths alone rule out most words.
    int edits = longest - shortest > allowed ? TEXT_DISTANCE_FAR
                                             : count_edits(word, word_size, candidate, size);
    if (edits <= allowed && edits < shortest)
        return edits;
    return edits == 0 ? 0 : is_beginning(word, candidate) ? DISTANCE_BEGINNING : TEXT_DISTANCE_FAR;
}

void text_nearer(const char *word, const char *candidate, const char **best, int *least)
{
    int distance = text_distance(word, candidate);
    if (distance < *least) {
        *least = distance;
        *best = candidate;
    }
}

const char *text_nearest(const char *const *words, const char *word)
{
    const char *best = NULL;
    int least = TEXT_DISTANCE_FAR;
    for (size_t i = 0; words[i]; i++)
        text_nearer(word, words[i], &best, &least);
    return best;
}

const char *text_meant(const char *near, const char *remedy, char out[static TEXT_ADVICE_SIZE])
{
    const char *after = remedy ? remedy : "";
    out[0] = '\0';
    if (near)
        snprintf(out, TEXT_ADVICE_SIZE, "; did you mean '%s'?%s%s", near, remedy ? " " : "", after);
    else if (remedy)
        snprintf(out, TEXT_ADVICE_SIZE, "; %s", after);
    return out;
}

const char *text_advice(const char *const *words, const char *word,
                        char advice[static TEXT_ADVICE_SIZE])
{
    const char *nearest = word ? text_nearest(words, word) : NULL;
    size_t used = 0;
    advice[0] = '\0';
    if (nearest)
        used = (size_t)snprintf(advice, TEXT_ADVICE_SIZE, "did you mean '%s'? ", nearest);
    used += (size_t)snprintf(advice + used, TEXT_ADVICE_SIZE - used, "allowed: ");
    for (size_t i = 0; words[i]; i++) {
        const char *between = i ? ", " : "";
        /* Reserves room for the dots, which show that the list is incomplete. */
        if (used + strlen(between) + strlen(words[i]) + sizeof ", ..." > TEXT_ADVICE_SIZE) {
            snprintf(advice + used, TEXT_ADVICE_SIZE - used, "%s...", between);
            break;
        }
        used += (size_t)snprintf(advice + used, TEXT_ADVICE_SIZE - used, "%s%s", between, words[i]);
    }
    return advice;
}

/* ---- Text for a terminal and a report ---- */

enum { ESCAPE = 0x1b, BELL = 0x07 };

static bool is_control(char byte)
{
    return text_control(&byte, 1) >= 0;
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
        /* Control strings end with BEL or with ESC \. A sequence without an end on its line is not
         * a control string. */
        while (i < size && text[i] != BELL && text[i] != ESCAPE && text[i] != '\n')
            i++;
        if (i + 1 < size && text[i] == ESCAPE)
            return i + 2;
        return i < size && text[i] == BELL ? i + 1 : i;
    }
    /* Others: intermediate bytes and a final one. */
    i = 1;
    while (i < size && text[i] >= 0x20 && text[i] < 0x30)
        i++;
    return i < size && !is_control(text[i]) ? i + 1 : i;
}

/* Control characters of eight bits, encoded in UTF-8. */
static bool is_high_control(const char *text, size_t size)
{
    return size >= 2 && text_control(text, 2) >= 0x80;
}

size_t text_clean(char *text, size_t size)
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
            text[used] = text[i++];
            if (is_control(text[used]) && text[used] != '\n' && text[used] != '\t')
                text[used] = ' ';
            used++;
        }
    }
    text[used] = '\0';
    return used;
}

size_t text_hex(const uint8_t *bytes, size_t size, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return 2 * size;
}

bool text_is_name(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'z' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

int text_hex_digit(char letter)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = letter ? strchr(digits, letter) : NULL;
    return found ? (int)(found - digits) % 16 : -1;
}

void text_flatten(char *text)
{
    for (; *text; text++)
        if (is_control(*text))
            *text = ' ';
}

/* Systems for continuous integration interpret lines that begin with `::` or `##`, also after
 * blanks. */
static bool is_caret_break(const char *text)
{
    size_t size = sizeof TEXT_CARET_BREAK - 1;
    return strncmp(text, TEXT_CARET_BREAK, size) == 0 &&
           !strchr(":#", text[size + strspn(text + size, " ")]);
}

void text_guard(char *text)
{
    char *to = text;
    while (*text) {
        size_t size = text_character(text);
        bool is_shown = size > 0 && (text_control(text, size) < 0 || is_caret_break(text));
        if (is_shown)
            memmove(to, text, size);
        else
            *to = '?';
        to += is_shown ? size : 1;
        text += size > 0 ? size : 1;
    }
    *to = '\0';
}
