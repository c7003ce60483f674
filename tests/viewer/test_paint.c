/* Output of the painter: a few golden pictures without words, since letters differ from machine to
 * machine, with a tolerance for other versions of cairo. With PTYBOT_UPDATE_GOLDEN=1 in the
 * environment, the tests rewrite them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/viewer/draw_rig.h"
#include "viewer/draw/draw_scene.h"
#include "viewer/paint/paint.h"
#include "viewer/paint/paint_copy.h"

enum { WIDTH = 480, HEIGHT = 300 };

static cairo_surface_t *paint(struct painter *painter, const struct draw_rig *rig,
                              enum theme_name theme, double px_per_m, uint32_t shows)
{
    struct viewport viewport = {.width_px = WIDTH,
                                .height_px = HEIGHT,
                                .theme = theme,
                                .shows = shows,
                                .selected = VIEWPORT_NOBODY};
    viewport_fit(&viewport, rig->snapshot);
    if (px_per_m > 0) {
        const struct snapshot_robot *robot = snapshot_at(rig->snapshot, rig->snapshot->robots);
        viewport.px_per_m = px_per_m;
        viewport.center_x_m = robot->pose.x_m;
        viewport.center_y_m = robot->pose.y_m;
    }
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    assert_true(painter_paint(painter, surface, 1, &viewport, rig->snapshot));
    cairo_surface_flush(surface);
    return surface;
}

/* Pixels that differ by more than edges of another cairo would. */
static long differing(cairo_surface_t *a, cairo_surface_t *b)
{
    long count = 0;
    for (int y = 0; y < HEIGHT; y++) {
        const unsigned char *row_a =
            cairo_image_surface_get_data(a) + y * cairo_image_surface_get_stride(a);
        const unsigned char *row_b =
            cairo_image_surface_get_data(b) + y * cairo_image_surface_get_stride(b);
        for (int x = 0; x < WIDTH; x++) {
            int most = 0;
            for (int part = 0; part < 3; part++) {
                int off = abs(row_a[4 * x + part] - row_b[4 * x + part]);
                most = off > most ? off : most;
            }
            count += most > 32; /* of 255 */
        }
    }
    return count;
}

static const uint32_t WORDLESS = SHOW_ALL & ~(uint32_t)(SHOW_LABELS | SHOW_CAPTION);

static void check_golden(const char *scene, const char *command, enum theme_name theme,
                         double px_per_m)
{
    char path[600];
    struct draw_rig rig;
    struct painter *painter = painter_create();
    assert_non_null(painter);
    draw_rig_open(&rig, scene, 100);
    if (command) {
        draw_rig_do(&rig, command);
        draw_rig_run(&rig, 100);
    }
    snprintf(path, sizeof path, "%s/tests/viewer/pictures/%s.png", PTYBOT_SOURCE_DIR, scene);
    cairo_surface_t *painted = paint(painter, &rig, theme, px_per_m, WORDLESS);
    if (getenv("PTYBOT_UPDATE_GOLDEN"))
        assert_int_equal(cairo_surface_write_to_png(painted, path), CAIRO_STATUS_SUCCESS);
    cairo_surface_t *golden = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(golden), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(golden), WIDTH);
    long off = differing(painted, golden);
    if (off * 200 > WIDTH * HEIGHT) /* half a percent */
        fail_msg("%s: %ld pixels differ; if the picture is right: ./dev update-golden", path, off);
    cairo_surface_destroy(golden);
    cairo_surface_destroy(painted);
    painter_destroy(painter);
    draw_rig_close(&rig);
}

static void light_in_shadow_looks_like_its_golden(void **state)
{
    (void)state;
    check_golden("kobuki_dock", "kobuki.place x=4.2 y=2.2 heading=0", THEME_LIGHT, 0);
}

static void a_room_in_the_dark_looks_like_its_golden(void **state)
{
    (void)state;
    check_golden("kobuki_room", "kobuki.press bumper=left for=5", THEME_DARK, 0);
}

static void mecanum_wheels_look_like_their_golden(void **state)
{
    (void)state;
    check_golden("cobot_mecanum", NULL, THEME_LIGHT, 800);
}

/* The painter does not repaint objects at rest, and still leaves nothing of the last picture. */
static void a_second_picture_is_as_if_it_were_the_first(void **state)
{
    (void)state;
    struct draw_rig rig;
    struct painter *kept = painter_create(), *fresh = painter_create();
    assert_non_null(kept);
    assert_non_null(fresh);
    draw_rig_open(&rig, "kobuki_room", 100);
    cairo_surface_t *before = paint(kept, &rig, THEME_LIGHT, 0, SHOW_ALL);
    draw_rig_do(&rig, "kobuki.place x=1 y=1 heading=45");
    draw_rig_run(&rig, 100);
    cairo_surface_t *second = paint(kept, &rig, THEME_LIGHT, 0, SHOW_ALL);
    cairo_surface_t *first = paint(fresh, &rig, THEME_LIGHT, 0, SHOW_ALL);
    assert_true(differing(before, second) > 200);
    assert_int_equal(differing(first, second), 0);
    cairo_surface_destroy(before);
    cairo_surface_destroy(second);
    cairo_surface_destroy(first);
    painter_destroy(kept);
    painter_destroy(fresh);
    draw_rig_close(&rig);
}

/* The painter repaints light, its shadows and paths only where they have changed. A new painter
 * gives the same picture. */
static void what_seldom_changes_is_painted_where_it_changes(void **state)
{
    (void)state;
    struct draw_rig rig;
    struct painter *kept = painter_create();
    assert_non_null(kept);
    draw_rig_open(&rig, "kobuki_dock", 100);
    for (int i = 0; i < 400; i++) { /* further than a trail is long, across the light and back */
        char command[96];
        double part = i % 200 < 100 ? i % 100 : 100 - i % 100;
        snprintf(command, sizeof command, "kobuki.place x=%g y=%g heading=%d", 3.4 + 0.01 * part,
                 0.4 + 0.027 * part, i);
        draw_rig_do(&rig, command);
        draw_rig_run(&rig, 20);
        cairo_surface_t *now = paint(kept, &rig, THEME_LIGHT, 0, SHOW_ALL);
        struct painter *fresh = i % 20 == 19 || i > 380 ? painter_create() : NULL;
        if (fresh) {
            cairo_surface_t *whole = paint(fresh, &rig, THEME_LIGHT, 0, SHOW_ALL);
            assert_int_equal(differing(now, whole), 0);
            cairo_surface_destroy(whole);
            painter_destroy(fresh);
        }
        cairo_surface_destroy(now);
    }
    painter_destroy(kept);
    draw_rig_close(&rig);
}

/* The first of a hundred pictures paints the objects at rest, the robots and the words. The others
 * copy them, although a robot is at another place each time. */
static void what_stays_the_same_is_painted_once(void **state)
{
    (void)state;
    struct draw_rig rig;
    struct painter *painter = painter_create();
    assert_non_null(painter);
    draw_rig_open(&rig, "ten_kobukis", 100);
    for (int i = 0; i < 100; i++) {
        char command[96];
        snprintf(command, sizeof command, "kobuki1.place x=%g y=3 heading=%d", 0.5 + 0.09 * i,
                 7 * i);
        draw_rig_do(&rig, command);
        draw_rig_run(&rig, 1);
        cairo_surface_destroy(paint(painter, &rig, THEME_LIGHT, 0,
                                    SHOW_ALL & ~(uint32_t)SHOW_CAPTION)); /* it reports the time */
        struct painter_counts counts = painter_counts(painter);
        assert_int_equal(counts.backgrounds, 1);
        assert_in_range(counts.texts, 8, 10); /* a name without a place is left out */
        assert_in_range(counts.groups, 1, 8); /* a few lamps blink */
    }
    /* Another size is another picture. */
    cairo_surface_destroy(paint(painter, &rig, THEME_LIGHT, 60, WORDLESS));
    assert_int_equal(painter_counts(painter).backgrounds, 2);
    painter_destroy(painter);
    draw_rig_close(&rig);
}

/* A copy of a robot, turned to where it looks, differs from the robot itself at edges only. */
static void a_copied_robot_looks_like_a_painted_one(void **state)
{
    (void)state;
    struct draw_rig rig;
    struct painter *painter = painter_create();
    assert_non_null(painter);
    draw_rig_open(&rig, "ten_kobukis", 100);
    draw_rig_do(&rig, "kobuki1.place x=5 y=3 heading=33");
    draw_rig_run(&rig, 20);
    cairo_surface_t *copied = paint(painter, &rig, THEME_LIGHT, 120, WORDLESS);
    /* The same without groups. */
    struct viewport viewport = {.width_px = WIDTH,
                                .height_px = HEIGHT,
                                .px_per_m = 120,
                                .center_x_m = 5,
                                .center_y_m = 3,
                                .shows = WORDLESS,
                                .selected = VIEWPORT_NOBODY};
    struct draw_list list = {0}, plain = {0};
    draw_static(&list, &viewport, rig.snapshot);
    draw_moving(&list, &viewport, rig.snapshot);
    size_t groups = 0;
    for (size_t i = 0; i < list.item_count; i++)
        groups += list.items[i].kind == DRAW_GROUP;
    assert_true(groups > 0);
    plain = list;
    plain.items = calloc(list.item_count + 1, sizeof *plain.items);
    assert_non_null(plain.items);
    plain.item_count = 0;
    for (size_t i = 0; i < list.item_count; i++)
        if (list.items[i].kind != DRAW_GROUP && list.items[i].kind != DRAW_UNGROUP)
            plain.items[plain.item_count++] = list.items[i];
    cairo_surface_t *whole = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t *cairo = cairo_create(whole);
    painter_list(painter, cairo, &plain);
    cairo_destroy(cairo);
    cairo_surface_flush(whole);
    long off = differing(copied, whole);
    if (off > 160 * (long)groups) /* a tenth of a disc of 22 px radius */
        fail_msg("%ld pixels of %zu robots differ", off, groups);
    free(plain.items);
    draw_list_free(&list);
    cairo_surface_destroy(whole);
    cairo_surface_destroy(copied);
    painter_destroy(painter);
    draw_rig_close(&rig);
}

/* Pixels of the kinds that pictures are made of: nothing, edges, and opaque pixels. */
static void fill_at_random(cairo_surface_t *surface, uint64_t seed, int margin)
{
    int width = cairo_image_surface_get_width(surface);
    int height = cairo_image_surface_get_height(surface);
    for (int y = margin; y < height - margin; y++)
        for (int x = margin; x < width - margin; x++) {
            uint64_t random = rng_u64(seed, (uint64_t)y * (uint64_t)width + (uint64_t)x);
            uint32_t alpha = random % 3 == 0 ? 0 : random % 3 == 1 ? 255 : random >> 8 & 0xFF;
            uint32_t pixel = alpha << 24;
            for (int shift = 0; shift < 24; shift += 8) /* multiplied by alpha: no part is larger */
                pixel |= (uint32_t)(random >> (16 + shift) & 0xFF) * alpha / 255 << shift;
            unsigned char *row =
                cairo_image_surface_get_data(surface) + y * cairo_image_surface_get_stride(surface);
            memcpy(row + 4 * (ptrdiff_t)x, &pixel, sizeof pixel);
        }
    cairo_surface_mark_dirty(surface);
}

/* The same on two surfaces: a copy on one, and cairo's drawing of its picture on the other. */
static void check_copy(cairo_surface_t *picture, cairo_surface_t *surfaces[2], int x, int y,
                       bool is_clipped)
{
    struct paint_copy *copy = paint_copy_make(picture);
    assert_non_null(copy);
    assert_true(paint_copy_whole(surfaces[0], surfaces[1]));
    for (int i = 0; i < 2; i++) {
        cairo_t *cairo = cairo_create(surfaces[i]);
        if (is_clipped) {
            cairo_arc(cairo, 15, 10, 9, 0, 7);
            cairo_clip(cairo);
        }
        if (i == 0) {
            paint_copy_show(copy, cairo, x, y, is_clipped);
        } else {
            cairo_set_source_surface(cairo, picture, x, y);
            cairo_paint(cairo);
        }
        cairo_destroy(cairo);
        cairo_surface_flush(surfaces[i]);
    }
    free(copy);
    for (int row = 0; row < cairo_image_surface_get_height(surfaces[0]); row++) {
        size_t at = (size_t)row * (size_t)cairo_image_surface_get_stride(surfaces[0]);
        const unsigned char *ours = cairo_image_surface_get_data(surfaces[0]) + at;
        const unsigned char *cairos = cairo_image_surface_get_data(surfaces[1]) + at;
        for (int i = 0; i < 4 * cairo_image_surface_get_width(surfaces[0]); i++)
            /* The fourth is not a color; at the edge of a clip, cairo rounds one way or another. */
            if (i % 4 != 3 && abs(ours[i] - cairos[i]) > is_clipped)
                fail_msg("at %d, %d: byte %d of row %d is %d, cairo's %d", x, y, i, row, ours[i],
                         cairos[i]);
    }
}

static void a_copy_is_what_cairo_paints(void **state)
{
    (void)state;
    cairo_surface_t *picture = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 19, 13);
    cairo_surface_t *empty = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 5, 5);
    cairo_surface_t *surfaces[2];
    for (int i = 0; i < 2; i++) {
        surfaces[i] = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 31, 23);
        fill_at_random(surfaces[i], 5, 0);
    }
    fill_at_random(picture, 6, 2);
    check_copy(empty, surfaces, 3, 3, false);
    for (int y = -14; y < 25; y += 3)
        for (int x = -20; x < 33; x += 3)
            for (int is_clipped = 0; is_clipped < 2; is_clipped++)
                check_copy(picture, surfaces, x, y, is_clipped);
    cairo_surface_destroy(picture);
    cairo_surface_destroy(empty);
    for (int i = 0; i < 2; i++)
        cairo_surface_destroy(surfaces[i]);
}

/* A whole picture is copied if both have the same format; otherwise nothing is changed. */
static void only_pictures_of_one_size_are_copied_whole(void **state)
{
    (void)state;
    cairo_surface_t *from = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 31, 23);
    cairo_surface_t *to = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 31, 23);
    cairo_surface_t *larger = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 32, 23);
    size_t size = (size_t)cairo_image_surface_get_stride(to) * 23;
    fill_at_random(from, 7, 0);
    assert_false(paint_copy_whole(larger, from));
    assert_int_equal(cairo_image_surface_get_data(larger)[0], 0);
    assert_true(paint_copy_whole(to, from));
    assert_memory_equal(cairo_image_surface_get_data(to), cairo_image_surface_get_data(from), size);
    cairo_surface_destroy(from);
    cairo_surface_destroy(to);
    cairo_surface_destroy(larger);
}

/* Pixels between the first and the last column that a text paints. */
static double ink_px(struct painter *painter, const char *text, double size_px)
{
    struct draw_list list = {0};
    draw_text(&list, (struct draw_item){.fill = 0x000000FF, .size_px = size_px},
              (struct viewport_point){10, 30}, text);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 200, 40);
    cairo_t *cairo = cairo_create(surface);
    painter_list(painter, cairo, &list);
    cairo_destroy(cairo);
    cairo_surface_flush(surface);
    const uint32_t *pixels = (const uint32_t *)(const void *)cairo_image_surface_get_data(surface);
    int first = 200, last = 0;
    for (int i = 0; i < 200 * 40; i++) {
        first = pixels[i] && i % 200 < first ? i % 200 : first;
        last = pixels[i] && i % 200 > last ? i % 200 : last;
    }
    cairo_surface_destroy(surface);
    draw_list_free(&list);
    return last - first + 1;
}

static void a_word_takes_room(void **state)
{
    (void)state;
    struct painter *painter = painter_create();
    assert_non_null(painter);
    double short_px = ink_px(painter, "kobuki", 13);
    assert_true(short_px > 20 && short_px < 100);
    assert_true(ink_px(painter, "kobuki kobuki", 13) > 1.9 * short_px);
    /* Han letters are as wide as they are high, in every font that has them; boxes are too. */
    double han_px = ink_px(painter, "机器人", 20);
    assert_true(han_px > 40 && han_px < 80);
    painter_destroy(painter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_in_shadow_looks_like_its_golden),
        cmocka_unit_test(a_room_in_the_dark_looks_like_its_golden),
        cmocka_unit_test(mecanum_wheels_look_like_their_golden),
        cmocka_unit_test(a_second_picture_is_as_if_it_were_the_first),
        cmocka_unit_test(what_seldom_changes_is_painted_where_it_changes),
        cmocka_unit_test(what_stays_the_same_is_painted_once),
        cmocka_unit_test(a_copied_robot_looks_like_a_painted_one),
        cmocka_unit_test(a_copy_is_what_cairo_paints),
        cmocka_unit_test(only_pictures_of_one_size_are_copied_whole),
        cmocka_unit_test(a_word_takes_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
