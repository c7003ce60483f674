/* Messages and the status line on stderr. */
#include "app/cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

enum {
    LINE_MAX_BYTES = 1024, /* chosen: longer than any message, and a pipe takes it whole */
    COLUMNS_DEFAULT = 80,
};

static bool is_status_shown;
static int lost_reason;

void terminal_guard_streams(void)
{
    // open takes the lowest free number. The mode is the wrong one for the stream, so that using it
    // still is an error.
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

void terminal_flush(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    errno = 0;
    bool is_lost = fflush(stdout) != 0 || ferror(stdout);
    if (!is_lost || lost_reason != 0)
        return;
    // The first reason counts; stdio forgets the reason of an earlier write. POLLERR: a pipe
    // without a reader.
    lost_reason = errno != 0 ? errno : EIO;
    if (lost_reason == EIO && poll(&out, 1, 0) == 1 && (out.revents & POLLERR))
        lost_reason = EPIPE;
}

int terminal_lost(void)
{
    return lost_reason != EPIPE ? lost_reason : 0;
}

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return !term || strcmp(term, "dumb") == 0;
}

bool terminal_has_color(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(stream)) && !is_dumb() && (!no_color || !*no_color);
}

bool terminal_has_status(void)
{
    return isatty(STDERR_FILENO) && !is_dumb();
}

/* Writes only if that does not block: a pipe that poll reports writable takes PIPE_BUF bytes at
 * once. */
static void write_stderr(const char *text, size_t size)
{
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&fd, 1, 0) != 1 || !(fd.revents & POLLOUT))
        return;
    if (write(STDERR_FILENO, text, size) < 0)
        return;
}

static void write_line(const char *before, const char *format, va_list args)
{
    char line[LINE_MAX_BYTES];
    const char *clear = is_status_shown ? "\r\033[K" : "";
    int head = snprintf(line, sizeof line, "%sptybot: %s", clear, before);
    vsnprintf(line + head, sizeof line - (size_t)head - 1, format, args);
    text_guard(line + head);
    size_t size = strlen(line);
    line[size++] = '\n';
    is_status_shown = false;
    write_stderr(line, size);
}

void terminal_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_line("", format, args);
    va_end(args);
}

int terminal_fail(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_line("error: ", format, args);
    va_end(args);
    return code;
}

static int columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return COLUMNS_DEFAULT;
}

void terminal_status(const char *text)
{
    char line[LINE_MAX_BYTES];
    if (!terminal_has_status() || (!*text && !is_status_shown))
        return;
    // One column stays free: a full line would wrap and could not be replaced.
    int size = snprintf(line, sizeof line, "\r%.*s\033[K", columns() - 1, text);
    is_status_shown = *text != '\0';
    write_stderr(line, size < (int)sizeof line ? (size_t)size : sizeof line - 1);
}

void *terminal_need(void *memory)
{
    if (memory)
        return memory;
    exit(terminal_fail(EXIT_CODE_ENVIRONMENT, "not enough memory"));
}
