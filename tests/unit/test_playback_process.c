/* A run of a robot whose firmware is a process, and its repetition without the process. The journal
 * contains an answer only if it differs from the previous one. The process is a function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/process/process.h"
#include "sim/body/body_file.h"
#include "sim/parse/scene_parse.h"
#include "sim/record/playback.h"
#include "sim/record/recorder.h"
#include "sim/state/inputs.h"
#include "sim/state/state.h"
#include "sim/step/step.h"
#include "tests/support/allocations.h"
#include "tests/support/simulation.h"

static const char body[] =
    "firmware: {run: nothing}\n"
    "body: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
    "signals: [{name: level}]\n"
    "battery: {empty: 9, full: 12}\n"
    "channels: [{name: tcp, kind: tcp_server, port: 1000, frame_max: 16384}]\n";
static const char yaml[] = "world: {size: {x: 4, y: 4}}\n"
                           "robots: [{name: bot, type: ./answerer.yaml, pose: {x: 2, y: 2}}]\n";

/* ---- The process ---- */

/* An answer. SIZE 0: it has no frame. */
struct row {
    size_t size;
    double level;
    size_t lines; /* of the journal */
};

static const struct row rows[] = {
    {0, 1, 1},
    {0, 1, 0}, /* a repetition is not written */
    {0, 1, 0},
    {0, 2, 1}, /* as long as the last one, but different */
    {0, 1, 1},
    {JOURNAL_PAYLOAD_MAX - 1, 1, 1},
    {JOURNAL_PAYLOAD_MAX, 1, 1},
    {JOURNAL_PAYLOAD_MAX, 1, 0},
    {JOURNAL_PAYLOAD_MAX + 1, 1, 2},
    {JOURNAL_PAYLOAD_MAX + 1, 3, 2},
    {2 * JOURNAL_PAYLOAD_MAX, 1, 2},
    {2 * JOURNAL_PAYLOAD_MAX + 1, 1, 3},
    {PROCESS_ANSWER_MAX, 1, 4},
    {PROCESS_ANSWER_MAX, 2, 4},
    {0, 4, 1},
};
enum { ROWS = sizeof rows / sizeof rows[0], STEPS = 120 };

struct process {
    struct process_shape shape;
    size_t asked;
};

/* An answer of exactly SIZE bytes: a frame fills it up. */
static size_t write_row(const struct process_shape *shape, const struct row *row, uint8_t *out)
{
    static uint8_t filling[PROCESS_ANSWER_MAX];
    struct process_answer says = {.wait_us = 1000, .signal_count = 1};
    says.signals[0].value = row->level;
    size_t size = process_answer_write(shape, &says, out);
    if (row->size == 0)
        return size;
    enum { FRAME_HEAD = 8 };
    for (size_t i = 0; i < sizeof filling; i++)
        filling[i] = (uint8_t)(i * 31 + i / 251);
    says.frame_count = 1;
    says.frames[0] =
        (struct process_frame){.size = (uint32_t)(row->size - size - FRAME_HEAD), .bytes = filling};
    assert_int_equal(process_answer_write(shape, &says, out), row->size);
    return row->size;
}

/* The process has ended after its last row. */
static size_t answer(void *context, size_t robot, const struct robot_question *question,
                     uint8_t *out, size_t room)
{
    struct process *process = context;
    (void)robot, (void)question;
    assert_int_equal(room, PROCESS_ANSWER_MAX);
    size_t row = process->asked++;
    return row < ROWS ? write_row(&process->shape, &rows[row], out) : 0;
}

/* ---- A run and its repetition ---- */

static struct simulation open_with(const struct run_rows *with, struct process_shape *shape)
{
    struct error error = {0};
    struct simulation self = {0};
    struct custom_robot *own = custom_robot_parse(body, sizeof body - 1, "answerer.yaml", &error);
    if (!own)
        fail_msg("%s", error.text);
    snprintf(own->word, sizeof own->word, "./answerer.yaml");
    self.scene = scene_parse_own(yaml, sizeof yaml - 1, "s.yaml", own, &error);
    if (self.scene)
        self.sim = sim_create(self.scene, NULL, with, &error);
    if (self.sim)
        *shape = process_shape_of(self.sim->robots[0].type, self.sim->robots[0].body);
    else
        fail_msg("%s", error.text);
    return self;
}

static struct text {
    char bytes[1 << 18];
    size_t size;
} text;

static void append(void *context, const char *line, size_t size)
{
    (void)context;
    assert_true(size <= sizeof text.bytes - text.size);
    memcpy(text.bytes + text.size, line, size);
    text.size += size;
}

static struct sent {
    uint8_t bytes[1 << 17];
    size_t size;
} sent, sent_again;

static void keep(void *context, size_t channel, const uint8_t *bytes, size_t size)
{
    struct sent *to = context;
    assert_int_equal(channel, 0);
    assert_true(size <= sizeof to->bytes - to->size);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static struct journal_head make_head(void)
{
    static struct journal_channel channels[] = {{0, "bot.tcp"}};
    struct journal_head head = {.channels = channels, .channel_count = 1};
    assert_true(scene_source_add(&head.sources, "s.yaml", yaml, sizeof yaml - 1));
    return head;
}

static uint64_t hashes[STEPS]; /* of the state behind each step of the run */

static void record(void)
{
    struct process process = {0};
    const struct run_rows with = {.ask = answer, .ask_context = &process};
    struct simulation run = open_with(&with, &process.shape);
    struct journal_head head = make_head();
    text.size = sent.size = 0;
    struct recorder *recorder = recorder_open(&head, run.sim, append, NULL);
    assert_non_null(recorder);
    sim_host_present(run.sim, 0, true);
    for (int i = 0; i < STEPS; i++) {
        const uint8_t *bytes;
        size_t size;
        sim_step(run.sim);
        while (sim_output(run.sim, 0, &bytes, &size))
            keep(&sent, 0, bytes, size);
        recorder_step(recorder);
        hashes[i] = sim_hash(run.sim);
    }
    recorder_end(recorder);
    assert_int_equal(process.asked, ROWS + 1);
    recorder_close(recorder);
    simulation_close(&run);
    scene_source_free(&head.sources);
}

struct again {
    struct journal_reader reader;
    struct journal_head head;
    struct simulation run;
    struct process_shape shape;
    struct playback *playback;
};

static void open_again(struct again *again)
{
    struct error error = {0};
    again->run = open_with(NULL, &again->shape);
    if (!journal_open(&again->reader, text.bytes, text.size, &error) ||
        !journal_head_read(&again->head, &again->reader, &error))
        fail_msg("%s", error.text);
    again->playback = playback_open(&again->head, &again->reader, again->run.sim, &error);
    if (!again->playback)
        fail_msg("%s", error.text);
}

/* IS_SAME: the state after each step equals the state of the run. */
static struct playback_result replay(struct again *again, bool is_same)
{
    sent_again.size = 0;
    for (size_t i = 0; playback_feed(again->playback) == PLAYBACK_GOES_ON; i++) {
        sim_step(again->run.sim);
        playback_drain(again->playback, keep, &sent_again);
        if (is_same && sim_hash(again->run.sim) != hashes[i])
            fail_msg("step %zu differs", i);
    }
    return playback_result(again->playback);
}

static void close_again(struct again *again)
{
    playback_close(again->playback);
    journal_head_free(&again->head);
    simulation_close(&again->run);
}

static struct again again;

/* ---- Tests ---- */

static void answers_of_a_process_are_repeated_without_it(void **state)
{
    (void)state;
    record();
    open_again(&again);
    struct playback_result result = replay(&again, true);
    if (result.state != PLAYBACK_WHOLE)
        fail_msg("%s", result.reason);
    assert_string_equal(result.state_reason, "");
    assert_int_equal(sim_now_us(again.run.sim), STEPS * SIM_STEP_US);
    assert_true(simulation_get(again.run.sim, "bot.power") == 1); /* off: the process is gone */
    assert_true(sent.size > 1000);
    assert_int_equal(sent_again.size, sent.size);
    assert_memory_equal(sent_again.bytes, sent.bytes, sent.size);
    close_again(&again);
}

/* The answer is split over the lines of one step. */
static void each_new_answer_is_written_once_and_as_it_was(void **state)
{
    (void)state;
    static uint8_t expected[PROCESS_ANSWER_MAX], found[PROCESS_ANSWER_MAX];
    struct journal_entry entry;
    struct error error = {0};
    record();
    open_again(&again);
    enum journal_next next = JOURNAL_ENTRY;
    for (size_t i = 0; i <= ROWS; i++) {
        size_t size = 0, lines = i < ROWS ? rows[i].lines : 1, wanted = 0;
        for (size_t line = 0; line < lines; line++) {
            do
                next = journal_read(&again.reader, &entry, &error);
            while (next == JOURNAL_ENTRY && entry.kind != JOURNAL_ANSWER);
            assert_int_equal(next, JOURNAL_ENTRY);
            assert_int_equal(entry.step, 1 + i);
            assert_true(entry.size <= sizeof found - size);
            if (entry.size > 0)
                memcpy(found + size, entry.bytes, entry.size);
            size += entry.size;
        }
        if (lines > 0 && i < ROWS)
            wanted = write_row(&again.shape, &rows[i], expected);
        assert_int_equal(size, wanted);
        assert_memory_equal(found, expected, wanted);
    }
    while ((next = journal_read(&again.reader, &entry, &error)) == JOURNAL_ENTRY)
        assert_true(entry.kind != JOURNAL_ANSWER);
    assert_int_equal(next, JOURNAL_DONE);
    close_again(&again);
}

/* Lines that no recorder writes, with a correct checksum. */
static void write_journal(const struct journal_entry *entries, size_t count)
{
    static struct journal_writer writer;
    struct journal_head head = make_head();
    text.size = 0;
    journal_head_write(&head, &writer, append, NULL);
    scene_source_free(&head.sources);
    for (size_t i = 0; i < count; i++) {
        size_t size = journal_write(&writer, &entries[i]);
        append(NULL, writer.line, size);
    }
}

static void a_robot_without_an_answer_has_no_power(void **state)
{
    (void)state;
    write_journal(&(const struct journal_entry){.kind = JOURNAL_END, .step = 20}, 1);
    open_again(&again);
    assert_int_equal(replay(&again, false).state, PLAYBACK_WHOLE);
    assert_true(simulation_get(again.run.sim, "bot.firmware_answers") == 0);
    assert_true(simulation_get(again.run.sim, "bot.power") == 1); /* off */
    close_again(&again);
}

static void an_answer_is_as_long_as_a_question_allows_and_of_a_robot(void **state)
{
    (void)state;
    static uint8_t much[JOURNAL_PAYLOAD_MAX];
    static const struct journal_entry part = {
        .kind = JOURNAL_ANSWER, .step = 1, .bytes = much, .size = sizeof much};
    struct journal_entry entries[6];
    for (size_t i = 0; i < 5; i++)
        entries[i] = part;
    entries[4].size = 1;
    entries[5] = (struct journal_entry){.kind = JOURNAL_END, .step = 20};
    write_journal(entries, 6);
    open_again(&again);
    struct playback_result result = replay(&again, false);
    assert_int_equal(result.state, PLAYBACK_DEPARTED);
    assert_string_equal(result.reason, "at 0.001 s: the answer is too long");
    close_again(&again);

    entries[0].index = 1;
    write_journal(entries, 1);
    open_again(&again);
    result = replay(&again, false);
    assert_int_equal(result.state, PLAYBACK_DEPARTED);
    assert_string_equal(result.reason, "at 0.001 s: no robot number 1");
    close_again(&again);
}

/* ---- Without memory ---- */

static void without_memory_nothing_is_recorded(void **state)
{
    (void)state;
    struct journal_head head = make_head();
    struct recorder *recorder = NULL;
    size_t end = 0;
    while (!recorder) {
        struct process_shape shape;
        struct simulation run = open_with(NULL, &shape);
        end++;
        allocations = 0;
        allocations_end = end;
        recorder = recorder_open(&head, run.sim, append, NULL);
        allocations_end = 0;
        size_t used = allocations;
        assert_int_equal(recorder == NULL, used >= end);
        sim_step(run.sim);
        recorder_close(recorder);
        simulation_close(&run);
    }
    assert_true(end > 1);
    scene_source_free(&head.sources);
}

static void without_memory_nothing_is_repeated(void **state)
{
    (void)state;
    record();
    struct playback *playback = NULL;
    size_t end = 0;
    while (!playback) {
        struct error error = {0};
        static struct journal_reader reader;
        struct journal_head head;
        struct process_shape shape;
        struct simulation run = open_with(NULL, &shape);
        assert_true(journal_open(&reader, text.bytes, text.size, &error));
        assert_true(journal_head_read(&head, &reader, &error));
        end++;
        allocations = 0;
        allocations_end = end;
        playback = playback_open(&head, &reader, run.sim, &error);
        allocations_end = 0;
        size_t used = allocations;
        assert_int_equal(playback == NULL, used >= end);
        assert_string_equal(error.text, playback ? "" : "not enough memory for a replay");
        playback_close(playback);
        journal_head_free(&head);
        simulation_close(&run);
    }
    assert_true(end > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_a_process_are_repeated_without_it),
        cmocka_unit_test(each_new_answer_is_written_once_and_as_it_was),
        cmocka_unit_test(a_robot_without_an_answer_has_no_power),
        cmocka_unit_test(an_answer_is_as_long_as_a_question_allows_and_of_a_robot),
        cmocka_unit_test(without_memory_nothing_is_recorded),
        cmocka_unit_test(without_memory_nothing_is_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
