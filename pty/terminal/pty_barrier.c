/* Waits until what was written to a pty's master can be read at its slave. */
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

/* Borrows the slave from where it was found last. Negative: it is not there any more. */
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

/* How many bytes wait where a poll of the slave does nothing, since it finds enough already; then
 * nobody is woken by what comes. -1: it does what it should; or lines are edited or characters have
 * a meaning, so that what comes cannot be counted. (n_tty.c: input_available_p) */
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

/* Chosen: how long to wait for the worker, in all far longer than a busy machine lets it wait. */
enum { COUNT_TRIES = 20000, COUNT_NAP_NS = 100000 };

/* Waits until all is there; less than before: somebody reads all the same. */
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

/* Whether it worked. The poll puts all bytes into the line discipline, but may see them before who
 * waits for them was woken: the worker does both under a lock, which FIONREAD takes for writing
 * (Linux 6.18, drivers/tty/n_tty.c: n_tty_poll, n_tty_receive_buf_common, n_tty_ioctl). */
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

/* Whether a process has the slave open, and as which descriptor. */
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
