/* The meaning of a word on the command line: a file, an installed scene or a robot type. */
#define _GNU_SOURCE
#include <errno.h>
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
    errno = ENOENT; // of an earlier call
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

/* A build that runs on another machine, as under an emulator, does not find the scenes of its
 * sources. */
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
    folder_write(folder, "run.pcapng", "%s", "\n\r\r\nr");
    assert_null(scene_file_read("run.pcapng", &error));
    assert_memory_equal(error.text, "run.pcapng is a recording; ", 27);
    folder_write(folder, "short", "%s", "\n\r\r\n");
    assert_null(scene_file_read("short", &error));
    assert_null(strstr(error.text, "is a recording"));
}

static void a_name_with_control_characters_is_refused(void **state)
{
    const struct folder *folder = *state;
    static const char *const names[] = {"\001a", "a\nb", "a\177"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        folder_write(folder, names[i], SCENE, "a");
        assert_non_null(strstr(found(names[i]), ": the name of this file has control characters"));
    }
}

#define BODY                                                                                       \
    "firmware: ros_arduino_bridge\nbody: {shape: disc, radius: 0.123, height: 0.1, mass: 2}\n"     \
    "drive: {speed_max: 0.5}\nwheels: [{y: 0.1, radius: 0.03}, {y: -0.1, radius: 0.03}]\n"         \
    "sensors: [{name: sonar, kind: range, range: 4, rays: 5}]\n"

/* Other words give an error only if they look like a file. */
static void a_word_for_a_type_is_one_or_a_body_file(void **state)
{
    const struct folder *folder = *state;
    static const struct {
        const char *word, *type, *error;
    } rows[] = {
        {"kobuki", "kobuki", ""},
        {"mine.yaml", "mine", ""},
        {"./mine.yaml", "mine", ""},
        {"scene.yaml", NULL,
         "scene.yaml is a scene; give a robot type or a body file. In a run, `ptybot ctl list` "
         "prints the names of the scene"},
        {"own.yaml", NULL, "own.yaml is a scene; "},
        {"two.yaml", NULL, "two.yaml is a scene; "},
        {"none.yaml", NULL, "none.yaml: No such file or directory"},
        {"nothing", NULL, ""},
    };
    folder_write(folder, "mine.yaml", "%s", BODY);
    folder_write(folder, "scene.yaml", SCENE, "kobuki");
    folder_write(folder, "own.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: a, type: ./mine.yaml, pose: {x: 1, y: 1}}]\n");
    folder_write(folder, "two.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: mine, type: ./mine.yaml, pose: {x: 1, y: 1}},\n"
                 "  {name: b, type: ./mine.yaml, pose: {x: 2, y: 1}}]\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {0};
        struct scene *own;
        const struct robot_type *type = scene_file_type(rows[i].word, &own, &error);
        if ((type != NULL) != (rows[i].type != NULL))
            fail_msg("%s: %s", rows[i].word, type ? type->name : error.text);
        if (type)
            assert_string_equal(type->name, rows[i].type);
        assert_int_equal(strncmp(error.text, rows[i].error, strlen(rows[i].error)), 0);
        assert_int_equal(*error.text != '\0', *rows[i].error != '\0');
        scene_destroy(own);
    }
}

/* Its sources suffice: no file is read. */
static void a_scene_is_made_again_without_its_pictures(void **state)
{
    const struct folder *folder = *state;
    struct error error = {0};
    struct scene_source *kept = NULL;
    folder_write(folder, "s.yaml", "%s",
                 "world: {size: {x: 4, y: 4}, floor_image: f.pgm}\n"
                 "robots: [{name: a, type: kobuki, pose: {x: 1, y: 1}}]\n");
    folder_write(folder, "f.pgm", "%s", "P5 2 1 255\n\1\2");
    struct scene *scene = scene_file_read("s.yaml", &error);
    if (!scene)
        fail_msg("%s", error.text);
    for (const struct scene_source *from = scene->sources; from; from = from->next)
        assert_true(scene_source_add(&kept, from->path, from->bytes, from->size));
    scene_destroy(scene);
    assert_int_equal(unlink("s.yaml"), 0);
    assert_int_equal(unlink("f.pgm"), 0);
    scene = scene_file_reopen(kept, false, &error);
    if (!scene)
        fail_msg("%s", error.text);
    assert_int_equal(scene->floor.width, 2);
    assert_memory_equal(scene->floor.gray, "\1\2", 2);
    scene_destroy(scene);
    /* The journal lacks the body file. */
    kept = NULL;
    static const char text[] = "world: {size: {x: 4, y: 4}}\n"
                               "robots: [{name: a, type: ./b.yaml, pose: {x: 1, y: 1}}]\n";
    assert_true(scene_source_add(&kept, "s.yaml", text, strlen(text)));
    assert_null(scene_file_reopen(kept, false, &error));
    assert_string_equal(error.text, "s.yaml:2:26: type: ./b.yaml: no such file");
}

/* A file of the largest size can be read, and made again. */
static void a_body_file_may_have_the_largest_size(void **state)
{
    (void)state;
    static char body[SCENE_BYTES_MAX] = BODY;
    static const char text[] = "world: {size: {x: 4, y: 4}}\n"
                               "robots: [{name: a, type: ./b.yaml, pose: {x: 1, y: 1}}]\n";
    struct scene_source *kept = NULL;
    struct error error = {0};
    size_t used = strlen(body);
    memset(body + used, '\n', sizeof body - used);
    assert_true(scene_source_add(&kept, "s.yaml", text, strlen(text)));
    assert_true(scene_source_add(&kept, "./b.yaml", body, sizeof body));
    struct scene *scene = scene_file_reopen(kept, false, &error);
    if (!scene)
        fail_msg("%s", error.text);
    scene_destroy(scene);
}

static void an_old_key_of_a_body_file_gives_a_warning(void **state)
{
    const struct folder *folder = *state;
    struct error error = {0};
    char said[512] = "";
    FILE *file = tmpfile();
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    folder_write(folder, "new.yaml", "%s", BODY);
    folder_write(folder, "old.yaml", "%slooks: [{shape: disc, length: 0.1}]\n", BODY);
    scene_destroy(scene_file_read("new.yaml", &error));
    struct scene *scene = scene_file_read("old.yaml", &error);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    if (!scene)
        fail_msg("%s", error.text);
    scene_destroy(scene);
    assert_true(pread(fileno(file), said, sizeof said - 1, 0) >= 0);
    fclose(file);
    assert_string_equal(said, "ptybot: warning: old.yaml: looks is now appearance; the next "
                              "release removes the old name\n");
}

int main(void)
{
#define FIND_TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {
        FIND_TEST(a_file_counts_first_then_a_scene_then_a_robot),
        FIND_TEST(a_folder_is_no_scene),
        FIND_TEST(a_path_that_is_not_there_is_a_missing_file),
        FIND_TEST(an_error_begins_with_the_path),
        FIND_TEST(a_name_with_control_characters_is_refused),
        FIND_TEST(a_word_for_a_type_is_one_or_a_body_file),
        FIND_TEST(a_scene_is_made_again_without_its_pictures),
        FIND_TEST(a_body_file_may_have_the_largest_size),
        FIND_TEST(an_old_key_of_a_body_file_gives_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
