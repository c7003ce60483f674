/* Waits until what was written to a pty's master can be read at its slave. The kernel hands bytes
 * over by a worker, some time later; only a poll of the slave makes it do that at once, and only
 * where nothing waits there yet; else they are counted. A slave of our own would count as a host,
 * so it is the host's, borrowed for a moment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the slave was found last; zero it before the first use, and close it. */
struct pty_barrier {
    pid_t process; /* 0: nowhere yet */
    int handle;    /* a pidfd of that process; negative: there is none */
    int fd;        /* of that process */
    int copy;      /* the slave, borrowed for a delivery */
    dev_t device;  /* the slave's number */
    bool is_begun; /* a delivery; COPY and what follows is of the moment before its first write */
    uint64_t sent; /* bytes to the master */
    int before;    /* that waited at the slave; -1: they do not matter */
};

/* Before a write to the master, to which SENT bytes were written so far. Costs little where no host
 * was found yet. */
void pty_barrier_begin(struct pty_barrier *self, uint64_t sent);

/* After the last write of a delivery; SENT bytes were written by then. NODE: the slave's path,
 * "/dev/pts/7"; HOSTS: processes that may have it open. False: none of them has, or it cannot be
 * borrowed, so the kernel delivers the bytes later. */
bool pty_barrier(struct pty_barrier *self, const char *node, uint64_t sent, const pid_t *hosts,
                 size_t count);

/* Call it before the pty is replaced, too. */
void pty_barrier_close(struct pty_barrier *self);
