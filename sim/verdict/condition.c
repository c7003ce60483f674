/* Conditions on signals: read once, then judged at every step without allocating. */
#include "sim/verdict/condition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "sim/state/signals.h"

enum { WORD_MAX = 96 }; /* as long as the longest name of a signal, with NUL */

static const char *const op_words[] = {"==", "!=", "<", "<=", ">", ">=", NULL};

/* ---- Reading ---- */

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

static bool is_op(char c)
{
    return c != '\0' && strchr("=!<>", c) != NULL;
}

static bool is_value(char c)
{
    return is_name(c) || c == '-' || c == '+';
}

/* Takes the next word whose characters are all IS_PART; else the next anything, for the message.
 * False: what is there is no such word. */
static bool next_word(const char **at, bool (*is_part)(char), char word[static WORD_MAX])
{
    const char *from = *at + strspn(*at, " \t");
    size_t size = 0;
    while (is_part(from[size]))
        size++;
    bool is_found = size > 0 && size < WORD_MAX;
    if (!is_found)
        size = strcspn(from, " \t");
    snprintf(word, WORD_MAX, "%.*s", (int)(size < WORD_MAX ? size : WORD_MAX - 1), from);
    if (is_found)
        *at = from + size;
    return is_found;
}

enum { FOUND_SIZE = TEXT_QUOTE_SIZE + 2 };

static const char *found_text(const char *word, char found[static FOUND_SIZE])
{
    char quote[TEXT_QUOTE_SIZE];
    if (*word)
        snprintf(found, FOUND_SIZE, "'%s'", text_quote(word, quote, sizeof quote));
    else
        snprintf(found, FOUND_SIZE, "nothing");
    return found;
}

static bool unknown_signal(const struct sim *sim, const char *word, struct error *error)
{
    const char *near = sim_signal_nearest(sim, word);
    char quote[TEXT_QUOTE_SIZE];
    return error_set(error, "there is no signal '%s'%s%s; `ptybot list signals` shows all",
                     text_quote(word, quote, sizeof quote), near ? "; did you mean " : "",
                     near ? near : "");
}

static bool parse_signal(const struct sim *sim, const char **at, struct condition_term *term,
                         struct error *error)
{
    char word[WORD_MAX], found[FOUND_SIZE];
    if (!next_word(at, is_name, word))
        return error_set(error,
                         "found %s where a signal belongs; allowed: SIGNAL OP NUMBER, joined by "
                         "and",
                         found_text(word, found));
    term->wanted = sim_signal_find(sim, word);
    return term->wanted != SIZE_MAX || unknown_signal(sim, word, error);
}

static bool parse_op(const struct sim *sim, const char **at, struct condition_term *term,
                     struct error *error)
{
    char word[WORD_MAX], found[FOUND_SIZE];
    const char *name = sim_signal_info(sim, term->wanted)->name;
    if (next_word(at, is_op, word))
        for (size_t i = 0; op_words[i]; i++)
            if (strcmp(op_words[i], word) == 0) {
                term->op = (enum condition_op)i;
                return true;
            }
    return error_set(error, "found %s after %s; allowed: == != < <= > >=", found_text(word, found),
                     name);
}

/* The number that a word stands for. */
static bool parse_name(const struct sim_signal *info, const char *word, double *number)
{
    static const char *const bools[] = {"false", "true", NULL};
    const char *const *names = info->names ? info->names : bools;
    if (!info->names && info->type != SIM_SIGNAL_BOOL)
        return false;
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], word) == 0) {
            *number = (double)i;
            return true;
        }
    return false;
}

static bool parse_number(const struct sim *sim, const char **at, struct condition_term *term,
                         struct error *error)
{
    char word[WORD_MAX], found[FOUND_SIZE], advice[TEXT_ADVICE_SIZE];
    const struct sim_signal *info = sim_signal_info(sim, term->wanted);
    if (next_word(at, is_value, word) &&
        (number_parse(word, &term->number) || parse_name(info, word, &term->number)))
        return true;
    if (info->names)
        text_advice(info->names, word, advice);
    else
        snprintf(advice, sizeof advice, "allowed: a number%s%s%s", *info->unit ? " in " : "",
                 info->unit,
                 info->type == SIM_SIGNAL_BOOL ? ", true or false" : ", without its unit");
    return error_set(error, "found %s to compare %s with; %s", found_text(word, found), info->name,
                     advice);
}

bool condition_parse(const struct sim *sim, const char *text, struct condition *out,
                     struct error *error)
{
    char word[WORD_MAX], found[FOUND_SIZE];
    *out = (struct condition){0};
    while (out->count < CONDITION_TERMS_MAX) {
        struct condition_term *term = &out->terms[out->count++];
        if (!parse_signal(sim, &text, term, error) || !parse_op(sim, &text, term, error) ||
            !parse_number(sim, &text, term, error))
            return false;
        text += strspn(text, " \t");
        if (*text == '\0')
            return true;
        if (!next_word(&text, is_name, word) || strcmp(word, "and") != 0)
            return error_set(error, "found %s after a comparison; allowed: and, or nothing",
                             found_text(word, found));
    }
    return error_set(error, "more than %d comparisons; split the condition", CONDITION_TERMS_MAX);
}

/* ---- Judging ---- */

static bool term_holds(double value, enum condition_op op, double number)
{
    if (isnan(value))
        return false;
    switch (op) {
    case CONDITION_EQUAL:
        return value == number;
    case CONDITION_NOT_EQUAL:
        return value != number;
    case CONDITION_LESS:
        return value < number;
    case CONDITION_AT_MOST:
        return value <= number;
    case CONDITION_MORE:
        return value > number;
    case CONDITION_AT_LEAST:
        return value >= number;
    }
    return false;
}

bool condition_holds(const struct sim *sim, const struct condition *condition)
{
    for (size_t i = 0; i < condition->count; i++) {
        const struct condition_term *term = &condition->terms[i];
        if (!term_holds(sim_signal_value(sim, term->wanted), term->op, term->number))
            return false;
    }
    return true;
}

/* ---- Telling ---- */

static bool is_told(const struct condition *condition, size_t before)
{
    for (size_t i = 0; i < before; i++)
        if (condition->terms[i].wanted == condition->terms[before].wanted)
            return true;
    return false;
}

/* A value as a word where the signal has one for it, else as a number. */
static void value_text(const struct sim *sim, size_t wanted, char *text, size_t size)
{
    enum { DIGITS = 9 }; // as tables show numbers
    const struct sim_signal *info = sim_signal_info(sim, wanted);
    double value = sim_signal_value(sim, wanted);
    const char *word = sim_signal_word(info, value);
    if (word) {
        snprintf(text, size, "%s", word);
        return;
    }
    if (!isfinite(value)) {
        snprintf(text, size, "-");
        return;
    }
    size_t used = number_print(value, DIGITS, text, size);
    if (*info->unit && used < size)
        snprintf(text + used, size - used, " %s", info->unit);
}

const char *condition_describe(const struct sim *sim, const struct condition *condition, char *text,
                               size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < condition->count && used < size; i++) {
        char value[64];
        if (is_told(condition, i))
            continue;
        value_text(sim, condition->terms[i].wanted, value, sizeof value);
        used += (size_t)snprintf(text + used, size - used, "%s%s = %s", used ? ", " : "",
                                 sim_signal_info(sim, condition->terms[i].wanted)->name, value);
    }
    return text;
}

bool condition_refuse_live(const struct sim *sim, const struct condition *condition,
                           struct error *error)
{
    for (size_t i = 0; i < condition->count; i++) {
        const struct sim_signal *info = sim_signal_info(sim, condition->terms[i].wanted);
        if (info->is_live)
            return error_set(error,
                             "%s depends on the kernel or the wall clock, so that the same run "
                             "might be judged otherwise; allowed: signals that are not live",
                             info->name);
    }
    return true;
}
