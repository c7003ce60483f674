/* Where ptys appear in the file system: the private folder, names resolved to paths. */
#ifndef PTYBOT_PTY_PTY_PATH_H
#define PTYBOT_PTY_PTY_PATH_H

#include "pty/byte_link.h"

enum { PTY_PATH_MAX = 1024 }; /* bytes with the terminator; chosen: far above any sane path */

/* Makes, checks and writes the folder of relative paths: /dev/shm/ptybot-<uid>, or
 * $XDG_RUNTIME_DIR/ptybot where there is no usable /dev/shm or somebody else has taken that name,
 * plus `sub_folder` when not NULL
 * ("run-12", "a/b"). Each is 0700 and ours, otherwise it is refused. Returns false with `error`
 * filled. */
bool pty_path_folder(const char *sub_folder, char *out, size_t cap, struct byte_link_error *error);

/* Writes the absolute path of `path`: itself when absolute, else inside
 * pty_path_folder(sub_folder); folders that a relative path names are made. Returns false with
 * `error` filled. */
bool pty_path_resolve(const char *path, const char *sub_folder, char *out, size_t cap,
                      struct byte_link_error *error);

/* The parts of the machine that decide on the folder; pty_path_folder fills them in from the real
 * one. */
struct pty_path_roots {
    const char *shared_memory; /* "/dev/shm" */
    const char *runtime;       /* value of XDG_RUNTIME_DIR, NULL: not set */
};

/* pty_path_folder with other roots. */
bool pty_path_folder_in(const struct pty_path_roots *roots, const char *sub_folder, char *out,
                        size_t cap, struct byte_link_error *error);

#endif
