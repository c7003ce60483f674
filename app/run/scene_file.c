/* Scenes by name, and their files read. */
#include "app/run/scene_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/run/file_bytes.h"
#include "app/run/map_file.h"
#include "base/text.h"
#include "protocols/registry.h"

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
    size_t size;
    char *bytes = file_bytes_read(path, SCENE_BYTES_MAX, &size, error);
    if (!bytes) {
        error_prefix(error, "%s: ", path);
        return NULL;
    }
    struct scene *scene = scene_parse(bytes, size, path, error);
    bool is_noted = !scene || scene_source_add(&scene->sources, path, bytes, size) ||
                    error_set(error, "%s: not enough memory to keep it", path);
    free(bytes);
    if (scene && (!is_noted || !map_file_read(scene, path, error))) {
        scene_destroy(scene);
        return NULL;
    }
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
    const char *near = text_nearest(names, word);
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
