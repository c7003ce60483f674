/* ptybot-picture and, with PTYBOT_WINDOW, ptybot-viewer, with PTYBOT_WEB ptybot-web. ptybot starts
 * them, not the user. The first argument, `pictures`, `window` or `page`, shows that. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "viewer/paint/pictures.h"
#include "viewer/web/web.h"
#include "viewer/window/window.h"

#if defined PTYBOT_WINDOW || defined PTYBOT_WEB
/* Robots take precedence: a picture may be late. */
static void lower_priority(void)
{
    const struct sched_param none = {0};
    if (nice(5) < 0 || sched_setscheduler(0, SCHED_BATCH, &none) != 0)
        return; // then the priority does not change
}
#endif

int main(int argc, char **argv)
{
#if defined PTYBOT_WINDOW || defined PTYBOT_WEB
    lower_priority();
#endif
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
    fputs("ptybot-viewer is a part of ptybot; see `ptybot help view` and `ptybot help shot`\n",
          stderr);
    return 2;
}
