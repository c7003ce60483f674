/* The file of a robot's memory: reading gives what was written, a damaged file gets another name,
 * and no file of another program is replaced. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/files/storage.h"
#include "base/hash.h"
#include "protocols/robot.h"
#include "sim/parse/scene_parse.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

#define PERIOD_NS INT64_C(250000000)

struct stage {
    struct folder folder;
    struct scene *scene;
    struct storage *storage;
    struct sim *sim;
};

static const char yaml[] =
    "world: {size: {x: 4, y: 4}}\n"
    "robots: [{name: board, type: diff_board, storage: memory, pose: {x: 2, y: 2}}]\n";

static struct scene *read_scene(const struct folder *folder)
{
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    struct scene *scene =
        scene_parse(yaml, strlen(yaml), folder_path(folder, "scene.yaml", path), &error);
    if (!scene)
        fail_msg("%s", error.text);
    return scene;
}

/* A run in the folder. */
static void open_run(struct stage *stage)
{
    struct error error = {0};
    stage->scene = read_scene(&stage->folder);
    stage->storage = storage_open(stage->scene, &error);
    if (!stage->storage)
        fail_msg("%s", error.text);
    stage->sim = sim_create(stage->scene, storage_loaded(stage->storage), NULL, &error);
    if (!stage->sim)
        fail_msg("%s", error.text);
}

static void close_run(struct stage *stage)
{
    storage_close(stage->storage, stage->sim);
    sim_destroy(stage->sim);
    scene_destroy(stage->scene);
}

static struct robot_storage *memory_of(const struct stage *stage)
{
    return (struct robot_storage *)sim_robot_storage(stage->sim, 0);
}

/* As a firmware does when its host sets a parameter. */
static void change(struct stage *stage, uint8_t value)
{
    memory_of(stage)->bytes[5] = value;
    memory_of(stage)->is_dirty = true;
}

static bool is_in(const struct stage *stage, const char *name)
{
    char path[FOLDER_PATH_MAX];
    return path_exists(folder_path(&stage->folder, name, path));
}

static void a_memory_comes_back_as_it_was(void **state)
{
    (void)state;
    struct stage stage;
    struct robot_storage kept;
    folder_make(&stage.folder);
    open_run(&stage);
    change(&stage, 0x5a);
    kept = *memory_of(&stage);
    close_run(&stage);
    char *text = folder_read(&stage.folder, "memory");
    assert_non_null(strstr(text, "ptybot storage 1\nrobot diff_board\nbytes "));
    free(text);
    open_run(&stage);
    const struct robot_storage *loaded = storage_loaded(stage.storage);
    assert_int_equal(loaded->size, kept.size);
    assert_memory_equal(loaded->bytes, kept.bytes, kept.size);
    close_run(&stage);
    assert_false(is_in(&stage, "memory.new") || is_in(&stage, "memory.bad"));
    folder_remove(&stage.folder);
}

static void a_memory_may_be_as_large_as_the_format_allows(void **state)
{
    (void)state;
    struct stage stage;
    char path[FOLDER_PATH_MAX];
    struct robot_storage memory = {.size = ROBOT_STORAGE_MAX};
    memset(memory.bytes, 0x21, sizeof memory.bytes);
    folder_make(&stage.folder);
    FILE *file = fopen(folder_path(&stage.folder, "memory", path), "we");
    assert_non_null(file);
    fprintf(file, "ptybot storage 1\nrobot diff_board\nbytes %d\nhash %016" PRIx64 "\n",
            ROBOT_STORAGE_MAX, hash_bytes(HASH_START, memory.bytes, ROBOT_STORAGE_MAX));
    for (int i = 0; i < ROBOT_STORAGE_MAX; i++)
        fputs("21\n", file);
    fclose(file);
    open_run(&stage);
    assert_int_equal(storage_loaded(stage.storage)->size, ROBOT_STORAGE_MAX);
    assert_memory_equal(storage_loaded(stage.storage)->bytes, memory.bytes, ROBOT_STORAGE_MAX);
    close_run(&stage);
    folder_remove(&stage.folder);
}

static void it_is_written_at_most_four_times_a_second_and_only_after_a_change(void **state)
{
    (void)state;
    struct stage stage;
    char path[FOLDER_PATH_MAX];
    folder_make(&stage.folder);
    folder_path(&stage.folder, "memory", path);
    open_run(&stage);
    memory_of(&stage)->is_dirty = false;
    storage_visit(stage.storage, stage.sim, PERIOD_NS);
    assert_false(path_exists(path));
    change(&stage, 1);
    storage_visit(stage.storage, stage.sim, 2 * PERIOD_NS - 1);
    assert_false(path_exists(path));
    storage_visit(stage.storage, stage.sim, 2 * PERIOD_NS);
    assert_true(path_exists(path));
    assert_false(memory_of(&stage)->is_dirty);
    assert_int_equal(unlink(path), 0);
    storage_visit(stage.storage, stage.sim, 9 * PERIOD_NS);
    assert_false(path_exists(path));
    close_run(&stage);
    folder_remove(&stage.folder);
}

/* Each kind of damage gives an erased memory; the file stays beside the new one. */
static void a_damaged_file_is_kept_aside_before_it_is_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } damages[] = {
        {"robot diff_board", "robot kobuki"},
        {"bytes ", "bytes x"},
        {"hash ", "hash 0"},
        {"bytes 64", "bytes 63"},
        {"\n\n", "\nzz\n"},
        {" 5a ", " 5b "},
        {" 5a ", " 5A "},
        {" 5a ", " 15a "},
        {" 5a ", " 5a,"},
        {"robot diff_board", "robot diff_board2"},
        {"bytes 64", "bytes 0"},
        {"bytes 64", "bytes 1000064"},
        {"bytes 64", "bytes 64 "},
        {NULL, NULL},
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct stage stage;
        folder_make(&stage.folder);
        open_run(&stage);
        change(&stage, 0x5a);
        close_run(&stage);
        char *text = folder_read(&stage.folder, "memory");
        char *at = damages[i].from ? strstr(text, damages[i].from) : NULL;
        if (at)
            folder_write(&stage.folder, "memory", "%.*s%s%s", (int)(at - text), text, damages[i].to,
                         at + strlen(damages[i].from));
        else /* the last byte is missing */
            folder_write(&stage.folder, "memory", "%.*s", (int)strlen(text) - 4, text);
        free(text);
        char *damaged = folder_read(&stage.folder, "memory");
        open_run(&stage);
        for (size_t k = 0; k < ROBOT_STORAGE_MAX; k++)
            assert_int_equal(storage_loaded(stage.storage)->bytes[k], 0xff);
        change(&stage, 0x17);
        close_run(&stage);
        text = folder_read(&stage.folder, "memory.bad");
        assert_string_equal(text, damaged);
        free(text);
        free(damaged);
        open_run(&stage);
        assert_int_equal(storage_loaded(stage.storage)->bytes[5], 0x17);
        close_run(&stage);
        folder_remove(&stage.folder);
    }
}

static void a_file_of_another_kind_is_refused_and_stays(void **state)
{
    (void)state;
    struct stage stage;
    struct error error = {0};
    char path[FOLDER_PATH_MAX];
    folder_make(&stage.folder);
    stage.scene = read_scene(&stage.folder);
    folder_write(&stage.folder, "memory", "my thesis\n");
    assert_null(storage_open(stage.scene, &error));
    assert_non_null(strstr(error.text, "is a file of another kind"));
    char *text = folder_read(&stage.folder, "memory");
    assert_string_equal(text, "my thesis\n");
    free(text);
    folder_path(&stage.folder, "memory", path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(storage_open(stage.scene, &error));
    assert_non_null(strstr(error.text, "is no regular file"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_null(storage_open(stage.scene, &error));
    assert_non_null(strstr(error.text, "cannot be read"));
    scene_destroy(stage.scene);
    folder_remove(&stage.folder);
}

/* It takes other names, and follows a link. */
static void files_beside_it_stay(void **state)
{
    (void)state;
    struct stage stage;
    char path[FOLDER_PATH_MAX], real[FOLDER_PATH_MAX];
    folder_make(&stage.folder);
    folder_write(&stage.folder, "real", "ptybot storage 1\nnonsense");
    assert_int_equal(symlink(folder_path(&stage.folder, "real", real),
                             folder_path(&stage.folder, "memory", path)),
                     0);
    static const char *const taken[] = {"real.new", "real.bad", "real.bad1"};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        folder_write(&stage.folder, taken[i], "mine");
    open_run(&stage);
    change(&stage, 0x42);
    close_run(&stage);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        char *text = folder_read(&stage.folder, taken[i]);
        assert_string_equal(text, "mine");
        free(text);
    }
    char *bad = folder_read(&stage.folder, "real.bad2");
    assert_string_equal(bad, "ptybot storage 1\nnonsense");
    free(bad);
    assert_false(is_in(&stage, "real.new1"));
    struct stat found;
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    open_run(&stage);
    assert_int_equal(storage_loaded(stage.storage)->bytes[5], 0x42);
    close_run(&stage);
    folder_remove(&stage.folder);
}

static void what_cannot_be_saved_is_tried_again(void **state)
{
    (void)state;
    struct stage stage;
    char path[FOLDER_PATH_MAX], away[FOLDER_PATH_MAX];
    folder_make(&stage.folder);
    folder_path(&stage.folder, "gone/memory", path);
    open_run(&stage);
    close_run(&stage);
    stage.scene = read_scene(&stage.folder);
    strcpy(stage.scene->robots[0].storage, path);
    struct error error = {0};
    stage.storage = storage_open(stage.scene, &error);
    assert_non_null(stage.storage);
    stage.sim = sim_create(stage.scene, storage_loaded(stage.storage), NULL, &error);
    assert_non_null(stage.sim);
    change(&stage, 1);
    storage_visit(stage.storage, stage.sim, PERIOD_NS);
    assert_true(memory_of(&stage)->is_dirty);
    assert_int_equal(mkdir(folder_path(&stage.folder, "gone", away), 0700), 0);
    storage_visit(stage.storage, stage.sim, 2 * PERIOD_NS);
    assert_false(memory_of(&stage)->is_dirty);
    assert_true(path_exists(path));
    close_run(&stage);
    folder_remove(&stage.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_memory_comes_back_as_it_was),
        cmocka_unit_test(a_memory_may_be_as_large_as_the_format_allows),
        cmocka_unit_test(it_is_written_at_most_four_times_a_second_and_only_after_a_change),
        cmocka_unit_test(a_damaged_file_is_kept_aside_before_it_is_replaced),
        cmocka_unit_test(a_file_of_another_kind_is_refused_and_stays),
        cmocka_unit_test(files_beside_it_stay),
        cmocka_unit_test(what_cannot_be_saved_is_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
