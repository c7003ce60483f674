#include "app/replay/again.h"

#include <stdlib.h>

bool again_set(struct scene *scene, const struct journal_head *head, struct error *error)
{
    for (size_t i = 0; i < head->set_count; i++)
        if (!scene_set(scene, head->sets[i], error))
            return error_prefix(error, "its --set ");
    scene->seed = head->seed;
    return true;
}

struct sim *again_sim(const struct scene *scene, const struct journal_head *head, struct live *live,
                      struct error *error)
{
    struct sim *sim = NULL;
    size_t robots = scene->robot_count;
    struct robot_storage *storage = calloc(robots, sizeof *storage);
    if (!storage) {
        error_set(error, "not enough memory for the storage of %zu robots", robots);
        return NULL;
    }
    bool is_right = true;
    for (size_t i = 0; is_right && i < head->storage_count; i++) {
        if (head->storages[i].robot < robots)
            storage[head->storages[i].robot] = head->storages[i].memory;
        else
            is_right = error_set(error, "it has a storage of robot %zu, the scene has %zu robots",
                                 head->storages[i].robot, robots);
    }
    if (is_right && live_open(live, scene, error)) {
        const struct run_rows rows = live_rows(live);
        sim = sim_create(scene, storage, &rows, error);
    }
    free(storage);
    return sim;
}
