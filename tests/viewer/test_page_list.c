/* The page draws each scene as the window does: its WebAssembly, run by Node.js on snapshots that
 * are made here, against the goldens of the window. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/program.h"
#include "tests/viewer/draw_rig.h"

static void write_snapshot(const char *folder, const char *name)
{
    char path[600];
    struct draw_rig rig;
    draw_rig_open(&rig, name, 100);
    snprintf(path, sizeof path, "%s/%s.snapshot", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(rig.snapshot, 1, rig.size, file), rig.size);
    assert_int_equal(fclose(file), 0);
    draw_rig_close(&rig);
}

static void the_page_draws_each_scene_as_the_window_does(void **state)
{
    (void)state;
    struct folder made;
    struct program node;
    folder_make(&made);
    DIR *folder = opendir(PTYBOT_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char name[256];
        const char *ending = strstr(entry->d_name, ".yaml");
        snprintf(name, sizeof name, "%.*s", (int)(ending ? ending - entry->d_name : 0),
                 entry->d_name);
        if (ending)
            write_snapshot(made.path, name);
    }
    closedir(folder);
    const char *const words[] = {"/usr/bin/env",
                                 "node",
                                 PTYBOT_SOURCE_DIR "/tests/viewer/page_lists.mjs",
                                 PTYBOT_PAGE_WASM,
                                 made.path,
                                 PTYBOT_SOURCE_DIR "/tests/viewer/lists",
                                 NULL};
    int code = program_run(&node, &made, "node", words);
    char *said = program_err(&node);
    if (code != 0)
        fail_msg("%s", said);
    free(said);
    folder_remove(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_draws_each_scene_as_the_window_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
