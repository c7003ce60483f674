/* `ptybot ctl`: sends one command or query to a running simulation, over its control socket. */
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "app/control/ctl_client.h"
#include "app/control/rpc.h"
#include "app/subcommands/subcommands.h"
#include "base/array.h"
#include "base/number.h"
#include "base/text.h"

struct ctl_options {
    char control[PATH_MAX];
    double timeout_s, within_s;
    int64_t every_ms;
};

static const struct flag_row flags[] = {
    // 1e6, chosen: eleven days.
    FLAG_NUMBER("timeout", "SECONDS", ctl_options, timeout_s, "s", 0.001, 1e6, "10",
                "Give up after SECONDS of wall-clock time without a reply",
                .otherwise = "10; for step, wait and watch: none"),
    // The ranges of these options are those of the methods.
    FLAG_NUMBER("within", "SECONDS", ctl_options, within_s, "s", 0, 1e6, "60",
                "For wait: maximum simulated time"),
    FLAG_INTEGER("every", "MS", ctl_options, every_ms, "ms", 1, 86400000, "100",
                 "For watch: simulated time between two lines"),
    CONTROL_FLAG_ROW(ctl_options, control),
};

/* ---- Words to requests: each function reports an error itself and then returns NULL ---- */

static json_t *misused(const char *reason)
{
    subcommand_misused(&ctl_subcommand, reason);
    return NULL;
}

static json_t *signal_list(const char **words, size_t count)
{
    json_t *signals = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(signals, json_string(words[i]));
    return signals;
}

static json_t *get_params(const struct ctl_options *options, const char **words, size_t count)
{
    (void)options;
    return count > 0 ? json_pack("{s:o}", "signals", signal_list(words, count))
                     : misused("get: give signals, such as 'kobuki.*'");
}

static json_t *watch_params(const struct ctl_options *options, const char **words, size_t count)
{
    return count > 0 ? json_pack("{s:o, s:I}", "signals", signal_list(words, count), "every_ms",
                                 (json_int_t)options->every_ms)
                     : misused("watch: give signals, such as 'kobuki.*'");
}

static json_t *list_params(const struct ctl_options *options, const char **words, size_t count)
{
    (void)options;
    if (count == 1)
        return json_pack("{s:s}", "what", words[0]);
    return misused("list: give robots, signals, commands, options or links");
}

static json_t *step_params(const struct ctl_options *options, const char **words, size_t count)
{
    (void)options;
    int64_t ms;
    if (count == 1 && number_parse_integer(words[0], &ms))
        return json_pack("{s:I}", "ms", (json_int_t)ms);
    return misused("step: give a whole number of milliseconds");
}

static json_t *speed_params(const struct ctl_options *options, const char **words, size_t count)
{
    (void)options;
    double factor;
    if (count == 1 && number_parse(words[0], &factor))
        return json_pack("{s:f}", "factor", factor);
    return misused("speed: give a factor of real time");
}

static json_t *pause_params(const struct ctl_options *options, const char **words, size_t count)
{
    (void)options, (void)words;
    return count == 0 ? json_pack("{s:b}", "paused", 1) : misused("pause takes nothing");
}

static json_t *resume_params(const struct ctl_options *options, const char **words, size_t count)
{
    (void)options, (void)words;
    return count == 0 ? json_pack("{s:b}", "paused", 0) : misused("resume takes nothing");
}

/* The shell has removed the quotes. A value with blanks needs them again. */
static bool add_word(char *text, size_t size, const char *word)
{
    const char *equals = strchr(word, '=');
    const char *blank = strpbrk(word, " \t");
    if (equals && blank > equals && !strpbrk(equals + 1, "\"'"))
        return text_add(text, size, " ", "%.*s=\"%s\"", (int)(equals - word), word, equals + 1);
    return text_add(text, size, " ", "%s", word);
}

static json_t *wait_params(const struct ctl_options *options, const char **words, size_t count)
{
    char text[4096] = "";
    for (size_t i = 0; i < count; i++)
        if (!text_add(text, sizeof text, " ", "%s", words[i]))
            return misused("the condition is too long");
    if (count == 0)
        return misused("wait: give a condition, such as 'kobuki.x_m > 4'");
    json_t *params = json_pack("{s:s, s:f}", "until", text, "timeout_s", options->within_s);
    return params ? params : misused("the condition is not UTF-8");
}

static json_t *do_params(const struct ctl_options *options, const char **words, size_t count)
{
    (void)options;
    char text[4096] = "";
    for (size_t i = 0; i < count; i++)
        if (!add_word(text, sizeof text, words[i]))
            return misused("the command is too long");
    json_t *params = json_pack("{s:s}", "command", text);
    return params ? params : misused("the command is not UTF-8");
}

/* ---- Printing replies: each function returns the exit code. WHAT: the last word ---- */

static double number_of(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* WORD is the meaning of the value, or "". */
static void print_value(const char *name, double value, const char *unit, const char *word)
{
    char text[64];
    printf("%s %s%s%s%s%s%s\n", name, table_number(value, text, sizeof text), *unit ? " " : "",
           unit, *word ? " (" : "", word, *word ? ")" : "");
}

int ctl_print_signals(const json_t *result, const char *what)
{
    size_t i;
    json_t *one;
    (void)what;
    json_array_foreach(json_object_get(result, "signals"), i, one)
        print_value(rpc_text(one, "name"), number_of(json_object_get(one, "value")),
                    rpc_text(one, "unit"), rpc_text(one, "text"));
    return EXIT_CODE_OK;
}

bool ctl_print_watched(const json_t *params)
{
    const char *name;
    json_t *value;
    char at[64], text[64];
    table_number(number_of(json_object_get(params, "time_s")), at, sizeof at);
    const json_t *texts = json_object_get(params, "texts");
    json_object_foreach(json_object_get(params, "values"), name, value)
    {
        const char *word = rpc_text(texts, name);
        printf("%s %s %s%s%s%s\n", at, name, table_number(number_of(value), text, sizeof text),
               *word ? " (" : "", word, *word ? ")" : "");
    }
    return fflush(stdout) == 0;
}

int ctl_print_waited(const json_t *result, const char *what)
{
    char at[64];
    (void)what;
    bool holds = json_is_true(json_object_get(result, "holds"));
    table_number(number_of(json_object_get(result, "time_s")), at, sizeof at);
    printf("%s at %s s: %s\n", holds ? "holds" : "does not hold", at, rpc_text(result, "found"));
    return holds ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

static void print_bytes(const json_t *totals, const char *direction)
{
    const char *name;
    json_t *total;
    json_object_foreach((json_t *)totals, name, total)
    {
        char line[160];
        snprintf(line, sizeof line, "%s.%s", name, direction);
        print_value(line, number_of(total), "B", "");
    }
}

int ctl_print_totals(const json_t *result, const char *what)
{
    (void)what;
    print_value("world.time_s", number_of(json_object_get(result, "time_s")), "s", "");
    print_bytes(json_object_get(result, "written"), "written");
    print_bytes(json_object_get(result, "received"), "received");
    return EXIT_CODE_OK;
}

/* The columns of each list: keys of its objects, and headings. */
static const struct list_columns {
    const char *what;
    const char *keys[6];
    const char *heads[6];
} lists[] = {
    {"robots", {"name", "type", "title"}, {"robot", "type", "title"}},
    {"signals", {"name", "type", "unit", "note"}, {"signal", "type", "unit", "meaning"}},
    {"commands", {"name", "note"}, {"command", "meaning"}},
    {"options",
     {"name", "unit", "allowed", "default", "note"},
     {"option", "unit", "allowed", "default", "meaning"}},
    {"links",
     {"name", "kind", "place", "host", "baud"},
     {"link", "kind", "connect to", "host", ">baud"}},
};

static const char *cell(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value) ? "yes" : "no";
    if (json_is_number(value))
        return table_number(json_number_value(value), text, size);
    return "";
}

static void add_object(struct table *table, const struct list_columns *columns, const json_t *one)
{
    const char *cells[6] = {0};
    char texts[6][64];
    for (size_t c = 0; c < 6 && columns->keys[c]; c++)
        cells[c] = cell(json_object_get(one, columns->keys[c]), texts[c], sizeof texts[c]);
    table_row(table, cells);

    // The arguments of a command are printed below it.
    size_t i;
    json_t *argument;
    json_array_foreach(json_object_get(one, "arguments"), i, argument)
    {
        char key[80], note[512];
        const char *fallback = json_string_value(json_object_get(argument, "default"));
        snprintf(key, sizeof key, "  %s=", rpc_text(argument, "key"));
        snprintf(note, sizeof note, "%s%s(%s%s%s)", rpc_text(argument, "note"),
                 *rpc_text(argument, "note") ? " " : "", rpc_text(argument, "allowed"),
                 fallback ? "; default " : "; required", fallback ? fallback : "");
        table_row(table, (const char *const[]){key, note});
    }
}

int ctl_print_list(const json_t *result, const char *what)
{
    const struct list_columns *columns = &lists[0];
    for (size_t i = 0; i < COUNT(lists); i++)
        if (strcmp(lists[i].what, what) == 0)
            columns = &lists[i];
    struct table table;
    table_init(&table, columns->heads);
    size_t i;
    json_t *one;
    json_array_foreach(result, i, one) add_object(&table, columns, one);
    return table_print(&table, 0, stdout) ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
}

static const struct ctl_word {
    const char *word, *method;
    json_t *(*params)(const struct ctl_options *options, const char **words, size_t count);
    int (*print)(const json_t *result, const char *what); /* returns the exit code; or NULL */
    bool (*notify)(const json_t *params);                 /* prints messages after the reply; or
                                                             NULL */
    bool is_patient; /* its reply may take any time, so --timeout applies only if given */
} ctl_words[] = {
    {"get", "get", get_params, ctl_print_signals, NULL, false},
    {"watch", "watch", watch_params, NULL, ctl_print_watched, true},
    {"list", "list", list_params, ctl_print_list, NULL, false},
    {"step", "step", step_params, ctl_print_totals, NULL, true},
    {"wait", "wait", wait_params, ctl_print_waited, NULL, true},
    {"pause", "pause", pause_params, NULL, NULL, false},
    {"resume", "pause", resume_params, NULL, NULL, false},
    {"speed", "speed", speed_params, NULL, NULL, false},
};
enum { CTL_WORDS = COUNT(ctl_words) };

static const struct ctl_word do_word = {NULL, "do", do_params, NULL, NULL, false};

/* Finds the first word: an entry of the table, or TARGET.COMMAND. */
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
    const char *near = text_nearest(names, first);
    char reason[160];
    snprintf(reason, sizeof reason, "'%.40s' is neither a subcommand of ctl nor TARGET.COMMAND%s",
             first, TEXT_MEANT(near, NULL));
    subcommand_misused(&ctl_subcommand, reason);
    return NULL;
}

/* ---- Requests ---- */

static int ask(const struct ctl_request *request, const struct ctl_word *word, const char *what)
{
    struct error error = {0};
    json_t *result = NULL;
    // When a reader such as head exits, SIGPIPE ends a watch, as it ends other filters.
    if (word->notify)
        signal(SIGPIPE, SIG_DFL);
    int code = word->notify ? ctl_client_watch(request, &result, word->notify, &error)
                            : ctl_client_ask(request, &result, &error);
    if (code != EXIT_CODE_OK)
        terminal_fail(code, "%s", error.text);
    else if (word->print)
        code = word->print(result, what);
    json_decref(result);
    return code;
}

static int ctl(struct arguments *arguments, void *memory)
{
    struct ctl_options *options = memory;
    char place[PATH_MAX];
    const struct ctl_word *word = find_word(arguments->words[0]);
    if (!word)
        return EXIT_CODE_USAGE;
    size_t skipped = word == &do_word ? 0 : 1;
    const char **rest = arguments->words + skipped;
    bool is_limited = arguments_has(arguments, "timeout") || !word->is_patient;
    const struct ctl_request request = {
        .place = place,
        .method = word->method,
        .params = word->params(options, rest, arguments->word_count - skipped),
        .timeout_s = is_limited ? options->timeout_s : 0,
    };
    if (!request.params)
        return EXIT_CODE_USAGE;
    int code = ctl_client_place(options->control, place, sizeof place);
    if (code != EXIT_CODE_OK) {
        json_decref(request.params);
        return code;
    }
    return ask(&request, word, arguments->words[arguments->word_count - 1]);
}

const struct subcommand ctl_subcommand = {
    .name = "ctl",
    .usage =
        "COMMAND... | get SIGNAL... | watch SIGNAL... | list WHAT | step MS | wait CONDITION |\n"
        "           pause | resume | speed X",
    .summary = "send commands to a running simulation, or query it",
    .details =
        "COMMAND is TARGET.COMMAND key=value ..., as `ptybot list commands` shows them. SIGNAL "
        "may\nbe a glob; ptybot prints one line per signal, `name value unit`, or `name value "
        "(word)`.\nwatch prints the simulated time first, until the simulation ends. CONDITION is "
        "SIGNAL OP NUMBER, joined by and, or,\nnot and parentheses, as in a scene; wait exits with "
        "1 if it does not become true in\ntime. WHAT is robots, signals, commands, options or "
        "links. Without --control, ctl uses your\nrunning simulation if there is only one.\n\n  "
        "ptybot ctl kobuki.press bumper=left for=0.5\n  ptybot ctl get kobuki.x_m "
        "'kobuki.uart.*'\n  ptybot ctl watch kobuki.x_m kobuki.y_m --every 500\n  ptybot ctl wait "
        "'kobuki.x_m > 4 and kobuki.collisions == 0' --within 30",
    SUBCOMMAND_FLAGS(flags, ctl_options),
    .words = {1, SIZE_MAX, "give a command, or get, watch, list, step, wait, pause, resume, speed"},
    .run = ctl,
};
