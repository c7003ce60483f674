/* The simulation as a whole: signals, exactness. */
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"
#include "sim/parse/scene_parse.h"
#include "tests/unit/kobuki_rig.h"

/* ---- Exactness ---- */

static const char one[] = "seed: 3\n"
                          "world: {size: {x: 8, y: 8}}\n"
                          "robots:\n"
                          "  - {name: anna, type: kobuki, pose: {x: 2, y: 2}}\n";
static const char two[] = "seed: 3\n"
                          "world: {size: {x: 8, y: 8}}\n"
                          "robots:\n"
                          "  - {name: anna, type: kobuki, pose: {x: 2, y: 2}}\n"
                          "  - {name: bert, type: kobuki, pose: {x: 6, y: 6}}\n";
static const char two_turned[] = "seed: 3\n"
                                 "world: {size: {x: 8, y: 8}}\n"
                                 "robots:\n"
                                 "  - {name: bert, type: kobuki, pose: {x: 6, y: 6}}\n"
                                 "  - {name: anna, type: kobuki, pose: {x: 2, y: 2}}\n";

/* Drives anna for a while and hashes all that her host reads. */
static uint64_t bytes_of_anna(const char *yaml, const char *const *options)
{
    struct rig rig = rig_open_scene(yaml, options);
    size_t anna = strcmp(sim_robot_name(rig.sim, 0), "anna") == 0 ? 0 : 1;
    sim_host_present(rig.sim, rig.channel, false);
    rig.channel = sim_channel_index(rig.sim, anna, 0);
    sim_host_present(rig.sim, rig.channel, true);
    rig_drive(&rig, 300, 700, 10);
    uint64_t hash = sim_channel_line(rig.sim, rig.channel)->hash;
    assert_true(rig.packets > 490);
    rig_close(&rig);
    return hash;
}

static void the_same_scene_gives_the_same_bytes(void **state)
{
    (void)state;
    assert_true(bytes_of_anna(one, NULL) == bytes_of_anna(one, NULL));
    const char *const other[] = {"anna.battery_v=15", NULL};
    assert_true(bytes_of_anna(one, NULL) != bytes_of_anna(one, other));
}

static void neither_order_nor_company_changes_a_robots_bytes(void **state)
{
    (void)state;
    assert_true(bytes_of_anna(one, NULL) == bytes_of_anna(two, NULL));
    assert_true(bytes_of_anna(one, NULL) == bytes_of_anna(two_turned, NULL));
}

static void the_seed_changes_the_noise_and_nothing_else_does(void **state)
{
    (void)state;
    char reseeded[sizeof one];
    memcpy(reseeded, one, sizeof one);
    reseeded[6] = '4';
    assert_true(bytes_of_anna(one, NULL) != bytes_of_anna(reseeded, NULL));
}

static void the_state_hash_repeats_and_moves_with_time(void **state)
{
    (void)state;
    uint64_t first = 0, later = 0;
    for (int i = 0; i < 2; i++) {
        struct rig rig = rig_open(NULL);
        rig_drive(&rig, 250, -400, 3);
        uint64_t hash = sim_hash(rig.sim);
        rig_run(&rig, 0.1);
        if (i == 0) {
            first = hash;
            later = sim_hash(rig.sim);
        }
        assert_true(hash == first);
        assert_true(sim_hash(rig.sim) == later);
        rig_close(&rig);
    }
    assert_true(first != later);
}

/* ---- Signals ---- */

static void every_field_that_goes_over_the_wire_is_a_signal(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    const struct robot_type *type = sim_robot_type(rig.sim, 0);
    for (size_t p = 0; type->packets[p]; p++) {
        for (size_t f = 0; f < type->packets[p]->field_count; f++) {
            const struct wire_field *field = &type->packets[p]->fields[f];
            char name[128];
            snprintf(name, sizeof name, "kobuki.%s.%s%s", type->packets[p]->name, field->name,
                     field->count > 1 ? "_0" : "");
            if (sim_signal_find(rig.sim, name) == SIZE_MAX)
                fail_msg("no signal %s", name);
        }
    }
    rig_close(&rig);
}

static void the_type_of_a_signal_is_that_of_its_values(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum sim_signal_type type;
    } rows[] = {
        {"kobuki.base_control.speed", SIM_SIGNAL_INTEGER}, /* mm/s on the wire */
        {"kobuki.basic.battery", SIM_SIGNAL_NUMBER},       /* tenths of a volt there */
        {"kobuki.x_m", SIM_SIGNAL_NUMBER},
        {"kobuki.lifted", SIM_SIGNAL_BOOL},
        {"kobuki.uart.host", SIM_SIGNAL_BOOL},
        {"kobuki.uart.to_host_frames", SIM_SIGNAL_INTEGER},
    };
    struct rig rig = rig_open(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t signal = sim_signal_find(rig.sim, rows[i].name);
        if (signal == SIZE_MAX || sim_signal_info(rig.sim, signal).type != rows[i].type)
            fail_msg("%s", rows[i].name);
    }
    rig_close(&rig);
}

static void signals_have_distinct_names_and_finite_values(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_drive(&rig, 100, 0, 1);
    for (size_t i = 0; i < sim_signal_count(rig.sim); i++) {
        const struct sim_signal info = sim_signal_info(rig.sim, i);
        if (sim_signal_find(rig.sim, info.name) != i)
            fail_msg("%s is there twice", info.name);
        if (!isfinite(sim_signal_value(rig.sim, i)))
            fail_msg("%s is %g", info.name, sim_signal_value(rig.sim, i));
        assert_non_null(info.unit);
        if (!info.note)
            fail_msg("%s has no note", info.name);
    }
    assert_int_equal(sim_signal_find(rig.sim, "kobuki.nothing"), SIZE_MAX);
    assert_true(fabs(rig_get(&rig, "world.time_s") - 1) < 1e-9);
    assert_true(rig_get(&rig, "kobuki.uart.host") == 1);
    assert_true(rig_get(&rig, "kobuki.uart.to_host_frames") == 49);
    rig_close(&rig);
}

static size_t memory_in_use(void)
{
    struct mallinfo2 all = mallinfo2(); /* of a sanitizer, which finds leaks itself: 0 */
    return all.uordblks + all.hblkhd;
}

static void six_hundred_runs_after_each_other_need_the_memory_of_one(void **state)
{
    (void)state;
    static const char yaml[] =
        "world:\n"
        "  size: {x: 4, y: 4}\n"
        "  walls: [{from: {x: 1, y: 0}, to: {x: 1, y: 1}}]\n"
        "  boxes: [{pose: {x: 3, y: 3}, size: {x: 0.4, y: 0.3}, mass: 1}]\n"
        "  docks: [{name: dock, pose: {x: 3.7, y: 2, heading: 180}}]\n"
        "robots: [{name: anna, type: kobuki, pose: {x: 2, y: 2}}]\n"
        "timeline:\n- {at: 0, do: anna.lift}\n- {when: anna.lifted == 1, do: anna.place x=2 y=2}\n"
        "expect:\n- {that: anna.lifted == 1, within: 1, name: up}\n"
        "measure: [{name: charge, value: anna.x_m}]\n"
        "sweep: [seed 1..9]\n";
    size_t before = 0;
    for (int i = 0; i < 600; i++) {
        struct error error = {0};
        struct scene *scene = scene_parse(yaml, strlen(yaml), "s.yaml", &error);
        if (!scene)
            fail_msg("%s", error.text);
        struct sim *sim = sim_create(scene, NULL, NULL, &error);
        if (!sim)
            fail_msg("%s", error.text);
        sim_step(sim);
        sim_step(sim);
        sim_destroy(sim);
        scene_destroy(scene);
        if (i == 49) /* what the C library keeps for itself has come together */
            before = memory_in_use();
    }
    print_message("%zu bytes, then %zu\n", before, memory_in_use());
    assert_true(memory_in_use() < before + 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_scene_gives_the_same_bytes),
        cmocka_unit_test(neither_order_nor_company_changes_a_robots_bytes),
        cmocka_unit_test(the_seed_changes_the_noise_and_nothing_else_does),
        cmocka_unit_test(the_state_hash_repeats_and_moves_with_time),
        cmocka_unit_test(every_field_that_goes_over_the_wire_is_a_signal),
        cmocka_unit_test(the_type_of_a_signal_is_that_of_its_values),
        cmocka_unit_test(signals_have_distinct_names_and_finite_values),
        cmocka_unit_test(six_hundred_runs_after_each_other_need_the_memory_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
