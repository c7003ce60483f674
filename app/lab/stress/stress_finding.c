#include "app/lab/stress/stress_finding.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/folders.h"
#include "app/lab/batch/test_batch.h"
#include "app/lab/results/results_summary.h"
#include "app/links/poller.h"
#include "base/angle.h"
#include "base/array.h"
#include "base/number.h"
#include "sim/yaml/scene_edit.h"

enum { HALVINGS = 6 }; /* chosen: down to 1/64 */

/* ---- Runs ---- */

/* Adds the failures of one case. If it could not run, adds the reason. */
static void add_failed(const struct summary_case *one, json_t *failed)
{
    size_t i;
    json_t *item;
    json_array_foreach(one->expect, i, item)
    {
        if (strcmp(rpc_text(item, "verdict"), "failed") == 0)
            json_array_append(failed, item);
    }
    if (one->verdict == JUDGEMENT_ERROR)
        json_array_append_new(failed, json_pack("{ss ss}", "that", "could not run", "found",
                                                summary_text(one, "reason")));
}

/* Reads the failures of the first case that has any. */
static void read_failed(const char *path, json_t *failed)
{
    struct results results = {0};
    struct results_summary summary = {0};
    struct error ignored = {0};
    bool is_read = results_load(&results, path, &ignored) && summary_make(&summary, &results);
    for (size_t i = 0; is_read && i < summary.count && json_array_size(failed) == 0; i++)
        if (summary.cases[i].is_there)
            add_failed(&summary.cases[i], failed);
    summary_free(&summary);
    results_free(&results);
}

int stress_run(const struct stress_bench *bench, struct catalogue *catalogue,
               struct survival_facts *facts, const char *name, json_t **failed)
{
    static struct batch_options options; // too large for a stack to like
    struct test_units units;
    const struct test_unit *first = NULL;
    options = *bench->batch;
    *options.test.junit = *options.report.html = *options.report.baseline = *options.shard = '\0';
    options.is_resumed = false;
    options.is_brief = true;
    options.until_ns = 0;
    snprintf(options.test.out, sizeof options.test.out, "%.4000s/%s", bench->folder, name);
    snprintf(options.results, sizeof options.results, "%.4000s/.%s.ndjson", bench->folder, name);
    catalogue_units(catalogue, bench->word, bench->scene->seed, facts, &units);
    int code = test_batch(&units, &options, &first);
    test_units_free(&units);
    *failed = json_array();
    read_failed(options.results, *failed);
    remove(options.results);
    return code;
}

bool stress_fails(const struct stress_bench *bench, const struct stress_case *one,
                  const char *verdict)
{
    struct stress_case copy = *one;
    struct catalogue catalogue = {.cases = &copy, .count = 1};
    char path[PATH_MAX];
    json_t *failed;
    if (stop_is_wanted())
        return false;
    stress_run(bench, &catalogue, NULL, "again", &failed);
    bool is_same = strcmp(rpc_text(json_array_get(failed, 0), "that"), verdict) == 0;
    json_decref(failed);
    snprintf(path, sizeof path, "%.4000s/again", bench->folder);
    out_folder_remove(path);
    return is_same;
}

/* ---- Simplification ---- */

/* Halves the number after KEY in the command. False: there is no such number, or it is 0. */
static bool halve(struct stress_case *one, char change[STRESS_CHANGE_MAX], const char *key)
{
    char text[STRESS_CHANGE_MAX], number[32];
    const char *at = strstr(change, key);
    double before = at ? strtod(at + strlen(key), NULL) : 0, value = before / 2;
    if (strcmp(key, " bytes=") == 0)
        value = floor(value);
    if (value == 0)
        return false;
    size_t from = (size_t)(at - change) + strlen(key);
    size_t size = strcspn(change + from, " ");
    number_print(value, 3, number, sizeof number);
    snprintf(text, sizeof text, "%.*s%s%s", (int)from, change, number, change + from + size);
    memcpy(change, text, sizeof text);
    double less = before - value;
    if (*one->changes[1])
        return true;
    one->survival.from_s -= strcmp(key, "at=") == 0 ? less : 0;
    one->survival.until_s -= *key == 'a' || strcmp(key, " for=") == 0 ? less : 0;
    return true;
}

/* Runs the case. If it no longer gets the verdict, restores the case to BEFORE. */
static bool still_fails(const struct stress_bench *bench, struct stress_case *one,
                        const struct stress_case *before, const char *verdict)
{
    bool is_same = stress_fails(bench, one, verdict);
    if (!is_same)
        *one = *before;
    return is_same;
}

/* Halves the numbers of one command as long as the verdict stays. Returns the number of runs. */
static unsigned shrink(const struct stress_bench *bench, struct stress_case *one, char *change,
                       const char *verdict)
{
    static const char *const keys[] = {
        " rate=", " ms=", " bytes=", " deg_s=", " factor=", " for=", "at="};
    unsigned runs = 0;
    for (size_t i = 0; i < COUNT(keys); i++)
        for (unsigned k = 0; k < HALVINGS; k++) {
            const struct stress_case before = *one;
            if (!halve(one, change, keys[i]))
                break;
            runs++;
            if (!still_fails(bench, one, &before, verdict))
                break;
        }
    return runs;
}

unsigned stress_minimize(const struct stress_bench *bench, struct stress_case *one,
                         const char *verdict)
{
    unsigned runs = 0;
    for (size_t i = STRESS_CHANGES; i-- > 0 && *one->changes[1];) { // only those that it takes
        const struct stress_case before = *one;
        if (!*one->changes[i])
            continue;
        memmove(one->changes[i], one->changes[i + 1],
                (STRESS_CHANGES - 1 - i) * sizeof *one->changes);
        *one->changes[STRESS_CHANGES - 1] = '\0';
        runs++;
        still_fails(bench, one, &before, verdict);
    }
    for (size_t i = 0; i < STRESS_CHANGES; i++)
        runs += shrink(bench, one, one->changes[i], verdict);
    return runs;
}

/* ---- As a scene ---- */

/* The text of the scene's file, or of the scene that a robot type stands for. */
static char *base_text(const struct scene *scene, size_t *size)
{
    const struct scene_robot *robot = &scene->robots[0];
    char *text = NULL;
    if (scene->sources) {
        *size = scene->sources->size;
        text = malloc(*size + 1);
        if (text)
            memcpy(text, scene->sources->bytes, *size);
        return text;
    }
    text = malloc(SCENE_LINE_MAX);
    if (text)
        *size = (size_t)snprintf(
            text, SCENE_LINE_MAX,
            "world: {size: {x: %.9g, y: %.9g}}\nrobots:\n  - name: %s\n    type: %s\n"
            "    pose: {x: %.9g, y: %.9g, heading: %.9g}\n",
            scene->size_x_m, scene->size_y_m, robot->name, robot->type->name, robot->pose.x_m,
            robot->pose.y_m, robot->pose.heading_rad / ANGLE_RAD_DEG);
    return text;
}

/* Writes an expectation for the verdict. False: no expectation can express it. */
static bool write_expectation(const struct stress_case *one, const struct scene *scene,
                              const char *verdict, FILE *out)
{
    const struct survival *survival = &one->survival;
    double until_s = survival->until_s + survival->recover_s + 3;
    const char *robot = scene->robots[0].name;
    if (strcmp(verdict, survival_rows[SURVIVAL_MOVING].word) == 0)
        fprintf(out,
                "continue_after_driver: 3\nexpect:\n  - {that: abs(%s.speed_m_s) < 0.01, "
                "at_end: true}\n",
                robot);
    else if (strcmp(verdict, survival_rows[SURVIVAL_HUNG].word) == 0)
        fprintf(out, "driver_deadline: %.9g\n", survival->for_s);
    else if (strcmp(verdict, survival_rows[SURVIVAL_LOST].word) == 0)
        fprintf(out, "expect:\n  - {that: %s.%s.host == 1, after: %.9g, within: 3}\n", robot,
                scene->robots[0].type->channels[0].name, until_s - 3);
    else
        return strcmp(verdict, survival_rows[SURVIVAL_CRASHED].word) == 0 ||
               strcmp(verdict, survival_rows[SURVIVAL_GAVE_UP].word) == 0;
    return true;
}

bool stress_write_scene(const struct stress_bench *bench, const struct stress_case *one,
                        const char *verdict, const char *path, struct error *error)
{
    const struct scene *scene = bench->scene;
    const char *sets[STRESS_CHANGES];
    size_t count = 0, size = 0;
    char *base = base_text(scene, &size);
    for (; count < STRESS_CHANGES && *one->changes[count]; count++)
        sets[count] = one->changes[count];
    char *text = base ? scene_edit(base, size, sets, count, scene->seed + one->seed, error) : NULL;
    FILE *file = text ? fopen(path, "we") : NULL;
    free(base);
    if (!file) {
        free(text);
        return *error->text ? false : error_set(error, "%s: cannot be written", path);
    }
    fprintf(file, "# %s: %s. Run: ptybot test %s --warp max --for %.9g", one->name, verdict, path,
            one->survival.for_s);
    if (one->survival.delay.max_us > 0)
        fprintf(file, " --host-delay %" PRIu32 "..%" PRIu32 "us", one->survival.delay.min_us,
                one->survival.delay.max_us);
    if (one->survival.wake_order > 0)
        fprintf(file, " --wake-order %" PRIu64, one->survival.wake_order);
    fprintf(file, *one->script ? " -- sh -c '%s' sh %s\n" : " --%s %s\n", one->script,
            bench->driver);
    fputs(text, file);
    bool is_judged = strstr(text, "\nexpect:") || write_expectation(one, scene, verdict, file);
    if (!is_judged)
        fprintf(file, "# No expectation can express this verdict: ptybot stress %s --only %s\n",
                bench->word, one->name);
    free(text);
    return fclose(file) == 0 || error_set(error, "%s: cannot be written", path);
}
