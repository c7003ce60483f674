// Runs a fuzz body with every file in the folders on the command line: the corpus as a regression
// test, with any compiler. Does not enter subfolders.
#define _GNU_SOURCE
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Runs the body on one file, in a block of exactly its size so that a sanitizer detects an overrun.
static bool replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size > 0 ? size : 1);
    bool ok = file != NULL && data != NULL && fread(data, 1, size, file) == size;

    if (ok)
        LLVMFuzzerTestOneInput(data, size);
    else
        fprintf(stderr, "%s: cannot be read\n", path);
    free(data);
    if (file != NULL)
        fclose(file);
    return ok;
}

// Returns the number of files that were run, or -1 when one could not be read.
static int replay_folder(const char *folder)
{
    int count = 0;
    DIR *dir = opendir(folder);

    if (dir == NULL) {
        fprintf(stderr, "%s: cannot be opened\n", folder);
        return -1;
    }
    for (struct dirent *entry; count >= 0 && (entry = readdir(dir)) != NULL;) {
        char *path = NULL;
        struct stat info;
        if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
            abort();
        if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
            count = replay_file(path, (size_t)info.st_size) ? count + 1 : -1;
        free(path);
    }
    closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    int total = 0;

    for (int i = 1; i < argc; i++) {
        int count = replay_folder(argv[i]);
        if (count < 0)
            return 1;
        total += count;
    }
    printf("%d inputs\n", total);
    // A missing corpus must not pass.
    return total > 0 ? 0 : 1;
}
