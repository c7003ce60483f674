#include "app/test/wire_log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/drivers/long_log.h"
#include "base/array.h"
#include "base/text.h"
#include "base/writer.h"
#include "protocols/describe.h"
#include "sim/state/watchers.h"

enum {
    TEXT_MAX = 2048,         /* chosen: size of a decoded frame; a picture is truncated */
    MEASURE_BYTES = 1 << 20, /* chosen: bytes written between two checks of the file's size */
    NAME_MAX_SIZE = 96       /* name of a channel, with NUL */
};

struct wire_channel {
    char name[NAME_MAX_SIZE];
    struct frame_splitter splitter;
    struct frame_splitter_user user;
    struct wire_account account;
    struct wire_log *log;
    uint64_t noise_bytes; /* noise of the robot so far */
};

struct wire_log {
    struct sim_watcher watcher; /* first member: the hooks get a pointer to it */
    struct sim *sim;
    FILE *file;
    char path[PATH_MAX];
    int reason; /* errno of the first failed write, 0: no failure */
    uint64_t left_out;
    uint64_t written, measured; /* bytes so far, and when the file's size was last checked */
    struct wire_channel *channels;
    size_t count;
};

/* ---- Lines ---- */

static void write_line(struct wire_log *log, const char *channel, int64_t at_us, const char *way,
                       const char *text)
{
    if (log->reason != 0)
        return;
    char line[NAME_MAX_SIZE + TEXT_MAX + 32];
    struct writer to = writer_begin(line, sizeof line);
    writer_fixed(&to, (uint64_t)(at_us + 500) / 1000, 3, 11);
    const char *parts[] = {" s  ", channel, " ", way, " ", text, "\n"};
    for (size_t i = 0; i < COUNT(parts); i++)
        writer_text(&to, parts[i]);
    size_t size = writer_end(&to);
    if (fwrite(line, 1, size, log->file) != size)
        log->reason = errno ? errno : EIO;
    else
        log->written += size;
}

static void name_causes(unsigned causes, char *text, size_t size)
{
    for (unsigned i = 0; i < REFUSALS; i++)
        if (causes & (1u << i))
            text_add(text, size, ", ", *text ? "%s" : "refused (%s", refusal_signal(i));
    text_add(text, size, "", "): ");
}

static void take_piece(void *context, const struct frame_piece *piece)
{
    struct wire_channel *channel = context;
    bool is_sent = piece->direction == WIRE_TO_HOST;
    char text[TEXT_MAX] = "";
    if (!piece->is_good && piece->causes)
        name_causes(piece->causes, text, sizeof text);
    else if (!piece->is_good)
        snprintf(text, sizeof text, is_sent ? "lost, channel too slow: " : "no frame: ");
    size_t used = strlen(text);
    describe_frame(channel->user.type, channel->user.channel, piece->direction, piece->promised,
                   piece->bytes, piece->size, text + used, sizeof text - used);
    write_line(channel->log, channel->name, piece->at_us, is_sent ? "->" : "<-", text);
    if (!is_sent)
        wire_account_add(&channel->account, piece);
}

static void note_received(struct sim_watcher *watcher, size_t index, const uint8_t *bytes,
                          size_t size)
{
    struct wire_log *log = (struct wire_log *)watcher;
    struct wire_channel *channel = &log->channels[index];
    const struct robot_stats *stats = sim_channel_stats(log->sim, index);
    const char *deaf = sim_channel_deaf(log->sim, index);
    if (deaf) {
        channel->account.deaf = deaf;
        channel->account.deaf_bytes += stats->noise_bytes - channel->noise_bytes;
    }
    channel->noise_bytes = stats->noise_bytes;
    frame_splitter_push(&channel->splitter, &channel->user, bytes, size, stats,
                        sim_now_us(log->sim));
}

static void note_sent(struct sim_watcher *watcher, size_t index, const uint8_t *bytes, size_t size,
                      bool is_queued)
{
    struct wire_log *log = (struct wire_log *)watcher;
    struct wire_channel *channel = &log->channels[index];
    frame_splitter_sent(&channel->splitter, &channel->user, bytes, size, is_queued,
                        sim_now_us(log->sim));
}

/* ---- Opening and closing ---- */

static void set_channel(struct wire_log *log, size_t index)
{
    struct wire_channel *channel = &log->channels[index];
    unsigned of_robot;
    size_t robot = sim_channel_robot(log->sim, index, &of_robot);
    const struct robot_type *type = sim_robot_type(log->sim, robot);
    snprintf(channel->name, sizeof channel->name, "%s.%s", sim_robot_name(log->sim, robot),
             type->channels[of_robot].name);
    channel->log = log;
    channel->user = (struct frame_splitter_user){
        .type = type, .channel = of_robot, .take = take_piece, .context = channel};
    channel->account = (struct wire_account){.type = type, .channel = of_robot};
}

static FILE *open_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "a") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

struct wire_log *wire_log_open(const char *path, struct sim *sim, struct error *error)
{
    size_t count = sim_channel_count(sim);
    struct wire_log *log = calloc(1, sizeof *log);
    if (log)
        log->channels = calloc(count + 1, sizeof *log->channels);
    if (log && log->channels)
        log->file = open_file(path);
    if (!log || !log->file) {
        error_environment(error, "%s: %s", path, strerror(errno));
        if (log)
            free(log->channels);
        free(log);
        return NULL;
    }
    snprintf(log->path, sizeof log->path, "%s", path);
    log->sim = sim;
    log->count = count;
    for (size_t i = 0; i < count; i++)
        set_channel(log, i);
    fprintf(log->file, "# -> to the driver, when the robot sends it; <- to the robot, when its "
                       "last byte has arrived; simulated time\n");
    log->watcher = (struct sim_watcher){.sent = note_sent, .received = note_received};
    sim_watch(sim, &log->watcher);
    return log;
}

void wire_log_poll(struct wire_log *log)
{
    if (log->reason != 0 || log->written - log->measured < MEASURE_BYTES)
        return;
    log->measured = log->written;
    fflush(log->file);
    long_log_cut(log->path, &log->left_out);
}

const struct wire_account *wire_log_account(const struct wire_log *log, size_t channel)
{
    return &log->channels[channel].account;
}

void wire_log_end(struct wire_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        frame_splitter_end(&log->channels[i].splitter, &log->channels[i].user);
}

bool wire_log_close(struct wire_log *log, struct error *error)
{
    if (!log)
        return true;
    sim_unwatch(log->sim, &log->watcher);
    if (fclose(log->file) != 0 && log->reason == 0)
        log->reason = errno;
    bool is_whole = log->reason == 0;
    if (!is_whole)
        error_set(error, "%s: not all data could be written: %s", log->path, strerror(log->reason));
    free(log->channels);
    free(log);
    return is_whole;
}
