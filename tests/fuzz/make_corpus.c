/* Writes the corpus of fuzz_rx from the golden frames: one input per frame to the robot, and one
 * input per robot with all frames and time in between. Run it after a change of the registry or the
 * golden files, when the test `corpus` fails:
 *     build/release/tests/fuzz/make_corpus tests/fuzz/corpus/fuzz_rx */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/registry.h"
#include "tests/fuzz/fuzz_rx.h"
#include "tests/support/golden.h"

struct input {
    size_t size;
    uint8_t bytes[65536];
};

static void input_add(struct input *input, unsigned byte)
{
    if (input->size < sizeof input->bytes)
        input->bytes[input->size++] = (uint8_t)byte;
}

static void input_start(struct input *input, size_t type)
{
    input->size = 0;
    input_add(input, (unsigned)type);
    input_add(input, 0);
}

/* The frame in pieces of the maximum size of an operation, then 20 ms for the answer. */
static void input_frame(struct input *input, const struct golden_frame *frame)
{
    unsigned kind = frame->channel == 1 ? FUZZ_RX_SECOND : FUZZ_RX_BYTES;
    for (size_t at = 0; at < frame->size;) {
        size_t left = frame->size - at;
        size_t count = left < FUZZ_RX_COUNT + 1 ? left : FUZZ_RX_COUNT + 1;
        input_add(input, kind | (unsigned)(count - 1));
        for (size_t i = 0; i < count; i++)
            input_add(input, frame->bytes[at++]);
    }
    input_add(input, FUZZ_RX_RUN | 19);
}

static void input_write(const struct input *input, const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(input->bytes, 1, input->size, file) != input->size || fclose(file) != 0) {
        perror(path);
        exit(3);
    }
}

static void write_file(const char *folder, size_t type, const struct golden_file *file,
                       struct input *all)
{
    const struct robot_type *robot = registry_types(&(size_t){0})[type];
    static struct input one;
    for (size_t i = 0; i < file->count; i++) {
        const struct golden_frame *frame = &file->frames[i];
        if (frame->direction != WIRE_TO_ROBOT)
            continue;
        char name[512];
        const char *base = strrchr(file->path, '/') + 1;
        input_start(&one, type);
        input_frame(&one, frame);
        input_frame(all, frame);
        snprintf(name, sizeof name, "%s_%.*s_%d", robot->name, (int)strcspn(base, "."), base,
                 frame->first_line);
        input_write(&one, folder, name);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_corpus FOLDER\n");
        return 2;
    }
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t type = 0; type < count; type++) {
        static struct input all;
        char **paths = golden_paths(types[type]);
        input_start(&all, type);
        for (size_t p = 0; paths[p]; p++) {
            struct golden_file file;
            struct error error;
            if (!golden_load(types[type], paths[p], &file, &error)) {
                fprintf(stderr, "%s\n", error.text);
                return 3;
            }
            write_file(argv[1], type, &file, &all);
            golden_free(&file);
        }
        golden_paths_free(paths);
        input_write(&all, argv[1], types[type]->name);
    }
    return 0;
}
