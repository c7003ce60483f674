/* Waits until bytes written to a pty's master can be read at its slave. */
#include "pty/terminal/pty_barrier.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "pty/terminal/pty_device.h"

/* Copies the slave's descriptor from the process that last had it. Negative: it is not there any
 * more. */
static int borrow_slave(const struct pty_barrier *self)
{
    struct stat file;
    int copy = self->process > 0 ? (int)syscall(SYS_pidfd_getfd, self->handle, self->fd, 0) : -1;

    if (copy >= 0 &&
        (fstat(copy, &file) != 0 || !S_ISCHR(file.st_mode) || file.st_rdev != self->device)) {
        close(copy);
        copy = -1;
    }
    return copy;
}

/* Returns the number of waiting bytes if a poll of the slave has no effect. That is the case if
 * enough bytes wait already: new bytes then wake no reader. -1: a poll delivers the bytes; or they
 * cannot be counted, because the terminal edits lines or interprets characters. (n_tty.c:
 * input_available_p) */
static int count_waiting(int slave)
{
    struct termios mode;
    int waiting;

    if (ioctl(slave, FIONREAD, &waiting) != 0 || waiting == 0 || tcgetattr(slave, &mode) != 0 ||
        (mode.c_lflag & (ICANON | ISIG)) != 0 || (mode.c_iflag & (IGNCR | IXON | PARMRK)) != 0)
        return -1;
    int enough = mode.c_cc[VTIME] == 0 && mode.c_cc[VMIN] > 0 ? mode.c_cc[VMIN] : 1;
    return waiting >= enough ? waiting : -1;
}

void pty_barrier_begin(struct pty_barrier *self, uint64_t sent)
{
    if (self->is_begun || (self->copy = borrow_slave(self)) < 0)
        return;
    self->is_begun = true;
    self->before = count_waiting(self->copy);
    self->sent = sent;
}

/* Chosen: the total wait is far longer than a busy machine delays the worker. */
enum { COUNT_TRIES = 20000, COUNT_NAP_NS = 100000 };

/* Waits until all bytes have arrived. If the number falls, the host is reading, and the wait ends
 * too. */
static void count_in(const struct pty_barrier *self, int slave, uint64_t sent)
{
    uint64_t all = (uint64_t)self->before + (sent - self->sent);
    uint64_t wanted = all < PTY_DEVICE_READ_BUFFER ? all : PTY_DEVICE_READ_BUFFER;
    int waiting = self->before, last;

    for (int i = 0; i < COUNT_TRIES; i++) {
        last = waiting;
        bool is_known = ioctl(slave, FIONREAD, &waiting) == 0;
        if (!is_known || waiting < last || (uint64_t)waiting >= wanted)
            return;
        nanosleep(&(struct timespec){.tv_nsec = COUNT_NAP_NS}, NULL);
    }
}

/* Returns whether it worked. The poll puts all bytes into the line discipline, but may return
 * before the waiting reader is woken. The worker does both under a lock. FIONREAD takes that lock
 * for writing, so after it the reader is awake (Linux 6.18, drivers/tty/n_tty.c: n_tty_poll,
 * n_tty_receive_buf_common, n_tty_ioctl). */
static bool flush(struct pty_barrier *self, uint64_t sent)
{
    int waiting, copy = self->is_begun ? self->copy : borrow_slave(self);

    if (copy < 0)
        return false;
    if (poll(&(struct pollfd){.fd = copy, .events = POLLIN}, 1, 0) > 0)
        ioctl(copy, FIONREAD, &waiting);
    if (self->is_begun && self->before >= 0)
        count_in(self, copy, sent);
    close(copy);
    self->is_begun = false;
    return true;
}

void pty_barrier_close(struct pty_barrier *self)
{
    if (self->is_begun)
        close(self->copy);
    self->is_begun = false;
    if (self->process > 0 && self->handle >= 0)
        close(self->handle);
    self->process = 0;
}

/* Searches a process for a descriptor of the slave and stores it. False: none found. */
static bool find(struct pty_barrier *self, pid_t process, const char *node)
{
    char folder[32], place[64], target[64];
    const struct dirent *entry;
    struct stat file;

    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)process);
    DIR *all = opendir(folder);
    pty_barrier_close(self);
    while (all != NULL && self->process == 0 && (entry = readdir(all)) != NULL) {
        snprintf(place, sizeof place, "%s/%.20s", folder, entry->d_name);
        ssize_t size = readlink(place, target, sizeof target - 1);
        target[size > 0 ? size : 0] = '\0';
        if (strcmp(target, node) == 0 && stat(node, &file) == 0)
            *self = (struct pty_barrier){.process = process,
                                         .handle = (int)syscall(SYS_pidfd_open, process, 0),
                                         .fd = atoi(entry->d_name),
                                         .device = file.st_rdev};
    }
    if (all != NULL)
        closedir(all);
    return self->process != 0;
}

bool pty_barrier(struct pty_barrier *self, const char *node, uint64_t sent, const pid_t *hosts,
                 size_t count)
{
    bool is_done = flush(self, sent);

    for (size_t i = 0; i < count && !is_done; i++)
        is_done = find(self, hosts[i], node) && flush(self, sent);
    return is_done;
}
