/* The PNG decoder of stb_image (nothings/stb). Compiled separately, without our warnings. */
#include <stdlib.h>
#include <string.h>

/* Chosen: twice the memory that the largest picture needs. A small file that unpacks to more is
 * rejected as out of memory. */
#define MEMORY_MAX ((size_t)1 << 30)

/* Initializes all memory to zero: if a deflate stream has an impossible distance, version 2.27 uses
 * memory that it has not written as pixels. */
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
