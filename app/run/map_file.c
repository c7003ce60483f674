/* A ROS map from its two files: YAML, and a picture in PGM or PNG. */
#include "app/run/map_file.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STBI_NO_STDIO
#include <stb/stb_image.h>

#include "app/run/file_bytes.h"
#include "sim/scene/scene_map.h"

enum { IMAGE_BYTES_MAX = 1 << 28 }; /* chosen: a raw image of the largest size */

static bool fail(const struct scene *scene, const char *key, struct error *error, const char *path,
                 const char *sentence)
{
    struct scene_place place = strcmp(key, "map") == 0 ? scene->map_place : scene->floor_place;
    return error_set(error, "%s:%u:%u: world.%s: %s: %s", scene->file, place.line, place.column,
                     key, path, sentence);
}

/* NAME as seen from the folder of the file BESIDE. */
static void resolve(const char *beside, const char *name, char *path, size_t size)
{
    const char *slash = strrchr(beside, '/');
    int folder = slash && name[0] != '/' ? (int)(slash - beside) + 1 : 0;
    snprintf(path, size, "%.*s%s", folder, beside, name);
}

/* The bytes of a file that a scene names, noted among its sources or found there. The caller frees
 * them; NULL, with the reason in ERROR. */
static char *read_named(struct scene *scene, const char *path, size_t most, size_t *size,
                        struct error *error)
{
    const struct scene_source *known = scene_source_find(scene->sources, path);
    if (!scene->is_from_sources) {
        char *bytes = file_bytes_read(path, most, size, error);
        if (!bytes || known || scene_source_add(&scene->sources, path, bytes, *size))
            return bytes;
        free(bytes);
        error_set(error, "not enough memory to keep it");
        return NULL;
    }
    char *bytes = known && known->size <= most ? malloc(known->size + 1) : NULL;
    *size = bytes ? known->size : 0;
    if (bytes)
        memcpy(bytes, known->bytes, known->size);
    else
        error_set(error, known ? "not enough memory to read it" : "it is not there");
    return bytes;
}

/* Reads a picture; the caller frees its bytes with stbi_image_free. CHANNELS 0: as it has. */
static bool read_picture(struct scene *scene, const char *key, const char *path, int channels,
                         struct scene_pixels *picture, struct error *error)
{
    size_t size;
    struct error why;
    char *bytes = read_named(scene, path, IMAGE_BYTES_MAX, &size, &why);
    if (!bytes)
        return fail(scene, key, error, path, why.text);
    int width, height, found;
    uint8_t *pixels = NULL;
    if (stbi_info_from_memory((const stbi_uc *)bytes, (int)size, &width, &height, &found) &&
        width <= SCENE_MAP_SIDE_MAX && height <= SCENE_MAP_SIDE_MAX)
        pixels = stbi_load_from_memory((const stbi_uc *)bytes, (int)size, &width, &height, &found,
                                       channels);
    free(bytes);
    if (!pixels)
        return fail(scene, key, error, path,
                    "not a picture in binary PGM (P5) or PNG of at most 8192 x 8192 pixels");
    *picture = (struct scene_pixels){pixels, (size_t)width, (size_t)height,
                                     (size_t)(channels ? channels : found)};
    return true;
}

static bool read_map(struct scene *scene, const char *scene_path, struct error *error)
{
    char path[PATH_MAX], image[PATH_MAX];
    struct scene_map map;
    struct scene_pixels picture;
    size_t size;
    resolve(scene_path, scene->map, path, sizeof path);
    struct error why;
    char *bytes = read_named(scene, path, SCENE_BYTES_MAX, &size, &why);
    if (!bytes)
        return fail(scene, "map", error, path, why.text);
    bool is_good = scene_map_parse(&map, bytes, size, path, error);
    free(bytes);
    if (!is_good)
        return false;
    resolve(path, map.image, image, sizeof image);
    if (!read_picture(scene, "map", image, 0, &picture, error))
        return false;
    is_good = scene_map_apply(scene, &map, &picture, error);
    stbi_image_free((void *)(uintptr_t)picture.bytes);
    return is_good;
}

static bool read_floor(struct scene *scene, const char *scene_path, struct error *error)
{
    char path[PATH_MAX];
    struct scene_pixels picture;
    resolve(scene_path, scene->floor_image, path, sizeof path);
    if (!read_picture(scene, "floor_image", path, 1, &picture, error))
        return false;
    size_t size = picture.width * picture.height;
    scene->floor = (struct scene_floor){malloc(size), picture.width, picture.height};
    if (scene->floor.gray)
        memcpy(scene->floor.gray, picture.bytes, size);
    stbi_image_free((void *)(uintptr_t)picture.bytes);
    return scene->floor.gray || fail(scene, "floor_image", error, path, "out of memory");
}

bool map_file_read(struct scene *scene, const char *scene_path, struct error *error)
{
    return (scene->map[0] == '\0' || read_map(scene, scene_path, error)) &&
           (scene->floor_image[0] == '\0' || read_floor(scene, scene_path, error));
}
