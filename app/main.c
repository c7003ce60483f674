/* ptybot: the command line. Finds the verb and gives it its arguments. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/cli/verb.h"

static int run_verb_named(int argc, char **argv)
{
    const struct verb *verb = verb_find(argv[1]);
    if (!verb)
        return verb_unknown(argv[1]);
    // `ptybot VERB --help` is what everybody tries first.
    if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0))
        return help_verb.run(1, &argv[1]);
    return verb->run(argc - 2, argv + 2);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        terminal_fail(EXIT_CODE_USAGE, "a verb is missing; see `ptybot help`");
        return EXIT_CODE_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help_verb.run(0, argv + 2);
    if (strcmp(argv[1], "--version") == 0) {
        printf("ptybot %s\n", program_version());
        return EXIT_CODE_OK;
    }
    return run_verb_named(argc, argv);
}

int main(int argc, char **argv)
{
    // A reader that goes away is an error of a write, not the end of the robots.
    signal(SIGPIPE, SIG_IGN);
    // So is a limit on the size of files.
    signal(SIGXFSZ, SIG_IGN);
    terminal_guard_streams();
    int code = run(argc, argv);

    terminal_flush();
    if (terminal_lost() && code == EXIT_CODE_OK)
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "cannot write to the standard output: %s",
                             strerror(terminal_lost()));
    return code;
}
