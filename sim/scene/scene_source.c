/* The files that a scene was read from. */
#include "sim/scene/scene_source.h"

#include <stdlib.h>
#include <string.h>

static void free_one(struct scene_source *source)
{
    if (!source)
        return;
    free(source->path);
    free(source->bytes);
    free(source);
}

bool scene_source_add(struct scene_source **list, const char *path, const char *bytes, size_t size)
{
    struct scene_source *source = calloc(1, sizeof *source);
    size_t length = strlen(path) + 1;
    if (source) {
        source->path = malloc(length);
        source->bytes = malloc(size + 1);
    }
    if (!source || !source->path || !source->bytes) {
        free_one(source);
        return false;
    }
    memcpy(source->path, path, length);
    if (size > 0)
        memcpy(source->bytes, bytes, size);
    source->bytes[size] = '\0';
    source->size = size;
    while (*list)
        list = &(*list)->next;
    *list = source;
    return true;
}

const struct scene_source *scene_source_find(const struct scene_source *list, const char *path)
{
    while (list && strcmp(list->path, path) != 0)
        list = list->next;
    return list;
}

void scene_source_free(struct scene_source **list)
{
    while (*list) {
        struct scene_source *next = (*list)->next;
        free_one(*list);
        *list = next;
    }
}
