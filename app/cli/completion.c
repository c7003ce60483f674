/* Completion for shells. The script's core is one shell function, `_ptybot_offer SUBCOMMAND
 * BEFORE`, which prints one word per line, or `FILES` if a path is possible. bash and zsh share it;
 * fish has its own syntax for the same rows. */
#include "app/cli/completion.h"

#include <ctype.h>
#include <string.h>

#include "base/array.h"

const char *const completion_shells[] = {"none", "bash", "zsh", "fish", NULL};

/* Placeholders in a usage or a flag's value, and how a shell gets the words that replace them. */
static const struct source {
    const char *word;
    const char *command; /* prints a table whose first column has the words; NULL: files */
} sources[] = {
    {"ROBOT.OPTION", "ptybot list options"},
    {"SCENE", "ptybot list scenes"},
    {"SCENE", NULL},
    {"ROBOT", "ptybot list robots"},
    {"SIGNAL", "ptybot ctl list signals"},
    {"COMMAND", "ptybot ctl list commands"},
    {"PATH", "ptybot list runs"},
    {"PATH", NULL},
    {"F", NULL},
    {"FILE", NULL},
    {"DIR", NULL},
    {"JOURNAL", NULL},
};

/* The next word of letters in *AT, its length in SIZE; moves *AT past it. NULL: there is none. */
static const char *next_word(const char **at, size_t *size)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    *at += strcspn(*at, LETTERS);
    const char *word = *at;
    *size = strspn(word, LETTERS);
    *at += *size;
    return *size > 0 ? word : NULL;
}

/* Whether a word in TEXT is literal, not the ending of a placeholder such as json in F.json. */
static bool is_literal(const char *text, const char *word, size_t size)
{
    bool is_start = word == text || strchr("|[ ", word[-1]);
    return is_start && islower((unsigned char)*word) && strchr("|] ", word[size]);
}

/* Whether WANTED is one of the words of TEXT. */
static bool names(const char *text, const char *wanted)
{
    if (strchr(wanted, '.'))
        return strstr(text, wanted) != NULL;
    const char *word;
    size_t size;
    while ((word = next_word(&text, &size)))
        if (strlen(wanted) == size && strncmp(word, wanted, size) == 0)
            return true;
    return false;
}

/* Writes the words that TEXT, a usage or a flag's value, offers: literal words, and the
 * replacements of placeholders in capitals. Writes statements of a shell function, or words of fish
 * if IS_FISH. Returns whether a path is possible too. */
static bool write_offers(const char *text, bool is_fish, FILE *out)
{
    const char *word;
    size_t size;
    bool has_files = false;
    for (const char *at = text; (word = next_word(&at, &size));)
        if (is_literal(text, word, size))
            fprintf(out, is_fish ? "%.*s " : "echo %.*s; ", (int)size, word);
    for (size_t i = 0; i < COUNT(sources); i++) {
        if (!names(text, sources[i].word))
            continue;
        has_files |= !sources[i].command;
        if (sources[i].command)
            fprintf(out, is_fish ? "(_ptybot_column %s) " : "_ptybot_column %s; ",
                    sources[i].command);
        else
            fputs(is_fish ? "" : "echo FILES; ", out);
    }
    return has_files;
}

/* ---- bash and zsh ---- */

static void write_subcommand_names(const struct subcommand *const *subcommands, FILE *out)
{
    for (size_t i = 0; subcommands[i]; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", subcommands[i]->name);
}

/* The cases of one subcommand: after a flag that takes a value, for a flag, and for a word. */
static void write_cases(const struct subcommand *subcommand,
                        const struct subcommand *const *subcommands, FILE *out)
{
    const struct flag_row *row;
    for (size_t i = 0; (row = subcommand_row(subcommand, i)); i++) {
        if (!row->value)
            continue;
        fprintf(out, "    '%s --%s') ", subcommand->name, row->option.key);
        if (!row->is_repeated && row->option.type == OPTION_CHOICE)
            for (size_t c = 0; row->option.choices[c]; c++)
                fprintf(out, "echo %s; ", row->option.choices[c]);
        else
            write_offers(row->value, false, out);
        fputs(";;\n", out);
    }
    fprintf(out, "    '%s '*) ", subcommand->name);
    for (size_t i = 0; (row = subcommand_row(subcommand, i)); i++)
        fprintf(out, "echo --%s; ", row->option.key);
    if (strstr(subcommand->usage, "SUBCOMMAND")) {
        fputs("printf '%s\\n' ", out);
        write_subcommand_names(subcommands, out);
        fputs("; ", out);
    }
    write_offers(subcommand->usage, false, out);
    fputs(";;\n", out);
}

static void write_offer_function(const struct subcommand *const *subcommands, FILE *out)
{
    fputs("_ptybot_column() { command \"$@\" 2>/dev/null </dev/null | "
          "awk 'NR > 1 && !/^ / && !seen[$1]++ {print $1}'; }\n"
          "_ptybot_offer() {\n    case \"$1 $2\" in\n",
          out);
    for (size_t i = 0; subcommands[i]; i++)
        write_cases(subcommands[i], subcommands, out);
    fputs("    ' '*) printf '%s\\n' ", out);
    write_subcommand_names(subcommands, out);
    fputs(";;\n    esac\n}\n", out);
}

static void write_bash(const struct subcommand *const *subcommands, FILE *out)
{
    write_offer_function(subcommands, out);
    fputs("_ptybot() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} verb= before=${COMP_WORDS[COMP_CWORD - 1]} "
          "offers\n"
          "    [ \"$COMP_CWORD\" -gt 1 ] && verb=${COMP_WORDS[1]}\n"
          "    offers=$(_ptybot_offer \"$verb\" \"$before\")\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"${offers//FILES/}\" -- \"$word\")\n"
          "    [[ $offers != *FILES* ]] || { compopt -o filenames; mapfile -t -O "
          "\"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$word\"); }\n"
          "}\ncomplete -F _ptybot ptybot\n",
          out);
}

static void write_zsh(const struct subcommand *const *subcommands, FILE *out)
{
    fputs("#compdef ptybot\n", out);
    write_offer_function(subcommands, out);
    fputs("_ptybot() {\n"
          "    local verb= offers\n"
          "    (( CURRENT > 2 )) && verb=$words[2]\n"
          "    offers=(${(f)\"$(_ptybot_offer \"$verb\" \"$words[CURRENT-1]\")\"})\n"
          "    (( $offers[(Ie)FILES] )) && _files\n"
          "    compadd -- ${offers:#FILES}\n"
          "}\n"
          "[ \"$funcstack[1]\" = _ptybot ] && _ptybot \"$@\" || compdef _ptybot ptybot\n",
          out);
}

/* ---- fish ---- */

/* Writes TEXT as a word in single quotes for fish. */
static void write_fish_quoted(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text; text++)
        fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('\'', out);
}

/* Writes the options of `complete` that offer the words of TEXT. */
static void write_fish_offers(const char *text, FILE *out)
{
    fputs(" -a '", out);
    fputs(write_offers(text, true, out) ? "' -F" : "' -f", out);
}

static void write_fish_flag(const struct subcommand *subcommand, const struct flag_row *row,
                            FILE *out)
{
    fprintf(out, "complete -c ptybot -n '__fish_seen_subcommand_from %s' -l %s -d ",
            subcommand->name, row->option.key);
    write_fish_quoted(row->option.note, out);
    if (row->value && !row->is_repeated && row->option.type == OPTION_CHOICE) {
        fputs(" -x -a '", out);
        for (size_t c = 0; row->option.choices[c]; c++)
            fprintf(out, "%s ", row->option.choices[c]);
        fputc('\'', out);
    } else if (row->value) {
        fputs(" -r", out);
        write_fish_offers(row->value, out);
    }
    fputc('\n', out);
}

static void write_fish(const struct subcommand *const *subcommands, FILE *out)
{
    fputs("function _ptybot_column; command $argv 2>/dev/null </dev/null | "
          "awk 'NR > 1 && !/^ / && !seen[$1]++ {print $1}'; end\n"
          "complete -c ptybot -f\n",
          out);
    for (size_t i = 0; subcommands[i]; i++) {
        fprintf(out, "complete -c ptybot -n __fish_use_subcommand -a %s -d ", subcommands[i]->name);
        write_fish_quoted(subcommands[i]->summary, out);
        fprintf(out, "\ncomplete -c ptybot -n '__fish_seen_subcommand_from %s'",
                subcommands[i]->name);
        write_fish_offers(subcommands[i]->usage, out);
        fputc('\n', out);
        const struct flag_row *row;
        for (size_t f = 0; (row = subcommand_row(subcommands[i], f)); f++)
            write_fish_flag(subcommands[i], row, out);
    }
}

void completion_write(int32_t shell, const struct subcommand *const *subcommands, FILE *out)
{
    if (shell == COMPLETION_BASH)
        write_bash(subcommands, out);
    else if (shell == COMPLETION_ZSH)
        write_zsh(subcommands, out);
    else if (shell == COMPLETION_FISH)
        write_fish(subcommands, out);
}
