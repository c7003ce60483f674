/* Where ptys appear in the file system. Under /dev/, because libserialport takes no name outside of
 * it. */
#include "pty/pty_path.h"
#include "pty/byte_link_kind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes one folder if need be, and sees that it is a real folder, ours, and closed to others. */
static bool make_private(const char *folder, struct byte_link_error *error)
{
    struct stat found;

    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return byte_link_fail(error, true, "cannot make the folder %s: %s", folder,
                              strerror(errno));
    if (lstat(folder, &found) != 0)
        return byte_link_fail(error, true, "cannot look at %s: %s", folder, strerror(errno));
    if (!S_ISDIR(found.st_mode))
        return byte_link_fail(error, true, "%s is not a folder: remove it by hand", folder);
    if (found.st_uid != geteuid())
        return byte_link_fail(
            error, true,
            "%s belongs to user %u and not to you (%u), so it is not safe to use: "
            "have it removed, or set XDG_RUNTIME_DIR to a folder of yours",
            folder, (unsigned)found.st_uid, (unsigned)geteuid());
    if ((found.st_mode & 077) != 0)
        return byte_link_fail(error, true,
                              "%s is open to other users (mode %03o): chmod 700 %s, or remove it",
                              folder, (unsigned)found.st_mode & 0777U, folder);
    return true;
}

static bool append(char *path, size_t cap, const char *part, size_t part_size,
                   struct byte_link_error *error)
{
    size_t size = strlen(path);

    if (size + 1 + part_size >= cap)
        return byte_link_fail(error, false,
                              "%s/%.40s...: the path is too long, take a shorter name", path, part);
    path[size] = '/';
    memcpy(path + size + 1, part, part_size);
    path[size + 1 + part_size] = '\0';
    return true;
}

/* Whether all parts of a relative path are plain names: none leads elsewhere or meets a lock file.
 */
static bool is_plain(const char *relative)
{
    for (const char *part = relative;; part++) {
        if (part[0] == '/' || part[0] == '.' || part[0] == '\0')
            return false;
        part += strcspn(part, "/");
        if (part[0] == '\0')
            return true;
    }
}

/* Appends a relative path part by part. All folders of it are made; the last part is one only if
 * `is_folder`. */
static bool descend(char *path, size_t cap, const char *relative, bool is_folder,
                    struct byte_link_error *error)
{
    if (!is_plain(relative))
        return byte_link_fail(error, false, "\"%s\": a name must not be empty or begin with a dot",
                              relative);
    for (const char *part = relative;;) {
        size_t size = strcspn(part, "/");
        bool is_last = part[size] == '\0';

        if (!append(path, cap, part, size, error))
            return false;
        if ((!is_last || is_folder) && !make_private(path, error))
            return false;
        if (is_last)
            return true;
        part += size + 1;
    }
}

static bool is_usable(const char *folder)
{
    struct stat found;

    return folder != NULL && folder[0] == '/' && stat(folder, &found) == 0 &&
           S_ISDIR(found.st_mode) && access(folder, W_OK | X_OK) == 0;
}

/* Whether somebody else has put something at the place of our folder. Nobody but root and its owner
 * can remove it from there. */
static bool is_foreign(const char *folder)
{
    struct stat found;

    return lstat(folder, &found) == 0 && (!S_ISDIR(found.st_mode) || found.st_uid != geteuid());
}

bool pty_path_folder_in(const struct pty_path_roots *roots, const char *sub_folder, char *out,
                        size_t cap, struct byte_link_error *error)
{
    int size = 0;
    bool is_shared = is_usable(roots->shared_memory);

    if (is_shared)
        size = snprintf(out, cap, "%s/ptybot-%u", roots->shared_memory, (unsigned)geteuid());
    if (is_usable(roots->runtime) && (!is_shared || is_foreign(out)))
        size = snprintf(out, cap, "%s/ptybot", roots->runtime);
    else if (!is_shared)
        return byte_link_fail(error, true,
                              "no place for relative paths: %s cannot be written and "
                              "XDG_RUNTIME_DIR (%s) neither; set XDG_RUNTIME_DIR to a folder of "
                              "yours",
                              roots->shared_memory,
                              roots->runtime != NULL ? roots->runtime : "not set");
    if (size < 0 || (size_t)size >= cap)
        return byte_link_fail(error, true, "%s: the path of the folder is too long", out);
    if (!make_private(out, error))
        return false;
    return sub_folder == NULL || descend(out, cap, sub_folder, true, error);
}

bool pty_path_folder(const char *sub_folder, char *out, size_t cap, struct byte_link_error *error)
{
    const struct pty_path_roots roots = {
        .shared_memory = "/dev/shm",
        .runtime = getenv("XDG_RUNTIME_DIR"),
    };

    return pty_path_folder_in(&roots, sub_folder, out, cap, error);
}

bool pty_path_resolve(const char *path, const char *sub_folder, char *out, size_t cap,
                      struct byte_link_error *error)
{
    size_t size = strlen(path);

    if (size == 0 || path[size - 1] == '/')
        return byte_link_fail(error, false, "\"%s\": a path must end with a name", path);
    if (path[0] != '/')
        return pty_path_folder(sub_folder, out, cap, error) &&
               descend(out, cap, path, false, error);
    if (size >= cap)
        return byte_link_fail(error, false, "%.40s...: the path is too long", path);
    memcpy(out, path, size + 1);
    return true;
}
