/* Parser of conditions. Operators have ranks (V. Pratt: "Top down operator precedence", 1973). The
 * result is code for a stack machine, so that an evaluation neither allocates nor searches. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "sim/state/signals.h"
#include "sim/verdict/condition.h"

enum { WORD_MAX = 96 }; /* as long as the longest name of a signal, with NUL */

/* Precedence of the operators. */
enum { RANK_ANY, RANK_OR, RANK_AND, RANK_NOT, RANK_COMPARE, RANK_SUM, RANK_PRODUCT, RANK_SIGN };

static const struct operation {
    const char *word;
    int rank;
    enum condition_op op;
} operations[] = {
    {"or", RANK_OR, CONDITION_OR},           {"and", RANK_AND, CONDITION_AND},
    {"==", RANK_COMPARE, CONDITION_EQUAL},   {"!=", RANK_COMPARE, CONDITION_NOT_EQUAL},
    {"<", RANK_COMPARE, CONDITION_LESS},     {"<=", RANK_COMPARE, CONDITION_AT_MOST},
    {">", RANK_COMPARE, CONDITION_MORE},     {">=", RANK_COMPARE, CONDITION_AT_LEAST},
    {"+", RANK_SUM, CONDITION_ADD},          {"-", RANK_SUM, CONDITION_SUBTRACT},
    {"*", RANK_PRODUCT, CONDITION_MULTIPLY}, {"/", RANK_PRODUCT, CONDITION_DIVIDE},
};

static const char number_follows[] = "== != < <= > >=, + - * /";

enum kind { KIND_NUMBER, KIND_WORD, KIND_TRUTH };

/* The part of the text that was parsed. */
struct operand {
    enum kind kind;
    const char *from, *to;
    size_t code;      /* index where its code begins */
    size_t wanted;    /* index if it is a single signal, otherwise SIZE_MAX */
    const char *unit; /* ""; or unknown, after a product: compatible with any unit */
    bool is_constant;
};

struct reader {
    const struct sim *sim;
    struct condition *out;
    struct error *error;
    const char *start, *at;
    size_t beside;   /* the signal that the next word is compared with, or SIZE_MAX */
    int depth, open; /* nesting depth of expressions; number of open parentheses */
};

/* ---- Errors ---- */

__attribute__((format(printf, 3, 4))) static bool fail(const struct reader *reader,
                                                       const char *place, const char *format, ...)
{
    char says[sizeof reader->error->text], caret[TEXT_CARET_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(says, sizeof says, format, arguments);
    va_end(arguments);
    return error_set(reader->error, "%s%s", says,
                     text_caret(reader->start, (size_t)(place - reader->start), caret));
}

/* ---- Words ---- */

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Number of bytes of a name or an unsigned number; 0: neither. */
static size_t measure_name(const char *at)
{
    bool is_number = is_digit(at[0]) || (at[0] == '.' && is_digit(at[1]));
    size_t size = 0;
    while (is_name(at[size]) ||
           // The sign of an exponent.
           (is_number && (at[size] == '-' || at[size] == '+') &&
            (at[size - 1] == 'e' || at[size - 1] == 'E') && is_digit(at[size + 1])))
        size++;
    return size;
}

/* Number of bytes of the next word: a name, an operator, or the text up to the next blank. */
static size_t measure(const char *at)
{
    static const char compares[] = "=!<>", singles[] = "+-*/()";
    if (is_name(*at))
        return measure_name(at);
    if (*at && strchr(compares, *at))
        return strspn(at, compares);
    return *at && strchr(singles, *at) ? 1 : strcspn(at, " \t");
}

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t");
}

static bool is_next(const struct reader *reader, const char *word)
{
    size_t size = measure(reader->at);
    return size == strlen(word) && memcmp(reader->at, word, size) == 0;
}

/* Skips the next word if it is WORD. */
static bool take(struct reader *reader, const char *word)
{
    if (!is_next(reader, word))
        return false;
    reader->at += strlen(word);
    skip_blanks(reader);
    return true;
}

enum { FOUND_SIZE = TEXT_QUOTE_SIZE + 2 };

/* The text at the present place, for a message. */
static const char *found_text(const struct reader *reader, char found[static FOUND_SIZE])
{
    char word[WORD_MAX];
    size_t size = measure(reader->at);
    // A sign belongs to the number that follows.
    if (*reader->at == '-' || *reader->at == '+')
        size += measure_name(reader->at + 1);
    snprintf(word, sizeof word, "%.*s", (int)(size < sizeof word ? size : sizeof word - 1),
             reader->at);
    if (*word)
        snprintf(found, FOUND_SIZE, "'%s'", TEXT_QUOTE(word));
    else
        snprintf(found, FOUND_SIZE, "nothing");
    return found;
}

/* Reports an error: the text after OPERAND is not allowed there. */
static bool fail_after(const struct reader *reader, const struct operand *operand)
{
    char found[FOUND_SIZE], text[CONDITION_TEXT_MAX];
    found_text(reader, found);
    if (operand->kind == KIND_TRUTH)
        return fail(reader, reader->at, "found %s after a comparison; allowed: and, or, %s", found,
                    reader->open > 0 ? ")" : "or nothing");
    snprintf(text, sizeof text, "%.*s", (int)(operand->to - operand->from), operand->from);
    return fail(reader, reader->at, "found %s after %s; allowed: %s", found, TEXT_QUOTE(text),
                number_follows);
}

/* ---- Code ---- */

/* Appends an operation. False: the code is full. */
static bool emit(struct reader *reader, struct condition_code code)
{
    struct condition *out = reader->out;
    if (out->code_count == CONDITION_CODE_MAX)
        return fail(reader, reader->at,
                    "more than %d numbers, signals and operators; split the condition",
                    CONDITION_CODE_MAX);
    out->code[out->code_count++] = code;
    return true;
}

static bool emit_number(struct reader *reader, double number)
{
    return emit(reader, (struct condition_code){.op = CONDITION_NUMBER, .number = number});
}

/* Negation: each comparison, and each `and` and `or` (De Morgan), becomes its opposite. */
static void invert(struct condition *out, size_t from)
{
    static_assert(CONDITION_EQUAL % 2 == 0 && CONDITION_OR == CONDITION_AND + 1, "pairs");
    for (size_t i = from; i < out->code_count; i++)
        if (out->code[i].op >= CONDITION_EQUAL)
            out->code[i].op ^= 1;
}

/* ---- Operands of a comparison ---- */

/* Finds the number of a word that is compared with a signal. */
static bool find_word(struct sim_signal info, const char *word, double *number)
{
    static const char *const bools[] = {"false", "true", NULL};
    const char *const *names = info.names ? info.names : bools;
    if (!info.names && info.type != SIM_SIGNAL_BOOL)
        return false;
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], word) == 0) {
            *number = (double)i;
            return true;
        }
    return false;
}

static bool fail_unknown(const struct reader *reader, const char *word)
{
    const char *near = reader->error ? sim_signal_nearest(reader->sim, word) : NULL; // slow
    return fail(reader, reader->at, "there is no signal '%s'%s", TEXT_QUOTE(word),
                TEXT_MEANT(near, "`ptybot list signals` lists all signals"));
}

/* Reports an error: there is no valid operand at this place. */
static bool fail_beside(const struct reader *reader, size_t beside, const char *word)
{
    char found[FOUND_SIZE], advice[TEXT_ADVICE_SIZE];
    found_text(reader, found);
    if (beside == SIZE_MAX)
        return fail(reader, reader->at,
                    "found %s instead of a signal; allowed: SIGNAL OP NUMBER, joined by and, "
                    "or, not and parentheses",
                    found);
    const struct sim_signal info = sim_signal_info(reader->sim, beside);
    if (info.names)
        text_advice(info.names, word, advice);
    else
        snprintf(advice, sizeof advice, "allowed: a number%s%s, %sor a signal",
                 *info.unit ? " in " : " without its unit", info.unit,
                 info.type == SIM_SIGNAL_BOOL ? "true, false, " : "");
    return fail(reader, reader->at, "found %s to compare %s with; %s", found, info.name, advice);
}

static bool read_signal(struct reader *reader, const char *word, struct operand *out)
{
    out->wanted = sim_signal_find(reader->sim, word);
    if (out->wanted == SIZE_MAX)
        return fail_unknown(reader, word);
    out->unit = sim_signal_info(reader->sim, out->wanted).unit;
    return emit(reader, (struct condition_code){.op = CONDITION_SIGNAL, .wanted = out->wanted});
}

/* Parses a number, a word that is compared with a signal, or a signal. */
static bool read_name(struct reader *reader, size_t beside, struct operand *out)
{
    char word[WORD_MAX];
    double number;
    size_t size = measure_name(reader->at);
    snprintf(word, sizeof word, "%.*s", (int)(size < sizeof word ? size : sizeof word - 1),
             reader->at);
    bool is_number = size < sizeof word && number_parse(word, &number);
    bool is_word = !is_number && beside != SIZE_MAX &&
                   find_word(sim_signal_info(reader->sim, beside), word, &number);
    bool has_sense = size > 0 && size < sizeof word && !is_digit(word[0]);
    out->is_constant = is_number || is_word;
    out->kind = is_word ? KIND_WORD : KIND_NUMBER;
    bool is_good = out->is_constant ? emit_number(reader, number)
                   // All signals have a dot in their names.
                   : has_sense && (beside == SIZE_MAX || strchr(word, '.'))
                       ? read_signal(reader, word, out)
                       : fail_beside(reader, beside, size > 0 ? word : NULL);
    if (is_good)
        reader->at += size;
    return is_good;
}

/* ---- Expressions ---- */

static bool read_expression(struct reader *reader, int rank, struct operand *out);

static bool need_number(const struct reader *reader, const struct operand *operand)
{
    return operand->kind == KIND_NUMBER ||
           fail(reader, operand->from, "found a %s instead of a number or a signal",
                operand->kind == KIND_WORD ? "word" : "comparison");
}

static bool need_truth(const struct reader *reader, const struct operand *operand)
{
    return operand->kind == KIND_TRUTH || fail_after(reader, operand);
}

/* Parses an expression in parentheses; the opening one is already read. */
static bool read_inside(struct reader *reader, struct operand *out)
{
    reader->open++;
    if (!read_expression(reader, RANK_ANY, out))
        return false;
    if (is_next(reader, ")")) {
        reader->open--;
        reader->at++;
        return true;
    }
    if (out->kind == KIND_TRUTH)
        return fail_after(reader, out);
    char found[FOUND_SIZE];
    return fail(reader, reader->at, "found %s in parentheses; allowed: ), %s",
                found_text(reader, found), number_follows);
}

static bool read_abs(struct reader *reader, struct operand *out)
{
    char found[FOUND_SIZE];
    if (!take(reader, "("))
        return fail(reader, reader->at, "found %s after abs; allowed: (",
                    found_text(reader, found));
    out->wanted = SIZE_MAX;
    return read_inside(reader, out) && need_number(reader, out) &&
           emit(reader, (struct condition_code){.op = CONDITION_ABS});
}

/* Parses an operand without a preceding operator. BESIDE: the signal that it is compared with. */
static bool read_first(struct reader *reader, size_t beside, struct operand *out)
{
    const char *from = reader->at;
    size_t code = reader->out->code_count;
    bool is_good, is_changed = true;
    *out = (struct operand){.from = from, .code = code, .wanted = SIZE_MAX, .unit = ""};
    if (take(reader, "not")) {
        is_good = read_expression(reader, RANK_NOT, out) && need_truth(reader, out);
        if (is_good)
            invert(reader->out, code);
    } else if (take(reader, "-")) {
        is_good = read_expression(reader, RANK_SIGN, out) && need_number(reader, out) &&
                  emit(reader, (struct condition_code){.op = CONDITION_NEGATE});
    } else if (take(reader, "abs")) {
        is_good = read_abs(reader, out);
    } else if (take(reader, "(")) {
        is_good = read_inside(reader, out);
        is_changed = false;
    } else {
        take(reader, "+");
        is_good = read_name(reader, beside, out);
        is_changed = false;
    }
    if (is_changed)
        out->wanted = SIZE_MAX;
    out->from = from;
    out->to = reader->at;
    out->code = code;
    skip_blanks(reader);
    return is_good;
}

static const struct operation *next_operation(const struct reader *reader)
{
    for (size_t i = 0; i < COUNT(operations); i++)
        if (is_next(reader, operations[i].word))
            return &operations[i];
    return NULL;
}

/* Both sides must have the same unit, unless one of them has none. */
static bool check_units(const struct reader *reader, const struct operand *left,
                        const struct operand *right)
{
    if (!*left->unit || !*right->unit || strcmp(left->unit, right->unit) == 0)
        return true;
    return fail(reader, right->from,
                "found %s instead of %s; give a factor: a product fits any unit", right->unit,
                left->unit);
}

static struct condition_side side_of(const struct reader *reader, const struct operand *operand)
{
    return (struct condition_side){.from = (size_t)(operand->from - reader->start),
                                   .size = (size_t)(operand->to - operand->from),
                                   .wanted = operand->wanted,
                                   .is_constant = operand->is_constant};
}

static bool has_words(const struct reader *reader, const struct operand *operand)
{
    if (operand->wanted == SIZE_MAX)
        return false;
    const struct sim_signal info = sim_signal_info(reader->sim, operand->wanted);
    return info.names || info.type == SIM_SIGNAL_BOOL;
}

static bool add_comparison(struct reader *reader, enum condition_op op, const struct operand *left,
                           const struct operand *right)
{
    struct condition *out = reader->out;
    if (left->is_constant && right->is_constant)
        return fail(reader, left->from,
                    "found a comparison of numbers, which never changes; allowed: a signal on one "
                    "side at least");
    if (out->count == CONDITION_TERMS_MAX)
        return fail(reader, left->from, "more than %d comparisons; split the condition",
                    CONDITION_TERMS_MAX);
    out->terms[out->count] =
        (struct condition_term){.sides = {side_of(reader, left), side_of(reader, right)},
                                .code = out->code_count,
                                .has_words = has_words(reader, left) || has_words(reader, right)};
    return emit(reader, (struct condition_code){.op = op, .term = out->count++});
}

/* Parses the operator and its right side; OUT is first the left side, then the result. */
static bool read_rest(struct reader *reader, const struct operation *operation, struct operand *out)
{
    struct operand left = *out, right = {0};
    bool is_logic = operation->rank <= RANK_AND, is_compare = operation->rank == RANK_COMPARE;
    // Before the operator is read, because an error is reported at the operator.
    if ((left.kind == KIND_TRUTH) != is_logic)
        return fail_after(reader, &left);
    take(reader, operation->word);
    reader->beside = is_compare ? left.wanted : SIZE_MAX;
    if (!read_expression(reader, operation->rank + 1, &right))
        return false;
    out->to = right.to;
    out->wanted = SIZE_MAX;
    out->is_constant = left.is_constant && right.is_constant;
    if (is_logic)
        return need_truth(reader, &right) &&
               emit(reader, (struct condition_code){.op = operation->op});
    if (right.kind == KIND_TRUTH || left.kind == KIND_WORD ||
        (!is_compare && right.kind == KIND_WORD))
        return need_number(reader, left.kind == KIND_WORD ? &left : &right);
    if (operation->rank != RANK_PRODUCT && !check_units(reader, &left, &right))
        return false;
    out->unit = operation->rank == RANK_PRODUCT ? "" : *left.unit ? left.unit : right.unit;
    out->kind = is_compare ? KIND_TRUTH : KIND_NUMBER;
    return is_compare ? add_comparison(reader, operation->op, &left, &right)
                      : emit(reader, (struct condition_code){.op = operation->op});
}

/* Parses an expression of operators with a rank of at least RANK. */
static bool read_expression(struct reader *reader, int rank, struct operand *out)
{
    const struct operation *operation;
    size_t beside = reader->beside;
    reader->beside = SIZE_MAX;
    if (++reader->depth > CONDITION_DEPTH_MAX)
        return fail(reader, reader->at, "nested more than %d deep; split the condition",
                    CONDITION_DEPTH_MAX);
    if (!read_first(reader, beside, out))
        return false;
    while ((operation = next_operation(reader)) && operation->rank >= rank)
        if (!read_rest(reader, operation, out))
            return false;
    reader->depth--;
    return true;
}

/* Parses the whole TEXT: a value or a condition. */
static bool read_whole(const struct sim *sim, const char *text, bool is_value,
                       struct condition *out, struct error *error)
{
    struct reader reader = {
        .sim = sim, .out = out, .error = error, .start = text, .at = text, .beside = SIZE_MAX};
    struct operand whole;
    size_t size = strlen(text);
    *out = (struct condition){0};
    if (size >= sizeof out->text)
        return error_set(error, "longer than %zu bytes; split the condition", sizeof out->text - 1);
    memcpy(out->text, text, size + 1);
    skip_blanks(&reader);
    return read_expression(&reader, RANK_ANY, &whole) &&
           (is_value ? need_number(&reader, &whole) : need_truth(&reader, &whole)) &&
           (*reader.at == '\0' || fail_after(&reader, &whole));
}

bool condition_parse(const struct sim *sim, const char *text, struct condition *out,
                     struct error *error)
{
    return read_whole(sim, text, false, out, error);
}

bool condition_parse_value(const struct sim *sim, const char *text, struct condition *out,
                           struct error *error)
{
    return read_whole(sim, text, true, out, error);
}
