/* Any bytes over a connection to the real server of the page, which sends requests to a control
 * socket whose other end belongs to this program. Without the token no request reaches that end,
 * and no answer is successful. With the token only whole commands sent as JSON reach it. Memory use
 * stays constant. Byte 0 sets the size of the chunks, at the beginning or, if the number of bytes
 * is odd, at the end. */
#include <assert.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/fuzz/fuzz_http.h"
#include "viewer/web/assets.h"
#include "viewer/web/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    BEAT_MS = 6000, /* longer than the interval of the beats of an idle stream */
    IDLE_TURNS = 2,
    TURNS_MAX = 400,        /* of one input; chosen: a request needs about ten */
    PIECES_MAX = 12,        /* received separately; chosen: each needs about ten system calls */
    SIGNALS_EVERY = 4096,   /* inputs between two checks of the memory */
    MEMORY_SPARE = 1 << 20, /* bytes; chosen: for data being processed */
};

static struct page {
    char folder[32], web_path[64], control_path[64];
    struct gate gate;
    struct server *server;
    struct rpc_requests *requests;
    int robots; /* this end of the control socket */
    int64_t now_ms;
    unsigned long inputs;
    size_t memory;
} page;

/* The page is as small as possible: two files are enough to request some. */
const struct asset *asset_find(const char *name)
{
    static const unsigned char bytes[] = "<!doctype html>";
    static const struct asset assets[] = {
        {"", "text/html", bytes, sizeof bytes - 1, NULL},
        {"page.wasm", "application/wasm", bytes, sizeof bytes - 1, "gzip"},
    };
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++)
        if (strcmp(assets[i].name, name) == 0)
            return &assets[i];
    return NULL;
}

/* ---- Sockets ---- */

static int open_socket(const char *path, bool is_listening)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const struct sockaddr *to = (const struct sockaddr *)&address;
    int failed = is_listening ? bind(fd, to, sizeof address) || listen(fd, 64)
                              : connect(fd, to, sizeof address);
    if (fd < 0 || failed || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
        perror(path);
        abort();
    }
    return fd;
}

static void remove_folder(void)
{
    unlink(page.web_path);
    unlink(page.control_path);
    rmdir(page.folder);
}

static void open_page(void)
{
    enum { WAITING_MAX = 64 };
    strcpy(page.folder, "/tmp/ptybot-http-XXXXXX");
    if (!mkdtemp(page.folder))
        abort();
    snprintf(page.web_path, sizeof page.web_path, "%s/web", page.folder);
    snprintf(page.control_path, sizeof page.control_path, "%s/control", page.folder);
    atexit(remove_folder);
    int control = open_socket(page.control_path, true);
    page.requests = rpc_requests_open(page.control_path, WAITING_MAX, server_reply);
    page.robots = accept4(control, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    page.gate = (struct gate){.token = FUZZ_HTTP_TOKEN, .is_writable = true};
    page.server = server_open(open_socket(page.web_path, true), &page.gate, page.requests);
    close(control);
    assert(page.requests && page.server && page.robots >= 0);
}

/* ---- Output ---- */

/* Reads the bytes that were sent to the robots, which are whole lines; answers each line. Returns
 * their number. */
static size_t hear_robots(void)
{
    static const char reply[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    char bytes[1 << 14];
    ssize_t size = recv(page.robots, bytes, sizeof bytes, 0);
    if (size <= 0)
        return 0;
    assert(bytes[size - 1] == '\n');
    for (const char *at = bytes, *end = bytes + size; at < end;
         at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1) {
        assert(memcmp(at, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"do\"", 36) == 0);
        if (send(page.robots, reply, sizeof reply - 1, MSG_NOSIGNAL) < 0)
            abort();
    }
    bool goes_on = rpc_requests_update(page.requests);
    assert(goes_on);
    return (size_t)size;
}

/* One turn of the server; returns the number of answered bytes, -1 if the connection is closed.
 * GOOD: whether they begin a successful answer. */
static long turn(int client, bool *good)
{
    char bytes[1 << 14];
    server_run(page.server, page.now_ms);
    server_show(page.server, NULL, false, page.now_ms);
    ssize_t got = recv(client, bytes, sizeof bytes - 1, 0);
    if (got > 0) {
        bytes[got] = '\0';
        *good |= strstr(bytes, "HTTP/1.1 200") || strstr(bytes, "HTTP/1.0 200");
    }
    return got == 0 ? -1 : got < 0 ? 0 : (long)got;
}

static void look_at_memory(void)
{
    if (++page.inputs % SIGNALS_EVERY != 0)
        return;
    size_t memory = mallinfo2().uordblks;
    if (page.inputs == SIGNALS_EVERY)
        page.memory = memory;
    assert(memory < page.memory + MEMORY_SPARE);
}

static bool has(const uint8_t *data, size_t size, const char *text)
{
    return memmem(data, size, text, strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool is_good = false;
    size_t commands = 0;
    if (size < 2)
        return 0;
    if (!page.server)
        open_page();
    int client = open_socket(page.web_path, false);
    size_t step = data[0] ? data[0] : size;
    data++, size--;
    size_t lead = size % 2 && size > PIECES_MAX * step ? size - PIECES_MAX * step : 0;
    // Other methods cannot have sent a command, so one check at the end is enough for them.
    bool may_command = has(data, size, "POST");
    int idle = 0;
    for (size_t at = 0, turns = 0; idle < IDLE_TURNS && turns < TURNS_MAX; turns++) {
        size_t part = at < lead ? lead - at : at < lead + PIECES_MAX * step ? step : size;
        part = part < size - at ? part : size - at;
        ssize_t sent = part > 0 ? send(client, data + at, part, MSG_NOSIGNAL) : 0;
        at += sent > 0 ? (size_t)sent : 0;
        long got = turn(client, &is_good);
        size_t heard = may_command ? hear_robots() : 0;
        commands += heard;
        idle = sent > 0 || got > 0 || heard > 0 ? 0 : idle + 1;
        if (got < 0)
            break;
    }
    close(client);
    // The server notices a disconnected listener when a beat cannot be sent.
    for (int i = 0; i < 2 || (server_is_watched(page.server) && i < TURNS_MAX); i++) {
        server_show(page.server, NULL, false, page.now_ms += BEAT_MS);
        server_run(page.server, page.now_ms);
    }
    assert(!server_is_watched(page.server));
    commands += hear_robots();
    // An escaped address may contain the token, or `do`, too.
    bool is_escaped = memchr(data, '%', size);
    bool has_token = is_escaped || has(data, size, FUZZ_HTTP_TOKEN);
    bool is_command = may_command && (is_escaped || has(data, size, "/do"));
    assert(has_token || (!is_good && commands == 0));
    assert(is_command || commands == 0);
    look_at_memory();
    return 0;
}
