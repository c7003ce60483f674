/* Pictures without a display: snapshots in shared memory become files. */
#ifndef PTYBOT_VIEWER_PAINT_PICTURES_H
#define PTYBOT_VIEWER_PAINT_PICTURES_H

/* What `ptybot-picture pictures` does; see pictures.c for its arguments. Returns the exit code. */
int pictures_run(int argc, char **argv);

#endif
