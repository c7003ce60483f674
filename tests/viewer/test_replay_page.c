/* The page of a failed test: Node.js runs only its file, which reaches the program's state at the
 * end, draws the same and has the same signals. A browser opens it in ./dev nightly page. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/file_bytes.h"
#include "app/files/scene_file.h"
#include "app/replay/journal_start.h"
#include "sim/record/playback.h"
#include "sim/sim.h"
#include "sim/watch/snapshot.h"
#include "sim/watch/watch.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/program.h"
#include "viewer/draw/draw_scene.h"

/* The program's own run again. */
struct again {
    char *bytes;
    struct journal_reader reader;
    struct journal_head head;
    struct scene *scene;
    struct live live;
    struct sim *sim;
    struct watch *watch;
    struct playback *playback;
};

static void again_open(struct again *again, const char *path)
{
    struct error error = {0};
    size_t size;
    again->bytes = file_bytes_read(path, SIZE_MAX - 1, &size, &error);
    assert_non_null(again->bytes);
    assert_true(journal_open(&again->reader, again->bytes, size, &error));
    assert_true(journal_head_read(&again->head, &again->reader, &error));
    again->scene = scene_file_reopen(again->head.sources, false, &error);
    again->head.sources = NULL;
    assert_true(again->scene && journal_start_set(again->scene, &again->head, &error));
    again->sim = journal_start_sim(again->scene, &again->head, &again->live, &error);
    again->watch = watch_create(again->sim, WATCH_TRAILS_AND_FRAMES);
    again->playback = playback_open(&again->head, &again->reader, again->sim, &error);
    assert_true(again->watch && again->playback);
}

static void again_run(struct again *again)
{
    while (playback_feed(again->playback) == PLAYBACK_GOES_ON) {
        sim_step(again->sim);
        playback_drain(again->playback, NULL, NULL);
    }
    assert_int_equal(playback_result(again->playback).state, PLAYBACK_WHOLE);
    sim_end(again->sim);
}

static void again_close(struct again *again)
{
    playback_close(again->playback);
    watch_destroy(again->watch);
    sim_destroy(again->sim);
    live_close(&again->live);
    scene_destroy(again->scene);
    journal_head_free(&again->head);
    free(again->bytes);
}

static void write_lists(const struct again *again, const char *path)
{
    struct draw_list list = {0};
    struct viewport viewport = {
        .width_px = 1280, .height_px = 800, .shows = SHOW_ALL, .selected = VIEWPORT_NOBODY};
    size_t size = snapshot_size(again->sim);
    void *snapshot = aligned_alloc(16, (size + 15) & ~(size_t)15);
    FILE *out = fopen(path, "w");
    assert_true(snapshot && out);
    memset(snapshot, 0, size);
    assert_true(snapshot_fill(again->sim, again->watch, snapshot, size));
    live_show(&again->live, snapshot);
    viewport_fit(&viewport, snapshot);
    draw_static(&list, &viewport, snapshot);
    draw_list_write_text(&list, out);
    draw_list_clear(&list);
    draw_moving(&list, &viewport, snapshot);
    draw_list_write_text(&list, out);
    draw_list_free(&list);
    assert_int_equal(fclose(out), 0);
    free(snapshot);
}

static void run_failing(const struct folder *folder)
{
    struct program test;
    const char *const words[] = {PTYBOT_BINARY,
                                 "test",
                                 PTYBOT_SOURCE_DIR "/scenes/kobuki_dock.yaml",
                                 "--out",
                                 "out",
                                 "--warp",
                                 "max",
                                 "--for",
                                 "8",
                                 "--",
                                 PTYBOT_HOSTS_DIR "/kobuki_dock",
                                 "{kobuki}",
                                 NULL};
    assert_int_equal(program_run(&test, folder, "test", words), 1); // it has not docked yet
}

static void check_by_node(const struct folder *folder, const char *const words[])
{
    struct program node;
    int code = program_run(&node, folder, "node", words);
    char *said = program_err(&node);
    if (code != 0)
        fail_msg("%s", said);
    free(said);
}

static void the_page_of_a_failure_shows_what_was(void **state)
{
    (void)state;
    static struct again again;
    struct folder made;
    char path[FOLDER_PATH_MAX];
    folder_make(&made);
    run_failing(&made);
    again_open(&again, folder_path(&made, "out/run.journal", path));
    again_run(&again);
    write_lists(&again, folder_path(&made, "lists.txt", path));
    again_close(&again);
#ifdef WITH_MODULES
    check_by_node(&made,
                  (const char *const[]){"/usr/bin/env", "node",
                                        PTYBOT_SOURCE_DIR "/tests/viewer/replay_page.mjs",
                                        "out/replay.html", "out/signals.csv", "lists.txt", NULL});
#endif
#ifdef WITH_SERVER
    check_by_node(&made, (const char *const[]){"/usr/bin/env", "node",
                                               PTYBOT_SOURCE_DIR "/tests/viewer/replay_served.mjs",
                                               PTYBOT_BINARY, "out/run.journal", NULL});
#endif
    folder_remove(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_of_a_failure_shows_what_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
