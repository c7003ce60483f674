/* Repeats a run from its journal. */
#include "sim/record/playback.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/modem_lines.h"
#include "protocols/process/process_message.h"
#include "sim/commands/command.h"
#include "sim/state/state.h"
#include "sim/step/step.h"

/* A channel, and the number of its bytes that match the journal. */
struct compared {
    size_t channel;
    const char *name;
    uint64_t bytes;
    int64_t step;
};

/* The answer of a robot's process to the next question, and to later ones until the journal has
 * another answer. */
struct kept_answer {
    int64_t step; /* step of the first use */
    size_t size;
    uint8_t bytes[PROCESS_ANSWER_MAX];
};

struct playback {
    struct sim *sim;
    struct journal_reader *reader;
    struct compared *channels;
    size_t channel_count;
    struct kept_answer **answers; /* by robot; NULL: no answer yet */
    size_t robot_count;
    struct journal_entry entry; /* the next entry */
    bool has_entry;
    int64_t step;       /* step of the last entry */
    int64_t state_step; /* up to this step the state matches the journal */
    int64_t compared_step;
    uint64_t input_count;
    enum playback_state state;
    struct error reason, state_reason;
};

static double seconds(int64_t step)
{
    return (double)step * SIM_STEP_US * 1e-6;
}

static bool has_channel(const struct sim *sim, const struct journal_channel *wanted)
{
    if (wanted->channel >= sim_channel_count(sim))
        return false;
    unsigned of_robot;
    char name[JOURNAL_NAME_MAX];
    size_t robot = sim_channel_robot(sim, wanted->channel, &of_robot);
    snprintf(name, sizeof name, "%s.%s", sim_robot_name(sim, robot),
             sim_robot_type(sim, robot)->channels[of_robot].name);
    return strcmp(name, wanted->name) == 0;
}

/* Replaces the process: returns an answer of the journal. */
static size_t answer(void *context, size_t robot, const struct robot_question *question,
                     uint8_t *answer, size_t room)
{
    (void)question;
    const struct playback *playback = context;
    const struct kept_answer *kept = playback->answers[robot];
    if (!kept || kept->size > room)
        return 0;
    memcpy(answer, kept->bytes, kept->size);
    return kept->size;
}

struct playback *playback_open(const struct journal_head *head, struct journal_reader *reader,
                               struct sim *sim, struct error *error)
{
    for (size_t i = 0; i < head->channel_count; i++) {
        if (has_channel(sim, &head->channels[i]))
            continue;
        return error_null(error_set(error, "its channel %zu, %s, differs from that of the scene",
                                    head->channels[i].channel, head->channels[i].name));
    }
    struct playback *playback = calloc(1, sizeof *playback);
    if (playback) {
        playback->channels = calloc(head->channel_count + 1, sizeof *playback->channels);
        playback->answers = calloc(sim->robot_count + 1, sizeof(struct kept_answer *));
    }
    if (!playback || !playback->channels || !playback->answers) {
        playback_close(playback);
        return error_null(error_set(error, "not enough memory for a replay"));
    }
    playback->sim = sim;
    playback->robot_count = sim->robot_count;
    sim->run.ask = answer;
    sim->run.ask_context = playback;
    playback->reader = reader;
    playback->channel_count = head->channel_count;
    for (size_t i = 0; i < head->channel_count; i++)
        playback->channels[i] =
            (struct compared){.channel = head->channels[i].channel, .name = head->channels[i].name};
    sim_keep_to_inputs(sim);
    return playback;
}

void playback_close(struct playback *playback)
{
    if (!playback)
        return;
    for (size_t i = 0; i < playback->robot_count; i++)
        free(playback->answers[i]);
    free(playback->answers);
    free(playback->channels);
    free(playback);
}

void playback_drain(struct playback *playback, playback_sink *sink, void *context)
{
    for (size_t i = 0; i < playback->channel_count; i++) {
        const uint8_t *bytes;
        size_t size;
        while (sim_output(playback->sim, playback->channels[i].channel, &bytes, &size))
            if (sink)
                sink(context, playback->channels[i].channel, bytes, size);
    }
}

/* ---- Inputs ---- */

static struct compared *find(struct playback *playback, uint64_t channel)
{
    for (size_t i = 0; i < playback->channel_count; i++)
        if (playback->channels[i].channel == channel)
            return &playback->channels[i];
    return NULL;
}

/* NAME: of a channel, or empty. The reason is already set. */
static void depart(struct playback *playback, const char *name)
{
    error_prefix(&playback->reason, "%s%sat %.3f s: ", name, *name ? " " : "",
                 seconds(playback->step));
    playback->state = PLAYBACK_DEPARTED;
}

static bool put_command(struct sim *sim, const struct journal_entry *entry, struct error *error)
{
    char text[COMMAND_TEXT_MAX];
    if (entry->size >= sizeof text || memchr(entry->bytes, '\0', entry->size))
        return error_set(error, "a command of %zu bytes", entry->size);
    memcpy(text, entry->bytes, entry->size);
    text[entry->size] = '\0';
    return command_do(sim, text, COMMAND_INPUT, error);
}

static bool put_saved(struct sim *sim, uint64_t robot, struct error *error)
{
    if (robot >= sim_robot_count(sim))
        return error_set(error, "no robot number %" PRIu64, robot);
    sim_storage_saved(sim, (size_t)robot);
    return true;
}

static bool put_to_channel(struct sim *sim, size_t channel, const struct journal_entry *entry,
                           struct error *error)
{
    uint32_t number = (uint32_t)entry->number;
    size_t room = sim_host_room(sim, channel);
    if (entry->kind == JOURNAL_HOST)
        sim_host_present(sim, channel, number != 0);
    else if (entry->kind == JOURNAL_LINES)
        sim_host_lines(sim, channel, number & (MODEM_DTR | MODEM_RTS));
    else if (entry->kind == JOURNAL_BAUD)
        sim_host_baud(sim, channel, number);
    else if (entry->kind == JOURNAL_MODE)
        sim_host_mode(sim, channel, number);
    else if (entry->kind == JOURNAL_READS)
        sim_host_reads(sim, channel, number != 0);
    else if (entry->size > room)
        return error_set(error, "%zu bytes from the driver, but there is room for only %zu",
                         entry->size, room);
    else
        sim_host_bytes(sim, channel, entry->bytes, entry->size);
    return true;
}

/* An answer in several parts has several lines with the same step. */
static bool keep_answer(struct playback *playback, const struct journal_entry *entry,
                        struct error *error)
{
    if (entry->index >= playback->robot_count)
        return error_set(error, "no robot number %" PRIu64, entry->index);
    struct kept_answer **kept = &playback->answers[entry->index];
    if (!*kept)
        *kept = calloc(1, sizeof **kept);
    if (*kept && (*kept)->step != entry->step)
        (*kept)->size = 0;
    if (!*kept || entry->size > sizeof(*kept)->bytes - (*kept)->size)
        return error_set(error, *kept ? "the answer is too long" : "memory is short");
    (*kept)->step = entry->step;
    memcpy((*kept)->bytes + (*kept)->size, entry->bytes, entry->size);
    (*kept)->size += entry->size;
    return true;
}

static void put(struct playback *playback, const struct journal_entry *entry)
{
    struct error *reason = &playback->reason;
    const char *name = "";
    bool is_put;
    if (entry->kind == JOURNAL_COMMAND) {
        is_put = put_command(playback->sim, entry, reason);
    } else if (entry->kind == JOURNAL_SAVED) {
        is_put = put_saved(playback->sim, entry->index, reason);
    } else if (entry->kind == JOURNAL_ANSWER) {
        is_put = keep_answer(playback, entry, reason);
    } else {
        const struct compared *channel = find(playback, entry->index);
        name = channel ? channel->name : "";
        is_put = channel ? put_to_channel(playback->sim, channel->channel, entry, reason)
                         : error_set(reason, "channel %" PRIu64 " has no link", entry->index);
    }
    if (is_put)
        playback->input_count++;
    else
        depart(playback, name);
}

/* ---- Comparisons ---- */

static void compare_out(struct playback *playback, const struct journal_entry *entry)
{
    struct compared *channel = find(playback, entry->index);
    if (!channel) {
        error_set(&playback->reason, "channel %" PRIu64 " has no link", entry->index);
        depart(playback, "");
        return;
    }
    const struct line_stats *line = sim_channel_line(playback->sim, channel->channel);
    if (line->to_host_bytes == entry->number && line->hash == entry->hash) {
        channel->bytes = entry->number;
        channel->step = playback->compared_step = entry->step;
        return;
    }
    char found[128];
    if (line->to_host_bytes == entry->number)
        snprintf(found, sizeof found,
                 "%" PRIu64 " bytes so far in both, but other bytes, or at other times",
                 entry->number);
    else
        snprintf(found, sizeof found, "%" PRIu64 " bytes so far in the journal, %" PRIu64 " here",
                 entry->number, line->to_host_bytes);
    error_set(&playback->reason,
              "%s diverges between %.3f s and %.3f s, after %" PRIu64
              " identical bytes to the driver: %s",
              channel->name, seconds(channel->step), seconds(entry->step), channel->bytes, found);
    playback->state = PLAYBACK_DEPARTED;
}

/* Reported once: bodies and signals may differ long before a byte does. */
static void compare_state(struct playback *playback, const struct journal_entry *entry)
{
    if (playback->state_reason.text[0])
        return;
    uint64_t found = sim_hash(playback->sim);
    if (found == entry->hash)
        playback->state_step = playback->compared_step = entry->step;
    else
        error_set(&playback->state_reason,
                  "bodies or signals diverge between %.3f s and %.3f s: state %016" PRIx64
                  " in the journal, %016" PRIx64 " here",
                  seconds(playback->state_step), seconds(entry->step), entry->hash, found);
}

/* ---- Step by step ---- */

static void obey(struct playback *playback, const struct journal_entry *entry)
{
    switch (entry->kind) {
    case JOURNAL_HOST:
    case JOURNAL_LINES:
    case JOURNAL_BAUD:
    case JOURNAL_MODE:
    case JOURNAL_BYTES:
    case JOURNAL_COMMAND:
    case JOURNAL_SAVED:
    case JOURNAL_READS:
    case JOURNAL_ANSWER:
        put(playback, entry);
        break;
    case JOURNAL_DELAY:
        break;
    case JOURNAL_OUT:
        compare_out(playback, entry);
        break;
    case JOURNAL_STATE:
        compare_state(playback, entry);
        break;
    case JOURNAL_END:
        compare_state(playback, entry);
        playback->state = PLAYBACK_WHOLE;
        if (playback->reader->at == playback->reader->size)
            break;
        error_set(&playback->reason, "line %" PRIu64 ": lines follow the end of the run",
                  playback->reader->line);
        playback->state = PLAYBACK_DAMAGED;
        break;
    default:
        error_set(&playback->reason,
                  "line %" PRIu64 ": this line may only occur in the head of a journal",
                  playback->reader->line);
        playback->state = PLAYBACK_DAMAGED;
    }
}

/* Reads the next entry unless it has been read already. False: there is none; the state tells
 * why. */
static bool compute_ahead(struct playback *playback)
{
    if (playback->has_entry)
        return true;
    switch (journal_read(playback->reader, &playback->entry, &playback->reason)) {
    case JOURNAL_ENTRY:
        playback->has_entry = true;
        int64_t leap = playback->entry.step - playback->step;
        if (leap >= 0 && leap <= PLAYBACK_LEAP_STEPS)
            return true;
        error_set(&playback->reason,
                  "line %" PRIu64 ": time %s from %.3f s to %.3f s; allowed: forward by %.0f s",
                  playback->reader->line, leap < 0 ? "goes back" : "leaps", seconds(playback->step),
                  seconds(playback->entry.step), seconds(PLAYBACK_LEAP_STEPS));
        playback->state = PLAYBACK_DAMAGED;
        return false;
    case JOURNAL_DONE:
    case JOURNAL_CUT:
        playback->state = PLAYBACK_CUT;
        return false;
    case JOURNAL_DAMAGED:
        break;
    }
    playback->state = PLAYBACK_DAMAGED;
    return false;
}

enum playback_state playback_feed(struct playback *playback)
{
    int64_t now = sim_now_us(playback->sim) / SIM_STEP_US;
    while (playback->state == PLAYBACK_GOES_ON && compute_ahead(playback)) {
        // A process answers within the step that asks, so its answer has the number of the next
        // step.
        if (playback->entry.step > now + (playback->entry.kind == JOURNAL_ANSWER))
            break;
        playback->has_entry = false;
        playback->step = playback->entry.step;
        obey(playback, &playback->entry);
    }
    return playback->state;
}

struct playback_result playback_result(const struct playback *playback)
{
    struct playback_result result = {
        .state = playback->state,
        .reason = playback->reason.text,
        .state_reason = playback->state_reason.text,
        .compared_us = playback->compared_step * SIM_STEP_US,
        .input_count = playback->input_count,
    };
    for (size_t i = 0; i < playback->channel_count; i++)
        result.bytes += playback->channels[i].bytes;
    return result;
}
