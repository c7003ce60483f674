#include "app/lab/recording/recorded.h"

#include <ctype.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "app/lab/recording/capture_reader.h"
#include "base/ring.h"
#include "pty/byte_link.h"
#include "pty/terminal/pty_link.h"

enum {
    LINES_MAX = 64,      /* chosen: more than any recording of robots has */
    AHEAD_MAX = 1 << 16, /* bytes that a host may be ahead of or behind the recording; chosen:
                            minutes of a host */
    VISIT_MS = 10,       /* chosen: interval of checks for hosts */
    LAST_WORD_MS = 1000, /* chosen: time for the last bytes of hosts after the recording */
    READ_MS = 5000,      /* chosen: the same while hosts have not read all; some never do */
};

struct line {
    struct byte_link *link;
    char name[CAPTURE_NAME_MAX];
    bool is_departed;
    /* At most one of them contains bytes: RECORDED if the host is behind the recording, HEARD if it
     * is ahead. */
    struct byte_ring recorded, heard;
    uint64_t matched; /* number of host bytes that were equal to the recording */
};

struct recorded {
    struct capture_reader *reader;
    struct line lines[LINES_MAX];
    size_t count;
    double speed;
    const char *sub_folder;
    struct recorded_counts counts;

    struct capture_block block; /* the next block */
    bool has_block, is_started;
    int64_t first_ns; /* time in the recording */
    int64_t start_ns; /* time of the clock */
};

/* ---- Bytes from hosts ---- */

static void depart(struct recorded *recorded, struct line *line, const char *how)
{
    line->is_departed = true;
    recorded->counts.departed++;
    terminal_say("%s: byte %llu of the driver differs from the recording: %s", line->name,
                 (unsigned long long)line->matched, how);
}

/* Removes the common prefix of both rings. */
static void match(struct recorded *recorded, struct line *line)
{
    uint8_t is, was;
    char how[64];
    while (!line->is_departed && line->heard.size > 0 && line->recorded.size > 0) {
        byte_ring_pop(&line->heard, &is, 1);
        byte_ring_pop(&line->recorded, &was, 1);
        snprintf(how, sizeof how, "0x%02x, recorded: 0x%02x", is, was);
        if (is != was)
            depart(recorded, line, how);
        else
            line->matched++;
    }
}

static void keep(struct recorded *recorded, struct line *line, struct byte_ring *ring,
                 const uint8_t *bytes, size_t size)
{
    while (size > 0 && !line->is_departed) {
        size_t kept = byte_ring_push(ring, bytes, size);
        if (kept == 0)
            depart(recorded, line,
                   ring == &line->heard ? "far ahead" : "it sends much less than recorded");
        match(recorded, line);
        bytes += kept;
        size -= kept;
    }
}

/* At the end of a recording both sides must be complete. */
static void match_ends(struct recorded *recorded)
{
    char how[64];
    for (size_t i = 0; i < recorded->count; i++) {
        struct line *line = &recorded->lines[i];
        size_t more = line->heard.size, fewer = line->recorded.size;
        snprintf(how, sizeof how, "%zu bytes %s than recorded", more + fewer,
                 more > 0 ? "more" : "fewer");
        if (!line->is_departed && more + fewer > 0)
            depart(recorded, line, how);
    }
}

static void serve(struct recorded *recorded, struct line *line)
{
    struct byte_link_event event;
    uint8_t bytes[4096];
    size_t size;
    bool is_event;
    char notice[256];
    byte_link_update(line->link);
    while (byte_link_take_notice(line->link, notice, sizeof notice))
        terminal_say("%s: %s", line->name, notice);
    do {
        while ((size = byte_link_read(line->link, bytes, sizeof bytes)) > 0) {
            recorded->counts.heard += size;
            keep(recorded, line, &line->heard, bytes, size);
        }
        is_event = byte_link_next_event(line->link, &event);
    } while (is_event);
}

/* ---- Bytes of the robot ---- */

static void play(struct recorded *recorded, const struct capture_block *block)
{
    struct line *line = &recorded->lines[block->interface];
    if (block->kind == CAPTURE_TO_HOST) {
        bool is_taken = byte_link_write(line->link, block->bytes, block->size);
        *(is_taken ? &recorded->counts.sent : &recorded->counts.dropped) += block->size;
    }
    if (block->kind == CAPTURE_TO_ROBOT) {
        recorded->counts.expected += block->size;
        keep(recorded, line, &line->recorded, block->bytes, block->size);
    }
    byte_link_set_lines(line->link, block->lines);
}

static void read_next(struct recorded *recorded)
{
    do
        recorded->has_block = capture_reader_next(recorded->reader, &recorded->block);
    while (recorded->has_block && recorded->block.interface >= recorded->count);
}

/* Plays all due blocks. Returns the milliseconds until the next block, at most VISIT_MS. */
static int play_due(struct recorded *recorded)
{
    while (recorded->has_block) {
        double after_ns = (double)(recorded->block.time_ns - recorded->first_ns);
        double past_ns = (double)(poller_now_ns() - recorded->start_ns);
        double wait_ms = ceil((after_ns / recorded->speed - past_ns) * 1e-6);
        if (wait_ms > 0)
            return wait_ms < VISIT_MS ? (int)wait_ms : VISIT_MS;
        play(recorded, &recorded->block);
        read_next(recorded);
    }
    return VISIT_MS;
}

static bool is_host_there(const struct recorded *recorded)
{
    for (size_t i = 0; i < recorded->count; i++)
        if (byte_link_host_present(recorded->lines[i].link))
            return true;
    return false;
}

/* Bytes that present hosts have not read yet, as far as known. */
static uint64_t unread_bytes(const struct recorded *recorded)
{
    uint64_t all = 0, bytes;
    for (size_t i = 0; i < recorded->count; i++)
        all += byte_link_unread(recorded->lines[i].link, &bytes) ? bytes : 0;
    return all;
}

/* Whether hosts have left, or have had time to read everything and to send their last bytes. */
static bool is_over(const struct recorded *recorded, int64_t *over_ns)
{
    if (recorded->has_block)
        return false;
    if (*over_ns == 0)
        *over_ns = poller_now_ns();
    int64_t waited_ms = (poller_now_ns() - *over_ns) / 1000000;
    return !is_host_there(recorded) || waited_ms >= READ_MS ||
           (waited_ms >= LAST_WORD_MS && unread_bytes(recorded) == 0);
}

void recorded_run(struct recorded *recorded, struct poller *poller)
{
    int64_t over_ns = 0;
    while (!stop_is_wanted() && !is_over(recorded, &over_ns)) {
        struct pollfd fds[1 + LINES_MAX * BYTE_LINK_FDS_MAX] = {
            {.fd = poller->epoll, .events = POLLIN}};
        nfds_t count = 1;
        for (size_t i = 0; i < recorded->count; i++) {
            serve(recorded, &recorded->lines[i]);
            count += (nfds_t)byte_link_fds(recorded->lines[i].link, fds + count);
        }
        if (!recorded->is_started && is_host_there(recorded)) {
            recorded->is_started = true;
            recorded->start_ns = poller_now_ns();
        }
        poll(fds, count, recorded->is_started ? play_due(recorded) : VISIT_MS);
    }
    uint64_t unread = unread_bytes(recorded);
    recorded->counts.sent -= unread;
    recorded->counts.dropped += unread;
    recorded->counts.is_over = !recorded->has_block;
    if (recorded->counts.is_over)
        match_ends(recorded);
}

struct recorded_counts recorded_counts(const struct recorded *recorded)
{
    struct recorded_counts counts = recorded->counts;
    counts.trouble = capture_reader_trouble(recorded->reader);
    return counts;
}

const char *recorded_name(const struct recorded *recorded, size_t line)
{
    return line < recorded->count ? recorded->lines[line].name : NULL;
}

const char *recorded_port(const struct recorded *recorded, size_t line)
{
    return line < recorded->count ? byte_link_name(recorded->lines[line].link) : NULL;
}

/* ---- Opening and closing ---- */

/* Makes the name of a port safe. It comes from a file of unknown origin, and must not lead out of
 * the folder of ports. */
static void tame(char *name)
{
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("-_.", *at))
            *at = '_';
    if (*name == '.')
        *name = '_';
}

static bool open_line(struct recorded *recorded, const struct capture_interface *interface,
                      struct error *error)
{
    struct line *line = &recorded->lines[recorded->count];
    char robot[CAPTURE_NAME_MAX];
    snprintf(line->name, sizeof line->name, "%s", interface->name);
    tame(line->name);
    size_t size = strcspn(line->name, ".");
    snprintf(robot, sizeof robot, "%.*s", (int)size, line->name);
    for (size_t i = 0; i < recorded->count; i++)
        if (strcspn(recorded->lines[i].name, ".") == size &&
            memcmp(recorded->lines[i].name, line->name, size) == 0)
            snprintf(robot, sizeof robot, "%s", line->name);
    const struct byte_link_config config = {.address = robot[0] ? robot : "robot",
                                            .sub_folder = recorded->sub_folder,
                                            .baud = interface->baud ? interface->baud : 115200};
    line->link = pty_link_open(&config, error);
    if (!line->link)
        return false;
    recorded->count++;
    byte_link_set_unread_kept(line->link, true);
    return (byte_ring_create(&line->recorded, AHEAD_MAX) &&
            byte_ring_create(&line->heard, AHEAD_MAX)) ||
           error_environment(error, "not enough memory for %s", line->name);
}

/* Reads the whole recording first, because its lines may become known late. */
static bool open_lines(struct recorded *recorded, const char *path, struct error *error)
{
    struct capture_block block;
    struct capture_reader *reader = capture_reader_open(path, error);
    if (!reader)
        return false;
    while (capture_reader_next(reader, &block))
        continue;
    size_t count = capture_reader_interface_count(reader);
    bool is_right = count > 0 && count <= LINES_MAX;
    if (!is_right)
        error_set(error, "%s: the recording has %zu channels; allowed: 1 to %d", path, count,
                  LINES_MAX);
    for (size_t i = 0; is_right && i < count; i++)
        is_right = open_line(recorded, capture_reader_interface(reader, i), error);
    capture_reader_close(reader);
    return is_right;
}

static bool open_all(struct recorded *recorded, const char *path, struct error *error)
{
    if (!open_lines(recorded, path, error))
        return false;
    recorded->reader = capture_reader_open(path, error);
    if (!recorded->reader)
        return false;
    read_next(recorded);
    recorded->first_ns = recorded->block.time_ns;
    return recorded->has_block || error_set(error, "%s: the recording is empty", path);
}

struct recorded *recorded_open(const char *path, double speed, const char *sub_folder,
                               struct error *error)
{
    struct recorded *recorded = calloc(1, sizeof *recorded);
    if (!recorded)
        return error_null(error_environment(error, "not enough memory for a recording"));
    recorded->speed = speed;
    recorded->sub_folder = sub_folder;
    if (open_all(recorded, path, error))
        return recorded;
    recorded_close(recorded);
    return NULL;
}

void recorded_close(struct recorded *recorded)
{
    if (!recorded)
        return;
    for (size_t i = 0; i < recorded->count; i++) {
        byte_link_close(recorded->lines[i].link);
        byte_ring_destroy(&recorded->lines[i].recorded);
        byte_ring_destroy(&recorded->lines[i].heard);
    }
    if (recorded->reader)
        capture_reader_close(recorded->reader);
    free(recorded);
}
