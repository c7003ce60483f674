/* Creates the socket and the token before the server starts, so that the address is known early.
 * The server gets the token in its environment, which other users cannot read. */
#include "app/views/web.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/views/viewer.h"
#include "base/array.h"

enum { PASSED = 3, BACKLOG = 64 }; /* PASSED: the descriptor's number in the server */

static const struct flag_row rows[] = {
    FLAG_SWITCH("web", web_options, is_wanted,
                "Serve a page for any browser and print its address"),
    FLAG_INTEGER("web-port", "N", web_options, port, "", 0, 65535, "8080",
                 "Port of the page; 0: a free port, as if the default is in use"),
    FLAG_TEXT("web-host", "NAME", web_options, host, "",
              "Accept this host name from browsers, in addition to localhost"),
    FLAG_SWITCH(
        "web-allow-remote", web_options, is_remote,
        "Serve the page to other machines. Everyone who has its address can command the robots"),
    FLAG_SWITCH("web-write", web_options, is_writable,
                "Allow commands from the page during a test, which is read-only by default"),
};
const struct flag_group web_flags = {.title = "PAGE", .rows = rows, .count = COUNT(rows)};

/* ---- Address ---- */

static bool make_token(struct web *web, struct error *error)
{
    unsigned char random[WEB_TOKEN_SIZE / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return error_set(error, "no source of random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(web->token + 2 * i, 3, "%02x", random[i]);
    return true;
}

/* False: the reason is in errno. */
static bool listen_on(int fd, bool is_remote, uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(is_remote ? INADDR_ANY : INADDR_LOOPBACK),
    };
    int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    return bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
           listen(fd, BACKLOG) == 0;
}

static bool listen_somewhere(struct web *web, const struct web_options *options,
                             struct error *error)
{
    uint16_t port = (uint16_t)options->port;
    web->listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool is_open = web->listening >= 0 && (listen_on(web->listening, options->is_remote, port) ||
                                           (errno == EADDRINUSE && port == WEB_PORT &&
                                            listen_on(web->listening, options->is_remote, 0)));
    return is_open || error_set(error, "--web-port %u: %s; 0 selects a free port", (unsigned)port,
                                strerror(errno));
}

static void write_url(struct web *web, const struct web_options *options)
{
    struct sockaddr_in address = {0};
    socklen_t size = sizeof address;
    getsockname(web->listening, (struct sockaddr *)&address, &size);
    snprintf(web->url, sizeof web->url, "http://%s:%u/%s/",
             *options->host ? options->host : "127.0.0.1", (unsigned)ntohs(address.sin_port),
             web->token);
}

static bool find_program(char *program, size_t size, struct error *error)
{
    program_find(PROGRAM_WEB, program, size);
    return *program || error_set(error, "--web: this ptybot has no web page: install the package "
                                        "ptybot-web (ptybot-web_*.deb of ./dev package), or "
                                        "libmicrohttpd-dev, clang, lld, wasi-libc "
                                        "and libclang-rt-dev-wasm32 and build it again");
}

bool web_open(struct web *web, const struct web_options *options, struct error *error)
{
    char program[VIEWER_WORD_MAX];
    *web = (struct web){.listening = -1};
    if (!find_program(program, sizeof program, error) || !make_token(web, error) ||
        !listen_somewhere(web, options, error))
        return false;
    write_url(web, options);
    return true;
}

/* ---- The process ---- */

struct words {
    char program[VIEWER_WORD_MAX], snapshot[VIEWER_WORD_MAX], control[VIEWER_WORD_MAX];
    char file[VIEWER_WORD_MAX];
    char host[WEB_HOST_MAX + 8];
    const char *words[8];
};

/* Either FILE is NULL, or SNAPSHOT and CONTROL are. */
static bool make_words(struct words *words, const struct web_options *options, const char *snapshot,
                       const char *control, const char *file, struct error *error)
{
    size_t count = 0;
    if (!find_program(words->program, sizeof words->program, error))
        return false;
    snprintf(words->snapshot, sizeof words->snapshot, "snapshot=%s", snapshot ? snapshot : "");
    snprintf(words->control, sizeof words->control, "control=%s", control ? control : "");
    snprintf(words->file, sizeof words->file, "file=%s", file ? file : "");
    snprintf(words->host, sizeof words->host, "host=%s", options->host);
    words->words[count++] = "ptybot-web";
    words->words[count++] = "page";
    words->words[count++] = file ? words->file : words->snapshot;
    if (!file)
        words->words[count++] = words->control;
    words->words[count++] = words->host;
    if (options->is_remote)
        words->words[count++] = "remote";
    if (options->is_writable)
        words->words[count++] = "write";
    words->words[count] = NULL;
    return true;
}

static void become(struct web *web, const struct words *words, struct error *error)
{
    setenv("PTYBOT_WEB_TOKEN", web->token, 1);
    if (web->listening == PASSED ? fcntl(PASSED, F_SETFD, 0) == 0
                                 : dup2(web->listening, PASSED) == PASSED)
        execv(words->program, (char *const *)(uintptr_t)words->words);
    error_set(error, "%s: cannot be started: %s", words->program, strerror(errno));
}

bool web_start(struct web *web, const struct web_options *options, const char *snapshot,
               const char *control, struct error *error)
{
    static struct words words; // too large for the stack
    struct keeper keeper;
    if (!make_words(&words, options, snapshot, control, NULL, error))
        return false;
    pid_t pid = keeper_fork(&keeper, false);
    if (pid == 0) {
        keeper.link = fcntl(keeper.link, F_DUPFD_CLOEXEC, PASSED + 1);
        become(web, &words, error);
        keeper_fail(&keeper);
    }
    web->keeper = keeper;
    close(web->listening);
    web->listening = -1;
    return pid > 0 || error_set(error, "%s: cannot be started: %s", words.program, strerror(errno));
}

void web_become(struct web *web, const struct web_options *options, const char *snapshot,
                const char *control, struct error *error)
{
    static struct words words; // too large for the stack
    if (make_words(&words, options, snapshot, control, NULL, error))
        become(web, &words, error);
}

void web_become_file(struct web *web, const struct web_options *options, const char *file,
                     struct error *error)
{
    static struct words words; // too large for the stack
    if (make_words(&words, options, NULL, NULL, file, error))
        become(web, &words, error);
}

void web_close(struct web *web)
{
    if (web->listening >= 0)
        close(web->listening);
    web->listening = -1;
    viewer_process_end(&web->keeper);
}
