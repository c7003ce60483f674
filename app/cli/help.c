/* `ptybot help`: written from the tables of verbs and flags. */
#include <stdio.h>
#include <string.h>

#include "app/cli/exit_code.h"
#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "app/cli/verb.h"

static void print_overview(void)
{
    puts("ptybot: virtual robots that speak their real wire protocols, for host drivers without "
         "hardware\n");
    bool has_color = terminal_has_color(stdout);
    for (size_t i = 0; verbs[i]; i++)
        printf("  %s%s%s%s%s\n      %s\n", has_color ? "\033[1m" : "", verbs[i]->name,
               has_color ? "\033[0m" : "", *verbs[i]->usage ? " " : "", verbs[i]->usage,
               verbs[i]->summary);
    puts("\n`ptybot help VERB` says more, `ptybot --version` the version.\n"
         "\n"
         "Exit codes: 0 ok, also after SIGINT or SIGTERM; 1 an expectation or a host failed, or a\n"
         "replay departs; 2 bad usage, scene or command;\n"
         "3 environment: path or port taken, no permission, no such device, nothing is running.");
}

static void print_flags(const struct verb *verb)
{
    struct table table;
    table_init(&table, (const char *const[]){"flag", "meaning", "allowed", "default", NULL});
    const struct arguments all = {
        .rows = verb->flags, .row_count = verb->flag_count, .shared = verb->shared_flags};
    const struct flag_row *row;
    for (size_t i = 0; (row = arguments_row(&all, i)); i++) {
        char flag[64], allowed[160] = "";
        snprintf(flag, sizeof flag, "--%s%s%s", row->option.key, row->value ? " " : "",
                 row->value ? row->value : "");
        bool is_typed = row->value && !row->is_repeated && row->option.type != OPTION_TEXT;
        if (is_typed)
            option_allowed(&row->option, allowed, sizeof allowed);
        const char *otherwise = row->otherwise ? row->otherwise : row->option.fallback;
        table_row(&table, (const char *const[]){flag, row->option.note, allowed,
                                                is_typed ? otherwise : ""});
    }
    table_print(&table, 2, stdout);
}

static int help(int argc, char **argv)
{
    struct arguments arguments;
    if (!verb_parse(&help_verb, &arguments, argc, argv, NULL))
        return EXIT_CODE_USAGE;
    if (arguments.word_count == 0) {
        print_overview();
        return EXIT_CODE_OK;
    }
    const struct verb *verb = verb_find(arguments.words[0]);
    if (!verb)
        return verb_unknown(arguments.words[0]);
    printf("ptybot %s%s%s\n\n%s.\n", verb->name, *verb->usage ? " " : "", verb->usage,
           verb->summary);
    if (*verb->details)
        printf("\n%s\n", verb->details);
    if (verb->flag_count > 0 || verb->shared_flags) {
        fputc('\n', stdout);
        print_flags(verb);
    }
    return EXIT_CODE_OK;
}

const struct verb help_verb = {
    .name = "help",
    .usage = "[VERB]",
    .summary = "say what a verb does, and its flags",
    .details = "",
    .run = help,
};
