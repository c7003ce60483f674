/* The client's side of the control socket. */
#include "app/control/ctl_client.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/control/control_listener.h"
#include "app/files/folders.h"
#include "pty/tcp/tcp_address.h"

/* ---- Which run ---- */

/* Keeps the runs that a user without --control may mean. Private runs, which belong to programs,
 * are kept only if there are no others. Returns how many remain. */
static size_t choose(struct run_folder_found *found, size_t count)
{
    size_t own = 0;
    for (size_t i = 0; i < count; i++)
        if (!found[i].is_private)
            found[own++] = found[i];
    return own > 0 ? own : count;
}

int ctl_client_place(const char *given, char *place, size_t size)
{
    static struct run_folder_found found[RUN_FOLDER_RUNS_MAX];
    const char *wanted = *given ? given : getenv("PTYBOT_CONTROL");
    if (wanted && *wanted) {
        snprintf(place, size, "%s", wanted);
        return EXIT_CODE_OK;
    }
    size_t count = choose(found, run_folder_list(found));
    if (count == 0)
        return terminal_fail(EXIT_CODE_ENVIRONMENT,
                             "nothing is running: start it with `ptybot run`, or give --control");
    if (count == 1) {
        snprintf(place, size, "%s", found[0].socket_path);
        return EXIT_CODE_OK;
    }
    terminal_fail(EXIT_CODE_USAGE, "%zu simulations are running; choose one:", count);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "  --control %s    (pid %ld)\n", found[i].socket_path, (long)found[i].pid);
    return EXIT_CODE_USAGE;
}

/* ---- Reaching it ---- */

static int unreachable(struct error *error, const char *place, const char *reason)
{
    error_set(error, "%s: %s; is the simulation running?", place, reason);
    return EXIT_CODE_ENVIRONMENT;
}

/* No reply, for the reason in errno. */
static int unanswered(const struct ctl_request *request, struct error *error)
{
    if (errno != EAGAIN)
        return unreachable(error, request->place, "the simulation ended before it replied");
    error_set(error,
              "%s: no reply within %g s: the simulation is stopped or very busy; --timeout waits "
              "longer",
              request->place, request->timeout_s);
    return EXIT_CODE_ENVIRONMENT;
}

/* Sets the timeout of sending and receiving, if the socket allows it. */
static void limit(int fd, double timeout_s)
{
    double whole;
    double part = modf(timeout_s, &whole);
    const struct timeval longest = {.tv_sec = (time_t)whole, .tv_usec = (suseconds_t)(part * 1e6)};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
}

/* Connects. Returns -1 with errno. */
static int dial(int family, const void *address, socklen_t size, double timeout_s)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    limit(fd, timeout_s);
    if (connect(fd, address, size) == 0)
        return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

static int dial_path(const struct ctl_request *request)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(request->place) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, request->place, strlen(request->place) + 1);
    return dial(AF_UNIX, &address, sizeof address, request->timeout_s);
}

/* Connects to the simulation. On failure frees the params of the request and returns NULL with an
 * exit code. */
static FILE *open_stream(const struct ctl_request *request, int *code, struct error *error)
{
    int fd;
    if (control_listener_is_address(request->place)) {
        struct tcp_address address;
        if (!tcp_address_find(&address, request->place, error)) {
            json_decref(request->params);
            error_prefix(error, "--control: ");
            *code = EXIT_CODE_USAGE;
            return NULL;
        }
        fd = dial(address.family, &address.socket, address.size, request->timeout_s);
    } else {
        fd = dial_path(request);
    }
    FILE *stream = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!stream) {
        json_decref(request->params);
        *code = unreachable(error, request->place, strerror(errno));
        if (fd >= 0)
            close(fd);
    }
    return stream;
}

/* ---- Lines ---- */

/* Takes over the params of the request. */
static bool send_request(FILE *stream, const struct ctl_request *request)
{
    json_t *message = json_pack("{s:s, s:i, s:s, s:o}", "jsonrpc", "2.0", "id", 1, "method",
                                request->method, "params", request->params);
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    if (!text)
        return false;
    size_t size = strlen(text) + 1, sent = 0;
    text[size - 1] = '\n'; // the newline takes the place of the terminator
    while (sent < size) {
        ssize_t taken = send(fileno(stream), text + sent, size - sent, MSG_NOSIGNAL);
        if (taken < 0 && errno != EINTR)
            break;
        sent += taken > 0 ? (size_t)taken : 0;
    }
    free(text);
    return sent == size;
}

/* The next message, which the caller frees; NULL with errno. */
static json_t *next_message(FILE *stream)
{
    char *line = NULL;
    size_t cap = 0;
    errno = 0;
    ssize_t size = getline(&line, &cap, stream);
    int reason = errno;
    json_t *message = size > 0 ? json_loadb(line, (size_t)size, 0, NULL) : NULL;
    free(line);
    errno = reason;
    return message;
}

/* Reads result or error from a reply, and frees the reply. */
static int take_reply(json_t *reply, json_t **result, struct error *error)
{
    json_t *failure = json_object_get(reply, "error");
    const char *message = json_string_value(json_object_get(failure, "message"));
    *result = json_incref(json_object_get(reply, "result"));
    bool is_good = !failure && *result;
    if (!is_good)
        error_set(error, "%s", message ? message : "the reply is not a valid JSON-RPC message");
    json_decref(reply);
    return is_good ? EXIT_CODE_OK : EXIT_CODE_USAGE;
}

/* ---- Asking ---- */

static int ask_on(FILE *stream, const struct ctl_request *request, json_t **result,
                  struct error *error)
{
    // A request that could not be sent completely may still have a reply, which rejects it.
    bool is_sent = send_request(stream, request);
    json_t *reply = next_message(stream);
    if (reply)
        return take_reply(reply, result, error);
    if (!is_sent)
        return unreachable(error, request->place, "the request could not be sent");
    return unanswered(request, error);
}

int ctl_client_ask(const struct ctl_request *request, json_t **result, struct error *error)
{
    return ctl_client_watch(request, result, NULL, error);
}

int ctl_client_watch(const struct ctl_request *request, json_t **result,
                     bool (*notify)(const json_t *params), struct error *error)
{
    int code;
    FILE *stream = open_stream(request, &code, error);
    if (!stream)
        return code;
    code = ask_on(stream, request, result, error);
    bool goes_on = code == EXIT_CODE_OK && notify;
    while (goes_on) {
        json_t *message = next_message(stream);
        goes_on = message && notify(json_object_get(message, "params"));
        if (!message && errno == EAGAIN)
            code = unanswered(request, error);
        json_decref(message);
    }
    fclose(stream);
    return code;
}
