/* Reads a scene, builds it and looks at it. */
#include "tests/viewer/draw_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/io/scene_file.h"
#include "sim/watch/watch.h"
#include "tests/places.h"
#include "tests/support/check.h"

void draw_rig_open(struct draw_rig *rig, const char *name, int ms)
{
    char path[512];
    struct error error = {0};
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", PTYBOT_SOURCE_DIR, name);
    rig->scene = scene_file_read(path, &error);
    if (!rig->scene)
        fail_msg("%s", error.text);
    rig->sim = sim_create(rig->scene, NULL, NULL, &error);
    assert_non_null(rig->sim);
    rig->watch = watch_create(rig->sim, WATCH_TRAILS_AND_FRAMES);
    assert_non_null(rig->watch);
    rig->size = snapshot_size(rig->sim);
    rig->snapshot = aligned_alloc(16, (rig->size + 15) & ~(size_t)15);
    assert_non_null(rig->snapshot);
    memset(rig->snapshot, 0, rig->size);
    draw_rig_run(rig, ms);
}

void draw_rig_run(struct draw_rig *rig, int ms)
{
    for (int i = 0; i < ms; i++)
        sim_step(rig->sim);
    assert_true(snapshot_fill(rig->sim, rig->watch, rig->snapshot, rig->size));
}

void draw_rig_do(struct draw_rig *rig, const char *command)
{
    struct error error = {0};
    if (!sim_do(rig->sim, command, &error))
        fail_msg("%s: %s", command, error.text);
}

void draw_rig_close(struct draw_rig *rig)
{
    free(rig->snapshot);
    watch_destroy(rig->watch);
    sim_destroy(rig->sim);
    scene_destroy(rig->scene);
}
