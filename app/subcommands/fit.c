/* `ptybot fit`: finds the options that make the virtual robot most similar to a recording. */
#include "app/lab/compare/fit.h"
#include "app/subcommands/subcommands.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "app/files/scene_file.h"
#include "app/subcommands/any_recording.h"

static void print_fit(const struct fit *fit, const char *robot)
{
    struct table table;
    table_init(&table, (const char *const[]){"option", "unit", "before", "found", "sure to", NULL});
    for (size_t i = 0; i < fit->count; i++) {
        const struct fit_option *option = &fit->options[i];
        char name[96], before[32], found[32], sure[48];
        snprintf(name, sizeof name, "%s.%s", robot, option->row->key);
        snprintf(before, sizeof before, "%.6g", option->before);
        snprintf(found, sizeof found, "%.6g", option->found);
        if (isfinite(option->sigma))
            snprintf(sure, sizeof sure, "+- %.2g", 2 * option->sigma);
        else
            snprintf(sure, sizeof sure, "not sharp");
        table_row(&table, (const char *const[]){name, option->row->unit, before,
                                                option->is_known ? found : "",
                                                option->is_known ? sure : "not identifiable"});
    }
    table_print(&table, 0, stdout);
    printf("\ndifference %.4g before, %.4g after (mean squares, tolerances being 1)\n",
           fit->square_before, fit->square_after);
    for (size_t i = 0; i < fit->count; i++)
        if (fit->options[i].is_known && fit->options[i].found != fit->options[i].before)
            printf("--set %s.%s=%.6g\n", robot, fit->options[i].row->key, fit->options[i].found);
}

struct fit_flags {
    bool is_raw;
};

static const struct flag_row flags[] = {
    FLAG_SWITCH("raw", fit_flags, is_raw, "Read a text log of the robot, as `ptybot decode --raw`"),
};

static int run(struct arguments *arguments, void *memory)
{
    static struct fit fit; // too large for a stack to like
    const struct block_format format = {((const struct fit_flags *)memory)->is_raw,
                                        CAPTURE_TO_HOST};
    char place[PATH_MAX];
    int fd;
    struct recording recording = {0};
    struct error error = {0};
    const char *from = any_recording(arguments->words[0], place, &fd, &error);
    struct scene *scene = scene_file_find(arguments->words[1], false, &error);
    const struct scene_robot *robot = scene ? scene->robots : NULL;
    unsigned channel = robot && robot->link_count > 0 ? robot->links[0].channel : 0;
    bool is_fit =
        robot && from &&
        recording_read(&recording, from, &format, robot->type, channel, "", &error) &&
        (!recording.is_untimed ||
         error_set(
             &error,
             "%s: raw bytes have no timestamps; use a recording that has them, such as pcapng",
             arguments->words[0])) &&
        fit_recording(&fit, scene, &recording, arguments->words + 2, arguments->word_count - 2,
                      &error);
    if (is_fit)
        print_fit(&fit, robot->name);
    recording_free(&recording);
    if (fd >= 0)
        close(fd);
    scene_destroy(scene);
    return is_fit ? EXIT_CODE_OK : terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
}

const struct subcommand fit_subcommand = {
    .name = "fit",
    .usage = "REAL.pcapng SCENE|ROBOT [OPTION ...] [FLAGS]",
    .summary = "find the options that make a virtual robot most like a recorded one",
    .details = "Tries values of each OPTION of the scene's first robot (default: all numbers with "
               "a\nmeasurable effect), and keeps those that minimize the differences of `ptybot "
               "compare`.\nPrints the uncertainty of each value, or that the recording does not "
               "determine it. The\ntolerances of `ptybot compare` weigh the fields.\n\n"
               "  ptybot fit real.pcapng kobuki battery_v gyro_bias_z",
    SUBCOMMAND_FLAGS(flags, fit_flags),
    .words = {2, SIZE_MAX, "give a recording, and a scene or a robot type"},
    .run = run,
};
