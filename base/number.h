/* Conversion of numbers to text and back, the same in every locale; and bounds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a decimal number (sign, digits, `.`, exponent) that takes up the whole text. Returns false,
 * and leaves VALUE untouched, for all other texts: blanks, units, hexadecimal, `nan`, `inf`, an
 * overflow. */
bool number_parse(const char *text, double *value);

/* The same for an integer without `.` and exponent. */
bool number_parse_integer(const char *text, int64_t *value);

/* Writes VALUE with at most DIGITS significant digits and no needless zeros, cut at SIZE and always
 * terminated. Returns the number of characters written. */
size_t number_print(double value, int digits, char *text, size_t size);

/* Loads an unsigned number of SIZE bytes (1, 2, 4 or 8) in the byte order of the machine, and
 * stores the lowest SIZE bytes of a number. */
uint64_t number_load(const void *from, size_t size);
void number_store(void *to, size_t size, uint64_t number);

/* Comparison for qsort of doubles, or of structs that begin with a double: the smallest comes
 * first. */
int number_order(const void *a, const void *b);

/* Bounds. fmin and fmax of libm are not used: they do not define the sign of a zero result, so the
 * bits could differ. */
static inline double number_larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double number_smaller(double a, double b)
{
    return a < b ? a : b;
}

/* The nearest value to VALUE in -LIMIT..LIMIT. */
static inline double number_clamp(double value, double limit)
{
    return value < -limit ? -limit : value > limit ? limit : value;
}

/* The nearest value to VALUE in LOW..HIGH. */
static inline double number_between(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}
