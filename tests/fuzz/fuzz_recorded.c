/* Any bytes as a recording that is played: it is refused with a reason, or opens ports in the
 * folder for them, whatever its lines are called, and plays to its end. Nobody opens the ports. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/lab/recording/recorded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char own[32], folder[4096];

static void remove_folder(void)
{
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct error error = {0};
    if (!*own) {
        snprintf(own, sizeof own, "fuzz-%ld", (long)getpid());
        atexit(remove_folder);
    }
    int fd = memfd_create("recording", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct recorded *recorded = recorded_open(path, 1, own, &error);
    assert(recorded || error.text[0] != '\0');
    for (size_t i = 0; recorded && recorded_name(recorded, i); i++) {
        const char *port = recorded_port(recorded, i);
        const char *name = strrchr(port, '/') + 1;
        snprintf(folder, sizeof folder, "%.*s", (int)(name - 1 - port), port);
        // A name, and nothing else, below the folder.
        assert(strcmp(strrchr(folder, '/') + 1, own) == 0 && *name != '\0' && *name != '.');
        for (; *name; name++)
            assert(*name > ' ' && *name < 127);
    }
    recorded_close(recorded);
    close(fd);
    return 0;
}
