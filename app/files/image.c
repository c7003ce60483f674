/* Checks and decodes pictures. */
#include "app/files/image.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STBI_NO_STDIO
#include <stb/stb_image.h>

static bool check_size(uint32_t width, uint32_t height, struct error *error)
{
    if (width == 0 || height == 0)
        return error_set(error, "the picture has no pixels: %" PRIu32 " x %" PRIu32, width, height);
    if (width > SCENE_MAP_SIDE_MAX || height > SCENE_MAP_SIDE_MAX)
        return error_set(
            error, "the picture has %" PRIu32 " x %" PRIu32 " pixels; allowed: at most %d x %d",
            width, height, SCENE_MAP_SIDE_MAX, SCENE_MAP_SIDE_MAX);
    return true;
}

/* ---- PGM and PPM, according to pgm(5) and ppm(5) of netpbm ---- */

struct pnm {
    const uint8_t *bytes;
    size_t size, at;
    uint32_t width, height, most; /* most: the value of white */
    size_t channels;
};

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static void skip_comment(struct pnm *pnm)
{
    while (pnm->at < pnm->size && pnm->bytes[pnm->at] != '\n')
        pnm->at++;
}

/* Reads a number of the header, after blanks and comments. */
static bool read_number(struct pnm *pnm, const char *name, uint32_t *value, struct error *error)
{
    const uint8_t *bytes = pnm->bytes;
    size_t before = pnm->at;
    while (pnm->at < pnm->size && (is_blank(bytes[pnm->at]) || bytes[pnm->at] == '#'))
        if (bytes[pnm->at] == '#')
            skip_comment(pnm);
        else
            pnm->at++;
    size_t start = pnm->at;
    *value = 0;
    for (; pnm->at < pnm->size && bytes[pnm->at] >= '0' && bytes[pnm->at] <= '9'; pnm->at++) {
        uint32_t digit = bytes[pnm->at] - (uint32_t)'0';
        *value = *value < 100000000 ? *value * 10 + digit : 999999999; // far beyond what is allowed
    }
    if (pnm->at == pnm->size)
        return error_set(error, "the picture is cut off in its header");
    if (start == before || pnm->at == start)
        return error_set(error, "the %s in its header is not a whole number", name);
    return true;
}

static bool read_header(struct pnm *pnm, struct error *error)
{
    pnm->channels = pnm->bytes[1] == '6' ? 3 : 1;
    pnm->at = 2;
    if (!read_number(pnm, "width", &pnm->width, error) ||
        !read_number(pnm, "height", &pnm->height, error) ||
        !read_number(pnm, "maxval", &pnm->most, error) ||
        !check_size(pnm->width, pnm->height, error))
        return false;
    if (pnm->most == 0 || pnm->most > 65535)
        return error_set(error, "the maxval in its header is %" PRIu32 "; allowed: 1 to 65535",
                         pnm->most);
    // One blank ends the header. A comment counts as its line break.
    if (pnm->bytes[pnm->at] == '#')
        skip_comment(pnm);
    if (pnm->at == pnm->size)
        return error_set(error, "the picture is cut off in its header");
    if (!is_blank(pnm->bytes[pnm->at++]))
        return error_set(error, "the maxval in its header is not a whole number");
    return true;
}

/* Checks the samples and scales them to 0..255. A sample has two bytes if one byte cannot hold the
 * largest value. */
static bool read_samples(const struct pnm *pnm, size_t count, uint8_t *out, struct error *error)
{
    const uint8_t *from = pnm->bytes + pnm->at;
    bool is_wide = pnm->most > 255;
    for (size_t i = 0; i < count; i++) {
        uint32_t value = is_wide ? (uint32_t)from[2 * i] << 8 | from[2 * i + 1] : from[i];
        if (value > pnm->most) {
            size_t pixel = i / pnm->channels;
            return error_set(error,
                             "its pixel at column %zu, row %zu is %" PRIu32 ", but the maxval in "
                             "its header is %" PRIu32,
                             pixel % pnm->width, pixel / pnm->width, value, pnm->most);
        }
        out[i] = (uint8_t)((value * 255 + pnm->most / 2) / pnm->most);
    }
    return true;
}

/* Converts three channels to one, in place, with the weights of stb_image. */
static void make_gray(uint8_t *rgb, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++)
        rgb[i] = (uint8_t)((rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8);
}

static uint8_t *decode_pnm(const uint8_t *bytes, size_t size, bool is_gray,
                           struct scene_pixels *pixels, struct error *error)
{
    struct pnm pnm = {.bytes = bytes, .size = size};
    if (!read_header(&pnm, error))
        return NULL;
    size_t count = (size_t)pnm.width * pnm.height * pnm.channels;
    size_t wanted = count * (pnm.most > 255 ? 2 : 1);
    if (size - pnm.at < wanted) {
        return error_null(error_set(
            error, "the picture is cut off: of %zu bytes of pixels, the file contains %zu", wanted,
            size - pnm.at));
    }
    assert(count > 0);
    uint8_t *out = calloc(count, 1);
    if (!out)
        return error_null(error_set(error, "not enough memory to decode it"));
    if (!read_samples(&pnm, count, out, error)) {
        free(out);
        return NULL;
    }
    if (is_gray && pnm.channels > 1)
        make_gray(out, (size_t)pnm.width * pnm.height);
    *pixels = (struct scene_pixels){out, pnm.width, pnm.height, is_gray ? 1 : pnm.channels};
    return out;
}

/* ---- PNG (ISO/IEC 15948) ---- */

static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

enum {
    CHUNK_REST = 12, /* length and type before the data of a chunk, CRC after */
    HEADER_SIZE = 13,
    PALETTE_SIZE = 3 * 256,
};

struct chunk {
    const uint8_t *type, *data;
    size_t size;
};

static uint32_t read_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void write_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t crc_of(const uint8_t *bytes, size_t size)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190,
                                       0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344,
                                       0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278,
                                       0xbdbdf21c}; // of each value of four bits
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc = table[(crc ^ bytes[i]) & 15] ^ crc >> 4;
        crc = table[(crc ^ bytes[i] >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}

/* Reads the chunk at *AT and sets *AT to its end. */
static bool next_chunk(const uint8_t *bytes, size_t size, size_t *at, struct chunk *chunk,
                       struct error *error)
{
    size_t left = size - *at;
    if (left < CHUNK_REST || left - CHUNK_REST < read_u32(bytes + *at))
        return error_set(error, "the picture is cut off after %zu bytes, before its end (IEND)",
                         size);
    *chunk = (struct chunk){bytes + *at + 4, bytes + *at + 8, read_u32(bytes + *at)};
    if (crc_of(chunk->type, chunk->size + 4) != read_u32(chunk->data + chunk->size))
        return error_set(
            error, "the picture is damaged: the checksum of the part at byte %zu is wrong", *at);
    *at += CHUNK_REST + chunk->size;
    return true;
}

static bool is_type(const struct chunk *chunk, const char *type)
{
    assert(chunk->type);
    return memcmp(chunk->type, type, 4) == 0;
}

static bool check_chunk(const struct chunk *chunk, bool is_first, struct error *error)
{
    if (is_first != is_type(chunk, "IHDR") || (is_first && chunk->size != HEADER_SIZE))
        return error_set(error, "the picture is damaged: it must begin with one header (IHDR)");
    if (is_first)
        return check_size(read_u32(chunk->data), read_u32(chunk->data + 4), error);
    if (is_type(chunk, "PLTE") &&
        (chunk->size == 0 || chunk->size > PALETTE_SIZE || chunk->size % 3 != 0))
        return error_set(error, "the picture is damaged: its palette has %zu bytes", chunk->size);
    return true;
}

/* Appends a chunk to OUT. Pads a palette with black: the decoder also reads the missing colors of a
 * short palette, which would be uninitialized memory. The decoder does not check checksums. */
static size_t copy_chunk(const struct chunk *chunk, uint8_t *out)
{
    size_t size = is_type(chunk, "PLTE") ? PALETTE_SIZE : chunk->size;
    write_u32(out, (uint32_t)size);
    memcpy(out + 4, chunk->type, 4);
    memset(out + 8, 0, size + 4);
    memcpy(out + 8, chunk->data, chunk->size);
    return CHUNK_REST + size;
}

/* Checks a PNG from its first to its last chunk. Copies the chunks with pixels to OUT, which has
 * room for SIZE bytes and a complete palette. Returns the number of copied bytes, or 0. */
static size_t check_png(const uint8_t *bytes, size_t size, uint8_t *out, struct error *error)
{
    static const char *const kept[] = {"IHDR", "PLTE", "tRNS", "IDAT", "IEND"};
    struct chunk chunk = {0};
    bool has_palette = false;
    memcpy(out, signature, sizeof signature);
    size_t used = sizeof signature;
    for (size_t at = sizeof signature; at == sizeof signature || !is_type(&chunk, "IEND");) {
        bool is_first = at == sizeof signature;
        if (!next_chunk(bytes, size, &at, &chunk, error) || !check_chunk(&chunk, is_first, error))
            return 0;
        if (is_type(&chunk, "PLTE") && has_palette) {
            error_set(error, "the picture is damaged: it has two palettes");
            return 0;
        }
        has_palette = has_palette || is_type(&chunk, "PLTE");
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            if (is_type(&chunk, kept[i]))
                used += copy_chunk(&chunk, out + used);
    }
    return used;
}

static uint8_t *decode_png(const uint8_t *bytes, size_t size, bool is_gray,
                           struct scene_pixels *pixels, struct error *error)
{
    uint8_t *checked = malloc(size + PALETTE_SIZE);
    if (!checked)
        return error_null(error_set(error, "not enough memory to decode it"));
    int width, height, found;
    size_t used = check_png(bytes, size, checked, error);
    uint8_t *out = NULL;
    if (used > 0) {
        out = stbi_load_from_memory(checked, (int)used, &width, &height, &found, is_gray);
        if (!out)
            error_set(error, "its PNG data cannot be decoded: %s", stbi_failure_reason());
    }
    free(checked);
    if (out)
        *pixels =
            (struct scene_pixels){out, (size_t)width, (size_t)height, is_gray ? 1 : (size_t)found};
    return out;
}

uint8_t *image_decode(const uint8_t *bytes, size_t size, bool is_gray, struct scene_pixels *pixels,
                      struct error *error)
{
    if (size >= 2 && bytes[0] == 'P' && (bytes[1] == '5' || bytes[1] == '6'))
        return decode_pnm(bytes, size, is_gray, pixels, error);
    if (size >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0)
        return decode_png(bytes, size, is_gray, pixels, error);
    return error_null(error_set(error, "not a picture in binary PGM (P5) or PNG"));
}
