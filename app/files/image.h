/* Pictures from the bytes of a file: binary PGM and PPM (P5, P6 of netpbm) and PNG. Leaves out
 * plain text PGM. The code that unpacks PNG is stb_image.c; what reaches it has been checked. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/parse/scene_map.h"

/* Decodes the SIZE bytes of a picture file of at most SCENE_MAP_SIDE_MAX pixels a side into bytes
 * of 0..255, in one channel where IS_GRAY, else in as many as it has (1 to 4). Returns the pixels,
 * which the caller frees and PIXELS describes. NULL, with the reason in ERROR (without the path),
 * for a file that is damaged, cut off, too large or of another kind. What follows a whole picture
 * is ignored. */
uint8_t *image_decode(const uint8_t *bytes, size_t size, bool is_gray, struct scene_pixels *pixels,
                      struct error *error);
