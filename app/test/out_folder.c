/* The folder of what a test leaves. */
#include "app/test/out_folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS = 8 }; // chosen: deeper folders are opened anew

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

/* Makes all folders of a path that are not there. */
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
        return error_set(error, "--out %s: this is not a folder", wanted);
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

const char *out_folder_file(const struct out_folder *folder, const char *name, char text[PATH_MAX])
{
    // A name that is cut by this cannot be opened, and that is told.
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
