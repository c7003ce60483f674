/* Flags of the command line, taken apart by their rows. */
#include "sim/app/arguments.h"

#include <assert.h>
#include <string.h>

static size_t find(const struct arguments *arguments, const char *key, size_t size)
{
    size_t i = 0;
    while (i < arguments->row_count && (strncmp(arguments->rows[i].option.key, key, size) != 0 ||
                                        arguments->rows[i].option.key[size] != '\0'))
        i++;
    return i;
}

static bool unknown(const struct arguments *arguments, const char *flag, struct error *error)
{
    const char *keys[65] = {0};
    assert(arguments->row_count < sizeof keys / sizeof keys[0]);
    for (size_t i = 0; i < arguments->row_count; i++)
        keys[i] = arguments->rows[i].option.key;
    const char *near = option_nearest_word(keys, flag + strspn(flag, "-"));
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

/* Takes the flag at ARGV[*AT] and its value. */
static bool take_flag(struct arguments *arguments, int argc, char **argv, int *at, void *out,
                      struct error *error)
{
    const char *flag = argv[*at];
    size_t size = strcspn(flag, "=");
    const char *value = flag[size] == '=' ? flag + size + 1 : NULL;
    size_t index =
        size > 2 && flag[1] == '-' ? find(arguments, flag + 2, size - 2) : arguments->row_count;
    if (index == arguments->row_count)
        return unknown(arguments, flag, error);

    const struct flag_row *row = &arguments->rows[index];
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
    for (size_t i = 0; i < arguments->row_count; i++)
        if (!arguments->rows[i].is_repeated)
            option_defaults(&arguments->rows[i].option, 1, out);
}

bool arguments_parse(struct arguments *arguments, int argc, char **argv, void *out,
                     struct error *error)
{
    bool is_flag = true;
    set_defaults(arguments, out);
    // Words move to the front of argv; there they wait in order.
    arguments->words = (const char **)argv;
    for (int at = 0; at < argc; at++) {
        if (is_flag && strcmp(argv[at], "--") == 0) {
            is_flag = false;
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
    size_t index = find(arguments, key, strlen(key));
    assert(index < arguments->row_count);
    return arguments->given & (UINT64_C(1) << index);
}
