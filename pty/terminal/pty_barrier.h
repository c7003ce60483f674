/* Waits until bytes written to a pty's master can be read at its slave. A kernel worker delivers
 * the bytes later. A poll of the slave makes the kernel deliver them immediately, but only if no
 * bytes wait there yet; otherwise this code counts the waiting bytes. If this process opened the
 * slave, it would count as a host. It therefore uses the host's descriptor for a moment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The place where the slave was last found. Set it to zero before the first use, and close it at
 * the end. */
struct pty_barrier {
    pid_t process; /* 0: not found yet */
    int handle;    /* a pidfd of that process; negative: none */
    int fd;        /* descriptor of the slave in that process */
    int copy;      /* copy of the slave's descriptor during a delivery */
    dev_t device;  /* device number of the slave */
    bool is_begun; /* a delivery is in progress; COPY and the following members are from before
                    * its first write */
    uint64_t sent; /* total bytes written to the master */
    int before;    /* bytes that waited at the slave; -1: they need not be counted */
};

/* Call before a write to the master. SENT: total bytes written so far. Costs little if no host has
 * been found yet. */
void pty_barrier_begin(struct pty_barrier *self, uint64_t sent);

/* Call after the last write of a delivery. SENT: total bytes written by then. NODE: path of the
 * slave, "/dev/pts/7". HOSTS: processes that may have it open. False: no process has it open, or
 * its descriptor cannot be copied; the kernel then delivers the bytes later. */
bool pty_barrier(struct pty_barrier *self, const char *node, uint64_t sent, const pid_t *hosts,
                 size_t count);

/* Also call it before the pty is replaced. */
void pty_barrier_close(struct pty_barrier *self);
