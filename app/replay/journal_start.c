#include "app/replay/journal_start.h"

#include <stdlib.h>
#include <string.h>

#include "sim/parse/scene_parse.h"
#include "sim/watch/snapshot.h"

bool journal_start_set(struct scene *scene, const struct journal_head *head, struct error *error)
{
    for (size_t i = 0; i < head->set_count; i++)
        if (!scene_set(scene, head->sets[i], error))
            return error_prefix(error, "its --set ");
    scene->seed = head->seed;
    return true;
}

struct sim *journal_start_sim(const struct scene *scene, const struct journal_head *head,
                              struct live *live, struct error *error)
{
    struct sim *sim = NULL;
    size_t robots = scene->robot_count;
    struct robot_storage *storage = calloc(robots, sizeof *storage);
    if (!storage) {
        return error_null(
            error_set(error, "not enough memory for the storage of %zu robots", robots));
    }
    bool is_right = true;
    for (size_t i = 0; is_right && i < head->storage_count; i++) {
        if (head->storages[i].robot < robots)
            storage[head->storages[i].robot] = head->storages[i].memory;
        else
            is_right = error_set(
                error, "the journal has a storage of robot %zu, but the scene has %zu robots",
                head->storages[i].robot, robots);
    }
    if (is_right)
        sim = live_sim(live, scene, storage, error);
    free(storage);
    return sim;
}

void journal_start_end(struct sim *sim, enum playback_state state)
{
    if (state == PLAYBACK_WHOLE && sim_is_stopped(sim))
        sim_cut(sim);
    else if (state == PLAYBACK_WHOLE)
        sim_end(sim);
}

struct snapshot *journal_start_snapshot(struct journal_start_view *view, const struct sim *sim,
                                        const struct watch *watch)
{
    size_t size = snapshot_size(sim);
    if (size > view->room) {
        size_t room = (size + size / 2 + 15) & ~(size_t)15;
        free(view->snapshot);
        view->snapshot = aligned_alloc(16, room);
        view->room = view->snapshot ? room : 0;
        if (view->snapshot)
            memset(view->snapshot, 0, room);
    }
    bool is_filled = view->snapshot && snapshot_fill(sim, watch, view->snapshot, view->room);
    return is_filled ? view->snapshot : NULL;
}
