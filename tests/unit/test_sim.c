/* The simulation as a whole: signals and reproducibility. */
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/kobuki/kobuki.h"
#include "protocols/registry.h"
#include "sim/parse/scene_parse.h"
#include "sim/state/state.h"
#include "tests/support/simulation.h"
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

/* Drives anna for a while, and hashes the bytes that her host reads. */
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

/* Hosts that read at different moments have read the same bytes in the end. */
static void the_state_hash_holds_when_bytes_were_taken(void **state)
{
    (void)state;
    struct rig rigs[2] = {rig_open(NULL), rig_open(NULL)};
    for (int ms = 1; ms <= 210; ms++)
        for (int i = 0; i < 2; i++) {
            const uint8_t *bytes;
            size_t size;
            sim_step(rigs[i].sim);
            if (i == 0 || ms % 7 == 0)
                while (sim_output(rigs[i].sim, rigs[i].channel, &bytes, &size))
                    continue;
        }
    for (size_t i = 0; i < sim_signal_count(rigs[0].sim); i++)
        assert_true(sim_signal_value(rigs[0].sim, i) == sim_signal_value(rigs[1].sim, i));
    assert_true(rig_get(&rigs[0], "kobuki.uart.to_host_frames") > 5);
    assert_true(sim_hash(rigs[0].sim) != sim_hash(rigs[1].sim));
    rig_close(&rigs[0]);
    rig_close(&rigs[1]);
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

static void of_signals_of_one_name_the_first_is_found(void **state)
{
    (void)state;
    enum { TWINS = 9 };
    struct signal_row rows[TWINS];
    struct error error = {0};
    struct scene *scene = scene_parse(one, sizeof one - 1, "one.yaml", &error);
    assert_non_null(scene);
    struct robot_type twins = *scene->robots[0].type;
    for (size_t i = 0; i < TWINS; i++) {
        rows[i] = twins.signals[0];
        rows[i].name = "twin";
    }
    twins.signals = rows;
    twins.signal_count = TWINS;
    scene->robots[0].type = &twins;
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    assert_non_null(sim);
    size_t first = 0;
    while (strcmp(sim_signal_info(sim, first).name, "anna.twin") != 0)
        first++;
    assert_int_equal(sim_signal_find(sim, "anna.twin"), first);
    sim_destroy(sim);
    scene_destroy(scene);
}

struct link_view {
    uint64_t other;
    double clients;
};

static void signals_of_a_run_are_those_of_their_channel(void **state)
{
    (void)state;
    static const struct signal_row rows[] = {
        SIGNAL_ROW("clients", link_view, clients, "", "drivers of a link"),
    };
    static const struct link_view views[] = {{7, 1.5}, {8, 2.5}};
    const struct run_rows run = {.channel_signals = rows,
                                 .channel_signal_count = 1,
                                 .channels = views,
                                 .channel_size = sizeof views[0]};
    struct error error = {0};
    struct scene *scene = scene_parse(two, sizeof two - 1, "two.yaml", &error);
    assert_non_null(scene);
    struct sim *sim = sim_create(scene, NULL, &run, &error);
    assert_non_null(sim);
    assert_true(simulation_get(sim, "anna.uart.clients") == 1.5);
    assert_true(simulation_get(sim, "bert.uart.clients") == 2.5);
    sim_destroy(sim);
    scene_destroy(scene);
}

/* ---- Making ---- */

static void a_good_script_leaves_no_error(void **state)
{
    (void)state;
    static const char yaml[] = "world: {size: {x: 4, y: 4}}\n"
                               "robots: [{name: anna, type: kobuki, pose: {x: 2, y: 2}}]\n"
                               "timeline: [{at: 0, do: anna.lift}]\n"
                               "expect: [{that: anna.lifted == 1, within: 1, name: up}]\n";
    struct error error = {0};
    struct scene *scene = scene_parse(yaml, strlen(yaml), "s.yaml", &error);
    assert_non_null(scene);
    assert_true(sim_check_script(scene, NULL, &error));
    assert_string_equal(error.text, "");
    scene_destroy(scene);
}

static void body_full_of_parts(const void *options, struct robot_body *body)
{
    kobuki_body(options, body);
    for (size_t i = 0; i < ROBOT_PARTS_MAX; i++)
        body->parts[i] = (struct part_spec){0.01 * (double)i, 0.02, 0.005, 0.2, 0.3};
    body->part_count = ROBOT_PARTS_MAX;
}

static uint64_t bytes_of_type(const struct robot_type *type)
{
    struct error error = {0};
    struct scene *scene = scene_parse(one, sizeof one - 1, "one.yaml", &error);
    assert_non_null(scene);
    scene->robots[0].type = type;
    struct rig rig = {.scene = scene, .sim = sim_create(scene, NULL, NULL, &error)};
    assert_non_null(rig.sim);
    sim_host_present(rig.sim, 0, true);
    rig_drive(&rig, 300, 700, 0.5);
    uint64_t hash = sim_channel_line(rig.sim, 0)->hash;
    assert_true(rig.packets > 20);
    rig_close(&rig);
    return hash;
}

static void as_many_parts_as_a_robot_may_carry_do_not_change_its_bytes(void **state)
{
    (void)state;
    struct robot_type full = kobuki_type;
    full.body = body_full_of_parts;
    assert_true(bytes_of_type(&full) == bytes_of_type(&kobuki_type));
}

/* Robots with one channel each. Their channels are TCP servers, which a reset stops for a moment.
 */
static void a_reset_pulls_no_cable_of_another_robot(void **state)
{
    (void)state;
    struct error error = {0};
    struct robot_type server = kobuki_type;
    struct channel_spec channels[2] = {kobuki_type.channels[0], kobuki_type.channels[0]};
    channels[0].kind = channels[1].kind = CHANNEL_TCP_SERVER;
    server.channels = channels;
    server.channel_count = 1;
    struct scene *scene = scene_parse(two, sizeof two - 1, "two.yaml", &error);
    assert_non_null(scene);
    scene->robots[0].type = scene->robots[1].type = &server;
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    assert_non_null(sim);
    simulation_do(sim, "anna.reset");
    assert_true(simulation_get(sim, "anna.uart.plugged") == 0);
    assert_true(simulation_get(sim, "bert.uart.plugged") == 1);
    sim_destroy(sim);
    scene_destroy(scene);
}

/* The upper plate of a TurtleBot 2 is a disc of 0.1436 m around (-0.01364, 0); beyond it there is
 * the Kobuki. */
static void a_mounted_robot_stands_on_the_highest_part_below_it(void **state)
{
    (void)state;
    const double plate_m = 0.0102 + 0.3666 + 0.003;
    static const struct {
        const char *place;
        bool is_on_plate;
    } rows[] = {
        {"x: -0.01364, y: 0", true},      {"x: 0.11, y: 0", true},
        {"x: -0.01364, y: 0.14", true},   {"x: -0.01364, y: -0.14", true},
        {"x: 0.08, y: 0.08", true},       {"x: 0.09136, y: 0.105", false},
        {"x: -0.11864, y: 0.105", false}, {"x: 0.15, y: 0", false},
        {"x: -0.01364, y: 0.16", false},  {"x: 0.15, y: 0, z: 0.2", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[400];
        snprintf(yaml, sizeof yaml,
                 "world: {size: {x: 4, y: 4}}\nrobots:\n"
                 "- {name: base, type: kobuki, pose: {x: 2, y: 2}, options: {structure: "
                 "turtlebot2}}\n- {name: lidar, type: ld06, mount: {on: base, %s}}\n",
                 rows[i].place);
        struct simulation self = simulation_open(yaml, NULL);
        const struct sim_robot *robots = self.sim->robots;
        double wanted_m = strstr(rows[i].place, "z:") ? 0.2
                          : rows[i].is_on_plate       ? plate_m
                                                      : robots[0].body->height_m;
        assert_true(fabs(robots[1].mount.z_m - wanted_m) < 1e-9);
        simulation_close(&self);
    }
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
        if (i == 49) /* by now the C library has allocated its own memory */
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
        cmocka_unit_test(the_state_hash_holds_when_bytes_were_taken),
        cmocka_unit_test(every_field_that_goes_over_the_wire_is_a_signal),
        cmocka_unit_test(the_type_of_a_signal_is_that_of_its_values),
        cmocka_unit_test(signals_have_distinct_names_and_finite_values),
        cmocka_unit_test(of_signals_of_one_name_the_first_is_found),
        cmocka_unit_test(signals_of_a_run_are_those_of_their_channel),
        cmocka_unit_test(a_good_script_leaves_no_error),
        cmocka_unit_test(as_many_parts_as_a_robot_may_carry_do_not_change_its_bytes),
        cmocka_unit_test(a_reset_pulls_no_cable_of_another_robot),
        cmocka_unit_test(a_mounted_robot_stands_on_the_highest_part_below_it),
        cmocka_unit_test(six_hundred_runs_after_each_other_need_the_memory_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
