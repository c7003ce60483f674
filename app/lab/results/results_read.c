#include "app/lab/results/results_read.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/cli/terminal.h"
#include "app/files/file_bytes.h"
#include "app/test/results.h"

/* Requirements for a line of a results file. The file may have been written or changed by other
 * programs, and its numbers and words determine verdicts and exit codes. */

/* Words in a line, terminated by NULL. Causes and severities are in the order of their
 * enumerations. */
/* Kinds of a failed expectation; "": it passed. */
static const char *const results_kinds[] = {"",
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
static const char *const results_causes[] = {"driver", "wire", "scene", "machine", NULL};
static const char *const results_severities[] = {"warning", "failure", NULL};
static const char *const betters[] = {"less", "more", "", NULL};

/* ---- Shapes ---- */

enum kind {
    TEXT,
    WORD,    /* one of `words` */
    NUMBER,  /* or null */
    COUNT,   /* an integer from 0 to `most` */
    INTEGER, /* any */
    FLAG,    /* or null */
    VALUE,   /* a swept value: a text, a number, a flag, or an object of numbers */
    LIST,    /* list of `items`; may be missing, because older versions did not write it */
    MAP,     /* names with `items`; may be missing, too */
    OBJECT,  /* object with all `items` */
};

struct shape {
    const char *key; /* NULL: an item of a list, or the end of a table */
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

/* Whether a value that is not a list, map or object has the SHAPE. */
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
static const struct shape a_text = {.kind = TEXT}, a_number = {.kind = NUMBER},
                          a_value = {.kind = VALUE};
static const struct shape better = {.kind = WORD, .words = betters};

static const struct shape plan_items[] = {
    {"plan", TEXT, {NULL}},
    {"count", COUNT, {.most = INT32_MAX}},
    {"varied", LIST, {.items = &a_text}},
    {"better", MAP, {.items = &better}},
    {"names", LIST, {.items = &a_text}},
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
    {"told", TEXT, {NULL}}, /* the next release reads `reported` instead, which old files do not
                               contain */
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
    {"vary", MAP, {.items = &a_value}},
    {"verdict", WORD, {.words = results_verdicts}},
    {"code", COUNT, {.most = EXIT_CODE_ENVIRONMENT}},
    {"reason", TEXT, {NULL}},
    {"simulated_s", NUMBER, {NULL}},
    {"expect", LIST, {.items = &expectation}},
    {"measures", MAP, {.items = &a_number}},
    {"diagnoses", LIST, {.items = &diagnosis}},
    {"channels", MAP, {.items = &channel}},
    {"held", FLAG, {NULL}},
    {"printed", LIST, {.items = &a_text}},
    {"run", OBJECT, {.items = run_items}},
    END,
};

/* Whether code and verdict agree with the verdicts of the expectations: the worst one decides. A
 * case that was not judged may have any expectations. */
static bool agrees(const json_t *line)
{
    static const enum judgement_verdict of_code[] = {JUDGEMENT_PASSED, JUDGEMENT_FAILED,
                                                     JUDGEMENT_ERROR, JUDGEMENT_ERROR};
    json_int_t code = json_integer_value(json_object_get(line, "code"));
    const char *verdict = rpc_text(line, "verdict");
    size_t counts[JUDGEMENT_SKIPPED + 1] = {0}, i;
    json_t *item;
    json_array_foreach(json_object_get(line, "expect"), i, item)
    {
        for (size_t k = 0; k <= JUDGEMENT_SKIPPED; k++)
            counts[k] += strcmp(rpc_text(item, "verdict"), results_verdicts[k]) == 0;
    }
    bool is_bad = counts[JUDGEMENT_ERROR] > 0;
    return strcmp(verdict, results_verdicts[of_code[code]]) == 0 &&
           (code >= EXIT_CODE_USAGE ||
            (!is_bad && (counts[JUDGEMENT_FAILED] > 0) == (code == EXIT_CODE_FAILED)));
}

/* Whether a line with a case is one that ptybot writes: types, ranges, words, and a code that
 * agrees with the verdicts. False, with the reason in ERROR. */
static bool results_check_case(const json_t *line, struct error *error)
{
    return check(line, &(struct shape){"the case", OBJECT, {.items = case_items}}, error) &&
           (agrees(line) || error_set(error, "damaged: 'code', 'verdict' and the verdicts of the "
                                             "expectations contradict each other"));
}

enum { REPORTED_MAX = 10 }; /* chosen: duplicates that are listed */

/* ---- Files ---- */

const char *results_name(const struct results *results, size_t number)
{
    const char *name =
        json_string_value(json_array_get(json_object_get(results->plan, "names"), number));
    return name ? name : "?";
}

static bool take_plan(struct results *results, json_t *plan, struct error *error)
{
    const char *hash = rpc_text(plan, "plan");
    size_t count = (size_t)json_integer_value(json_object_get(plan, "count"));
    results->files++;
    if (json_integer_value(json_object_get(plan, "format")) != RESULTS_FORMAT)
        return error_set(error, "its format is not %d: another version wrote it", RESULTS_FORMAT);
    if (!check(plan, &(struct shape){"the plan", OBJECT, {.items = plan_items}}, error))
        return false;
    if (*results->hash)
        return strcmp(results->hash, hash) == 0 ||
               error_set(error,
                         "the file has other cases (plan %s, not %s): the scenes, seeds or varied "
                         "values differ",
                         hash, results->hash);
    if (strlen(hash) != 16 || json_array_size(json_object_get(plan, "names")) != count)
        return error_set(error, "its plan is incomplete");
    snprintf(results->hash, sizeof results->hash, "%s", hash);
    results->plan = json_incref(plan);
    results->count = count;
    results->lines = calloc(count + 1, sizeof *results->lines);
    return results->lines || error_set(error, "not enough memory");
}

/* Whether two lines are equal, except for data that may differ from run to run. */
static bool is_same(const struct results_line *a, const struct results_line *b)
{
    json_t *values[2] = {json_loadb(a->text, a->size, 0, NULL),
                         json_loadb(b->text, b->size, 0, NULL)};
    for (size_t i = 0; i < 2; i++)
        json_object_del(values[i], "run");
    bool is_equal = json_equal(values[0], values[1]);
    json_decref(values[0]);
    json_decref(values[1]);
    return is_equal;
}

static void note_double(struct results *results, size_t number, const struct results_line *other)
{
    bool same = is_same(&results->lines[number], other);
    results->doubles++;
    results->differing += !same;
    if (results->doubles <= REPORTED_MAX || !same)
        terminal_say("%s occurs twice, %s", results_name(results, number),
                     same ? "both have the same result"
                          : "the results differ: its runs were not held, or the programs differ");
}

static bool take_case(struct results *results, const json_t *one, const char *text, size_t size,
                      struct error *error)
{
    size_t number = (size_t)json_integer_value(json_object_get(one, "number"));
    if (!results->plan)
        return error_set(error, "the first line is not a plan");
    if (!results_check_case(one, error))
        return false;
    if (number >= results->count ||
        strcmp(results_name(results, number), rpc_text(one, "case")) != 0)
        return error_set(error, "its case is not in the plan");
    struct results_line *line = &results->lines[number];
    const struct results_line now = {.text = text,
                                     .size = size,
                                     .code = (int)json_integer_value(json_object_get(one, "code")),
                                     .file = results->files};
    bool is_retry = line->text && (line->file == now.file || line->code == EXIT_CODE_ENVIRONMENT);
    if (line->text && !is_retry && now.code != EXIT_CODE_ENVIRONMENT)
        note_double(results, number, &now);
    if (!line->text || is_retry)
        *line = now;
    return true;
}

static bool take_line(struct results *results, const char *text, size_t size, struct error *error)
{
    json_error_t wrong;
    json_t *one = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    const char *type = rpc_text(one, "type");
    bool is_right = one ? true : error_set(error, "no JSON: %s", wrong.text);
    if (one && strcmp(type, "plan") == 0)
        is_right = take_plan(results, one, error);
    else if (one && strcmp(type, "case") == 0)
        is_right = take_case(results, one, text, size, error);
    else if (one && !results->plan)
        is_right = error_set(error, "the first line is not a plan");
    json_decref(one);
    return is_right;
}

static bool take_lines(struct results *results, const char *bytes, size_t size, struct error *error)
{
    const char *at = bytes, *end;
    for (size_t number = 1; (end = memchr(at, '\n', size - (size_t)(at - bytes))); number++) {
        if (!take_line(results, at, (size_t)(end - at), error))
            return error_prefix(error, "%zu: ", number);
        at = end + 1;
        results->whole = (size_t)(at - bytes);
    }
    results->is_torn = results->whole < size;
    return results->plan || error_set(error, "1: there is no plan");
}

bool results_take(struct results *results, char *bytes, size_t size, struct error *error)
{
    if (!array_append(&results->bytes, &results->byte_count, &bytes, sizeof bytes)) {
        free(bytes);
        return error_set(error, " not enough memory");
    }
    results->whole = 0;
    return take_lines(results, bytes, size, error);
}

bool results_load(struct results *results, const char *path, struct error *error)
{
    size_t size;
    char *bytes = file_bytes_read(path, SIZE_MAX / 2, &size, error);
    if (!bytes)
        return error_prefix(error, "%s: ", path);
    if (!results_take(results, bytes, size, error))
        return error_prefix(error, "%s:", path);
    if (results->is_torn)
        terminal_say("%s: ignoring an incomplete last line", path);
    return true;
}

void results_free(struct results *results)
{
    for (size_t i = 0; i < results->byte_count; i++)
        free(results->bytes[i]);
    free(results->bytes);
    free(results->lines);
    json_decref(results->plan);
    *results = (struct results){0};
}

/* ---- A case ---- */

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* The index of a word in WORDS; 0 if it is not there. */
static int word_of(const json_t *object, const char *key, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(rpc_text(object, key), words[i]) == 0)
            return i;
    return 0;
}

static void take_expectations(const json_t *one, struct judgement *judgement)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(one, "expect"), i, item) judgement_add(
        judgement,
        &(struct judgement_case){
            .verdict = (enum judgement_verdict)word_of(item, "verdict", results_verdicts),
            .name = rpc_text(item, "name"),
            .what = rpc_text(item, "that"),
            .when = rpc_text(item, "when"),
            .found = rpc_text(item, "found"),
            .at_s = number_of(item, "at_s"),
            .line = (unsigned)number_of(item, "line"),
            .is_host = strcmp(rpc_text(item, "when"), "host") == 0,
            .is_measured = json_is_number(json_object_get(item, "margin")),
            .margin = {.margin = number_of(item, "margin")}});
}

/* Sets the kinds, which are words of the program, and the output of the hosts. */
static void take_host_texts(const json_t *one, struct judgement *judgement)
{
    const json_t *printed = json_object_get(one, "printed");
    size_t host = 0;
    for (size_t i = 0; i < judgement->count; i++) {
        struct judgement_case *item = &judgement->cases[i];
        const json_t *expect = json_array_get(json_object_get(one, "expect"), i);
        item->kind = results_kinds[word_of(expect, "kind", results_kinds)];
        const char *text =
            item->is_host ? json_string_value(json_array_get(printed, host++)) : NULL;
        item->printed = text ? strdup(text) : NULL;
    }
}

static void take_diagnoses(const json_t *one, struct judgement *judgement)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(one, "diagnoses"), i, item) diagnoses_add(
        &judgement->diagnoses, (enum diagnosis_kind)word_of(item, "kind", results_causes),
        (enum diagnosis_severity)word_of(item, "severity", results_severities), NULL, "%s",
        rpc_text(item, "text"));
}

static void take_measures(const json_t *one, struct judgement *judgement)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(one, "measures"), name, value)
    {
        double number = json_number_value(value);
        judgement_add_measure(judgement, name, json_is_number(value) ? &number : NULL);
    }
}

static void take_channels(const json_t *one, struct judgement *judgement)
{
    json_t *channels = json_object_get(one, "channels"), *item;
    const char *name;
    judgement->wires.channels =
        calloc(json_object_size(channels) + 1, sizeof *judgement->wires.channels);
    judgement->is_short |= !judgement->wires.channels;
    if (!judgement->wires.channels)
        return;
    json_object_foreach(channels, name, item)
    {
        struct wire_report_channel *row = &judgement->wires.channels[judgement->wires.count++];
        snprintf(row->name, sizeof row->name, "%s", name);
        snprintf(row->refusals, sizeof row->refusals, "%s", rpc_text(item, "refused"));
        snprintf(row->reported, sizeof row->reported, "%s", rpc_text(item, "told"));
        row->came = (uint64_t)number_of(item, "frames_in");
        row->understood = (uint64_t)number_of(item, "understood");
        row->bytes_in = (uint64_t)number_of(item, "bytes_in");
        row->frames_out = (uint64_t)number_of(item, "frames_out");
        row->bytes_out = (uint64_t)number_of(item, "bytes_out");
    }
}

static void take_head(const json_t *one, struct judgement *judgement)
{
    const json_t *run = json_object_get(one, "run");
    struct tm parts = {0};
    snprintf(judgement->name, sizeof judgement->name, "%s", rpc_text(one, "case"));
    snprintf(judgement->file, sizeof judgement->file, "%s", rpc_text(one, "scene"));
    judgement->seed = (uint64_t)json_integer_value(json_object_get(one, "seed"));
    judgement->simulated_s = number_of(one, "simulated_s");
    judgement->wall_s = number_of(run, "wall_s");
    if (strptime(rpc_text(run, "started"), "%Y-%m-%dT%H:%M:%SZ", &parts))
        judgement->started_s = (int64_t)timegm(&parts);
}

bool results_judgement(const struct results_line *line, struct judgement *judgement,
                       struct test_result *result)
{
    json_t *one = json_loadb(line->text, line->size, 0, NULL);
    *judgement = (struct judgement){0};
    take_head(one, judgement);
    take_expectations(one, judgement);
    take_host_texts(one, judgement);
    take_diagnoses(one, judgement);
    take_measures(one, judgement);
    take_channels(one, judgement);
    test_result_fill(judgement, line->code, result);
    snprintf(result->reason, sizeof result->reason, "%s", rpc_text(one, "reason"));
    bool is_whole = one && !judgement_is_short(judgement);
    json_decref(one);
    return is_whole;
}
