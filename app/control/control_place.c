/* Which run a client means: by flag, by environment, or the only one. */
#include "app/control/control_place.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/cli/exit_code.h"
#include "app/cli/terminal.h"
#include "app/run/run_folder.h"

int control_place_find(const char *given, char *place, size_t size)
{
    static struct run_folder_found found[RUN_FOLDER_RUNS_MAX];
    const char *wanted = *given ? given : getenv("PTYBOT_CONTROL");
    if (wanted && *wanted) {
        snprintf(place, size, "%s", wanted);
        return EXIT_CODE_OK;
    }
    size_t count = run_folder_list(found);
    if (count == 0)
        return terminal_fail(EXIT_CODE_ENVIRONMENT,
                             "nothing is running: start it with `ptybot run`, or give --control");
    if (count == 1) {
        snprintf(place, size, "%s", found[0].socket_path);
        return EXIT_CODE_OK;
    }
    terminal_fail(EXIT_CODE_USAGE, "%zu simulations are running; choose one:", count);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "  --control %s    (pid %ld)\n", found[i].socket_path, (long)found[i].pid);
    return EXIT_CODE_USAGE;
}
