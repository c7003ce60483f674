/* `ptybot run`: a scene becomes a running simulation that hosts can reach. */
#include <stdio.h>
#include <stdlib.h>

#include "app/cli/terminal.h"
#include "app/io/poller.h"
#include "app/run/report.h"
#include "app/run/session.h"
#include "app/verbs/verbs.h"

/* Runs, and returns the summary, which is printed when all is closed, since a terminal may block.
 * The caller frees it. */
static char *go(struct session *session)
{
    char *text = NULL;
    size_t size;
    report_start(&session->report, session->scene, session->control_path, poller_now_ns());
    session_run(session, NULL);
    // A run that is stopped by hand leaves what is open undecided.
    if (!stop_is_wanted())
        sim_end(session->sim);
    FILE *summary = open_memstream(&text, &size);
    report_end(&session->report, poller_now_ns(), summary ? summary : stdout);
    report_verdicts(session->sim, summary ? summary : stdout);
    if (summary)
        fclose(summary);
    return text;
}

static int run_scene(struct scene *scene, const struct session_options *options)
{
    static struct session session; // too large for a stack to like
    struct error error = {0}, log_error = {0};
    int code;
    char *summary = NULL;
    size_t failed = 0;
    bool is_open = session_open(&session, scene, options, &code, &error);
    if (is_open) {
        summary = go(&session);
        failed = report_failures(session.sim);
    }
    bool is_logged = session_close(&session, &log_error);
    if (summary)
        fputs(summary, stdout);
    free(summary);
    terminal_flush();
    if (!is_open)
        return terminal_fail(code, "%s", error.text);
    if (!is_logged)
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", log_error.text);
    return failed > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

static int run(int argc, char **argv)
{
    static struct session_options options; // as above
    struct arguments arguments;
    struct error error = {0};
    if (!verb_parse(&run_verb, &arguments, argc, argv, &options))
        return EXIT_CODE_USAGE;
    if (arguments.word_count != 1)
        return verb_misused(&run_verb, arguments.word_count == 0
                                           ? "give a scene or a robot type"
                                           : "give one scene; a scene may hold many robots");
    if (!session_options_take(&options, &run_verb, &arguments))
        return EXIT_CODE_USAGE;
    struct scene *scene = session_scene(arguments.words[0], &options, &error);
    return scene ? run_scene(scene, &options) : terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
}

const struct verb run_verb = {
    .name = "run",
    .usage = "SCENE|ROBOT [FLAGS]",
    .summary = "simulate a scene, or one robot in an empty room",
    .details =
        "SCENE is a file, or the name of an installed scene (`ptybot list scenes`); ROBOT is a\n"
        "robot type (`ptybot list robots`). Prints where drivers connect, and runs until --for,\n"
        "SIGINT or SIGTERM, which are an orderly end. Where that takes longer than a second,\n"
        "another signal ends it at once. The exit code is 1 where an expectation of the scene\n"
        "failed; what a signal leaves undecided did not fail.\n\n"
        "  ptybot run kobuki\n"
        "  ptybot run scenes/kobuki_room.yaml --seed 7 --set kobuki.battery_v=14.2 --for 60",
    .shared_flags = session_flags,
    .run = run,
};
