/* A ROS map as the world of a scene: its YAML file and its image, as map_server reads them, turned
 * into walls. Whoever owns files reads them. Leaves out the modes scale and raw. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/scene/scene.h"

enum {
    SCENE_MAP_SIDE_MAX = 8192,    /* pixels (chosen: 400 m at 5 cm) */
    SCENE_MAP_WALLS_MAX = 200000, /* chosen: some 100 bytes each */
};

struct scene_map {
    char image[SCENE_ADDRESS_MAX * 2]; /* a path; relative: from the folder of the YAML file */
    double resolution_m;               /* of a pixel */
    struct pose origin;                /* of the lower left pixel's lower left corner */
    bool is_negated;
    double occupied, free; /* thresholds, 0..1 */
};

/* Rows from the top of the image down, CHANNELS bytes a pixel. */
struct scene_pixels {
    const uint8_t *bytes;
    size_t width, height, channels;
};

/* Reads the YAML file of a map; NAME stands in messages. */
bool scene_map_parse(struct scene_map *map, const char *bytes, size_t size, const char *name,
                     struct error *error);

/* Makes the map the room of a scene that names one, adds its walls, and checks the scene. Space
 * that is unknown to the map is free. */
bool scene_map_apply(struct scene *scene, const struct scene_map *map,
                     const struct scene_pixels *pixels, struct error *error);
