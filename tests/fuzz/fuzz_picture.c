/* Any bytes as a picture of a map or a floor: rejected with a reason, or decoded completely into
 * pixels. A PNG is also tried with corrected checksums, so that the code after the check runs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/image.h"

enum { SLOW_PIXELS = 1 << 16 }; /* chosen */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode(const uint8_t *bytes, size_t size, bool is_gray)
{
    struct scene_pixels pixels = {0};
    struct error error = {0};
    uint8_t *out = image_decode(bytes, size, is_gray, &pixels, &error);
    assert((out != NULL) == (error.text[0] == '\0'));
    if (!out)
        return;
    assert(pixels.bytes == out && pixels.width > 0 && pixels.width <= SCENE_MAP_SIDE_MAX);
    assert(pixels.height > 0 && pixels.height <= SCENE_MAP_SIDE_MAX);
    assert(pixels.channels > 0 && pixels.channels <= (is_gray ? 1 : 4));
    // Reads each pixel, so that MemorySanitizer detects uninitialized memory.
    size_t sum = 0, count = pixels.width * pixels.height * pixels.channels;
    for (size_t i = 0; i < count; i++)
        sum += out[i];
    assert(sum <= count * 255);
    free(out);
}

static uint32_t read_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Corrects the checksum of every whole chunk of a PNG. */
static void mend(uint8_t *bytes, size_t size)
{
    for (size_t at = 8; size >= 12 && at <= size - 12;) {
        size_t length = read_u32(bytes + at);
        if (length > size - 12 - at)
            return;
        uint32_t crc = 0xffffffff;
        for (size_t i = at + 4; i < at + 8 + length; i++) {
            crc ^= bytes[i];
            for (int bit = 0; bit < 8; bit++)
                crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
        for (size_t i = 0; i < 4; i++)
            bytes[at + 8 + length + i] = (uint8_t)(~crc >> (24 - 8 * i));
        at += 12 + length;
    }
}

/* A large PNG takes long to unpack and tests nothing new. */
static bool is_slow(const uint8_t *bytes, size_t size)
{
    return size >= 24 && bytes[0] == 0x89 && read_u32(bytes + 16) <= SCENE_MAP_SIDE_MAX &&
           read_u32(bytes + 20) <= SCENE_MAP_SIDE_MAX &&
           read_u32(bytes + 16) * read_u32(bytes + 20) > SLOW_PIXELS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (is_slow(data, size))
        return 0;
    uint8_t *mended = malloc(size + 1);
    if (!mended)
        abort();
    memcpy(mended, data, size);
    mend(mended, size);
    for (int is_gray = 0; is_gray < 2; is_gray++) {
        decode(data, size, is_gray);
        decode(mended, size, is_gray);
    }
    free(mended);
    return 0;
}
