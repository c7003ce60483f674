/* `ptybot view`: opens a window for a running simulation. Finds the run, and becomes the viewer. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/control/ctl_client.h"
#include "app/subcommands/subcommands.h"
#include "app/views/viewer.h"
#include "app/views/web.h"

struct view_options {
    char control[PATH_MAX];
    struct web_options web;
};

static const struct flag_row flags[] = {CONTROL_FLAG_ROW(view_options, control)};
static const struct shared_flags shared[] = {{&web_flags, offsetof(struct view_options, web)},
                                             {NULL, 0}};

/* Returns only on failure. */
static void become_window(const char *snapshot, const char *control, struct error *error)
{
    static struct viewer_words words; // too large for a stack to like
    if (!viewer_words_make(&words, snapshot, control, error))
        return;
    execv(words.program, words.words);
    error_set(error, "%s: cannot be started: %s", words.program, strerror(errno));
}

static void become_page(const struct web_options *options, const char *snapshot,
                        const char *control, struct error *error)
{
    struct web web;
    if (!web_open(&web, options, error))
        return;
    printf("%s\n", web.url);
    terminal_flush();
    web_become(&web, options, snapshot, control, error);
}

/* Requests the snapshots of the run and becomes the viewer. Returns only on failure. */
static int become_viewer(const char *place, const struct web_options *web)
{
    struct error error = {0};
    json_t *result = NULL;
    const struct ctl_request request = {
        .place = place, .method = "view", .params = json_object(), .timeout_s = 10};
    int code = ctl_client_ask(&request, &result, &error);
    if (code != EXIT_CODE_OK)
        return terminal_fail(code, "%s", error.text);
    const char *snapshot = json_string_value(json_object_get(result, "snapshot"));
    const char *control = json_string_value(json_object_get(result, "control"));
    code = EXIT_CODE_ENVIRONMENT;
    if (!snapshot || !control)
        terminal_fail(code, "%s: the run belongs to another version of ptybot", place);
    else if (access(snapshot, R_OK | W_OK) != 0)
        terminal_fail(code,
                      "%s: cannot be opened: %s; a window must be on the machine of the run and "
                      "belong to the same user",
                      snapshot, strerror(errno));
    else {
        if (web->is_wanted)
            become_page(web, snapshot, control, &error);
        else
            become_window(snapshot, control, &error);
        terminal_fail(code, "%s", error.text);
    }
    json_decref(result);
    return code;
}

static int view(struct arguments *arguments, void *memory)
{
    struct view_options *options = memory;
    char place[PATH_MAX];
    if (arguments->word_count > (options->web.is_wanted ? 1 : 0))
        return subcommand_misused(&view_subcommand,
                                  "it takes no arguments; for a scene, use `ptybot run --view`");
    // `view --web 8080` sets the port without its flag.
    struct error error = {0};
    const struct option_row *port = option_find(&web_flags.rows[1].option, 1, "web-port");
    if (arguments->word_count == 1 && !option_set(port, arguments->words[0], &options->web, &error))
        return subcommand_misused(&view_subcommand, error.text);
    options->web.is_writable = true;
    int code = ctl_client_place(options->control, place, sizeof place);
    return code == EXIT_CODE_OK ? become_viewer(place, &options->web) : code;
}

const struct subcommand view_subcommand = {
    .name = "view",
    .usage = "[--web [PORT]] [--control PATH|HOST:PORT]",
    .summary = "open a window of a running simulation, or serve a page",
    .details = "Shows the room and the robots live. Mouse and keys run commands of `ptybot list "
               "commands`;\npress F1 in the window for the keys. Closing the window does not "
               "affect the simulation, and\na simulation can have several windows. `ptybot run "
               "SCENE --view` starts both, and ends with\nits window. Needs a display (X11 or "
               "Wayland); `ptybot shot` and `run --frames` do not.\n\nWith --web, ptybot serves a "
               "page instead, only to this machine, and prints its address. For\na browser on "
               "another machine, use `ssh -L`. Ends with the run.\n\n  ptybot view\n  ptybot view "
               "--web 8080\n  ptybot view --control /tmp/control.sock",
    SUBCOMMAND_FLAGS(flags, view_options),
    .shared_flags = shared,
    .run = view,
};
