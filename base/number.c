/* Conversion of numbers, the same in every locale. libc produces the digits, which it rounds
 * correctly. The grammar and the decimal point are implemented here. */
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER_TEXT_MAX = 64,  /* characters; chosen: a double is exact within 17 digits */
    NUMBER_POINT_MAX = 16, /* bytes of a decimal point; the longest encodings need 4 to 6 */
};

/* The decimal point that printf and strtod use now: the text between the digits of 0.5. */
static void number_point(char point[static NUMBER_POINT_MAX])
{
    char half[NUMBER_POINT_MAX];
    int length = snprintf(half, sizeof half, "%.1f", 0.5);
    snprintf(point, NUMBER_POINT_MAX, "%.*s", length - 2, half + 1);
}

static size_t number_digits(const char *text)
{
    size_t count = 0;
    while (text[count] >= '0' && text[count] <= '9')
        count++;
    return count;
}

static size_t number_sign(const char *text)
{
    return *text == '+' || *text == '-' ? 1 : 0;
}

/* Finds the decimal point: its position, or the text's length if there is none. False: the text is
 * not `[sign] digits [. digits] [e [sign] digits]` with a digit before the exponent. */
static bool number_grammar(const char *text, size_t *point)
{
    size_t at = number_sign(text);
    size_t digits = number_digits(text + at);
    at += digits;
    *point = strlen(text);
    if (text[at] == '.') {
        *point = at;
        size_t decimals = number_digits(text + at + 1);
        digits += decimals;
        at += 1 + decimals;
    }
    if (digits == 0)
        return false;
    if (text[at] == 'e' || text[at] == 'E') {
        at++;
        at += number_sign(text + at);
        size_t exponent = number_digits(text + at);
        if (exponent == 0)
            return false;
        at += exponent;
    }
    return text[at] == '\0';
}

bool number_parse(const char *text, double *value)
{
    size_t point;
    size_t length = strlen(text);
    if (length > NUMBER_TEXT_MAX || !number_grammar(text, &point))
        return false;
    char local_point[NUMBER_POINT_MAX];
    number_point(local_point);
    char local[NUMBER_TEXT_MAX + NUMBER_POINT_MAX];
    snprintf(local, sizeof local, "%.*s%s%s", (int)point, text, point < length ? local_point : "",
             point < length ? text + point + 1 : "");
    double number = strtod(local, NULL);
    if (!isfinite(number))
        return false;
    *value = number;
    return true;
}

bool number_parse_integer(const char *text, int64_t *value)
{
    size_t sign = number_sign(text);
    size_t digits = number_digits(text + sign);
    if (digits == 0 || text[sign + digits] != '\0')
        return false;
    errno = 0;
    long long number = strtoll(text, NULL, 10);
    if (errno == ERANGE)
        return false;
    *value = number;
    return true;
}

size_t number_print(double value, int digits, char *text, size_t size)
{
    char local[NUMBER_TEXT_MAX];
    int length = snprintf(local, sizeof local, "%.*g", digits, value);
    // The text between the digits is the decimal point of the locale, unless the number has no
    // point.
    size_t whole = number_sign(local);
    whole += number_digits(local + whole);
    size_t point = whole;
    while (local[point] != '\0' && local[point] != 'e' && number_digits(local + point) == 0)
        point++;
    bool has_point = whole > 0 && point > whole && number_digits(local + point) > 0;
    if (has_point) {
        local[whole] = '.';
        memmove(local + whole + 1, local + point, (size_t)length - point + 1);
    }
    int wanted = snprintf(text, size, "%s", local);
    return size == 0 ? 0 : (size_t)wanted < size ? (size_t)wanted : size - 1;
}

/* ---- Numbers in memory ---- */

/* Offset of a number of SIZE bytes within one of eight bytes. */
static size_t number_skip(size_t size)
{
    static const uint16_t one = 1;
    return *(const uint8_t *)&one == 1 ? 0 : sizeof(uint64_t) - size;
}

uint64_t number_load(const void *from, size_t size)
{
    uint64_t number = 0;
    memcpy((uint8_t *)&number + number_skip(size), from, size);
    return number;
}

void number_store(void *to, size_t size, uint64_t number)
{
    memcpy(to, (const uint8_t *)&number + number_skip(size), size);
}

int number_order(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}
