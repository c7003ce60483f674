/* The code of stb_image and stb_image_write (nothings/stb), for pictures in tests. Compiled here
 * once, without our warnings. */
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
