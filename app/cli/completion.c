/* Completion for shells. The knowledge is one shell function, `_ptybot_offer VERB BEFORE`, which
 * prints a word a line, or `FILES` where a path may stand; bash and zsh share it as it is, fish has
 * its own grammar for the same rows. */
#include "app/cli/completion.h"

#include <ctype.h>
#include <string.h>

#include "base/array.h"

const char *const completion_shells[] = {"none", "bash", "zsh", "fish", NULL};

/* Words of a usage or of a flag's value, and where a shell finds what may stand for them. */
static const struct source {
    const char *word;
    const char *command; /* prints a table whose first column it is; NULL: files */
} sources[] = {
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

/* The next word of letters in *AT, its length in SIZE; moves on behind it. NULL: there is none. */
static const char *next_word(const char **at, size_t *size)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    *at += strcspn(*at, LETTERS);
    const char *word = *at;
    *size = strspn(word, LETTERS);
    *at += *size;
    return *size > 0 ? word : NULL;
}

/* Whether WANTED is one of the words of TEXT. */
static bool names(const char *text, const char *wanted)
{
    const char *word;
    size_t size;
    while ((word = next_word(&text, &size)))
        if (strlen(wanted) == size && strncmp(word, wanted, size) == 0)
            return true;
    return false;
}

/* ---- bash and zsh ---- */

/* Statements that offer what TEXT, a usage or a flag's value, names: words as they are, and what
 * stands for those in capitals. */
static void write_offers(const char *text, FILE *out)
{
    const char *word;
    size_t size;
    for (const char *at = text; (word = next_word(&at, &size));)
        if (islower((unsigned char)*word))
            fprintf(out, "echo %.*s; ", (int)size, word);
    for (size_t i = 0; i < COUNT(sources); i++)
        if (names(text, sources[i].word) && sources[i].command)
            fprintf(out, "_ptybot_column %s; ", sources[i].command);
        else if (names(text, sources[i].word))
            fputs("echo FILES; ", out);
}

static void write_verb_names(const struct verb *const *verbs, FILE *out)
{
    for (size_t i = 0; verbs[i]; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", verbs[i]->name);
}

/* The cases of one verb: behind a flag that takes a value, a flag, and a word. */
static void write_cases(const struct verb *verb, const struct verb *const *verbs, FILE *out)
{
    const struct flag_row *row;
    for (size_t i = 0; (row = verb_row(verb, i)); i++) {
        if (!row->value)
            continue;
        fprintf(out, "    '%s --%s') ", verb->name, row->option.key);
        if (!row->is_repeated && row->option.type == OPTION_CHOICE)
            for (size_t c = 0; row->option.choices[c]; c++)
                fprintf(out, "echo %s; ", row->option.choices[c]);
        else
            write_offers(row->value, out);
        fputs(";;\n", out);
    }
    fprintf(out, "    '%s '*) ", verb->name);
    for (size_t i = 0; (row = verb_row(verb, i)); i++)
        fprintf(out, "echo --%s; ", row->option.key);
    if (strstr(verb->usage, "SUBCOMMAND")) {
        fputs("printf '%s\\n' ", out);
        write_verb_names(verbs, out);
        fputs("; ", out);
    }
    write_offers(verb->usage, out);
    fputs(";;\n", out);
}

static void write_offer_function(const struct verb *const *verbs, FILE *out)
{
    fputs("_ptybot_column() { command \"$@\" 2>/dev/null </dev/null | "
          "awk 'NR > 1 && !/^ / && !seen[$1]++ {print $1}'; }\n"
          "_ptybot_offer() {\n    case \"$1 $2\" in\n",
          out);
    for (size_t i = 0; verbs[i]; i++)
        write_cases(verbs[i], verbs, out);
    fputs("    ' '*) printf '%s\\n' ", out);
    write_verb_names(verbs, out);
    fputs(";;\n    esac\n}\n", out);
}

static void write_bash(const struct verb *const *verbs, FILE *out)
{
    write_offer_function(verbs, out);
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

static void write_zsh(const struct verb *const *verbs, FILE *out)
{
    fputs("#compdef ptybot\n", out);
    write_offer_function(verbs, out);
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

/* TEXT as a word of fish in single quotes. */
static void write_fish_quoted(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text; text++)
        fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('\'', out);
}

/* Options of `complete` that offer what TEXT names. */
static void write_fish_offers(const char *text, FILE *out)
{
    const char *word;
    size_t size;
    bool has_files = false;
    fputs(" -a '", out);
    for (const char *at = text; (word = next_word(&at, &size));)
        if (islower((unsigned char)*word))
            fprintf(out, "%.*s ", (int)size, word);
    for (size_t i = 0; i < COUNT(sources); i++)
        if (names(text, sources[i].word) && sources[i].command)
            fprintf(out, "(_ptybot_column %s) ", sources[i].command);
        else if (names(text, sources[i].word))
            has_files = true;
    fputs(has_files ? "' -F" : "' -f", out);
}

static void write_fish_flag(const struct verb *verb, const struct flag_row *row, FILE *out)
{
    fprintf(out, "complete -c ptybot -n '__fish_seen_subcommand_from %s' -l %s -d ", verb->name,
            row->option.key);
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

static void write_fish(const struct verb *const *verbs, FILE *out)
{
    fputs("function _ptybot_column; command $argv 2>/dev/null </dev/null | "
          "awk 'NR > 1 && !/^ / && !seen[$1]++ {print $1}'; end\n"
          "complete -c ptybot -f\n",
          out);
    for (size_t i = 0; verbs[i]; i++) {
        fprintf(out, "complete -c ptybot -n __fish_use_subcommand -a %s -d ", verbs[i]->name);
        write_fish_quoted(verbs[i]->summary, out);
        fprintf(out, "\ncomplete -c ptybot -n '__fish_seen_subcommand_from %s'", verbs[i]->name);
        write_fish_offers(verbs[i]->usage, out);
        fputc('\n', out);
        const struct flag_row *row;
        for (size_t f = 0; (row = verb_row(verbs[i], f)); f++)
            write_fish_flag(verbs[i], row, out);
    }
}

void completion_write(int32_t shell, const struct verb *const *verbs, FILE *out)
{
    if (shell == COMPLETION_BASH)
        write_bash(verbs, out);
    else if (shell == COMPLETION_ZSH)
        write_zsh(verbs, out);
    else if (shell == COMPLETION_FISH)
        write_fish(verbs, out);
}
