/* `ptybot view`: a window onto a running simulation. Finds the run, and becomes the viewer. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/control/ctl_client.h"
#include "app/io/viewer.h"
#include "app/verbs/verbs.h"

static const struct shared_flags shared[] = {{&ctl_client_flags, 0}, {NULL, 0}};

/* Asks the run for its snapshots; returns only where that or the viewer fails. */
static int become_viewer(const char *place)
{
    static struct viewer_words words; // too large for a stack to like
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
        terminal_fail(code, "%s: it is of another version of ptybot", place);
    else if (access(snapshot, R_OK | W_OK) != 0)
        terminal_fail(code,
                      "%s: cannot be opened: %s; a window must be on the machine of the run and "
                      "belong to the same user",
                      snapshot, strerror(errno));
    else if (!viewer_words_make(&words, snapshot, control, &error))
        terminal_fail(code, "%s", error.text);
    else {
        execv(words.program, words.words);
        terminal_fail(code, "%s: cannot be started: %s", words.program, strerror(errno));
    }
    json_decref(result);
    return code;
}

static int view(int argc, char **argv)
{
    char control[PATH_MAX];
    struct arguments arguments;
    char place[PATH_MAX];
    if (!verb_parse(&view_verb, &arguments, argc, argv, control))
        return EXIT_CODE_USAGE;
    if (arguments.word_count != 0)
        return verb_misused(&view_verb, "it takes no words; for a scene, use `ptybot run --view`");
    int code = ctl_client_place(control, place, sizeof place);
    return code == EXIT_CODE_OK ? become_viewer(place) : code;
}

const struct verb view_verb = {
    .name = "view",
    .usage = "[--control PATH|HOST:PORT]",
    .summary = "a window onto a running simulation",
    .details =
        "Shows the room and the robots live, and lets you lay hands on them: all that the mouse\n"
        "and the keys do are commands of `ptybot list commands`. Press F1 in the window for the\n"
        "keys. Closing the window leaves the simulation as it is; any number of windows may look\n"
        "at one. `ptybot run SCENE --view` starts both at once, and ends with its window.\n"
        "Needs a display (X11 or Wayland); `ptybot shot` and `run --frames` do without.\n\n"
        "  ptybot view\n"
        "  ptybot view --control /tmp/control.sock",
    .shared_flags = shared,
    .run = view,
};
