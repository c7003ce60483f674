/* The command line, parsed by the rows of a subcommand. */
#include "app/cli/arguments.h"

#include <assert.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "base/text.h"
#include "protocols/registry.h"

enum { OPTIONS_MAX = 1 << 17 }; /* bytes; chosen: twice the largest, those of test */

/* Row number INDEX, and the offset of its struct in the subcommand's options; NULL: there are no
 * more. */
static const struct flag_row *row_at(const struct subcommand *subcommand, size_t index, size_t *at)
{
    *at = 0;
    if (index < subcommand->flag_count)
        return &subcommand->flags[index];
    index -= subcommand->flag_count;
    for (const struct shared_flags *one = subcommand->shared_flags; one && one->group; one++) {
        *at = one->at;
        if (index < one->group->count)
            return &one->group->rows[index];
        index -= one->group->count;
    }
    return NULL;
}

const struct flag_row *subcommand_row(const struct subcommand *subcommand, size_t index)
{
    size_t at;
    return row_at(subcommand, index, &at);
}

/* The row with that key, with its number in INDEX and its struct's offset in AT; or NULL. */
static const struct flag_row *find(const struct arguments *arguments, const char *key, size_t size,
                                   size_t *index, size_t *at)
{
    const struct flag_row *row;
    for (*index = 0; (row = row_at(arguments->subcommand, *index, at)); (*index)++)
        if (strncmp(row->option.key, key, size) == 0 && row->option.key[size] == '\0')
            return row;
    return NULL;
}

/* The row of a flag on the command line. If the flag was renamed, prints a warning and returns the
 * row of its new name. */
static const struct flag_row *find_given(const struct arguments *arguments, const char *key,
                                         size_t size, size_t *index, size_t *at)
{
    static const struct {
        const char *old, *now;
    } renamed[] = {{"control-remote", "control-allow-remote"}, {"web-remote", "web-allow-remote"}};
    const struct flag_row *row = find(arguments, key, size, index, at);
    for (size_t i = 0; !row && i < COUNT(renamed); i++)
        if (strncmp(renamed[i].old, key, size) == 0 && renamed[i].old[size] == '\0' &&
            (row = find(arguments, renamed[i].now, strlen(renamed[i].now), index, at)))
            terminal_say("warning: --%s is now --%s; the next release removes the old name",
                         renamed[i].old, renamed[i].now);
    return row;
}

static bool unknown(const struct arguments *arguments, const char *flag, struct error *error)
{
    const char *keys[65] = {0};
    char near[64] = "--";
    const struct flag_row *row;
    for (size_t i = 0; (row = subcommand_row(arguments->subcommand, i)); i++) {
        assert(i + 1 < COUNT(keys));
        keys[i] = row->option.key;
    }
    const char *key = text_nearest(keys, flag + strspn(flag, "-"));
    snprintf(near + 2, sizeof near - 2, "%s", key ? key : "");
    return error_set(error, "unknown flag '%s'%s", flag, TEXT_MEANT(key ? near : NULL, NULL));
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
    const struct flag_row *row = NULL;
    if (size > 2 && flag[1] == '-')
        row = find_given(arguments, flag + 2, size - 2, &index, &offset);
    // Short forms, as compilers and make have them: -o FILE, -j 4 and -j4.
    const char *key = flag[1] == 'o' ? "out" : flag[1] == 'j' ? "jobs" : NULL;
    if (key && (row = find(arguments, key, strlen(key), &index, &offset)))
        value = flag[2] ? flag + 2 : NULL;
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
        // A value that begins with -- is given as --flag=VALUE.
        if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0)
            return error_set(error, "--%s: %s is missing", row->option.key, row->value);
        value = argv[++*at];
    }
    // Probably an unset variable of a script, which does not mean the same as no flag.
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
    for (size_t i = 0; (row = row_at(arguments->subcommand, i, &at)); i++)
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

int subcommand_misused(const struct subcommand *subcommand, const char *reason)
{
    const char *between = reason[strlen(reason) - 1] == '?' ? "" : ";";
    return terminal_fail(EXIT_CODE_USAGE, "%s: %s%s see `ptybot help %s`", subcommand->name, reason,
                         between, subcommand->name);
}

int subcommand_no_robot(const struct subcommand *subcommand, const char *name)
{
    const char *names[TEXT_WORDS_MAX];
    char reason[512];
    registry_names(names);
    snprintf(reason, sizeof reason, "there is no robot type '%.64s'%s", name,
             TEXT_MEANT(text_nearest(names, name), "`ptybot list robots` lists all"));
    return subcommand_misused(subcommand, reason);
}

bool arguments_refuse(const struct arguments *arguments, const char *reason)
{
    subcommand_misused(arguments->subcommand, reason);
    return false;
}

int subcommand_run(const struct subcommand *subcommand, int argc, char **argv)
{
    static _Alignas(max_align_t) unsigned char options[OPTIONS_MAX]; // too large for a stack
    struct arguments arguments = {.subcommand = subcommand};
    struct error error = {0};
    assert(subcommand->options_size <= sizeof options);
    memset(options, 0, subcommand->options_size);
    if (!arguments_parse(&arguments, argc, argv, options, &error))
        return subcommand_misused(subcommand, error.text);
    const struct subcommand_words *words = &subcommand->words;
    if (words->wanted &&
        (arguments.word_count < words->least || arguments.word_count > words->most))
        return subcommand_misused(subcommand, words->wanted);
    return subcommand->run(&arguments, options);
}
