/* The claim to a path. The lock file lists the terminals that the path may point at, so that a new
 * owner knows a dead one's symlink from a stranger's: numbers under /dev/pts are used again. */
#include "pty/pty_claim.h"
#include "pty/byte_link_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

    /* A record that cannot be written (full disk) costs only the ease of a later start. */
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

static bool fail_taken(const struct pty_claim *claim, int lock, struct byte_link_error *error)
{
    char record[RECORD_MAX];

    record_read(lock, record);
    long pid = strncmp(record, "ptybot ", 7) == 0 ? strtol(record + 7, NULL, 10) : 0;
    if (pid <= 0)
        return byte_link_fail(error, true,
                              "%s is taken by another ptybot: choose another path, or stop it",
                              claim->path);
    if (pid == (long)getpid())
        return byte_link_fail(error, false,
                              "%s is already used by another link of this run: choose another path",
                              claim->path);
    return byte_link_fail(error, true,
                          "%s is taken by ptybot pid %ld: choose another path, or stop it "
                          "(kill %ld)",
                          claim->path, pid, pid);
}

static bool fail_folder(const struct pty_claim *claim, int reason, struct byte_link_error *error)
{
    const char *name = strrchr(claim->path, '/') + 1;
    size_t folder_size = (size_t)(name - claim->path);
    struct byte_link_error ignored;
    char ours[PTY_PATH_MAX];

    if (reason == ENOENT || reason == ENOTDIR)
        return byte_link_fail(error, true, "%s: the folder %.*s is not there: make it first",
                              claim->path, (int)folder_size, claim->path);
    if ((reason == EACCES || reason == EPERM || reason == EROFS) &&
        pty_path_folder(NULL, ours, sizeof ours, &ignored))
        return byte_link_fail(error, true,
                              "%s: you may not make files in %.*s (%s): use the path \"%s\" "
                              "instead, and once run: sudo ln -s %s/%s %s",
                              claim->path, (int)folder_size, claim->path, strerror(reason), name,
                              ours, name, claim->path);
    return byte_link_fail(error, true, "%s: cannot make the lock file %s: %s", claim->path,
                          claim->lock_path, strerror(reason));
}

/* Locks the lock file; *is_stale when its owner removed it in between, so that another try is due.
 */
static bool lock_once(struct pty_claim *claim, bool *is_stale, struct byte_link_error *error)
{
    char record[RECORD_MAX];
    struct stat locked, named;
    int lock = open(claim->lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);

    *is_stale = false;
    if (lock < 0)
        return fail_folder(claim, errno, error);
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            fail_taken(claim, lock, error);
        else
            byte_link_fail(error, true, "%s: cannot lock %s: %s", claim->path, claim->lock_path,
                           strerror(errno));
        close(lock);
        return false;
    }
    if (fstat(lock, &locked) != 0 || stat(claim->lock_path, &named) != 0 ||
        locked.st_ino != named.st_ino || locked.st_dev != named.st_dev) {
        close(lock);
        *is_stale = true;
        return false;
    }
    record_read(lock, record);
    if (!S_ISREG(locked.st_mode) ||
        (locked.st_size > 0 && strncmp(record, record_head, strlen(record_head)) != 0)) {
        close(lock);
        return byte_link_fail(error, true, "%s is not a lock file of ptybot: remove it by hand",
                              claim->lock_path);
    }
    claim->lock = lock;
    return true;
}

/* Reads the symlink at the path: "" when there is nothing, NULL when there is something else. */
static const char *point_read(const char *path, char *target, size_t cap)
{
    ssize_t size = readlink(path, target, cap - 1);

    if (size < 0 && errno != ENOENT)
        return NULL;
    target[size > 0 ? size : 0] = '\0';
    return target;
}

static bool fail_foreign(const struct pty_claim *claim, struct byte_link_error *error)
{
    return byte_link_fail(error, true,
                          "%s is there already and was not made by ptybot, so it stays: choose "
                          "another path, or remove it by hand",
                          claim->path);
}

/* Whether a link's target is named like a pseudo-terminal. */
static bool is_pts(const char *target)
{
    const char *number = target + strlen("/dev/pts/");
    return strncmp(target, "/dev/pts/", strlen("/dev/pts/")) == 0 && *number != '\0' &&
           number[strspn(number, "0123456789")] == '\0';
}

/* Removes what a dead owner left at the path. */
static bool clear_place(const struct pty_claim *claim, struct byte_link_error *error)
{
    char record[RECORD_MAX], buffer[PTY_PATH_MAX];
    const char *target = point_read(claim->path, buffer, sizeof buffer);

    if (target == NULL)
        return fail_foreign(claim, error);
    if (target[0] == '\0')
        return true;
    record_read(claim->lock, record);
    /* Without a record, only a symlink to a terminal that is gone is surely nobody's. */
    bool is_gone = is_pts(target) && access(target, F_OK) != 0 && errno == ENOENT;
    if (!is_gone && !record_has(record, target))
        return fail_foreign(claim, error);
    if (unlink(claim->path) != 0 && errno != ENOENT)
        return fail_folder(claim, errno, error);
    return true;
}

static void unlock(struct pty_claim *claim)
{
    /* Removed while still locked: whoever locks it later sees that it is not the named one any
     * more. */
    unlink(claim->lock_path);
    close(claim->lock);
    claim->lock = -1;
}

bool pty_claim_open(struct pty_claim *claim, const char *path, struct byte_link_error *error)
{
    const char *name = strrchr(path, '/') + 1;
    int folder_size = (int)(name - path);
    bool is_stale = true;

    *claim = (struct pty_claim){.lock = -1};
    if (strlen(path) + sizeof "..lock" > PTY_PATH_MAX)
        return byte_link_fail(error, false, "%.40s...: the path is too long", path);
    snprintf(claim->path, PTY_PATH_MAX, "%s", path);
    snprintf(claim->lock_path, PTY_PATH_MAX, "%.*s.%s.lock", folder_size, path, name);
    snprintf(claim->fresh_path, PTY_PATH_MAX, "%.*s.%s.new", folder_size, path, name);

    while (claim->lock < 0)
        if (!lock_once(claim, &is_stale, error) && !is_stale)
            return false;
    if (!clear_place(claim, error)) {
        unlock(claim);
        return false;
    }
    record_write(claim->lock, "", "");
    return true;
}

bool pty_claim_point(struct pty_claim *claim, const char *target, struct byte_link_error *error)
{
    char buffer[PTY_PATH_MAX];
    const char *old = point_read(claim->path, buffer, sizeof buffer);
    bool is_ours = old != NULL && old[0] != '\0' && strcmp(old, claim->target) == 0;
    bool is_made;

    /* Both are listed while the path changes, so that a death in between leaves no symlink that
     * looks foreign. */
    record_write(claim->lock, target, claim->target);
    if (is_ours) {
        unlink(claim->fresh_path);
        is_made =
            symlink(target, claim->fresh_path) == 0 && rename(claim->fresh_path, claim->path) == 0;
    } else {
        is_made = symlink(target, claim->path) == 0;
    }
    if (!is_made)
        return errno == EEXIST ? fail_foreign(claim, error) : fail_folder(claim, errno, error);
    snprintf(claim->target, sizeof claim->target, "%s", target);
    record_write(claim->lock, target, "");
    return true;
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
    pty_claim_unpoint(claim);
    unlink(claim->fresh_path);
    unlock(claim);
}
