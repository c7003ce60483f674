/* ptybot-viewer, started by ptybot, not by users. Its first argument says what it does. */
#include <stdio.h>
#include <string.h>

#include "viewer/paint/pictures.h"
#include "viewer/window/window.h"

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "pictures") == 0)
        return pictures_run(argc - 2, argv + 2);
#ifdef PTYBOT_WINDOW
    if (argc > 1 && strcmp(argv[1], "window") == 0)
        return window_run(argc - 2, argv + 2);
#else
    if (argc > 1 && strcmp(argv[1], "window") == 0) {
        fputs("ptybot: this build has no window; install libsdl2-dev and build it again\n", stderr);
        return 3;
    }
#endif
    fputs("ptybot-viewer is a part of ptybot; see `ptybot help view` and `ptybot help shot`\n",
          stderr);
    return 2;
}
