/* The place of a pty in the file system. It is below /dev/, because libserialport accepts no name
 * outside it. */
#include "pty/terminal/pty_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The folder ---- */

/* Makes a folder if it does not exist. Checks that it is a real folder, owned by this user and
 * closed to others. */
static bool make_private(const char *folder, struct error *error)
{
    struct stat found;

    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return error_environment(error, "cannot make the folder %s: %s", folder, strerror(errno));
    if (lstat(folder, &found) != 0)
        return error_environment(error, "cannot read %s: %s", folder, strerror(errno));
    if (!S_ISDIR(found.st_mode))
        return error_environment(error, "%s is not a folder: remove it manually", folder);
    if (found.st_uid != geteuid())
        return error_environment(
            error,
            "%s belongs to user %u and not to you (%u), so it is not safe to use: ask its owner to "
            "remove it, or set XDG_RUNTIME_DIR to one of your folders",
            folder, (unsigned)found.st_uid, (unsigned)geteuid());
    if ((found.st_mode & 077) != 0)
        return error_environment(
            error, "%s is open to other users (mode %03o): chmod 700 %s, or remove it", folder,
            (unsigned)found.st_mode & 0777U, folder);
    return true;
}

static bool append(char *path, size_t cap, const char *part, size_t part_size, struct error *error)
{
    size_t size = strlen(path);

    if (size + 1 + part_size >= cap)
        return error_set(error, "%s/%.40s...: the path is too long, choose a shorter name", path,
                         part);
    path[size] = '/';
    memcpy(path + size + 1, part, part_size);
    path[size + 1 + part_size] = '\0';
    return true;
}

/* Whether no part of a relative path leads out of the folder or can be the name of a lock file. */
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

/* Appends a relative path and makes its folders. `is_folder`: the last part is a folder too. */
static bool descend(char *path, size_t cap, const char *relative, bool is_folder,
                    struct error *error)
{
    if (!is_plain(relative))
        return error_set(error, "\"%s\": a name must not be empty or begin with a dot", relative);
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

/* Whether another user has put something at the place of our folder. Only root and that user can
 * remove it. */
static bool is_foreign(const char *folder)
{
    struct stat found;

    return lstat(folder, &found) == 0 && (!S_ISDIR(found.st_mode) || found.st_uid != geteuid());
}

bool pty_path_folder_in(const struct pty_path_roots *roots, const char *sub_folder, char *out,
                        size_t cap, struct error *error)
{
    int size = 0;
    bool is_shared = is_usable(roots->shared_memory);

    if (is_shared)
        size = snprintf(out, cap, "%s/ptybot-%u", roots->shared_memory, (unsigned)geteuid());
    if (is_usable(roots->runtime) && (!is_shared || is_foreign(out)))
        size = snprintf(out, cap, "%s/ptybot", roots->runtime);
    else if (!is_shared)
        return error_environment(
            error,
            "no place for relative paths: %s cannot be written and XDG_RUNTIME_DIR (%s) neither; "
            "set XDG_RUNTIME_DIR to one of your folders",
            roots->shared_memory, roots->runtime != NULL ? roots->runtime : "not set");
    if (size < 0 || (size_t)size >= cap)
        return error_environment(error, "%s: the path of the folder is too long", out);
    if (!make_private(out, error))
        return false;
    return sub_folder == NULL || descend(out, cap, sub_folder, true, error);
}

bool pty_path_folder(const char *sub_folder, char *out, size_t cap, struct error *error)
{
    const struct pty_path_roots roots = {
        .shared_memory = "/dev/shm",
        .runtime = getenv("XDG_RUNTIME_DIR"),
    };

    return pty_path_folder_in(&roots, sub_folder, out, cap, error);
}

bool pty_path_resolve(const char *path, const char *sub_folder, char *out, size_t cap,
                      struct error *error)
{
    size_t size = strlen(path);

    if (size == 0 || path[size - 1] == '/')
        return error_set(error, "\"%s\": a path must end with a name", path);
    if (path[0] != '/')
        return pty_path_folder(sub_folder, out, cap, error) &&
               descend(out, cap, path, false, error);
    if (size >= cap)
        return error_set(error, "%.40s...: the path is too long", path);
    memcpy(out, path, size + 1);
    return true;
}

void pty_path_release(const char *path, const char *resolved)
{
    char folder[PTY_PATH_MAX];

    snprintf(folder, sizeof folder, "%s", resolved);
    if (path[0] == '/')
        return;
    for (; strchr(path, '/') != NULL; path = strchr(path, '/') + 1) {
        *strrchr(folder, '/') = '\0';
        if (rmdir(folder) != 0)
            return;
    }
}

/* ---- The claim to a path ----
 *
 * The lock file lists the terminals that the path may point at. A new owner can therefore
 * distinguish a dead owner's symlink from a foreign one: numbers under /dev/pts are reused. */

enum { RECORD_MAX = 128 };

/* "ptybot PID\nTARGET\n[TARGET\n]" */
static const char record_head[] = "ptybot ";

static void record_read(int lock, char record[RECORD_MAX])
{
    ssize_t size = pread(lock, record, RECORD_MAX - 1, 0);

    record[size > 0 ? size : 0] = '\0';
}

static void record_write(int lock, const char *target, const char *other)
{
    char record[RECORD_MAX];
    int size = snprintf(record, sizeof record, "%s%ld\n%s\n%s\n", record_head, (long)getpid(),
                        target, other);

    /* Without a record (full disk), a later start may have to ask the user to remove the
     * symlink. */
    if (pwrite(lock, record, (size_t)size, 0) != size || ftruncate(lock, size) != 0)
        return;
}

static bool record_has(const char *record, const char *target)
{
    size_t size = strlen(target);

    for (const char *line = strchr(record, '\n'); line != NULL; line = strchr(line + 1, '\n'))
        if (size > 0 && strncmp(line + 1, target, size) == 0 && line[1 + size] == '\n')
            return true;
    return false;
}

static bool fail_taken(const struct pty_claim *claim, int lock, struct error *error)
{
    char record[RECORD_MAX];

    record_read(lock, record);
    long pid = strncmp(record, "ptybot ", 7) == 0 ? strtol(record + 7, NULL, 10) : 0;
    if (pid <= 0)
        return error_environment(
            error, "%s is in use by another ptybot: choose another path, or stop it", claim->path);
    if (pid == (long)getpid())
        return error_set(error,
                         "%s is already used by another link of this run: choose another path",
                         claim->path);
    return error_environment(error,
                             "%s is in use by ptybot pid %ld: choose another path, or stop it "
                             "(kill %ld)",
                             claim->path, pid, pid);
}

static bool fail_folder(const struct pty_claim *claim, int reason, struct error *error)
{
    const char *name = strrchr(claim->path, '/') + 1;
    size_t folder_size = (size_t)(name - claim->path);
    char ours[PTY_PATH_MAX];

    if (reason == ENOENT || reason == ENOTDIR)
        return error_environment(error, "%s: the folder %.*s does not exist: create it first",
                                 claim->path, (int)folder_size, claim->path);
    if ((reason == EACCES || reason == EPERM || reason == EROFS) &&
        pty_path_folder(NULL, ours, sizeof ours, NULL))
        return error_environment(
            error,
            "%s: no permission to create files in %.*s (%s): use the path \"%s\" "
            "instead, and once run: sudo ln -s %s/%s %s",
            claim->path, (int)folder_size, claim->path, strerror(reason), name, ours, name,
            claim->path);
    return error_environment(error, "%s: cannot make the lock file %s: %s", claim->path,
                             claim->lock_path, strerror(reason));
}

/* Whether the name of the lock file still refers to the locked file. */
static bool is_named(const char *lock_path, int lock)
{
    struct stat locked, named;

    return fstat(lock, &locked) == 0 && lstat(lock_path, &named) == 0 &&
           locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

/* Locks the lock file. *is_stale: its owner removed it meanwhile; try again. */
static bool lock_once(struct pty_claim *claim, bool *is_stale, struct error *error)
{
    char record[RECORD_MAX];
    struct stat locked;
    int lock = open(claim->lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);

    *is_stale = false;
    if (lock < 0)
        return fail_folder(claim, errno, error);
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            fail_taken(claim, lock, error);
        else
            error_environment(error, "%s: cannot lock %s: %s", claim->path, claim->lock_path,
                              strerror(errno));
        close(lock);
        return false;
    }
    if (!is_named(claim->lock_path, lock) || fstat(lock, &locked) != 0) {
        close(lock);
        *is_stale = true;
        return false;
    }
    record_read(lock, record);
    if (!S_ISREG(locked.st_mode) ||
        (locked.st_size > 0 && strncmp(record, record_head, strlen(record_head)) != 0)) {
        close(lock);
        return error_environment(error, "%s is not a lock file of ptybot: remove it manually",
                                 claim->lock_path);
    }
    claim->lock = lock;
    return true;
}

/* Locks the lock file. Tries again as often as owners remove it meanwhile. */
static bool lock_take(struct pty_claim *claim, struct error *error)
{
    bool is_stale;

    do
        if (lock_once(claim, &is_stale, error))
            return true;
    while (is_stale);
    return false;
}

/* Reads the symlink at the path. "": the path does not exist. NULL: the path is not a symlink. */
static const char *point_read(const char *path, char *target, size_t cap)
{
    ssize_t size = readlink(path, target, cap - 1);

    if (size < 0 && errno != ENOENT)
        return NULL;
    target[size > 0 ? size : 0] = '\0';
    return target;
}

static bool fail_foreign(const struct pty_claim *claim, struct error *error)
{
    return error_environment(error,
                             "%s exists and was not made by ptybot, so ptybot does not replace it: "
                             "choose another path, or remove it manually",
                             claim->path);
}

/* Whether a symlink's target has the name of a pseudo-terminal. */
static bool is_pts(const char *target)
{
    const char *number = target + strlen("/dev/pts/");
    return strncmp(target, "/dev/pts/", strlen("/dev/pts/")) == 0 && *number != '\0' &&
           number[strspn(number, "0123456789")] == '\0';
}

/* Removes a symlink that a dead owner left at the path. */
static bool clear_place(const struct pty_claim *claim, struct error *error)
{
    char record[RECORD_MAX], buffer[PTY_PATH_MAX];
    const char *target = point_read(claim->path, buffer, sizeof buffer);

    if (target == NULL)
        return fail_foreign(claim, error);
    if (target[0] == '\0')
        return true;
    record_read(claim->lock, record);
    /* Without a record, only a symlink to a terminal that no longer exists certainly has no
     * owner. */
    bool is_gone = is_pts(target) && access(target, F_OK) != 0 && errno == ENOENT;
    if (!is_gone && !record_has(record, target))
        return fail_foreign(claim, error);
    if (unlink(claim->path) != 0 && errno != ENOENT)
        return fail_folder(claim, errno, error);
    return true;
}

static void unlock(struct pty_claim *claim)
{
    /* Removed while still locked: a process that locks it later sees that the name is gone. If
     * another program has removed it, the name may belong to another owner. */
    if (is_named(claim->lock_path, claim->lock))
        unlink(claim->lock_path);
    close(claim->lock);
    claim->lock = -1;
}

bool pty_claim_open(struct pty_claim *claim, const char *path, struct error *error)
{
    const char *name = strrchr(path, '/') + 1;
    int folder_size = (int)(name - path);

    *claim = (struct pty_claim){.lock = -1};
    if (strlen(path) + sizeof "..lock" > PTY_PATH_MAX)
        return error_set(error, "%.40s...: the path is too long", path);
    snprintf(claim->path, PTY_PATH_MAX, "%s", path);
    snprintf(claim->lock_path, PTY_PATH_MAX, "%.*s.%s.lock", folder_size, path, name);

    if (!lock_take(claim, error))
        return false;
    if (!clear_place(claim, error)) {
        unlock(claim);
        return false;
    }
    record_write(claim->lock, "", "");
    return true;
}

/* Temporary path of a new symlink before it replaces the old one. */
static const char *fresh_path(const struct pty_claim *claim, char text[PTY_PATH_MAX])
{
    const char *name = strrchr(claim->path, '/') + 1;
    snprintf(text, PTY_PATH_MAX, "%.*s.%s.new", (int)(name - claim->path), claim->path, name);
    return text;
}

bool pty_claim_point(struct pty_claim *claim, const char *target, struct error *error)
{
    char buffer[PTY_PATH_MAX];
    const char *old = point_read(claim->path, buffer, sizeof buffer);
    bool is_ours = old != NULL && old[0] != '\0' && strcmp(old, claim->target) == 0;
    bool is_made;

    /* Both targets are listed while the path changes. If this process dies in between, neither
     * looks foreign. */
    record_write(claim->lock, target, claim->target);
    if (is_ours) {
        char fresh[PTY_PATH_MAX];
        unlink(fresh_path(claim, fresh));
        is_made = symlink(target, fresh) == 0 && rename(fresh, claim->path) == 0;
    } else {
        is_made = symlink(target, claim->path) == 0;
    }
    if (!is_made)
        return errno == EEXIST ? fail_foreign(claim, error) : fail_folder(claim, errno, error);
    snprintf(claim->target, sizeof claim->target, "%s", target);
    record_write(claim->lock, target, "");
    return true;
}

static bool is_link_removed(const struct pty_claim *claim)
{
    struct stat found;

    return claim->target[0] != '\0' && lstat(claim->path, &found) != 0 && errno == ENOENT;
}

const char *pty_claim_removed(const struct pty_claim *claim)
{
    if (!is_named(claim->lock_path, claim->lock))
        return claim->lock_path;
    return is_link_removed(claim) ? claim->path : NULL;
}

/* A removed file cannot get its name back, so this locks a new file instead. */
static bool lock_restore(struct pty_claim *claim, struct error *error)
{
    int removed = claim->lock;

    if (is_named(claim->lock_path, removed))
        return true;
    if (!lock_take(claim, error))
        return false;
    close(removed);
    record_write(claim->lock, claim->target, "");
    return true;
}

bool pty_claim_restore(struct pty_claim *claim, struct error *error)
{
    char target[sizeof claim->target];

    /* The lock first: if it now belongs to another owner, the path does too. */
    if (!lock_restore(claim, error))
        return false;
    memcpy(target, claim->target, sizeof target);
    return !is_link_removed(claim) || pty_claim_point(claim, target, error);
}

void pty_claim_unpoint(struct pty_claim *claim)
{
    char buffer[PTY_PATH_MAX];
    const char *old = point_read(claim->path, buffer, sizeof buffer);

    if (old != NULL && old[0] != '\0' && strcmp(old, claim->target) == 0)
        unlink(claim->path);
    claim->target[0] = '\0';
}

void pty_claim_close(struct pty_claim *claim)
{
    if (claim->lock < 0)
        return;
    char fresh[PTY_PATH_MAX];
    pty_claim_unpoint(claim);
    unlink(fresh_path(claim, fresh));
    unlock(claim);
}
