/* Arrays that grow: elements stay, and a refusal of memory changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "tests/support/allocations.h"

struct element {
    char bytes[24];
};

static void fill(struct element *element, size_t number)
{
    memset(element->bytes, (int)(number % 251), sizeof element->bytes);
}

static void assert_elements(const struct element *elements, size_t count)
{
    struct element expected;
    for (size_t i = 0; i < count; i++) {
        fill(&expected, i);
        assert_memory_equal(&elements[i], &expected, sizeof expected);
    }
}

static void a_reserve_keeps_the_elements_and_has_the_room_it_reports(void **state)
{
    (void)state;
    struct element *elements = NULL;
    size_t room = 0, before = allocations, held = allocations_held;
    for (size_t count = 1; count <= 5000; count++) {
        assert_true(array_reserve(&elements, &room, count, sizeof *elements));
        assert_non_null(elements);
        assert_true(room >= count);
        fill(&elements[count - 1], count - 1);
    }
    assert_elements(elements, 5000);
    assert_true(allocations - before < 20); // few calls copy
    for (size_t i = 5000; i < room; i++)
        fill(&elements[i], i);
    assert_elements(elements, room);
    free(elements);
    assert_int_equal(allocations_held, held);
}

static void a_reserve_within_the_room_changes_nothing(void **state)
{
    (void)state;
    struct element *elements = NULL;
    size_t room = 0;
    assert_true(array_reserve(&elements, &room, 0, sizeof *elements));
    assert_null(elements);
    assert_true(array_reserve(&elements, &room, 3, sizeof *elements));
    size_t first_room = room, before = allocations;
    const struct element *first = elements;
    for (size_t count = 0; count <= first_room; count++)
        assert_true(array_reserve(&elements, &room, count, sizeof *elements));
    assert_ptr_equal(elements, first);
    assert_int_equal(room, first_room);
    assert_int_equal(allocations, before);
    assert_true(array_reserve(&elements, &room, first_room + 1, sizeof *elements));
    assert_true(room > first_room + 1); // more than requested
    free(elements);
}

static void without_memory_an_array_stays_as_it_is(void **state)
{
    (void)state;
    struct element *elements = NULL, one;
    size_t room = 0, count = 0;
    fill(&one, 0);
    allocations_end = 1;
    assert_false(array_reserve(&elements, &room, 1, sizeof one));
    assert_false(array_append(&elements, &count, &one, sizeof one));
    assert_null(elements);
    assert_true(room == 0 && count == 0);
    allocations_end = 0;
    assert_true(array_append(&elements, &count, &one, sizeof one));
    room = count;
    const struct element *first = elements;
    allocations_end = 1;
    assert_false(array_reserve(&elements, &room, 2, sizeof one));
    assert_false(array_append(&elements, &count, &one, sizeof one));
    allocations_end = 0;
    assert_ptr_equal(elements, first);
    assert_true(room == 1 && count == 1);
    assert_elements(elements, 1);
    free(elements);
}

static void an_appended_element_is_the_last(void **state)
{
    (void)state;
    struct element *elements = NULL, one;
    size_t held = allocations_held, count = 0;
    for (size_t i = 0; i < 300; i++) {
        fill(&one, i);
        assert_true(array_append(&elements, &count, &one, sizeof one));
        assert_int_equal(count, i + 1);
        fill(&one, 0); // it is a copy
        assert_elements(elements, count);
    }
    free(elements);
    assert_int_equal(allocations_held, held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reserve_keeps_the_elements_and_has_the_room_it_reports),
        cmocka_unit_test(a_reserve_within_the_room_changes_nothing),
        cmocka_unit_test(without_memory_an_array_stays_as_it_is),
        cmocka_unit_test(an_appended_element_is_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
