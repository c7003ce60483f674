/* The window's process: SDL, painting, and the loop between the user and the run. */
#pragma once

/* What `ptybot-viewer window` does; see window.c for its arguments. Returns the exit code. */
int window_run(int argc, char **argv);
