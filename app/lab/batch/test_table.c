#include "app/lab/batch/test_table.h"

#include "app/cli/table.h"
#include "app/cli/terminal.h"

static void add_row(struct table *table, const char *name, const struct test_result *result)
{
    static const char *const verdicts[] = {"passed", "FAILED", "ERROR", "ERROR"};
    char cases[32], simulated[32], wall[32];
    bool is_run = result->is_done;
    snprintf(cases, sizeof cases, "%zu/%zu",
             result->cases - result->failures - result->errors - result->skipped, result->cases);
    snprintf(simulated, sizeof simulated, "%.1f s", result->simulated_s);
    snprintf(wall, sizeof wall, "%.1f s", result->wall_s);
    table_row(table, (const char *const[]){is_run ? verdicts[result->code & 3] : "not run", name,
                                           is_run ? cases : "", is_run ? simulated : "",
                                           is_run ? wall : "", result->reason});
}

void test_table_print(const char *const *names, const struct test_result *results, size_t count,
                      FILE *out)
{
    struct table table;
    table_init(&table, (const char *const[]){"verdict", "test", ">cases", ">simulated", ">took",
                                             "reason", NULL});
    for (size_t i = 0; i < count; i++)
        if (count <= TEST_TABLE_ROWS || results[i].code != EXIT_CODE_OK)
            add_row(&table, names[i], &results[i]);
    table_print(&table, 2, out);
}
