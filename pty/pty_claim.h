/* The claim to a path: a lock held for life beside it (.NAME.lock) proves who owns the symlink at
 * the path. */
#ifndef PTYBOT_PTY_PTY_CLAIM_H
#define PTYBOT_PTY_PTY_CLAIM_H

#include "pty/pty_path.h"

struct pty_claim {
    int lock;                /* -1: no claim */
    char path[PTY_PATH_MAX]; /* of the symlink, absolute */
    char lock_path[PTY_PATH_MAX];
    char fresh_path[PTY_PATH_MAX]; /* where a new symlink is made before it replaces the old one */
    char target[32];               /* where our symlink points, "": there is none */
};

/* Takes the path. A symlink that a dead owner left is removed; one that is not ours, and any file,
 * stays and is an error, as is a living owner. Returns false with `error` filled. */
bool pty_claim_open(struct pty_claim *claim, const char *path, struct byte_link_error *error);

/* Points the path at a terminal; when it points at another one of ours, this is one atomic step for
 * hosts. Returns false with `error` filled, also when somebody has put something else there. */
bool pty_claim_point(struct pty_claim *claim, const char *target, struct byte_link_error *error);

/* Removes the symlink, if it is still ours. The path stays claimed. */
void pty_claim_unpoint(struct pty_claim *claim);

/* Removes the symlink and the lock. */
void pty_claim_close(struct pty_claim *claim);

#endif
