/* `ptybot shim`: prints a line that lets programs use a virtual robot as a UART. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/links/poller.h"
#include "app/subcommands/subcommands.h"
#include "pty/shim/clock_shm.h"

struct shim_options {
    double clock;
};

static const struct flag_row flags[] = {
    // The range is chosen, like that of --warp.
    FLAG_NUMBER("clock", "X", shim_options, clock, NULL, 0.01, 1000, "1",
                "Instead, let the clock of the programs run X times as fast, also that of a "
                "`ptybot run` among them",
                .otherwise = "none"),
};

static int shim(struct arguments *arguments, void *memory)
{
    struct shim_options *options = memory;
    char path[PATH_MAX];
    bool is_clock = arguments_has(arguments, "clock");
    program_find(is_clock ? PROGRAM_CLOCK : PROGRAM_SHIM, path, sizeof path);
    if (!*path)
        return terminal_fail(EXIT_CODE_ENVIRONMENT,
                             "libptybot_%s.so not found: build or install ptybot again",
                             is_clock ? "clock" : "shim");
    // The dynamic linker interprets these characters as the end of a name.
    if (strpbrk(path, " :\t\n"))
        return terminal_fail(
            EXIT_CODE_ENVIRONMENT,
            "'%s' cannot be preloaded, because its path contains a space or a colon: make a "
            "symbolic link without them to that file, and set LD_PRELOAD to the link",
            path);
    printf("export LD_PRELOAD=%s${LD_PRELOAD:+:$LD_PRELOAD}\n", path);
    if (is_clock)
        printf("export " CLOCK_SHM_FACTOR "=%.17g " CLOCK_SHM_ORIGIN "=%" PRIi64 ":%" PRIi64
               "\nunset " CLOCK_SHM_PATH "\n",
               options->clock, poller_clock_ns(CLOCK_MONOTONIC), poller_clock_ns(CLOCK_REALTIME));
    return EXIT_CODE_OK;
}

const struct subcommand shim_subcommand = {
    .name = "shim",
    .usage = "[--clock X]",
    .summary = "print a line that lets libserialport, jSSC and modem lines use ptys",
    .details =
        "Many serial libraries refuse every pseudo-terminal. With a small library preloaded, "
        "they\naccept those of a running ptybot as UARTs: modem lines, TIOCGSERIAL, TIOCGICOUNT "
        "and the\nentry in /sys/class/tty answer; other calls and terminals are unchanged. DTR and "
        "RTS\nof the driver are signals, CTS, DSR, DCD and RI the command `modem`. The program "
        "must run\nas the user who runs ptybot, or as root, and use the system's C library.\n\n  "
        "eval \"$(ptybot shim)\"              for everything that this shell starts\n  (eval "
        "\"$(ptybot shim)\"; driver)    for one program\n  eval \"$(ptybot shim --clock 10)\"   "
        "ten times as fast, also for `ptybot run`",
    SUBCOMMAND_FLAGS(flags, shim_options),
    .words = {0, 0, "it takes no arguments"},
    .run = shim,
};
