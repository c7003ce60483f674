/* Faults are exact. They end in time, a fault does not change which bytes another fault affects,
 * the same seed gives the same faults, and without faults nothing changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fault_rig.h"

static void a_fault_ends_with_its_time(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_do(&rig, "kobuki.fault uart=drop rate=1 for=1");
    rig_run(&rig, 1);
    assert_int_equal(rig.packets, 0);
    rig_run(&rig, 1);
    assert_in_range(rig.packets, 49, 51);
    assert_int_equal(rig.bad_packets, 0);
    rig_close(&rig);
}

static void one_fault_does_not_change_what_another_hits(void **state)
{
    (void)state;
    static struct record alone;
    run_into(&clean, NULL);
    run_into(&alone, "kobuki.fault uart=flip rate=0.005");
    struct rig rig = rig_open(NULL);
    memset(&faulty, 0, sizeof faulty);
    rig_do(&rig, "kobuki.fault uart=split rate=0.3");
    rig_do(&rig, "kobuki.fault uart=flip rate=0.005");
    rig_do(&rig, "kobuki.fault uart=delay rate=0.1 ms=30");
    record_on(&rig, &faulty, 10);
    assert_true(is_a_head(&faulty, &alone));
    rig_close(&rig);

    // With lost bytes, the same bits of the remaining bytes are flipped.
    run_into(&clean, "kobuki.fault uart=drop rate=0.01");
    rig = rig_open(NULL);
    memset(&faulty, 0, sizeof faulty);
    rig_do(&rig, "kobuki.fault uart=drop rate=0.01");
    rig_do(&rig, "kobuki.fault uart=flip rate=0.005");
    record_on(&rig, &faulty, 10);
    assert_true(is_within(&faulty, &alone));
    assert_true(count_flips(&clean, &faulty) > 80);
    rig_close(&rig);

    // A fault that is set later affects the same bytes from then on.
    rig = rig_open(NULL);
    memset(&faulty, 0, sizeof faulty);
    record_on(&rig, &faulty, 5);
    size_t from = faulty.size + 200;
    rig_do(&rig, "kobuki.fault uart=flip rate=0.005");
    record_on(&rig, &faulty, 5);
    assert_int_equal(faulty.size, alone.size);
    assert_memory_equal(faulty.bytes + from, alone.bytes + from, alone.size - from);
    rig_close(&rig);
}

static const char *const all[] = {
    "kobuki.fault uart=drop rate=0.01",      "kobuki.fault uart=flip rate=0.01",
    "kobuki.fault uart=duplicate rate=0.01", "kobuki.fault uart=insert rate=0.01",
    "kobuki.fault uart=delay rate=0.01",     "kobuki.fault uart=split rate=0.1",
    "kobuki.fault uart=garbage bytes=100",   "kobuki.fault uart=ftdi for=3",
    "kobuki.fault uart=stall for=0.5",       "kobuki.fault encoders=loss rate=0.1",
    "kobuki.fault cliff_left=dead rate=0.1", "kobuki.fault gyro=drift deg_s=3",
    "kobuki.fault wheel_1=slip grip=0.2",    "kobuki.fault battery=drain factor=100",
};

static uint64_t hash_of_all(const char *seed, size_t count_of_all)
{
    char yaml[256];
    snprintf(yaml, sizeof yaml,
             "seed: %s\nworld: {size: {x: 20, y: 20}}\n"
             "robots: [{name: kobuki, type: kobuki, pose: {x: 10, y: 10}}]\n",
             seed);
    struct rig rig = rig_open_scene(yaml, NULL);
    for (size_t i = 0; i < count_of_all; i++)
        rig_do(&rig, all[i]);
    rig_drive(&rig, 200, 500, 5);
    rig_do(&rig, "kobuki.fault power=brownout");
    rig_drive(&rig, 200, 500, 5);
    uint64_t hash = sim_hash(rig.sim);
    rig_close(&rig);
    return hash;
}

static void the_same_seed_gives_the_same_faults(void **state)
{
    (void)state;
    size_t most = sizeof all / sizeof all[0];
    uint64_t first = hash_of_all("1", most);
    for (int i = 0; i < 3; i++)
        assert_true(hash_of_all("1", most) == first);
    assert_true(hash_of_all("2", most) != first);
    assert_true(hash_of_all("1", 0) != first);
}

static void without_faults_nothing_changes(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        struct rig rig = rig_open(NULL);
        for (int part = 0; part < 4; part++) {
            if (i == 1) {
                rig_do(&rig, "kobuki.heal");
                rig_do(&rig, "kobuki.fault uart=none");
                rig_do(&rig, "kobuki.fault power=none");
                rig_do(&rig, "kobuki.fault cliff_left=none");
                rig_do(&rig, "kobuki.fault encoders=none");
                rig_do(&rig, "kobuki.fault wheels=none");
                rig_do(&rig, "kobuki.fault gyro=none");
            }
            rig_drive(&rig, 200, 400, 1);
        }
        hash[i] = sim_hash(rig.sim);
        rig_close(&rig);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_ends_with_its_time),
        cmocka_unit_test(one_fault_does_not_change_what_another_hits),
        cmocka_unit_test(the_same_seed_gives_the_same_faults),
        cmocka_unit_test(without_faults_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
