/* `ptybot shot`: makes a picture of a scene, without a display and without links. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "app/record/picture.h"
#include "app/run/page_file.h"
#include "app/run/session.h"
#include "app/subcommands/subcommands.h"
#include "sim/watch/watch.h"

struct shot_options {
    struct session_options session; /* only the options of session_scene_flags */
    char out[PATH_MAX];
    double at_s;
    struct picture_view view;
    struct argument_texts commands;
};

static const struct flag_row flags[] = {
    FLAG_SWITCH("allow-code", shot_options, session.allows_code,
                "Load shared objects named by the scene. They run with your rights: use only for "
                "scenes that you trust"),
    FLAG_TEXT("out", "F.png|F.svg|F.html", shot_options, out, "",
              "File to write; -o is the same. F.html: a page that runs the scene in any browser"),
    FLAG_NUMBER("at", "SECONDS", shot_options, at_s, "s", 0, 1e6, "0",
                "Simulated time of the picture, computed as fast as possible"),
    FLAG_REPEATED("do", "COMMAND", shot_options, commands,
                  "Run a command at the start (`ptybot list commands`); repeatable"),
};
static const struct shared_flags shared[] = {
    {&session_scene_flags, offsetof(struct shot_options, session)},
    {&picture_flags, offsetof(struct shot_options, view)},
    {NULL, 0}};

static int shoot(struct sim *sim, const struct live *live, const struct shot_options *options,
                 struct error *error)
{
    const struct picture_options picture = {.out = options->out, .view = &options->view};
    if (!picture_check(&picture, error))
        return EXIT_CODE_USAGE;
    for (size_t i = 0; i < options->commands.count; i++)
        if (!sim_do(sim, options->commands.texts[i], error)) {
            error_prefix(error, "--do ");
            return EXIT_CODE_USAGE;
        }
    struct watch *watch = watch_create(sim, WATCH_TRAILS);
    if (!watch) {
        error_set(error, "not enough memory for a picture");
        return EXIT_CODE_ENVIRONMENT;
    }
    int64_t end_us = (int64_t)llround(options->at_s * 1e6);
    while (sim_now_us(sim) < end_us)
        sim_step(sim);
    bool is_written = picture_write(sim, watch, live, &picture, error);
    watch_destroy(watch);
    return is_written ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
}

static bool is_page(const char *path)
{
    size_t size = strlen(path);
    return size > 5 && strcmp(path + size - 5, ".html") == 0;
}

static int write_page(const struct scene *scene, const struct shot_options *options,
                      struct error *error)
{
    const struct argument_texts *sets = &options->session.set;
    const struct bundle bundle = {.scene = scene, .sets = sets->texts, .set_count = sets->count};
    return page_file_write(options->out, &bundle, error) ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
}

static int shot(struct arguments *arguments, void *memory)
{
    struct shot_options *options = memory;
    struct error error = {0};
    if (!*options->out)
        return subcommand_misused(&shot_subcommand, "give a file: -o F.png, -o F.svg or -o F.html");
    if (!is_page(options->out) && !picture_has_name(options->out)) {
        error_set(&error, "%s: the file name must end with .png, .svg or .html", options->out);
        return subcommand_misused(&shot_subcommand, error.text);
    }
    if (is_page(options->out) && (options->commands.count > 0 || arguments_has(arguments, "at")))
        return subcommand_misused(&shot_subcommand,
                                  "--at and --do are for pictures; a page begins at 0 s");
    options->session.has_seed = arguments_has(arguments, "seed");
    struct scene *scene = session_scene(arguments->words[0], &options->session, &error);
    int code = EXIT_CODE_USAGE;
    if (scene && is_page(options->out)) {
        code = write_page(scene, options, &error);
    } else if (scene && picture_check_view(&options->view, scene, &error)) {
        struct live live;
        struct sim *sim = live_sim(&live, scene, NULL, &error);
        code = sim ? shoot(sim, &live, options, &error) : EXIT_CODE_ENVIRONMENT;
        sim_destroy(sim);
        live_close(&live);
    }
    scene_destroy(scene);
    return code == EXIT_CODE_OK ? code : terminal_fail(code, "%s", error.text);
}

const struct subcommand shot_subcommand = {
    .name = "shot",
    .usage = "SCENE|ROBOT -o F.png|F.svg|F.html [FLAGS]",
    .summary = "make a picture of a scene, without a display",
    .details = "Simulates the scene up to --at without links and storage files, and paints it. "
               "F.html is\na page in one file that runs the scene without ptybot. You can push and "
               "drive its robots.\n\n  ptybot shot kobuki_room -o room.svg\n  ptybot shot "
               "kobuki_dock -o dock.png --at 2 --do 'kobuki.press bumper=left'\n  ptybot shot "
               "cobot_mecanum -o wheels.png --around cobot --span 0.6",
    SUBCOMMAND_FLAGS(flags, shot_options),
    .shared_flags = shared,
    .words = {1, 1, "give one scene or robot type"},
    .run = shot,
};
