/* Pictures without a display: snapshots in shared memory become files. */
#pragma once

/* What `ptybot-picture pictures` does; see pictures.c for its arguments. Returns the exit code. */
int pictures_run(int argc, char **argv);
