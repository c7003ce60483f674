/* Folders of a run: created, found, removed. */
#include "app/files/folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "pty/terminal/pty_path.h"

/* ---- Output of a test ---- */

enum { DESCRIPTORS = 8 }; // chosen: deeper folders are reopened

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *where)
{
    (void)found;
    (void)where;
    return kind == FTW_DP ? rmdir(path) : unlink(path);
}

void out_folder_remove(const char *path)
{
    nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

/* Creates all missing folders of a path. */
static bool make_all(char *path)
{
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        int made = mkdir(path, 0777);
        *at = '/';
        if (made != 0 && errno != EEXIST)
            return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool make_wanted(struct out_folder *folder, const char *wanted, struct error *error)
{
    char path[PATH_MAX];
    struct stat found;
    if (snprintf(path, sizeof path, "%s", wanted) >= (int)sizeof path)
        return error_set(error, "--out: the path is too long");
    if (!make_all(path) || !realpath(path, folder->path) || stat(path, &found) != 0)
        return error_set(error, "--out %s: cannot be made: %s", wanted, strerror(errno));
    if (!S_ISDIR(found.st_mode))
        return error_set(error, "--out %s: not a folder", wanted);
    return true;
}

bool out_folder_open(struct out_folder *folder, const char *wanted, struct error *error)
{
    *folder = (struct out_folder){.is_own = !*wanted};
    if (*wanted)
        return make_wanted(folder, wanted, error);
    const char *base = getenv("TMPDIR");
    char pattern[PATH_MAX];
    int wrote =
        snprintf(pattern, sizeof pattern, "%s/ptybot-test-XXXXXX", base && *base ? base : "/tmp");
    if (wrote >= (int)sizeof pattern || !mkdtemp(pattern) || !realpath(pattern, folder->path))
        return error_set(error, "cannot make a folder in %s: %s; set TMPDIR or give --out",
                         base && *base ? base : "/tmp", strerror(errno));
    return true;
}

/* A file in each folder that has output of a test. */
static const char mark_name[] = ".ptybot-test";
/* The files that tests write. */
static const char *const left_names[] = {"host.log",    "wire.log",   "signals.csv", "run.journal",
                                         "failure.png", "run.pcapng", "console.txt", "suite.xml",
                                         "replay.html", NULL};

static bool is_marked(const char *folder)
{
    char path[PATH_MAX];
    struct stat found;
    int wrote = snprintf(path, sizeof path, "%s/%s", folder, mark_name);
    return wrote < (int)sizeof path && lstat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* Removes the files that tests write; with IS_DRY_RUN only finds them. Returns the name of the
 * first, or NULL. */
static const char *clear_one(const char *folder, bool is_dry_run)
{
    const char *first = NULL;
    for (size_t i = 0; left_names[i]; i++) {
        char path[PATH_MAX];
        struct stat found;
        if (snprintf(path, sizeof path, "%s/%s", folder, left_names[i]) >= (int)sizeof path ||
            lstat(path, &found) != 0)
            continue;
        first = first ? first : left_names[i];
        if (!is_dry_run && !S_ISDIR(found.st_mode))
            unlink(path);
    }
    return first;
}

/* Clears the folders of the single tests of a batch. */
static void clear_parts(const char *folder)
{
    DIR *all = opendir(folder);
    const struct dirent *entry;
    while (all && (entry = readdir(all))) {
        char path[PATH_MAX], mark[PATH_MAX + sizeof mark_name + 1];
        struct stat found;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path ||
            lstat(path, &found) != 0 || !S_ISDIR(found.st_mode) || !is_marked(path))
            continue;
        clear_one(path, false);
        snprintf(mark, sizeof mark, "%s/%s", path, mark_name);
        unlink(mark);
        rmdir(path); // fails where somebody else has put something
    }
    if (all)
        closedir(all);
}

bool out_folder_clear(const struct out_folder *folder, struct error *error)
{
    char path[PATH_MAX];
    if (folder->is_own) // new
        return true;
    const char *foreign = is_marked(folder->path) ? NULL : clear_one(folder->path, true);
    if (foreign)
        return error_set(
            error,
            "--out %s: found %s, which no test of ptybot wrote; give an empty folder, or remove it",
            folder->path, foreign);
    clear_one(folder->path, false);
    if (is_marked(folder->path))
        clear_parts(folder->path);
    int mark = open(out_folder_file(folder, mark_name, path),
                    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (mark < 0)
        return error_set(error, "--out %s: %s", folder->path, strerror(errno));
    close(mark);
    return true;
}

const char *out_folder_file(const struct out_folder *folder, const char *name, char text[PATH_MAX])
{
    // A path that does not fit becomes "", which fails to open, and that is reported.
    int wrote = snprintf(text, PATH_MAX, "%s/%s", folder->path, name);
    if (wrote >= PATH_MAX)
        text[0] = '\0';
    return text;
}

void out_folder_close(struct out_folder *folder, bool is_kept)
{
    if (folder->is_own && !is_kept && folder->path[0])
        out_folder_remove(folder->path);
    folder->path[0] = '\0';
}

/* ---- The folder of a run ---- */

static const char ports_name[] = "ports";
enum { SAME_MAX = 16 }; /* chosen: runs with the same pid in different PID namespaces */

/* Writes FOLDER/NAME into PATH. False: too long. */
static bool join(char *path, const char *folder, const char *name)
{
    int wrote = snprintf(path, RUN_FOLDER_PATH_MAX, "%s/%s", folder, name);
    return wrote > 0 && wrote < RUN_FOLDER_PATH_MAX;
}

static bool name_parts(struct run_folder *folder)
{
    return join(folder->lock_path, folder->path, "lock") &&
           join(folder->socket_path, folder->path, "control.sock");
}

/* Private ports have a subfolder. */
static void remove_parts(const struct run_folder *folder)
{
    static const char *const names[] = {"snapshot", "clock"}; // of viewers, of warped time
    char part[RUN_FOLDER_PATH_MAX];
    if (join(part, folder->path, ports_name))
        out_folder_remove(part);
    for (size_t i = 0; i < COUNT(names); i++)
        if (join(part, folder->path, names[i]))
            unlink(part);
    unlink(folder->socket_path);
    unlink(folder->lock_path);
    rmdir(folder->path);
}

/* A process that lists runs may hold the lock for a moment. */
static bool take_lock(int lock)
{
    for (int tries = 0; flock(lock, LOCK_EX | LOCK_NB) != 0; tries++) {
        if (tries == 100)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return true;
}

/* Creates and locks its lock file. Returns 0 or an error number. EAGAIN: another run holds the
 * lock, or another process has just removed the folder as that of a dead run. */
static int lock_folder(struct run_folder *folder)
{
    struct stat found;
    folder->lock = open(folder->lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    int reason = folder->lock < 0 && errno != ENOENT ? errno : EAGAIN;
    if (folder->lock >= 0 && take_lock(folder->lock) && fstat(folder->lock, &found) == 0 &&
        found.st_nlink > 0)
        return 0;
    if (folder->lock >= 0)
        close(folder->lock);
    else
        rmdir(folder->path); // fails where somebody else has put something
    folder->lock = -1;
    return reason;
}

bool run_folder_open(struct run_folder *folder, struct error *error)
{
    char name[32];
    int reason = EAGAIN;
    // A run in another PID namespace may have the same pid.
    for (int i = 1; i <= SAME_MAX && reason == EAGAIN; i++) {
        *folder = (struct run_folder){.lock = -1};
        snprintf(name, sizeof name, i == 1 ? "run-%ld" : "run-%ld-%d", (long)getpid(), i);
        if (!pty_path_folder(name, folder->path, sizeof folder->path, error))
            return false;
        if (!name_parts(folder))
            return error_set(error, "%s: the path is too long", folder->path);
        reason = lock_folder(folder);
    }
    if (reason != 0)
        return error_set(error, "cannot lock %s: %s", folder->lock_path, strerror(reason));
    // A dead process with the same pid may have left its socket, and other dead runs their folders.
    unlink(folder->socket_path);
    run_folder_list(NULL);
    return true;
}

bool run_folder_ports(const struct run_folder *folder, char name[RUN_FOLDER_PATH_MAX],
                      struct error *error)
{
    char path[RUN_FOLDER_PATH_MAX];
    return join(name, strrchr(folder->path, '/') + 1, ports_name) &&
           pty_path_folder(name, path, sizeof path, error);
}

bool run_folder_lead(const struct run_folder *folder, const char *path, char absolute[PATH_MAX])
{
    if (!realpath(path, absolute))
        snprintf(absolute, PATH_MAX, "%s", path);
    return strcmp(path, folder->socket_path) == 0 || symlink(absolute, folder->socket_path) == 0;
}

void run_folder_close(struct run_folder *folder)
{
    if (folder->lock < 0)
        return;
    // Removes while the lock is held, so that no other process takes it for the folder of a dead
    // run.
    remove_parts(folder);
    close(folder->lock);
    folder->lock = -1;
}

/* Whether the owner of a folder is alive, judged by its lock. If the lock is free, the owner is
 * dead, or has just started and not locked it yet. */
static bool is_alive(const struct run_folder *folder, pid_t pid)
{
    int lock = open(folder->lock_path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (lock >= 0) {
        bool is_held = flock(lock, LOCK_SH | LOCK_NB) != 0;
        close(lock);
        if (is_held)
            return true;
    }
    if (kill(pid, 0) != 0 && errno == ESRCH)
        remove_parts(folder);
    return false;
}

static bool inspect(const char *base, const char *name, struct run_folder_found *found)
{
    struct run_folder folder = {.lock = -1};
    char *end;
    if (strncmp(name, "run-", 4) != 0)
        return false;
    long pid = strtol(name + 4, &end, 10);
    end += *end == '-' ? 1 + strspn(end + 1, "0123456789") : 0;
    if (*end != '\0' || pid <= 0 || !join(folder.path, base, name) || !name_parts(&folder))
        return false;
    if (!is_alive(&folder, (pid_t)pid) || access(folder.socket_path, F_OK) != 0)
        return false;
    if (!found)
        return false;
    char ports[RUN_FOLDER_PATH_MAX];
    found->pid = (pid_t)pid;
    found->is_private = join(ports, folder.path, ports_name) && access(ports, F_OK) == 0;
    memcpy(found->socket_path, folder.socket_path, sizeof found->socket_path);
    return true;
}

size_t run_folder_list(struct run_folder_found *found)
{
    char base[RUN_FOLDER_PATH_MAX];
    size_t count = 0;
    DIR *folder = pty_path_folder(NULL, base, sizeof base, NULL) ? opendir(base) : NULL;
    if (!folder)
        return 0;
    const struct dirent *entry;
    while (count < RUN_FOLDER_RUNS_MAX && (entry = readdir(folder)))
        if (inspect(base, entry->d_name, found ? &found[count] : NULL))
            count++;
    closedir(folder);
    return count;
}
