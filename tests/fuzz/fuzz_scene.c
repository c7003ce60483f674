/* Any bytes as a scene: either a scene that passes its check, or an error message that names the
 * file. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "sim/parse/scene_parse.h"
#include "sim/scene/scene.h"
#include "sim/step/create.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct scene *scene = scene_parse((const char *)data, size, "fuzz.yaml", &error);
    if (scene) {
        assert(scene_check(scene, &error));
        assert(scene->robot_count > 0 && scene->name[0] != '\0');
        assert(sim_check_script(scene, NULL, &error) || strncmp(error.text, "fuzz.yaml:", 10) == 0);
        scene_destroy(scene);
    } else {
        assert(strncmp(error.text, "fuzz.yaml:", 10) == 0);
        assert(strlen(error.text) > strlen("fuzz.yaml:1:1: "));
    }
    return 0;
}
