/* Finds scenes by name, and reads them with their maps and floors from files. */
#include "app/files/scene_file.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/files/file_bytes.h"
#include "app/files/image.h"
#include "app/files/robot_object_file.h"
#include "app/links/live.h"
#include "base/text.h"
#include "protocols/registry.h"
#include "sim/body/body_file.h"
#include "sim/parse/scene_map.h"
#include "sim/parse/scene_parse.h"
#include "sim/step/create.h"

/* ---- Maps and floors ---- */

enum { IMAGE_BYTES_MAX = 1 << 28 }; /* chosen: size of the largest uncompressed image */

static bool fail(const struct scene *scene, const char *key, struct error *error, const char *path,
                 const char *sentence)
{
    struct scene_place place = strcmp(key, "map") == 0 ? scene->map_place : scene->floor_place;
    return scene_fail(scene, place, error, "world.%s: %s: %s", key, path, sentence);
}

/* The path of NAME, relative to the folder of the file BESIDE. */
static void resolve(const char *beside, const char *name, char *path, size_t size)
{
    const char *slash = strrchr(beside, '/');
    int folder = slash && name[0] != '/' ? (int)(slash - beside) + 1 : 0;
    snprintf(path, size, "%.*s%s", folder, beside, name);
}

/* The bytes of a file that a scene names. Reads the file and adds it to SOURCES; if IS_AGAIN, only
 * searches SOURCES. The caller frees the bytes. NULL, with the reason in ERROR. */
static char *read_source(struct scene_source **sources, bool is_again, const char *path,
                         size_t most, size_t *size, struct error *error)
{
    const struct scene_source *known = scene_source_find(*sources, path);
    if (!is_again) {
        char *bytes = file_bytes_read(path, most, size, error);
        if (!bytes || known || scene_source_add(sources, path, bytes, *size))
            return bytes;
        free(bytes);
        return error_null(error_set(error, "not enough memory to keep it"));
    }
    char *bytes = known && known->size <= most ? malloc(known->size + 1) : NULL;
    *size = bytes ? known->size : 0;
    if (bytes)
        memcpy(bytes, known->bytes, known->size);
    else
        error_set(error, known ? "not enough memory to read it" : "no such file");
    return bytes;
}

static char *read_named(struct scene *scene, const char *path, size_t most, size_t *size,
                        struct error *error)
{
    return read_source(&scene->sources, scene->is_from_sources, path, most, size, error);
}

/* Reads a picture. Returns its pixels, which the caller frees, or NULL. */
static uint8_t *read_picture(struct scene *scene, const char *key, const char *path, bool is_gray,
                             struct scene_pixels *picture, struct error *error)
{
    size_t size;
    struct error why;
    uint8_t *pixels = NULL;
    char *bytes = read_named(scene, path, IMAGE_BYTES_MAX, &size, &why);
    if (bytes)
        pixels = image_decode((const uint8_t *)bytes, size, is_gray, picture, &why);
    free(bytes);
    if (!pixels)
        fail(scene, key, error, path, why.text);
    return pixels;
}

static bool read_map(struct scene *scene, const char *scene_path, struct error *error)
{
    char path[PATH_MAX], image[PATH_MAX];
    struct scene_map map = {0};
    struct scene_pixels picture = {0};
    size_t size;
    resolve(scene_path, scene->map, path, sizeof path);
    struct error why;
    char *bytes = read_named(scene, path, SCENE_BYTES_MAX, &size, &why);
    if (!bytes)
        return fail(scene, "map", error, path, why.text);
    bool is_good = scene_map_parse(&map, bytes, size, path, error);
    free(bytes);
    if (!is_good)
        return false;
    resolve(path, map.image, image, sizeof image);
    uint8_t *pixels = read_picture(scene, "map", image, false, &picture, error);
    if (!pixels)
        return false;
    is_good = scene_map_apply(scene, &map, &picture, error);
    free(pixels);
    return is_good;
}

static bool read_floor(struct scene *scene, const char *scene_path, struct error *error)
{
    char path[PATH_MAX];
    struct scene_pixels picture = {0};
    resolve(scene_path, scene->floor_image, path, sizeof path);
    uint8_t *pixels = read_picture(scene, "floor_image", path, true, &picture, error);
    scene->floor = (struct scene_floor){pixels, picture.width, picture.height};
    return pixels != NULL;
}

bool scene_file_check_script(const struct scene *scene, struct error *error)
{
    const struct run_rows rows = live_rows(NULL);
    return sim_check_script(scene, &rows, error);
}

/* Reads the map and the floor picture that a scene names, if any, from the folder of the scene
 * file. Then checks the timeline and the expectations, which may depend on them. */
static bool complete(struct scene *scene, const char *scene_path, struct error *error)
{
    return (scene->map[0] == '\0' || read_map(scene, scene_path, error)) &&
           (scene->floor_image[0] == '\0' || read_floor(scene, scene_path, error)) &&
           scene_file_check_script(scene, error);
}

/* ---- Robots of the user ---- */

/* How to create a scene: from files or again from its sources, and whether it may load code. */
struct making {
    struct scene_source *sources;
    bool is_again, allows_code;
    const char *path; /* path of the scene */
};

/* Records which object a scene loads, or checks that it is the recorded one. */
static bool note_object(struct making *making, const char *path, struct error *error)
{
    char mark[128];
    if (!robot_object_mark(path, mark, sizeof mark, error))
        return false;
    const struct scene_source *known = scene_source_find(making->sources, path);
    if (!making->is_again && !known)
        return scene_source_add(&making->sources, path, mark, strlen(mark)) ||
               error_set(error, "not enough memory to keep it");
    if (known && known->size == strlen(mark) && memcmp(known->bytes, mark, known->size) == 0)
        return true;
    return error_set(error, "the object has changed since the recording: %.*s, not %.*s",
                     (int)strlen(mark) - 1, mark, known ? (int)known->size - 1 : 0,
                     known ? known->bytes : "");
}

static struct custom_robot *read_object(struct making *making, const char *path, const char *name,
                                        struct error *error)
{
    if (!making->allows_code) {
        return error_null(error_set(
            error, "the object contains code, which runs with your rights. `run` and `test` "
                   "load it; other subcommands need --allow-code"));
    }
    return note_object(making, path, error) ? robot_object_load(path, name, error) : NULL;
}

static struct custom_robot *parse_body(const char *bytes, size_t size, const char *path,
                                       struct error *error)
{
    struct custom_robot *own = custom_robot_parse(bytes, size, path, error);
    if (own && own->old_appearance)
        terminal_say("warning: %s: looks is now appearance; the next release removes the old name",
                     path);
    return own;
}

/* Creates the type that WORD of a scene names. NULL, with the reason in ERROR. */
static struct custom_robot *read_type(struct making *making, const struct scene_type_word *word,
                                      struct error *error)
{
    char file[SCENE_PATH_MAX], path[PATH_MAX];
    const char *name = NULL;
    size_t size;
    struct error why;
    struct custom_robot *own = NULL;
    bool is_object = robot_object_split(word->word, file, sizeof file, &name);
    resolve(making->path, is_object ? file : word->word, path, sizeof path);
    if (is_object) {
        own = read_object(making, path, name, &why);
    } else {
        char *bytes =
            read_source(&making->sources, making->is_again, path, SCENE_BYTES_MAX, &size, &why);
        own = bytes ? parse_body(bytes, size, path, error) : NULL;
        free(bytes);
        if (bytes)
            return own;
    }
    if (!own)
        error_set(error, "%s:%u:%u: type: %s: %s", making->path, word->place.line,
                  word->place.column, path, why.text);
    return own;
}

/* Creates the types of the files that a scene names, and inserts them before LIST. False, with the
 * reason in ERROR; the types created so far stay in LIST. */
static bool read_types(struct making *making, struct custom_robot **list, struct error *error)
{
    size_t count;
    bool is_good = true;
    struct scene_type_word *words =
        scene_type_words(making->sources->bytes, making->sources->size, &count);
    for (size_t i = 0; i < count && is_good; i++) {
        struct custom_robot *own = read_type(making, &words[i], error);
        is_good = own != NULL;
        if (!own)
            continue;
        snprintf(own->word, sizeof own->word, "%s", words[i].word);
        own->next = *list;
        *list = own;
    }
    free(words);
    return is_good;
}

/* ---- Scenes ---- */

/* Creates a scene from its own text, which is the first source, and from the files that it names.
 * Takes over the sources. */
static struct scene *make(struct making making, struct error *error)
{
    struct scene *scene = NULL;
    struct custom_robot *own = NULL;
    const struct scene_source *text = making.sources;
    making.path = text->path;
    bool is_printable = text_control(making.path, strlen(making.path)) < 0;
    if (!is_printable) { // it is a part of messages, reports and journals, which are lines
        error_set(error, "%s: the name of this file has control characters: rename it",
                  making.path);
    } else if (scene_is_body(text->bytes, text->size)) {
        own = parse_body(text->bytes, text->size, text->path, error);
        scene = own ? scene_of_custom(own, error) : NULL;
    } else if (read_types(&making, &own, error)) {
        scene = scene_parse_own(text->bytes, text->size, text->path, own, error);
    } else {
        custom_robot_free(&own);
    }
    if (!scene) {
        scene_source_free(&making.sources);
        return NULL;
    }
    scene->sources = making.sources;
    scene->is_from_sources = making.is_again;
    if (complete(scene, making.path, error))
        return scene;
    scene_destroy(scene);
    return NULL;
}

struct scene *scene_file_reopen(struct scene_source *sources, bool allows_code, struct error *error)
{
    return make((struct making){.sources = sources, .is_again = true, .allows_code = allows_code},
                error);
}

static struct scene *read_scene(const char *path, bool allows_code, struct error *error)
{
    size_t size;
    struct making making = {.allows_code = allows_code};
    char *bytes = file_bytes_read(path, SCENE_BYTES_MAX, &size, error);
    if (!bytes)
        return error_null(error_prefix(error, "%s: ", path));
    if (size > 4 &&
        memcmp(bytes, "\n\r\r\n", 4) == 0) { // the section block that begins a pcapng file
        free(bytes);
        return error_null(
            error_set(error,
                      "%s is a recording; give a scene or a robot. To compare two runs of a "
                      "driver, `diff` the output of `ptybot decode`",
                      path));
    }
    bool is_noted = scene_source_add(&making.sources, path, bytes, size);
    free(bytes);
    if (is_noted)
        return make(making, error);
    return error_null(error_set(error, "%s: not enough memory to keep it", path));
}

struct scene *scene_file_read(const char *path, struct error *error)
{
    return read_scene(path, false, error);
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
    const char *names[TEXT_WORDS_MAX];
    registry_names(names);
    const char *near = text_nearest(names, word);
    return error_set(error, "there is no scene file, installed scene or robot type '%s'%s", word,
                     TEXT_MEANT(near, "see `ptybot list scenes` and `ptybot list robots`"));
}

/* Whether there is an installed scene NAME. Writes the path of its file to PATH. */
static bool is_installed(const char *name, char path[2 * PATH_MAX])
{
    char folder[PATH_MAX];
    program_scene_folder(folder, sizeof folder);
    snprintf(path, (size_t)2 * PATH_MAX, "%s/%s.yaml", folder, name);
    return *folder && is_file(path);
}

bool scene_file_is_name(const char *word)
{
    char path[2 * PATH_MAX];
    return registry_find(word) || is_installed(word, path);
}

bool scene_file_is_body(const char *path)
{
    size_t size;
    char *bytes = file_bytes_read(path, SCENE_BYTES_MAX, &size, &(struct error){0});
    bool is_body = bytes && scene_is_body(bytes, size);
    free(bytes);
    return is_body;
}

/* Reports that the file WORD does not exist. Adds a hint if its stem is the name of an installed
 * scene. */
static struct scene *missing(const char *word, struct error *error)
{
    char name[NAME_MAX + 1], path[2 * PATH_MAX];
    size_t size;
    const char *stem = text_stem(word, &size);
    snprintf(name, sizeof name, "%.*s", (int)size, stem);
    error_set(error, "%s: %s", word, strerror(ENOENT));
    if (*name && is_installed(name, path))
        error_set(error,
                  "%s: %s; there is an installed scene of that name: give '%s' without a folder",
                  word, strerror(ENOENT), name);
    return NULL;
}

struct scene *scene_file_find(const char *word, bool allows_code, struct error *error)
{
    char path[2 * PATH_MAX];
    if (is_path(word) && access(word, F_OK) != 0 && errno == ENOENT)
        return missing(word, error);
    if (is_path(word) || is_file(word))
        return read_scene(word, allows_code, error);
    if (is_installed(word, path))
        return read_scene(path, allows_code, error);
    if (registry_find(word))
        return scene_of_type(word, error);
    // A folder or a pipe: reading it reports the error.
    if (*word && access(word, F_OK) == 0)
        return read_scene(word, allows_code, error);
    nothing(word, error);
    return NULL;
}

const struct robot_type *scene_file_type(const char *word, struct scene **own, struct error *error)
{
    const struct robot_type *type = registry_find(word);
    *own = type || !strchr(word, '.') ? NULL : scene_file_find(word, false, error);
    const struct scene_robot *robot = *own ? (*own)->robots : NULL;
    if (!robot ||
        ((*own)->own && (*own)->robot_count == 1 && strcmp(robot->name, robot->type->name) == 0))
        return robot ? robot->type : type;
    return error_null(
        error_set(error,
                  "%s is a scene; give a robot type or a body file. In a run, `ptybot ctl list` "
                  "prints the names of the scene",
                  word));
}
