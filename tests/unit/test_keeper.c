/* The processors that the processes started by ptybot may use. */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "app/cli/keeper.h"
#include "tests/support/check.h"

static cpu_set_t processors_of(pid_t pid)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(pid, sizeof set, &set), 0);
    return set;
}

static bool is_same(cpu_set_t a, cpu_set_t b)
{
    return CPU_EQUAL(&a, &b);
}

static struct keeper start(void)
{
    struct keeper keeper;
    if (keeper_fork(&keeper, false) == 0) {
        execl("/bin/sleep", "sleep", "1000", NULL);
        keeper_fail(&keeper);
    }
    assert_true(keeper.child > 0);
    return keeper;
}

static void processes_that_take_turns_share_a_processor_and_no_other_is_bound(void **state)
{
    (void)state;
    enum { TURNS = 1000 };
    const cpu_set_t all = processors_of(0);
    struct keeper one = start(), two = start();
    int free_turns = 0;
    for (int i = 0; i < TURNS; i++) {
        keeper_take_turns(i % 3 == 0 ? &one : &two);
        free_turns += is_same(processors_of(0), all);
    }
    cpu_set_t shared = processors_of(0);
    assert_int_equal(CPU_COUNT(&shared), 1);
    assert_true(is_same(processors_of(one.child), shared));
    assert_true(is_same(processors_of(two.child), shared));
    assert_true(free_turns > 0 && (free_turns < TURNS / 10 || CPU_COUNT(&all) == 1));

    struct keeper other = start();
    assert_true(is_same(processors_of(other.child), all));
    assert_true(is_same(processors_of(0), all));
    keeper_take_turns(&one);
    keeper_take_turns(&one);
    keeper_end(&one);
    assert_true(is_same(processors_of(0), all));
    keeper_end(&two);
    keeper_end(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_that_take_turns_share_a_processor_and_no_other_is_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
