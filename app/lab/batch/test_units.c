/* Lists the tests of a batch. */
#include "app/lab/batch/test_units.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/cli/terminal.h"
#include "app/files/scene_file.h"
#include "base/hash.h"
#include "base/text.h"
#include "sim/parse/scene_parse.h"

enum {
    SEEDS_MAX = 100000, /* chosen: more than a user would wait for */
    SHARDS_MAX = 10000,
};

bool test_units_is_folder(const char *word)
{
    struct stat found;
    return (strchr(word, '/') || !scene_file_is_name(word)) && stat(word, &found) == 0 &&
           S_ISDIR(found.st_mode);
}

/* ---- Numbers ---- */

/* Reads an unsigned whole number. END becomes the text after it. */
static bool read_number(const char *text, int64_t max, int64_t *number, const char **end)
{
    char *stop;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoll(text, &stop, 10);
    *end = stop;
    return errno == 0 && *number <= max;
}

static bool read_pair(const char *text, const char *between, int64_t max, int64_t pair[2])
{
    const char *end;
    if (!read_number(text, max, &pair[0], &end) || strncmp(end, between, strlen(between)) != 0)
        return false;
    return read_number(end + strlen(between), max, &pair[1], &end) && *end == '\0';
}

static bool read_seeds(const char *text, int64_t seeds[2], struct error *error)
{
    if (!*text)
        return true;
    if (!read_pair(text, "..", INT64_C(1) << 53, seeds) || seeds[1] < seeds[0] ||
        seeds[1] - seeds[0] >= SEEDS_MAX)
        return error_set(error,
                         "--seeds: '%s' is not a range; allowed: A..B, whole numbers from 0 to "
                         "2^53, A not above B, at most %d of them",
                         text, SEEDS_MAX);
    return true;
}

static bool read_shard(const char *text, int64_t shard[2], struct error *error)
{
    if (!*text)
        return true;
    if (!read_pair(text, "/", SHARDS_MAX, shard) || shard[0] < 1 || shard[0] > shard[1])
        return error_set(error,
                         "--shard: '%s' is not a shard; allowed: I/N, the part number I of N, from "
                         "1/N to N/N, N at most %d",
                         text, SHARDS_MAX);
    return true;
}

/* ---- Scenes ---- */

struct scenes {
    char **paths;
    size_t count;
};

static void add_scene(struct scenes *scenes, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    const char *slash = *folder && folder[strlen(folder) - 1] != '/' ? "/" : "";
    char *path = terminal_need(malloc(size));
    snprintf(path, size, "%s%s%s", folder, slash, name);
    if (!array_append(&scenes->paths, &scenes->count, &path, sizeof path))
        terminal_need(NULL);
}

static int is_scene(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && dot != entry->d_name && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static bool add_folder(struct scenes *scenes, const char *folder, struct error *error)
{
    struct dirent **entries;
    size_t before = scenes->count;
    int count = scandir(folder, &entries, is_scene, versionsort);
    if (count < 0)
        return error_set(error, "%s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        add_scene(scenes, folder, entries[i]->d_name);
        if (scene_file_is_body(
                scenes->paths[scenes->count - 1])) // its scenes are in the same folder
            free(scenes->paths[--scenes->count]);
        free(entries[i]);
    }
    free(entries);
    return scenes->count > before ||
           error_set(error, "%s: there is no scene (*.yaml) in this folder", folder);
}

/* ---- Units ---- */

/* A unique name for a scene: that of its file, with a number if files in two folders have the same
 * name. */
static void name_scene(const struct scenes *scenes, size_t index, char name[NAME_MAX])
{
    enum { BASE_MAX = 150 }; // chosen: leaves room for a seed
    bool is_shared = false;
    size_t length, other_length;
    const char *base = text_stem(scenes->paths[index], &length);
    for (size_t i = 0; i < index && !is_shared; i++) {
        const char *other = text_stem(scenes->paths[i], &other_length);
        is_shared = other_length == length && strncmp(other, base, length) == 0;
    }
    int size = length < BASE_MAX ? (int)length : BASE_MAX;
    if (is_shared)
        snprintf(name, NAME_MAX, "%.*s-%zu", size, base, index + 1);
    else
        snprintf(name, NAME_MAX, "%.*s", size, base);
    text_guard(name);
}

static struct test_unit *add_unit(struct test_units *units, const char *scene)
{
    if (!array_reserve(&units->units, &units->room, units->count + 1, sizeof *units->units))
        terminal_need(NULL);
    struct test_unit *unit = &units->units[units->count++];
    *unit = (struct test_unit){.scene = terminal_need(strdup(scene))};
    return unit;
}

/* The sweep texts of a scene: its own, those of the command line, then the seeds. */
struct texts {
    const char *texts[SCENE_SWEEPS_MAX + ARGUMENTS_REPEATS_MAX + 1];
    size_t count, own; /* OWN: those of the scene */
    char seeds[64];
};

static void collect(struct texts *texts, const struct scene *scene,
                    const struct test_units_options *options)
{
    snprintf(texts->seeds, sizeof texts->seeds, "seed %s", options->seeds);
    texts->count = 0;
    texts->own = scene ? scene->sweep_count : 0;
    if (*options->seeds && options->is_by_seed)
        texts->texts[texts->count++] = texts->seeds;
    for (size_t i = 0; i < texts->own; i++)
        texts->texts[texts->count++] = scene->sweeps[i];
    for (size_t i = 0; i < options->vary->count; i++)
        texts->texts[texts->count++] = options->vary->texts[i];
    if (*options->seeds && !options->is_by_seed)
        texts->texts[texts->count++] = texts->seeds;
}

static bool fail_text(const struct scene *scene, const struct texts *texts, size_t wrong,
                      struct error *error)
{
    if (scene && wrong < texts->own)
        return error_prefix(error, "%s:%u: sweep[%zu]: '%s': ", scene->file,
                            scene->sweep_place.line, wrong, texts->texts[wrong]);
    return error_prefix(error, "--vary '%s': ", wrong < texts->count ? texts->texts[wrong] : "...");
}

/* Whether the changes of a case give a valid scene. */
static bool check_case(const char *word, const struct sweep_case *one, struct error *error)
{
    struct scene *scene = scene_file_find(word, true, error);
    bool is_right = scene;
    for (size_t i = 0; is_right && i < one->set_count; i++)
        is_right =
            scene_set(scene, one->sets[i], error) || error_prefix(error, "%s: ", one->sets[i]);
    is_right = is_right && scene_check(scene, error) && scene_file_check_script(scene, error);
    scene_destroy(scene);
    return is_right || error_prefix(error, "%s: ", one->name);
}

static bool is_alone(const struct scene *scene)
{
    bool has_storage = false;
    for (size_t i = 0; i < scene->robot_count; i++)
        has_storage |= *scene->robots[i].storage != '\0';
    return scene->host_count == 0 && !has_storage;
}

static void note_better(struct test_units *units, const struct scene *scene)
{
    static const char *const words[] = {[SCENE_BETTER_LESS] = "less", [SCENE_BETTER_MORE] = "more"};
    for (size_t i = 0; scene && i < scene->measure_count; i++) {
        const struct scene_measure *measure = &scene->measures[i];
        if (measure->better != SCENE_BETTER_UNKNOWN &&
            json_object_set_new(units->better, measure->name,
                                json_string(words[measure->better])) != 0)
            terminal_need(NULL);
    }
}

static bool fill_scene(struct test_units *units, const char *path, const char *stem,
                       const struct test_units_options *options, struct error *error)
{
    static struct texts texts; // too large for a stack to like
    struct error ignored = {0};
    struct sweep sweep;
    struct scene *scene = scene_file_find(path, true, &ignored);
    size_t wrong;
    note_better(units, scene);
    collect(&texts, scene, options);
    // If a scene cannot be read, its case reports that, and only its seeds are used.
    size_t from = scene ? 0 : options->is_by_seed ? 0 : texts.count - (*options->seeds != '\0');
    size_t count = scene ? texts.count : *options->seeds != '\0';
    bool is_right = sweep_read(&sweep, scene, texts.texts + from, count, &wrong, error) ||
                    fail_text(scene, &texts, wrong, error);
    if (is_right && units->count + sweep.cases > SWEEP_CASES_MAX)
        is_right = error_set(error, "more than %d cases", SWEEP_CASES_MAX);
    for (size_t i = 0; is_right && i < sweep.cases; i++) {
        struct test_unit *unit = add_unit(units, path);
        is_right = sweep_case(&sweep, i, stem, &unit->varied, error);
        unit->name = terminal_need(strdup(unit->varied.name));
        unit->is_alone = !scene || is_alone(scene);
        if (is_right && (i == 0 || i + 1 == sweep.cases) && unit->varied.set_count > 0)
            is_right = check_case(path, &unit->varied, error);
    }
    if (is_right && !sweep_varied(&sweep, units->varied))
        terminal_need(NULL);
    sweep_free(&sweep);
    scene_destroy(scene);
    return is_right;
}

static bool fill(struct test_units *units, const struct scenes *scenes,
                 const struct test_units_options *options, struct error *error)
{
    bool is_right = true;
    units->varied = terminal_need(json_array());
    units->better = terminal_need(json_object());
    for (size_t i = 0; is_right && i < scenes->count; i++) {
        char stem[NAME_MAX];
        name_scene(scenes, i, stem);
        is_right = fill_scene(units, scenes->paths[i], stem, options, error);
    }
    units->all = units->count;
    return is_right;
}

/* ---- Data that all shards share ---- */

/* Hashes the bytes of a scene, not its path, which may differ between machines. */
static uint64_t hash_scene(uint64_t hash, const char *path)
{
    char bytes[4096];
    size_t size;
    FILE *file = fopen(path, "re");
    while (file && (size = fread(bytes, 1, sizeof bytes, file)) > 0)
        hash = hash_bytes(hash, bytes, size);
    if (file)
        fclose(file);
    return hash;
}

static void note_all(struct test_units *units, const struct scenes *scenes)
{
    char *varied = terminal_need(json_dumps(units->varied, 0));
    units->hash = hash_bytes(HASH_START, varied, strlen(varied));
    free(varied);
    units->names = terminal_need(calloc(units->all + 1, sizeof *units->names));
    for (size_t i = 0; i < units->all; i++) {
        units->units[i].number = i;
        units->names[i] = terminal_need(strdup(units->units[i].name));
        units->hash = hash_bytes(units->hash, units->names[i], strlen(units->names[i]) + 1);
        for (size_t k = 0; k < units->units[i].varied.set_count; k++)
            units->hash = hash_bytes(units->hash, units->units[i].varied.sets[k],
                                     strlen(units->units[i].varied.sets[k]) + 1);
    }
    for (size_t i = 0; i < scenes->count; i++)
        units->hash = hash_scene(units->hash, scenes->paths[i]);
}

static void free_unit(struct test_unit *unit)
{
    sweep_case_free(&unit->varied);
    free(unit->scene);
    free(unit->name);
}

/* Keeps every N-th test, so that adjacent long scenes go to different shards. */
bool test_units_keep(struct test_units *units, const char *text, struct error *error)
{
    size_t kept = 0;
    int64_t *shard = units->shard;
    if (!read_shard(text, shard, error))
        return false;
    for (size_t i = 0; i < units->count; i++)
        if (i % (size_t)shard[1] + 1 == (size_t)shard[0])
            units->units[kept++] = units->units[i];
        else
            free_unit(&units->units[i]);
    units->count = kept;
    return true;
}

bool test_units_list(struct test_units *units, const char *const *words, size_t count,
                     const struct test_units_options *options, struct error *error)
{
    struct scenes scenes = {0};
    int64_t range[2] = {0, 0};
    *units = (struct test_units){.shard = {1, 1}};
    bool is_right = read_seeds(options->seeds, range, error);
    for (size_t i = 0; is_right && i < count; i++)
        if (test_units_is_folder(words[i]))
            is_right = add_folder(&scenes, words[i], error);
        else
            add_scene(&scenes, "", words[i]);
    is_right = is_right && fill(units, &scenes, options, error);
    if (is_right)
        note_all(units, &scenes);
    for (size_t i = 0; i < scenes.count; i++)
        free(scenes.paths[i]);
    free(scenes.paths);
    if (!is_right)
        test_units_free(units);
    return is_right;
}

void test_units_free(struct test_units *units)
{
    for (size_t i = 0; i < units->count; i++)
        free_unit(&units->units[i]);
    for (size_t i = 0; units->names && i < units->all; i++)
        free(units->names[i]);
    free(units->names);
    free(units->units);
    json_decref(units->varied);
    json_decref(units->better);
    *units = (struct test_units){0};
}
