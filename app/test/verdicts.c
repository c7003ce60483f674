/* How the expectations and the timeline of a scene came out. */
#include "app/test/verdicts.h"

#include "app/cli/table.h"

/* Words for the verdicts, in their order. */
static const char *const expectation_words[] = {"undecided", "passed", "FAILED"};
static const char *const action_words[] = {"not done", "done", "REFUSED"};

static void add_row(struct table *table, const char *word, const struct sim_expectation *one)
{
    char at[32];
    // A moment that was not reached has no time.
    if (one->verdict == SIM_PENDING)
        snprintf(at, sizeof at, "-");
    else
        table_number((double)one->at_us * 1e-6, at, sizeof at);
    table_row(table, (const char *const[]){word, one->that, one->when, at, one->found});
}

static void print_expectations(const struct sim *sim, FILE *out)
{
    struct table table;
    struct sim_expectation one;
    table_init(&table,
               (const char *const[]){"verdict", "expected", "when", ">at s", "found", NULL});
    for (size_t i = 0; i < sim_expectation_count(sim); i++) {
        sim_expectation(sim, i, &one);
        add_row(&table, expectation_words[one.verdict], &one);
    }
    fputc('\n', out);
    table_print(&table, 2, out);
}

static void print_timeline(const struct sim *sim, FILE *out)
{
    struct table table;
    struct sim_expectation one;
    table_init(&table, (const char *const[]){"timeline", "command", "when", ">at s", "", NULL});
    for (size_t i = 0; i < sim_action_count(sim); i++) {
        sim_action(sim, i, &one);
        add_row(&table, action_words[one.verdict], &one);
    }
    fputc('\n', out);
    table_print(&table, 2, out);
}

void verdicts_print(const struct sim *sim, FILE *out)
{
    if (sim_action_count(sim) > 0)
        print_timeline(sim, out);
    if (sim_expectation_count(sim) > 0)
        print_expectations(sim, out);
}

size_t verdicts_failed(const struct sim *sim)
{
    struct sim_expectation one;
    size_t failed = 0;
    for (size_t i = 0; i < sim_expectation_count(sim); i++) {
        sim_expectation(sim, i, &one);
        failed += one.verdict == SIM_FAILED;
    }
    for (size_t i = 0; i < sim_action_count(sim); i++) {
        sim_action(sim, i, &one);
        failed += one.verdict == SIM_FAILED;
    }
    return failed;
}
