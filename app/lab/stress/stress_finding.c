#include "app/lab/stress/stress_finding.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "app/cli/terminal.h"
#include "app/files/folders.h"
#include "app/lab/batch/test_batch.h"
#include "app/lab/results/survey.h"
#include "app/links/poller.h"
#include "base/angle.h"
#include "base/array.h"
#include "base/number.h"
#include "sim/yaml/scene_edit.h"

enum { HALVINGS = 6 }; /* chosen: to a sixty-fourth */

/* ---- One run ---- */

static void read_verdict(const char *path, char verdict[STRESS_VERDICT_MAX])
{
    struct results results = {0};
    struct survey survey = {0};
    struct error ignored = {0};
    size_t i;
    json_t *item;
    *verdict = '\0';
    bool is_read = results_load(&results, path, &ignored) && survey_make(&survey, &results);
    if (is_read && survey.count > 0 && survey.cases[0].is_there)
        json_array_foreach(survey.cases[0].expect, i, item)
        {
            const char *word = json_string_value(json_object_get(item, "verdict"));
            if (!*verdict && strcmp(word, "failed") == 0)
                snprintf(verdict, STRESS_VERDICT_MAX, "%s",
                         json_string_value(json_object_get(item, "that")));
        }
    survey_free(&survey);
    results_free(&results);
}

bool stress_try(const struct stress_bench *bench, const struct stress_case *one,
                char verdict[STRESS_VERDICT_MAX])
{
    static struct batch_options options; // too large for a stack to like
    struct stress_case copy = *one;
    struct catalogue catalogue = {.cases = &copy, .count = 1};
    struct test_units units;
    const struct test_unit *failed = NULL;
    size_t size = sizeof(struct survival_facts);
    void *facts = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (facts == MAP_FAILED)
        return false;
    options = *bench->batch;
    *options.test.junit = *options.report.html = *options.report.baseline = '\0';
    options.is_resumed = false;
    options.is_brief = true;
    snprintf(options.test.out, sizeof options.test.out, "%.4000s/again", bench->folder);
    snprintf(options.results, sizeof options.results, "%.4000s/.again.ndjson", bench->folder);
    catalogue_units(&catalogue, bench->word, bench->scene->seed, facts, &units);
    int code = test_batch(&units, &options, &failed);
    test_units_free(&units);
    read_verdict(options.results, verdict);
    munmap(facts, size);
    remove(options.results);
    out_folder_remove(options.test.out);
    return code != EXIT_CODE_ENVIRONMENT;
}

/* ---- Smaller ---- */

/* Multiplies the number behind KEY in the command by a half; false: there is none, or it is 0. */
static bool halve(struct stress_case *one, char change[STRESS_CHANGE_MAX], const char *key)
{
    char text[STRESS_CHANGE_MAX], number[32];
    const char *at = strstr(change, key);
    double value = at ? strtod(at + strlen(key), NULL) : 0;
    if (!at || value == 0)
        return false;
    size_t from = (size_t)(at - change) + strlen(key);
    size_t size = strcspn(change + from, " ");
    bool is_whole = strcmp(key, " bytes=") == 0;
    value = is_whole ? floor(value / 2) : value / 2;
    if (value == 0)
        return false;
    number_print(value, 3, number, sizeof number);
    snprintf(text, sizeof text, "%.*s%s%s", (int)from, change, number, change + from + size);
    memcpy(change, text, sizeof text);
    if (strcmp(key, " for=") == 0 && change == one->change && !*one->more[0]) {
        double shorter_s = strtod(number, NULL);
        one->survival.until_s = one->survival.from_s + shorter_s;
    }
    if (strcmp(key, "at=") == 0 && change == one->change && !*one->more[0]) {
        double earlier_s = one->survival.from_s - strtod(number, NULL);
        one->survival.from_s -= earlier_s;
        one->survival.until_s -= earlier_s;
    }
    return true;
}

/* Whether the verdict still fires; if not, the case is as BEFORE. */
static bool still_fails(const struct stress_bench *bench, struct stress_case *one,
                        const struct stress_case *before, const char *verdict)
{
    char now[STRESS_VERDICT_MAX];
    if (!stop_is_wanted() && stress_try(bench, one, now) && strcmp(now, verdict) == 0)
        return true;
    *one = *before;
    return false;
}

/* Halves the numbers of one command. */
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
    for (size_t i = STRESS_MORE; i-- > 0;) { // of several hardships only those that it takes
        const struct stress_case before = *one;
        if (!*one->more[i])
            continue;
        *one->more[i] = '\0';
        runs++;
        still_fails(bench, one, &before, verdict);
    }
    for (size_t i = 0; i < STRESS_MORE; i++) {
        const struct stress_case before = *one;
        if (!*one->more[i])
            continue;
        memcpy(one->change, one->more[i], sizeof one->change);
        *one->more[i] = '\0';
        runs++;
        still_fails(bench, one, &before, verdict);
    }
    runs += shrink(bench, one, one->change, verdict);
    for (size_t i = 0; i < STRESS_MORE; i++)
        runs += shrink(bench, one, one->more[i], verdict);
    return runs;
}

/* ---- As a scene ---- */

/* The text of the scene's file, or of the scene that the name of a robot means. */
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

/* What a scene can say of the verdict; false: nothing. */
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
    const char *sets[1 + STRESS_MORE];
    size_t count = 0;
    size_t size = 0;
    char *base = base_text(scene, &size);
    if (*one->change)
        sets[count++] = one->change;
    for (size_t i = 0; i < STRESS_MORE; i++)
        if (*one->more[i])
            sets[count++] = one->more[i];
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
    fprintf(file, " -- %s\n", bench->command);
    fputs(text, file);
    bool is_judged = strstr(text, "\nexpect:") || write_expectation(one, scene, verdict, file);
    if (!is_judged)
        fprintf(file, "# No expectation can express this verdict: ptybot stress %s --only %s\n",
                bench->word, one->name);
    free(text);
    return fclose(file) == 0 || error_set(error, "%s: cannot be written", path);
}
