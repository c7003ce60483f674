/* The parts of scene_check: each false with a sentence that names the place and the remedy. */
#ifndef PTYBOT_SIM_SCENE_SCENE_CHECK_H
#define PTYBOT_SIM_SCENE_SCENE_CHECK_H

#include "sim/scene/scene.h"

/* Fails with `file:line:column: sentence`; without line and column for a place of line 0. */
bool scene_check_fail(const struct scene *scene, struct scene_place place, struct error *error,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Robots of one name, and memories that two robots would overwrite. */
bool scene_check_names(const struct scene *scene, struct error *error);
/* Links that cannot be used beside each other. */
bool scene_check_links(const struct scene *scene, struct error *error);

#endif
