/* The camera's picture on the wire. */
#ifndef PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_IMAGE_H
#define PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_IMAGE_H

#include "protocols/epuck2/epuck2.h"

/* Writes 160 x 120 pixels of RGB565, big-endian, brighter by GAIN; black without a picture. */
void epuck2_image_write(const struct robot_image *image, double gain,
                        uint8_t out[EPUCK2_IMAGE_SIZE]);

/* The same for a part of the whole sensor of 640 x 480: WIDTH x HEIGHT pixels, each ZOOM x ZOOM of
 * the sensor, from (X, Y) on; in gray one byte a pixel. Returns the bytes written. */
struct epuck2_crop {
    int width, height, zoom, x, y;
    bool is_gray;
};
size_t epuck2_image_crop(const struct robot_image *image, double gain,
                         const struct epuck2_crop *crop, uint8_t *out);

#endif
