/* ptybot: the table of subcommands, `ptybot help`, and dispatch of the command line. */
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/completion.h"
#include "app/cli/help.h"
#include "app/cli/man.h"
#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/subcommands/subcommands.h"
#include "base/array.h"
#include "base/text.h"

enum { MMAP_THRESHOLD_BYTES = 128 * 1024 };

static const struct subcommand help_subcommand;

static const struct subcommand *const subcommands[] = {
    &run_subcommand,     &test_subcommand,   &stress_subcommand,   &merge_subcommand,
    &replay_subcommand,  &decode_subcommand, &tap_subcommand,      &compare_subcommand,
    &fit_subcommand,     &ctl_subcommand,    &view_subcommand,     &shot_subcommand,
    &check_subcommand,   &list_subcommand,   &describe_subcommand, &new_subcommand,
    &arduino_subcommand, &shim_subcommand,   &help_subcommand,     NULL};

/* The subcommand NAME, or NULL. */
static const struct subcommand *find_subcommand(const char *name)
{
    for (size_t i = 0; subcommands[i]; i++)
        if (strcmp(subcommands[i]->name, name) == 0)
            return subcommands[i];
    return NULL;
}

/* Prints that there is no such subcommand, and suggests a similar one. Returns the exit code. */
static int unknown_subcommand(const char *name)
{
    const char *names[COUNT(subcommands)] = {0};
    for (size_t i = 0; subcommands[i]; i++)
        names[i] = subcommands[i]->name;
    const char *near = text_nearest(names, name);
    return terminal_fail(EXIT_CODE_USAGE, "unknown subcommand '%s'%s", name,
                         TEXT_MEANT(near, "`ptybot help` lists all subcommands"));
}

/* ---- help ---- */

static const char DESCRIPTION[] =
    "virtual robots that speak their exact wire protocols, to test drivers without hardware";

static const char EXIT_CODES[] =
    "  0  success; SIGINT and SIGTERM included\n"
    "  1  an expectation or a driver failed, or a replay differs\n"
    "  2  invalid arguments, scene or command\n"
    "  3  environment: path or port in use, no permission, no such device, no run";

static void print_overview(void)
{
    printf("Virtual robots that speak their exact wire protocols, to test drivers "
           "without\nhardware.\n");
    printf("\nUSAGE: ptybot SUBCOMMAND [ARGUMENTS]\n");
    help_heading("SUBCOMMANDS", stdout);
    for (size_t i = 0; subcommands[i]; i++)
        help_write_row(subcommands[i]->name, subcommands[i]->summary, 12, stdout);
    help_heading("EXIT CODES", stdout);
    printf("%s\n\n`ptybot help SUBCOMMAND` describes a subcommand.\n", EXIT_CODES);
}

/* Prints the folder of the documentation, and its start page. */
static int print_docs(void)
{
    char folder[PATH_MAX], path[PATH_MAX + 16], line[256];
    program_find(PROGRAM_DOCS, folder, sizeof folder);
    snprintf(path, sizeof path, "%s/README.md", folder);
    FILE *file = *folder ? fopen(path, "r") : NULL;
    if (!file)
        return terminal_fail(EXIT_CODE_ENVIRONMENT,
                             "the documentation is not installed with this program; "
                             "see `ptybot help SUBCOMMAND` or `man ptybot`");
    printf("%s\n\n", folder);
    while (fgets(line, sizeof line, file))
        fputs(line, stdout);
    fclose(file);
    return EXIT_CODE_OK;
}

struct help_options {
    bool is_docs;
    bool is_man;
    int32_t shell;
};

static const struct flag_row help_flags[] = {
    FLAG_SWITCH("docs", help_options, is_docs,
                "Print the folder of the documentation and its overview"),
    FLAG_SWITCH("man", help_options, is_man,
                "Print a manual page: `ptybot help run --man | man -l -`"),
    FLAG_CHOICE("completion", "SHELL", help_options, shell, completion_shells, "none",
                "Print a script that completes command lines in this shell"),
};

static int help(struct arguments *arguments, void *memory)
{
    const struct help_options *options = memory;
    const struct man_texts texts = {program_version(), DESCRIPTION, EXIT_CODES};
    const struct subcommand *subcommand =
        arguments->word_count > 0 ? find_subcommand(arguments->words[0]) : NULL;
    if (arguments->word_count > 0 && !subcommand)
        return unknown_subcommand(arguments->words[0]);
    if (options->is_docs)
        return print_docs();
    if (options->shell != COMPLETION_NONE)
        completion_write(options->shell, subcommands, stdout);
    else if (options->is_man && subcommand)
        man_write_subcommand(subcommand, &texts, stdout);
    else if (options->is_man)
        man_write_overview(subcommands, &texts, stdout);
    else if (subcommand)
        help_write(subcommand, stdout);
    else
        print_overview();
    return EXIT_CODE_OK;
}

static const struct subcommand help_subcommand = {
    .name = "help",
    .usage = "[SUBCOMMAND]",
    .summary = "describe a subcommand and its options",
    .details = "An installed ptybot has its manual pages and completions. Without installation:\n\n"
               "  eval \"$(ptybot help --completion bash)\"",
    SUBCOMMAND_FLAGS(help_flags, help_options),
    .run = help,
};

/* ---- The command line ---- */

static int run_subcommand_named(int argc, char **argv)
{
    const struct subcommand *subcommand = find_subcommand(argv[1]);
    if (!subcommand)
        return unknown_subcommand(argv[1]);
    // `ptybot SUBCOMMAND --help` works too.
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || (i == 2 && strcmp(argv[i], "-h") == 0))
            return subcommand_run(&help_subcommand, 1, &argv[1]);
    return subcommand_run(subcommand, argc - 2, argv + 2);
}

static int run(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return subcommand_run(&help_subcommand, 0, NULL);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
        strcmp(argv[1], "version") == 0) {
        printf("ptybot %s\n", program_version());
        return EXIT_CODE_OK;
    }
    return run_subcommand_named(argc, argv);
}

int main(int argc, char **argv)
{
    // If a reader goes away, the write fails instead of ending the run.
    signal(SIGPIPE, SIG_IGN);
    // The same for a limit on the size of files.
    signal(SIGXFSZ, SIG_IGN);
    // Large blocks that are mostly unused, such as the queues of links and lines, cost
    // no memory as long as they come directly from the kernel. After a large block has been freed,
    // glibc would take them from its heap and clear them (mallopt(3)). Setting the threshold to its
    // default value keeps it fixed.
    mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES);
    terminal_guard_streams();
    int code = run(argc, argv);

    terminal_flush();
    if (terminal_lost() && code == EXIT_CODE_OK)
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "cannot write to the standard output: %s",
                             strerror(terminal_lost()));
    return code;
}
