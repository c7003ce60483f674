#include "tests/support/picture.h"
#include "tests/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

enum { TOLERANCE = 3 };

static void write_picture(const char *path, const uint8_t *rgb, size_t width, size_t height)
{
    if (!stbi_write_png(path, (int)width, (int)height, 3, rgb, (int)width * 3))
        fail_msg("%s: cannot be written", path);
}

static size_t count_other(const uint8_t *one, const uint8_t *other, size_t pixels)
{
    size_t count = 0;
    for (size_t i = 0; i < pixels; i++) {
        int most = 0;
        for (size_t k = 0; k < 3; k++) {
            int apart = abs(one[i * 3 + k] - other[i * 3 + k]);
            most = apart > most ? apart : most;
        }
        count += most > TOLERANCE;
    }
    return count;
}

void picture_check(const char *name, const uint8_t *rgb, size_t width, size_t height)
{
    char path[512], found[256];
    snprintf(path, sizeof path, PTYBOT_SOURCE_DIR "/tests/pictures/%s.png", name);
    snprintf(found, sizeof found, "%s.found.png", name);
    if (getenv("PTYBOT_UPDATE_GOLDEN")) {
        write_picture(path, rgb, width, height);
        return;
    }
    int golden_width = 0, golden_height = 0;
    uint8_t *golden = stbi_load(path, &golden_width, &golden_height, NULL, 3);
    if (!golden) {
        fail_msg("%s: cannot be read; run with PTYBOT_UPDATE_GOLDEN=1, then look at it", path);
        return;
    }
    size_t pixels = width * height;
    size_t other = (size_t)golden_width == width && (size_t)golden_height == height
                       ? count_other(golden, rgb, pixels)
                       : pixels;
    stbi_image_free(golden);
    if (other * 1000 > pixels) {
        write_picture(found, rgb, width, height);
        fail_msg("%s: %zu of %zu pixels differ; see %s", path, other, pixels, found);
    }
}
