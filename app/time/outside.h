/* Processes outside of a host that it talks to: they cannot be seen to compute, so that time does
 * not wait for them. Found by the connected sockets of the host's processes, of TCP and Unix. */
#ifndef PTYBOT_APP_TIME_OUTSIDE_H
#define PTYBOT_APP_TIME_OUTSIDE_H

#include <stddef.h>
#include <sys/types.h>

enum { OUTSIDE_TALKS_MAX = 8 }; /* chosen: more of them say nothing new */

struct outside_talk {
    pid_t process;   /* of the host */
    char name[32];   /* its */
    char where[128]; /* "127.0.0.1:11311", "/run/dbus/socket (dbus-daemon, process 12)" */
};

/* All zero: none was found yet. */
struct outside {
    struct outside_talk talks[OUTSIDE_TALKS_MAX];
    size_t count;
};

/* Looks at the sockets of all HOSTS, and notes each end outside of them and of this process that is
 * not noted yet. What cannot be seen is left out. */
void outside_look(struct outside *outside, const pid_t *hosts, size_t count);

#endif
