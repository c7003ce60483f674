/* Every command of the world and of every robot type, with every argument omitted, at its minimum,
 * at its maximum, outside its range, and with words that are not valid values. Nothing may crash. A
 * refused command names itself in its error and changes nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "app/links/live.h"
#include "base/array.h"
#include "base/text.h"
#include "sim/parse/scene_parse.h"
#include "sim/sim.h"
#include "sim/state/state.h"
#include "tests/support/all_types.h"
#include "tests/support/sample.h"

enum { VALUES_MAX = 512, VALUE_MAX = 96, REFUSED_MAX = 16 };

/* Values to try for an argument. */
struct values {
    size_t count;
    char text[VALUES_MAX][VALUE_MAX];
};

struct net {
    struct live live;
    struct scene *scene;
    struct sim *sim;
    size_t tried, done, turns;                       /* turns: commands followed by steps */
    char refused[REFUSED_MAX][2 * COMMAND_TEXT_MAX]; /* since its hash was calculated */
    size_t refused_count;
    uint64_t hash;
};

/* ---- Values ---- */

static const char *const wrong_words[] = {
    "",
    "''",
    "\"",
    "nan",
    "-nan",
    "nan(1)",
    "inf",
    "-inf",
    "1e309",
    "-1e309",
    "4.9e-324",
    "-0",
    "0x10",
    "1,5",
    "16 V",
    "left",
    "true",
    "=",
    "a=b",
    "none",
    "%s%n%x",
    "\xff\xfe",
    "\x1b[2J",
    "world",
    "9007199254740992",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
};

__attribute__((format(printf, 2, 3))) static void add(struct values *values, const char *format,
                                                      ...)
{
    assert_true(values->count < VALUES_MAX);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(values->text[values->count++], VALUE_MAX, format, arguments);
    va_end(arguments);
}

/* All names in a robot that some argument of a command may accept. */
static void add_names(struct values *values, const struct sim_robot *robot)
{
    const struct robot_type *type = robot->type;
    for (size_t i = 0; i < robot->body->bumper_count; i++)
        add(values, "%s", robot->body->bumpers[i].name);
    for (size_t i = 0; type->buttons && type->buttons[i]; i++)
        add(values, "%s", type->buttons[i]);
    for (size_t i = 0; i < type->channel_count; i++)
        add(values, "%s", type->channels[i].name);
}

static void values_of(struct values *values, const struct option_row *row,
                      const struct sim_robot *robot)
{
    values->count = 0;
    for (size_t i = 0; i < COUNT(wrong_words); i++)
        add(values, "%s", wrong_words[i]);
    if (row->type == OPTION_NUMBER || row->type == OPTION_INTEGER) {
        double step = row->type == OPTION_INTEGER ? 1 : 1e-3;
        const double numbers[] = {row->min,
                                  row->max,
                                  row->min - step,
                                  row->max + step,
                                  0,
                                  1,
                                  2,
                                  (row->min + row->max) / 2,
                                  -1,
                                  1e15,
                                  -1e15,
                                  1e300};
        for (size_t i = 0; i < COUNT(numbers); i++)
            add(values, "%.17g", numbers[i]);
    }
    for (size_t i = 0; row->choices && row->choices[i]; i++)
        add(values, "%s", row->choices[i]);
    if (row->type == OPTION_TEXT) {
        char word[VALUE_MAX];
        memset(word, 'x', sizeof word - 1);
        word[sizeof word - 1] = '\0';
        add(values, "%s", word);
        if (row->size < sizeof word) {
            word[row->size - 1] = '\0'; // the maximum length
            add(values, "%s", word);
            strcpy(word + row->size - 1, "x"); // one character longer
            add(values, "%s", word);
        }
        add(values, "adapter");
        add(values, "red");
        if (robot)
            add_names(values, robot);
    }
}

/* A valid value of the argument, for tests of the other arguments. */
static const char *plain_value(const struct option_row *row)
{
    static char text[VALUE_MAX];
    if (row->fallback)
        return NULL;
    snprintf(text, sizeof text, "%g", row->min == 0 && row->max == 0 ? 1 : row->min);
    return row->type == OPTION_TEXT ? "uart" : row->choices ? row->choices[0] : text;
}

/* ---- Trying ---- */

/* Refused commands must not have changed anything. They are checked in groups, because hashing the
 * whole simulation takes longer than the commands. */
static void check_refused(struct net *net)
{
    if (net->refused_count > 0 && sim_hash(net->sim) != net->hash) {
        for (size_t i = 0; i < net->refused_count; i++)
            print_error("%s\n", net->refused[i]);
        fail_msg("one of these was refused and has changed something");
    }
    net->refused_count = 0;
}

static void try(struct net *net, const char *name, const char *arguments)
{
    char text[2 * COMMAND_TEXT_MAX];
    struct error error = {0}, checked = {0};
    snprintf(text, sizeof text, "%s %s", name, arguments);
    bool is_possible = sim_check_do(net->sim, text, &checked);
    if (is_possible)
        check_refused(net);
    bool is_done = sim_do(net->sim, text, &error);
    net->tried++;
    net->done += is_done;
    if (is_done && !is_possible)
        fail_msg("'%s' is done, but its check says: %s", text, checked.text);
    if (!is_done && (!strstr(error.text, name) || strlen(error.text) <= strlen(name) + 2))
        fail_msg("'%s' says only: '%s'", text, error.text);
    if (text_control(error.text, strlen(error.text)) >= 0)
        fail_msg("a refusal says control characters: '%s'", error.text);
    if (!is_done)
        strcpy(net->refused[net->refused_count++], text);
    if (!is_done && net->refused_count < REFUSED_MAX)
        return;
    check_refused(net);
    if (is_done && strncmp(name, "world.", 6) == 0) {
        // Objects that were built could block later commands.
        sim_do(net->sim, "world.remove box=1", NULL);
        sim_do(net->sim, "world.remove wall=1", NULL);
    }
    int steps = 1;
    if (++net->turns % 32 == 0) {
        assert_true(sim_do(net->sim, "world.reset", &error));
        steps = 30;
    }
    for (; steps > 0; steps--)
        sim_step(net->sim);
    net->hash = sim_hash(net->sim);
}

/* All required arguments, except for the argument WITHOUT (SIZE_MAX: all of them). */
static size_t plain_arguments(const struct command_row *row, size_t without, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < row->arg_count; i++) {
        const char *value = i == without ? NULL : plain_value(&row->args[i]);
        if (value)
            used += (size_t)snprintf(out + used, size - used, "%s=%s ", row->args[i].key, value);
    }
    return used;
}

static void try_arguments(struct net *net, const char *name, const struct command_row *row,
                          const struct sim_robot *robot)
{
    static struct values values;
    char text[COMMAND_TEXT_MAX];
    for (size_t i = 0; i < row->arg_count; i++) {
        const struct option_row *arg = &row->args[i];
        size_t used = plain_arguments(row, i, text, sizeof text);
        try(net, name, text);
        values_of(&values, arg, robot);
        for (size_t k = 0; k < values.count; k++) {
            snprintf(text + used, sizeof text - used, "%s=%s", arg->key, values.text[k]);
            try(net, name, text + used); // without other arguments
            try(net, name, text);        // with all required arguments
            if (k > 0 && sample_stride() > 1)
                continue;
            snprintf(text + used, sizeof text - used, "%s=%s %s=1", arg->key, values.text[k],
                     arg->key);
            try(net, name, text); // twice
            // With each of the other arguments at its maximum.
            for (size_t n = 0; n < row->arg_count; n++) {
                if (n == i)
                    continue;
                snprintf(text + used, sizeof text - used, "%s=%s %s=%.17g", arg->key,
                         values.text[k], row->args[n].key, row->args[n].max);
                try(net, name, text + used);
            }
        }
    }
}

/* `fault PART=KIND`: every part with every kind, including kinds of other parts. Without arguments,
 * and with every other argument at its minimum, at its maximum and outside its range. */
static void try_faults(struct net *net, const char *name, const struct sim_robot *robot)
{
    struct fault_part parts[FAULT_PARTS_MAX];
    size_t count = fault_parts(robot->type, robot->body, parts);
    char text[COMMAND_TEXT_MAX];
    struct sim_fault_info info;
    for (size_t p = 0; p < count; p++) {
        snprintf(text, sizeof text, "%.40s=none", parts[p].name);
        try(net, name, text);
        for (size_t k = 0; sim_fault_info(k, &info); k++) {
            size_t used = (size_t)snprintf(text, sizeof text, "%.40s=%s", parts[p].name, info.kind);
            try(net, name, text);
            if ((p + k) % sample_stride() != 0)
                continue;
            for (size_t i = FAULT_ARG_RATE; i < FAULT_ARGS; i++) {
                const struct option_row *row = &fault_rows[i];
                const double numbers[] = {row->min, row->max, row->max + 1};
                for (size_t n = 0; n < COUNT(numbers); n++) {
                    snprintf(text + used, sizeof text - used, " %s=%.17g", row->key, numbers[n]);
                    try(net, name, text);
                }
            }
        }
    }
}

static void try_command(struct net *net, const char *target, const struct command_row *row,
                        const struct sim_robot *robot)
{
    char name[2 * SCENE_NAME_MAX + 8];
    snprintf(name, sizeof name, "%s.%s", target, row->name);
    try(net, name, "");
    try(net, name, "nonsense");
    try(net, name, "nonsense=1");
    try(net, name, "\x1b[2J=1 \x07");
    try(net, name, "\x1b[2J");
    try(net, name, "=");
    try_arguments(net, name, row, robot);
    if (robot && row->flags & COMMAND_OF_PART)
        try_faults(net, name, robot);
}

static void try_table(struct net *net, const char *target, const struct command_row *rows,
                      size_t count, const struct sim_robot *robot)
{
    for (size_t i = 0; i < count; i++)
        try_command(net, target, &rows[i], robot);
}

static void open_net(struct net *net, struct scene *scene)
{
    struct error error = {0};
    *net = (struct net){.scene = scene};
    if (!live_open(&net->live, scene, &error))
        fail_msg("%s", error.text);
    const struct run_rows rows = live_rows(&net->live);
    net->sim = sim_create(scene, NULL, &rows, &error);
    if (!net->sim)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < sim_channel_count(net->sim); i++)
        sim_host_present(net->sim, i, true);
    net->hash = sim_hash(net->sim);
}

static void close_net(struct net *net)
{
    sim_destroy(net->sim);
    live_close(&net->live);
    scene_destroy(net->scene);
    print_message("%zu combinations, %zu of them obeyed\n", net->tried, net->done);
    assert_true(net->done > 0 && net->done < net->tried);
}

static void try_robot(struct net *net, const char *name)
{
    size_t common_count, i = 0;
    const struct command_row *common = sim_robot_commands(&common_count);
    while (strcmp(net->sim->robots[i].name, name) != 0)
        i++;
    const struct sim_robot *robot = &net->sim->robots[i];
    try_table(net, name, common, common_count, robot);
    try_table(net, name, robot->type->commands, robot->type->command_count, robot);
}

/* A robot of a type, and a robot of another type that the commands must not change. */
static struct scene *scene_beside(const char *type, const char *other, struct error *error)
{
    char text[512];
    snprintf(text, sizeof text,
             "world: {size: {x: 3, y: 3}}\nrobots:\n- {name: %s, type: %s, pose: {x: 1, y: 1}}\n"
             "- {name: %s, type: %s, pose: {x: 2, y: 1}}\n",
             type, type, other, other);
    return scene_parse(text, strlen(text), "beside.yaml", error);
}

static void every_command_of_every_robot_type_survives_every_argument(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++) {
        struct error error = {0};
        const char *other = types[(i + 1) % count]->name;
        struct scene *scene = sample_is_whole() ? scene_of_all_types(&error)
                                                : scene_beside(types[i]->name, other, &error);
        if (!scene)
            fail_msg("%s", error.text);
        struct net net;
        open_net(&net, scene);
        try_robot(&net, types[i]->name);
        close_net(&net);
    }
}

static void every_command_of_the_world_survives_every_argument(void **state)
{
    (void)state;
    struct error error = {0};
    struct scene *scene = scene_of_all_types(&error);
    if (!scene)
        fail_msg("%s", error.text);
    struct net net;
    open_net(&net, scene);
    size_t count;
    const struct command_row *rows = sim_world_commands(&count);
    try_table(&net, "world", rows, count, NULL);
    try_table(&net, "world", net.sim->run.commands, net.sim->run.command_count, NULL);
    close_net(&net);
}

/* ---- A robot type without any optional member ---- */

static void bare_body(const void *options, struct robot_body *body)
{
    (void)options;
    *body = (struct robot_body){
        .radius_m = 0.1,
        .height_m = 0.1,
        .mass_kg = 1,
        .inertia_kg_m2 = 0.005,
        .motor = ROBOT_MOTOR_STEPPER,
        .wheel_count = 2,
        .wheels = {{.y_m = 0.08, .radius_m = 0.02}, {.y_m = -0.08, .radius_m = 0.02}},
        .speed_max_m_s = 0.2,
        .grip = 0.8,
        .battery_min_v = 6,
        .battery_max_v = 8,
    };
}

static double bare_charge(const void *options, double volts)
{
    (void)options;
    return (volts - 6) / 2;
}

struct bare {
    struct robot_stats stats[1];
};

static int64_t bare_reset(void *state, const struct robot_start *start)
{
    memset(state, 0, sizeof(struct bare));
    return start->now_us;
}

static int64_t bare_host(void *state, unsigned channel, bool present, int64_t now_us)
{
    (void)state, (void)channel, (void)present;
    return now_us;
}

static int64_t bare_rx(void *state, unsigned channel, const uint8_t *bytes, size_t size,
                       int64_t now_us)
{
    (void)channel, (void)bytes;
    ((struct bare *)state)->stats[0].noise_bytes += size;
    return now_us;
}

static int64_t bare_tick(void *state, const struct robot_sensors *sensors,
                         struct robot_actuators *actuators, const struct robot_tx *tx,
                         int64_t now_us)
{
    (void)state;
    actuators->motor[0] = actuators->motor[1] = sensors->bumpers ? 0 : 1;
    tx_frame(tx, 0, (const uint8_t *)"x", 1);
    return now_us + 20000;
}

static const struct robot_type bare_type = {
    .name = "bare",
    .title = "A robot without anything",
    .channels = &(const struct channel_spec){.name = "uart", .baud = 115200, .frame_max = 1},
    .channel_count = 1,
    .appearance = &(const struct appearance_list){.count = 0},
    .packets = (const struct wire_packet *const[]){NULL},
    .state_size = sizeof(struct bare),
    .stats_offset = offsetof(struct bare, stats),
    .storage_offset = SIZE_MAX,
    .boots_offset = SIZE_MAX,
    .body = bare_body,
    .battery_charge = bare_charge,
    .reset = bare_reset,
    .host = bare_host,
    .rx = bare_rx,
    .tick = bare_tick,
};

static void a_type_without_anything_optional_lives_and_obeys(void **state)
{
    (void)state;
    struct error error = {0};
    struct scene *scene = scene_of_type("kobuki", &error);
    assert_non_null(scene);
    scene->robots[0].type = &bare_type;
    struct net net;
    open_net(&net, scene);
    sim_host_lines(net.sim, 0, 0);
    sim_host_baud(net.sim, 0, 9600);
    sim_host_bytes(net.sim, 0, (const uint8_t *)"hello", 5);
    size_t sent = 0, size;
    const uint8_t *bytes;
    for (int i = 0; i < 2000; i++) {
        sim_step(net.sim);
        while (sim_output(net.sim, 0, &bytes, &size))
            sent += size;
    }
    assert_in_range(sent, 50, 120);
    for (size_t i = 0; i < sim_signal_count(net.sim); i++)
        assert_true(isfinite(sim_signal_value(net.sim, i)));
    assert_true(sim_robot_storage(net.sim, 0) == NULL);
    net.hash = sim_hash(net.sim);
    try_robot(&net, "kobuki");
    close_net(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_of_every_robot_type_survives_every_argument),
        cmocka_unit_test(every_command_of_the_world_survives_every_argument),
        cmocka_unit_test(a_type_without_anything_optional_lives_and_obeys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
