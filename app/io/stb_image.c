/* The code of stb_image (nothings/stb): PNG and binary PNM, from memory. Compiled here once,
 * without our warnings. */
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_PNM
#define STBI_NO_STDIO
#include <stb/stb_image.h>
