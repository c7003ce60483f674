/* The file of a robot's memory: a read returns the written bytes, a damaged file gets another name,
 * and no file of another program is replaced. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/files/storage.h"
#include "base/hash.h"
#include "protocols/robot.h"
#include "sim/parse/scene_parse.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/machine.h"

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

/* Opens a run in the folder. */
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

/* A firmware does this when its host sets a parameter. */
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

/* ---- Messages ---- */

static int kept_stderr, said_fd;

static int listen_to_stderr(void **state)
{
    (void)state;
    fflush(stderr);
    kept_stderr = dup(STDERR_FILENO);
    said_fd = memfd_create("said", MFD_CLOEXEC);
    return dup2(said_fd, STDERR_FILENO) == STDERR_FILENO ? 0 : -1;
}

static int restore_stderr(void **state)
{
    (void)state;
    machine_obey();
    fflush(stderr);
    dup2(kept_stderr, STDERR_FILENO);
    close(kept_stderr);
    close(said_fd);
    return 0;
}

/* The messages since the last call. */
static const char *said(void)
{
    static char text[4096];
    fflush(stderr);
    ssize_t size = pread(said_fd, text, sizeof text - 1, 0);
    assert_true(size >= 0);
    text[size] = '\0';
    assert_int_equal(ftruncate(said_fd, 0), 0);
    assert_int_equal(lseek(said_fd, 0, SEEK_SET), 0);
    return text;
}

#define EXPECT_SAID(...)                                                                           \
    do {                                                                                           \
        char expected[1024];                                                                       \
        snprintf(expected, sizeof expected, __VA_ARGS__);                                          \
        assert_string_equal(said(), expected);                                                     \
    } while (0)

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
    assert_non_null(strstr(text, "ptybot storage 1\nrobot diff_board\nbytes 64\nhash "));
    /* Then 16 bytes a line. */
    const char *at = strstr(strstr(text, "hash "), "\n") + 1;
    for (unsigned i = 0; i < kept.size; i++) {
        char byte[4];
        snprintf(byte, sizeof byte, "%02x%c", kept.bytes[i], i % 16 == 15 ? '\n' : ' ');
        assert_int_equal(strncmp(at + (size_t)3 * i, byte, 3), 0);
    }
    assert_int_equal(strlen(at), 3 * 64);
    free(text);
    machine_refuse((struct refusal){.call = CALL_READ}); /* the first read returns one byte */
    open_run(&stage);
    assert_int_equal(machine_obey(), 1);
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

#define BYTES "bytes are missing or damaged"
#define HEAD  "the header is damaged"
#define OTHER "it belongs to another robot type"
#define HASH  "the checksum does not match"
static const struct {
    const char *from, *to, *problem;
} damages[] = {
    {"robot diff_board", "robot kobuki", OTHER},
    {"robot diff_board", "robot diff_board2", OTHER},
    {"robot diff_board", "diff_board", OTHER},
    {"bytes ", "bytes x", HEAD},
    {"bytes ", "bites ", HEAD},
    {"bytes 64", "bytes 0", HEAD},
    {"bytes 64", "bytes 1000064", HEAD},
    {"bytes 64", "bytes 64 ", HEAD},
    {"hash ", "hash 0", HEAD},
    {"hash ", "hush ", HEAD},
    {"bytes 64", "bytes 63", HASH},
    {" 5a ", " 5b ", HASH},
    {"\n\n", "\nzz\n", BYTES}, /* not in the file: the last byte is cut off */
    {" 5a ", " 5A ", BYTES},
    {" 5a ", " 15a ", BYTES},
    {" 5a ", " 100 ", BYTES},
    {" 5a ", " 5a,", BYTES},
    {NULL, NULL, BYTES},
};

/* After each kind of damage the memory is erased. The damaged file is kept under another name. */
static void a_damaged_file_is_kept_aside_before_it_is_replaced(void **state)
{
    (void)state;
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
        said();
        open_run(&stage);
        EXPECT_SAID(
            "ptybot: %s/memory: %s; board starts with erased memory (all 0xFF) and may behave "
            "oddly until it is configured. Remove the file to start with factory values.\n",
            stage.folder.path, damages[i].problem);
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
    char path[FOLDER_PATH_MAX], expected[512];
    folder_make(&stage.folder);
    stage.scene = read_scene(&stage.folder);
    folder_write(&stage.folder, "memory", "my thesis\n");
    folder_path(&stage.folder, "memory", path);
    assert_null(storage_open(stage.scene, &error));
    snprintf(expected, sizeof expected,
             "%s: the storage of board is a file of another kind, so ptybot does not replace it; "
             "name another file: ptybot creates it if it does not exist",
             path);
    assert_string_equal(error.text, expected);
    char *text = folder_read(&stage.folder, "memory");
    assert_string_equal(text, "my thesis\n");
    free(text);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(storage_open(stage.scene, &error));
    snprintf(expected, sizeof expected,
             "%s: the storage of board is no regular file, so ptybot does not replace it; "
             "name another file: ptybot creates it if it does not exist",
             path);
    assert_string_equal(error.text, expected);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_null(storage_open(stage.scene, &error));
    snprintf(expected, sizeof expected,
             "%s: the storage of board cannot be read: Is a directory; make it readable and "
             "writable, or name another file",
             path);
    assert_string_equal(error.text, expected);
    scene_destroy(stage.scene);
    folder_remove(&stage.folder);
}

/* The file takes other names, and a link is followed. */
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
    assert_false(is_in(&stage, "real.new1") || is_in(&stage, "real.bad3"));
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
    said();
    storage_visit(stage.storage, stage.sim, PERIOD_NS);
    assert_true(memory_of(&stage)->is_dirty);
    EXPECT_SAID("ptybot: %s: the storage of board cannot be saved: No such file or directory; its "
                "folder must exist and be writable. ptybot retries until the end of the run.\n",
                path);
    storage_visit(stage.storage, stage.sim, 2 * PERIOD_NS);
    assert_string_equal(said(), "");
    assert_int_equal(mkdir(folder_path(&stage.folder, "gone", away), 0700), 0);
    storage_visit(stage.storage, stage.sim, 3 * PERIOD_NS);
    assert_false(memory_of(&stage)->is_dirty);
    assert_true(path_exists(path));
    EXPECT_SAID("ptybot: %s: the storage of board is saved again\n", path);
    change(&stage, 2);
    storage_visit(stage.storage, stage.sim, 4 * PERIOD_NS);
    assert_string_equal(said(), "");
    close_run(&stage);
    folder_remove(&stage.folder);
}

/* Each failure gives its reason, and leaves only the older file. */
static void a_failed_save_leaves_the_older_file(void **state)
{
    (void)state;
    static const struct refusal refusals[] = {
        {.call = CALL_WRITE, .reason = ENOSPC},
        {.call = CALL_RENAME, .reason = EROFS},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct stage stage;
        folder_make(&stage.folder);
        open_run(&stage);
        change(&stage, 1);
        storage_visit(stage.storage, stage.sim, PERIOD_NS);
        char *before = folder_read(&stage.folder, "memory");
        change(&stage, 2);
        said();
        machine_refuse(refusals[i]);
        storage_visit(stage.storage, stage.sim, 2 * PERIOD_NS);
        assert_int_equal(machine_obey(), 1);
        EXPECT_SAID("ptybot: %s/memory: the storage of board cannot be saved: %s; its folder must "
                    "exist and be writable. ptybot retries until the end of the run.\n",
                    stage.folder.path, strerror(refusals[i].reason));
        char *after = folder_read(&stage.folder, "memory");
        assert_string_equal(before, after);
        assert_false(is_in(&stage, "memory.new"));
        free(before);
        free(after);
        close_run(&stage);
        folder_remove(&stage.folder);
    }
}

static void spoil(struct stage *stage)
{
    folder_make(&stage->folder);
    folder_write(&stage->folder, "memory", "ptybot storage 1\nnonsense");
    open_run(stage);
    change(stage, 3);
}

/* On such a file system a second name is not possible: the damaged file is renamed. */
static void a_damaged_file_is_kept_where_files_have_one_name_only(void **state)
{
    (void)state;
    static const int reasons[] = {EPERM, EOPNOTSUPP, ENOSYS};
    for (size_t i = 0; i < 3; i++) {
        struct stage stage;
        spoil(&stage);
        folder_write(&stage.folder, "memory.bad", "mine");
        machine_refuse((struct refusal){.call = CALL_LINK, .count = 9, .reason = reasons[i]});
        storage_visit(stage.storage, stage.sim, PERIOD_NS);
        assert_int_equal(machine_obey(), 2);
        char *mine = folder_read(&stage.folder, "memory.bad"),
             *bad = folder_read(&stage.folder, "memory.bad1");
        assert_string_equal(mine, "mine");
        assert_string_equal(bad, "ptybot storage 1\nnonsense");
        assert_true(is_in(&stage, "memory"));
        assert_false(is_in(&stage, "memory.bad2"));
        free(mine);
        free(bad);
        close_run(&stage);
        folder_remove(&stage.folder);
    }
}

static void a_damaged_file_that_cannot_be_kept_is_not_replaced(void **state)
{
    (void)state;
    struct stage stage;
    spoil(&stage);
    said();
    machine_refuse((struct refusal){.call = CALL_LINK, .reason = EDQUOT});
    storage_visit(stage.storage, stage.sim, PERIOD_NS);
    assert_int_equal(machine_obey(), 1);
    assert_non_null(strstr(said(), "cannot be saved: Disk quota exceeded; "));
    char *text = folder_read(&stage.folder, "memory");
    assert_string_equal(text, "ptybot storage 1\nnonsense");
    free(text);
    assert_false(is_in(&stage, "memory.new"));
    close_run(&stage);
    assert_true(is_in(&stage, "memory.bad"));
    folder_remove(&stage.folder);
}

static void a_damaged_file_that_somebody_has_removed_needs_no_other_name(void **state)
{
    (void)state;
    struct stage stage;
    char path[FOLDER_PATH_MAX];
    spoil(&stage);
    assert_int_equal(unlink(folder_path(&stage.folder, "memory", path)), 0);
    storage_visit(stage.storage, stage.sim, PERIOD_NS);
    assert_true(is_in(&stage, "memory"));
    assert_false(is_in(&stage, "memory.bad"));
    close_run(&stage);
    folder_remove(&stage.folder);
}

static void paths_are_relative_to_the_scene_and_may_be_too_long(void **state)
{
    (void)state;
    struct stage stage;
    struct error error = {0};
    char path[FOLDER_PATH_MAX], before[4096], expected[1024];
    folder_make(&stage.folder);
    /* A scene in the current folder, and the shortest name. */
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(stage.folder.path), 0);
    stage.scene = read_scene(&stage.folder);
    strcpy(stage.scene->file, "scene.yaml");
    strcpy(stage.scene->robots[0].storage, "m");
    stage.storage = storage_open(stage.scene, &error);
    assert_non_null(stage.storage);
    stage.sim = sim_create(stage.scene, storage_loaded(stage.storage), NULL, &error);
    change(&stage, 1);
    close_run(&stage);
    assert_true(is_in(&stage, "m"));
    assert_int_equal(chdir(before), 0);
    /* The folder is unknown if the name of the scene did not fit. */
    stage.scene = read_scene(&stage.folder);
    size_t size = strlen(stage.scene->file);
    memset(stage.scene->file + size, 'x', sizeof stage.scene->file - 1 - size);
    stage.scene->file[sizeof stage.scene->file - 1] = '\0';
    assert_null(storage_open(stage.scene, &error));
    snprintf(expected, sizeof expected,
             "%s: the path of board's storage is too long; give an absolute one",
             stage.scene->file);
    assert_string_equal(error.text, expected);
    memset(stage.scene->file + 1, 'x', sizeof stage.scene->file - 2); /* in the highest folder */
    assert_null(storage_open(stage.scene, &error));
    strcpy(stage.scene->robots[0].storage, folder_path(&stage.folder, "m", path));
    stage.storage = storage_open(stage.scene, &error);
    assert_non_null(stage.storage);
    assert_int_equal(storage_loaded(stage.storage)->bytes[5], 1);
    storage_close(stage.storage, NULL);
    scene_destroy(stage.scene);
    folder_remove(&stage.folder);
}

/* The second file is shorter, and descriptor 0 is free. */
static void each_robot_has_its_own_file(void **state)
{
    (void)state;
    static const char two[] =
        "world: {size: {x: 4, y: 4}}\n"
        "robots: [{name: large, type: diff_board, storage: large, pose: {x: 1, y: 2}},\n"
        "  {name: none, type: diff_board, pose: {x: 2, y: 2}},\n"
        "  {name: board, type: diff_board, storage: memory, pose: {x: 3, y: 2}}]\n";
    struct stage stage;
    struct error error = {0};
    char path[FOLDER_PATH_MAX];
    int kept = dup(STDIN_FILENO);
    folder_make(&stage.folder);
    open_run(&stage);
    change(&stage, 0x77);
    close_run(&stage);
    char *text = folder_read(&stage.folder, "memory");
    folder_write(&stage.folder, "large", "%s%s", text, text);
    free(text);
    folder_path(&stage.folder, "scene.yaml", path);
    stage.scene = scene_parse(two, strlen(two), path, &error);
    if (!stage.scene)
        fail_msg("%s", error.text);
    close(STDIN_FILENO);
    stage.storage = storage_open(stage.scene, &error);
    assert_non_null(stage.storage);
    stage.sim = sim_create(stage.scene, storage_loaded(stage.storage), NULL, &error);
    assert_non_null(stage.sim);
    assert_int_equal(storage_loaded(stage.storage)[0].bytes[5], 0xff);
    assert_int_equal(storage_loaded(stage.storage)[1].size, 0);
    assert_int_equal(storage_loaded(stage.storage)[2].bytes[5], 0x77);
    change(&stage, 1);
    storage_visit(stage.storage, stage.sim, PERIOD_NS);
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
    assert_true(is_in(&stage, "large.bad"));
    assert_false(is_in(&stage, "large.new") || is_in(&stage, "memory.new"));
    assert_false(memory_of(&stage)->is_dirty);
    close_run(&stage);
    storage_close(NULL, NULL);
    folder_remove(&stage.folder);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, listen_to_stderr, restore_stderr)
    const struct CMUnitTest tests[] = {
        TEST(a_memory_comes_back_as_it_was),
        TEST(a_memory_may_be_as_large_as_the_format_allows),
        TEST(it_is_written_at_most_four_times_a_second_and_only_after_a_change),
        TEST(a_damaged_file_is_kept_aside_before_it_is_replaced),
        TEST(a_file_of_another_kind_is_refused_and_stays),
        TEST(files_beside_it_stay),
        TEST(what_cannot_be_saved_is_tried_again),
        TEST(a_failed_save_leaves_the_older_file),
        TEST(a_damaged_file_is_kept_where_files_have_one_name_only),
        TEST(a_damaged_file_that_cannot_be_kept_is_not_replaced),
        TEST(a_damaged_file_that_somebody_has_removed_needs_no_other_name),
        TEST(paths_are_relative_to_the_scene_and_may_be_too_long),
        TEST(each_robot_has_its_own_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
