/* The files that a scene was read from: its own text first, then those that it names. Kept with the
 * scene so that a journal can hold them, and a scene can be read again from there. */
#ifndef PTYBOT_SIM_SCENE_SCENE_SOURCE_H
#define PTYBOT_SIM_SCENE_SCENE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct scene;

struct scene_source {
    struct scene_source *next;
    char *path; /* as it was opened */
    char *bytes;
    size_t size;
};

/* Adds a copy of a file to the end of a list. False: memory is short. */
bool scene_source_add(struct scene_source **list, const char *path, const char *bytes, size_t size);

/* The file of that path, or NULL. */
const struct scene_source *scene_source_find(const struct scene_source *list, const char *path);

/* Frees a list and leaves it empty. */
void scene_source_free(struct scene_source **list);

#endif
