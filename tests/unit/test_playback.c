/* A run and its repetition from the journal, in memory: the same bytes, or the place where they
 * diverge. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/links/live.h"
#include "sim/parse/scene_parse.h"
#include "sim/record/playback.h"
#include "sim/record/recorder.h"
#include "sim/state/inputs.h"
#include "tests/support/simulation.h"
#include "tests/unit/playback_inputs.h"

static const char two_robots[] =
    "seed: 5\n"
    "world: {size: {x: 6, y: 4}, discs: [{pose: {x: 4, y: 2}, radius: 0.1, mass: 0.5}]}\n"
    "robots:\n"
    "  - {name: kobuki, type: kobuki, pose: {x: 1, y: 1}, "
    "links: [{pty: /dev/shm/a, baud_check: strict, chunks: ftdi}]}\n"
    "  - {name: board, type: diff_board, pose: {x: 3, y: 2}, links: [{pty: /dev/shm/b}]}\n"
    "  - {name: alone, type: kobuki, pose: {x: 5, y: 3}, links: []}\n"
    "timeline:\n"
    "  - {at: 0.7, do: 'kobuki.press bumper=right for=0.3'}\n"
    "  - {at: 0.9, do: 'board.reset'}\n"
    "  - {when: 'world.time_s > 1.5', do: 'kobuki.lift for=0.2'}\n"
    "  - {at: 2, do: 'world.pause'}\n";

enum { CHANNELS = PLAYBACK_INPUT_CHANNELS, SENT_MAX = 1 << 18, TEXT_MAX = 1 << 20 };

/* What robots sent. */
struct sent {
    uint8_t bytes[CHANNELS][SENT_MAX];
    size_t sizes[CHANNELS];
};

struct text {
    char bytes[TEXT_MAX];
    size_t size;
};

static void append(void *context, const char *line, size_t size)
{
    struct text *text = context;
    assert_true(size <= sizeof text->bytes - text->size);
    memcpy(text->bytes + text->size, line, size);
    text->size += size;
}

static void keep(void *context, size_t channel, const uint8_t *bytes, size_t size)
{
    struct sent *sent = context;
    assert_in_range(channel, 0, CHANNELS - 1);
    assert_true(size <= SENT_MAX - sent->sizes[channel]);
    memcpy(sent->bytes[channel] + sent->sizes[channel], bytes, size);
    sent->sizes[channel] += size;
}

static void drain(struct sim *sim, struct sent *sent)
{
    const uint8_t *bytes;
    size_t size;
    for (size_t i = 0; i < CHANNELS; i++)
        while (sim_output(sim, i, &bytes, &size))
            keep(sent, i, bytes, size);
}

static struct journal_head head_of(const char *yaml, struct journal_storage *storage)
{
    static struct journal_channel channels[CHANNELS] = {{0, "kobuki.uart"}, {1, "board.uart"}};
    struct journal_head head = {.seed = 5, .channels = channels, .channel_count = CHANNELS};
    head.storages = storage;
    head.storage_count = 1;
    assert_true(scene_source_add(&head.sources, "two.yaml", yaml, strlen(yaml)));
    return head;
}

/* Puts inputs into the run, twice a step. */
static void (*input)(struct sim *sim, uint64_t seed, uint64_t *counter) = playback_input_anything;

/* Returns the state at the end. */
static uint64_t record(struct text *text, struct sent *sent, uint64_t seed, int steps, bool ends)
{
    struct error error = {0};
    struct journal_storage storage = {.robot = 1, .memory.size = ROBOT_STORAGE_MAX};
    memset(storage.memory.bytes, 0xff, sizeof storage.memory.bytes);
    struct journal_head head = head_of(two_robots, &storage);
    struct scene *scene = scene_parse(two_robots, strlen(two_robots), "two.yaml", &error);
    if (!scene)
        fail_msg("%s", error.text);
    const struct robot_storage memories[3] = {[1] = storage.memory};
    struct live live;
    assert_true(live_open(&live, scene, &error));
    const struct run_rows rows = live_rows(&live);
    struct sim *sim = sim_create(scene, memories, &rows, &error);
    assert_non_null(sim);
    text->size = 0;
    memset(sent->sizes, 0, sizeof sent->sizes);
    struct recorder *recorder = recorder_open(&head, sim, append, text);
    assert_non_null(recorder);
    uint64_t counter = 0;
    for (int i = 0; i < steps; i++) {
        input(sim, seed, &counter);
        sim_step(sim);
        drain(sim, sent);
        input(sim, seed, &counter);
        recorder_step(recorder);
    }
    if (ends)
        recorder_end(recorder);
    uint64_t hash = sim_hash(sim);
    recorder_close(recorder);
    sim_destroy(sim);
    live_close(&live);
    scene_destroy(scene);
    scene_source_free(&head.sources);
    return hash;
}

/* ---- Its repetition ---- */

struct again {
    struct journal_reader reader;
    struct journal_head head;
    struct scene *scene;
    struct sim *sim;
    struct live live;
    struct playback *playback;
};

static void open_again(struct again *again, const struct text *text, const char *yaml)
{
    struct error error = {0};
    struct robot_storage memories[3] = {0};
    if (!journal_open(&again->reader, text->bytes, text->size, &error) ||
        !journal_head_read(&again->head, &again->reader, &error))
        fail_msg("%s", error.text);
    memories[1] = again->head.storages[0].memory;
    again->scene = scene_parse(yaml, strlen(yaml), "two.yaml", &error);
    if (!again->scene)
        fail_msg("%s", error.text);
    assert_true(live_open(&again->live, again->scene, &error));
    const struct run_rows rows = live_rows(&again->live);
    again->sim = sim_create(again->scene, memories, &rows, &error);
    assert_non_null(again->sim);
    again->playback = playback_open(&again->head, &again->reader, again->sim, &error);
    if (!again->playback)
        fail_msg("%s", error.text);
}

static void close_again(struct again *again)
{
    playback_close(again->playback);
    sim_destroy(again->sim);
    live_close(&again->live);
    scene_destroy(again->scene);
    journal_head_free(&again->head);
}

static enum playback_state replay_run(struct again *again, struct sent *sent)
{
    enum playback_state state;
    if (sent)
        memset(sent->sizes, 0, sizeof sent->sizes);
    while ((state = playback_feed(again->playback)) == PLAYBACK_GOES_ON) {
        sim_step(again->sim);
        playback_drain(again->playback, sent ? keep : NULL, sent);
    }
    return state;
}

static struct text text;
static struct sent sent, sent_again;
static struct again again;

static void a_run_with_any_inputs_is_repeated_to_the_byte(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t hash = record(&text, &sent, seed, 3017, true);
        open_again(&again, &text, two_robots);
        if (replay_run(&again, &sent_again) != PLAYBACK_WHOLE)
            fail_msg("seed %d: %s", (int)seed, playback_result(again.playback).reason);
        struct playback_result result = playback_result(again.playback);
        assert_string_equal(result.state_reason, "");
        assert_true(result.input_count > 300);
        assert_int_equal(sim_now_us(again.sim), 3017 * SIM_STEP_US);
        assert_true(result.compared_us == 3017 * SIM_STEP_US);
        assert_true(sim_hash(again.sim) == hash);
        assert_true(result.bytes == sent.sizes[0] + sent.sizes[1] && result.bytes > 1000);
        for (size_t i = 0; i < CHANNELS; i++) {
            assert_int_equal(sent_again.sizes[i], sent.sizes[i]);
            assert_memory_equal(sent_again.bytes[i], sent.bytes[i], sent.sizes[i]);
        }
        close_again(&again);
    }
}

/* A driver writes parameters into the board's memory, which is then saved. */
static void write_memory(struct sim *sim, uint64_t seed, uint64_t *counter)
{
    enum { BLOCK = 64 };
    uint8_t frame[4 + BLOCK] = {0x5a, 1, BLOCK}; /* head, set parameters, length */
    uint64_t count = (*counter)++;
    (void)seed;
    if (count == 0) {
        sim_host_present(sim, 1, true);
    } else if (count == 20) {
        for (size_t i = 3; i < 3 + BLOCK; i++)
            frame[i] = (uint8_t)(0x60 + i);
        for (size_t i = 0; i < 3 + BLOCK; i++)
            frame[3 + BLOCK] = (uint8_t)(frame[3 + BLOCK] + frame[i]);
        sim_host_bytes(sim, 1, frame, sizeof frame);
    } else if (count == 1000) {
        assert_true(sim_robot_storage(sim, 1)->is_dirty);
        sim_storage_saved(sim, 1);
    }
}

static void a_memory_that_was_saved_is_saved_in_the_repetition(void **state)
{
    (void)state;
    input = write_memory;
    record(&text, &sent, 1, 1100, true);
    input = playback_input_anything;
    open_again(&again, &text, two_robots);
    assert_int_equal(replay_run(&again, &sent_again), PLAYBACK_WHOLE);
    assert_string_equal(playback_result(again.playback).state_reason, "");
    assert_int_equal(sim_robot_storage(again.sim, 1)->bytes[0], 0x63);
    assert_false(sim_robot_storage(again.sim, 1)->is_dirty);
    close_again(&again);
}

static void commands_of_the_scene_and_for_time_are_not_in_a_journal(void **state)
{
    (void)state;
    uint64_t lines = 0;
    struct journal_entry entry;
    struct error error;
    record(&text, &sent, 1, 3017, true);
    open_again(&again, &text, two_robots);
    while (journal_read(&again.reader, &entry, &error) == JOURNAL_ENTRY) {
        if (entry.kind != JOURNAL_COMMAND)
            continue;
        lines++;
        assert_true(entry.size > 6 && memcmp(entry.bytes, "world.", 6) != 0);
        // The entries of the scene, and no refused entry.
        assert_null(memmem(entry.bytes, entry.size, "right", 5));
        assert_null(memmem(entry.bytes, entry.size, "jump", 4));
    }
    assert_true(lines > 10);
    close_again(&again);
}

static void a_run_that_was_cut_off_is_repeated_up_to_there(void **state)
{
    (void)state;
    record(&text, &sent, 1, 3017, false);
    size_t whole = text.size;
    for (size_t cut = 0; cut < 200; cut += 7) {
        text.size = whole - cut;
        open_again(&again, &text, two_robots);
        assert_int_equal(replay_run(&again, &sent_again), PLAYBACK_CUT);
        assert_in_range(sim_now_us(again.sim), 2900000, 3017000);
        for (size_t i = 0; i < CHANNELS; i++) {
            assert_true(sent_again.sizes[i] <= sent.sizes[i]);
            assert_memory_equal(sent_again.bytes[i], sent.bytes[i], sent_again.sizes[i]);
        }
        close_again(&again);
    }
}

/* YAML with one place changed. */
static char *changed(const char *from, const char *to)
{
    const char *at = strstr(two_robots, from);
    char *yaml = malloc(sizeof two_robots + strlen(to));
    assert_true(at && yaml);
    size_t before = (size_t)(at - two_robots);
    memcpy(yaml, two_robots, before);
    strcpy(yaml + before, to);
    strcat(yaml, at + strlen(from));
    return yaml;
}

static void a_run_of_another_seed_departs_and_says_where(void **state)
{
    (void)state;
    record(&text, &sent, 3, 3000, true);
    char *other = changed("seed: 5", "seed: 6");
    open_again(&again, &text, other);
    assert_int_equal(replay_run(&again, &sent_again), PLAYBACK_DEPARTED);
    struct playback_result result = playback_result(again.playback);
    unsigned channel = strstr(result.reason, "board.uart diverges") ? 1 : 0;
    assert_non_null(
        strstr(result.reason, channel == 0 ? "kobuki.uart diverges between" : "between"));

    // The message gives the place of the first byte that differs.
    double from_s, to_s;
    unsigned long same;
    assert_int_equal(sscanf(strstr(result.reason, "between"),
                            "between %lf s and %lf s, after %lu bytes", &from_s, &to_s, &same),
                     3);
    assert_true(from_s < to_s && to_s <= 3);
    size_t at = 0;
    while (at < sent.sizes[channel] && at < sent_again.sizes[channel] &&
           sent.bytes[channel][at] == sent_again.bytes[channel][at])
        at++;
    assert_true(at >= same);
    assert_true(sim_now_us(again.sim) == (int64_t)(to_s * 1e6 + 0.5));
    close_again(&again);
    free(other);
}

static void bodies_that_depart_are_told_though_all_bytes_are_the_same(void **state)
{
    (void)state;
    record(&text, &sent, 4, 2500, true);
    char *other = changed("pose: {x: 5, y: 3}", "pose: {x: 5, y: 2.5}");
    open_again(&again, &text, other);
    assert_int_equal(replay_run(&again, &sent_again), PLAYBACK_WHOLE);
    struct playback_result result = playback_result(again.playback);
    assert_non_null(strstr(result.state_reason, "diverge between 0.000 s and 1.000 s"));
    assert_true(result.bytes == sent.sizes[0] + sent.sizes[1]);
    close_again(&again);
    free(other);
}

static void channels_of_another_scene_are_refused(void **state)
{
    (void)state;
    struct error error = {0};
    record(&text, &sent, 1, 10, true);
    static struct journal_reader reader;
    struct journal_head head;
    struct simulation other =
        simulation_open("world: {size: {x: 6, y: 4}}\n"
                        "robots: [{name: robot, type: kobuki, pose: {x: 1, y: 1}}]\n",
                        NULL);
    assert_true(journal_open(&reader, text.bytes, text.size, &error));
    assert_true(journal_head_read(&head, &reader, &error));
    assert_null(playback_open(&head, &reader, other.sim, &error));
    assert_non_null(strstr(error.text, "kobuki.uart"));
    journal_head_free(&head);
    simulation_close(&other);
}

static void a_repetition_obeys_its_journal_only(void **state)
{
    (void)state;
    struct error error = {0};
    record(&text, &sent, 1, 500, true);
    open_again(&again, &text, two_robots);
    assert_false(sim_do(again.sim, "kobuki.lift", &error));
    assert_non_null(strstr(error.text, "a replay accepts only"));
    assert_true(sim_do(again.sim, "world.pause", &error));
    assert_true(sim_do(again.sim, "world.step ms=5", &error));
    assert_int_equal(replay_run(&again, NULL), PLAYBACK_WHOLE);
    assert_string_equal(playback_result(again.playback).state_reason, "");
    close_again(&again);
}

/* Entries that no recorder writes, with a correct checksum. */
static void hostile_entries_end_the_repetition_with_a_reason(void **state)
{
    (void)state;
    static uint8_t much[JOURNAL_PAYLOAD_MAX];
    static const struct {
        struct journal_entry entry, second;
        const char *said;
    } rows[] = {
        {{.kind = JOURNAL_HOST, .index = 99, .number = 1}, {.kind = JOURNAL_START}, "channel 99"},
        {{.kind = JOURNAL_BYTES, .index = 2, .bytes = much, .size = 1},
         {.kind = JOURNAL_START},
         "channel 2 has no link"},
        {{.kind = JOURNAL_BYTES, .bytes = much, .size = sizeof much},
         {.kind = JOURNAL_BYTES, .bytes = much, .size = 1},
         "kobuki.uart at 0.000 s: 1 bytes from the driver, but there is room for only 0"},
        {{.kind = JOURNAL_SAVED, .index = 3},
         {.kind = JOURNAL_START},
         "at 0.000 s: no robot number 3"},
        {{.kind = JOURNAL_COMMAND, .bytes = much, .size = 3}, {.kind = JOURNAL_START}, "command"},
        {{.kind = JOURNAL_COMMAND, .bytes = much, .size = 600}, {.kind = JOURNAL_START}, "command"},
        {{.kind = JOURNAL_COMMAND, .bytes = (const uint8_t *)"kobuki.jump", .size = 11},
         {.kind = JOURNAL_START},
         "no command 'jump'"},
        {{.kind = JOURNAL_OUT, .index = 7}, {.kind = JOURNAL_START}, "channel 7 has no link"},
        {{.kind = JOURNAL_OUT, .number = 3}, {.kind = JOURNAL_START}, "3 bytes so far"},
        {{.kind = JOURNAL_SEED}, {.kind = JOURNAL_START}, "head of a journal"},
        {{.kind = JOURNAL_END}, {.kind = JOURNAL_START}, "lines follow the end of the run"},
        {{.kind = JOURNAL_STATE, .step = 5, .hash = 1},
         {.kind = JOURNAL_STATE, .step = 4},
         "time goes back"},
        {{.kind = JOURNAL_COMMAND,
          .step = INT64_MAX,
          .bytes = (const uint8_t *)"kobuki.lift",
          .size = 11},
         {.kind = JOURNAL_START},
         "time leaps"},
        {{.kind = JOURNAL_STATE, .step = RECORDER_STATE_STEPS, .hash = 1},
         {.kind = JOURNAL_STATE, .step = 2 * RECORDER_STATE_STEPS + PLAYBACK_LEAP_STEPS},
         "time leaps"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct journal_writer writer;
        struct journal_storage storage = {.robot = 1, .memory.size = 0};
        struct journal_head head = head_of(two_robots, &storage);
        text.size = 0;
        journal_head_write(&head, &writer, append, &text);
        size_t size = journal_write(&writer, &rows[i].entry);
        append(&text, writer.line, size);
        size = journal_write(&writer, &rows[i].second);
        append(&text, writer.line, size);
        scene_source_free(&head.sources);
        open_again(&again, &text, two_robots);
        enum playback_state found = replay_run(&again, NULL);
        assert_true(found == PLAYBACK_DEPARTED || found == PLAYBACK_DAMAGED);
        if (!strstr(playback_result(again.playback).reason, rows[i].said))
            fail_msg("row %d said: %s", (int)i, playback_result(again.playback).reason);
        close_again(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_with_any_inputs_is_repeated_to_the_byte),
        cmocka_unit_test(a_memory_that_was_saved_is_saved_in_the_repetition),
        cmocka_unit_test(commands_of_the_scene_and_for_time_are_not_in_a_journal),
        cmocka_unit_test(a_run_that_was_cut_off_is_repeated_up_to_there),
        cmocka_unit_test(a_run_of_another_seed_departs_and_says_where),
        cmocka_unit_test(bodies_that_depart_are_told_though_all_bytes_are_the_same),
        cmocka_unit_test(channels_of_another_scene_are_refused),
        cmocka_unit_test(a_repetition_obeys_its_journal_only),
        cmocka_unit_test(hostile_entries_end_the_repetition_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
