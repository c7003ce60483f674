/* The server process of a page.
 *     ptybot-web page key=value ...
 * snapshot: the shared file of the run; control: its control socket; or file: a page that needs no
 * run; host: a further host name of the page; write: commands are accepted. Descriptor 3 is a
 * listening socket. The environment variable PTYBOT_WEB_TOKEN, which other users cannot read,
 * contains the token, the beginning of the path of every URL. The exit code is 0 when the run has
 * ended, 3 if the process cannot serve. */
#include "viewer/web/web.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "viewer/rpc/snapshot_reader.h"
#include "viewer/web/server.h"

enum {
    EXIT_NO_SERVER = 3,
    LISTENING = 3,   /* the descriptor */
    PICTURE_MS = 33, /* chosen: 30 per second */
    WAITING_MAX = 64 /* chosen: more than eight pages send before they get replies */
};

struct options {
    const char *snapshot, *control, *file;
    struct gate gate;
};

static bool parse_option(struct options *options, const char *word)
{
    if (strncmp(word, "snapshot=", 9) == 0)
        options->snapshot = word + 9;
    else if (strncmp(word, "control=", 8) == 0)
        options->control = word + 8;
    else if (strncmp(word, "file=", 5) == 0)
        options->file = word + 5;
    else if (strncmp(word, "host=", 5) == 0)
        options->gate.host = word + 5;
    else if (strcmp(word, "remote") == 0)
        options->gate.is_remote = true;
    else if (strcmp(word, "write") == 0)
        options->gate.is_writable = true;
    else
        return false;
    return true;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static volatile sig_atomic_t is_stopped;

static void on_stop(int number)
{
    (void)number;
    is_stopped = 1;
}

static void catch_signals(void)
{
    const struct sigaction stop = {.sa_handler = on_stop}, ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

/* Waits for the network, the run, or the time of the next picture. */
static void wait_for_news(const struct server *server, const struct rpc_requests *requests,
                          int64_t next_ms)
{
    struct pollfd polled[] = {
        {.fd = server_fd(server), .events = POLLIN},
        {.fd = rpc_requests_fd(requests),
         .events = (short)(POLLIN | (rpc_requests_wants_write(requests) ? POLLOUT : 0))},
    };
    int64_t left_ms = next_ms - now_ms();
    int due_ms = server_timeout_ms(server);
    int wait_ms = left_ms > 0 ? (int)left_ms : 0;
    poll(polled, 2, due_ms >= 0 && due_ms < wait_ms ? due_ms : wait_ms);
}

/* Serves the snapshots of the run until it ends. */
static int serve(struct server *server, struct rpc_requests *requests,
                 struct snapshot_reader *reader)
{
    int64_t next_ms = now_ms();
    while (!is_stopped) {
        wait_for_news(server, requests, next_ms);
        if (!rpc_requests_update(requests))
            break;
        int64_t now = now_ms();
        if (now >= next_ms) {
            bool is_watched = server_is_watched(server);
            enum reader_news news = is_watched ? snapshot_reader_update(reader) : READER_NOTHING;
            if (news == READER_BROKEN)
                return EXIT_NO_SERVER;
            server_show(server, snapshot_reader_latest(reader), news == READER_NEW, now);
            next_ms = now + (is_watched ? PICTURE_MS : 1000);
        }
        server_run(server, now_ms());
        if (server_is_watched(server) && next_ms > now + PICTURE_MS)
            next_ms = now;
    }
    server_end(server, now_ms());
    server_run(server, now_ms());
    return 0;
}

/* ---- A page that needs no run ---- */

/* Reads the whole file, which the caller frees. NULL: it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
    char *bytes = NULL;
    FILE *file = fopen(path, "rbe");
    if (file && fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0) {
        *size = (size_t)ftell(file);
        bytes = malloc(*size);
        rewind(file);
    }
    if (bytes && fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    return bytes;
}

/* Serves until a signal ends it. */
static int serve_file(const struct options *options)
{
    size_t size;
    char *page = read_file(options->file, &size);
    struct server *server = page ? server_open_file(LISTENING, &options->gate, page, size) : NULL;
    while (server && !is_stopped) {
        struct pollfd polled = {.fd = server_fd(server), .events = POLLIN};
        int due_ms = server_timeout_ms(server);
        poll(&polled, 1, due_ms >= 0 ? due_ms : 1000);
        server_run(server, now_ms());
    }
    int code = server ? 0 : EXIT_NO_SERVER;
    server_close(server);
    free(page);
    return code;
}

int web_run(int argc, char **argv)
{
    struct options options = {0};
    for (int i = 0; i < argc; i++)
        if (!parse_option(&options, argv[i])) {
            fprintf(stderr, "ptybot-web: unknown word %s\n", argv[i]);
            return 2;
        }
    options.gate.token = getenv("PTYBOT_WEB_TOKEN");
    bool has_run = options.snapshot && options.control;
    if ((!has_run && !options.file) || !options.gate.token ||
        strlen(options.gate.token) != GATE_TOKEN_SIZE)
        return 2;
    catch_signals();
    if (options.file)
        return serve_file(&options);
    struct snapshot_reader *reader = snapshot_reader_open(options.snapshot);
    struct rpc_requests *requests =
        reader ? rpc_requests_open(options.control, WAITING_MAX, server_reply) : NULL;
    struct server *server = requests ? server_open(LISTENING, &options.gate, requests) : NULL;
    int code = server ? serve(server, requests, reader) : EXIT_NO_SERVER;
    server_close(server);
    rpc_requests_close(requests);
    snapshot_reader_close(reader);
    return code;
}
