/* The code of stb_image (nothings/stb): PNG, from memory. Compiled here once, without our warnings.
 */
#include <stdlib.h>

/* Chosen: what the largest picture needs at once is half of it. A few bytes that unpack to more are
 * refused as out of memory. */
#define MEMORY_MAX                 ((size_t)1 << 30)
#define STBI_MALLOC(size)          ((size) <= MEMORY_MAX ? malloc(size) : NULL)
#define STBI_REALLOC(memory, size) ((size) <= MEMORY_MAX ? realloc(memory, size) : NULL)
#define STBI_FREE(memory)          free(memory)

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb/stb_image.h>
