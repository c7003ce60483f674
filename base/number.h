/* Numbers to text and back, the same in every locale. */
#ifndef PTYBOT_BASE_NUMBER_H
#define PTYBOT_BASE_NUMBER_H

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

#endif
