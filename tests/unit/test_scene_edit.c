/* A scene that is written with changes: it is the scene with these changes, it can be read, and
 * changes that cannot be written are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "sim/yaml/scene_edit.h"
#include "tests/support/simulation.h"

static const char bare[] =
    "world: {size: {x: 4, y: 4}}\n"
    "robots:\n"
    "- {name: anna, type: kobuki, pose: {x: 1, y: 1}}\n"
    "- {name: bert, type: kobuki, pose: {x: 3, y: 1, heading: 90}, options: {battery_v: 14}}\n";
static const char full[] = "seed: 5\n"
                           "sweep: [anna.battery_v 14..15]\n"
                           "world: {size: {x: 4, y: 4}} # a comment\n"
                           "robots:\n"
                           "- {name: anna, type: kobuki, pose: {x: 1, y: 1}}\n"
                           "- {name: bert, type: kobuki, pose: {x: 3, y: 1, heading: 90}}\n"
                           "timeline:\n"
                           "- {at: 0.01, do: anna.place x=1.5 y=1}\n"
                           "- {at: 0.02, do: anna.place x=1.5 y=1.5}\n"
                           "- {at: 0.03, do: bert.place x=2.5 y=3}\n";

static char *edited(const char *yaml, const char *const *sets, size_t count, uint64_t seed)
{
    struct error error = {0};
    char *text = scene_edit(yaml, strlen(yaml), sets, count, seed, &error);
    if (!text)
        fail_msg("%s", error.text);
    return text;
}

static uint64_t hash_after_run(struct simulation *self)
{
    for (int i = 0; i < 100; i++)
        sim_step(self->sim);
    uint64_t hash = sim_hash(self->sim);
    simulation_close(self);
    return hash;
}

/* If the text is read again, it runs like the first scene with the changes made by --set. */
static void check(const char *yaml, const char *const *sets)
{
    size_t count = 0, skipped = 0;
    for (; sets[count]; count++)
        skipped += strncmp(sets[count], "skip=", 5) == 0;
    struct simulation set = simulation_open(yaml, sets);
    char *text = edited(yaml, sets, count, set.scene->seed);
    struct simulation read = simulation_open(text, NULL);
    assert_int_equal(read.scene->seed, set.scene->seed);
    assert_int_equal(read.scene->sweep_count, 0);
    /* A command that --set skips stays in the timeline and does nothing. */
    assert_int_equal(sim_action_count(read.sim), sim_action_count(set.sim) - skipped);
    if (hash_after_run(&read) != hash_after_run(&set))
        fail_msg("%s\nis not what --set makes", text);
    free(text);
}

static void each_change_is_what_set_makes_of_it(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "bert.pose=2.5,3,-45",     "anna.battery_v=13.5",
        "bert.battery_v=12.5",     "bert.battery_pack=4s2p",
        "anna.pose=2,2,0",         "anna.pose=1,3,180",
        "do=bert.place x=1 y=2.5", "at=0.05 do=anna.place x=2 y=1",
        "at=3 signal=SIGINT",
    };
    static const char *const skips[] = {"skip=0", "skip=1", "skip=2"};
    for (size_t i = 0; i < COUNT(sets); i++) {
        check(bare, (const char *const[]){sets[i], NULL});
        check(full, (const char *const[]){sets[i], NULL});
        for (size_t k = 0; k < COUNT(sets); k++)
            check(bare, (const char *const[]){sets[i], sets[k], NULL});
        for (size_t k = 0; k < COUNT(skips); k++)
            check(full, (const char *const[]){skips[k], sets[i], NULL});
    }
    check(full, (const char *const[]){skips[0], skips[2], NULL});
    check(full, (const char *const[]){skips[0], skips[1], skips[2], NULL});
}

static void it_is_written_as_a_person_would(void **state)
{
    (void)state;
    char *text = edited(
        full,
        (const char *const[]){"skip=0", "skip=1", "anna.battery_v=13.5", "anna.pose=2,2,30",
                              "do=bert.fault uart=drop rate=0.02 from=host for=1 # of the bytes "
                              "that go this way, some more words that make a long line of it"},
        5, UINT64_MAX);
    assert_string_equal(text, "world: {size: {x: 4, y: 4}}\n"
                              "robots:\n"
                              "- {name: anna, type: kobuki, options: {battery_v: 13.5}, pose: {x: "
                              "2, y: 2, heading: 30}}\n"
                              "- {name: bert, type: kobuki, pose: {x: 3, y: 1, heading: 90}}\n"
                              "timeline:\n"
                              "- {at: 0.03, do: bert.place x=2.5 y=3}\n"
                              "- {at: 0, do: 'bert.fault uart=drop rate=0.02 from=host for=1 # of "
                              "the bytes that go this way, some more words that make a\n"
                              "    long line of it'}\n"
                              "seed: 18446744073709551615\n");
    free(text);
    text = edited(full, (const char *const[]){"anna.label=Rückwärts 小"}, 1, 0);
    assert_non_null(strstr(text, "label: Rückwärts 小"));
    free(text);
    text = edited(full, (const char *const[]){"skip=0", "skip=1", "skip=2"}, 3, 0);
    assert_null(strstr(text, "timeline"));
    assert_null(strstr(text, "sweep"));
    assert_non_null(strstr(text, "\nseed: 0\n"));
    free(text);
}

static void what_cannot_be_written_is_reported(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *set, *why;
    } rows[] = {
        {"[]", NULL, "not a mapping"},
        {"", NULL, "not a mapping"},
        {"{", NULL, "cannot be read"},
        {full, "carl.battery_v=14", "carl.battery_v=14: cannot be written"},
        {full, "anna=14", "cannot be written"},
        {full, "anna.pose=1,2", "cannot be written"},
        {full, "anna.pose=1", "cannot be written"},
        {full, "skip=3", "cannot be written"},
        {full, "skip=-1", "cannot be written"},
        {full, "skip=x", "cannot be written"},
        {bare, "skip=0", "cannot be written"},
        {"robots: 3", "anna.battery_v=14", "cannot be written"},
        {"robots: [3, [anna], {name: [anna]}, {nam: anna}, {name: ann}, {name: annaa}]",
         "anna.battery_v=14", "cannot be written"},
        // A list is not a robot, even if it contains "name".
        {"robots: [[name, anna]]", "anna.battery_v=14", "cannot be written"},
        {"robots: [[name, anna], [options, name]]", "anna.pose=1,2,3", "cannot be written"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct error error = {0};
        assert_null(scene_edit(rows[i].yaml, strlen(rows[i].yaml), &rows[i].set,
                               rows[i].set ? 1 : 0, 1, &error));
        if (!strstr(error.text, rows[i].why))
            fail_msg("%zu: \"%s\" does not tell \"%s\"", i, error.text, rows[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_is_what_set_makes_of_it),
        cmocka_unit_test(it_is_written_as_a_person_would),
        cmocka_unit_test(what_cannot_be_written_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
