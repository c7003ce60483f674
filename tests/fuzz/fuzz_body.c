/* Any bytes as a body file: either a robot in a scene, whose body is printed and read back
 * unchanged, or an error message that names the file. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/body/body_file.h"
#include "sim/parse/scene_parse.h"
#include "sim/step/create.h"
#include "sim/step/step.h"

/* Prints it under the name of its firmware, reads the output, and prints it again. */
static void print_twice(const struct custom_robot *own, const void *options)
{
    struct error error = {0};
    struct robot_type type = own->type;
    if (!own->base)
        return;
    type.name = own->base->name;
    char *once = custom_robot_print(&type, options, &error);
    assert(once);
    struct custom_robot *again = custom_robot_parse(once, strlen(once), "fuzz.yaml", &error);
    assert(again);
    type = again->type;
    type.name = own->base->name;
    char *twice = custom_robot_print(&type, options, &error);
    assert(twice && strcmp(once, twice) == 0);
    free(once);
    free(twice);
    custom_robot_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct custom_robot *own = custom_robot_parse((const char *)data, size, "fuzz.yaml", &error);
    if (!own) {
        assert(strncmp(error.text, "fuzz.yaml:", 10) == 0);
        assert(strlen(error.text) > strlen("fuzz.yaml:1:1: "));
        return 0;
    }
    _Alignas(16) uint8_t options[ROBOT_OPTIONS_MAX] = {0};
    option_defaults(own->type.options, own->type.option_count, options);
    print_twice(own, options);
    struct scene *scene = scene_of_custom(own, &error);
    struct sim *sim = scene ? sim_create(scene, NULL, NULL, &error) : NULL;
    assert(sim || strncmp(error.text, "fuzz.yaml", 9) == 0);
    for (int i = 0; sim && i < 20; i++)
        sim_step(sim);
    sim_destroy(sim);
    scene_destroy(scene);
    return 0;
}
