/* Numbers as text. */
#include "base/writer.h"

#include <assert.h>
#include <math.h>

#include "base/array.h"
#include "base/number.h"

enum {
    NUMBER_MAX = 24, /* characters of any 64-bit integer, with sign and point */
    PLACES_MAX = 13,
};

static const uint64_t powers[PLACES_MAX + 1] = {
    1,        10,        100,        1000,        10000,        100000,        1000000,
    10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000};

void writer_hex(struct writer *to, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";
    writer_chars(to, (const char[]){digits[byte >> 4], digits[byte & 15]}, 2);
}

static unsigned count_digits(uint64_t number)
{
    unsigned count = 1;
    for (; number >= 10000; number /= 10000)
        count += 4;
    return count + (number >= 10) + (number >= 100) + (number >= 1000);
}

static const char pairs[] = "0001020304050607080910111213141516171819"
                            "2021222324252627282930313233343536373839"
                            "4041424344454647484950515253545556575859"
                            "6061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

/* Writes COUNT digits of a number before END, with leading zeros if it has fewer digits. */
static void put_digits(char *end, uint64_t number, unsigned count)
{
    for (; count >= 2; count -= 2, number /= 100) {
        end -= 2;
        memcpy(end, pairs + 2 * (number % 100), 2);
    }
    if (count > 0)
        end[-1] = (char)('0' + number % 10);
}

/* Writes a number of one or two digits AT; returns the end of the text. */
static char *put_pair(char *at, size_t number)
{
    memcpy(at, pairs + 2 * number + (number < 10), 2);
    return at + 2 - (number < 10);
}

/* Appends a number of at most four digits. */
static void add_short(struct writer *to, size_t number)
{
    char *at = put_pair(to->text + to->used, number < 100 ? number : number / 100);
    if (number >= 100) {
        memcpy(at, pairs + 2 * (number % 100), 2);
        at += 2;
    }
    to->used = (size_t)(at - to->text);
}

/* Room for a number: in the text itself, or SPARE if the text is nearly full. */
static char *begin_number(const struct writer *to, char spare[NUMBER_MAX])
{
    return to->last - to->used >= NUMBER_MAX ? to->text + to->used : spare;
}

static void end_number(struct writer *to, const char *at, const char spare[NUMBER_MAX], size_t size)
{
    if (at == spare)
        writer_chars(to, spare, size);
    else
        to->used += size;
}

/* Splits a number at the decimal point into its integer and fractional digits. Most numbers are
 * small, and a 32-bit division is faster for them. */
static uint64_t split(uint64_t number, unsigned places, uint64_t *behind)
{
    if (number > UINT32_MAX || places > 9) {
        *behind = number % powers[places];
        return number / powers[places];
    }
    uint32_t power = (uint32_t)powers[places], whole = (uint32_t)number / power;
    *behind = (uint32_t)number - whole * power;
    return whole;
}

/* Removes trailing zeros from the decimal places of a number that is not 0. */
static unsigned strip_zeros(uint64_t *number, unsigned places)
{
    if (places >= 4 && *number % 10000 == 0) {
        *number /= 10000;
        places -= 4;
    }
    if (places >= 4 && *number % 10000 == 0) {
        *number /= 10000;
        places -= 4;
    }
    if (places >= 2 && *number % 100 == 0) {
        *number /= 100;
        places -= 2;
    }
    for (; places > 0 && *number % 10 == 0; *number /= 10)
        places--;
    return places;
}

void writer_long_decimal(struct writer *to, int64_t number, unsigned places)
{
    if (places == 0 && number >= 0 && number < 10000 && to->last - to->used >= 4) {
        add_short(to, (size_t)number);
        return;
    }
    assert(places <= PLACES_MAX);
    char spare[NUMBER_MAX], *at = begin_number(to, spare);
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number, behind = 0;
    size_t size = number < 0;
    places = strip_zeros(&rest, places);
    uint64_t whole = places > 0 ? split(rest, places, &behind) : rest;
    unsigned digits = count_digits(whole);
    at[0] = '-';
    size += digits;
    put_digits(at + size, whole, digits);
    if (places > 0) {
        at[size] = '.';
        size += 1 + places;
        put_digits(at + size, behind, places);
    }
    end_number(to, at, spare, size);
}

void writer_fixed(struct writer *to, uint64_t number, unsigned places, unsigned width)
{
    assert(places > 0 && places < PLACES_MAX);
    char spare[NUMBER_MAX];
    uint64_t whole = number / powers[places];
    unsigned digits = count_digits(whole);
    size_t size = digits + 1 + places;
    for (size_t i = size; i < width; i++)
        writer_char(to, ' ');
    char *at = begin_number(to, spare);
    put_digits(at + digits, whole, digits);
    at[digits] = '.';
    put_digits(at + size, number % powers[places], places);
    end_number(to, at, spare, size);
}

/* A fast path for most numbers, without the cost of number_print. Returns false and writes nothing
 * in two cases: the remaining digits are too near to a half to round safely; or the value is very
 * large, very small or not finite. */
static bool add_usual(struct writer *to, double value, int digits)
{
    static const double steps[] = {1e5, 1e4, 1e3, 1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3};
    double size = fabs(value);
    if (!(size >= 1e-4 && size < 1e6))
        return false;
    int places = digits - 6; // of 100 000 and more
    for (size_t i = 0; i < COUNT(steps) && size < steps[i]; i++)
        places++;
    // Powers of ten are exact, so the error of the product is at most half of its last bit.
    double scaled = size * (double)powers[places];
    int64_t number = (int64_t)scaled; // below 10^10
    double rest = scaled - (double)number;
    if (rest > 0.4999 && rest < 0.5001)
        return false;
    number += rest > 0.5;
    writer_decimal(to, value < 0 ? -number : number, (unsigned)places);
    return true;
}

void writer_significant(struct writer *to, double value, int digits)
{
    char number[32];
    assert(digits >= 6 && digits <= 10);
    if (!add_usual(to, value, digits))
        writer_chars(to, number, number_print(value, digits, number, sizeof number));
}
