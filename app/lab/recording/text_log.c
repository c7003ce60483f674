/* Reads logs of other programs, one line or one chunk of bytes at a time. */
#include "app/lab/recording/text_log.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"

enum {
    LINE_MAX_BYTES =
        1 << 18,    /* chosen: the text of about 65 000 bytes, more than loggers write at once */
    RUN_MAX = 4096, /* chosen: size of a chunk of bare bytes */
};

struct text_log {
    int fd;
    int reason; /* errno of a failed read, 0: no failure */
    enum capture_kind otherwise;
    bool is_text;
    uint64_t skipped;
    /* From the last header line of socat, which is above its bytes. */
    enum capture_kind kind;
    int64_t time_ns;
    size_t at, used;
    char input[LINE_MAX_BYTES];
    char line[LINE_MAX_BYTES];
    uint8_t bytes[LINE_MAX_BYTES / 2];
};

/* ---- Input ---- */

/* Reads more bytes after the remaining ones. False: there are no more, or there is no room. */
static bool fill(struct text_log *log)
{
    ssize_t got;
    memmove(log->input, log->input + log->at, log->used - log->at);
    log->used -= log->at;
    log->at = 0;
    if (log->used == sizeof log->input)
        return false;
    do
        got = read(log->fd, log->input + log->used, sizeof log->input - log->used);
    while (got < 0 && errno == EINTR);
    log->used += got > 0 ? (size_t)got : 0;
    log->reason = got < 0 ? errno : log->reason;
    return got > 0;
}

/* Reads the next line without its newline, truncated if it is too long. The last line may lack the
 * newline. */
static bool next_line(struct text_log *log)
{
    char *end;
    while (!(end = memchr(log->input + log->at, '\n', log->used - log->at)) && fill(log)) {
    }
    if (log->at == log->used)
        return false;
    size_t size = end ? (size_t)(end - log->input) - log->at : log->used - log->at;
    size_t kept = size < sizeof log->line ? size : sizeof log->line - 1;
    memcpy(log->line, log->input + log->at, kept);
    log->line[kept] = '\0';
    log->at += size + (end != NULL);
    return true;
}

/* ---- Lines ---- */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* Reads pairs of hexadecimal digits, with or without blanks between the pairs. SIZE_MAX: there are
 * other characters. */
static size_t read_hex(const char *at, uint8_t *out)
{
    size_t size = 0;
    for (at = skip_blanks(at); *at != '\0'; at = skip_blanks(at)) {
        int high = text_hex_digit(at[0]), low = high >= 0 ? text_hex_digit(at[1]) : -1;
        if (low < 0)
            return SIZE_MAX;
        out[size++] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    return size;
}

/* `>` or TX: from the host; `<` or RX: to the host. */
static bool read_direction(const char **at, enum capture_kind *kind)
{
    static const struct {
        const char *word;
        enum capture_kind kind;
    } words[] = {{">", CAPTURE_TO_ROBOT}, {"<", CAPTURE_TO_HOST},   {"TX", CAPTURE_TO_ROBOT},
                 {"RX", CAPTURE_TO_HOST}, {"tx", CAPTURE_TO_ROBOT}, {"rx", CAPTURE_TO_HOST}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if (strncmp(*at, words[i].word, length) == 0 &&
            ((*at)[length] == ' ' || (*at)[length] == '\t')) {
            *kind = words[i].kind;
            *at = skip_blanks(*at + length);
            return true;
        }
    }
    return false;
}

/* Whether the numbers, in the notation of the log, are a date and a time that fits into
 * nanoseconds. */
static bool is_date(const struct tm *when)
{
    return when->tm_year >= 1970 && when->tm_year < 2200 && when->tm_mon >= 1 &&
           when->tm_mon <= 12 && when->tm_mday >= 1 && when->tm_mday <= 31 && when->tm_hour >= 0 &&
           when->tm_hour < 24 && when->tm_min >= 0 && when->tm_min < 60;
}

/* socat: `> 2024/01/31 23:59:59.123456  length=5 from=0 to=4`, taken as UTC. */
static bool read_socat(struct text_log *log)
{
    struct tm when = {0};
    double second;
    const char *at = log->line;
    enum capture_kind kind;
    if (!read_direction(&at, &kind) ||
        sscanf(at, "%4d/%2d/%2d %2d:%2d:%lf", &when.tm_year, &when.tm_mon, &when.tm_mday,
               &when.tm_hour, &when.tm_min, &second) != 6 ||
        !is_date(&when) || !(second >= 0 && second < 61))
        return false;
    when.tm_year -= 1900;
    when.tm_mon -= 1;
    log->kind = kind;
    log->time_ns = (int64_t)timegm(&when) * 1000000000 + (int64_t)(second * 1e9 + 0.5);
    return true;
}

/* `12.345678 aa55` or `(12.345678) > aa 55`: a time in seconds, optionally a direction, bytes. */
static size_t read_timed(struct text_log *log)
{
    char word[64];
    double time_s;
    const char *at = skip_blanks(log->line);
    at += *at == '(';
    size_t length = strcspn(at, " \t)");
    if (length == 0 || length >= sizeof word)
        return SIZE_MAX;
    memcpy(word, at, length);
    word[length] = '\0';
    at += length;
    at = skip_blanks(at + (*at == ')'));
    if (!strchr(word, '.') || !number_parse(word, &time_s) || time_s < 0 || time_s > 8e9)
        return SIZE_MAX;
    log->kind = log->otherwise;
    read_direction(&at, &log->kind);
    log->time_ns = (int64_t)(time_s * 1e9 + 0.5);
    return read_hex(at, log->bytes);
}

/* Reads the bytes of the line. SIZE_MAX: it contains none. */
static size_t read_line(struct text_log *log)
{
    log->line[strcspn(log->line, "\r")] = '\0';
    if (*skip_blanks(log->line) == '\0' || *log->line == '#' || strcmp(log->line, "--") == 0)
        return SIZE_MAX;
    if (read_socat(log))
        return SIZE_MAX;
    // The lines of bytes that socat writes begin with a blank.
    size_t size = *log->line == ' ' ? read_hex(log->line, log->bytes) : SIZE_MAX;
    if (size == SIZE_MAX)
        size = read_timed(log);
    log->skipped += size == SIZE_MAX;
    return size;
}

static size_t next_run(struct text_log *log)
{
    if (log->at == log->used && !fill(log))
        return SIZE_MAX;
    size_t size = log->used - log->at < RUN_MAX ? log->used - log->at : RUN_MAX;
    memcpy(log->bytes, log->input + log->at, size);
    log->at += size;
    return size;
}

bool text_log_next(struct text_log *log, struct capture_block *block)
{
    size_t size = SIZE_MAX;
    if (!log->is_text)
        size = next_run(log);
    while (log->is_text && size == SIZE_MAX && next_line(log))
        size = read_line(log);
    if (size == SIZE_MAX)
        return false;
    *block = (struct capture_block){.kind = log->kind,
                                    .time_ns = log->time_ns,
                                    .bytes = log->bytes,
                                    .size = size,
                                    .comment = ""};
    return true;
}

/* ---- Opening ---- */

/* Whether the first line is that of a log. */
static bool begins_like_text(struct text_log *log)
{
    fill(log);
    size_t size = 0;
    while (size < log->used &&
           (isprint((unsigned char)log->input[size]) || log->input[size] == '\t'))
        size++;
    bool is_line = size == log->used || log->input[size] == '\n' || log->input[size] == '\r';
    if (!is_line || size == 0 || size >= sizeof log->line)
        return false;
    memcpy(log->line, log->input, size);
    log->line[size] = '\0';
    return *log->line == '#' || read_socat(log) || read_timed(log) != SIZE_MAX;
}

struct text_log *text_log_open(const char *path, enum capture_kind kind, struct error *error)
{
    struct text_log *log = calloc(1, sizeof *log);
    if (!log)
        return error_null(error_environment(error, "not enough memory to read %s", path));
    log->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    log->otherwise = kind;
    if (log->fd < 0) {
        (errno == ENOENT ? error_set : error_environment)(error, "%s: %s", path, strerror(errno));
        free(log);
        return NULL;
    }
    log->is_text = begins_like_text(log);
    log->kind = kind;
    log->time_ns = 0;
    if (!log->reason)
        return log;
    error_environment(error, "%s: %s", path, strerror(log->reason));
    text_log_close(log);
    return NULL;
}

const char *text_log_trouble(const struct text_log *log)
{
    return log->reason ? strerror(log->reason) : "";
}

uint64_t text_log_skipped(const struct text_log *log)
{
    return log->skipped;
}

void text_log_close(struct text_log *log)
{
    if (!log)
        return;
    if (log->fd > STDIN_FILENO)
        close(log->fd);
    free(log);
}
