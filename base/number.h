/* Numbers: to text and back, the same in every locale; and bounds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a decimal number (sign, digits, `.`, exponent) that takes up the whole text. False, and
 * VALUE untouched, for anything else: blanks, units, hexadecimal, `nan`, `inf`, an overflow. */
bool number_parse(const char *text, double *value);

/* The same for a whole number without `.` and exponent. */
bool number_parse_integer(const char *text, int64_t *value);

/* Writes VALUE with at most DIGITS significant digits and no needless zeros, cut at SIZE and always
 * terminated. Returns the characters written. */
size_t number_print(double value, int digits, char *text, size_t size);

/* The unsigned number of SIZE bytes (1, 2, 4 or 8) at an address, in the order of the machine; and
 * stored there, its lowest bytes. */
uint64_t number_load(const void *from, size_t size);
void number_store(void *to, size_t size, uint64_t number);

/* For qsort of doubles, or of structs that begin with one: the smallest first. */
int number_order(const void *a, const void *b);

/* Bounds. fmin and fmax of libm are not used, because they leave the sign of zero open, and so the
 * bits. */
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
