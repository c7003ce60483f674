/* The window of a run as a process. */
#include "app/run/viewer_process.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "app/cli/program.h"

extern char **environ;

bool viewer_words_make(struct viewer_words *words, const char *snapshot, const char *control,
                       struct error *error)
{
    program_viewer(words->program, sizeof words->program);
    if (!*words->program)
        return error_set(error, "this ptybot was built without a viewer; install libsdl2-dev and "
                                "libpango1.0-dev and build it again");
    snprintf(words->texts[0], VIEWER_WORD_MAX, "ptybot-viewer");
    snprintf(words->texts[1], VIEWER_WORD_MAX, "window");
    snprintf(words->texts[2], VIEWER_WORD_MAX, "snapshot=%s", snapshot);
    snprintf(words->texts[3], VIEWER_WORD_MAX, "control=%s", control);
    for (int i = 0; i < 4; i++)
        words->words[i] = words->texts[i];
    words->words[4] = NULL;
    return true;
}

pid_t viewer_process_start(const char *snapshot, const char *control, struct error *error)
{
    static struct viewer_words words; // too large for a stack to like
    pid_t pid;
    if (!viewer_words_make(&words, snapshot, control, error))
        return 0;
    int failed = posix_spawn(&pid, words.program, NULL, NULL, words.words, environ);
    if (failed == 0)
        return pid;
    error_set(error, "%s: cannot be started: %s", words.program, strerror(failed));
    return 0;
}

enum viewer_state viewer_process_look(pid_t pid)
{
    int status;
    pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return VIEWER_LIVES;
    return ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? VIEWER_CLOSED
                                                                         : VIEWER_LOST;
}

void viewer_process_end(pid_t pid)
{
    // chosen: a second; who hangs longer is left to itself
    for (int tries = 0; tries < 100 && viewer_process_look(pid) == VIEWER_LIVES; tries++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}
