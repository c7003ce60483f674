/* The files of a scene's map. */
#ifndef PTYBOT_SIM_APP_MAP_FILE_H
#define PTYBOT_SIM_APP_MAP_FILE_H

#include <stdbool.h>

#include "protocols/error.h"
#include "sim/scene.h"

/* Reads the map that a scene names, from the folder of the scene's own file, and makes it the
 * world. True without a map. */
bool map_file_read(struct scene *scene, const char *scene_path, struct error *error);

#endif
