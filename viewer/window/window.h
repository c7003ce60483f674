/* The process of the window: SDL, painting, and the loop between the user and the run. */
#pragma once

/* Runs `ptybot-viewer window`; see window.c for its arguments. Returns the exit code. */
int window_run(int argc, char **argv);
