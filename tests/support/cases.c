/* Runs only the tests of a program whose names match PTYBOT_CASE, an environment variable where
 * `*` and `?` are wildcards. With PTYBOT_CASES it prints the names of all tests and runs none.
 * tests/mutants/mutate.py uses both. Linked with --wrap=_cmocka_run_group_tests. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/check.h"

int __real__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);

int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown)
{
    const char *name = getenv("PTYBOT_CASE");
    if (name)
        cmocka_set_test_filter(name);
    if (!getenv("PTYBOT_CASES"))
        return __real__cmocka_run_group_tests(group, tests, count, setup, teardown);
    for (size_t i = 0; i < count; i++)
        puts(tests[i].name);
    return 0;
}
