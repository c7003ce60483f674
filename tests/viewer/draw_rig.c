/* Reads a scene, simulates it and takes snapshots. */
#define _GNU_SOURCE
#include "tests/viewer/draw_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/scene_file.h"
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

/* ---- Goldens ---- */

static void write_golden(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The whole file, which the caller frees; "" if it does not exist. */
static char *read_golden(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file)
        return strdup("");
    ssize_t got = getdelim(&text, &size, '\0', file);
    fclose(file);
    assert_true(got >= 0);
    return text;
}

/* Prints the number of the first different line, and this line of both texts. */
static void report_difference(const char *path, const char *golden, const char *drawn)
{
    size_t line = 1, same = 0;
    for (size_t i = 0; golden[i] && golden[i] == drawn[i]; i++)
        if (golden[i] == '\n') {
            line++;
            same = i + 1;
        }
    print_error(
        "%s:%zu: golden: %.*s\n%s:%zu: drawn:  %.*s\n"
        "If the new picture is right, look at it (`ptybot shot`) and write the goldens anew: "
        "./dev update-golden\n",
        path, line, (int)strcspn(golden + same, "\n"), golden + same, path, line,
        (int)strcspn(drawn + same, "\n"), drawn + same);
}

bool draw_rig_is_golden(const char *name, const char *drawn)
{
    char path[600];
    snprintf(path, sizeof path, "%s/tests/viewer/lists/%s.txt", PTYBOT_SOURCE_DIR, name);
    if (getenv("PTYBOT_UPDATE_GOLDEN"))
        write_golden(path, drawn);
    char *golden = read_golden(path);
    bool is_same = strcmp(golden, drawn) == 0;
    if (!is_same)
        report_difference(path, golden, drawn);
    free(golden);
    return is_same;
}
