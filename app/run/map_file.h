/* The files that a scene names: its map, and the picture of its floor. */
#ifndef PTYBOT_APP_RUN_MAP_FILE_H
#define PTYBOT_APP_RUN_MAP_FILE_H

#include <stdbool.h>

#include "base/error.h"
#include "sim/scene/scene.h"

/* Reads the map and the picture of the floor that a scene names, from the folder of the scene's own
 * file. True without them. */
bool map_file_read(struct scene *scene, const char *scene_path, struct error *error);

#endif
