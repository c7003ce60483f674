/* `ptybot check`: whether scenes can be run, without running them. */
#include <stdio.h>

#include "sim/app/exit_code.h"
#include "sim/app/scene_file.h"
#include "sim/app/terminal.h"
#include "sim/app/verb.h"

static int check(int argc, char **argv)
{
    struct arguments arguments;
    int code = EXIT_CODE_OK;
    if (!verb_parse(&check_verb, &arguments, argc, argv, NULL))
        return EXIT_CODE_USAGE;
    if (arguments.word_count == 0)
        return verb_misused(&check_verb, "give a scene");
    for (size_t i = 0; i < arguments.word_count; i++) {
        struct error error = {0};
        struct scene *scene = scene_file_find(arguments.words[i], &error);
        if (scene)
            printf("ok: %s, %zu robot%s\n", scene->name, scene->robot_count,
                   scene->robot_count == 1 ? "" : "s");
        else
            code = terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
        scene_destroy(scene);
    }
    return code;
}

const struct verb check_verb = {
    .name = "check",
    .usage = "SCENE...",
    .summary = "say whether scenes are right, or what is wrong and where",
    .details = "",
    .run = check,
};
