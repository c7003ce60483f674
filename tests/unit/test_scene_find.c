/* What a word of the command line means: a file, an installed scene or a robot type. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/files/scene_file.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

#define SCENE                                                                                      \
    "world: {size: {x: 4, y: 4}}\nrobots: [{name: %s, type: kobuki, pose: {x: 1, y: 1}}]\n"

/* The name of the first robot, or the error. */
static const char *found(const char *word)
{
    static char text[1024];
    struct error error = {0};
    struct scene *scene = scene_file_find(word, false, &error);
    snprintf(text, sizeof text, "%s", scene ? scene->robots[0].name : error.text);
    scene_destroy(scene);
    return text;
}

static int enter(void **state)
{
    static struct folder folder;
    folder_make(&folder);
    *state = &folder;
    return chdir(folder.path);
}

/* A build that runs elsewhere, as under an emulator, does not find the scenes of its sources. */
static void need_scenes(void)
{
    char scenes[PATH_MAX];
    program_scene_folder(scenes, sizeof scenes);
    if (!path_exists(scenes))
        skip();
}

static int leave(void **state)
{
    folder_remove(*state);
    return chdir("/");
}

static void a_file_counts_first_then_a_scene_then_a_robot(void **state)
{
    const struct folder *folder = *state;
    need_scenes();
    assert_string_equal(found("kobuki_dock"), "kobuki");
    assert_string_equal(found("kobuki"), "kobuki");
    folder_write(folder, "kobuki_dock", SCENE, "mine");
    folder_write(folder, "kobuki", SCENE, "other");
    assert_string_equal(found("kobuki_dock"), "mine");
    assert_string_equal(found("kobuki"), "other");
    assert_string_equal(found("./kobuki"), "other");
    assert_string_equal(found("kobuki_dok"),
                        "there is no scene file, installed scene or robot type 'kobuki_dok'; see "
                        "`ptybot list scenes` and `ptybot list robots`");
    assert_non_null(strstr(found("kobuky"), "'kobuky'; did you mean 'kobuki'?"));
}

/* A folder of that name does not hide an installed scene. */
static void a_folder_is_no_scene(void **state)
{
    (void)state;
    need_scenes();
    assert_int_equal(mkdir("kobuki_dock", 0777), 0);
    assert_int_equal(mkdir("plain", 0777), 0);
    assert_string_equal(found("kobuki_dock"), "kobuki");
    assert_non_null(strstr(found("plain"), "plain: "));
    assert_null(strstr(found("plain"), "there is no"));
}

static void a_path_that_is_not_there_is_a_missing_file(void **state)
{
    (void)state;
    need_scenes();
    static const char *const words[] = {"a.yaml", "a.yml", "folder/a", "./b"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%s: No such file or directory", words[i]);
        assert_string_equal(found(words[i]), wanted);
    }
    assert_string_equal(found("elsewhere/kobuki_dock.yaml"),
                        "elsewhere/kobuki_dock.yaml: No such file or directory; there is an "
                        "installed scene of that name: give 'kobuki_dock' without a folder");
    /* Too short for a name before the ending. */
    assert_non_null(strstr(found(".yaml"), "there is no scene file"));
    assert_non_null(strstr(found(".yml"), "there is no scene file"));
}

static void an_error_begins_with_the_path(void **state)
{
    const struct folder *folder = *state;
    struct error error = {0};
    folder_write(folder, "a%d.yaml", "%s", "world: 1\n");
    assert_null(scene_file_read("a%d.yaml", &error));
    assert_memory_equal(error.text, "a%d.yaml:1:8: ", 14);
    assert_null(scene_file_read("missing%d", &error));
    assert_string_equal(error.text, "missing%d: No such file or directory");
    folder_write(folder, "run.pcapng", "%s", "\n\r\r\nrest");
    assert_null(scene_file_read("run.pcapng", &error));
    assert_memory_equal(error.text, "run.pcapng is a recording; ", 27);
    folder_write(folder, "short", "%s", "\n\r\r\n");
    assert_null(scene_file_read("short", &error));
    assert_null(strstr(error.text, "is a recording"));
}

int main(void)
{
#define FIND_TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {
        FIND_TEST(a_file_counts_first_then_a_scene_then_a_robot),
        FIND_TEST(a_folder_is_no_scene),
        FIND_TEST(a_path_that_is_not_there_is_a_missing_file),
        FIND_TEST(an_error_begins_with_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
