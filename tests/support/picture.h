/* Golden pictures: PNG files in tests/pictures. The tests write them if PTYBOT_UPDATE_GOLDEN=1 is
 * in the environment. A person must look at them before they are committed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Fails the test if more than one pixel in a thousand differs by more than 3 in any color from the
 * picture NAME (without .png), and writes the actual picture into the current folder. RGB: 3 bytes
 * per pixel, top row first. */
void picture_check(const char *name, const uint8_t *rgb, size_t width, size_t height);
