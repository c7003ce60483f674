/* The command line, parsed by the rows of a subcommand. */
#include "app/cli/arguments.h"

#include <assert.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "base/array.h"
#include "base/text.h"

enum { OPTIONS_MAX = 1 << 17 }; /* bytes; chosen: twice the largest, those of test */

/* Row number INDEX, and where in the verb's options it fills its struct; NULL: there are no more.
 */
static const struct flag_row *row_at(const struct verb *verb, size_t index, size_t *at)
{
    *at = 0;
    if (index < verb->flag_count)
        return &verb->flags[index];
    index -= verb->flag_count;
    for (const struct shared_flags *one = verb->shared_flags; one && one->group; one++) {
        *at = one->at;
        if (index < one->group->count)
            return &one->group->rows[index];
        index -= one->group->count;
    }
    return NULL;
}

const struct flag_row *verb_row(const struct verb *verb, size_t index)
{
    size_t at;
    return row_at(verb, index, &at);
}

/* The row of that key, its number in INDEX and its place in AT; or NULL. */
static const struct flag_row *find(const struct arguments *arguments, const char *key, size_t size,
                                   size_t *index, size_t *at)
{
    const struct flag_row *row;
    for (*index = 0; (row = row_at(arguments->verb, *index, at)); (*index)++)
        if (strncmp(row->option.key, key, size) == 0 && row->option.key[size] == '\0')
            return row;
    return NULL;
}

static bool unknown(const struct arguments *arguments, const char *flag, struct error *error)
{
    const char *keys[65] = {0};
    const struct flag_row *row;
    for (size_t i = 0; (row = verb_row(arguments->verb, i)); i++) {
        assert(i + 1 < COUNT(keys));
        keys[i] = row->option.key;
    }
    const char *near = text_nearest(keys, flag + strspn(flag, "-"));
    return error_set(error, "unknown flag %s%s%s", flag, near ? "; did you mean --" : "",
                     near ? near : "");
}

static bool repeat(const struct flag_row *row, const char *text, void *out, struct error *error)
{
    struct argument_texts *texts = (void *)((char *)out + row->option.offset);
    if (texts->count == ARGUMENTS_REPEATS_MAX)
        return error_set(error, "--%s: given more than %d times", row->option.key,
                         ARGUMENTS_REPEATS_MAX);
    texts->texts[texts->count++] = text;
    return true;
}

/* Parses the flag at ARGV[*AT] and its value. */
static bool take_flag(struct arguments *arguments, int argc, char **argv, int *at, void *out,
                      struct error *error)
{
    const char *flag = argv[*at];
    size_t size = strcspn(flag, "=");
    const char *value = flag[size] == '=' ? flag + size + 1 : NULL;
    size_t index, offset;
    const struct flag_row *row =
        size > 2 && flag[1] == '-' ? find(arguments, flag + 2, size - 2, &index, &offset) : NULL;
    if (!row)
        return unknown(arguments, flag, error);
    out = (char *)out + offset;
    arguments->given |= UINT64_C(1) << index;
    if (!row->value) {
        if (value)
            return error_set(error, "--%s takes no value", row->option.key);
        return option_set(&row->option, "true", out, error);
    }
    if (!value) {
        if (*at + 1 >= argc)
            return error_set(error, "--%s: %s is missing", row->option.key, row->value);
        value = argv[++*at];
    }
    // An unset variable of a script, most likely: not the same as no flag.
    if (row->option.type == OPTION_TEXT && !row->is_repeated && !*value)
        return error_set(error, "--%s: %s is empty", row->option.key, row->value);
    if (row->is_repeated)
        return repeat(row, value, out, error);
    return option_set(&row->option, value, out, error) || error_prefix(error, "--");
}

static void set_defaults(const struct arguments *arguments, void *out)
{
    const struct flag_row *row;
    size_t at;
    for (size_t i = 0; (row = row_at(arguments->verb, i, &at)); i++)
        if (!row->is_repeated)
            option_defaults(&row->option, 1, (char *)out + at);
}

bool arguments_parse(struct arguments *arguments, int argc, char **argv, void *out,
                     struct error *error)
{
    bool is_flag = true;
    set_defaults(arguments, out);
    // Words move to the front of argv and keep their order.
    arguments->words = (const char **)argv;
    for (int at = 0; at < argc; at++) {
        if (is_flag && strcmp(argv[at], "--") == 0) {
            is_flag = false;
            arguments->has_rest = true;
            arguments->rest = arguments->word_count;
        } else if (is_flag && argv[at][0] == '-' && argv[at][1] != '\0') {
            if (!take_flag(arguments, argc, argv, &at, out, error))
                return false;
        } else {
            argv[arguments->word_count++] = argv[at];
        }
    }
    return true;
}

bool arguments_has(const struct arguments *arguments, const char *key)
{
    size_t index, at;
    return find(arguments, key, strlen(key), &index, &at) &&
           (arguments->given & (UINT64_C(1) << index)) != 0;
}

int verb_misused(const struct verb *verb, const char *reason)
{
    return terminal_fail(EXIT_CODE_USAGE, "%s: %s; see `ptybot help %s`", verb->name, reason,
                         verb->name);
}

bool arguments_refuse(const struct arguments *arguments, const char *reason)
{
    verb_misused(arguments->verb, reason);
    return false;
}

/* Up to a lone "--". */
static void spell_out(int argc, char **argv)
{
    static char out_flag[] = "--out";
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-o") == 0)
            argv[i] = out_flag;
}

int verb_run(const struct verb *verb, int argc, char **argv)
{
    static _Alignas(max_align_t) unsigned char options[OPTIONS_MAX]; // too large for a stack
    struct arguments arguments = {.verb = verb};
    struct error error = {0};
    assert(verb->options_size <= sizeof options);
    memset(options, 0, verb->options_size);
    if (verb->has_short_out)
        spell_out(argc, argv);
    if (!arguments_parse(&arguments, argc, argv, options, &error))
        return verb_misused(verb, error.text);
    const struct verb_words *words = &verb->words;
    if (words->wanted &&
        (arguments.word_count < words->least || arguments.word_count > words->most))
        return verb_misused(verb, words->wanted);
    return verb->run(&arguments, options);
}
