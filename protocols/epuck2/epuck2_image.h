/* The camera's picture on the wire. */
#ifndef PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_IMAGE_H
#define PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_IMAGE_H

#include "protocols/epuck2/epuck2.h"

/* Writes 160 x 120 pixels of RGB565, big-endian, brighter by GAIN; black without a picture. */
void epuck2_image_write(const struct robot_image *image, double gain,
                        uint8_t out[EPUCK2_IMAGE_SIZE]);

#endif
