/* The parts that the program adds to a simulation: commands on time, and signals of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/links/live.h"
#include "sim/parse/scene_parse.h"
#include "sim/watch/snapshot.h"

struct rig {
    struct scene *scene;
    struct live live;
    struct sim *sim;
};

static int set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct error error = {0};
    rig->scene = scene_of_type("kobuki", &error);
    assert_non_null(rig->scene);
    rig->sim = live_sim(&rig->live, rig->scene, NULL, &error);
    if (!rig->sim)
        fail_msg("%s", error.text);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;
    sim_destroy(rig->sim);
    live_close(&rig->live);
    assert_null(rig->live.channels);
    scene_destroy(rig->scene);
    free(rig);
    return 0;
}

static void run_command(struct rig *rig, const char *command)
{
    struct error error = {0};
    if (!sim_do(rig->sim, command, &error))
        fail_msg("%s: %s", command, error.text);
}

static void time_commands_leave_their_wish_in_the_pace(void **state)
{
    struct rig *rig = *state;
    run_command(rig, "world.speed x=2.5");
    assert_true(rig->live.pace.speed == 2.5);
    run_command(rig, "world.pause");
    assert_true(rig->live.pace.is_paused);
    run_command(rig, "world.step ms=20");
    assert_int_equal(rig->live.pace.steps_wanted, 20);
    run_command(rig, "world.pause paused=false");
    assert_false(rig->live.pace.is_paused);
    assert_int_equal(rig->live.pace.steps_wanted, 0);
}

static void wrong_time_commands_are_refused(void **state)
{
    struct rig *rig = *state;
    struct error error = {0};
    assert_false(sim_do(rig->sim, "world.press", &error));
    assert_non_null(strstr(error.text, "allowed: pause, step, speed, seek, estimate, reset"));
    assert_false(sim_do(rig->sim, "world.step ms=5", &error));
    assert_non_null(strstr(error.text, "time is not paused"));
    assert_false(sim_do(rig->sim, "world.speed x=0", &error));
    assert_non_null(strstr(error.text, "x"));
    rig->live.pace.is_lockstep = rig->live.pace.is_paused = true;
    assert_false(sim_do(rig->sim, "world.pause paused=false", &error));
    assert_non_null(strstr(error.text, "lockstep"));
}

static void only_a_replay_jumps_to_another_time_and_not_beyond_its_end(void **state)
{
    struct rig *rig = *state;
    struct error error = {0};
    struct pace *pace = &rig->live.pace;
    assert_false(sim_do(rig->sim, "world.seek to=1", &error));
    assert_non_null(strstr(error.text, "only a replay can jump to another time"));
    pace->length_us = 2500000;
    assert_false(sim_do(rig->sim, "world.seek to=2.501", &error));
    assert_string_equal(error.text, "world.seek: to=2.501: the journal ends at 2.500 s");
    assert_false(pace->is_seeking);
    run_command(rig, "world.seek to=2.5");
    assert_true(pace->is_seeking);
    assert_int_equal(pace->seek_us, 2500000);
    run_command(rig, "world.seek to=0.0017");
    assert_int_equal(pace->seek_us, 1000);
    /* A run that writes files cannot go back. */
    pace->goes_ahead = true;
    for (int i = 0; i < 1000; i++)
        sim_step(rig->sim);
    run_command(rig, "world.seek to=1.5");
    run_command(rig, "world.seek to=1");
    assert_false(sim_do(rig->sim, "world.seek to=0.5", &error));
    assert_non_null(strstr(error.text, "world.seek: to=0.5: what is past is written already"));
    pace->goes_ahead = false;
    run_command(rig, "world.seek to=0.5");
}

static void signals_of_a_run_are_live_and_stand_where_one_looks_for_them(void **state)
{
    struct rig *rig = *state;
    static const char *const names[] = {"world.time_s",
                                        "world.paused",
                                        "world.speed",
                                        "world.late_ms",
                                        "world.dropped_s",
                                        "world.estimate_x_m",
                                        "world.estimate_y_m",
                                        "world.estimate_heading_deg",
                                        "world.estimate_speed_m_s",
                                        "world.estimate_turn_deg_s",
                                        "world.robots"};
    for (size_t i = 0; i < 11; i++) {
        assert_string_equal(sim_signal_info(rig->sim, i).name, names[i]);
        assert_int_equal(sim_signal_info(rig->sim, i).is_live, i > 0 && i < 10);
    }
    size_t last = sim_signal_count(rig->sim) - 1;
    assert_string_equal(sim_signal_info(rig->sim, last).name, "kobuki.uart.bad_requests");
    assert_true(sim_signal_info(rig->sim, last).is_live);
    assert_false(sim_signal_info(rig->sim, last - 7).is_live);
    rig->live.channels[0].bad_requests = 9600;
    rig->live.pace.speed = 3;
    assert_true(sim_signal_value(rig->sim, last) == 9600);
    assert_true(sim_signal_value(rig->sim, 2) == 3);
}

static void conditions_can_be_on_them_and_expectations_cannot(void **state)
{
    struct rig *rig = *state;
    struct condition condition;
    struct error error = {0};
    assert_true(condition_parse(rig->sim, "kobuki.uart.hosts == 0", &condition, &error));
    assert_true(condition_holds(rig->sim, &condition));
    assert_false(condition_refuse_live(rig->sim, &condition, &error));
    assert_non_null(strstr(error.text, "kobuki.uart.hosts depends on the kernel"));
    assert_true(condition_parse(rig->sim, "kobuki.uart.host == 0", &condition, &error));
    assert_true(condition_refuse_live(rig->sim, &condition, &error));
}

static void they_are_no_part_of_the_state(void **state)
{
    struct rig *rig = *state;
    uint64_t before = sim_hash(rig->sim);
    rig->live.channels[0] = (struct live_channel){.hosts = 3, .dropped_frames = 2};
    rig->live.pace.is_paused = true;
    assert_true(sim_hash(rig->sim) == before);
}

static double value_of(struct rig *rig, const char *name)
{
    size_t signal = sim_signal_find(rig->sim, name);
    assert_true(signal != SIZE_MAX);
    return sim_signal_value(rig->sim, signal);
}

/* Values that a command leaves out do not change. */
static void an_estimate_has_only_what_the_driver_reports(void **state)
{
    struct rig *rig = *state;
    static const char *const names[LIVE_ESTIMATES] = {
        "world.estimate_x_m", "world.estimate_y_m", "world.estimate_heading_deg",
        "world.estimate_speed_m_s", "world.estimate_turn_deg_s"};
    const struct live *live = &rig->live;
    run_command(rig, "world.estimate y_m=-2.5 turn_deg_s=30");
    for (size_t i = 0; i < LIVE_ESTIMATES; i++) {
        assert_int_equal(live->is_estimated[i], i == 1 || i == 4);
        assert_true(value_of(rig, names[i]) == (i == 1 ? -2.5 : i == 4 ? 30 : 0));
    }
    run_command(rig, "world.estimate x_m=1 y_m=0 heading_deg=90 speed_m_s=0.2");
    for (size_t i = 0; i < LIVE_ESTIMATES; i++)
        assert_true(live->is_estimated[i]);
    assert_true(live->estimate[0] == 1 && live->estimate[1] == 0 && live->estimate[2] == 90);
    assert_true(live->estimate[3] == 0.2 && live->estimate[4] == 30);
    run_command(rig, "world.estimate");
    assert_true(live->estimate[0] == 1 && live->estimate[4] == 30);
}

static void a_snapshot_shows_them(void **state)
{
    struct rig *rig = *state;
    size_t size = ((snapshot_size(rig->sim) + 15) & ~(size_t)15) + 4096;
    struct snapshot *snapshot = aligned_alloc(16, size), *before = aligned_alloc(16, size);
    assert_true(snapshot && before);
    memset(snapshot, 0, size);
    rig->live.pace =
        (struct pace){.is_paused = true, .is_lockstep = true, .speed = 4, .length_us = 7000};
    rig->live.channels[0] = (struct live_channel){
        .taken_frames = 7, .dropped_frames = 2, .host_baud = 9600, .place = "/dev/robot%%"};
    assert_true(snapshot_fill(rig->sim, NULL, snapshot, size));
    size_t end = snapshot->channels.at + snapshot->channels.count * sizeof(struct snapshot_channel);
    memset((char *)snapshot + end, 0x55, size - end);
    memcpy(before, snapshot, size);
    live_show(NULL, snapshot);
    assert_memory_equal(snapshot, before, size);
    live_show(&rig->live, snapshot);
    const struct snapshot_channel *channel = snapshot_at(snapshot, snapshot->channels);
    assert_true(snapshot->is_paused && snapshot->speed == 4);
    assert_true(snapshot->is_lockstep);
    assert_int_equal(snapshot->length_us, 7000);
    assert_string_equal(channel->place, "/dev/robot%%");
    assert_int_equal(channel->taken_frames, 7);
    assert_int_equal(channel->dropped_frames, 2);
    assert_int_equal(channel->host_baud, 9600);
    /* The part behind the channels does not change. */
    assert_memory_equal((char *)snapshot + end, (char *)before + end, size - end);
    free(before);
    free(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(time_commands_leave_their_wish_in_the_pace, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(wrong_time_commands_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_a_replay_jumps_to_another_time_and_not_beyond_its_end,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            signals_of_a_run_are_live_and_stand_where_one_looks_for_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(conditions_can_be_on_them_and_expectations_cannot, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(they_are_no_part_of_the_state, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_estimate_has_only_what_the_driver_reports, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_snapshot_shows_them, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
