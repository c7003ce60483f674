/* Bytes on the wire of a page: a few changes that lead from one snapshot to the next.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/viewer/draw_rig.h"
#include "viewer/web/stream.h"

/* ---- A reader of changes, as header stream.h has them ---- */

static size_t number(const struct change *change, size_t *at)
{
    size_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(*at < change->byte_count);
        uint8_t byte = change->bytes[(*at)++];
        value |= (size_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* Returns how many moves there were. */
static size_t apply(const struct change *change, uint8_t *bytes, size_t size)
{
    size_t at = 0, place = 0;
    assert_int_equal(number(change, &at), size);
    size_t moves = number(change, &at);
    for (size_t i = 0; i < moves; i++) {
        size_t to = number(change, &at), from = number(change, &at), count = number(change, &at);
        assert_true(to + count <= size && from + count <= size);
        memmove(bytes + to, bytes + from, count);
    }
    while (at < change->byte_count) {
        place += number(change, &at);
        size_t count = number(change, &at);
        assert_true(place + count <= size && at + count <= change->byte_count);
        memcpy(bytes + place, change->bytes + at, count);
        place += count;
        at += count;
    }
    return moves;
}

/* ---- Tests ---- */

static void changes_lead_to_each_snapshot(void **state)
{
    (void)state;
    struct draw_rig rig;
    struct change change = {0};
    bool is_whole;
    size_t moves = 0;
    draw_rig_open(&rig, "kobuki_room", 0);
    uint8_t *page = calloc(1, rig.size);
    assert_non_null(page);
    draw_rig_do(&rig, "kobuki.place x=1 y=1 heading=0");
    for (int i = 0; i < 600; i++) {
        char command[64];
        draw_rig_run(&rig, 33);
        snprintf(command, sizeof command, "kobuki.place x=%.3f y=%.3f heading=0",
                 1 + 0.3 * cos(0.3 * i), 1 + 0.3 * sin(0.3 * i));
        draw_rig_do(&rig, command);
        assert_true(change_make(&change, rig.snapshot, rig.size, &is_whole));
        assert_int_equal(is_whole, i == 0);
        moves += apply(&change, page, rig.size);
        assert_memory_equal(page, rig.snapshot, rig.size);
    }
    // A trail that is full moves on.
    assert_true(moves > 0);
    draw_rig_run(&rig, 0);
    assert_true(change_make(&change, rig.snapshot, rig.size, &is_whole));
    assert_true(change_make(&change, rig.snapshot, rig.size, &is_whole));
    assert_true(change.byte_count < 8);
    free(page);
    change_free(&change);
    draw_rig_close(&rig);
}

static void another_generation_is_reported_whole(void **state)
{
    (void)state;
    struct draw_rig rig;
    struct change change = {0};
    bool is_whole;
    draw_rig_open(&rig, "kobuki_room", 10);
    assert_true(change_make(&change, rig.snapshot, rig.size, &is_whole));
    rig.snapshot->generation++;
    assert_true(change_make(&change, rig.snapshot, rig.size, &is_whole));
    assert_true(is_whole);
    uint8_t *page = calloc(1, rig.size);
    apply(&change, page, rig.size);
    assert_memory_equal(page, rig.snapshot, rig.size);
    free(page);
    change_free(&change);
    draw_rig_close(&rig);
}

static void what_nobody_wishes_is_left_out_and_what_moves_is_rounded(void **state)
{
    (void)state;
    struct draw_rig rig;
    struct slim_wishes none = {0}, first = {.robots = {1}};
    draw_rig_open(&rig, "kobuki_room", 500);
    struct snapshot *copy = aligned_alloc(16, (rig.size + 15) & ~(size_t)15);
    assert_non_null(copy);
    memcpy(copy, rig.snapshot, rig.size);
    const struct snapshot_robot *robot = snapshot_at(copy, copy->robots);
    const struct snapshot_robot *exact = snapshot_at(rig.snapshot, rig.snapshot->robots);
    const double *values =
        (const double *)snapshot_at(rig.snapshot, rig.snapshot->values) + exact->first_signal;
    size_t signals = 0, kept = 0;

    memcpy(copy, rig.snapshot, rig.size);
    slim_snapshot(copy, &none, false);
    const double *slim = (const double *)snapshot_at(copy, copy->values) + robot->first_signal;
    for (uint32_t i = 0; i < robot->signals.count; i++) {
        signals += values[i] != 0;
        kept += slim[i] != 0;
        assert_true(slim[i] == 0 || slim[i] == values[i]);
    }
    assert_true(kept < signals);
    assert_true(fabs(robot->pose.x_m - exact->pose.x_m) <= 4e-6);

    memcpy(copy, rig.snapshot, rig.size);
    slim_snapshot(copy, &first, true);
    assert_memory_equal(slim, values, robot->signals.count * sizeof *values);
    assert_memory_equal(&robot->pose, &exact->pose, sizeof exact->pose);
    free(copy);
    draw_rig_close(&rig);
}

static void one_who_does_not_read_has_no_more_than_one_picture(void **state)
{
    (void)state;
    struct draw_rig rig;
    struct stream stream;
    char bytes[1 << 14];
    draw_rig_open(&rig, "kobuki_room", 100);
    assert_true(stream_open(&stream, false));
    stream_show(&stream, rig.snapshot, 0);
    size_t whole = stream.out_size;
    assert_false(stream_is_taken(&stream));
    while (!stream_is_taken(&stream))
        stream_take(&stream, bytes, sizeof bytes);
    for (int i = 0; i < 100; i++) {
        draw_rig_run(&rig, 33);
        stream_show(&stream, rig.snapshot, 0);
        while (!stream_is_taken(&stream))
            stream_take(&stream, bytes, sizeof bytes);
        assert_true(stream.out_size < whole / 4);
    }
    stream_close(&stream);
    draw_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_lead_to_each_snapshot),
        cmocka_unit_test(another_generation_is_reported_whole),
        cmocka_unit_test(what_nobody_wishes_is_left_out_and_what_moves_is_rounded),
        cmocka_unit_test(one_who_does_not_read_has_no_more_than_one_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
