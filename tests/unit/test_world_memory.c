/* A world when memory ends while it is made. A separate program, since it replaces calloc. */
#include "tests/support/allocations.h"
#include "tests/unit/physics_fixture.h"

static void a_world_for_which_memory_is_short_is_not_made(void **state)
{
    (void)state;
    const struct world_capacity capacity = {.bodies = 3, .walls = 4};
    struct world *world = NULL;
    size_t end = 0;
    while (!world && end < 100) {
        allocations = 0;
        allocations_end = ++end;
        world = world_create(&capacity);
        allocations_end = 0;
        if (world)
            assert_true(allocations == end - 1); /* no call was refused */
    }
    assert_non_null(world);
    assert_true(end > 1);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_for_which_memory_is_short_is_not_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
