/* The code of stb_image (nothings/stb): PNG, from memory. Compiled here once, without our warnings.
 */
#include <stdlib.h>
#include <string.h>

/* Chosen: what the largest picture needs at once is half of it. A few bytes that unpack to more are
 * refused as out of memory. */
#define MEMORY_MAX ((size_t)1 << 30)

/* All memory begins as zeros: where a deflate stream has an impossible distance, version 2.27 takes
 * for pixels what it has not written. */
static void *grow(void *memory, size_t old, size_t size)
{
    char *grown = size <= MEMORY_MAX ? realloc(memory, size) : NULL;
    if (grown && size > old)
        memset(grown + old, 0, size - old);
    return grown;
}

#define STBI_MALLOC(size)                     ((size) <= MEMORY_MAX ? calloc(1, size) : NULL)
#define STBI_REALLOC_SIZED(memory, old, size) grow(memory, old, size)
#define STBI_FREE(memory)                     free(memory)

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb/stb_image.h>
