/* Writes the journal of a simulation. */
#include "sim/record/recorder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/process/process_message.h"
#include "sim/state/inputs.h"
#include "sim/state/robots.h"
#include "sim/step/step.h"

/* A channel whose bytes are recorded. */
struct followed {
    size_t channel;
    uint64_t bytes; /* as last written */
};

/* The last answer of a robot's process. */
struct answered {
    bool is_any;
    size_t size;
    uint8_t bytes[PROCESS_ANSWER_MAX];
};

struct recorder {
    struct sim *sim;
    journal_sink *sink;
    void *context;
    struct followed *channels;
    size_t channel_count;
    struct answered **answered; /* by robot; NULL: it was not asked yet */
    size_t robot_count;
    struct journal_writer writer;
};

static void put(struct recorder *recorder, struct journal_entry entry)
{
    entry.step = sim_now_us(recorder->sim) / SIM_STEP_US;
    size_t size = journal_write(&recorder->writer, &entry);
    recorder->sink(recorder->context, recorder->writer.line, size);
}

/* Whether a process gives the same answer as before; stores the answer. Most answers repeat, and a
 * journal of a thousand questions per second would be long. If memory is short, each answer is
 * written. */
static bool is_repeated(struct recorder *recorder, const struct sim_input *input)
{
    struct answered **last = &recorder->answered[input->channel];
    if (!*last)
        *last = calloc(1, sizeof **last);
    if (!*last)
        return false;
    if ((*last)->is_any && (*last)->size == input->size &&
        memcmp((*last)->bytes, input->bytes, input->size) == 0)
        return true;
    (*last)->is_any = true;
    (*last)->size = input->size;
    memcpy((*last)->bytes, input->bytes, input->size);
    return false;
}

static void note(void *context, const struct sim_input *input)
{
    static const enum journal_kind kinds[] = {
        [SIM_INPUT_HOST] = JOURNAL_HOST,     [SIM_INPUT_LINES] = JOURNAL_LINES,
        [SIM_INPUT_BAUD] = JOURNAL_BAUD,     [SIM_INPUT_MODE] = JOURNAL_MODE,
        [SIM_INPUT_BYTES] = JOURNAL_BYTES,   [SIM_INPUT_COMMAND] = JOURNAL_COMMAND,
        [SIM_INPUT_SAVED] = JOURNAL_SAVED,   [SIM_INPUT_READS] = JOURNAL_READS,
        [SIM_INPUT_ANSWER] = JOURNAL_ANSWER, [SIM_INPUT_DELAY] = JOURNAL_DELAY,
    };
    if (input->kind == SIM_INPUT_ANSWER && is_repeated(context, input))
        return;
    struct journal_entry entry = {.kind = kinds[input->kind],
                                  .index = input->channel,
                                  .number = input->value,
                                  .bytes = input->bytes,
                                  .size = input->size};
    // In several lines if it is too long for one.
    for (; entry.size > JOURNAL_PAYLOAD_MAX; entry.size -= JOURNAL_PAYLOAD_MAX) {
        struct journal_entry part = entry;
        part.size = JOURNAL_PAYLOAD_MAX;
        put(context, part);
        entry.bytes += JOURNAL_PAYLOAD_MAX;
    }
    put(context, entry);
}

struct recorder *recorder_open(const struct journal_head *head, struct sim *sim, journal_sink *sink,
                               void *context)
{
    assert(sim_now_us(sim) == 0);
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return NULL;
    recorder->channels = calloc(head->channel_count + 1, sizeof *recorder->channels);
    recorder->robot_count = sim_robot_count(sim);
    recorder->answered = calloc(recorder->robot_count + 1, sizeof(struct answered *));
    if (!recorder->channels || !recorder->answered) {
        free(recorder->channels);
        free(recorder->answered);
        free(recorder);
        return NULL;
    }
    recorder->sim = sim;
    recorder->sink = sink;
    recorder->context = context;
    recorder->channel_count = head->channel_count;
    for (size_t i = 0; i < head->channel_count; i++)
        recorder->channels[i].channel = head->channels[i].channel;
    journal_head_write(head, &recorder->writer, sink, context);
    sim_listen(sim, note, recorder);
    return recorder;
}

static void put_out(struct recorder *recorder, struct followed *followed)
{
    const struct line_stats *line = sim_channel_line(recorder->sim, followed->channel);
    followed->bytes = line->to_host_bytes;
    put(recorder, (struct journal_entry){.kind = JOURNAL_OUT,
                                         .index = followed->channel,
                                         .number = line->to_host_bytes,
                                         .hash = line->hash});
}

void recorder_step(struct recorder *recorder)
{
    int64_t step = sim_now_us(recorder->sim) / SIM_STEP_US;
    if (step % RECORDER_OUT_STEPS != 0)
        return;
    for (size_t i = 0; i < recorder->channel_count; i++) {
        struct followed *followed = &recorder->channels[i];
        if (sim_channel_line(recorder->sim, followed->channel)->to_host_bytes != followed->bytes)
            put_out(recorder, followed);
    }
    if (step % RECORDER_STATE_STEPS == 0)
        put(recorder,
            (struct journal_entry){.kind = JOURNAL_STATE, .hash = sim_hash(recorder->sim)});
}

void recorder_end(struct recorder *recorder)
{
    for (size_t i = 0; i < recorder->channel_count; i++)
        put_out(recorder, &recorder->channels[i]);
    put(recorder, (struct journal_entry){.kind = JOURNAL_END, .hash = sim_hash(recorder->sim)});
}

void recorder_close(struct recorder *recorder)
{
    if (!recorder)
        return;
    sim_listen(recorder->sim, NULL, NULL);
    for (size_t i = 0; i < recorder->robot_count; i++)
        free(recorder->answered[i]);
    free(recorder->answered);
    free(recorder->channels);
    free(recorder);
}
