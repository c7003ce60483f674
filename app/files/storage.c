/* Loads and saves the robots' memories. */
#include "app/files/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/files/file_bytes.h"
#include "base/hash.h"
#include "protocols/robot.h"

/* Time between two writes of a file (chosen: a driver that sets parameters in a loop costs
 * little). */
#define SAVE_PERIOD_NS INT64_C(250000000)

enum {
    PATH_SIZE = PATH_MAX + 8, // with a suffix
    BESIDE_MAX = 100,         // chosen: file names with a suffix that are tried
};

struct storage_file {
    char path[PATH_MAX]; // empty: the robot has no storage
    const char *type;
    bool is_spoiled; // the existing file is not valid: it is renamed before it is replaced
    bool is_warned;  // the user was warned that it cannot be written
};

struct storage {
    size_t count;
    int64_t due_ns; // time of the next write
    struct robot_storage *loaded;
    struct storage_file *files;
};

/* ---- The text of a file ---- */

/* A header with the robot type and a checksum, then the bytes in hexadecimal, so that two files can
 * be compared and kept under version control. */
enum { STORAGE_TEXT_MAX = 3 * ROBOT_STORAGE_MAX + 256 }; /* bytes of the largest file, with NUL */

#define MAGIC "ptybot storage 1\n"

enum { BYTES_A_LINE = 16 };

static uint64_t hash_of(const struct robot_storage *memory)
{
    return hash_bytes(HASH_START, memory->bytes, memory->size);
}

/* Writes the text of a memory of a robot type. Returns its size. */
static size_t write_text(const char *type, const struct robot_storage *memory,
                         char text[STORAGE_TEXT_MAX])
{
    size_t used = (size_t)snprintf(text, STORAGE_TEXT_MAX,
                                   MAGIC "robot %s\nbytes %" PRIu32 "\nhash %016" PRIx64 "\n", type,
                                   memory->size, hash_of(memory));
    for (uint32_t i = 0; i < memory->size; i++) {
        bool is_last = i % BYTES_A_LINE == BYTES_A_LINE - 1 || i + 1 == memory->size;
        used += (size_t)snprintf(text + used, STORAGE_TEXT_MAX - used, "%02x%c", memory->bytes[i],
                                 is_last ? '\n' : ' ');
    }
    return used;
}

/* Each function reads one item and advances *AT to its end. */

static bool read_word(const char **at, const char *word)
{
    size_t size = strlen(word);
    if (strncmp(*at, word, size) != 0)
        return false;
    *at += size;
    return true;
}

static bool read_digits(const char **at, int base, uint64_t *value)
{
    static const char digits[] = "0123456789abcdef";
    const char *start = *at;
    *value = 0;
    for (const char *found; **at && (found = strchr(digits, **at)) && found - digits < base;
         ++*at) {
        if (*at - start == 16) // more would not fit
            return false;
        *value = *value * (uint64_t)base + (uint64_t)(found - digits);
    }
    return *at > start;
}

/* Parses a file. Returns NULL, or a description of the problem; MEMORY is unchanged then. TEXT ends
 * with NUL. */
static const char *read_text(const char *type, const char *text, struct robot_storage *memory)
{
    struct robot_storage read = {0};
    uint64_t size, hash, byte;
    if (!read_word(&text, MAGIC))
        return "the file is empty";
    if (!read_word(&text, "robot ") || !read_word(&text, type) || !read_word(&text, "\n"))
        return "it belongs to another robot type";
    if (!read_word(&text, "bytes ") || !read_digits(&text, 10, &size) || size == 0 ||
        size > ROBOT_STORAGE_MAX || !read_word(&text, "\nhash ") ||
        !read_digits(&text, 16, &hash) || !read_word(&text, "\n"))
        return "the header is damaged";
    for (read.size = 0; read.size < size; read.size++) {
        if (!read_digits(&text, 16, &byte) || byte > 0xff || (*text != ' ' && *text != '\n'))
            return "bytes are missing or damaged";
        read.bytes[read.size] = (uint8_t)byte;
        text++;
    }
    if (*text != '\0' || hash_of(&read) != hash)
        return "the checksum does not match";
    *memory = read;
    return NULL;
}

/* ---- Loading ---- */

/* Paths in a scene are relative to the scene's folder. */
static bool find_path(const struct scene *scene, const struct scene_robot *robot,
                      char path[PATH_MAX], struct error *error)
{
    const char *slash = strrchr(scene->file, '/');
    int folder = slash && robot->storage[0] != '/' ? (int)(slash + 1 - scene->file) : 0;
    char wanted[PATH_MAX];
    int size = snprintf(wanted, sizeof wanted, "%.*s%s", folder, scene->file, robot->storage);
    bool is_cut = strlen(scene->file) + 1 == sizeof scene->file;
    if (size < 0 || (size_t)size >= sizeof wanted || (folder > 0 && is_cut))
        return error_set(error, "%s: the path of %s's storage is too long; give an absolute one",
                         scene->file, robot->name);
    // If the path is a symbolic link, its target is replaced, not the link.
    if (!realpath(wanted, path))
        memcpy(path, wanted, (size_t)size + 1);
    return true;
}

/* An erased memory is 0xFF throughout, whatever its size in the robot is. */
static void erase(struct robot_storage *memory)
{
    *memory = (struct robot_storage){.size = ROBOT_STORAGE_MAX};
    memset(memory->bytes, 0xff, sizeof memory->bytes);
}

/* Reads the whole file into TEXT, truncated to its size. False: errno has the reason. */
static bool read_file(const char *path, char text[STORAGE_TEXT_MAX])
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    size_t used = 0;
    ssize_t got = 1;
    if (fd < 0)
        return false;
    while (got > 0 && used < STORAGE_TEXT_MAX - 1) {
        got = read(fd, text + used, STORAGE_TEXT_MAX - 1 - used);
        used += got > 0 ? (size_t)got : 0;
    }
    int reason = errno;
    close(fd);
    errno = reason;
    text[used] = '\0';
    return got >= 0;
}

/* Rejects a file that replacing would destroy: a pipe, a device, a socket, and a file of another
 * program. An empty file contains nothing. A folder passes; reading it reports the error. */
static bool refuse_foreign(const char *path, const char *name, const char *found,
                           struct error *error)
{
    return error_set(error,
                     "%s: the storage of %s is %s, so ptybot does not replace it; name another "
                     "file: ptybot creates it if it does not exist",
                     path, name, found);
}

static bool is_special(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

static bool load(struct storage_file *file, const char *name, struct robot_storage *memory,
                 struct error *error)
{
    char text[STORAGE_TEXT_MAX];
    // Checked before opening, because opening alone moves some devices.
    if (is_special(file->path))
        return refuse_foreign(file->path, name, "no regular file", error);
    if (!read_file(file->path, text)) {
        return errno == ENOENT || error_set(error,
                                            "%s: the storage of %s cannot be read: %s; make it "
                                            "readable and writable, or name another file",
                                            file->path, name, strerror(errno));
    }
    const char *problem = read_text(file->type, text, memory);
    if (!problem)
        return true;
    if (text[0] != '\0' && strncmp(text, MAGIC, strlen(MAGIC)) != 0)
        return refuse_foreign(file->path, name, "a file of another kind", error);
    file->is_spoiled = true;
    erase(memory);
    terminal_say("%s: %s; %s starts with erased memory (all 0xFF) and may behave oddly until it is "
                 "configured. Remove the file to start with factory values.",
                 file->path, problem, name);
    return true;
}

struct storage *storage_open(const struct scene *scene, struct error *error)
{
    struct storage *storage = calloc(1, sizeof *storage);
    if (!storage || !(storage->loaded = calloc(scene->robot_count, sizeof *storage->loaded)) ||
        !(storage->files = calloc(scene->robot_count, sizeof *storage->files))) {
        error_set(error, "not enough memory for the storage of %zu robots", scene->robot_count);
        goto fail;
    }
    storage->count = scene->robot_count;
    for (size_t i = 0; i < scene->robot_count; i++) {
        const struct scene_robot *robot = &scene->robots[i];
        struct storage_file *file = &storage->files[i];
        file->type = robot->type->name;
        if (robot->storage[0] == '\0')
            continue;
        if (!find_path(scene, robot, file->path, error) ||
            !load(file, robot->name, &storage->loaded[i], error))
            goto fail;
    }
    return storage;
fail:
    storage_close(storage, NULL);
    return NULL;
}

const struct robot_storage *storage_loaded(const struct storage *storage)
{
    return storage->loaded;
}

/* ---- Saving ---- */

/* The name of a file in the folder of a storage file: the first name, or alternative NUMBER if that
 * exists. */
static void name_beside(const struct storage_file *file, const char *ending, int number,
                        char path[PATH_SIZE])
{
    if (number == 0)
        snprintf(path, PATH_SIZE, "%s.%s", file->path, ending);
    else
        snprintf(path, PATH_SIZE, "%s.%s%d", file->path, ending, number);
}

/* Creates a new file in the folder of the storage file. Negative: errno has the reason. */
static int open_beside(const struct storage_file *file, char path[PATH_SIZE])
{
    int fd = -1;
    errno = EEXIST;
    for (int i = 0; fd < 0 && errno == EEXIST && i < BESIDE_MAX; i++) {
        name_beside(file, "new", i, path);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return fd;
}

/* Gives the existing file a new, unused name. It may keep its first name as well, until that is
 * replaced. */
static bool set_aside(const struct storage_file *file)
{
    char aside[PATH_SIZE];
    int done = -1;
    errno = EEXIST;
    for (int i = 0; done != 0 && errno == EEXIST && i < BESIDE_MAX; i++) {
        name_beside(file, "bad", i, aside);
        done = link(file->path, aside);
        // The file system has no hard links.
        if (done != 0 && (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS))
            done = access(aside, F_OK) == 0 ? (errno = EEXIST, -1) : rename(file->path, aside);
    }
    return done == 0 || errno == ENOENT;
}

/* Writes a new file in the same folder, then renames it to replace the old file. False: errno has
 * the reason. */
static bool replace(struct storage_file *file, const char *text, size_t size)
{
    char fresh[PATH_SIZE];
    int fd = open_beside(file, fresh);
    if (fd < 0)
        return false;
    bool is_written = file_bytes_write(fd, text, size) == size;
    int reason = errno;
    if (close(fd) != 0 && is_written) {
        is_written = false;
        reason = errno;
    }
    if (is_written && file->is_spoiled)
        file->is_spoiled = !set_aside(file);
    if (is_written && !file->is_spoiled && rename(fresh, file->path) == 0)
        return true;
    reason = is_written ? errno : reason;
    unlink(fresh);
    errno = reason;
    return false;
}

/* Saves one memory. Returns whether it succeeded. */
static bool save(struct storage_file *file, const char *name, const struct robot_storage *memory)
{
    char text[STORAGE_TEXT_MAX];
    size_t size = write_text(file->type, memory, text);
    if (replace(file, text, size)) {
        if (file->is_warned)
            terminal_say("%s: the storage of %s is saved again", file->path, name);
        file->is_warned = false;
        return true;
    }
    if (!file->is_warned) {
        terminal_say("%s: the storage of %s cannot be saved: %s; its folder must exist and be "
                     "writable. ptybot retries until the end of the run.",
                     file->path, name, strerror(errno));
        file->is_warned = true;
    }
    return false;
}

static void save_all(struct storage *storage, struct sim *sim)
{
    for (size_t i = 0; i < storage->count; i++) {
        const struct robot_storage *memory = sim_robot_storage(sim, i);
        if (storage->files[i].path[0] && memory && memory->is_dirty &&
            save(&storage->files[i], sim_robot_name(sim, i), memory))
            sim_storage_saved(sim, i);
    }
}

void storage_visit(struct storage *storage, struct sim *sim, int64_t now_ns)
{
    if (now_ns < storage->due_ns)
        return;
    storage->due_ns = now_ns + SAVE_PERIOD_NS;
    save_all(storage, sim);
}

void storage_close(struct storage *storage, struct sim *sim)
{
    if (!storage)
        return;
    if (sim)
        save_all(storage, sim);
    free(storage->loaded);
    free(storage->files);
    free(storage);
}
