/* Listeners of the control socket. */
#include "app/control/control_listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "pty/tcp/tcp_address.h"

enum { BACKLOG = 64 }; /* chosen: clients that connect between two turns of the loop */

/* ---- A path ---- */

/* Makes sure that the path for a new socket is free. */
static bool clear_place(const struct sockaddr_un *address, struct error *error)
{
    const char *path = address->sun_path;
    struct stat found;
    if (lstat(path, &found) != 0)
        return errno == ENOENT || error_set(error, "%s: %s", path, strerror(errno));
    if (!S_ISSOCK(found.st_mode))
        return error_set(
            error,
            "%s exists and is not a socket, so ptybot does not replace it: choose another path for "
            "--control, or remove it",
            path);
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (probe < 0)
        return error_set(error, "%s: %s", path, strerror(errno));
    int result = connect(probe, (const struct sockaddr *)address, sizeof *address);
    bool is_dead = result != 0 && errno == ECONNREFUSED;
    close(probe);
    if (!is_dead)
        return error_set(
            error, "%s is in use by another program: choose another path for --control", path);
    unlink(path);
    return true;
}

/* Creates the socket under another name in the same folder, and links it to its name when it
 * listens. A client that sees the name can therefore connect. Returns -1 with errno. */
static int listen_in(const char *parent, int folder, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char fresh[32];
    snprintf(fresh, sizeof fresh, ".control-%ld", (long)getpid());
    // The path through the descriptor is short, however long the path of the folder is.
    int wrote =
        snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, fresh);
    if (access("/proc/self/fd", X_OK) != 0)
        wrote = snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", parent, fresh);
    if (wrote < 0 || (size_t)wrote >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    unlinkat(folder, fresh, 0);
    // The mode must be right from the start.
    mode_t before = umask(0177);
    bool is_good = bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    umask(before);
    is_good = is_good && listen(fd, BACKLOG) == 0 && linkat(folder, fresh, folder, name, 0) == 0;
    int reason = errno;
    unlinkat(folder, fresh, 0);
    if (is_good)
        return fd;
    close(fd);
    errno = reason;
    return -1;
}

static bool bind_path(struct control_listener *listener, const char *path, struct error *error)
{
    char parent[sizeof((struct sockaddr_un *)NULL)->sun_path] = ".";
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(parent, sizeof parent, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    int folder = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = folder < 0 ? -1 : listen_in(parent, folder, slash ? slash + 1 : path);
    int reason = errno;
    if (folder >= 0)
        close(folder);
    if (fd < 0)
        return error_set(error, "%s: cannot make the control socket: %s", path, strerror(reason));
    *listener = (struct control_listener){.fd = fd};
    snprintf(listener->place, sizeof listener->place, "%s", path);
    return true;
}

bool control_listener_unix(struct control_listener *listener, const char *path, int *code,
                           struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *code = EXIT_CODE_USAGE;
    if (strlen(path) >= sizeof address.sun_path || !*path)
        return error_set(error, "%s: the path of a control socket has 1 to %zu bytes", path,
                         sizeof address.sun_path - 1);
    *code = EXIT_CODE_ENVIRONMENT;
    memcpy(address.sun_path, path, strlen(path) + 1);
    return clear_place(&address, error) && bind_path(listener, path, error);
}

/* ---- A port ---- */

bool control_listener_is_address(const char *text)
{
    const char *colon = strrchr(text, ':');
    return colon && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0' &&
           !strchr(text, '/');
}

static bool find_port(struct tcp_address *address, const char *text, bool is_remote, int *code,
                      struct error *error)
{
    if (!tcp_address_find(address, text, error)) {
        *code = error->is_environment ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_USAGE;
        return error_prefix(error, "--control: ");
    }
    if (is_remote || tcp_address_is_loopback(address))
        return true;
    *code = EXIT_CODE_USAGE;
    return error_set(error,
                     "--control %s: other machines can reach that address, and every client that "
                     "does can command the robots: choose 127.0.0.1, or add --control-allow-remote",
                     text);
}

static bool bind_port(struct control_listener *listener, struct tcp_address *address,
                      struct error *error)
{
    static const int on = 1;
    struct error reason = {0};
    int fd = socket(address->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_set(error, "--control: cannot make a socket: %s", strerror(errno));
    // The port is free again immediately after a run, and small replies are sent without delay.
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    if (!tcp_address_bind(address, fd, &reason) || listen(fd, BACKLOG) != 0 ||
        getsockname(fd, (struct sockaddr *)&bound, &size) != 0) {
        if (!*reason.text)
            tcp_address_fail(address, errno, &reason);
        close(fd);
        return error_set(error, "--control: %s", reason.text);
    }
    *listener = (struct control_listener){.fd = fd, .is_tcp = true};
    tcp_address_write(&bound, size, listener->place);
    return true;
}

bool control_listener_tcp(struct control_listener *listener, const char *text, bool is_remote,
                          int *code, struct error *error)
{
    struct tcp_address address;
    *code = EXIT_CODE_ENVIRONMENT;
    return find_port(&address, text, is_remote, code, error) &&
           bind_port(listener, &address, error);
}

/* ---- Both ---- */

void control_listener_close(struct control_listener *listener)
{
    if (listener->fd < 0)
        return;
    if (!listener->is_tcp)
        unlink(listener->place);
    close(listener->fd);
    listener->fd = -1;
}

int control_listener_accept(const struct control_listener *listener)
{
    return accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
