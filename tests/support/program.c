#define _GNU_SOURCE
#include "tests/support/program.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

#define END_TIMEOUT_MS (6 * TEST_TIMEOUT_MS) /* a campaign on a busy machine */

static void output_name(const struct program *self, const char *kind, char out[64])
{
    snprintf(out, 64, "%s.%s", self->name, kind);
}

static int output_open(const struct program *self, const char *kind)
{
    char name[64], path[FOLDER_PATH_MAX];
    output_name(self, kind, name);
    return open(folder_path(self->folder, name, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                0644);
}

static void output_remove(const struct program *self, const char *kind)
{
    char name[64], path[FOLDER_PATH_MAX];
    output_name(self, kind, name);
    unlink(folder_path(self->folder, name, path));
}

/* In the child: becomes the program. */
static _Noreturn void become(const struct program *self, const char *const argv[], uid_t user)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = output_open(self, "out"), err = output_open(self, "err");
    /* Opened before the change of user: the new user may have no access to the build folder. */
    int file = open(argv[0], O_RDONLY | O_CLOEXEC);
    bool is_ready = input >= 0 && out >= 0 && err >= 0 && dup2(input, 0) >= 0 &&
                    dup2(out, 1) >= 0 && dup2(err, 2) >= 0 && chdir(self->folder->path) == 0;
    if (is_ready && user)
        is_ready = setgroups(0, NULL) == 0 && setgid(user) == 0 && setuid(user) == 0;
    if (is_ready && user && file >= 0)
        fexecve(file, (char *const *)argv, environ);
    else if (is_ready)
        execvp(argv[0], (char *const *)argv);
    dprintf(2, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

void program_start(struct program *self, const struct folder *folder, const char *name,
                   const char *const argv[], uid_t user)
{
    *self = (struct program){.folder = folder};
    snprintf(self->name, sizeof self->name, "%s", name);
    /* The output of an earlier program must not count as this program's output. */
    output_remove(self, "out");
    output_remove(self, "err");
    self->pid = fork();
    if (self->pid < 0)
        fail_msg("fork: %s", strerror(errno));
    if (self->pid == 0)
        become(self, argv, user);
}

static int exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int program_wait(struct program *self)
{
    int status = 0;
    int64_t end_ms = now_ms() + END_TIMEOUT_MS;
    assert_true(self->pid > 0);
    pid_t ended;
    while ((ended = waitpid(self->pid, &status, WNOHANG)) == 0) {
        if (now_ms() > end_ms) {
            program_cleanup(self);
            fail_msg("%s did not end within %d s", self->name, END_TIMEOUT_MS / 1000);
        }
        sleep_ms(5);
    }
    if (ended != self->pid)
        fail_msg("waitpid: %s", strerror(errno));
    self->pid = 0;
    return exit_code(status);
}

bool program_is_running(struct program *self)
{
    siginfo_t about = {0};
    return self->pid > 0 &&
           waitid(P_PID, (id_t)self->pid, &about, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           about.si_pid == 0;
}

int program_end(struct program *self, int number)
{
    assert_true(self->pid > 0);
    kill(self->pid, number);
    return program_wait(self);
}

void program_cleanup(struct program *self)
{
    if (self->pid > 0) {
        kill(self->pid, SIGKILL);
        waitpid(self->pid, NULL, 0);
    }
    self->pid = 0;
}

static char *output(const struct program *self, const char *kind)
{
    char name[64];
    output_name(self, kind, name);
    return folder_read(self->folder, name);
}

char *program_out(const struct program *self)
{
    return output(self, "out");
}

char *program_err(const struct program *self)
{
    return output(self, "err");
}

static bool has(char *all, const char *text)
{
    bool is_there = strstr(all, text) != NULL;
    free(all);
    return is_there;
}

bool program_has_said(const struct program *self, const char *text)
{
    return has(program_out(self), text);
}

bool program_has_warned(const struct program *self, const char *text)
{
    return has(program_err(self), text);
}

int program_run(struct program *self, const struct folder *folder, const char *name,
                const char *const argv[])
{
    program_start(self, folder, name, argv, 0);
    return program_wait(self);
}
