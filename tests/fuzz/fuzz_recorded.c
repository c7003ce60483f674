/* Any bytes as a recording to be played: it is rejected with a reason, or creates its ports in
 * their folder, whatever the names of its lines, and plays to its end for a driver that opens the
 * first port and sends the beginning of the input. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "app/lab/recording/recorded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char own[32], folder[4096];

static void remove_folder(void)
{
    rmdir(folder);
}

struct host {
    const char *port;
    const uint8_t *bytes;
    size_t size;
    atomic_bool is_over;
};

/* Connects and disconnects until is_over is set: a short visit may not be noticed. */
static void *visit(void *user)
{
    struct host *host = user;
    const struct timespec pause = {.tv_nsec = 2000000}; // chosen: a player polls every 10 ms
    uint8_t heard[256];
    while (!host->is_over) {
        int fd = open(host->port, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && write(fd, host->bytes, host->size) < 0)
            host->size = 0;
        nanosleep(&pause, NULL);
        while (fd >= 0 && read(fd, heard, sizeof heard) > 0)
            continue;
        if (fd >= 0)
            close(fd);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* Plays the whole recording to the driver. */
static void play(struct recorded *recorded, const uint8_t *data, size_t size)
{
    struct host host = {recorded_port(recorded, 0), data, size < 64 ? size : 64, false};
    struct error error = {0};
    struct poller poller;
    pthread_t thread;
    if (!poller_open(&poller, &error) || pthread_create(&thread, NULL, visit, &host) != 0)
        abort();
    recorded_run(recorded, &poller);
    host.is_over = true;
    pthread_join(thread, NULL);
    poller_close(&poller);
    assert(recorded_counts(recorded).is_over && recorded_counts(recorded).trouble);
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
    struct recorded *recorded = recorded_open(path, 1e12, own, &error);
    assert(recorded || error.text[0] != '\0');
    for (size_t i = 0; recorded && recorded_name(recorded, i); i++) {
        const char *port = recorded_port(recorded, i);
        const char *name = strrchr(port, '/') + 1;
        snprintf(folder, sizeof folder, "%.*s", (int)(name - 1 - port), port);
        // Only a name, directly in the folder.
        assert(strcmp(strrchr(folder, '/') + 1, own) == 0 && *name != '\0' && *name != '.');
        for (; *name; name++)
            assert(*name > ' ' && *name < 127);
    }
    if (recorded)
        play(recorded, data, size);
    recorded_close(recorded);
    close(fd);
    return 0;
}
