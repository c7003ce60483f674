/* Processes that the driver talks to, but that are not part of it. ptybot cannot see whether they
 * compute, so simulated time does not wait for them. Found by the connected TCP and Unix sockets of
 * the driver's processes. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

enum { EXTERNAL_PEERS_MAX = 8 }; /* chosen: more of them add no information */

struct external_peer {
    pid_t process;   /* of the driver */
    char name[32];   /* name of that process */
    char where[128]; /* "127.0.0.1:11311", "/run/dbus/socket (dbus-daemon, process 12)" */
};

/* All zero: no peer found so far. */
struct external_peers {
    struct external_peer peers[EXTERNAL_PEERS_MAX];
    size_t count;
};

/* Reads the sockets of all HOSTS and adds each external peer that is not listed yet. Leaves out
 * sockets that ptybot may not read. */
void external_peers_poll(struct external_peers *peers, const pid_t *hosts, size_t count);
