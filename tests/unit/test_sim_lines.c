/* Modem lines in the simulation: from the host to signals and firmware, from commands to the host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/modem_lines.h"
#include "base/serial_settings.h"
#include "sim/parse/scene_parse.h"
#include "sim/sim.h"
#include "sim/state/state.h"

static struct scene *scene;
static struct sim *sim;

static int set_up(void **state)
{
    (void)state;
    struct error error = {0};
    scene = scene_of_type("kobuki", &error);
    sim = scene ? sim_create(scene, NULL, NULL, &error) : NULL;
    return sim ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    sim_destroy(sim);
    scene_destroy(scene);
    return 0;
}

static double get(const char *name)
{
    size_t signal = sim_signal_find(sim, name);
    assert_true(signal != SIZE_MAX);
    return sim_signal_value(sim, signal);
}

static void lines_of_the_host_are_signals_from_the_next_step_on(void **state)
{
    (void)state;
    assert_true(get("kobuki.uart.dtr") == 0 && get("kobuki.uart.rts") == 0);
    sim_host_present(sim, 0, true);
    assert_true(get("kobuki.uart.dtr") == 0);
    sim_step(sim);
    assert_true(get("kobuki.uart.dtr") == 1 && get("kobuki.uart.rts") == 1);
    sim_host_lines(sim, 0, MODEM_RTS);
    sim_step(sim);
    assert_true(get("kobuki.uart.dtr") == 0 && get("kobuki.uart.rts") == 1);
    sim_host_present(sim, 0, false);
    sim_step(sim);
    assert_true(get("kobuki.uart.dtr") == 0 && get("kobuki.uart.rts") == 0);
}

static bool command(const char *text)
{
    struct error error = {0};
    return sim_do(sim, text, &error);
}

static void the_command_modem_sets_lines_and_keeps_the_others(void **state)
{
    (void)state;
    assert_int_equal(sim_channel_lines(sim, 0), MODEM_CTS | MODEM_DSR | MODEM_DCD);
    assert_true(command("kobuki.modem what=uart cts=off ri=on"));
    assert_int_equal(sim_channel_lines(sim, 0), MODEM_DSR | MODEM_DCD | MODEM_RI);
    assert_true(get("kobuki.uart.cts") == 0 && get("kobuki.uart.ri") == 1);
    assert_true(command("kobuki.modem what=uart dsr=off dcd=off cts=on"));
    assert_int_equal(sim_channel_lines(sim, 0), MODEM_CTS | MODEM_RI);
    assert_false(command("kobuki.modem what=uart"));
    assert_false(command("kobuki.modem what=wifi cts=on"));
    assert_false(command("kobuki.modem cts=on"));
    assert_int_equal(sim_channel_lines(sim, 0), MODEM_CTS | MODEM_RI);
}

static void a_reset_of_the_world_puts_the_lines_back(void **state)
{
    (void)state;
    assert_true(command("kobuki.modem what=uart cts=off dsr=off dcd=off ri=on"));
    assert_int_equal(sim_channel_lines(sim, 0), MODEM_RI);
    assert_true(command("world.reset"));
    assert_int_equal(sim_channel_lines(sim, 0), MODEM_CTS | MODEM_DSR | MODEM_DCD);
}

/* ---- A robot that reads its lines ---- */

static unsigned told[64];
static size_t reported_count;
static unsigned resets;
static int64_t (*kobuki_reset)(void *state, const struct robot_start *start);

static int64_t counted_reset(void *state, const struct robot_start *start)
{
    resets++;
    return kobuki_reset(state, start);
}

/* Like a board whose DTR is connected to the reset pin through a capacitor: a rising DTR resets it.
 */
static int64_t lines_of_a_board(void *state, unsigned channel, unsigned lines, int64_t now_us)
{
    (void)state, (void)now_us;
    assert_int_equal(channel, 0);
    bool was_on = reported_count > 0 && (told[reported_count - 1] & MODEM_DTR) != 0;
    assert_true(reported_count < sizeof told / sizeof told[0]);
    told[reported_count++] = lines;
    return (lines & MODEM_DTR) != 0 && !was_on ? ROBOT_RESET : ROBOT_NEVER;
}

/* Makes the robot a board whose resets and lines are counted. */
static void take_board(struct robot_type *board)
{
    *board = *scene->robots[0].type;
    kobuki_reset = board->reset;
    board->reset = counted_reset;
    board->lines = lines_of_a_board;
    scene->robots[0].type = board;
    sim_destroy(sim);
}

static void every_change_between_two_steps_reaches_the_firmware_and_dtr_can_reset_it(void **state)
{
    (void)state;
    struct error error = {0};
    struct robot_type board;
    take_board(&board);
    reported_count = resets = 0;
    sim = sim_create(scene, NULL, NULL, &error);
    assert_non_null(sim);
    assert_int_equal(resets, 1);

    sim_host_present(sim, 0, true);
    sim_step(sim);
    assert_int_equal(resets, 2);
    for (int i = 0; i < 10; i++)
        sim_step(sim);
    /* A pulse within one step. */
    sim_host_lines(sim, 0, MODEM_RTS);
    sim_host_lines(sim, 0, MODEM_RTS);
    sim_host_lines(sim, 0, MODEM_DTR | MODEM_RTS);
    sim_step(sim);
    assert_int_equal(reported_count, 3);
    assert_int_equal(told[1], MODEM_RTS);
    assert_int_equal(resets, 3);
    // More changes than one step can report: it reports the first ones in their order, then the
    // last state.
    reported_count = 0;
    for (unsigned i = 0; i < 1001; i++)
        sim_host_lines(sim, 0, i % 2 ? MODEM_DTR : 0);
    sim_host_lines(sim, 0, MODEM_RTS);
    sim_step(sim);
    assert_int_equal(reported_count, SIM_LINES_MAX);
    for (unsigned i = 0; i < SIM_LINES_MAX - 1; i++)
        assert_int_equal(told[i], i % 2 ? MODEM_DTR : 0);
    assert_int_equal(told[SIM_LINES_MAX - 1], MODEM_RTS);
    assert_true(get("kobuki.uart.dtr") == 0 && get("kobuki.uart.rts") == 1);
    sim_destroy(sim);
    sim = NULL;
}

static void a_board_without_power_sees_no_lines(void **state)
{
    (void)state;
    struct error error = {0};
    struct robot_type board;
    take_board(&board);
    sim = sim_create(scene, NULL, NULL, &error);
    assert_non_null(sim);
    sim_host_present(sim, 0, true);
    sim_step(sim);
    robot_power(&sim->robots[0], POWER_OFF, ROBOT_NEVER);
    reported_count = resets = 0;
    sim_host_lines(sim, 0, 0);
    sim_host_lines(sim, 0, MODEM_DTR);
    sim_step(sim);
    assert_int_equal(reported_count, 0);
    assert_int_equal(resets, 0);
    assert_true(get("kobuki.uart.dtr") == 1 && get("kobuki.uart.rts") == 0);
    sim_destroy(sim);
    sim = NULL;
}

/* ---- Inputs as records ---- */

static size_t input_count;

static void count_modes(void *context, const struct sim_input *input)
{
    (void)context;
    input_count += input->kind == SIM_INPUT_MODE;
}

static void a_mode_that_is_set_again_is_no_input(void **state)
{
    (void)state;
    static const uint32_t modes[] = {SERIAL_ICRNL, SERIAL_ICRNL, 0, 0, SERIAL_TWO_STOP_BITS};
    input_count = 0;
    sim_listen(sim, count_modes, NULL);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        sim_host_mode(sim, 0, modes[i]);
    assert_int_equal(input_count, 3);
    assert_true(get("kobuki.uart.host_raw") == 1 && get("kobuki.uart.host_stop_bits") == 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_of_the_host_are_signals_from_the_next_step_on),
        TEST(the_command_modem_sets_lines_and_keeps_the_others),
        TEST(a_reset_of_the_world_puts_the_lines_back),
        TEST(every_change_between_two_steps_reaches_the_firmware_and_dtr_can_reset_it),
        TEST(a_board_without_power_sees_no_lines),
        TEST(a_mode_that_is_set_again_is_no_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
