/* Scenes by name: a file, an installed scene or a robot type becomes a checked scene. */
#ifndef PTYBOT_APP_RUN_SCENE_FILE_H
#define PTYBOT_APP_RUN_SCENE_FILE_H

#include "sim/scene/scene.h"

/* WORD is the path of a file, the name of a scene in one of the program's folders (without .yaml),
 * or a robot type; the first that is there counts, and a word with `/` or an ending .yaml is always
 * a path. The caller owns the scene. NULL, with the reason in ERROR. */
struct scene *scene_file_find(const char *word, struct error *error);

/* The scene once more from what it was read from, which it takes; no file is looked at. */
struct scene *scene_file_again(struct scene_source *sources, struct error *error);

/* Reads and checks one file: a regular one of at most SCENE_BYTES_MAX bytes. */
struct scene *scene_file_read(const char *path, struct error *error);

#endif
