/* The window: SDL's side of the viewer. */
#ifndef PTYBOT_VIEWER_WINDOW_WINDOW_H
#define PTYBOT_VIEWER_WINDOW_WINDOW_H

/* What `ptybot-viewer window` does; see window.c for its words. Returns the exit code. */
int window_run(int argc, char **argv);

#endif
