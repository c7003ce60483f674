#include "app/lab/results/results_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"

/* ---- Values of a line ---- */

const char *summary_name(const json_t *list, size_t index)
{
    const char *text = json_string_value(json_array_get(list, index));
    return text ? text : "";
}

const char *summary_text(const struct summary_case *one, const char *key)
{
    const char *text = rpc_text(one->line, key);
    return *text ? text : rpc_text(one->run, key);
}

double summary_run(const struct summary_case *one, const char *key)
{
    return json_number_value(json_object_get(one->run, key));
}

double summary_measure(const struct summary_case *one, const char *name)
{
    const json_t *value = json_object_get(one->measures, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *summary_label(const json_t *expectation, char *text, size_t size)
{
    const char *name = rpc_text(expectation, "name"), *when = rpc_text(expectation, "when");
    if (*name)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "%s%s%s", rpc_text(expectation, "that"), *when ? ", " : "", when);
    return text;
}

/* ---- Scenes ---- */

/* The name of "scenes/dock.yaml" is dock, in any folder. */
static void name_scene(const char *word, char *name, size_t size)
{
    size_t length;
    const char *stem = text_stem(word, &length);
    snprintf(name, size, "%.*s", (int)length, stem);
}

const struct summary_scene *summary_find_scene(const struct results_summary *summary,
                                               const char *name)
{
    for (size_t i = 0; i < summary->scene_count; i++)
        if (strcmp(summary->scenes[i].name, name) == 0)
            return &summary->scenes[i];
    return NULL;
}

/* The scene of a case, which is added if necessary. NULL: out of memory. */
static struct summary_scene *find_scene(struct results_summary *summary, const char *word)
{
    struct summary_scene new = {.word = word};
    name_scene(word, new.name, sizeof new.name);
    const struct summary_scene *known = summary_find_scene(summary, new.name);
    if (known)
        return &summary->scenes[known - summary->scenes];
    if (!array_append(&summary->scenes, &summary->scene_count, &new, sizeof new))
        return NULL;
    struct summary_scene *scene = &summary->scenes[summary->scene_count - 1];
    scene->measures = json_array();
    scene->expect = json_array();
    return scene->measures && scene->expect ? scene : NULL;
}

bool summary_has_name(const json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(summary_name(list, i), name) == 0)
            return true;
    return false;
}

bool summary_add_name(json_t *list, const char *name)
{
    return summary_has_name(list, name) || json_array_append_new(list, json_string(name)) == 0;
}

static bool note_in_scene(struct summary_scene *scene, const struct summary_case *one)
{
    char label[512];
    bool is_whole = true;
    const char *name;
    json_t *value;
    scene->cases++;
    scene->passed += one->verdict == JUDGEMENT_PASSED;
    scene->failed += one->verdict == JUDGEMENT_FAILED;
    scene->errors += one->verdict == JUDGEMENT_ERROR;
    json_object_foreach((json_t *)one->measures, name, value) is_whole &=
        summary_add_name(scene->measures, name);
    for (size_t i = 0; i < json_array_size(one->expect); i++)
        is_whole &= summary_add_name(
            scene->expect, summary_label(json_array_get(one->expect, i), label, sizeof label));
    return is_whole;
}

struct share summary_share(const struct summary_scene *scene)
{
    return (struct share){scene->passed, scene->passed + scene->failed};
}

/* ---- Cases ---- */

static enum judgement_verdict verdict_of(const json_t *line)
{
    const char *verdict = rpc_text(line, "verdict");
    return strcmp(verdict, "passed") == 0   ? JUDGEMENT_PASSED
           : strcmp(verdict, "failed") == 0 ? JUDGEMENT_FAILED
                                            : JUDGEMENT_ERROR;
}

static bool take_line(struct results_summary *summary, struct summary_case *one,
                      const struct results_line *line)
{
    static const char *const unasked[] = {"diagnoses", "channels", "printed"};
    json_t *read = json_loadb(line->text, line->size, 0, NULL);
    for (size_t i = 0; i < COUNT(unasked); i++)
        json_object_del(read, unasked[i]);
    *one = (struct summary_case){.name = one->name,
                                 .is_there = true,
                                 .verdict = verdict_of(read),
                                 .seed = json_integer_value(json_object_get(read, "seed")),
                                 .line = read,
                                 .vary = json_object_get(read, "vary"),
                                 .expect = json_object_get(read, "expect"),
                                 .measures = json_object_get(read, "measures"),
                                 .run = json_object_get(read, "run")};
    struct summary_scene *scene = read ? find_scene(summary, rpc_text(read, "scene")) : NULL;
    if (scene)
        one->scene = (size_t)(scene - summary->scenes);
    return scene && note_in_scene(scene, one);
}

bool summary_make(struct results_summary *summary, const struct results *results)
{
    *summary = (struct results_summary){.results = results, .count = results->count};
    summary->cases = calloc(results->count + 1, sizeof *summary->cases);
    bool is_whole = summary->cases;
    for (size_t i = 0; is_whole && i < results->count; i++) {
        summary->cases[i].name = results_name(results, i);
        if (results->lines[i].text)
            is_whole = take_line(summary, &summary->cases[i], &results->lines[i]);
        else
            summary->missing++;
    }
    return is_whole;
}

void summary_free(struct results_summary *summary)
{
    for (size_t i = 0; summary->cases && i < summary->count; i++)
        json_decref(summary->cases[i].line);
    for (size_t i = 0; i < summary->scene_count; i++) {
        json_decref(summary->scenes[i].measures);
        json_decref(summary->scenes[i].expect);
    }
    free(summary->cases);
    free(summary->scenes);
    *summary = (struct results_summary){0};
}

/* ---- Queries ---- */

bool summary_is_judged(const struct results_summary *summary, const struct summary_case *one,
                       const struct summary_scene *scene)
{
    return one->is_there && &summary->scenes[one->scene] == scene &&
           one->verdict != JUDGEMENT_ERROR;
}

size_t summary_measures(const struct results_summary *summary, const struct summary_scene *scene,
                        const char *name, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->count; i++) {
        const struct summary_case *one = &summary->cases[i];
        double value = summary_is_judged(summary, one, scene) ? summary_measure(one, name) : NAN;
        if (!isnan(value))
            values[count++] = value;
    }
    qsort(values, count, sizeof *values, number_order);
    return count;
}
