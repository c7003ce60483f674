/* Any bytes as lines of commands to a running simulation of one robot of every type. A line `@N`
 * runs N steps. A command is executed, or rejected with a reason. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"
#include "tests/support/all_types.h"

enum {
    LINES_MAX = 64,
    STEPS_MAX = 200, /* chosen: for one input, so that none is slow */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct scene *scene(void)
{
    static struct scene *one;
    struct error error = {0};
    if (!one)
        one = scene_of_all_types(&error);
    assert(one);
    return one;
}

static void give(struct sim *sim, const char *line)
{
    struct error error = {0}, checked = {0};
    bool is_possible = sim_check_do(sim, line, &checked);
    bool is_done = sim_do(sim, line, &error);
    assert(is_possible || !is_done);
    assert(is_possible == (checked.text[0] == '\0'));
    assert(is_done == (error.text[0] == '\0'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct sim *sim = sim_create(scene(), NULL, NULL, &error);
    assert(sim);
    for (size_t i = 0; i < sim_channel_count(sim); i++)
        sim_host_present(sim, i, true);
    int steps = 0;
    for (size_t at = 0, lines = 0; at < size && lines < LINES_MAX; lines++) {
        char line[2 * COMMAND_TEXT_MAX];
        const uint8_t *newline = memchr(data + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - data) - at : size - at;
        size_t kept = length < sizeof line - 1 ? length : sizeof line - 1;
        memcpy(line, data + at, kept);
        line[kept] = '\0';
        at += length + 1;
        long wanted = line[0] == '@' ? strtol(line + 1, NULL, 10) : 1;
        if (line[0] != '@')
            give(sim, line);
        for (; wanted > 0 && steps < STEPS_MAX; wanted--, steps++)
            sim_step(sim);
    }
    sim_destroy(sim);
    return 0;
}
