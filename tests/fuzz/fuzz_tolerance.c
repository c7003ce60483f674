/* Any bytes as a file of tolerances: rejected with a reason, or read as rules. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "app/lab/compare/compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { RULES = 8 };
    struct compare_rule rules[RULES];
    struct error error = {0};
    size_t count = 0;
    FILE *file = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (!file)
        return 0;
    bool is_right = compare_rules_read(file, "file", rules, RULES, &count, &error);
    fclose(file);
    assert(count <= RULES && is_right == (error.text[0] == '\0'));
    for (size_t i = 0; i < count; i++)
        assert(rules[i].tolerance >= 0 && strlen(rules[i].field) < sizeof rules[i].field &&
               (rules[i].kind == COMPARE_VALUE || rules[i].kind == COMPARE_LEFT_OUT));
    return 0;
}
