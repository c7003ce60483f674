/* Items of the lists `timeline`, `expect` and `measure` of a scene. Commands and conditions stay
 * text here; sim_check_script checks the names in them. */
#include <string.h>

#include "base/number.h"
#include "sim/parse/scene_keys.h"

/* 30 years, as for --for. */
#define SECONDS_MAX 1e9

/* The place of a key, or of the mapping if it does not have the key. */
static struct scene_place place_of(struct scene_yaml *yaml, const struct scene_at *at,
                                   const char *key)
{
    const struct scene_at child = scene_yaml_child(yaml, at, key);
    return scene_yaml_place(yaml, &child);
}

/* ---- timeline ---- */

static bool action_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_action *action = out;
    action->when_place = place_of(yaml, at, "when");
    action->command_place = place_of(yaml, at, "do");
    bool is_conditional = scene_yaml_has(yaml, at, "when");
    bool is_command = scene_yaml_has(yaml, at, "do");
    if (is_command == (action->interrupt != SCENE_INTERRUPT_NONE))
        return scene_yaml_fail(yaml, at, "has %s; allowed: one of do: COMMAND and signal: SIGTERM",
                               is_command ? "both do and signal" : "neither do nor signal");
    if (is_conditional == scene_yaml_has(yaml, at, "at"))
        return scene_yaml_fail(yaml, at, "has %s; allowed: one of at: SECONDS and when: CONDITION",
                               is_conditional ? "both at and when" : "neither at nor when");
    if (is_conditional && action->when[strspn(action->when, " \t")] == '\0')
        return scene_yaml_fail(yaml, at, "when: empty; allowed: a condition, like kobuki.x_m > 4");
    return true;
}

static const struct option_row action_rows[] = {
    ROW_NUMBER("at", scene_action, at_s, "s", 0, SECONDS_MAX, "0"),
    ROW_TEXT("when", scene_action, when, ""),
    ROW_TEXT("do", scene_action, command, ""),
    ROW_CHOICE("signal", scene_action, interrupt, scene_interrupt_words, "none"),
};
const struct scene_spec scene_action_spec = {SCENE_ROWS(action_rows),
                                             .place_offset = offsetof(struct scene_action, place),
                                             .finish = action_finish};

/* ---- expect ---- */

/* `after` is a number of seconds or a name. */
static bool read_after(struct scene_yaml *yaml, const struct scene_at *at,
                       struct scene_expectation *expectation)
{
    if (!number_parse(expectation->after, &expectation->after_s))
        return true;
    if (!(expectation->after_s >= 0 && expectation->after_s <= SECONDS_MAX))
        return scene_yaml_fail(yaml, at,
                               "after: %s is out of range; allowed: 0 to %g s, or the name of an "
                               "expectation with within",
                               expectation->after, SECONDS_MAX);
    expectation->after[0] = '\0';
    return true;
}

static bool read_name(struct scene_yaml *yaml, const struct scene_at *at,
                      struct scene_expectation *expectation)
{
    double number;
    if (number_parse(expectation->name, &number))
        return scene_yaml_fail(yaml, at,
                               "name: %s is a number, which `after` takes for seconds; allowed: a "
                               "text",
                               expectation->name);
    return *expectation->name || !scene_yaml_has(yaml, at, "name") ||
           scene_yaml_fail(yaml, at, "name: empty; allowed: a text");
}

static bool expectation_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_expectation *expectation = out;
    expectation->name_place = place_of(yaml, at, "name");
    expectation->that_place = place_of(yaml, at, "that");
    expectation->after_place = place_of(yaml, at, "after");
    const bool given[] = {scene_yaml_has(yaml, at, "within"), scene_yaml_has(yaml, at, "always"),
                          scene_yaml_has(yaml, at, "at_end")};
    if (given[0] + given[1] + given[2] != 1)
        return scene_yaml_fail(yaml, at,
                               "has %s of within, always and at_end; allowed: one of within: "
                               "SECONDS, always: true and at_end: true",
                               given[0] + given[1] + given[2] == 0 ? "none" : "more than one");
    if ((given[1] && !expectation->is_always) || (given[2] && !expectation->is_at_end))
        return scene_yaml_fail(yaml, at,
                               "%s: false; allowed: true, or another of within, always "
                               "and at_end",
                               given[1] ? "always" : "at_end");
    if (given[0] && expectation->within_s == 0)
        return scene_yaml_fail(yaml, at, "within: 0 leaves no time; allowed: more than 0 s");
    if (given[2] && scene_yaml_has(yaml, at, "after"))
        return scene_yaml_fail(
            yaml, at,
            "after: needs within or always; an expectation at_end is judged only at the end");
    if (given[2] && scene_yaml_has(yaml, at, "stop"))
        return scene_yaml_fail(
            yaml, at,
            "stop: only with within or always; an expectation at_end cannot stop the test");
    expectation->kind = given[0] ? SCENE_WITHIN : given[1] ? SCENE_ALWAYS : SCENE_AT_END;
    // A failed `always` ends the test by default: later results would describe a broken run.
    if (given[1] && !scene_yaml_has(yaml, at, "stop"))
        expectation->does_stop = true;
    return read_after(yaml, at, expectation) && read_name(yaml, at, expectation);
}

static const struct option_row expectation_rows[] = {
    ROW_TEXT("name", scene_expectation, name, ""),
    ROW_TEXT("that", scene_expectation, that, NULL),
    ROW_NUMBER("within", scene_expectation, within_s, "s", 0, SECONDS_MAX, "0"),
    ROW_BOOL("always", scene_expectation, is_always, "false"),
    ROW_BOOL("at_end", scene_expectation, is_at_end, "false"),
    ROW_TEXT("after", scene_expectation, after, "0"),
    ROW_BOOL("stop", scene_expectation, does_stop, "false"),
};
const struct scene_spec scene_expectation_spec = {
    SCENE_ROWS(expectation_rows), .place_offset = offsetof(struct scene_expectation, place),
    .finish = expectation_finish};

/* ---- measure ---- */

static bool measure_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_measure *measure = out;
    measure->name_place = place_of(yaml, at, "name");
    measure->value_place = place_of(yaml, at, "value");
    measure->when_place = place_of(yaml, at, "when");
    bool is_conditional = scene_yaml_has(yaml, at, "when");
    if (measure->name[0] == '\0')
        return scene_yaml_fail(yaml, at, "name: empty; allowed: a text");
    if (is_conditional && measure->when[strspn(measure->when, " \t")] == '\0')
        return scene_yaml_fail(yaml, at, "when: empty; allowed: a condition, like kobuki.x_m > 4");
    if (is_conditional && !scene_yaml_has(yaml, at, "take"))
        measure->take = SCENE_TAKE_FIRST;
    return true;
}

static const char *const takes[] = {
    [SCENE_TAKE_FIRST] = "first",    [SCENE_TAKE_LAST] = "last", [SCENE_TAKE_MIN] = "min",
    [SCENE_TAKE_MAX] = "max",        [SCENE_TAKE_MEAN] = "mean", [SCENE_TAKE_INTEGRAL] = "integral",
    [SCENE_TAKE_INTEGRAL + 1] = NULL};
static const char *const betters[] = {[SCENE_BETTER_UNKNOWN] = "unknown",
                                      [SCENE_BETTER_LESS] = "less",
                                      [SCENE_BETTER_MORE] = "more",
                                      [SCENE_BETTER_MORE + 1] = NULL};
static const struct option_row measure_rows[] = {
    ROW_TEXT("name", scene_measure, name, NULL),
    ROW_TEXT("value", scene_measure, value, NULL),
    ROW_TEXT("when", scene_measure, when, ""),
    ROW_CHOICE("take", scene_measure, take, takes, "last"),
    ROW_CHOICE("better", scene_measure, better, betters, "unknown"),
};
const struct scene_spec scene_measure_spec = {SCENE_ROWS(measure_rows),
                                              .place_offset = offsetof(struct scene_measure, place),
                                              .finish = measure_finish};
