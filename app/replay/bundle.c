/* A bundle is a list of parts:
 *
 *     ptybot-bundle 1
 *     KIND TITLE_SIZE SIZE
 *     TITLE BYTES
 *
 * with a newline after each part. Binary numbers are little-endian, as on all machines with
 * browsers and in WebAssembly. */
#include "app/replay/bundle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/body/body_file.h"
#include "sim/parse/scene_parse.h"
#include "sim/yaml/scene_tree.h"

#define MAGIC "ptybot-bundle 1\n"

enum part_kind {
    PART_SCENE,   /* path; tree of the scene, or of the body file if that is the whole scene */
    PART_TYPE,    /* name of the robot type that is the whole scene */
    PART_WORD,    /* text of the scene that names the next robot */
    PART_ROBOT,   /* path; tree of a body file */
    PART_MAP,     /* struct map_room, and a pair of struct vec2 per wall */
    PART_FLOOR,   /* "WIDTH HEIGHT"; one byte per pixel */
    PART_SET,     /* an option set by --set */
    PART_SEED,    /* in decimal */
    PART_JOURNAL, /* its bytes */
    PART_KINDS,
};

struct map_room {
    struct vec2 low;
    double size_x_m, size_y_m;
};

/* ---- Packing ---- */

struct packing {
    char *bytes;
    size_t used, room;
    bool is_short; /* of memory */
};

static void add_bytes(struct packing *packing, const void *bytes, size_t size)
{
    packing->is_short |= !array_reserve(&packing->bytes, &packing->room, packing->used + size, 1);
    if (packing->is_short || size == 0)
        return;
    memcpy(packing->bytes + packing->used, bytes, size);
    packing->used += size;
}

static void add(struct packing *packing, enum part_kind kind, const char *title, const void *bytes,
                size_t size)
{
    char head[64];
    int wrote = snprintf(head, sizeof head, "%d %zu %zu\n", (int)kind, strlen(title), size);
    add_bytes(packing, head, (size_t)wrote);
    add_bytes(packing, title, strlen(title));
    add_bytes(packing, bytes, size);
    add_bytes(packing, "\n", 1);
}

static bool add_tree(struct packing *packing, enum part_kind kind,
                     const struct scene_source *source, struct error *error)
{
    struct scene_tree tree;
    size_t size;
    if (!scene_tree_read(&tree, source->bytes, source->size, source->path, NULL, error))
        return false;
    char *packed = scene_tree_pack(&tree, &size);
    scene_tree_free(&tree);
    if (packed)
        add(packing, kind, source->path, packed, size);
    else
        packing->is_short = true;
    free(packed);
    return true;
}

static bool add_robots(struct packing *packing, const struct scene *scene, struct error *error)
{
    for (const struct custom_robot *own = scene->own; own; own = own->next) {
        const struct scene_source *source = scene_source_find(scene->sources, own->file);
        if (own->object)
            return error_set(error,
                             "its robot type %s is a shared object, which no browser can load",
                             own->word);
        if (!source)
            return error_set(error, "the path of %s is too long", own->file);
        add(packing, PART_WORD, own->word, NULL, 0);
        if (!add_tree(packing, PART_ROBOT, source, error))
            return false;
    }
    return true;
}

/* The walls of a map: a page does not decode pictures. */
static void add_map(struct packing *packing, const struct scene *scene)
{
    struct packing map = {0};
    const struct map_room room = {scene->low, scene->size_x_m, scene->size_y_m};
    add_bytes(&map, &room, sizeof room);
    for (size_t i = 0; i < scene->wall_count; i++)
        if (scene->walls[i].is_border) {
            add_bytes(&map, &scene->walls[i].from, sizeof(struct vec2));
            add_bytes(&map, &scene->walls[i].to, sizeof(struct vec2));
        }
    packing->is_short = packing->is_short || map.is_short;
    add(packing, PART_MAP, "", map.bytes, map.used);
    free(map.bytes);
}

static bool add_scene(struct packing *packing, const struct scene *scene, struct error *error)
{
    const struct scene_source *source = scene->sources;
    if (!source) {
        add(packing, PART_TYPE, scene->robots[0].type->name, NULL, 0);
        return true;
    }
    bool is_body = scene_is_body(source->bytes, source->size);
    if ((!is_body && !add_robots(packing, scene, error)) ||
        !add_tree(packing, PART_SCENE, source, error))
        return false;
    if (scene->has_map)
        add_map(packing, scene);
    if (scene->floor.gray) {
        char title[64];
        snprintf(title, sizeof title, "%zu %zu", scene->floor.width, scene->floor.height);
        add(packing, PART_FLOOR, title, scene->floor.gray,
            scene->floor.width * scene->floor.height);
    }
    return true;
}

char *bundle_pack(const struct bundle *bundle, size_t *size, struct error *error)
{
    char seed[32];
    struct packing packing = {0};
    add_bytes(&packing, MAGIC, strlen(MAGIC));
    bool is_good = add_scene(&packing, bundle->scene, error);
    for (size_t i = 0; i < bundle->set_count; i++)
        add(&packing, PART_SET, bundle->sets[i], NULL, 0);
    snprintf(seed, sizeof seed, "%" PRIu64, bundle->scene->seed);
    add(&packing, PART_SEED, seed, NULL, 0);
    if (bundle->journal)
        add(&packing, PART_JOURNAL, "", bundle->journal, bundle->journal_size);
    *size = packing.used;
    if (is_good && packing.is_short)
        error_set(error, "not enough memory for a page");
    if (is_good && !packing.is_short)
        return packing.bytes;
    free(packing.bytes);
    return NULL;
}

/* ---- Parts ---- */

struct part {
    enum part_kind kind;
    char title[SCENE_LINE_MAX * 2];
    const char *bytes;
    size_t size;
};

/* Reads a number, and the byte after it. */
static bool read_number(const char *bytes, size_t size, size_t *at, size_t *value)
{
    size_t start = *at;
    for (*value = 0; *at < size && bytes[*at] >= '0' && bytes[*at] <= '9' && *value < size; ++*at)
        *value = *value * 10 + (size_t)(bytes[*at] - '0');
    return *at > start && (*at)++ < size;
}

/* Reads the part at *AT, and moves *AT past it. False: there is no complete part. */
static bool next_part(const char *bytes, size_t size, size_t *at, struct part *part)
{
    size_t kind, title_size;
    if (*at == 0 && (size < strlen(MAGIC) || memcmp(bytes, MAGIC, strlen(MAGIC)) != 0))
        return false;
    if (*at == 0)
        *at = strlen(MAGIC);
    if (!read_number(bytes, size, at, &kind) || !read_number(bytes, size, at, &title_size) ||
        !read_number(bytes, size, at, &part->size) || kind >= PART_KINDS ||
        title_size >= sizeof part->title || *at > size || title_size > size - *at ||
        part->size >= size - *at - title_size)
        return false;
    part->kind = (enum part_kind)kind;
    memcpy(part->title, bytes + *at, title_size);
    part->title[title_size] = '\0';
    part->bytes = bytes + *at + title_size;
    *at += title_size + part->size + 1;
    return true;
}

const char *bundle_journal(const char *bytes, size_t size, size_t *journal_size)
{
    struct part part;
    for (size_t at = 0; next_part(bytes, size, &at, &part);)
        if (part.kind == PART_JOURNAL) {
            *journal_size = part.size;
            return part.bytes;
        }
    return NULL;
}

/* ---- The scene ---- */

struct taking {
    struct custom_robot *own; /* owned here until the scene takes them */
    struct custom_robot **last;
    char word[SCENE_PATH_MAX];
    struct scene *scene;
};

static bool take_robot(struct taking *taking, const struct part *part, struct error *error)
{
    struct custom_robot *own = custom_robot_parse(part->bytes, part->size, part->title, error);
    if (!own)
        return false;
    snprintf(own->word, sizeof own->word, "%s", taking->word);
    *taking->last = own;
    taking->last = &own->next;
    return true;
}

static bool take_scene(struct taking *taking, const struct part *part, struct error *error)
{
    if (!scene_is_body(part->bytes, part->size)) {
        taking->scene = scene_parse_own(part->bytes, part->size, part->title, taking->own, error);
        taking->own = NULL;
    } else {
        struct custom_robot *own = custom_robot_parse(part->bytes, part->size, part->title, error);
        taking->scene = own ? scene_of_custom(own, error) : NULL;
    }
    return taking->scene;
}

static bool take_map(struct scene *scene, const struct part *part)
{
    struct map_room room;
    size_t each = 2 * sizeof(struct vec2);
    if (part->size < sizeof room)
        return false;
    size_t count = (part->size - sizeof room) / each;
    struct scene_wall *walls =
        realloc(scene->walls, (scene->wall_count + count + 1) * sizeof *walls);
    if (!walls)
        return false;
    memcpy(&room, part->bytes, sizeof room);
    scene->low = room.low;
    scene->size_x_m = room.size_x_m;
    scene->size_y_m = room.size_y_m;
    scene->walls = walls;
    scene->has_map = true;
    for (size_t i = 0; i < count; i++) {
        struct scene_wall *wall = &walls[scene->wall_count++];
        const char *from = part->bytes + sizeof room + i * each;
        *wall = (struct scene_wall){.is_border = true, .place = scene->map_place};
        memcpy(&wall->from, from, sizeof wall->from);
        memcpy(&wall->to, from + sizeof wall->from, sizeof wall->to);
    }
    return true;
}

static bool take_floor(struct scene *scene, const struct part *part)
{
    size_t at = 0;
    struct scene_floor floor = {0};
    if (!read_number(part->title, strlen(part->title) + 1, &at, &floor.width) ||
        !read_number(part->title, strlen(part->title) + 1, &at, &floor.height) ||
        floor.width == 0 || floor.height == 0 || part->size / floor.width != floor.height)
        return false;
    floor.gray = malloc(part->size);
    if (!floor.gray)
        return false;
    memcpy(floor.gray, part->bytes, part->size);
    free(scene->floor.gray);
    scene->floor = floor;
    return true;
}

/* False: the part is damaged, or there is no memory; ERROR has details if they are known. */
static bool take(struct taking *taking, const struct part *part, struct error *error)
{
    bool has_scene = taking->scene != NULL;
    switch (part->kind) {
    case PART_WORD:
        snprintf(taking->word, sizeof taking->word, "%.*s", (int)sizeof taking->word - 1,
                 part->title);
        return true;
    case PART_ROBOT:
        return !has_scene && take_robot(taking, part, error);
    case PART_SCENE:
        return !has_scene && take_scene(taking, part, error);
    case PART_TYPE:
        taking->scene = has_scene ? taking->scene : scene_of_type(part->title, error);
        return !has_scene && taking->scene;
    case PART_MAP:
        return has_scene && take_map(taking->scene, part);
    case PART_FLOOR:
        return has_scene && take_floor(taking->scene, part);
    case PART_SET:
        return has_scene && scene_set(taking->scene, part->title, error);
    case PART_SEED:
        if (has_scene)
            taking->scene->seed = strtoull(part->title, NULL, 10);
        return has_scene;
    default:
        return true;
    }
}

struct scene *bundle_scene(const char *bytes, size_t size, struct error *error)
{
    struct taking taking = {0};
    struct part part;
    bool is_good = true;
    taking.last = &taking.own;
    error_set(error, "the bundle is damaged, or there is not enough memory");
    for (size_t at = 0; is_good && next_part(bytes, size, &at, &part);)
        is_good = take(&taking, &part, error);
    custom_robot_free(&taking.own);
    if (is_good && taking.scene)
        return taking.scene;
    scene_destroy(taking.scene);
    return NULL;
}
