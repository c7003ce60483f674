/* Golden pictures: PNG files in tests/pictures. They are written by the tests when
 * PTYBOT_UPDATE_GOLDEN=1 is in the environment, and are to be looked at before they are committed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Fails the test where more than one pixel in a thousand differs by more than 3 in any color from
 * the picture NAME (without .png); the picture that was found is then left in the current folder.
 * RGB: 3 bytes a pixel, top row first. */
void picture_check(const char *name, const uint8_t *rgb, size_t width, size_t height);
