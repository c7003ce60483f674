/* A ROS map from its two files: YAML, and a picture in PGM or PNG. */
#include "sim/app/map_file.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STBI_NO_STDIO
#include <stb/stb_image.h>

#include "sim/scene_map.h"

enum { IMAGE_BYTES_MAX = 1 << 28 }; /* chosen: a raw image of the largest size */

static bool fail(const struct scene *scene, struct error *error, const char *path,
                 const char *sentence)
{
    return error_set(error, "%s:%u:%u: world.map: %s: %s", scene->file, scene->map_place.line,
                     scene->map_place.column, path, sentence);
}

/* NAME as seen from the folder of the file BESIDE. */
static void resolve(const char *beside, const char *name, char *path, size_t size)
{
    const char *slash = strrchr(beside, '/');
    int folder = slash && name[0] != '/' ? (int)(slash - beside) + 1 : 0;
    snprintf(path, size, "%.*s%s", folder, beside, name);
}

/* The bytes of a file on the heap; NULL and errno. */
static char *read_bytes(const char *path, size_t most, size_t *size)
{
    struct stat found;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return NULL;
    char *bytes = NULL;
    if (fstat(fileno(file), &found) == 0 && S_ISREG(found.st_mode) && found.st_size >= 0 &&
        (size_t)found.st_size <= most) {
        bytes = malloc((size_t)found.st_size + 1);
        *size = bytes ? fread(bytes, 1, (size_t)found.st_size, file) : 0;
    } else {
        errno = S_ISREG(found.st_mode) ? EFBIG : EINVAL;
    }
    fclose(file);
    return bytes;
}

static bool apply(struct scene *scene, const struct scene_map *map, const char *path,
                  struct error *error)
{
    size_t size;
    char *bytes = read_bytes(path, IMAGE_BYTES_MAX, &size);
    if (!bytes)
        return fail(scene, error, path, strerror(errno));
    int width, height, channels;
    uint8_t *pixels = NULL;
    if (stbi_info_from_memory((const stbi_uc *)bytes, (int)size, &width, &height, &channels) &&
        width <= SCENE_MAP_SIDE_MAX && height <= SCENE_MAP_SIDE_MAX)
        pixels =
            stbi_load_from_memory((const stbi_uc *)bytes, (int)size, &width, &height, &channels, 0);
    free(bytes);
    if (!pixels)
        return fail(scene, error, path,
                    "not a picture in binary PGM (P5) or PNG of at most 8192 x 8192 pixels");
    const struct scene_pixels picture = {pixels, (size_t)width, (size_t)height, (size_t)channels};
    bool is_good = scene_map_apply(scene, map, &picture, error);
    stbi_image_free(pixels);
    return is_good;
}

bool map_file_read(struct scene *scene, const char *scene_path, struct error *error)
{
    char path[PATH_MAX], image[PATH_MAX];
    struct scene_map map;
    size_t size;
    if (scene->map[0] == '\0')
        return true;
    resolve(scene_path, scene->map, path, sizeof path);
    char *bytes = read_bytes(path, SCENE_BYTES_MAX, &size);
    if (!bytes)
        return fail(scene, error, path, strerror(errno));
    bool is_good = scene_map_parse(&map, bytes, size, path, error);
    free(bytes);
    if (!is_good)
        return false;
    resolve(path, map.image, image, sizeof image);
    return apply(scene, &map, image, error);
}
