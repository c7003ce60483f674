#include "app/lab/batch/sweep_range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

enum { LIST_MAX = 10000 }; /* chosen: steps of one range */

const char *range_skip(const char *text)
{
    return text + strspn(text, " \t");
}

void range_trim(char *text)
{
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        text[--size] = '\0';
    memmove(text, range_skip(text), strlen(range_skip(text)) + 1);
}

static bool read_steps(const char *text, struct range *range, struct error *error)
{
    char low[SWEEP_WORD_MAX], high[SWEEP_WORD_MAX], quote[TEXT_QUOTE_SIZE];
    const char *dots = strstr(text, ".."), *slash = strchr(text, '/');
    double count = 1;
    snprintf(low, sizeof low, "%.*s", (int)(dots - text), text);
    snprintf(high, sizeof high, "%.*s", slash ? (int)(slash - dots - 2) : SWEEP_WORD_MAX - 1,
             dots + 2);
    range->kind = slash ? RANGE_STEPS : RANGE_RANDOM;
    bool is_good = number_parse(low, &range->low) && number_parse(high, &range->high) &&
                   range->high >= range->low &&
                   (!slash || (number_parse(slash + 1, &count) && count >= 2 && count <= LIST_MAX &&
                               count == floor(count)));
    range->count = (size_t)count;
    return is_good || error_set(error,
                                "'%s' is not a range; allowed: A..B (a random value in each case), "
                                "A..B/N (N of them, evenly spaced, 2 to %d), or A,B,C",
                                text_quote(text, quote, sizeof quote), LIST_MAX);
}

bool range_read(const char *text, char separator, struct range *range, struct error *error)
{
    char quote[TEXT_QUOTE_SIZE];
    if (strstr(text, ".."))
        return read_steps(text, range, error);
    range->kind = RANGE_LIST;
    range->separator = separator;
    snprintf(range->list, sizeof range->list, "%s", text);
    range->count = 1;
    for (const char *at = text; (at = strchr(at, separator)); at++)
        range->count++;
    return *range_skip(text) ||
           error_set(error, "'%s': a value is missing; allowed: A..B, A..B/N or A,B,C",
                     text_quote(text, quote, sizeof quote));
}

void range_item(const struct range *range, size_t index, char value[SWEEP_WORD_MAX])
{
    const char *from = range->list;
    while (index-- > 0)
        from = strchr(from, range->separator) + 1;
    const char *end = strchr(from, range->separator);
    snprintf(value, SWEEP_WORD_MAX, "%.*s", end ? (int)(end - from) : SWEEP_WORD_MAX - 1, from);
    range_trim(value);
}

void range_value(const struct range *range, size_t index, double uniform,
                 char value[SWEEP_WORD_MAX])
{
    double number = range->low + (range->high - range->low) * uniform;
    if (range->kind == RANGE_LIST) {
        range_item(range, index, value);
        return;
    }
    if (range->kind == RANGE_WHOLE)
        number = range->low + (double)index;
    else if (range->kind == RANGE_STEPS)
        number =
            range->low + (range->high - range->low) * (double)index / (double)(range->count - 1);
    if (range->is_integer && range->kind == RANGE_RANDOM)
        number = number_smaller(floor(range->low + (range->high - range->low + 1) * uniform),
                                range->high);
    number_print(number, range->is_integer || range->kind == RANGE_WHOLE ? 17 : SWEEP_DIGITS, value,
                 SWEEP_WORD_MAX);
}
