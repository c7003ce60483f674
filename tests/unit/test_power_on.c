/* Robots that have been on before the simulation starts, and robots that are switched on then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/simulation.h"

/* Bytes that a robot of a type sends without a request, and the value of a signal, after some time.
 */
struct look {
    const char *type, *options, *channel;
    int ms;
    const char *signal; /* or NULL */
    size_t bytes[2];    /* 1: some */
    double values[2];   /* of the signal; [0] was on before, [1] is switched on */
    bool is_alone;      /* without a host, since its DTR would reset the board */
};

static size_t channel_of(const struct sim *sim, const char *name)
{
    const struct robot_type *type = sim_robot_type(sim, 0);
    for (unsigned c = 0; c < type->channel_count; c++)
        if (strcmp(type->channels[c].name, name) == 0)
            return sim_channel_index(sim, 0, c);
    fail_msg("%s has no channel %s", type->name, name);
    return 0;
}

static void check(const struct look *look, bool is_at_open)
{
    char yaml[512], name[64];
    size_t heard = 0, size;
    const uint8_t *bytes;
    snprintf(yaml, sizeof yaml,
             "world: {size: {x: 6, y: 4}}\nrobots:\n"
             "- {name: r, type: %s, pose: {x: 3, y: 2}, options: {%s}%s,"
             " links: [{pty: r, channel: %s}]}\n",
             look->type, look->options, is_at_open ? ", power_on: at_open" : "", look->channel);
    struct simulation self = simulation_open(yaml, NULL);
    size_t channel = channel_of(self.sim, look->channel);
    if (!look->is_alone)
        sim_host_present(self.sim, channel, true);
    for (int i = 0; i < look->ms; i++) {
        sim_step(self.sim);
        while (sim_output(self.sim, channel, &bytes, &size))
            heard += size;
    }
    if ((heard > 0) != (look->bytes[is_at_open] > 0))
        fail_msg("%s, power_on %s: %zu bytes in %d ms", look->type,
                 is_at_open ? "at_open" : "before", heard, look->ms);
    snprintf(name, sizeof name, "r.%s", look->signal ? look->signal : "");
    if (look->signal && simulation_get(self.sim, name) != look->values[is_at_open])
        fail_msg("%s, power_on %s: %s is %g", look->type, is_at_open ? "at_open" : "before", name,
                 simulation_get(self.sim, name));
    simulation_close(&self);
}

static void a_robot_that_was_on_before_neither_boots_nor_speeds_up(void **state)
{
    (void)state;
    static const struct look looks[] = {
        {"rplidar_a1", "", "uart", 3000, "boots", {0, 1}, {1, 1}, false},
        {"ld06", "", "uart", 100, NULL, {1, 0}, {0}, false},
        {"epuck2", "", "serial", 500, NULL, {0, 1}, {0}, false},
        {"diff_board", "auto_reset: yes", "uart", 100, "booting", {0, 0}, {0, 1}, true},
        {"ros_arduino_bridge", "auto_reset: yes", "uart", 100, "booting", {0, 0}, {0, 1}, true},
    };
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        check(&looks[i], false);
        check(&looks[i], true);
    }
}

static void a_reset_boots_whatever_was_before(void **state)
{
    (void)state;
    struct simulation self = simulation_open("world: {size: {x: 6, y: 4}}\nrobots:\n"
                                             "- {name: r, type: rplidar_a1, pose: {x: 3, y: 2}}\n",
                                             NULL);
    size_t heard = 0, size;
    const uint8_t *bytes;
    sim_host_present(self.sim, 0, true);
    simulation_do(self.sim, "r.reset");
    for (int i = 0; i < 1000; i++) {
        sim_step(self.sim);
        while (sim_output(self.sim, 0, &bytes, &size))
            heard += size;
    }
    assert_int_equal(heard, 64); // its boot text
    simulation_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_that_was_on_before_neither_boots_nor_speeds_up),
        cmocka_unit_test(a_reset_boots_whatever_was_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
