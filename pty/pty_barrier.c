/* Waits until what was written to a pty's master can be read at its slave. */
#include "pty/pty_barrier.h"

#include <dirent.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Borrows a descriptor of a process. Negative: it has none, or does not let us. */
static int borrow(pid_t process, int fd)
{
    int handle = (int)syscall(SYS_pidfd_open, process, 0);
    int copy = handle >= 0 ? (int)syscall(SYS_pidfd_getfd, handle, fd, 0) : -1;

    if (handle >= 0)
        close(handle);
    return copy;
}

static bool is_node(int fd, const char *node)
{
    struct stat file, wanted;

    return fstat(fd, &file) == 0 && stat(node, &wanted) == 0 && S_ISCHR(file.st_mode) &&
           file.st_rdev == wanted.st_rdev;
}

/* Whether it worked. The poll puts all bytes into the line discipline, but may see them before who
 * waits for them was woken: the worker does both under a lock, which FIONREAD takes for writing
 * (Linux 6.18, drivers/tty/n_tty.c: n_tty_receive_buf_common, n_tty_ioctl). */
static bool flush(const struct pty_barrier *self, const char *node)
{
    int copy = self->process > 0 ? borrow(self->process, self->fd) : -1;
    bool is_there = copy >= 0 && is_node(copy, node);

    int waiting;

    if (is_there && poll(&(struct pollfd){.fd = copy, .events = POLLIN}, 1, 0) > 0)
        ioctl(copy, FIONREAD, &waiting);
    if (copy >= 0)
        close(copy);
    return is_there;
}

/* Whether a process has the slave open, and as which descriptor. */
static bool find(struct pty_barrier *self, pid_t process, const char *node)
{
    char folder[32], place[64], target[64];
    const struct dirent *entry;

    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)process);
    DIR *all = opendir(folder);
    self->process = 0;
    while (all != NULL && self->process == 0 && (entry = readdir(all)) != NULL) {
        snprintf(place, sizeof place, "%s/%.20s", folder, entry->d_name);
        ssize_t size = readlink(place, target, sizeof target - 1);
        target[size > 0 ? size : 0] = '\0';
        if (strcmp(target, node) == 0)
            *self = (struct pty_barrier){.process = process, .fd = atoi(entry->d_name)};
    }
    if (all != NULL)
        closedir(all);
    return self->process != 0;
}

void pty_barrier(struct pty_barrier *self, const char *node, const pid_t *hosts, size_t count)
{
    bool is_done = flush(self, node);

    for (size_t i = 0; i < count && !is_done; i++)
        is_done = find(self, hosts[i], node) && flush(self, node);
}
