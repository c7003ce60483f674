/* The results of a test, collected and printed for people. */
#include "app/test/judgement.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "base/array.h"
#include "base/text.h"

enum {
    LOG_BYTES = 16384, /* chosen: the end of a host's log in the JUnit file */
    LOG_LINES = 20,    /* chosen: lines of it that are printed */
    LOG_WIDTH = 400,   /* chosen: bytes of a line; longer lines are not text */
};

static char *copy(const char *text)
{
    return strdup(text ? text : "");
}

static void free_case(const struct judgement_case *item)
{
    free((char *)item->name);
    free((char *)item->what);
    free((char *)item->when);
    free((char *)item->found);
    free((char *)item->steady);
    free((char *)item->printed);
}

static void note_reason(struct judgement *judgement, const struct judgement_case *item)
{
    const char *found = item->found;
    bool is_robot_gone = item->kind && strcmp(item->kind, "no_robot") == 0;
    // A failed host explains failed expectations, not the other way round.
    if (judgement->reason && (!item->is_host || is_robot_gone))
        return;
    free(judgement->reason);
    size_t size = strlen(item->name) + strlen(item->what) + strlen(item->when) + strlen(found) + 8;
    judgement->reason = malloc(size);
    if (!judgement->reason)
        judgement->is_short = true;
    judgement->is_reason_host = item->is_host;
    if (!judgement->reason)
        return;
    if (item->is_host)
        snprintf(judgement->reason, size, "host %s", found);
    else
        snprintf(judgement->reason, size, "%s%s%s%s%s%s%s", item->name, *item->name ? ": " : "",
                 item->what, *item->when ? " " : "", item->when, *found ? ": " : "", found);
}

void judgement_add(struct judgement *judgement, const struct judgement_case *item)
{
    struct judgement_case own = *item;
    own.name = copy(item->name);
    own.what = copy(item->what);
    own.when = copy(item->when);
    own.found = copy(item->found);
    own.steady = copy(item->steady ? item->steady : item->found);
    if (!own.name || !own.what || !own.when || !own.found || !own.steady ||
        !array_append(&judgement->cases, &judgement->count, &own, sizeof own)) {
        free_case(&own);
        judgement->is_short = true;
        return;
    }
    judgement->failures += item->verdict == JUDGEMENT_FAILED;
    judgement->errors += item->verdict == JUDGEMENT_ERROR;
    judgement->skipped += item->verdict == JUDGEMENT_SKIPPED;
    if (item->verdict == JUDGEMENT_FAILED || item->verdict == JUDGEMENT_ERROR)
        note_reason(judgement, &own);
}

void judgement_add_other(struct judgement *judgement, enum judgement_verdict verdict,
                         const char *what, const char *when, const char *found, const char *kind)
{
    judgement_add(
        judgement,
        &(struct judgement_case){
            .verdict = verdict, .what = what, .when = when, .found = found, .kind = kind});
}

static void add_expectation(struct judgement *judgement, const struct sim_expectation *item,
                            const char *kind)
{
    static const enum judgement_verdict verdicts[] = {[SIM_PENDING] = JUDGEMENT_ERROR,
                                                      [SIM_PASSED] = JUDGEMENT_PASSED,
                                                      [SIM_FAILED] = JUDGEMENT_FAILED,
                                                      [SIM_SKIPPED] = JUDGEMENT_SKIPPED};
    bool is_pending = item->verdict == SIM_PENDING;
    judgement_add(judgement, &(struct judgement_case){
                                 .verdict = verdicts[item->verdict],
                                 .name = item->name,
                                 .what = item->that,
                                 .when = item->when,
                                 .found = is_pending ? "undecided" : item->found,
                                 .kind = is_pending ? "interrupted" : kind,
                                 .at_s = (double)item->at_us * 1e-6,
                                 .line = item->line,
                                 .is_measured = isfinite(item->margin.margin),
                                 .margin = item->margin,
                             });
}

void judgement_pardon(struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->count; i++)
        if (judgement->cases[i].verdict == JUDGEMENT_FAILED)
            judgement->cases[i].verdict = JUDGEMENT_SKIPPED;
    judgement->skipped += judgement->failures;
    judgement->failures = 0;
    free(judgement->reason);
    judgement->reason = NULL;
    judgement->is_reason_host = false;
    for (size_t i = 0; i < judgement->count; i++)
        if (judgement->cases[i].verdict == JUDGEMENT_ERROR)
            note_reason(judgement, &judgement->cases[i]);
}

void judgement_add_measure(struct judgement *judgement, const char *name, const double *value)
{
    struct judgement_measure one = {
        .name = copy(name), .value = value ? *value : 0, .is_there = value};
    if (one.name && array_append(&judgement->measures, &judgement->measure_count, &one, sizeof one))
        return;
    free(one.name);
    judgement->is_short = true;
}

static void add_measures(struct judgement *judgement, const struct sim *sim)
{
    for (size_t i = 0; i < sim_measure_count(sim); i++) {
        double value;
        bool is_there = sim_measure_value(sim, i, &value);
        judgement_add_measure(judgement, sim_measure_name(sim, i), is_there ? &value : NULL);
    }
}

void judgement_add_sim(struct judgement *judgement, const struct sim *sim)
{
    for (size_t i = 0; i < sim_expectation_count(sim); i++) {
        const struct sim_expectation item = sim_expectation(sim, i);
        add_expectation(judgement, &item, "expectation");
    }
    for (size_t i = 0; i < sim_action_count(sim); i++) {
        struct sim_expectation item = sim_action(sim, i);
        item.margin.margin = INFINITY; // a command has none
        if (item.verdict == SIM_FAILED)
            add_expectation(judgement, &item, "refused");
    }
    add_measures(judgement, sim);
}

/* ---- The host ---- */

enum {
    COMMAND_MAX = 200, /* chosen: enough to recognize it */
    FOUND_MAX = 400,
    SHELL_NOT_FOUND = 127, /* POSIX, Shell Command Language, 2.8.2: exit status of commands */
    SHELL_NOT_EXECUTABLE = 126,
};

static void write_command(const char *const *words, char text[COMMAND_MAX])
{
    bool is_whole = true;
    text[0] = '\0';
    for (size_t i = 0; words[i] && is_whole; i++)
        is_whole = text_add(text, COMMAND_MAX, i > 0 ? " " : "", "%s", words[i]);
    if (!is_whole)
        memcpy(text + COMMAND_MAX - 4, "...", 4);
    text_flatten(text);
}

/* The behavior of hosts at the ports, if it may explain the result. */
static const char *at_ports(const struct test_guide *guide)
{
    if (test_guide_traffic(guide).hosts == 0)
        return "; it never opened a port";
    return test_guide_traffic(guide).bytes == 0 ? "; it opened a port but never sent a byte" : "";
}

/* The kind of a failure. The behavior at the ports takes precedence over KIND. */
static const char *kind_at_ports(const struct test_guide *guide, const char *kind)
{
    if (test_guide_traffic(guide).hosts == 0)
        return "never_opened";
    return test_guide_traffic(guide).bytes == 0 ? "silent" : kind;
}

static void judge_exit(struct judgement_case *item, char *found, const struct test_guide *guide,
                       const struct host *host, bool is_held)
{
    int status = host->status;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    const char *note = at_ports(guide);
    // A driver that puts itself into the background ends the test. The message explains that.
    const char *left = guide->is_host_survived
                           ? "; processes that it had started were still running and were killed"
                           : "";
    if (host_obeyed(guide->hosts, host)) {
        item->verdict = JUDGEMENT_PASSED;
        snprintf(found, FOUND_MAX, "ended after %.3f s by a signal that the scene sent%s%s",
                 item->at_s, note, left);
    } else if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        const char *name = sigabbrev_np(number);
        item->kind = "signal";
        snprintf(found, FOUND_MAX, "was killed by %s%s (%s) after %.3f s%s",
                 name ? "SIG" : "signal ", name ? name : "", strsignal(number), item->at_s, note);
    } else if (code == SHELL_NOT_FOUND || code == SHELL_NOT_EXECUTABLE) {
        item->verdict = JUDGEMENT_ERROR;
        item->kind = "not_started";
        snprintf(found, FOUND_MAX, "could not be started: a shell %s (exit code %d)",
                 code == SHELL_NOT_FOUND ? "did not find the command"
                                         : "has no permission to execute it",
                 code);
    } else if (code != 0) {
        item->kind = "exit";
        snprintf(found, FOUND_MAX, "exited with %d after %.3f s%s%s", code, item->at_s, note, left);
    } else if (is_held && test_guide_traffic(guide).hosts == 0) {
        item->kind = "never_opened";
        snprintf(found, FOUND_MAX,
                 "exited with 0 after %.3f s without opening a port, so simulated time never "
                 "started. For programs that open no port, `ptybot test` has --start now%s",
                 item->at_s, left);
    } else {
        item->verdict = JUDGEMENT_PASSED;
        snprintf(found, FOUND_MAX, "exited with 0 after %.3f s%s%s", item->at_s, note, left);
    }
}

/* FOUND without the wall-clock duration, which differs in each run. */
static void leave_time_out(const char *found, double took_s, char steady[FOUND_MAX])
{
    static const char *const forms[] = {" after ", ", "};
    snprintf(steady, FOUND_MAX, "%s", found);
    for (size_t i = 0; i < COUNT(forms); i++) {
        char time[48];
        snprintf(time, sizeof time, "%s%.3f s", forms[i], took_s);
        char *at = strstr(steady, time);
        if (at)
            memmove(at, at + strlen(time), strlen(at + strlen(time)) + 1);
    }
}

void judgement_add_host(struct judgement *judgement, const struct test_guide *guide,
                        const struct host *host, const char *const *words, bool is_held)
{
    char command[COMMAND_MAX], found[FOUND_MAX] = "", steady[FOUND_MAX];
    bool is_ended = host->is_ended && host->end_ns <= guide->end_ns;
    int64_t end_ns = is_ended ? host->end_ns : guide->end_ns;
    struct judgement_case item = {
        .verdict = JUDGEMENT_FAILED,
        .what = command,
        .when = "host",
        .found = found,
        .steady = steady,
        .at_s = (double)(end_ns - host->start_ns) * 1e-9,
        .is_host = true,
    };
    write_command(words, command);
    if (guide->end == TEST_END_FIRMWARE) {
        item.verdict = JUDGEMENT_ERROR;
        item.kind = "no_robot";
        snprintf(found, sizeof found,
                 "not judged: the firmware of its robot had ended after %.3f s", item.at_s);
    } else if (is_ended) {
        judge_exit(&item, found, guide, host, is_held);
    } else if (guide->end == TEST_END_TIMEOUT) {
        item.kind = kind_at_ports(guide, "timeout");
        snprintf(found, sizeof found, "timed out: still running after %.3f s (--host-timeout)%s",
                 item.at_s, at_ports(guide));
    } else if (guide->end == TEST_END_DEADLINE &&
               host < guide->hosts->items + guide->hosts->awaited) {
        item.kind = kind_at_ports(guide, "hung");
        snprintf(found, sizeof found,
                 "hung: still running %.9g s of simulated time after a port was opened%s",
                 (double)guide->deadline_us * 1e-6, at_ports(guide));
    } else if (guide->end == TEST_END_SIGNAL) {
        item.verdict = JUDGEMENT_ERROR;
        item.kind = "interrupted";
        snprintf(found, sizeof found, "was ended together with the test after %.3f s", item.at_s);
    } else {
        item.verdict = JUDGEMENT_PASSED;
        snprintf(found, sizeof found, "was running until %s, %.3f s%s",
                 guide->end == TEST_END_FAILED ? "a failure ended the test" : "the end", item.at_s,
                 at_ports(guide));
    }
    leave_time_out(found, item.at_s, steady);
    judgement_add(judgement, &item);
}

void judgement_add_not_started(struct judgement *judgement, const char *const *words,
                               const char *reason)
{
    char command[COMMAND_MAX], found[FOUND_MAX];
    write_command(words, command);
    snprintf(found, sizeof found, "could not be started: %s", reason);
    judgement_add(judgement, &(struct judgement_case){.verdict = JUDGEMENT_ERROR,
                                                      .what = command,
                                                      .when = "host",
                                                      .found = found,
                                                      .kind = "not_started",
                                                      .is_host = true});
}

void judgement_add_not_come(struct judgement *judgement, double waited_s)
{
    char found[FOUND_MAX];
    snprintf(found, sizeof found, "no driver opened a port within %.3f s (--host-timeout)",
             waited_s);
    judgement_add(judgement, &(struct judgement_case){.verdict = JUDGEMENT_FAILED,
                                                      .what = "external driver (--start host)",
                                                      .when = "host",
                                                      .found = found,
                                                      .kind = "never_opened",
                                                      .at_s = waited_s,
                                                      .is_host = true});
}

/* The end of a log. NULL: out of memory. */
static char *read_end(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = calloc(1, LOG_BYTES + 1);
    if (!file || !text) {
        if (file)
            fclose(file);
        return text;
    }
    // This fails for a short file, which is then read from the start.
    bool is_cut = fseek(file, -LOG_BYTES, SEEK_END) == 0 && ftell(file) > 0;
    size_t size = fread(text, 1, LOG_BYTES, file);
    fclose(file);
    text_clean(text, size);
    const char *line = is_cut ? strchr(text, '\n') : NULL;
    size_t rest = line ? strlen(line + 1) + 1 : 0;
    if (line)
        memmove(text, line + 1, rest);
    return text;
}

void judgement_read_log(struct judgement *judgement, size_t index, const char *path)
{
    for (size_t i = 0; i < judgement->count; i++) {
        struct judgement_case *item = &judgement->cases[i];
        if (!item->is_host || index-- > 0)
            continue;
        item->printed = read_end(path);
        judgement->is_short |= !item->printed;
        return;
    }
}

/* ---- For people ---- */

static void print_log(const struct judgement_case *item, bool is_alone, FILE *out)
{
    const char *log = item->printed;
    const char *end = log + strlen(log), *from = end;
    unsigned lines = 0;
    if (from > log && from[-1] == '\n')
        from--;
    while (from > log && (from[-1] != '\n' || ++lines < LOG_LINES))
        from--;
    fprintf(out, "\n%s of %s%s\n", from > log ? "last output" : "output",
            is_alone ? "the driver" : item->what, *log ? ":" : ": nothing");
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
    static const char *const verdicts[] = {[JUDGEMENT_PASSED] = "passed",
                                           [JUDGEMENT_FAILED] = "FAILED",
                                           [JUDGEMENT_ERROR] = "ERROR",
                                           [JUDGEMENT_SKIPPED] = "skipped"};
    char what[SCENE_LABEL_MAX + SCENE_LINE_MAX + 2];
    char at[32], place[sizeof judgement->file + 16] = "";
    snprintf(at, sizeof at, "%.3f s", item->at_s);
    if (item->line > 0 && item->verdict != JUDGEMENT_PASSED && item->verdict != JUDGEMENT_SKIPPED)
        snprintf(place, sizeof place, "%s:%u", judgement->file, item->line);
    snprintf(what, sizeof what, "%s%s%s", item->name, *item->name ? ": " : "", item->what);
    table_row(table, (const char *const[]){verdicts[item->verdict], what, item->when,
                                           item->is_host ? "" : at, item->found, place});
}

static bool print_measures(const struct judgement *judgement, FILE *out)
{
    struct table table;
    table_init(&table, (const char *const[]){"measure", ">value", NULL});
    for (size_t i = 0; i < judgement->measure_count; i++) {
        const struct judgement_measure *item = &judgement->measures[i];
        char value[32] = "-";
        if (item->is_there)
            table_number(item->value, value, sizeof value);
        table_row(&table, (const char *const[]){item->name, value});
    }
    if (judgement->measure_count > 0)
        fputc('\n', out);
    return judgement->measure_count == 0 || table_print(&table, 2, out);
}

bool judgement_is_short(const struct judgement *judgement)
{
    return judgement->is_short || judgement->diagnoses.is_short;
}

static bool has_failed(const struct judgement *judgement)
{
    return judgement->failures + judgement->errors > 0 || judgement_is_short(judgement);
}

static void print_time(const struct warp_outcome *time, FILE *out)
{
    if (*time->text)
        fprintf(out, "\n%s\n", time->text);
    if (*time->text && !time->is_held)
        diagnosis_print_entry("troubleshooting.md#not-held", out);
}

static void print_end(const struct judgement *judgement, FILE *out)
{
    char warnings[48] = "", skipped[48] = "";
    size_t count = judgement->diagnoses.warnings, failed = judgement->failures + judgement->errors;
    if (judgement->skipped > 0)
        snprintf(skipped, sizeof skipped, ", %zu not judged", judgement->skipped);
    if (count > 0)
        snprintf(warnings, sizeof warnings, ", %zu warning%s", count, count == 1 ? "" : "s");
    fprintf(out, "\n%s: %zu of %zu%s%s; %.3f s simulated in %.3f s\n",
            has_failed(judgement) ? "FAILED" : "passed",
            has_failed(judgement) ? failed : judgement->count, judgement->count, skipped, warnings,
            judgement->simulated_s, judgement->wall_s);
}

static size_t count_printed(const struct judgement *judgement)
{
    size_t count = 0;
    for (size_t i = 0; i < judgement->count; i++)
        count += judgement->cases[i].printed != NULL;
    return count;
}

bool judgement_print(const struct judgement *judgement, FILE *out)
{
    struct table table;
    table_init(&table,
               (const char *const[]){"verdict", "expected", "when", ">at", "found", "", NULL});
    for (size_t i = 0; i < judgement->count; i++)
        add_row(&table, judgement, &judgement->cases[i]);
    fprintf(out, "%s, seed %" PRIu64 "\n", judgement->name, judgement->seed);
    diagnoses_print(&judgement->diagnoses, DIAGNOSIS_FAILURE, out);
    fputc('\n', out);
    bool is_whole = table_print(&table, 2, out);
    is_whole = print_measures(judgement, out) && is_whole;
    is_whole = wire_report_print(&judgement->wires, has_failed(judgement), out) && is_whole;
    for (size_t i = 0; has_failed(judgement) && i < judgement->count; i++)
        if (judgement->cases[i].printed)
            print_log(&judgement->cases[i], count_printed(judgement) == 1, out);
    if (judgement_is_short(judgement))
        fprintf(out, "\nnot enough memory: some findings are missing\n");
    diagnoses_print(&judgement->diagnoses, DIAGNOSIS_WARNING, out);
    print_time(&judgement->time, out);
    print_end(judgement, out);
    return is_whole;
}

bool judgement_print_hosts(const struct judgement *judgement, FILE *out)
{
    fputc('\n', out);
    for (size_t i = 0; i < judgement->count; i++)
        fprintf(out, "%s: %s\n", judgement->cases[i].what, judgement->cases[i].found);
    diagnoses_print(&judgement->diagnoses, DIAGNOSIS_WARNING, out);
    print_time(&judgement->time, out);
    return !judgement_is_short(judgement);
}

int judgement_code(const struct judgement *judgement)
{
    if (judgement->errors > 0 || judgement_is_short(judgement))
        return EXIT_CODE_ENVIRONMENT;
    return judgement->failures > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

void judgement_free(struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->count; i++)
        free_case(&judgement->cases[i]);
    for (size_t i = 0; i < judgement->measure_count; i++)
        free(judgement->measures[i].name);
    free(judgement->cases);
    free(judgement->measures);
    free(judgement->reason);
    diagnoses_free(&judgement->diagnoses);
    wire_report_free(&judgement->wires);
    *judgement = (struct judgement){0};
}
