/* `ptybot shim`: the line that makes programs take a virtual robot for a UART. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/verbs/verbs.h"

static int shim(int argc, char **argv)
{
    struct arguments arguments;
    char path[PATH_MAX];
    if (!verb_parse(&shim_verb, &arguments, argc, argv, NULL))
        return EXIT_CODE_USAGE;
    if (arguments.word_count > 0)
        return verb_misused(&shim_verb, "it takes nothing");
    program_shim(path, sizeof path);
    if (!*path)
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "libptybot_shim.so is not there: build or "
                                                    "install ptybot again");
    // The dynamic linker takes these as the end of a name.
    if (strpbrk(path, " :\t\n"))
        return terminal_fail(EXIT_CODE_ENVIRONMENT,
                             "'%s' cannot be preloaded, because of the blank or colon in it: make "
                             "a symbolic link without one to that file, and set LD_PRELOAD to it",
                             path);
    printf("export LD_PRELOAD=%s${LD_PRELOAD:+:$LD_PRELOAD}\n", path);
    return EXIT_CODE_OK;
}

const struct verb shim_verb = {
    .name = "shim",
    .usage = "",
    .summary = "print the line that lets libserialport, jSSC and modem lines work on a robot's pty",
    .details =
        "Many serial libraries refuse every pseudo-terminal. With a small library preloaded they\n"
        "take those of a running ptybot for UARTs: modem lines, TIOCGSERIAL, TIOCGICOUNT and the\n"
        "entry in /sys/class/tty answer; all other calls and terminals pass untouched. DTR and "
        "RTS\n"
        "of the host are signals, CTS, DSR, DCD and RI the command `modem`. The program must run\n"
        "as the user who runs ptybot, or as root, and use the system's C library.\n\n"
        "  eval \"$(ptybot shim)\"              for all that this shell starts\n"
        "  (eval \"$(ptybot shim)\"; driver)    for one program",
    .run = shim,
};
