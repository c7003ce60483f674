/* What a test has found, collected and printed for people. */
#include "app/test/judgement.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/exit_code.h"
#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "base/text.h"

enum {
    LOG_BYTES = 16384, /* chosen: what of a host's log goes into the JUnit file */
    LOG_LINES = 20,    /* chosen: what of it people see */
    LOG_WIDTH = 400,   /* chosen: of a line, in bytes; more is no text */
};

static void *need(void *memory)
{
    if (memory)
        return memory;
    terminal_say("not enough memory");
    exit(EXIT_CODE_ENVIRONMENT);
}

static char *copy(const char *text)
{
    return need(strdup(text ? text : ""));
}

static void note_reason(struct judgement *judgement, const struct judgement_case *item)
{
    const char *found = item->found;
    // A host that failed explains what was not reached, not the other way round.
    if (judgement->reason && !item->is_host)
        return;
    free(judgement->reason);
    size_t size = strlen(item->what) + strlen(item->when) + strlen(found) + 8;
    judgement->reason = need(malloc(size));
    if (item->is_host)
        snprintf(judgement->reason, size, "host %s", found);
    else
        snprintf(judgement->reason, size, "%s %s%s%s", item->what, item->when, *found ? ": " : "",
                 found);
}

void judgement_add(struct judgement *judgement, const struct judgement_case *item)
{
    judgement->cases =
        need(realloc(judgement->cases, (judgement->count + 1) * sizeof *judgement->cases));
    struct judgement_case *own = &judgement->cases[judgement->count++];
    *own = *item;
    own->what = copy(item->what);
    own->when = copy(item->when);
    own->found = copy(item->found);
    judgement->failures += item->verdict == JUDGEMENT_FAILED;
    judgement->errors += item->verdict == JUDGEMENT_ERROR;
    if (item->verdict != JUDGEMENT_PASSED)
        note_reason(judgement, own);
}

static void add_expectation(struct judgement *judgement, const struct sim_expectation *item,
                            const char *kind)
{
    static const enum judgement_verdict verdicts[] = {[SIM_PENDING] = JUDGEMENT_ERROR,
                                                      [SIM_PASSED] = JUDGEMENT_PASSED,
                                                      [SIM_FAILED] = JUDGEMENT_FAILED};
    bool is_pending = item->verdict == SIM_PENDING;
    judgement_add(judgement, &(struct judgement_case){
                                 .verdict = verdicts[item->verdict],
                                 .what = item->that,
                                 .when = item->when,
                                 .found = is_pending ? "undecided" : item->found,
                                 .kind = is_pending ? "interrupted" : kind,
                                 .at_s = (double)item->at_us * 1e-6,
                                 .line = item->line,
                             });
}

void judgement_add_sim(struct judgement *judgement, const struct sim *sim)
{
    struct sim_expectation item;
    for (size_t i = 0; i < sim_expectation_count(sim); i++) {
        sim_expectation(sim, i, &item);
        add_expectation(judgement, &item, "expectation");
    }
    for (size_t i = 0; i < sim_action_count(sim); i++) {
        sim_action(sim, i, &item);
        if (item.verdict == SIM_FAILED)
            add_expectation(judgement, &item, "refused");
    }
}

void judgement_read_log(struct judgement *judgement, const char *path)
{
    FILE *file = fopen(path, "re");
    judgement->host_log = need(calloc(1, LOG_BYTES + 1));
    if (!file)
        return;
    // A short file refuses this and is read from its beginning.
    bool is_cut = fseek(file, -LOG_BYTES, SEEK_END) == 0 && ftell(file) > 0;
    size_t size = fread(judgement->host_log, 1, LOG_BYTES, file);
    fclose(file);
    text_clean(judgement->host_log, size);
    const char *line = is_cut ? strchr(judgement->host_log, '\n') : NULL;
    if (line)
        memmove(judgement->host_log, line + 1, strlen(line));
}

/* ---- For people ---- */

static void print_log(const struct judgement *judgement, FILE *out)
{
    const char *log = judgement->host_log;
    const char *end = log + strlen(log), *from = end;
    unsigned lines = 0;
    if (from > log && from[-1] == '\n')
        from--;
    while (from > log && (from[-1] != '\n' || ++lines < LOG_LINES))
        from--;
    fprintf(out, "\nthe host printed%s%s\n", from > log ? " at last" : "", *log ? ":" : " nothing");
    while (from < end) {
        size_t size = strcspn(from, "\n");
        bool is_long = size > LOG_WIDTH;
        fprintf(out, "  | %.*s%s\n", is_long ? LOG_WIDTH : (int)size, from, is_long ? "..." : "");
        from += size + (from[size] == '\n');
    }
}

static void add_row(struct table *table, const struct judgement *judgement,
                    const struct judgement_case *item)
{
    static const char *const verdicts[] = {
        [JUDGEMENT_PASSED] = "passed", [JUDGEMENT_FAILED] = "FAILED", [JUDGEMENT_ERROR] = "ERROR"};
    char at[32], place[sizeof judgement->file + 16] = "";
    snprintf(at, sizeof at, "%.3f s", item->at_s);
    if (item->line > 0 && item->verdict != JUDGEMENT_PASSED)
        snprintf(place, sizeof place, "%s:%u", judgement->file, item->line);
    table_row(table, (const char *const[]){verdicts[item->verdict], item->what, item->when,
                                           item->is_host ? "" : at, item->found, place});
}

static bool has_failed(const struct judgement *judgement)
{
    return judgement->failures + judgement->errors > 0;
}

void judgement_print(const struct judgement *judgement, FILE *out)
{
    struct table table;
    table_init(&table,
               (const char *const[]){"verdict", "expected", "when", ">at", "found", "", NULL});
    for (size_t i = 0; i < judgement->count; i++)
        add_row(&table, judgement, &judgement->cases[i]);
    fprintf(out, "%s, seed %" PRIu64 "\n\n", judgement->name, judgement->seed);
    table_print(&table, 2, out);
    if (has_failed(judgement) && judgement->host_log)
        print_log(judgement, out);
    if (*judgement->warning)
        fprintf(out, "\nwarning: %s\n", judgement->warning);
    fprintf(out, "\n%s: %zu of %zu%s; %.3f s simulated in %.3f s\n",
            has_failed(judgement) ? "FAILED" : "passed",
            judgement->count - judgement->failures - judgement->errors, judgement->count,
            *judgement->warning ? ", 1 warning" : "", judgement->simulated_s, judgement->wall_s);
}

int judgement_code(const struct judgement *judgement)
{
    if (judgement->errors > 0)
        return EXIT_CODE_ENVIRONMENT;
    return judgement->failures > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

void judgement_free(struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->count; i++) {
        free((char *)judgement->cases[i].what);
        free((char *)judgement->cases[i].when);
        free((char *)judgement->cases[i].found);
    }
    free(judgement->cases);
    free(judgement->host_log);
    free(judgement->reason);
    *judgement = (struct judgement){0};
}
