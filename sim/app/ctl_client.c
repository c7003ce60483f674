/* The client's side of the control socket. */
#include "sim/app/ctl_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sim/app/exit_code.h"

static int unreachable(struct error *error, const char *path, const char *reason)
{
    error_set(error, "%s: %s; is the simulation running?", path, reason);
    return EXIT_CODE_ENVIRONMENT;
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int reason = errno;
        close(fd);
        errno = reason;
        fd = -1;
    }
    return fd;
}

static bool send_request(int fd, const char *method, json_t *params)
{
    json_t *request = json_pack("{s:s, s:i, s:s, s:o}", "jsonrpc", "2.0", "id", 1, "method", method,
                                "params", params);
    char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
    json_decref(request);
    if (!text)
        return false;
    size_t size = strlen(text);
    text[size] = '\n'; // the newline takes the place of the terminator
    size_t sent = 0;
    while (sent < size + 1) {
        ssize_t taken = send(fd, text + sent, size + 1 - sent, MSG_NOSIGNAL);
        if (taken < 0 && errno == EINTR)
            continue;
        if (taken < 0)
            break;
        sent += (size_t)taken;
    }
    free(text);
    return sent == size + 1;
}

int ctl_client_ask(const char *path, const char *method, json_t *params, json_t **result,
                   struct error *error)
{
    json_error_t mistake;
    int fd = connect_to(path);
    if (fd < 0) {
        json_decref(params);
        return unreachable(error, path, strerror(errno));
    }
    FILE *stream = send_request(fd, method, params) ? fdopen(fd, "r") : NULL;
    if (!stream) {
        close(fd);
        return unreachable(error, path, "the request could not be sent");
    }
    json_t *reply = json_loadf(stream, JSON_DISABLE_EOF_CHECK, &mistake);
    fclose(stream);
    if (!reply)
        return unreachable(error, path, "it ended before it replied");

    json_t *failure = json_object_get(reply, "error");
    const char *message = json_string_value(json_object_get(failure, "message"));
    *result = json_incref(json_object_get(reply, "result"));
    if (failure || !*result)
        error_set(error, "%s", message ? message : "the reply makes no sense");
    json_decref(reply);
    return failure || !*result ? EXIT_CODE_USAGE : EXIT_CODE_OK;
}
