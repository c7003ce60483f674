/* Three ways to add a robot: built in, as a body file with its firmware, and as a shared object.
 * All three give the same bytes. And objects that are refused. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "app/files/robot_object_file.h"
#include "app/files/scene_file.h"
#include "base/hash.h"
#include "protocols/describe.h"
#include "sim/parse/scene_parse.h"
#include "sim/sim.h"
#include "tests/places.h"
#include "tests/support/folder.h"
#include "tests/support/own_types.h"

/* ---- The same bytes ---- */

static uint64_t hash_output(struct sim *sim, size_t channel, uint64_t hash)
{
    const uint8_t *bytes;
    size_t size;
    while (sim_output(sim, channel, &bytes, &size))
        hash = hash_bytes(hash, bytes, size);
    return hash;
}

/* One frame of each kind that the robot takes, one after the other. */
static void send_frame(struct sim *sim, const struct robot_type *type, size_t turn)
{
    uint8_t frame[DESCRIBE_EXAMPLE_MAX];
    size_t count = 0;
    while (type->packets[count])
        count++;
    const struct wire_packet *packet = count ? type->packets[turn % count] : NULL;
    if (!packet || packet->direction != WIRE_TO_ROBOT)
        return;
    size_t size = describe_example(type, 0, packet, frame);
    if (size > 0 && size <= sim_host_room(sim, 0))
        sim_host_bytes(sim, 0, frame, size);
}

struct life {
    uint64_t bytes, state;
    size_t pieces;
};

/* Two seconds of a robot. Its type is that of OWN, which this function frees, or the built-in NAME
 * if OWN is NULL. */
static struct life live(const char *name, struct custom_robot *own)
{
    struct error error = {0};
    char text[512];
    struct life outcome = {.bytes = HASH_START};
    if (own)
        snprintf(own->word, sizeof own->word, "./own.yaml");
    snprintf(text, sizeof text,
             "world: {size: {x: 3, y: 3}}\nrobots: [{name: a, type: %s, pose: {x: 1, y: 1}}]\n",
             own ? "./own.yaml" : name);
    struct scene *scene = scene_parse_own(text, strlen(text), "s.yaml", own, &error);
    struct sim *sim = scene ? sim_create(scene, NULL, NULL, &error) : NULL;
    if (!sim) {
        fail_msg("%s: %s", name, error.text);
        return outcome;
    }
    const struct robot_type *type = scene->robots[0].type;
    assert_int_equal(own != NULL, type == (own ? &own->type : NULL));
    for (size_t step = 0; step < 2000; step++) {
        if (step == 10)
            sim_host_present(sim, 0, true);
        if (step > 10 && step % 50 == 0)
            send_frame(sim, type, step / 50);
        sim_step(sim);
        outcome.bytes = hash_output(sim, 0, outcome.bytes);
    }
    outcome.state = sim_hash(sim);
    sim_destroy(sim);
    scene_destroy(scene);
    return outcome;
}

static void a_robot_is_the_same_through_each_door(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    struct custom_robot *list = own_of_all();
    for (size_t i = 0; i < count; i++) {
        struct custom_robot *body = list;
        if (!body)
            return;
        list = body->next;
        body->next = NULL;
        struct error error = {0};
        struct custom_robot *object =
            robot_object_load(PTYBOT_BUILT_IN_OBJECTS, types[i]->name, &error);
        if (!object) {
            fail_msg("%s: %s", types[i]->name, error.text);
            return;
        }
        assert_ptr_not_equal(object->type.tick, types[i]->tick); /* a separate copy of the code */
        assert_string_equal(object->file, PTYBOT_BUILT_IN_OBJECTS);
        struct life built_in = live(types[i]->name, NULL);
        struct life of_body = live(types[i]->name, body);
        struct life of_object = live(types[i]->name, object);
        if (memcmp(&built_in, &of_body, sizeof built_in) != 0)
            fail_msg("%s: a body file makes another robot", types[i]->name);
        if (memcmp(&built_in, &of_object, sizeof built_in) != 0)
            fail_msg("%s: a shared object makes another robot", types[i]->name);
        assert_int_not_equal(built_in.bytes, HASH_START); /* it has sent something */
    }
    custom_robot_free(&list); // the process, which is not built in
}

/* ---- Refused objects ---- */

static void objects_of_other_versions_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *says;
    } wrong[] = {
        {"of_another_abi", "of_another_abi: built for version 3 of the robot contract, this "
                           "is version 2: build the object again with the headers of this ptybot"},
        {"of_another_layout", "of_another_layout: built with other headers of the same "
                              "contract (layout "},
        {"of_nothing", "of_nothing: its robot type has no: channels (1 to 4)"},
        {"of_nobody", "the object has no robot 'of_nobody': its source must end with "
                      "ROBOT_OBJECT(of_nobody, "
                      "&its_type)"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct error error = {0};
        assert_null(robot_object_load(PTYBOT_BUILT_IN_OBJECTS, wrong[i].name, &error));
        if (strncmp(error.text, wrong[i].says, strlen(wrong[i].says)) != 0)
            fail_msg("%s", error.text);
    }
    struct error error = {0};
    assert_null(robot_object_load("/dev/null", "kobuki", &error));
    assert_true(error.text[0]);
}

static void a_word_is_divided_if_its_path_fits(void **state)
{
    (void)state;
    static const struct {
        const char *word, *path, *name;
        size_t size;
    } rows[] = {
        {"./lib.so:robot", "./lib.so", "robot", 9},
        {"./lib.so:robot", NULL, NULL, 8},
        {"./lib.so:robot", NULL, NULL, 7},
        {"./lib.so:", "./lib.so", "", 64},
        {"./lib.so", NULL, NULL, 64},
        {"kobuki", NULL, NULL, 64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[64] = "";
        const char *name = NULL;
        bool is_object = robot_object_split(rows[i].word, path, rows[i].size, &name);
        assert_int_equal(is_object, rows[i].path != NULL);
        if (!rows[i].path)
            continue;
        assert_string_equal(path, rows[i].path);
        assert_string_equal(name, rows[i].name);
    }
}

static void the_mark_of_an_object_is_its_size_and_hash(void **state)
{
    (void)state;
    struct folder folder;
    struct error error = {0};
    char path[FOLDER_PATH_MAX], line[128], expected[128];
    folder_make(&folder);
    folder_write(&folder, "lib.so", "some bytes");
    assert_true(robot_object_mark(folder_path(&folder, "lib.so", path), line, sizeof line, &error));
    snprintf(expected, sizeof expected, "shared object, 10 bytes, hash %016" PRIx64 "\n",
             hash_bytes(HASH_START, "some bytes", 10));
    assert_string_equal(line, expected);
    assert_false(robot_object_mark(folder_path(&folder, "none", path), line, sizeof line, &error));
    assert_string_equal(error.text, "No such file or directory");
    folder_remove(&folder);
}

static struct scene_source *copy_of(const struct scene_source *from)
{
    struct scene_source *copy = NULL;
    for (; from; from = from->next)
        assert_true(scene_source_add(&copy, from->path, from->bytes, from->size));
    return copy;
}

static const char scene_text[] =
    "world: {size: {x: 3, y: 3}}\n"
    "robots:\n"
    "- {name: a, type: \"" PTYBOT_BUILT_IN_OBJECTS ":kobuki\", pose: {x: 1, y: 1}}\n";

static void code_is_loaded_only_where_it_is_allowed(void **state)
{
    (void)state;
    struct folder folder;
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    folder_make(&folder);
    folder_write(&folder, "s.yaml", "%s", scene_text);
    folder_path(&folder, "s.yaml", path);
    assert_null(scene_file_find(path, false, &error));
    assert_non_null(strstr(error.text, "s.yaml:3:19: type: "));
    assert_non_null(strstr(error.text, "other subcommands need --allow-code"));
    assert_null(scene_file_read(path, &error));
    struct scene *scene = NULL;
    assert_null(scene_file_type(path, &scene, &error));
    assert_non_null(strstr(error.text, "other subcommands need --allow-code"));
    scene = scene_file_find(path, true, &error);
    if (!scene) {
        fail_msg("%s", error.text);
        return;
    }
    assert_string_equal(scene->robots[0].type->name, "kobuki");
    assert_ptr_not_equal(scene->robots[0].type, registry_find("kobuki"));

    /* Like a journal: it contains the text, and the mark of the object. */
    struct scene_source *kept = copy_of(scene->sources);
    scene_destroy(scene);
    struct scene_source *other = NULL;
    assert_true(scene_source_add(&other, kept->path, kept->bytes, kept->size));
    assert_true(
        scene_source_add(&other, kept->next->path, "shared object, 1 bytes, hash 00\n", 32));
    assert_null(scene_file_reopen(other, true, &error));
    char mark[128], expected[512];
    assert_true(robot_object_mark(kept->next->path, mark, sizeof mark, &(struct error){0}));
    snprintf(
        expected, sizeof expected,
        "the object has changed since the recording: %.*s, not shared object, 1 bytes, hash 00",
        (int)strlen(mark) - 1, mark);
    assert_non_null(strstr(error.text, expected));
    assert_string_equal(strstr(error.text, expected), expected);
    /* Like a journal without a mark. */
    other = NULL;
    assert_true(scene_source_add(&other, kept->path, kept->bytes, kept->size));
    assert_null(scene_file_reopen(other, true, &error));
    assert_string_equal(strstr(error.text, ", not "), ", not ");
    scene = scene_file_reopen(kept, true, &error);
    if (!scene) {
        fail_msg("%s", error.text);
        return;
    }
    scene_destroy(scene);
    folder_write(&folder, "s.yaml",
                 "world: {size: {x: 3, y: 3}}\n"
                 "robots: [{name: a, type: \"./none.so:a\", pose: {x: 1, y: 1}}]\n");
    assert_null(scene_file_find(path, true, &error));
    assert_non_null(strstr(error.text, "/none.so: No such file or directory"));
    folder_remove(&folder);
}

/* A journal contains all of a body file that its scene needs. */
static void a_scene_is_made_again_without_its_body_file(void **state)
{
    (void)state;
    struct folder folder;
    char path[FOLDER_PATH_MAX], body[FOLDER_PATH_MAX];
    struct error error = {0};
    folder_make(&folder);
    folder_path(&folder, "s.yaml", path);
    folder_path(&folder, "b.yaml", body);
    folder_write(&folder, "s.yaml",
                 "world: {size: {x: 3, y: 3}}\n"
                 "robots:\n"
                 "- {name: a, type: ./b.yaml, pose: {x: 1, y: 1}}\n"
                 "- {name: b, type: ./b.yaml, pose: {x: 2, y: 2}}\n");
    assert_null(scene_file_read(path, &error));
    assert_non_null(strstr(error.text, "s.yaml:3:19: type: "));
    assert_non_null(strstr(error.text, "b.yaml: No such file or directory"));
    folder_write(&folder, "b.yaml",
                 "firmware: ros_arduino_bridge\n"
                 "body: {shape: disc, radius: 0.123, height: 0.1, mass: 2}\n"
                 "drive: {speed_max: 0.5}\n"
                 "wheels: [{y: 0.1, radius: 0.03}, {y: -0.1, radius: 0.03}]\n"
                 "sensors: [{name: sonar, kind: range, range: 4, rays: 5}]\n");
    struct scene *scene = scene_file_read(path, &error);
    if (!scene) {
        fail_msg("%s", error.text);
        return;
    }
    assert_ptr_equal(scene->robots[0].type, scene->robots[1].type); /* read once */
    struct scene_source *kept = copy_of(scene->sources);
    assert_null(kept->next->next);
    scene_destroy(scene);
    assert_int_equal(remove(body), 0);
    scene = scene_file_reopen(kept, false, &error);
    if (!scene) {
        fail_msg("%s", error.text);
        return;
    }
    struct robot_body machine;
    robot_type_body(scene->robots[1].type, scene->robots[1].options, &machine);
    assert_true(machine.radius_m == 0.123);
    scene_destroy(scene);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_is_the_same_through_each_door),
        cmocka_unit_test(objects_of_other_versions_are_refused),
        cmocka_unit_test(a_word_is_divided_if_its_path_fits),
        cmocka_unit_test(the_mark_of_an_object_is_its_size_and_hash),
        cmocka_unit_test(code_is_loaded_only_where_it_is_allowed),
        cmocka_unit_test(a_scene_is_made_again_without_its_body_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
