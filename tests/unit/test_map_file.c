/* Maps from real files: the search for the files, PGM and PNG, and the messages for invalid files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/files/scene_file.h"
#include "tests/places.h"
#include "tests/support/folder.h"

static const char scene_text[] = "world: {map: maps.yaml}\n"
                                 "robots: [{name: a, type: kobuki, pose: {x: 1, y: 1}}]\n";
#define MAP                                                                                        \
    "resolution: 0.5\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n"

/* 8 x 8 gray pixels of 254, with a black one at column 6 and row 1 from the top. */
static const uint8_t png[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x08, 0x08, 0x00, 0x00, 0x00, 0x00, 0xe1, 0x64, 0xe1,
    0x57, 0x00, 0x00, 0x00, 0x13, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8, 0x07, 0x05, 0x0c,
    0x30, 0x8a, 0x01, 0x4d, 0x84, 0x38, 0x06, 0x00, 0xb7, 0x30, 0x3e, 0x83, 0xcc, 0x81, 0xa1, 0x08,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

static void write_bytes(const struct folder *folder, const char *name, const void *bytes,
                        size_t size)
{
    char path[FOLDER_PATH_MAX];
    FILE *file = fopen(folder_path(folder, name, path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static struct scene *read_scene(const struct folder *folder, struct error *error)
{
    char path[FOLDER_PATH_MAX];
    return scene_file_read(folder_path(folder, "scene.yaml", path), error);
}

static void pgm_and_png_make_the_same_walls(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    folder_write(&folder, "scene.yaml", "%s", scene_text);
    uint8_t pgm[11 + 64] = "P5\n8 8\n255\n";
    memset(pgm + 11, 254, 64);
    pgm[11 + 8 + 6] = 0;
    write_bytes(&folder, "m.pgm", pgm, sizeof pgm);
    write_bytes(&folder, "m.png", png, sizeof png);
    struct vec2 corner[2];
    for (int i = 0; i < 2; i++) {
        struct error error = {0};
        folder_write(&folder, "maps.yaml", "image: m.%s\n" MAP, i == 0 ? "pgm" : "png");
        struct scene *scene = read_scene(&folder, &error);
        if (!scene) {
            fail_msg("%s", error.text);
            return;
        }
        assert_int_equal(scene->wall_count, 4);
        assert_true(scene->size_x_m == 4 && scene->size_y_m == 4);
        corner[i] = scene->walls[0].from;
        scene_destroy(scene);
    }
    assert_true(corner[0].x == 3 && corner[0].y == 3);
    assert_true(corner[1].x == 3 && corner[1].y == 3);
    folder_remove(&folder);
}

static void what_is_wrong_with_the_files_is_said(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    folder_write(&folder, "scene.yaml", "%s", scene_text);
    struct error error = {0};
    assert_null(read_scene(&folder, &error));
    assert_non_null(strstr(error.text, "scene.yaml:1:14: world.map: "));
    assert_non_null(strstr(error.text, "/maps.yaml: No such file or directory"));

    folder_write(&folder, "maps.yaml", "image: gone.pgm\n" MAP);
    assert_null(read_scene(&folder, &error));
    assert_non_null(strstr(error.text, "/gone.pgm: No such file or directory"));

    folder_write(&folder, "text.pgm", "hello\n");
    folder_write(&folder, "maps.yaml", "image: text.pgm\n" MAP);
    assert_null(read_scene(&folder, &error));
    assert_non_null(strstr(error.text, "/text.pgm: not a picture in binary PGM (P5) or PNG"));

    folder_write(&folder, "maps.yaml", "image: .\n" MAP);
    assert_null(read_scene(&folder, &error));
    folder_remove(&folder);
}

static void the_example_is_a_scene(void **state)
{
    (void)state;
    struct error error = {0};
    struct scene *scene = scene_file_read(PTYBOT_SOURCE_DIR "/scenes/kobuki_office.yaml", &error);
    if (!scene) {
        fail_msg("%s", error.text);
        return;
    }
    assert_true(scene->wall_count > 20 && scene->wall_count < 100);
    assert_true(scene->low.x == -1 && scene->low.y == -2);
    scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pgm_and_png_make_the_same_walls),
        cmocka_unit_test(what_is_wrong_with_the_files_is_said),
        cmocka_unit_test(the_example_is_a_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
