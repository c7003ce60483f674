/* The diagnoses of a run, and their printed form. */
#define _GNU_SOURCE
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/cli/program.h"
#include "app/drivers/diagnoses.h"
#include "tests/support/allocations.h"

static char *printed(const struct diagnoses *diagnoses, enum diagnosis_severity severity)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    diagnoses_print(diagnoses, severity, out);
    fclose(out);
    return text;
}

static struct diagnoses make(void)
{
    struct diagnoses diagnoses = {0};
    diagnoses_add(&diagnoses, DIAGNOSIS_WIRE, DIAGNOSIS_WARNING, NULL, "%d bytes\nlost", 3);
    diagnoses_steady(&diagnoses, "bytes lost");
    diagnoses_add(&diagnoses, DIAGNOSIS_DRIVER, DIAGNOSIS_FAILURE, "page.md#here", "it ended");
    diagnoses_add(&diagnoses, DIAGNOSIS_MACHINE, DIAGNOSIS_WARNING, NULL, "it was late");
    diagnoses_add(&diagnoses, DIAGNOSIS_SCENE, DIAGNOSIS_WARNING, NULL, "it has no wall");
    return diagnoses;
}

static void those_of_one_severity_are_printed_below_one_empty_line(void **state)
{
    (void)state;
    struct diagnoses diagnoses = make();
    char *warnings = printed(&diagnoses, DIAGNOSIS_WARNING);
    char *failures = printed(&diagnoses, DIAGNOSIS_FAILURE);
    assert_string_equal(warnings, "\nwire warning: 3 bytes lost\n"
                                  "machine warning: it was late\n"
                                  "scene warning: it has no wall\n");
    char docs[PATH_MAX], wanted[PATH_MAX + 100];
    program_find(PROGRAM_DOCS, docs, sizeof docs);
    snprintf(wanted, sizeof wanted, "\ndriver failure: it ended\n  see %s/page.md#here\n",
             *docs ? docs : "docs");
    assert_string_equal(failures, wanted);
    assert_int_equal(diagnoses.warnings, 3);
    free(warnings);
    free(failures);
    diagnoses_free(&diagnoses);
}

static void the_first_of_a_severity_is_found(void **state)
{
    (void)state;
    struct diagnoses diagnoses = make(), none = {0};
    assert_string_equal(diagnoses_first(&diagnoses, DIAGNOSIS_FAILURE)->text, "it ended");
    assert_string_equal(diagnoses_first(&diagnoses, DIAGNOSIS_WARNING)->text, "3 bytes lost");
    assert_null(diagnoses_first(&none, DIAGNOSIS_WARNING));
    diagnoses_free(&diagnoses);
    assert_int_equal(diagnoses.count, 0);
    assert_int_equal(diagnoses.warnings, 0);
}

static void a_steady_text_belongs_to_the_diagnosis_that_was_added_last(void **state)
{
    (void)state;
    struct diagnoses diagnoses = make();
    diagnoses_steady(&diagnoses, "no wall");
    assert_string_equal(diagnoses.items[0].steady, "bytes lost");
    assert_null(diagnoses.items[1].steady);
    assert_null(diagnoses.items[2].steady);
    assert_string_equal(diagnoses.items[3].steady, "no wall");
    assert_false(diagnoses.is_short);
    diagnoses_free(&diagnoses);
}

static void all_memory_is_freed_also_where_some_was_missing(void **state)
{
    (void)state;
    size_t held = allocations_held;
    struct diagnoses diagnoses = make();
    diagnoses_free(&diagnoses);
    assert_int_equal(allocations_held, held);
    for (size_t i = 1; i <= 2; i++) {
        allocations_gap = allocations + i;
        diagnoses_add(&diagnoses, DIAGNOSIS_WIRE, DIAGNOSIS_WARNING, NULL, "lost");
        allocations_gap = 0;
        assert_true(diagnoses.is_short);
        assert_int_equal(diagnoses.count, 0);
        assert_int_equal(diagnoses.warnings, 0);
        assert_int_equal(allocations_held, held);
        diagnoses_free(&diagnoses);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_one_severity_are_printed_below_one_empty_line),
        cmocka_unit_test(the_first_of_a_severity_is_found),
        cmocka_unit_test(all_memory_is_freed_also_where_some_was_missing),
        cmocka_unit_test(a_steady_text_belongs_to_the_diagnosis_that_was_added_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
