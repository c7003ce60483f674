/* Where a pty appears in the file system: the private folder, names resolved to paths, and the
 * claim that makes a path ours. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { PTY_PATH_MAX = 1024 }; /* bytes with the terminator; chosen: far above any sane path */

/* Makes the folder for relative paths and writes its path to `out`: /dev/shm/ptybot-<uid>, or
 * $XDG_RUNTIME_DIR/ptybot where /dev/shm is unusable or another user holds that name, plus
 * `sub_folder` ("run-12", "a/b") unless NULL. A folder that is not ours or not 0700 is refused.
 * Returns false with `error` filled. */
bool pty_path_folder(const char *sub_folder, char *out, size_t cap, struct error *error);

/* Writes the absolute path of `path`: itself when absolute, else inside
 * pty_path_folder(sub_folder); folders that a relative path names are made. Returns false with
 * `error` filled. */
bool pty_path_resolve(const char *path, const char *sub_folder, char *out, size_t cap,
                      struct error *error);

/* Removes the folders that PATH, which pty_path_resolve has made absolute as RESOLVED, named in the
 * private one, as far as nothing else is in them. */
void pty_path_release(const char *path, const char *resolved);

/* What decides where the folder lies; pty_path_folder takes it from the machine. */
struct pty_path_roots {
    const char *shared_memory; /* "/dev/shm" */
    const char *runtime;       /* value of XDG_RUNTIME_DIR, NULL: not set */
};

/* pty_path_folder with other roots. */
bool pty_path_folder_in(const struct pty_path_roots *roots, const char *sub_folder, char *out,
                        size_t cap, struct error *error);

/* ---- The claim to a path ---- */

struct pty_claim {
    int lock;                /* -1: no claim */
    char path[PTY_PATH_MAX]; /* of the symlink, absolute */
    char lock_path[PTY_PATH_MAX];
    char target[32]; /* where our symlink points, "": there is none */
};

/* Claims the path: a lock file beside it (.NAME.lock), held for life, proves who owns the symlink
 * at the path. A symlink left by a dead owner is removed. Fails when the owner is alive, and when
 * something that is not ours is at the path, which stays. Returns false with `error` filled. */
bool pty_claim_open(struct pty_claim *claim, const char *path, struct error *error);

/* Points the path at a terminal, replacing a symlink of ours atomically. Returns false with `error`
 * filled, also when somebody has put something else there. */
bool pty_claim_point(struct pty_claim *claim, const char *target, struct error *error);

/* The path of what somebody has removed, the lock file or the symlink; NULL: all is there. */
const char *pty_claim_removed(const struct pty_claim *claim);

/* Puts back what was removed. Returns false with `error` filled where that cannot be: nobody may
 * write there any more, or another ptybot has taken the path meanwhile. */
bool pty_claim_restore(struct pty_claim *claim, struct error *error);

/* Removes the symlink, if it is still ours. The path stays claimed. */
void pty_claim_unpoint(struct pty_claim *claim);

/* Removes the symlink and the lock. */
void pty_claim_close(struct pty_claim *claim);
