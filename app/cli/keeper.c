#include "app/cli/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Children of a process ---- */

/* The fields follow the process name in parentheses, which may contain any character. */
bool keeper_look(pid_t pid, struct keeper_stat *stat)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = '\0';
    const char *after = strrchr(text, ')');
    return after &&
           sscanf(after + 1, " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &stat->state,
                  &stat->parent, &stat->group, &stat->user, &stat->kernel) == 5;
}

void keeper_visit(pid_t parent, void (*visit)(pid_t pid, pid_t group, void *context), void *context)
{
    DIR *all = opendir("/proc");
    const struct dirent *entry;
    struct keeper_stat stat;
    while (all && (entry = readdir(all))) {
        pid_t pid = (pid_t)atol(entry->d_name);
        if (pid > 0 && keeper_look(pid, &stat) && stat.parent == parent && stat.state != 'Z')
            visit(pid, stat.group, context);
    }
    if (all)
        closedir(all);
}

/* ---- In the keeper ---- */

static void kill_one(pid_t pid, pid_t group, void *context)
{
    (void)group, (void)context;
    kill(pid, SIGKILL);
}

/* The children of a killed child become children of the keeper, so this ends with the last of
 * them. */
static _Noreturn void kill_all(void)
{
    for (;;) {
        keeper_visit(getpid(), kill_one, NULL);
        if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
            _exit(0);
    }
}

/* The keeper keeps no descriptor of ptybot open: the other end of a pty must notice when ptybot
 * closes it. */
static void close_others(int link)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fd != link)
            dup2(nowhere, fd);
    if (link > STDERR_FILENO + 1)
        syscall(SYS_close_range, STDERR_FILENO + 1, link - 1, 0);
    syscall(SYS_close_range, link + 1, INT_MAX, 0);
}

/* ptybot closes its end of LINK when it ends all processes, or when it ends itself. */
static _Noreturn void keep(int link, pid_t child)
{
    sigset_t ended;
    struct signalfd_siginfo ignored;
    close_others(link);
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_NAME, KEEPER_NAME);
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    struct pollfd fds[] = {{.fd = link, .events = POLLIN},
                           {.fd = signalfd(-1, &ended, SFD_NONBLOCK), .events = POLLIN}};
    send(link, &child, sizeof child, MSG_NOSIGNAL);
    for (;;) {
        int status;
        pid_t one;
        while ((one = waitpid(-1, &status, WNOHANG)) > 0)
            if (one == child)
                send(link, &status, sizeof status, MSG_NOSIGNAL);
        if (one < 0)
            _exit(0); // nothing is left
        poll(fds, 2, -1);
        if (fds[0].revents != 0)
            kill_all();
        while (read(fds[1].fd, &ignored, sizeof ignored) > 0) {
        }
    }
}

/* Returns only in the new process. */
static void start_kept(struct keeper *keeper, int link, int fault, bool is_apart)
{
    sigset_t all, before;
    pid_t self = getpid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (is_apart)
        setpgid(0, 0);
    pid_t child = fork();
    keeper->link = fault;
    if (child < 0)
        keeper_fail(keeper);
    if (child > 0)
        keep(link, child);
    close(link);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self)
        _exit(127);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- In ptybot ---- */

/* The processors that ptybot may use, and 1 + the number of its present processor; 0: not bound. */
static cpu_set_t allowed;
static int place;

static void unbind(void)
{
    if (place > 0)
        sched_setaffinity(0, sizeof allowed, &allowed);
    place = 0;
}

static bool bind_to(pid_t pid, int to)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)to - 1, &one);
    return sched_setaffinity(pid, sizeof one, &one) == 0;
}

void keeper_take_turns(struct keeper *keeper)
{
    enum { TURNS = 64 }; /* chosen: to move costs as much as a few */
    static unsigned turn;
    if (turn++ % TURNS == 0) {
        unbind();
        return;
    }
    if (place == 0 && sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
        bind_to(0, sched_getcpu() + 1))
        place = sched_getcpu() + 1;
    if (place > 0 && place != keeper->place && bind_to(keeper->child, place))
        keeper->place = place;
}

/* Returns the errno that the new process reported; 0: exec succeeded. */
static int read_fault(int fault)
{
    int reason = 0;
    ssize_t got;
    do
        got = read(fault, &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    return got == sizeof reason ? reason : 0;
}

pid_t keeper_fork(struct keeper *keeper, bool is_apart)
{
    int link[2], fault[2];
    *keeper = (struct keeper){.link = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link) != 0)
        return -1;
    if (pipe2(fault, O_CLOEXEC) != 0) {
        close(link[0]), close(link[1]);
        return -1;
    }
    unbind();
    pid_t pid = fork();
    if (pid == 0) {
        close(link[0]), close(fault[0]);
        start_kept(keeper, link[1], fault[1], is_apart);
        return 0;
    }
    int reason = errno;
    close(link[1]), close(fault[1]);
    if (pid < 0) {
        close(link[0]), close(fault[0]);
        errno = reason;
        return -1;
    }
    *keeper = (struct keeper){.pid = pid, .link = link[0]};
    reason = read_fault(fault[0]);
    close(fault[0]);
    if (reason == 0 &&
        recv(link[0], &keeper->child, sizeof keeper->child, 0) == sizeof keeper->child)
        return keeper->child;
    keeper_end(keeper);
    errno = reason != 0 ? reason : ECHILD;
    return -1;
}

void keeper_fail(const struct keeper *keeper)
{
    int reason = errno;
    while (write(keeper->link, &reason, sizeof reason) < 0 && errno == EINTR) {
    }
    _exit(127);
}

bool keeper_poll(struct keeper *keeper, bool waits, int *status)
{
    ssize_t got = -1;
    while (keeper->child > 0 &&
           (got = recv(keeper->link, status, sizeof *status, waits ? 0 : MSG_DONTWAIT)) < 0 &&
           errno == EINTR) {
    }
    if (got < 0)
        return false;
    if (got != sizeof *status)
        *status = SIGKILL; // the keeper was killed, and the process with it
    keeper->child = 0;
    return true;
}

bool keeper_is_gone(struct keeper *keeper)
{
    if (keeper->pid == 0)
        return true;
    if (waitpid(keeper->pid, NULL, WNOHANG) == 0)
        return false;
    close(keeper->link);
    *keeper = (struct keeper){.link = -1};
    return true;
}

void keeper_end(struct keeper *keeper)
{
    unbind();
    if (keeper->pid == 0)
        return;
    close(keeper->link);
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    *keeper = (struct keeper){.link = -1};
}
