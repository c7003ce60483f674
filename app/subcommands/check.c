/* `ptybot check`: checks whether scenes can be run, without running them. */
#include <stddef.h>
#include <stdio.h>

#include "app/cli/terminal.h"
#include "app/files/scene_file.h"
#include "app/firmware/firmwares.h"
#include "app/lab/batch/test_units.h"

/* CASES: number of cases of its sweep. */
static void say_good(const struct scene *scene, size_t cases)
{
    printf("ok: %s, %zu robot%s", scene->name, scene->robot_count,
           scene->robot_count == 1 ? "" : "s");
    if (scene->action_count > 0)
        printf(", %zu command%s in the timeline", scene->action_count,
               scene->action_count == 1 ? "" : "s");
    if (scene->expectation_count > 0)
        printf(", %zu expectation%s", scene->expectation_count,
               scene->expectation_count == 1 ? "" : "s");
    if (scene->sweep_count > 0)
        printf(", %zu case%s", cases, cases == 1 ? "" : "s");
    putchar('\n');
}

/* Whether the sweep of a scene gives cases, and its first and last case are valid scenes. */
static bool check_sweep(const char *word, const struct scene *scene, size_t *cases,
                        struct error *error)
{
    static const struct argument_texts nothing;
    const struct test_units_options options = {.seeds = "", .vary = &nothing};
    struct test_units units;
    if (scene->sweep_count == 0)
        return true;
    if (!test_units_list(&units, &word, 1, &options, error))
        return false;
    *cases = units.all;
    test_units_free(&units);
    return true;
}

struct check_options {
    bool allows_code;
};

static const struct flag_row flags[] = {
    FLAG_SWITCH("allow-code", check_options, allows_code,
                "Load shared objects named by a scene. They run with your rights: use only for "
                "scenes that you trust"),
};

static int check(struct arguments *arguments, void *memory)
{
    struct check_options *options = memory;
    int code = EXIT_CODE_OK;
    for (size_t i = 0; i < arguments->word_count; i++) {
        struct error error = {0};
        struct scene *scene = scene_file_find(arguments->words[i], options->allows_code, &error);
        size_t next = 0;
        struct error warning = {0};
        size_t cases = 0;
        if (scene && firmwares_check(scene, &error) &&
            check_sweep(arguments->words[i], scene, &cases, &error))
            say_good(scene, cases);
        else
            code = terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
        while (scene && scene_warning(scene, &next, &warning))
            terminal_say("warning: %s", warning.text);
        scene_destroy(scene);
    }
    return code;
}

const struct subcommand check_subcommand = {
    .name = "check",
    .usage = "SCENE|BODY... [FLAGS]",
    .summary = "check scenes and body files",
    .details = "A body file (my_robot.yaml) is checked as a scene with one such robot. With a "
               "`sweep`,\nthe first and the last case are checked.",
    SUBCOMMAND_FLAGS(flags, check_options),
    .words = {1, SIZE_MAX, "give a scene"},
    .run = check,
};
