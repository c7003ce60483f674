/* Conditions on signals: evaluation and description. */
#include "sim/verdict/condition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "sim/state/signals.h"

/* ---- Evaluation ---- */

/* Distance from the opposite result, and the comparison that determines it. */
struct slack {
    double margin;
    size_t term;
};

/* Numbers of both sides of each comparison, and the overall result. */
struct sides {
    double values[CONDITION_TERMS_MAX][2];
    struct slack whole;
    double result;
};

/* With a value that is not a number no comparison is true, not even `!=`. This applies also inside
 * `not`, because the parser has inverted each comparison there. */
static bool compare(enum condition_op op, double a, double b)
{
    if (isnan(a) || isnan(b))
        return false;
    switch (op) {
    case CONDITION_EQUAL:
        return a == b;
    case CONDITION_NOT_EQUAL:
        return a != b;
    case CONDITION_LESS:
        return a < b;
    case CONDITION_AT_MOST:
        return a <= b;
    case CONDITION_MORE:
        return a > b;
    default:
        return a >= b;
    }
}

static double calculate(enum condition_op op, double a, double b)
{
    switch (op) {
    case CONDITION_ADD:
        return a + b;
    case CONDITION_SUBTRACT:
        return a - b;
    case CONDITION_MULTIPLY:
        return a * b;
    case CONDITION_DIVIDE:
        return a / b;
    case CONDITION_AND:
        return a == 1 && b == 1;
    default:
        return a == 1 || b == 1;
    }
}

/* Distance of the left side from the nearest value that makes the comparison true. */
static double distance(enum condition_op op, const double values[2])
{
    double beyond = values[0] - values[1];
    if (op == CONDITION_EQUAL || op == CONDITION_NOT_EQUAL)
        return fabs(beyond);
    return op == CONDITION_LESS || op == CONDITION_AT_MOST ? beyond : -beyond;
}

static struct slack slack_of(const struct condition *condition, size_t term, enum condition_op op,
                             const double values[2])
{
    double away = op == CONDITION_NOT_EQUAL ? -distance(op, values) : distance(op, values);
    if (condition->terms[term].has_words || isnan(away))
        away = compare(op, values[0], values[1]) ? -INFINITY : INFINITY;
    return (struct slack){.margin = 0 - away, .term = term}; // not -away: no negative zero
}

static bool judge(const struct sim *sim, const struct condition *condition, struct sides *sides)
{
    double stack[CONDITION_DEPTH_MAX + 1] = {0};        // one for each level of the expression
    struct slack slacks[CONDITION_DEPTH_MAX + 1] = {0}; // beside the truths in it
    double *top = stack;                                // above the last number
    for (size_t i = 0; i < condition->code_count; i++) {
        const struct condition_code *code = &condition->code[i];
        if (code->op == CONDITION_NUMBER) {
            *top++ = code->number;
        } else if (code->op == CONDITION_SIGNAL) {
            *top++ = sim_signal_value(sim, code->wanted);
        } else if (code->op == CONDITION_NEGATE) {
            top[-1] = -top[-1];
        } else if (code->op == CONDITION_ABS) {
            top[-1] = fabs(top[-1]);
        } else {
            double b = *--top, *a = top - 1;
            struct slack *slack = &slacks[a - stack];
            bool is_comparison = code->op >= CONDITION_EQUAL && code->op < CONDITION_AND;
            if (is_comparison) {
                sides->values[code->term][0] = *a;
                sides->values[code->term][1] = b;
                *slack = slack_of(condition, code->term, code->op, sides->values[code->term]);
            } else if (code->op >= CONDITION_AND &&
                       (code->op == CONDITION_AND) == (slack[1].margin < slack->margin)) {
                *slack = slack[1];
            }
            *a = is_comparison ? compare(code->op, *a, b) : calculate(code->op, *a, b);
        }
    }
    sides->whole = slacks[0];
    sides->result = stack[0];
    return condition->code_count > 0 && stack[0] == 1;
}

double condition_value(const struct sim *sim, const struct condition *value)
{
    struct sides sides = {0};
    judge(sim, value, &sides);
    return sides.result;
}

bool condition_holds(const struct sim *sim, const struct condition *condition)
{
    struct sides sides = {0};
    return judge(sim, condition, &sides);
}

static struct condition_margin margin_of(const struct sides *sides, int64_t now_us)
{
    return (struct condition_margin){.margin = sides->whole.margin,
                                     .closest = sides->values[sides->whole.term][0],
                                     .at_us = now_us};
}

bool condition_gauge(const struct sim *sim, const struct condition *condition, int64_t now_us,
                     struct condition_margin *margin)
{
    struct sides sides = {0};
    bool holds = judge(sim, condition, &sides);
    *margin = margin_of(&sides, now_us);
    return holds;
}

bool condition_watch(const struct sim *sim, const struct condition *condition, int64_t now_us,
                     struct condition_nearest *nearest, struct condition_margin *margin)
{
    struct sides sides = {0};
    bool holds = judge(sim, condition, &sides);
    *margin = margin_of(&sides, now_us);
    for (size_t i = 0; i < condition->count; i++) {
        enum condition_op op = condition->code[condition->terms[i].code].op;
        const double *values = sides.values[i];
        double away = distance(op, values);
        nearest->terms[i].has_held |= compare(op, values[0], values[1]);
        if (isnan(away) || (nearest->terms[i].has_value && away >= nearest->terms[i].distance))
            continue;
        nearest->terms[i].has_value = true;
        nearest->terms[i].distance = away;
        memcpy(nearest->terms[i].values, values, sizeof nearest->terms[i].values);
        nearest->terms[i].at_us = now_us;
    }
    return holds;
}

/* ---- Description ---- */

enum { DIGITS = 9 }; /* as tables show numbers */

/* A value as a word if the signal has one for it, otherwise as a number. WANTED may be SIZE_MAX. */
static const char *value_text(const struct sim *sim, size_t wanted, double value, char text[64])
{
    const struct sim_signal info =
        wanted != SIZE_MAX ? sim_signal_info(sim, wanted) : (struct sim_signal){.unit = ""};
    const char *word = sim_signal_word(&info, value);
    if (word) {
        snprintf(text, 64, "%s", word);
        return text;
    }
    if (!isfinite(value)) {
        snprintf(text, 64, "-");
        return text;
    }
    number_print(value, DIGITS, text, 64);
    text_add(text, 64, *info.unit ? " " : "", "%s", info.unit);
    return text;
}

static void add_side(char *text, size_t size, const struct sim *sim,
                     const struct condition *condition, const struct condition_side *side,
                     double value)
{
    char number[64];
    if (!side->is_constant)
        text_add(text, size, ", ", "%.*s = %s", (int)side->size, condition->text + side->from,
                 value_text(sim, side->wanted, value, number));
}

static bool is_reported(const struct condition *condition, size_t before)
{
    for (size_t i = 0; i < before; i++)
        if (condition->code[i].op == CONDITION_SIGNAL &&
            condition->code[i].wanted == condition->code[before].wanted)
            return true;
    return false;
}

const char *condition_describe(const struct sim *sim, const struct condition *condition, char *text,
                               size_t size)
{
    struct sides sides = {0};
    text[0] = '\0';
    judge(sim, condition, &sides);
    for (size_t i = 0; i < condition->code_count; i++) {
        char value[64];
        size_t wanted = condition->code[i].wanted;
        if (condition->code[i].op == CONDITION_SIGNAL && !is_reported(condition, i))
            text_add(text, size, ", ", "%s = %s", sim_signal_info(sim, wanted).name,
                     value_text(sim, wanted, sim_signal_value(sim, wanted), value));
    }
    for (size_t i = 0; i < 2 * condition->count; i++) {
        const struct condition_side *side = &condition->terms[i / 2].sides[i % 2];
        if (side->wanted == SIZE_MAX)
            add_side(text, size, sim, condition, side, sides.values[i / 2][i % 2]);
    }
    return text;
}

/* Appends the nearest values of one comparison. */
static void add_nearest(char *text, size_t size, const struct sim *sim,
                        const struct condition *condition, size_t term,
                        const struct condition_nearest *nearest)
{
    char sides[CONDITION_TEXT_MAX] = "", at[32];
    for (size_t i = 0; i < 2; i++)
        add_side(sides, sizeof sides, sim, condition, &condition->terms[term].sides[i],
                 nearest->terms[term].values[i]);
    number_print((double)nearest->terms[term].at_us * 1e-6, DIGITS, at, sizeof at);
    text_add(text, size, "; ", "closest: %s at %s s", sides, at);
}

const char *condition_describe_nearest(const struct sim *sim, const struct condition *condition,
                                       const struct condition_nearest *nearest, char *text,
                                       size_t size)
{
    size_t held = 0;
    text[0] = '\0';
    for (size_t i = 0; i < condition->count; i++) {
        const struct condition_term *term = &condition->terms[i];
        const struct condition_side *left = &term->sides[0], *right = &term->sides[1];
        held += nearest->terms[i].has_held;
        if (nearest->terms[i].has_held)
            continue;
        if (!nearest->terms[i].has_value)
            text_add(text, size, "; ", "%.*s never had a value",
                     (int)(right->from + right->size - left->from), condition->text + left->from);
        else if (!term->has_words && condition->code[term->code].op != CONDITION_NOT_EQUAL)
            add_nearest(text, size, sim, condition, i, nearest);
    }
    if (held == condition->count && held > 1)
        text_add(text, size, "",
                 "each comparison was true at some time, but not all at the same time");
    return text;
}

bool condition_refuse_live(const struct sim *sim, const struct condition *condition,
                           struct error *error)
{
    for (size_t i = 0; i < condition->code_count; i++) {
        if (condition->code[i].op != CONDITION_SIGNAL)
            continue;
        const struct sim_signal info = sim_signal_info(sim, condition->code[i].wanted);
        const char *place = strstr(condition->text, info.name);
        char caret[TEXT_CARET_SIZE];
        // A driver sends its estimate by a command, which is part of a journal.
        if (info.is_live && strncmp(info.name, "world.estimate_", 15) != 0)
            return error_set(
                error,
                "%s depends on the kernel or the wall clock, so the same run could have another "
                "verdict; allowed: signals that are not live%s",
                info.name,
                text_caret(condition->text, place ? (size_t)(place - condition->text) : 0, caret));
    }
    return true;
}
