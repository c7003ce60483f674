/* Waits until what was written to a pty's master can be read at its slave. The kernel hands bytes
 * over by a worker, some time later; only a poll of the slave makes it do that at once. A slave of
 * our own would count as a host, so it is the host's, borrowed for a moment. */
#ifndef PTYBOT_PTY_PTY_BARRIER_H
#define PTYBOT_PTY_PTY_BARRIER_H

#include <stddef.h>
#include <sys/types.h>

/* Where the slave was found last; zero it before the first use. */
struct pty_barrier {
    pid_t process; /* 0: nowhere yet */
    int fd;        /* of that process */
};

/* NODE: the slave's path, "/dev/pts/7"; HOSTS: processes that may have it open. Where none has, or
 * it cannot be borrowed, the bytes come when they come. */
void pty_barrier(struct pty_barrier *self, const char *node, const pid_t *hosts, size_t count);

#endif
