#include "app/subcommands/any_recording.h"
#include "app/cli/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/subcommands/subcommands.h"
#include "sim/record/journal.h"

static bool is_journal(const char *path)
{
    char found[sizeof JOURNAL_MAGIC - 1];
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rbe");
    bool is_one = file && fread(found, 1, sizeof found, file) == sizeof found &&
                  memcmp(found, JOURNAL_MAGIC, sizeof found) == 0;
    if (file)
        fclose(file);
    return is_one;
}

/* Replays a journal in a separate process and writes its capture to an unnamed file. Returns the
 * descriptor of the file, or -1. */
static int replay_journal(const char *path, struct error *error)
{
    char name[] = "/tmp/ptybot-decode-XXXXXX", capture[64];
    const char *folder = getenv("TMPDIR");
    char place[PATH_MAX];
    int status = -1;
    snprintf(place, sizeof place, "%s%s", folder && *folder ? folder : "/tmp", name + 4);
    int fd = mkostemp(place, O_CLOEXEC);
    if (fd < 0) {
        error_environment(error, "%s: %s", place, strerror(errno));
        return -1;
    }
    unlink(place);
    snprintf(capture, sizeof capture, "/proc/self/fd/%d", fd);
    fflush(stdout);
    struct keeper keeper;
    pid_t child = keeper_fork(&keeper, false);
    if (child == 0) {
        close(keeper.link); // it becomes no other program
        char *arguments[] = {(char *)(uintptr_t)path, "--capture", capture, NULL};
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, STDOUT_FILENO);
        int code = subcommand_run(&replay_subcommand, 3, arguments);
        fflush(stdout);
        _exit(code);
    }
    keeper_poll(&keeper, true, &status);
    keeper_end(&keeper);
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) <= EXIT_CODE_FAILED)
        return fd;
    close(fd);
    error_set(error, "%s: cannot be replayed, so its bytes are unknown", path);
    return -1;
}

const char *any_recording(const char *path, char place[PATH_MAX], int *fd, struct error *error)
{
    bool is_replayed = is_journal(path);
    *fd = is_replayed ? replay_journal(path, error) : -1;
    snprintf(place, PATH_MAX, "/proc/self/fd/%d", *fd);
    return !is_replayed ? path : *fd < 0 ? NULL : place;
}
