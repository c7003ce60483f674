/* The e-puck2's picture on the wire: RGB565, the upper byte first, the top row first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/epuck2/epuck2_wire.h"
#include "tests/unit/epuck2_rig.h"

static void pixel_set(struct epuck2_rig *rig, int row, int column, uint8_t red, uint8_t green,
                      uint8_t blue)
{
    uint8_t *rgb = rig->rgb + 3 * (row * EPUCK2_IMAGE_WIDTH + column);
    rgb[0] = red;
    rgb[1] = green;
    rgb[2] = blue;
}

static const struct rig_frame *last_image(const struct epuck2_rig *rig)
{
    for (size_t i = rig->frame_count; i > 0; i--)
        if (rig->frames[i - 1].bytes[0] == EPUCK2_ID_IMAGE)
            return &rig->frames[i - 1];
    fail_msg("no image has come");
    return NULL;
}

static void stream_images(struct epuck2_rig *rig)
{
    rig_host(rig, EPUCK2_WIFI, true);
    rig_order(rig, &(struct epuck2_command){.request = EPUCK2_REQUEST_IMAGE});
    rig_run(rig, 500);
}

static void colors_are_rgb565_with_the_upper_byte_first(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    pixel_set(rig, 0, 0, 255, 0, 0);
    pixel_set(rig, 0, 1, 0, 255, 0);
    pixel_set(rig, 0, 159, 0, 0, 255);
    pixel_set(rig, 1, 0, 255, 255, 255);
    pixel_set(rig, 119, 159, 0x12, 0x34, 0x56);
    stream_images(rig);
    const uint8_t *pixels = last_image(rig)->bytes + 1;
    assert_memory_equal(pixels, "\xf8\x00\x07\xe0\x00\x00", 6);
    assert_memory_equal(pixels + 318, "\x00\x1f\xff\xff", 4);
    assert_memory_equal(pixels + 38398, "\x11\xaa", 2);
    rig_free(rig);
}

static void a_gain_brightens_up_to_white(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("camera_gain=2");
    pixel_set(rig, 0, 0, 64, 200, 0);
    stream_images(rig);
    assert_memory_equal(last_image(rig)->bytes + 1, "\x87\xe0", 2);
    rig_free(rig);
}

static void half_the_gain_halves_white(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("camera_gain=0.5");
    pixel_set(rig, 0, 0, 255, 255, 255);
    stream_images(rig);
    assert_memory_equal(last_image(rig)->bytes + 1, "\x7b\xef", 2); /* 127 of each color */
    rig_free(rig);
}

static void what_is_sent_was_taken_a_turn_before(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("image_hz=10");
    stream_images(rig);
    uint64_t taken = rig->pictures;
    size_t sent = rig_count(rig, EPUCK2_WIFI, EPUCK2_ID_IMAGE);
    assert_true(taken == sent + 1);
    rig_free(rig);
}

static void without_a_picture_it_is_black(void **state)
{
    (void)state;
    static const struct robot_image none = {0};
    uint8_t pixels[EPUCK2_IMAGE_SIZE];
    memset(pixels, 0xff, sizeof pixels);
    epuck2_image_write(&none, 1, pixels);
    for (size_t i = 0; i < sizeof pixels; i++)
        assert_int_equal(pixels[i], 0);
}

/* A dot of the sensor is a quarter of a pixel wide: 640 x 480 of them. */
static void a_part_of_the_picture_is_every_zoomth_dot_of_the_sensor(void **state)
{
    (void)state;
    static uint8_t rgb[3 * EPUCK2_IMAGE_WIDTH * EPUCK2_IMAGE_HEIGHT];
    for (int row = 0; row < EPUCK2_IMAGE_HEIGHT; row++)
        for (int column = 0; column < EPUCK2_IMAGE_WIDTH; column++) {
            rgb[3 * (row * EPUCK2_IMAGE_WIDTH + column)] = (uint8_t)column;
            rgb[3 * (row * EPUCK2_IMAGE_WIDTH + column) + 1] = (uint8_t)(2 * row);
        }
    const struct robot_image image = {.rgb = rgb};
    struct epuck2_crop crop = {
        .is_gray = true, .x = 80, .y = 40, .width = 3, .height = 2, .zoom = 8};
    uint8_t out[12];
    assert_int_equal(epuck2_image_crop(&image, 1, &crop, out), 6);
    const uint8_t gray[6] = {(20 + 2 * 20) / 4, (22 + 2 * 20) / 4, (24 + 2 * 20) / 4,
                             (20 + 2 * 24) / 4, (22 + 2 * 24) / 4, (24 + 2 * 24) / 4};
    assert_memory_equal(out, gray, sizeof gray);
    crop.is_gray = false;
    assert_int_equal(epuck2_image_crop(&image, 1, &crop, out), 12);
    /* Red 24 and green 24 of the last pixel but three: five bits and six. */
    assert_memory_equal(out + 4, "\x18\xa0", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colors_are_rgb565_with_the_upper_byte_first),
        cmocka_unit_test(a_gain_brightens_up_to_white),
        cmocka_unit_test(half_the_gain_halves_white),
        cmocka_unit_test(what_is_sent_was_taken_a_turn_before),
        cmocka_unit_test(without_a_picture_it_is_black),
        cmocka_unit_test(a_part_of_the_picture_is_every_zoomth_dot_of_the_sensor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
