/* Worlds when memory ends at any allocation: no world is made, and every block is freed. A separate
 * program, since it replaces malloc. */
#include "tests/support/allocations.h"
#include "tests/unit/physics_fixture.h"

/* IS_END: this and all later calls get no memory. Otherwise only this call gets none. */
static void check_world(const struct world_capacity *capacity, bool is_end)
{
    struct world *world = NULL;
    size_t refused = 0;
    for (size_t call = 1; !world; call++) {
        size_t held = allocations_held;
        allocations = 0;
        *(is_end ? &allocations_end : &allocations_gap) = call;
        world = world_create(capacity);
        allocations_end = allocations_gap = 0;
        bool is_enough = allocations < call;
        assert_true((world != NULL) == is_enough);
        assert_true(world || allocations_held == held);
        refused += !is_enough;
    }
    assert_true(refused > 10);
    world_destroy(world);
}

static void without_enough_memory_there_is_no_world_and_no_leak(void **state)
{
    (void)state;
    const struct world_capacity capacities[] = {{.bodies = 3, .walls = 5}, {0}, {.walls = 1}};
    for (size_t i = 0; i < 6; i++)
        check_world(&capacities[i / 2], i % 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_enough_memory_there_is_no_world_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
