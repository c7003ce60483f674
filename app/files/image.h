/* Decodes pictures: binary PGM and PPM (P5 and P6 of netpbm) and PNG, but not PGM as plain text.
 * stb_image.c unpacks PNG; all bytes that it gets have been checked here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/parse/scene_map.h"

/* Decodes the SIZE bytes of a picture file of at most SCENE_MAP_SIDE_MAX pixels per side into
 * values from 0 to 255. The result has one channel if IS_GRAY, otherwise as many as the file (1 to
 * 4). Returns the pixels, which PIXELS describes; the caller frees them. NULL, with the reason in
 * ERROR (without the path), if the file is damaged, truncated, too large or of another kind.
 * Ignores bytes after a complete picture. */
uint8_t *image_decode(const uint8_t *bytes, size_t size, bool is_gray, struct scene_pixels *pixels,
                      struct error *error);
