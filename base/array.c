#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool array_reserve(void *array, size_t *room, size_t count, size_t size)
{
    void *old;
    if (count <= *room)
        return true;
    memcpy(&old, array, sizeof old);
    void *larger = realloc(old, (2 * count + 16) * size);
    if (!larger)
        return false;
    memcpy(array, &larger, sizeof larger);
    *room = 2 * count + 16;
    return true;
}

bool array_append(void *array, size_t *count, const void *element, size_t size)
{
    char *old;
    memcpy(&old, array, sizeof old);
    char *larger = realloc(old, (*count + 1) * size);
    if (!larger)
        return false;
    memcpy(array, &larger, sizeof larger);
    memcpy(larger + (*count)++ * size, element, size);
    return true;
}
