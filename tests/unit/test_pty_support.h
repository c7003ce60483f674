/* Helpers of the pty tests: private folders, hosts as open files and as processes, and transcripts.
 * A transcript contains all events and bytes of a link in their order, as one text ("+" a host
 * came, "-" it left, "[9600]" its baud rate changed, "{1}" its modem lines changed, otherwise the
 * bytes unchanged). */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "pty/terminal/pty_link.h"
#include "pty/terminal/pty_path.h"
#include "tests/support/test_timeout.h"

struct transcript {
    char text[262144];
    size_t size;
};

static inline int64_t test_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline const char *test_folder(void)
{
    static char name[32];

    snprintf(name, sizeof name, "unit-%ld", (long)getpid());
    return name;
}

static inline void test_folder_remove(void)
{
    struct error error;
    char folder[PTY_PATH_MAX];

    if (pty_path_folder(test_folder(), folder, sizeof folder, &error))
        rmdir(folder);
}

static inline struct byte_link *test_link_open(const char *name)
{
    const struct byte_link_config config = {
        .address = name, .sub_folder = test_folder(), .baud = 115200};
    struct error error = {0};
    struct byte_link *opened = pty_link_open(&config, &error);

    if (opened == NULL)
        fprintf(stderr, "%s\n", error.text);
    return opened;
}

static inline int host_open(const struct byte_link *self)
{
    return open(byte_link_name(self), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

static inline void transcript_add(struct transcript *seen, const char *text, size_t size)
{
    if (size > sizeof seen->text - 1 - seen->size)
        size = sizeof seen->text - 1 - seen->size;
    memcpy(seen->text + seen->size, text, size);
    seen->size += size;
    seen->text[seen->size] = '\0';
}

/* Takes all bytes and events that the link has, in the order that byte_link.h describes. */
static inline void transcript_take(struct byte_link *self, struct transcript *seen)
{
    struct byte_link_event event;
    char bytes[4096];
    size_t size;
    bool is_event;

    do {
        while ((size = byte_link_read(self, bytes, sizeof bytes)) > 0)
            transcript_add(seen, bytes, size);
        size = 0;
        is_event = byte_link_next_event(self, &event);
        if (is_event) {
            if (event.kind == BYTE_LINK_HOST_CAME)
                size = (size_t)snprintf(bytes, sizeof bytes, "+");
            else if (event.kind == BYTE_LINK_HOST_LEFT)
                size = (size_t)snprintf(bytes, sizeof bytes, "-");
            else if (event.kind == BYTE_LINK_LINES_CHANGED)
                size = (size_t)snprintf(bytes, sizeof bytes, "{%u}", event.lines);
            else if ((event.settings.mode & SERIAL_UNSET) == 0) /* only what hosts set */
                size = (size_t)snprintf(bytes, sizeof bytes, "[%u]", (unsigned)event.settings.baud);
            transcript_add(seen, bytes, size);
        }
    } while (is_event);
}

static inline void look(struct byte_link *self, struct transcript *seen)
{
    byte_link_update(self);
    transcript_take(self, seen);
}

/* Runs the link as an application does until the transcript has `size` bytes or the timeout ends.
 */
static inline void run_until_size(struct byte_link *self, struct transcript *seen, size_t size)
{
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;

    for (look(self, seen); seen->size < size && test_now_ms() < end_ms; look(self, seen)) {
        struct pollfd fds[BYTE_LINK_FDS_MAX];
        nfds_t count = (nfds_t)byte_link_fds(self, fds);

        poll(fds, count, 20);
    }
}

static inline const char *run_until(struct byte_link *self, struct transcript *seen,
                                    const char *text)
{
    run_until_size(self, seen, strlen(text));
    return seen->text;
}

/* Reads as a host until `size` bytes have come. Returns how many came before the timeout or the end
 * of the file. */
static inline size_t host_read(int host, void *bytes, size_t size)
{
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    size_t done = 0;

    while (done < size && test_now_ms() < end_ms) {
        struct pollfd ready = {.fd = host, .events = POLLIN};

        if (poll(&ready, 1, 20) <= 0)
            continue;
        ssize_t got = read(host, (char *)bytes + done, size - done);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    return done;
}

/* Whether no bytes wait for a host, after a moment for bytes on their way. */
static inline bool host_hears_nothing(int host)
{
    struct pollfd ready = {.fd = host, .events = POLLIN};

    return poll(&ready, 1, 30) == 0;
}

static inline void test_pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Writes frames to a link whose host does not read, until only a part of one fits. Returns how many
 * it accepted. The kernel frees its buffer gradually, and may be full between two frames. */
static inline uint64_t write_until_cut(struct byte_link *self, int host)
{
    static char bytes[4096];
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    uint64_t wrote = 0;

    for (int still = 0; still < 5 && test_now_ms() < end_ms; still++) {
        while (byte_link_write(self, bytes, sizeof bytes - (size_t)(wrote % 7))) {
            wrote++;
            still = 0;
        }
        test_pause_ms(20);
        byte_link_update(self);
        if (!byte_link_is_busy(self) && read(host, bytes, sizeof bytes) > 0)
            still = 0;
    }
    assert_true(byte_link_is_busy(self));
    return wrote;
}

/* Starts a host process and waits until it has done its part, which it reports by a byte in a pipe.
 * Returns its process ID; -1: it failed. */
static inline pid_t host_start(void (*part)(const char *path), const char *path)
{
    int done[2];
    char byte;

    if (pipe(done) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        part(path);
        if (write(done[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(done[1]);
    bool is_done = read(done[0], &byte, 1) == 1;
    close(done[0]);
    return is_done ? pid : -1;
}

static inline void host_end(pid_t pid, int signal_number)
{
    kill(pid, signal_number);
    waitpid(pid, NULL, 0);
}
