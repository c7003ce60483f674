/* A run in a page equals a run of the program: each scene, driven by frames of its robots'
 * protocols, has the same state to the bit if the program reads YAML, if the player reads a bundle,
 * and in WebAssembly, which Node.js runs. PTYBOT_PLAYER_S: simulated seconds (default 2). */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/scene_file.h"
#include "app/replay/bundle.h"
#include "app/replay/journal_start.h"
#include "app/replay/player.h"
#include "sim/sim.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/golden.h"
#include "tests/support/program.h"

enum { TURN_STEPS = 50, CHUNK = 24 }; /* so many bytes to each channel in so many steps */

static int turns_wanted(void)
{
    const char *text = getenv("PTYBOT_PLAYER_S");
    return (text ? atoi(text) : 2) * 1000 / TURN_STEPS;
}

/* Bytes of a host: all golden frames to the robot, repeated. */
struct told {
    uint8_t *bytes; /* NULL: no bytes to send */
    size_t size, at;
};

static struct told *input_open(const struct sim *sim)
{
    struct told *told = calloc(sim_channel_count(sim) + 1, sizeof *told);
    assert_non_null(told);
    for (size_t i = 0; i < sim_channel_count(sim); i++) {
        unsigned channel;
        size_t frames, robot = sim_channel_robot(sim, i, &channel);
        told[i].bytes = golden_stream(sim_robot_type(sim, robot), channel, WIRE_TO_ROBOT,
                                      &told[i].size, &frames);
    }
    return told;
}

static size_t input_next(struct told *told, uint8_t out[static CHUNK])
{
    size_t size = told->bytes ? CHUNK : 0;
    for (size_t i = 0; i < size; i++)
        out[i] = told->bytes[told->at++ % told->size];
    return size;
}

static void input_close(struct told *told, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(told[i].bytes);
    free(told);
}

/* ---- The three ways ---- */

static void run_program(struct sim *sim, struct told *told)
{
    const uint8_t *out;
    size_t size;
    for (size_t i = 0; i < sim_channel_count(sim); i++)
        if (told[i].bytes)
            sim_host_present(sim, i, true);
    for (int turn = 0; turn < turns_wanted(); turn++) {
        uint8_t bytes[CHUNK];
        for (size_t i = 0; i < sim_channel_count(sim); i++) {
            size = input_next(&told[i], bytes);
            if (size > 0 && size <= sim_host_room(sim, i))
                sim_host_bytes(sim, i, bytes, size);
        }
        for (int step = 0; step < TURN_STEPS; step++) {
            sim_step(sim);
            for (size_t i = 0; i < sim_channel_count(sim); i++)
                while (sim_output(sim, i, &out, &size))
                    ;
        }
    }
}

/* The bundle is in the player's room. */
static void run_player(size_t size, struct told *told, size_t channels)
{
    if (!player_open((uint32_t)size))
        fail_msg("%s", player_reason());
    for (uint32_t i = 0; i < channels; i++)
        if (told[i].bytes)
            player_host(i, true);
    for (int turn = 0; turn < turns_wanted(); turn++) {
        for (uint32_t i = 0; i < channels; i++)
            player_send(i, (uint32_t)input_next(&told[i], player_room(CHUNK)));
        assert_int_equal(player_run(TURN_STEPS), TURN_STEPS);
    }
}

static void write_bytes(const struct folder *folder, const char *name, const void *bytes,
                        size_t size)
{
    char path[FOLDER_PATH_MAX];
    FILE *file = fopen(folder_path(folder, name, path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Writes NAME.bundle, NAME.N with the bytes for channel N, and NAME.hash. */
static void check_scene(const struct folder *folder, const char *name, const char *path)
{
    struct error error = {0};
    struct live live;
    const struct journal_head none = {.seed = 0};
    char file[128], hash[32];
    size_t size;
    struct scene *scene = scene_file_read(path, &error);
    if (!scene)
        fail_msg("%s", error.text);
    char *bundle = bundle_pack(&(struct bundle){.scene = scene}, &size, &error);
    if (!bundle) {
        fail_msg("%s: %s", name, error.text);
        return;
    }
    struct sim *sim = journal_start_sim(scene, &none, &live, &error);
    assert_non_null(sim);
    size_t channels = sim_channel_count(sim);
    struct told *told = input_open(sim);
    for (size_t i = 0; i < channels; i++) {
        snprintf(file, sizeof file, "%s.%zu", name, i);
        write_bytes(folder, file, told[i].bytes ? told[i].bytes : (const uint8_t *)"",
                    told[i].size);
    }
    run_program(sim, told);
    snprintf(hash, sizeof hash, "%016" PRIx64, sim_hash(sim));

    for (size_t i = 0; i < channels; i++)
        told[i].at = 0;
    memcpy(player_room((uint32_t)size), bundle, size);
    run_player(size, told, channels);
    if (strcmp(player_hash(), hash) != 0)
        fail_msg("%s: %s from YAML, %s from a bundle", name, hash, player_hash());
    player_close();

    snprintf(file, sizeof file, "%s.bundle", name);
    write_bytes(folder, file, bundle, size);
    snprintf(file, sizeof file, "%s.hash", name);
    write_bytes(folder, file, hash, strlen(hash));
    input_close(told, channels);
    free(bundle);
    sim_destroy(sim);
    live_close(&live);
    scene_destroy(scene);
}

static void check_folder(const struct folder *folder, const char *prefix, const char *path)
{
    DIR *scenes = opendir(path);
    assert_non_null(scenes);
    for (const struct dirent *entry; (entry = readdir(scenes));) {
        char file[600], name[64];
        const char *ending = strstr(entry->d_name, ".yaml");
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        snprintf(name, sizeof name, "%s%.*s", prefix, (int)(ending ? ending - entry->d_name : 0),
                 entry->d_name);
        if (ending)
            check_scene(folder, name, file);
    }
    closedir(scenes);
}

static void each_scene_is_the_same_in_a_page(void **state)
{
    (void)state;
    struct folder made;
    struct program node;
    char turns[16];
    folder_make(&made);
    check_folder(&made, "", PTYBOT_SOURCE_DIR "/scenes");
    snprintf(turns, sizeof turns, "%d", turns_wanted());
    const char *const words[] = {"/usr/bin/env",
                                 "node",
                                 PTYBOT_SOURCE_DIR "/tests/viewer/player_hashes.mjs",
                                 PTYBOT_PLAYER_WASM,
                                 made.path,
                                 turns,
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
        cmocka_unit_test(each_scene_is_the_same_in_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
