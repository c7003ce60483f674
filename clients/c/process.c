#define _GNU_SOURCE
#include "clients/c/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    END_TIMEOUT_MS =
        30000,       /* chosen: machines may be busy, and sanitizers check for leaks at the end */
    SAID_MAX = 1500, /* chosen: as much of the end of standard error as an error message can hold */
};

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The child starts with no blocked signals: signals that a test blocks for itself must reach the
 * child. */
static int spawn(pid_t *pid, const char *const words[], const int fds[3])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, broken_pipe;
    sigemptyset(&none);
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &broken_pipe);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_adddup2(&actions, fds[i], i);
    int problem = posix_spawnp(pid, words[0], &actions, &attributes, (char *const *)words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

bool ptybot_process_start(struct ptybot_process *self, const char *const words[],
                          struct ptybot_failure *failure)
{
    int input[2] = {-1, -1}, output[2] = {-1, -1};
    *self = (struct ptybot_process){.output = {.socket = -1}, .input = -1};
    self->said = memfd_create("ptybot", MFD_CLOEXEC);
    /* Closed on exec: another child that kept the input open would keep the run alive. */
    if (self->said < 0 || pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) {
        ptybot_fail(failure, "no descriptors for a run: %s", strerror(errno));
        close_one(&input[0]);
        close_one(&input[1]);
        return false;
    }
    self->input = input[1];
    self->output.socket = output[0];
    int problem = spawn(&self->pid, words, (const int[]){input[0], output[1], self->said});
    close_one(&input[0]);
    close_one(&output[1]);
    if (problem == 0)
        return true;
    self->pid = 0;
    return ptybot_fail(failure,
                       "%s: %s; install ptybot, or name the program in PTYBOT or by its path",
                       words[0], strerror(problem));
}

/* Waits until END_MS. Returns whether the child has ended. STATUS is -1 if another part of the
 * program already collected its exit status. */
static bool await_end(struct ptybot_process *self, int64_t end_ms, int *status)
{
    while (self->pid > 0) {
        pid_t ended = waitpid(self->pid, status, WNOHANG);
        if (ended < 0 && errno != EINTR)
            *status = -1;
        if (ended > 0 || (ended < 0 && errno != EINTR))
            self->pid = 0;
        else if (ptybot_now_ms() >= end_ms)
            return false;
        else
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return true;
}

void ptybot_process_said(const struct ptybot_process *self, struct ptybot_failure *words)
{
    off_t size = lseek(self->said, 0, SEEK_END);
    ssize_t got = pread(self->said, words->text, SAID_MAX, size > SAID_MAX ? size - SAID_MAX : 0);
    while (got > 0 && words->text[got - 1] == '\n')
        got--;
    words->text[got > 0 ? got : 0] = '\0';
}

bool ptybot_process_line(struct ptybot_process *self, int64_t end_ms, char **line,
                         struct ptybot_failure *failure)
{
    enum ptybot_heard heard = ptybot_connection_line(&self->output, end_ms, line);
    if (heard == PTYBOT_HEARD_NOTHING)
        return ptybot_fail(failure, "the run was not ready in time");
    if (heard == PTYBOT_HEARD_LINE)
        return true;
    int status;
    await_end(self, end_ms, &status); /* after that its output is complete */
    ptybot_process_said(self, failure);
    return failure->text[0] ? false : ptybot_fail(failure, "the run ended without a message");
}

int ptybot_process_end(struct ptybot_process *self)
{
    int status = 0;
    close_one(&self->input);
    bool is_killed = !await_end(self, ptybot_now_ms() + END_TIMEOUT_MS, &status);
    if (is_killed) {
        kill(self->pid, SIGKILL);
        await_end(self, INT64_MAX, &status);
    }
    ptybot_connection_close(&self->output);
    close_one(&self->said);
    return !is_killed && status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
