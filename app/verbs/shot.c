/* `ptybot shot`: a picture of a scene, without a display and without links. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "app/io/scene_file.h"
#include "app/record/picture.h"
#include "app/run/session.h"
#include "app/verbs/verbs.h"

struct shot_options {
    struct session_options session; /* only what session_scene_flags fill */
    char out[PATH_MAX];
    double at_s, span_m;
    char size[16];
    int32_t theme;
    char around[SCENE_NAME_MAX + 1];
    struct argument_texts commands;
};

#define OPTION(member) offsetof(struct shot_options, member)
static const struct flag_row flags[] = {
    {.value = "F.png|F.svg",
     .option = {.key = "out",
                .type = OPTION_TEXT,
                .offset = OPTION(out),
                .size = PATH_MAX,
                .fallback = "",
                .note = "the file; -o is the same"}},
    {.value = "SECONDS",
     .option = {.key = "at",
                .type = OPTION_NUMBER,
                .offset = OPTION(at_s),
                .unit = "s",
                .min = 0,
                .max = 1e6,
                .fallback = "0",
                .note = "of simulated time, as fast as the machine can"}},
    {.value = "COMMAND",
     .is_repeated = true,
     .option = {.key = "do",
                .offset = OPTION(commands),
                .note = "a command at the start, see `ptybot list commands`; may be repeated"}},
    {.value = "WxH",
     .option = {.key = "size",
                .type = OPTION_TEXT,
                .offset = OPTION(size),
                .size = sizeof((struct shot_options *)0)->size,
                .fallback = "1280x800",
                .note = "pixels"}},
    {.value = "light|dark",
     .option = {.key = "theme",
                .type = OPTION_CHOICE,
                .offset = OPTION(theme),
                .choices = picture_themes,
                .fallback = "light",
                .note = "colors"}},
    {.value = "NAME",
     .option = {.key = "around",
                .type = OPTION_TEXT,
                .offset = OPTION(around),
                .size = SCENE_NAME_MAX + 1,
                .fallback = "",
                .note = "robot or dock in the middle; with --span, a portrait"}},
    {.value = "METERS",
     .otherwise = "the room",
     .option = {.key = "span",
                .type = OPTION_NUMBER,
                .offset = OPTION(span_m),
                .unit = "m",
                .min = 0,
                .max = 1000,
                .fallback = "0",
                .note = "width of what is seen; 0: the room"}},
};
static const struct flag_group *const shared[] = {&session_scene_flags, NULL};

static int shoot(struct sim *sim, const struct shot_options *options, struct error *error)
{
    const struct picture_options picture = {
        .out = options->out,
        .size = options->size,
        .theme = picture_themes[options->theme],
        .around = *options->around ? options->around : NULL,
        .span_m = options->span_m,
    };
    if (!picture_check(&picture, error))
        return EXIT_CODE_USAGE;
    for (size_t i = 0; i < options->commands.count; i++)
        if (!sim_do(sim, options->commands.texts[i], error)) {
            error_prefix(error, "--do ");
            return EXIT_CODE_USAGE;
        }
    int64_t end_us = (int64_t)llround(options->at_s * 1e6);
    while (sim_now_us(sim) < end_us)
        sim_step(sim);
    return picture_write(sim, &picture, error) ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
}

static bool check_around(const struct scene *scene, const char *around, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++)
        if (strcmp(scene->robots[i].name, around) == 0)
            return true;
    for (size_t i = 0; i < scene->dock_count; i++)
        if (strcmp(scene->docks[i].name, around) == 0)
            return true;
    return !*around || error_set(error, "--around %s: the scene has no such robot or dock", around);
}

static int shot(int argc, char **argv)
{
    static char out_flag[] = "--out";
    static struct shot_options options; // too large for a stack to like
    struct arguments arguments;
    struct error error = {0};
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-o") == 0)
            argv[i] = out_flag;
    if (!verb_parse(&shot_verb, &arguments, argc, argv, &options))
        return EXIT_CODE_USAGE;
    if (arguments.word_count != 1)
        return verb_misused(&shot_verb, "give one scene or robot type");
    if (!*options.out)
        return verb_misused(&shot_verb, "give a file: -o F.png or -o F.svg");
    options.session.has_seed = arguments_has(&arguments, "seed");
    struct scene *scene = session_scene(arguments.words[0], &options.session, &error);
    int code = EXIT_CODE_USAGE;
    if (scene && check_around(scene, options.around, &error)) {
        struct sim *sim = sim_create(scene, NULL, &error);
        code = sim ? shoot(sim, &options, &error) : EXIT_CODE_ENVIRONMENT;
        sim_destroy(sim);
    }
    scene_destroy(scene);
    return code == EXIT_CODE_OK ? code : terminal_fail(code, "%s", error.text);
}

const struct verb shot_verb = {
    .name = "shot",
    .usage = "SCENE|ROBOT -o F.png|F.svg [FLAGS]",
    .summary = "a picture of a scene, without a display",
    .details =
        "Simulates the scene up to --at without links and files of storage, and paints it.\n\n"
        "  ptybot shot kobuki_room -o room.svg\n"
        "  ptybot shot kobuki_dock -o dock.png --theme dark --at 2 --do 'kobuki.press "
        "bumper=left'\n"
        "  ptybot shot cobot_mecanum -o wheels.png --around cobot --span 0.6",
    .flags = flags,
    .flag_count = sizeof flags / sizeof flags[0],
    .shared_flags = shared,
    .run = shot,
};
