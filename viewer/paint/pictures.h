/* Pictures without a display: snapshots in shared memory become files. */
#pragma once

/* Runs `ptybot-picture pictures`; see pictures.c for its arguments. Returns the exit code. */
int pictures_run(int argc, char **argv);
