/* ptybot-picture and, with PTYBOT_WINDOW, ptybot-viewer, with PTYBOT_WEB ptybot-web: started by
 * ptybot, not by users. The first argument, `pictures`, `window` or `page`, says that it was. */
#include <stdio.h>
#include <string.h>

#include "viewer/paint/pictures.h"
#include "viewer/web/web.h"
#include "viewer/window/window.h"

int main(int argc, char **argv)
{
#ifdef PTYBOT_WINDOW
    if (argc > 1 && strcmp(argv[1], "window") == 0)
        return window_run(argc - 2, argv + 2);
#elif defined PTYBOT_WEB
    if (argc > 1 && strcmp(argv[1], "page") == 0)
        return web_run(argc - 2, argv + 2);
#else
    if (argc > 1 && strcmp(argv[1], "pictures") == 0)
        return pictures_run(argc - 2, argv + 2);
#endif
    fputs("this is a part of ptybot; see `ptybot help view` and `ptybot help shot`\n", stderr);
    return 2;
}
