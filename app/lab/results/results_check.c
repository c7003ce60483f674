#include "app/lab/results/results_check.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "app/test/results.h"

const char *const results_kinds[] = {"",
                                     "expectation",
                                     "refused",
                                     "serial_settings",
                                     "exit",
                                     "signal",
                                     "timeout",
                                     "never_opened",
                                     "silent",
                                     "not_started",
                                     "interrupted",
                                     "not_run",
                                     "not_written",
                                     "no_robot",
                                     "firmware",
                                     "stress",
                                     NULL};
const char *const results_causes[] = {"driver", "wire", "scene", "machine", NULL};
const char *const results_severities[] = {"warning", "failure", NULL};
static const char *const betters[] = {"less", "more", "", NULL};

/* ---- Shapes ---- */

enum kind {
    TEXT,
    WORD,    /* a text of `words` */
    NUMBER,  /* or null */
    COUNT,   /* an integer from 0 to `most` */
    INTEGER, /* any */
    FLAG,    /* or null */
    VALUE,   /* that varies: a text, a number, a flag, or an object of numbers */
    LIST,    /* of `items`; may be missing, as in files of an older version */
    MAP,     /* names with `items`; the same */
    OBJECT,  /* with all `items` */
};

struct shape {
    const char *key; /* NULL: of an item, or the end of a table */
    enum kind kind;
    union {
        const char *const *words;
        int64_t most;
        const struct shape *items;
    };
};

static bool is_one_of(const json_t *value, const char *const *words)
{
    for (; json_is_string(value) && *words; words++)
        if (strcmp(json_string_value(value), *words) == 0)
            return true;
    return false;
}

static bool is_value(const json_t *value)
{
    const char *key;
    json_t *item;
    json_object_foreach((json_t *)value, key, item) if (!json_is_number(item)) return false;
    return value && !json_is_array(value) && !json_is_null(value);
}

/* Whether a value without parts has the SHAPE. */
static bool is_leaf(const json_t *value, const struct shape *shape)
{
    switch (shape->kind) {
    case TEXT:
        return json_is_string(value);
    case WORD:
        return is_one_of(value, shape->words);
    case NUMBER:
        return json_is_number(value) || json_is_null(value);
    case COUNT:
        return json_is_integer(value) && json_integer_value(value) >= 0 &&
               json_integer_value(value) <= shape->most;
    case INTEGER:
        return json_is_integer(value);
    case FLAG:
        return json_is_boolean(value) || json_is_null(value);
    default:
        return is_value(value);
    }
}

static bool check(const json_t *value, const struct shape *shape, struct error *error)
{
    const struct shape *items = shape->items;
    const char *key;
    json_t *item;
    size_t i;
    bool is_right = !value && (shape->kind == LIST || shape->kind == MAP);
    if (shape->kind == LIST && json_is_array(value)) {
        is_right = true;
        json_array_foreach(value, i, item) is_right = is_right && check(item, items, error);
    } else if (shape->kind == MAP && json_is_object(value)) {
        is_right = true;
        json_object_foreach((json_t *)value, key, item) is_right =
            is_right && check(item, items, error);
    } else if (shape->kind == OBJECT && json_is_object(value)) {
        is_right = true;
        for (; is_right && items->key; items++)
            is_right = check(json_object_get(value, items->key), items, error);
    } else if (shape->kind < LIST) {
        is_right = is_leaf(value, shape);
    }
    if (!is_right && *error->text == '\0') {
        char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        error_set(error, "damaged: '%s' is %.60s", shape->key ? shape->key : "an item of a list",
                  text ? text : "missing");
        free(text);
    }
    return is_right;
}

/* ---- Lines ---- */

#define END                                                                                        \
    {                                                                                              \
        .key = NULL                                                                                \
    }
static const struct shape text = {.kind = TEXT}, number = {.kind = NUMBER}, value = {.kind = VALUE};
static const struct shape better = {.kind = WORD, .words = betters};

static const struct shape plan_items[] = {
    {"plan", TEXT, {NULL}},
    {"count", COUNT, {.most = INT32_MAX}},
    {"varied", LIST, {.items = &text}},
    {"better", MAP, {.items = &better}},
    {"names", LIST, {.items = &text}},
    END,
};
static const struct shape expectation_items[] = {
    {"name", TEXT, {NULL}},
    {"that", TEXT, {NULL}},
    {"when", TEXT, {NULL}},
    {"verdict", WORD, {.words = results_verdicts}},
    {"kind", WORD, {.words = results_kinds}},
    {"found", TEXT, {NULL}},
    {"at_s", NUMBER, {NULL}},
    {"line", COUNT, {.most = UINT_MAX}},
    {"margin", NUMBER, {NULL}},
    END,
};
static const struct shape diagnosis_items[] = {
    {"kind", WORD, {.words = results_causes}},
    {"severity", WORD, {.words = results_severities}},
    {"text", TEXT, {NULL}},
    END,
};
static const struct shape channel_items[] = {
    {"frames_in", COUNT, {.most = INT64_MAX}},
    {"understood", COUNT, {.most = INT64_MAX}},
    {"bytes_in", COUNT, {.most = INT64_MAX}},
    {"frames_out", COUNT, {.most = INT64_MAX}},
    {"bytes_out", COUNT, {.most = INT64_MAX}},
    {"refused", TEXT, {NULL}},
    {"told", TEXT, {NULL}}, /* from the next release on: reported, which old files lack */
    END,
};
static const struct shape run_items[] = {
    {"host_name", TEXT, {NULL}},    {"started", TEXT, {NULL}},
    {"wall_s", NUMBER, {NULL}},     {"cpu_s", NUMBER, {NULL}},
    {"files", TEXT, {NULL}},        {"version", TEXT, {NULL}},
    {"host_cpu_s", NUMBER, {NULL}}, END,
};
static const struct shape expectation = {NULL, OBJECT, {.items = expectation_items}};
static const struct shape diagnosis = {NULL, OBJECT, {.items = diagnosis_items}};
static const struct shape channel = {NULL, OBJECT, {.items = channel_items}};
static const struct shape case_items[] = {
    {"number", COUNT, {.most = INT32_MAX}},
    {"case", TEXT, {NULL}},
    {"scene", TEXT, {NULL}},
    {"seed", INTEGER, {NULL}},
    {"vary", MAP, {.items = &value}},
    {"verdict", WORD, {.words = results_verdicts}},
    {"code", COUNT, {.most = EXIT_CODE_ENVIRONMENT}},
    {"reason", TEXT, {NULL}},
    {"simulated_s", NUMBER, {NULL}},
    {"expect", LIST, {.items = &expectation}},
    {"measures", MAP, {.items = &number}},
    {"diagnoses", LIST, {.items = &diagnosis}},
    {"channels", MAP, {.items = &channel}},
    {"held", FLAG, {NULL}},
    {"printed", LIST, {.items = &text}},
    {"run", OBJECT, {.items = run_items}},
    END,
};

bool results_check_plan(const json_t *line, struct error *error)
{
    return check(line, &(struct shape){"the plan", OBJECT, {.items = plan_items}}, error);
}

/* The worst verdict of the expectations decides; a case that was not judged may have any. */
static bool agrees(const json_t *line)
{
    static const enum judgement_verdict of_code[] = {JUDGEMENT_PASSED, JUDGEMENT_FAILED,
                                                     JUDGEMENT_ERROR, JUDGEMENT_ERROR};
    json_int_t code = json_integer_value(json_object_get(line, "code"));
    const char *verdict = json_string_value(json_object_get(line, "verdict"));
    size_t counts[JUDGEMENT_SKIPPED + 1] = {0}, i;
    json_t *item;
    json_array_foreach(json_object_get(line, "expect"), i, item)
    {
        const char *word = json_string_value(json_object_get(item, "verdict"));
        for (size_t k = 0; k <= JUDGEMENT_SKIPPED; k++)
            counts[k] += strcmp(word, results_verdicts[k]) == 0;
    }
    bool is_bad = counts[JUDGEMENT_ERROR] > 0;
    return strcmp(verdict, results_verdicts[of_code[code]]) == 0 &&
           (code >= EXIT_CODE_USAGE ||
            (!is_bad && (counts[JUDGEMENT_FAILED] > 0) == (code == EXIT_CODE_FAILED)));
}

bool results_check_case(const json_t *line, struct error *error)
{
    return check(line, &(struct shape){"the case", OBJECT, {.items = case_items}}, error) &&
           (agrees(line) || error_set(error, "damaged: 'code', 'verdict' and the verdicts of the "
                                             "expectations contradict each other"));
}
