/* Images of maps and floors from hostile files. Each is refused with a reason, or decoded as its
 * format specifies. All are loaded by scenes, as users do. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/files/image.h"
#include "app/files/scene_file.h"
#include "base/array.h"
#include "tests/support/folder.h"

#define ROBOT "robots: [{name: a, type: kobuki, pose: {x: 1, y: 1}}]\n"
#define FLOOR "world: {size: {x: 4, y: 4}, floor_image: picture}\n" ROBOT
#define MAP   "world: {map: map.yaml}\n" ROBOT

/* 8 x 8 gray pixels of 254, black at column 6 and row 1 from above. */
static const uint8_t png[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x08, 0x08, 0x00, 0x00, 0x00, 0x00, 0xe1, 0x64, 0xe1,
    0x57, 0x00, 0x00, 0x00, 0x13, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8, 0x07, 0x05, 0x0c,
    0x30, 0x8a, 0x01, 0x4d, 0x84, 0x38, 0x06, 0x00, 0xb7, 0x30, 0x3e, 0x83, 0xcc, 0x81, 0xa1, 0x08,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

static struct scene *read_picture(const char *scene, const void *bytes, size_t size,
                                  struct error *error)
{
    struct folder folder;
    char path[FOLDER_PATH_MAX];
    folder_make(&folder);
    folder_write(&folder, "scene.yaml", "%s", scene);
    folder_write(&folder, "map.yaml",
                 "image: picture\nresolution: 0.5\norigin: [0, 0, 0]\nnegate: 0\n"
                 "occupied_thresh: 0.65\nfree_thresh: 0.2\n");
    FILE *file = fopen(folder_path(&folder, "picture", path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    *error = (struct error){0};
    struct scene *read = scene_file_read(folder_path(&folder, "scene.yaml", path), error);
    folder_remove(&folder);
    return read;
}

static void expect_refused(const void *bytes, size_t size, const char *reason)
{
    for (int is_floor = 0; is_floor < 2; is_floor++) {
        struct error error;
        struct scene *scene = read_picture(is_floor ? FLOOR : MAP, bytes, size, &error);
        if (scene)
            fail_msg("accepted as a %s, not: %s", is_floor ? "floor" : "map", reason);
        if (!strstr(error.text, "/picture: ") || !strstr(error.text, reason))
            fail_msg("'%s' is not '... /picture: ... %s'", error.text, reason);
        assert_non_null(strstr(error.text, is_floor ? "world.floor_image: " : "world.map: "));
    }
}

static void a_pgm_with_a_broken_header_is_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *reason;
    } rows[] = {
        {"P5\n0 8\n255\n", "the picture has no pixels: 0 x 8"},
        {"P5\n8 0\n255\n", "the picture has no pixels: 8 x 0"},
        {"P5\n-8 8\n255\n", "the width in its header is not a whole number"},
        {"P5\n8 -8\n255\n", "the height in its header is not a whole number"},
        {"P5\n8 8\n-255\n", "the maxval in its header is not a whole number"},
        {"P5\n8 x8\n255\n", "the height in its header is not a whole number"},
        {"P58 8\n255\n", "the width in its header is not a whole number"},
        {"P5\n8 8\n255x", "the maxval in its header is not a whole number"},
        {"P5\n1 1\n0\n\1", "the maxval in its header is 0; allowed: 1 to 65535"},
        {"P5\n1 1\n65536\n\1\1", "the maxval in its header is 65536; allowed: 1 to 65535"},
        {"P5\n8193 1\n255\n", "the picture has 8193 x 1 pixels; allowed: at most 8192 x 8192"},
        {"P5\n1 4294967297\n255\n", "allowed: at most 8192 x 8192"},
        {"P5", "the picture is cut off in its header"},
        {"P5\n8 ", "the picture is cut off in its header"},
        {"P5\n8 8\n255", "the picture is cut off in its header"},
        {"P5\n8 8\n255# comment", "the picture is cut off in its header"},
        {"P5 # 8 8 255 ", "the picture is cut off in its header"},
        {"P2\n1 1\n255\n9\n", "not a picture in binary PGM (P5) or PNG"},
        {"P", "not a picture in binary PGM (P5) or PNG"},
        {"", "not a picture in binary PGM (P5) or PNG"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_refused(rows[i].bytes, strlen(rows[i].bytes), rows[i].reason);
}

static void the_largest_picture_is_accepted(void **state)
{
    (void)state;
    static uint8_t bytes[32 + 8192] = "P5\n8192 1\n255\n";
    size_t size = strlen((char *)bytes) + 8192;
    struct error error;
    struct scene *scene = read_picture(FLOOR, bytes, size, &error);
    if (!scene)
        fail_msg("%s", error.text);
    scene_destroy(scene);
    static const char turned[] = "P5\n1 8192\n255\n";
    memcpy(bytes, turned, sizeof turned); /* the NUL is a pixel */
    scene = read_picture(FLOOR, bytes, size, &error);
    if (!scene)
        fail_msg("%s", error.text);
    scene_destroy(scene);
}

static void a_pgm_without_all_its_pixels_is_refused(void **state)
{
    (void)state;
    uint8_t pgm[13 + 128] = "P5\n8 8\n255\n";
    memset(pgm + 11, 254, sizeof pgm - 11);
    expect_refused(pgm, 11, "the picture is cut off: of 64 bytes of pixels, the file contains 0");
    expect_refused(pgm, 11 + 63,
                   "the picture is cut off: of 64 bytes of pixels, the file contains 63");
    static const uint8_t wide[13] = "P5\n8 8\n65535\n", color[11] = "P6\n8 8\n255\n";
    memcpy(pgm, wide, sizeof wide);
    expect_refused(pgm, 13 + 127,
                   "the picture is cut off: of 128 bytes of pixels, the file contains 127");
    memcpy(pgm, color, sizeof color);
    expect_refused(pgm, 11 + 64,
                   "the picture is cut off: of 192 bytes of pixels, the file contains 64");
}

static void a_pixel_above_the_maxval_is_refused(void **state)
{
    (void)state;
    expect_refused("P5 2 2 100\n\1\2\3\145", 15, "its pixel at column 1, row 1 is 101, but");
    expect_refused("P5 1 1 256\n\1\1", 13, "its pixel at column 0, row 0 is 257, but");
    expect_refused("P5 3 2 100\n\1\2\3\1\2\145", 17, "its pixel at column 2, row 1 is 101, but");
    expect_refused("P6 2 2 9\n\1\1\1\2\2\2\3\3\3\4\4\12", 21,
                   "its pixel at column 1, row 1 is 10, but");
}

static void expect_floor(const void *bytes, size_t size, const uint8_t *gray, size_t count)
{
    struct error error;
    struct scene *scene = read_picture(FLOOR, bytes, size, &error);
    if (!scene) {
        fail_msg("%s", error.text);
        return;
    }
    assert_int_equal(scene->floor.width * scene->floor.height, count);
    assert_memory_equal(scene->floor.gray, gray, count);
    scene_destroy(scene);
}

static void a_header_may_have_comments_and_any_blanks(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "P5 2 1 255\n",
        "P5\n# made by a camera\n2 1\n255\n",
        "P5\t2#wide\n\r\n1 # high\n#\n255 ",
        "P5\n2 1\n255# then the pixels\n",
    };
    for (size_t i = 0; i < COUNT(headers); i++) {
        char pgm[64];
        // A pixel may be any byte, including a blank or `#`. Bytes after the image have no effect.
        int size = snprintf(pgm, sizeof pgm, "%s%s", headers[i], "#\nmore");
        expect_floor(pgm, (size_t)size, (const uint8_t *)"#\n", 2);
    }
}

static void the_maxval_is_white(void **state)
{
    (void)state;
    static const uint8_t shades[] = {0, 128, 255};
    expect_floor("P5 3 1 100\n\0\62\144", 14, shades, 3);
    expect_floor("P5 3 1 1000\n\0\0\1\364\3\350", 18, shades, 3);
    expect_floor("P5 3 1 65535\n\0\0\200\0\377\377", 19, shades, 3);
    // Colors are weighted by their perceived brightness.
    static const uint8_t grays[] = {76, 149, 28, 255};
    expect_floor("P6 4 1 255\n\377\0\0\0\377\0\0\0\377\377\377\377", 23, grays, 4);
}

static void a_png_that_is_cut_or_changed_anywhere_is_refused(void **state)
{
    (void)state;
    for (size_t size = 8; size < sizeof png; size++)
        expect_refused(png, size, "the picture is cut off after");
    for (size_t i = 8; i < sizeof png; i++) {
        uint8_t changed[sizeof png];
        memcpy(changed, png, sizeof png);
        changed[i] ^= 0x10;
        expect_refused(changed, sizeof changed, "the picture is ");
    }
}

/* A chunk with its checksum, computed bit by bit. Returns its size. */
static size_t put_chunk(uint8_t *out, const char *type, const void *data, size_t size)
{
    uint32_t crc = 0xffffffff;
    memcpy(out + 4, type, 4);
    memcpy(out + 8, data, size);
    for (size_t i = 4; i < size + 8; i++) {
        crc ^= out[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)(size >> (24 - 8 * i));
        out[size + 8 + (size_t)i] = (uint8_t)(~crc >> (24 - 8 * i));
    }
    return size + 12;
}

/* Two pixels in one row, of bytes 0 and 200, stored without compression. */
static size_t make_png(uint8_t *out, const char *header, const void *palette, size_t palette_size)
{
    static const uint8_t data[] = {0x78, 0x01, 1,    3,    0,    0xfc, 0xff,
                                   0,    0,    0xc8, 0x00, 0xcb, 0x00, 0xc9};
    memcpy(out, png, 8);
    size_t size = 8;
    size += put_chunk(out + size, "IHDR", header, 13);
    if (palette_size > 0)
        size += put_chunk(out + size, "PLTE", palette, palette_size);
    size += put_chunk(out + size, "tEXt", "ignored", 7);
    size += put_chunk(out + size, "IDAT", data, sizeof data);
    return size + put_chunk(out + size, "IEND", "", 0);
}

static void a_png_of_an_impossible_size_is_refused(void **state)
{
    (void)state;
    uint8_t bytes[512];
    size_t size = make_png(bytes, "\0\0\0\0\0\0\0\1\10\0\0\0\0", NULL, 0);
    expect_refused(bytes, size, "the picture has no pixels: 0 x 1");
    size = make_png(bytes, "\0\0\0\1\0\0\x20\1\10\0\0\0\0", NULL, 0);
    expect_refused(bytes, size, "the picture has 1 x 8193 pixels; allowed: at most 8192 x 8192");
    size = make_png(bytes, "\377\377\377\377\0\0\0\1\10\0\0\0\0", NULL, 0);
    expect_refused(bytes, size, "allowed: at most 8192 x 8192");
    size = make_png(bytes, "\0\0\0\2\0\0\0\2\10\0\0\0\0", NULL, 0); // data of one row
    expect_refused(bytes, size, "its PNG data cannot be decoded: ");
    size = make_png(bytes, "\0\0\0\2\0\0\0\1\7\0\0\0\0", NULL, 0); // seven bits a pixel
    expect_refused(bytes, size, "its PNG data cannot be decoded: ");
}

static void a_color_that_the_palette_lacks_is_black(void **state)
{
    (void)state;
    uint8_t bytes[512];
    static const uint8_t shades[] = {255, 0};
    size_t size = make_png(bytes, "\0\0\0\2\0\0\0\1\10\3\0\0\0", "\377\377\377", 3);
    expect_floor(bytes, size, shades, 2);
    size = make_png(bytes, "\0\0\0\2\0\0\0\1\10\3\0\0\0", "\377\377\377\377", 4);
    expect_refused(bytes, size, "its palette has 4 bytes");
    static uint8_t whole[3 * 256], large[2048];
    static const uint8_t two[] = {7, 9};
    memset(whole, 7, 3);
    memset(whole + 600, 9, 3);
    size = make_png(large, "\0\0\0\2\0\0\0\1\10\3\0\0\0", whole, sizeof whole);
    expect_floor(large, size, two, 2);
    static const uint8_t grays[] = {0, 200};
    size = make_png(bytes, "\0\0\0\2\0\0\0\1\10\0\0\0\0", NULL, 0);
    expect_floor(bytes, size, grays, 2);
}

static void a_png_has_one_header_and_one_palette(void **state)
{
    (void)state;
    static const char header[] = "\0\0\0\2\0\0\0\1\10\3\0\0\0\0\0", twice[] = "it has two palettes";
    static const char first[] = "it must begin with one header (IHDR)";
    static const struct {
        const char *types[4];
        size_t sizes[4];
        const char *reason;
    } rows[] = {
        {{"IHDR", "PLTE", "PLTE", "IEND"}, {13, 3, 3, 0}, twice},
        {{"IHDR", "PLTE", "IEND"}, {13, 0, 0}, "its palette has 0 bytes"},
        {{"IHDR", "PLTE", "IEND"}, {13, 15, 0}, "its PNG data cannot be decoded: "},
        {{"IHDR", "IHDR", "IEND"}, {13, 13, 0}, first},
        {{"IHDR", "IEND"}, {12, 0}, first},
        {{"IHDR", "IEND"}, {14, 0}, first},
        {{"tEXt", "IHDR", "IEND"}, {13, 13, 0}, first},
        {{"IHDs", "IHDR", "IEND"}, {13, 13, 0}, first},
        {{"IEND"}, {0}, first},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[512];
        size_t size = 8;
        memcpy(bytes, png, 8);
        for (size_t j = 0; j < 4 && rows[i].types[j]; j++)
            size += put_chunk(bytes + size, rows[i].types[j], header, rows[i].sizes[j]);
        expect_refused(bytes, size, rows[i].reason);
    }
}

static void expect_pixels(const void *bytes, size_t size, bool is_gray, struct scene_pixels wanted)
{
    struct scene_pixels pixels;
    struct error error = {0};
    uint8_t *out = image_decode(bytes, size, is_gray, &pixels, &error);
    if (!out)
        fail_msg("%s", error.text);
    assert_ptr_equal(pixels.bytes, out);
    assert_int_equal(pixels.width, wanted.width);
    assert_int_equal(pixels.height, wanted.height);
    assert_int_equal(pixels.channels, wanted.channels);
    assert_memory_equal(out, wanted.bytes, wanted.width * wanted.height * wanted.channels);
    free(out);
}

/* Chunks of other types are ignored. */
static void a_picture_has_its_own_channels_or_one(void **state)
{
    (void)state;
    static const uint8_t gray[] = {0, 200}, colors[] = {1, 2, 3, 0, 0, 0}, mixed[] = {1, 0};
    static const uint8_t ppm[] = "P6 2 1 255\n\1\2\3\0\0\0";
    uint8_t bytes[512], more[512];
    size_t size = make_png(bytes, "\0\0\0\2\0\0\0\1\10\0\0\0\0", NULL, 0);
    for (int is_gray = 0; is_gray < 2; is_gray++) {
        expect_pixels(bytes, size, is_gray, (struct scene_pixels){gray, 2, 1, 1});
        expect_pixels("P5 2 1 255\n\0\310", 13, is_gray, (struct scene_pixels){gray, 2, 1, 1});
        expect_pixels("P5 1 2 255\n\0\310", 13, is_gray, (struct scene_pixels){gray, 1, 2, 1});
        expect_pixels(ppm, 17, is_gray,
                      (struct scene_pixels){is_gray ? mixed : colors, 2, 1, is_gray ? 1 : 3});
    }
    memcpy(more, bytes, 33);
    size_t used = 33 + put_chunk(more + 33, "IDAs", "x", 1);
    memcpy(more + used, bytes + 33, size - 33);
    expect_pixels(more, used + size - 33, true, (struct scene_pixels){gray, 2, 1, 1});
    size = make_png(bytes, "\0\0\0\2\0\0\0\1\10\3\0\0\0", "\1\2\3", 3);
    expect_pixels(bytes, size, false, (struct scene_pixels){colors, 2, 1, 3});
}

/* Fills allocated memory with a byte that is not black. */
int main(void)
{
    mallopt(M_PERTURB, 0x5a);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pgm_with_a_broken_header_is_refused_with_the_reason),
        cmocka_unit_test(the_largest_picture_is_accepted),
        cmocka_unit_test(a_pgm_without_all_its_pixels_is_refused),
        cmocka_unit_test(a_pixel_above_the_maxval_is_refused),
        cmocka_unit_test(a_header_may_have_comments_and_any_blanks),
        cmocka_unit_test(the_maxval_is_white),
        cmocka_unit_test(a_png_that_is_cut_or_changed_anywhere_is_refused),
        cmocka_unit_test(a_png_of_an_impossible_size_is_refused),
        cmocka_unit_test(a_color_that_the_palette_lacks_is_black),
        cmocka_unit_test(a_png_has_one_header_and_one_palette),
        cmocka_unit_test(a_picture_has_its_own_channels_or_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
