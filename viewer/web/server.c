/* Routes, listeners, and the commands of pages. */
#include "viewer/web/server.h"

#include <jansson.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/web/assets.h"
#include "viewer/web/stream.h"

enum {
    LISTENERS_MAX = 16, /* chosen: each needs memory for a picture */
    BODY_MAX = 4096,    /* chosen: the longest command has about 200 bytes */
    BEAT_MS = 5000,     /* chosen: so that the page notices a lost connection in time */
};

struct listener {
    struct server *server;
    struct MHD_Connection *connection;
    struct stream stream;
    unsigned id;       /* 0: this slot is free */
    uint64_t shown;    /* number of the picture sent last */
    bool is_suspended; /* all data is sent, and it waits */
    bool is_ending;
};

struct server {
    struct MHD_Daemon *daemon;
    const struct gate *gate;
    struct rpc_requests *requests; /* NULL: no simulation is running */
    const char *page;              /* the only content then, */
    size_t page_size;
    struct doors doors;
    int64_t now_ms; /* as passed to server_run */
    struct listener listeners[LISTENERS_MAX];
    unsigned ids;
    uint64_t number; /* of the last picture */
};

/* A POST request in progress: its body, and then the reply. */
struct visit {
    struct server *server;
    struct MHD_Connection *connection;
    char name[8];
    char body[BODY_MAX + 1];
    size_t size;
    bool is_asked;
    char *reply; /* owned */
};

/* ---- Connections ---- */

static struct door *door_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* The request was received completely. */
static void note_request(struct MHD_Connection *connection)
{
    struct door *door = door_of(connection);
    if (door)
        door->is_asked = true;
}

static void meet(void *context, struct MHD_Connection *connection, void **socket_context,
                 enum MHD_ConnectionNotificationCode code)
{
    struct server *server = context;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (code == MHD_CONNECTION_NOTIFY_STARTED && info)
        *socket_context = doors_enter(&server->doors, info->connect_fd, server->now_ms);
    else if (code == MHD_CONNECTION_NOTIFY_CLOSED && *socket_context)
        door_leave(*socket_context);
}

/* ---- Answers ---- */

#define NOWHERE_ELSE "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
static const char served_policy[] =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' "
    "data: blob:; connect-src 'self'; worker-src 'self'; " NOWHERE_ELSE;
/* For a page that contains all its resources. */
static const char file_policy[] =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src "
    "'unsafe-inline'; img-src data: blob:; " NOWHERE_ELSE;

/* Allows no resources from other origins, and no embedding in other pages. */
static void add_headers(struct MHD_Response *response)
{
    static const char *const headers[][2] = {
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cache-Control", "no-store"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
}

static enum MHD_Result finish_by(const char *policy, struct MHD_Connection *connection,
                                 unsigned status, const char *type, struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    note_request(connection);
    add_headers(response);
    MHD_add_response_header(response, "Content-Security-Policy", policy);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result finish(struct MHD_Connection *connection, unsigned status, const char *type,
                              struct MHD_Response *response)
{
    return finish_by(served_policy, connection, status, type, response);
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status, const char *type,
                           const char *text)
{
    return finish(connection, status, type,
                  MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                                  MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *why)
{
    char text[256];
    snprintf(text, sizeof text, "%s\n", why);
    return say(connection, status, "text/plain; charset=utf-8", text);
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* ---- Listeners ---- */

static ssize_t read_stream(void *context, uint64_t at, char *bytes, size_t size)
{
    struct listener *listener = context;
    (void)at;
    size_t taken = stream_take(&listener->stream, bytes, size);
    if (taken > 0)
        return (ssize_t)taken;
    if (listener->is_ending)
        return MHD_CONTENT_READER_END_OF_STREAM;
    listener->is_suspended = true;
    MHD_suspend_connection(listener->connection);
    return 0;
}

static void close_stream(void *context)
{
    struct listener *listener = context;
    stream_close(&listener->stream);
    *listener = (struct listener){0};
}

static void wake(struct listener *listener)
{
    if (!listener->is_suspended || stream_is_taken(&listener->stream))
        return;
    listener->is_suspended = false;
    MHD_resume_connection(listener->connection);
}

/* ID 0: a free slot. NULL: there is none. */
static struct listener *find_listener(struct server *server, json_int_t id)
{
    for (size_t i = 0; i < LISTENERS_MAX; i++)
        if (server->listeners[i].id == id)
            return &server->listeners[i];
    return NULL;
}

static void greet(struct listener *listener)
{
    char hello[128];
    snprintf(hello, sizeof hello, "{\"stream\":%u,\"write\":%s,\"version\":%d}", listener->id,
             listener->server->gate->is_writable ? "true" : "false", SNAPSHOT_VERSION);
    // If the connection breaks, browsers connect again after this many milliseconds.
    stream_say(&listener->stream, "hello", hello, 0);
}

static enum MHD_Result listen_to(struct server *server, struct MHD_Connection *connection)
{
    const char *accepts = header(connection, "Accept-Encoding");
    bool is_zipped = accepts && strstr(accepts, "gzip");
    struct listener *listener = find_listener(server, 0);
    if (!listener || !stream_open(&listener->stream, is_zipped))
        return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "too many pages are connected");
    listener->server = server;
    listener->connection = connection;
    listener->id = ++server->ids;
    listener->shown = UINT64_MAX;
    greet(listener);
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, 32768, read_stream, listener, close_stream);
    if (!response) {
        close_stream(listener);
        return MHD_NO;
    }
    if (is_zipped)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    // Tells proxies not to buffer the stream.
    MHD_add_response_header(response, "X-Accel-Buffering", "no");
    return finish(connection, MHD_HTTP_OK, "text/event-stream", response);
}

/* ---- Requests of pages ---- */

/* Sets the robots that a page shows with all values. */
static enum MHD_Result view(struct visit *visit, const json_t *body)
{
    struct listener *listener =
        find_listener(visit->server, json_integer_value(json_object_get(body, "stream")));
    size_t i;
    json_t *robot;
    if (!listener || !listener->connection)
        return refuse(visit->connection, MHD_HTTP_NOT_FOUND, "this stream has ended");
    listener->stream.wishes = (struct slim_wishes){0};
    json_array_foreach(json_object_get(body, "robots"), i, robot)
    {
        json_int_t number = json_integer_value(robot);
        if (json_is_integer(robot) && number >= 0 && number < SLIM_ROBOTS_MAX)
            listener->stream.wishes.robots[number / 32] |= 1u << (number % 32);
    }
    listener->stream.is_due = true;
    return say(visit->connection, MHD_HTTP_OK, "application/json",
               strcmp(visit->name, "view") == 0
                   ? "{}\n"
                   : "{\"warning\": \"POST /look is now POST /view\"}\n");
}

static enum MHD_Result run_command(struct visit *visit, const json_t *body)
{
    const char *command = json_string_value(json_object_get(body, "command"));
    if (!command)
        return refuse(visit->connection, MHD_HTTP_BAD_REQUEST,
                      "send {\"command\": \"TARGET.COMMAND key=value\"}");
    if (!rpc_requests_do(visit->server->requests, command, visit))
        return refuse(visit->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                      "too many commands at a time");
    visit->is_asked = true;
    note_request(visit->connection);
    MHD_suspend_connection(visit->connection);
    return MHD_YES;
}

void server_reply(void *who, const char *line, size_t size)
{
    struct visit *visit = who;
    visit->reply = strndup(line, size);
    MHD_resume_connection(visit->connection);
}

/* The whole body was received. */
static enum MHD_Result answer_post(struct visit *visit)
{
    if (visit->is_asked)
        return say(visit->connection, MHD_HTTP_OK, "application/json",
                   visit->reply ? visit->reply : "{}");
    json_t *body = json_loadb(visit->body, visit->size, JSON_REJECT_DUPLICATES, NULL);
    enum MHD_Result result = !json_is_object(body) ? refuse(visit->connection, MHD_HTTP_BAD_REQUEST,
                                                            "send a JSON object")
                             : strcmp(visit->name, "do") == 0 ? run_command(visit, body)
                                                              : view(visit, body);
    json_decref(body);
    return result;
}

/* A body that is too long ends the connection. */
static enum MHD_Result take_body(struct visit *visit, const char *bytes, size_t *size)
{
    if (visit->size + *size > BODY_MAX)
        return MHD_NO;
    memcpy(visit->body + visit->size, bytes, *size);
    visit->size += *size;
    *size = 0;
    return MHD_YES;
}

static enum MHD_Result begin_post(struct server *server, struct MHD_Connection *connection,
                                  const char *name, void **context)
{
    const char *length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (length && strtoull(length, NULL, 10) > BODY_MAX)
        return refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE, "the command is too long");
    struct visit *visit = calloc(1, sizeof *visit);
    if (!visit)
        return MHD_NO;
    visit->server = server;
    visit->connection = connection;
    snprintf(visit->name, sizeof visit->name, "%s", name);
    *context = visit;
    return MHD_YES;
}

static void end_visit(void *context, struct MHD_Connection *connection, void **request,
                      enum MHD_RequestTerminationCode code)
{
    struct server *server = context;
    struct visit *visit = *request;
    struct door *door = door_of(connection);
    (void)code;
    if (door)
        door_wait(door, server->now_ms);
    if (!visit || *request == context)
        return;
    rpc_requests_forget(server->requests, visit);
    free(visit->reply);
    free(visit);
    *request = NULL;
}

/* ---- Requests ---- */

static enum MHD_Result send_asset(struct MHD_Connection *connection, const char *name)
{
    const struct asset *asset = asset_find(name);
    if (!asset)
        return refuse(connection, MHD_HTTP_NOT_FOUND, "not found");
    struct MHD_Response *response = MHD_create_response_from_buffer(
        asset->size, (void *)(uintptr_t)asset->bytes, MHD_RESPMEM_PERSISTENT);
    if (response && asset->encoding)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, asset->encoding);
    return finish(connection, MHD_HTTP_OK, asset->type, response);
}

/* For a page that needs no run. */
static enum MHD_Result send_page(const struct server *server, struct MHD_Connection *connection,
                                 const char *name)
{
    if (*name)
        return refuse(connection, MHD_HTTP_NOT_FOUND, "not found");
    return finish_by(file_policy, connection, MHD_HTTP_OK, "text/html; charset=utf-8",
                     MHD_create_response_from_buffer(server->page_size,
                                                     (void *)(uintptr_t)server->page,
                                                     MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *bytes,
                              size_t *size, void **request)
{
    struct server *server = context;
    const char *name, *why;
    (void)version;
    bool is_post = strcmp(method, "POST") == 0;
    if (is_post && *request)
        return *size > 0 ? take_body(*request, bytes, size) : answer_post(*request);
    // Answering at the second call keeps the connection open.
    if (!is_post && !*request) {
        *request = server;
        return MHD_YES;
    }
    const struct gate_request asked = {
        .method = method,
        .path = path,
        .host = header(connection, MHD_HTTP_HEADER_HOST),
        .origin = header(connection, MHD_HTTP_HEADER_ORIGIN),
        .fetch_site = header(connection, "Sec-Fetch-Site"),
        .content_type = header(connection, MHD_HTTP_HEADER_CONTENT_TYPE),
    };
    enum gate_answer answer = gate_ask(server->gate, &asked, &name, &why);
    if (answer != GATE_OPEN)
        return refuse(connection, answer, why);
    if (door_of(connection))
        door_of(connection)->is_known = true;
    if (!server->requests)
        return is_post ? refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "no simulation is running")
                       : send_page(server, connection, name);
    if (is_post)
        return begin_post(server, connection, name, request);
    return strcmp(name, "events") == 0 ? listen_to(server, connection)
                                       : send_asset(connection, name);
}

/* ---- The server ---- */

static struct server *open_server(int listening, const struct server *what)
{
    struct server *server = calloc(1, sizeof *server);
    if (!server)
        return NULL;
    *server = *what;
    doors_init(&server->doors);
    server->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, server,
        MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT, (unsigned)DOORS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(DOOR_LIMIT_MS / 1000),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536, MHD_OPTION_NOTIFY_COMPLETED, end_visit,
        server, MHD_OPTION_NOTIFY_CONNECTION, meet, server, MHD_OPTION_END);
    if (server->daemon)
        return server;
    fputs("ptybot: the page cannot be served: libmicrohttpd does not start\n", stderr);
    free(server);
    return NULL;
}

struct server *server_open(int listening, const struct gate *gate, struct rpc_requests *requests)
{
    return open_server(listening, &(struct server){.gate = gate, .requests = requests});
}

struct server *server_open_file(int listening, const struct gate *gate, const char *page,
                                size_t size)
{
    return open_server(listening, &(struct server){.gate = gate, .page = page, .page_size = size});
}

void server_close(struct server *server)
{
    if (!server)
        return;
    for (size_t i = 0; i < LISTENERS_MAX; i++) {
        struct listener *listener = &server->listeners[i];
        listener->is_ending = true;
        if (listener->connection && listener->is_suspended)
            MHD_resume_connection(listener->connection);
        listener->is_suspended = false;
    }
    MHD_run(server->daemon);
    MHD_stop_daemon(server->daemon);
    free(server);
}

bool server_is_watched(const struct server *server)
{
    for (size_t i = 0; i < LISTENERS_MAX; i++)
        if (server->listeners[i].connection)
            return true;
    return false;
}

static void show(struct listener *listener, const struct snapshot *snapshot, int64_t now_ms)
{
    struct stream *stream = &listener->stream;
    bool is_due = snapshot && (listener->shown != listener->server->number || stream->is_due);
    if (!listener->is_suspended || !stream_is_taken(stream))
        return;
    if (is_due) {
        stream_show(stream, snapshot, now_ms);
        listener->shown = listener->server->number;
    } else if (now_ms - stream->said_ms >= BEAT_MS) {
        stream_say(stream, "beat", "", now_ms);
    }
    wake(listener);
}

void server_show(struct server *server, const struct snapshot *snapshot, bool is_new,
                 int64_t now_ms)
{
    server->number += is_new;
    for (size_t i = 0; i < LISTENERS_MAX; i++)
        if (server->listeners[i].connection)
            show(&server->listeners[i], snapshot, now_ms);
}

void server_end(struct server *server, int64_t now_ms)
{
    for (size_t i = 0; i < LISTENERS_MAX; i++) {
        struct listener *listener = &server->listeners[i];
        if (!listener->connection)
            continue;
        stream_say(&listener->stream, "end", "", now_ms);
        listener->is_ending = true;
        wake(listener);
    }
}

void server_run(struct server *server, int64_t now_ms)
{
    server->now_ms = now_ms;
    doors_shut_late(&server->doors, now_ms);
    MHD_run(server->daemon);
}

int server_fd(const struct server *server)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

int server_timeout_ms(const struct server *server)
{
    MHD_UNSIGNED_LONG_LONG timeout;
    if (MHD_get_timeout(server->daemon, &timeout) != MHD_YES)
        return -1;
    return timeout < 1000 ? (int)timeout : 1000;
}
