/* Gives a fuzz body every file of the folders on the command line: what libFuzzer does with
 * -runs=0, for compilers that have none. A crash is the body's own abort. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 20 };

/* A copy of the exact size, so that a sanitizer sees a look past the end. */
static void replay_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) {
        perror("replay");
        exit(2);
    }
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static int replay_file(const char *path)
{
    static uint8_t bytes[INPUT_MAX];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 0;
    }
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last line tells which input crashed */
    replay_bytes(bytes, size);
    return 1;
}

static int replay_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    int replayed = 0;
    if (count < 0) {
        perror(path);
        return 0;
    }
    for (int i = 0; i < count; i++) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            replayed += replay_file(file);
        }
        free(entries[i]);
    }
    free(entries);
    return replayed;
}

int main(int argc, char **argv)
{
    int replayed = 0;
    replay_bytes(NULL, 0);
    for (int i = 1; i < argc; i++) {
        replayed += replay_folder(argv[i]);
    }
    printf("%d inputs\n", replayed);
    return replayed > 0 ? 0 : 2; /* an empty corpus proves nothing */
}
