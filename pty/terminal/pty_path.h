/* The place of a pty in the file system: the private folder, the conversion of names to paths, and
 * the claim of this process to a path. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { PTY_PATH_MAX = 1024 }; /* bytes with the terminator; chosen: far above any sane path */

/* Makes the folder for relative paths and writes its path to `out`: /dev/shm/ptybot-<uid>, or
 * $XDG_RUNTIME_DIR/ptybot if /dev/shm is unusable or another user has taken that name. Appends
 * `sub_folder` ("run-12", "a/b") unless it is NULL. Refuses a folder that another user owns or
 * whose mode is not 0700. Returns false with `error` filled. */
bool pty_path_folder(const char *sub_folder, char *out, size_t cap, struct error *error);

/* Writes the absolute form of `path`. An absolute path stays unchanged. A relative path is inside
 * pty_path_folder(sub_folder), and its folders are made. Returns false with `error` filled. */
bool pty_path_resolve(const char *path, const char *sub_folder, char *out, size_t cap,
                      struct error *error);

/* Removes the folders of a relative PATH inside the private folder, if they are empty. RESOLVED:
 * the absolute path from pty_path_resolve. */
void pty_path_release(const char *path, const char *resolved);

/* The inputs that decide where the folder is. pty_path_folder takes them from the machine. */
struct pty_path_roots {
    const char *shared_memory; /* "/dev/shm" */
    const char *runtime;       /* value of XDG_RUNTIME_DIR; NULL: not set */
};

/* pty_path_folder with other roots. */
bool pty_path_folder_in(const struct pty_path_roots *roots, const char *sub_folder, char *out,
                        size_t cap, struct error *error);

/* ---- The claim to a path ---- */

struct pty_claim {
    int lock;                /* descriptor of the lock file; -1: no claim */
    char path[PTY_PATH_MAX]; /* of the symlink, absolute */
    char lock_path[PTY_PATH_MAX];
    char target[32]; /* target of our symlink; "": no symlink */
};

/* Claims the path. A lock file in the same folder (.NAME.lock) proves who owns the symlink at the
 * path; it is held until pty_claim_close. Removes a symlink of an owner that has died. Fails if the
 * owner is alive. Also fails if something else is at the path, and leaves it there. Returns false
 * with `error` filled. */
bool pty_claim_open(struct pty_claim *claim, const char *path, struct error *error);

/* Points the path at a terminal. Replaces our own symlink atomically. Returns false with `error`
 * filled, also if another program has put something else there. */
bool pty_claim_point(struct pty_claim *claim, const char *target, struct error *error);

/* The path of the lock file or the symlink if another program has removed it; NULL: both exist. */
const char *pty_claim_removed(const struct pty_claim *claim);

/* Restores removed files. Returns false with `error` filled if that is impossible: the folder is
 * not writable any more, or another ptybot has taken the path meanwhile. */
bool pty_claim_restore(struct pty_claim *claim, struct error *error);

/* Removes the symlink, if it is still ours. The path stays claimed. */
void pty_claim_unpoint(struct pty_claim *claim);

/* Removes the symlink and the lock. */
void pty_claim_close(struct pty_claim *claim);
