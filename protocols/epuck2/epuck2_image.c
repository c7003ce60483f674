/* 24-bit color to RGB565. Left out: noise and lens of the real camera; its over-exposure is a gain.
 */
#include "protocols/epuck2/epuck2_image.h"

#include <assert.h>
#include <string.h>

/* Value of each 8-bit channel after the gain, 8 bits of fraction in the factor. */
static void gain_table(double gain, uint8_t table[256])
{
    unsigned factor = (unsigned)(gain * 256 + 0.5);
    for (unsigned i = 0; i < 256; i++) {
        unsigned bright = i * factor / 256;
        table[i] = (uint8_t)(bright > 255 ? 255 : bright);
    }
}

void epuck2_image_write(const struct robot_image *image, double gain,
                        uint8_t out[EPUCK2_IMAGE_SIZE])
{
    if (!image->rgb) {
        memset(out, 0, EPUCK2_IMAGE_SIZE);
        return;
    }
    assert(image->width == EPUCK2_IMAGE_WIDTH && image->height == EPUCK2_IMAGE_HEIGHT);
    uint8_t table[256];
    gain_table(gain, table);
    const uint8_t *rgb = image->rgb;
    for (size_t i = 0; i < EPUCK2_IMAGE_SIZE; i += 2, rgb += 3) {
        unsigned red = table[rgb[0]] >> 3;
        unsigned green = table[rgb[1]] >> 2;
        unsigned blue = table[rgb[2]] >> 3;
        out[i] = (uint8_t)(red << 3 | green >> 3);
        out[i + 1] = (uint8_t)((green & 7) << 5 | blue);
    }
}

size_t epuck2_image_crop(const struct robot_image *image, double gain,
                         const struct epuck2_crop *crop, uint8_t *out)
{
    enum { SENSOR_PER_PIXEL = 4 }; /* 640 of the sensor to 160 of the picture */
    uint8_t table[256];
    size_t size = 0;
    gain_table(gain, table);
    for (int row = 0; row < crop->height; row++) {
        for (int column = 0; column < crop->width; column++) {
            int x = (crop->x + column * crop->zoom) / SENSOR_PER_PIXEL;
            int y = (crop->y + row * crop->zoom) / SENSOR_PER_PIXEL;
            const uint8_t dark[3] = {0};
            const uint8_t *rgb = image->rgb ? image->rgb + 3 * (y * EPUCK2_IMAGE_WIDTH + x) : dark;
            unsigned red = table[rgb[0]];
            unsigned green = table[rgb[1]];
            unsigned blue = table[rgb[2]];
            if (crop->is_gray) {
                out[size++] = (uint8_t)((red + 2 * green + blue) / 4);
            } else {
                out[size++] = (uint8_t)((red & 0xf8) | green >> 5);
                out[size++] = (uint8_t)((green >> 2 & 7) << 5 | blue >> 3);
            }
        }
    }
    return size;
}
