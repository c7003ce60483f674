/* Any bytes as the persistent memory of a robot, unchanged and after a valid header: it is
 * rejected, or erased with a warning, or the robot starts with it; some of them through `ptybot
 * run` to its exit code. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/files/storage.h"
#include "app/subcommands/subcommands.h"
#include "base/hash.h"
#include "sim/parse/scene_parse.h"
#include "sim/sim.h"
#include "tests/fuzz/run_subcommand_silently.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    STEPS = 50,   /* chosen: the first packets of the board */
    RUN_OF = 256, /* chosen: one of this number; a run takes milliseconds */
};

static void begin(const char *yaml)
{
    struct error error = {0};
    struct scene *scene = scene_parse(yaml, strlen(yaml), "fuzz.yaml", &error);
    assert(scene);
    struct storage *storage = storage_open(scene, &error);
    struct sim *sim = storage ? sim_create(scene, storage_loaded(storage), NULL, &error) : NULL;
    assert(sim || error.text[0] != '\0');
    for (int i = 0; sim && i < STEPS; i++)
        sim_step(sim);
    sim_destroy(sim);
    storage_close(storage, NULL);
    scene_destroy(scene);
}

static void look(const char *bytes, size_t size, bool is_run)
{
    char path[QUIET_PATH], scene[QUIET_PATH], yaml[256];
    int fd = temporary_file(bytes, size, path);
    snprintf(yaml, sizeof yaml,
             "world: {size: {x: 4, y: 4}}\nrobots: [{name: b, type: diff_board, "
             "pose: {x: 2, y: 2}, storage: %s}]\n",
             path);
    begin(yaml);
    if (is_run) {
        int scene_fd = temporary_file(yaml, strlen(yaml), scene);
        run_subcommand_silently(&run_subcommand, (const char *const[]){scene, "--private", "--fast",
                                                                       "--for", "0.05", NULL});
        close(scene_fd);
    }
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[1024];
    struct robot_storage memory = {
        .size = (uint32_t)(size < ROBOT_STORAGE_MAX ? size : ROBOT_STORAGE_MAX)};
    bool is_run = hash_bytes(HASH_START, data, size) % RUN_OF == 0;
    memcpy(memory.bytes, data, memory.size);
    look((const char *)data, size, is_run);
    int used =
        snprintf(text, sizeof text,
                 "ptybot storage 1\nrobot diff_board\nbytes %" PRIu32 "\nhash %016" PRIx64 "\n",
                 memory.size, hash_bytes(HASH_START, memory.bytes, memory.size));
    for (uint32_t i = 0; i < memory.size; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%02x%c", memory.bytes[i],
                         i % 16 == 15 || i + 1 == memory.size ? '\n' : ' ');
    look(text, (size_t)used, is_run);
    return 0;
}
