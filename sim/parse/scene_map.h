/* A ROS map as the world of a scene: its YAML file and its image, interpreted as in map_server and
 * converted to walls. The app reads the files. The modes scale and raw are not supported. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/scene/scene.h"

enum {
    SCENE_MAP_SIDE_MAX = 8192,    /* pixels (chosen: 400 m at 5 cm per pixel) */
    SCENE_MAP_WALLS_MAX = 200000, /* chosen: about 100 bytes each */
};

struct scene_map {
    char image[SCENE_ADDRESS_MAX * 2]; /* a path; relative to the folder of the YAML file */
    double resolution_m;               /* size of a pixel */
    struct pose origin;                /* of the lower left pixel's lower left corner */
    bool is_negated;
    double occupied, free; /* thresholds, 0..1 */
};

/* Rows from the top of the image down, CHANNELS bytes per pixel. */
struct scene_pixels {
    const uint8_t *bytes;
    size_t width, height, channels;
};

/* Reads the YAML file of a map; NAME is used in messages. */
bool scene_map_parse(struct scene_map *map, const char *bytes, size_t size, const char *name,
                     struct error *error);

/* Makes the map the room of a scene that names a map, adds its walls, and checks the scene. Areas
 * that are unknown in the map are free. */
bool scene_map_apply(struct scene *scene, const struct scene_map *map,
                     const struct scene_pixels *pixels, struct error *error);
