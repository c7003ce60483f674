/* Robots of one's own: a body file is the same machine as the struct that it was printed of, and
 * what is wrong in one is told with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "tests/support/own_types.h"
#include "tests/support/robot_rig.h"

/* ---- The same machine. By hand, not by the table of the file, which is what is tested. ---- */

/* Fails where the members of A and B differ; NAME is the robot's. */
static void same(const char *name, const char *member, const void *a, const void *b, size_t size)
{
    if (memcmp(a, b, size) != 0)
        fail_msg("%s: %s differs", name, member);
}

static void same_text(const char *name, const char *member, const char *a, const char *b)
{
    if (strcmp(a ? a : "", b ? b : "") != 0)
        fail_msg("%s: %s: '%s' and '%s'", name, member, a, b);
}

#define SAME(member)      same(name, #member, &a->member, &b->member, sizeof a->member)
#define SAME_TEXT(member) same_text(name, #member, a->member, b->member)

static void same_wheels(const char *name, const struct robot_wheel *a, const struct robot_wheel *b)
{
    SAME(x_m), SAME(y_m), SAME(heading_rad), SAME(roller_rad), SAME(radius_m), SAME(is_steered);
}

static void same_sensors(const char *name, const struct sensor_spec *a, const struct sensor_spec *b)
{
    SAME(kind);
    SAME_TEXT(name);
    SAME(x_m), SAME(y_m), SAME(z_m), SAME(heading_rad), SAME(cone_half_rad), SAME(range_m);
    SAME(rays), SAME(width), SAME(height);
}

static void same_lists(const char *name, const struct robot_body *a, const struct robot_body *b)
{
    SAME(wheel_count), SAME(sensor_count), SAME(bumper_count), SAME(part_count);
    for (size_t i = 0; i < a->wheel_count; i++)
        same_wheels(name, &a->wheels[i], &b->wheels[i]);
    for (size_t i = 0; i < a->sensor_count; i++)
        same_sensors(name, &a->sensors[i], &b->sensors[i]);
    for (size_t i = 0; i < a->bumper_count; i++) {
        SAME_TEXT(bumpers[i].name);
        SAME(bumpers[i].from_rad), SAME(bumpers[i].to_rad);
    }
    for (size_t i = 0; i < a->part_count; i++)
        SAME(parts[i]); /* doubles alone: no padding */
}

static void same_body(const char *name, const struct robot_body *a, const struct robot_body *b)
{
    SAME(shape), SAME(radius_m), SAME(length_m), SAME(width_m), SAME(center_x_m), SAME(height_m);
    SAME(mass_kg), SAME(inertia_kg_m2), SAME(mass_center_x_m);
    SAME(wheel_base_m), SAME(steer_max_rad), SAME(steer_rate_rad_s);
    SAME(drive), SAME(motor), SAME(speed_max_m_s), SAME(grip);
    SAME(supply_v), SAME(resistance_ohm), SAME(torque_nm_a), SAME(emf_v_s_rad), SAME(gear);
    SAME(idle_a), SAME(wheel_inertia_kg_m2);
    SAME(contact_x_m), SAME(contact_half_y_m), SAME(dock);
    SAME(battery_min_v), SAME(battery_max_v);
    same_lists(name, a, b);
}

/* A new member of the machine needs a key in sim/scene/body_keys.c, and a line above. */
_Static_assert(sizeof(struct robot_body) == 24 * sizeof(double) + 4 * sizeof(size_t) +
                                                3 * 8 /* kinds */ +
                                                sizeof(((struct robot_body *)0)->wheels) +
                                                sizeof(((struct robot_body *)0)->sensors) +
                                                sizeof(((struct robot_body *)0)->bumpers) +
                                                sizeof(((struct robot_body *)0)->parts),
               "struct robot_body has changed");

static void same_looks(const char *name, const struct look_row *a, const struct look_row *b)
{
    SAME(shape), SAME(x_m), SAME(y_m), SAME(heading_rad), SAME(length_m), SAME(width_m);
    SAME(from_rad), SAME(to_rad), SAME(color), SAME(lit_color);
    SAME_TEXT(lit_by);
    SAME_TEXT(click);
    SAME_TEXT(label);
}

static void same_channels(const char *name, const struct channel_spec *a,
                          const struct channel_spec *b)
{
    SAME(kind), SAME(tcp_port), SAME(frame_max), SAME(frames);
    SAME_TEXT(name);
    SAME_TEXT(device);
    SAME_TEXT(framing);
}

static void same_type(const char *name, const struct robot_type *a, const struct robot_type *b)
{
    SAME_TEXT(title);
    SAME(channel_count), SAME(signals), SAME(commands), SAME(tick), SAME(state_size);
    for (size_t i = 0; i < a->channel_count; i++)
        same_channels(name, &a->channels[i], &b->channels[i]);
    assert_int_equal(a->looks->count, b->looks->count);
    for (size_t i = 0; i < a->looks->count; i++)
        same_looks(name, &a->looks->rows[i], &b->looks->rows[i]);
    for (size_t i = 0; a->buttons && a->buttons[i]; i++)
        SAME_TEXT(buttons[i]);
}

static void a_printed_machine_is_read_as_the_same(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct robot_rig rig;
            rig_open(&rig, types[i], seed);
            struct own_robot *own = own_of(types[i], rig.options);
            same_body(types[i]->name, &rig.body, &own->body);
            same_type(types[i]->name, types[i], &own->type);
            struct error error = {0};
            if (!own_robot_fits(own, rig.options, &error))
                fail_msg("%s: %s", types[i]->name, error.text);
            own_robot_free(&own);
            rig_close(&rig);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_printed_machine_is_read_as_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
