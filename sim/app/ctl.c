/* `ptybot ctl`: one command or question to a running simulation, over its control socket. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/number.h"
#include "sim/app/ctl_client.h"
#include "sim/app/ctl_print.h"
#include "sim/app/exit_code.h"
#include "sim/app/run_folder.h"
#include "sim/app/terminal.h"
#include "sim/app/verb.h"

struct ctl_options {
    char control[PATH_MAX];
};

static const struct flag_row flags[] = {
    {.value = "PATH",
     .option = {.key = "control",
                .type = OPTION_TEXT,
                .offset = offsetof(struct ctl_options, control),
                .size = PATH_MAX,
                .fallback = "",
                .note = "the control socket; else $PTYBOT_CONTROL, else that of the only run"}},
};

/* ---- Words to requests: each returns NULL after having said what is wrong ---- */

static json_t *misused(const char *reason)
{
    verb_misused(&ctl_verb, reason);
    return NULL;
}

static json_t *get_params(const char **words, size_t count)
{
    json_t *signals = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(signals, json_string(words[i]));
    if (count > 0)
        return json_pack("{s:o}", "signals", signals);
    json_decref(signals);
    return misused("get: give signals, such as 'kobuki.*'");
}

static json_t *list_params(const char **words, size_t count)
{
    if (count == 1)
        return json_pack("{s:s}", "what", words[0]);
    return misused("list: give robots, signals, commands, options or links");
}

static json_t *step_params(const char **words, size_t count)
{
    int64_t ms;
    if (count == 1 && number_parse_integer(words[0], &ms))
        return json_pack("{s:I}", "ms", (json_int_t)ms);
    return misused("step: give a whole number of milliseconds");
}

static json_t *speed_params(const char **words, size_t count)
{
    double factor;
    if (count == 1 && number_parse(words[0], &factor))
        return json_pack("{s:f}", "factor", factor);
    return misused("speed: give a factor of real time");
}

static json_t *pause_params(const char **words, size_t count)
{
    (void)words;
    return count == 0 ? json_pack("{s:b}", "paused", 1) : misused("pause takes nothing");
}

static json_t *resume_params(const char **words, size_t count)
{
    (void)words;
    return count == 0 ? json_pack("{s:b}", "paused", 0) : misused("resume takes nothing");
}

/* The shell took the quotes; a value with blanks needs them again. */
static bool add_word(char *text, size_t size, const char *word)
{
    size_t used = strlen(text);
    const char *equals = strchr(word, '=');
    const char *blank = strpbrk(word, " \t");
    int wrote;
    if (equals && blank > equals && !strpbrk(equals + 1, "\"'"))
        wrote = snprintf(text + used, size - used, "%s%.*s=\"%s\"", used ? " " : "",
                         (int)(equals - word), word, equals + 1);
    else
        wrote = snprintf(text + used, size - used, "%s%s", used ? " " : "", word);
    return wrote >= 0 && (size_t)wrote < size - used;
}

static json_t *do_params(const char **words, size_t count)
{
    char text[4096] = "";
    for (size_t i = 0; i < count; i++)
        if (!add_word(text, sizeof text, words[i]))
            return misused("the command is too long");
    json_t *params = json_pack("{s:s}", "command", text);
    return params ? params : misused("the command is not UTF-8");
}

static const struct ctl_word {
    const char *word, *method;
    json_t *(*params)(const char **words, size_t count);
    void (*print)(const json_t *result, const char *what);
} ctl_words[] = {
    {"get", "get", get_params, ctl_print_signals},
    {"list", "list", list_params, ctl_print_list},
    {"step", "step", step_params, ctl_print_totals},
    {"pause", "pause", pause_params, ctl_print_nothing},
    {"resume", "pause", resume_params, ctl_print_nothing},
    {"speed", "speed", speed_params, ctl_print_nothing},
};
enum { CTL_WORDS = sizeof ctl_words / sizeof ctl_words[0] };

static const struct ctl_word do_word = {NULL, "do", do_params, ctl_print_nothing};

/* What to ask for by the first word: a word of the table, or TARGET.COMMAND. */
static const struct ctl_word *find_word(const char *first)
{
    const char *names[CTL_WORDS + 1] = {0};
    for (size_t i = 0; i < CTL_WORDS; i++) {
        if (strcmp(ctl_words[i].word, first) == 0)
            return &ctl_words[i];
        names[i] = ctl_words[i].word;
    }
    if (strchr(first, '.'))
        return &do_word;
    const char *near = option_nearest_word(names, first);
    char reason[160];
    snprintf(reason, sizeof reason, "'%.40s' is neither a word of ctl nor TARGET.COMMAND%s%s",
             first, near ? "; did you mean " : "", near ? near : "");
    verb_misused(&ctl_verb, reason);
    return NULL;
}

/* ---- Which run ---- */

/* Writes the socket's path. Returns an exit code. */
static int find_socket(const struct ctl_options *options, char *path, size_t size)
{
    static struct run_folder_found found[RUN_FOLDER_RUNS_MAX];
    const char *given = *options->control ? options->control : getenv("PTYBOT_CONTROL");
    if (given && *given) {
        snprintf(path, size, "%s", given);
        return EXIT_CODE_OK;
    }
    size_t count = run_folder_list(found);
    if (count == 0)
        return terminal_fail(EXIT_CODE_ENVIRONMENT,
                             "nothing is running: start it with `ptybot run`, or give --control");
    if (count == 1) {
        snprintf(path, size, "%s", found[0].socket_path);
        return EXIT_CODE_OK;
    }
    terminal_fail(EXIT_CODE_USAGE, "%zu simulations are running; choose one:", count);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "  --control %s    (pid %ld)\n", found[i].socket_path, (long)found[i].pid);
    return EXIT_CODE_USAGE;
}

static int ask(const char *path, const struct ctl_word *word, json_t *params, const char *what)
{
    struct error error = {0};
    json_t *result = NULL;
    int code = ctl_client_ask(path, word->method, params, &result, &error);
    if (code != EXIT_CODE_OK)
        return terminal_fail(code, "%s", error.text);
    word->print(result, what);
    json_decref(result);
    return EXIT_CODE_OK;
}

static int ctl(int argc, char **argv)
{
    static struct ctl_options options;
    struct arguments arguments;
    char path[PATH_MAX];
    if (!verb_parse(&ctl_verb, &arguments, argc, argv, &options))
        return EXIT_CODE_USAGE;
    if (arguments.word_count == 0)
        return verb_misused(&ctl_verb, "give a command, or get, list, step, pause, resume, speed");
    const struct ctl_word *word = find_word(arguments.words[0]);
    if (!word)
        return EXIT_CODE_USAGE;
    size_t skipped = word == &do_word ? 0 : 1;
    const char **rest = arguments.words + skipped;
    json_t *params = word->params(rest, arguments.word_count - skipped);
    if (!params)
        return EXIT_CODE_USAGE;
    int code = find_socket(&options, path, sizeof path);
    if (code != EXIT_CODE_OK) {
        json_decref(params);
        return code;
    }
    return ask(path, word, params, arguments.words[arguments.word_count - 1]);
}

const struct verb ctl_verb = {
    .name = "ctl",
    .usage = "COMMAND... | get SIGNAL... | list WHAT | step MS | pause | resume | speed X",
    .summary = "command or ask a running simulation",
    .details =
        "COMMAND is TARGET.COMMAND key=value ..., as `ptybot list commands` shows them. SIGNAL "
        "may\n"
        "be a glob; each is printed as a line `name value unit`. WHAT is robots, signals,\n"
        "commands, options or links. Without --control it finds the only simulation of yours\n"
        "that runs.\n\n"
        "  ptybot ctl kobuki.press bumper=left for=0.5\n"
        "  ptybot ctl get kobuki.x_m 'kobuki.uart.*'",
    .flags = flags,
    .flag_count = sizeof flags / sizeof flags[0],
    .run = ctl,
};
