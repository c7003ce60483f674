/* Scenes by name, and their files read. */
#include "sim/app/scene_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocols/robot_types.h"
#include "sim/app/map_file.h"
#include "sim/app/program.h"

static const char *kind_of(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISFIFO(mode))
        return "a pipe";
    if (S_ISSOCK(mode))
        return "a socket";
    return "a device";
}

/* Reads up to CAP bytes. Returns how many, or -1. */
static ssize_t read_all(int fd, char *bytes, size_t cap)
{
    size_t size = 0;
    while (size < cap) {
        ssize_t got = read(fd, bytes + size, cap - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        size += (size_t)got;
    }
    return (ssize_t)size;
}

static struct scene *parse(int fd, const char *path, struct error *error)
{
    // One byte more than allowed, so that the parser sees what is too much.
    enum { CAP = SCENE_BYTES_MAX + 1 };
    struct scene *scene = NULL;
    char *bytes = malloc(CAP);
    ssize_t size = bytes ? read_all(fd, bytes, CAP) : -1;
    if (!bytes)
        error_set(error, "%s: not enough memory to read it", path);
    else if (size < 0)
        error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    else
        scene = scene_parse(bytes, (size_t)size, path, error);
    bool is_noted = !scene || scene_source_add(&scene->sources, path, bytes, (size_t)size) ||
                    error_set(error, "%s: not enough memory to keep it", path);
    free(bytes);
    if (scene && (!is_noted || !map_file_read(scene, path, error))) {
        scene_destroy(scene);
        return NULL;
    }
    return scene;
}

struct scene *scene_file_again(struct scene_source *sources, struct error *error)
{
    struct scene *scene = scene_parse(sources->bytes, sources->size, sources->path, error);
    if (!scene) {
        scene_source_free(&sources);
        return NULL;
    }
    scene->sources = sources;
    scene->is_from_sources = true;
    if (map_file_read(scene, sources->path, error))
        return scene;
    scene_destroy(scene);
    return NULL;
}

struct scene *scene_file_read(const char *path, struct error *error)
{
    struct stat found;
    struct scene *scene = NULL;
    // Without O_NONBLOCK a pipe would wait here for its writer.
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        // A socket has its own way to fail.
        const char *reason = errno == ENXIO ? "not a file" : strerror(errno);
        error_set(error, "%s: %s", path, reason);
        return NULL;
    }
    if (fstat(fd, &found) != 0)
        error_set(error, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(found.st_mode))
        error_set(error, "%s: this is %s; a scene is a file", path, kind_of(found.st_mode));
    else
        scene = parse(fd, path, error);
    close(fd);
    return scene;
}

static bool is_path(const char *word)
{
    size_t size = strlen(word);
    return strchr(word, '/') || (size > 5 && strcmp(word + size - 5, ".yaml") == 0) ||
           (size > 4 && strcmp(word + size - 4, ".yml") == 0);
}

static bool is_file(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

static bool nothing(const char *word, struct error *error)
{
    const char *names[64] = {0};
    size_t count;
    const struct robot_type *const *types = robot_types(&count);
    for (size_t i = 0; i < count && i + 1 < sizeof names / sizeof names[0]; i++)
        names[i] = types[i]->name;
    const char *near = option_nearest_word(names, word);
    return error_set(error,
                     "there is no scene file, installed scene or robot type '%s'%s%s; see `ptybot "
                     "list scenes` and `ptybot list robots`",
                     word, near ? "; did you mean " : "", near ? near : "");
}

struct scene *scene_file_find(const char *word, struct error *error)
{
    if (is_path(word) || is_file(word))
        return scene_file_read(word, error);
    char folder[PATH_MAX], path[2 * PATH_MAX];
    program_scene_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%s.yaml", folder, word);
    if (*folder && is_file(path))
        return scene_file_read(path, error);
    if (robot_type_find(word))
        return scene_of_type(word, error);
    // A folder or a pipe of that name: reading it tells.
    if (*word && access(word, F_OK) == 0)
        return scene_file_read(word, error);
    nothing(word, error);
    return NULL;
}
