/* Writes results as lines of JSON. */
#include "app/test/results.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/control/rpc.h"
#include "app/files/file_bytes.h"
#include "base/text.h"

const char *const results_verdicts[] = {"passed", "failed", "error", "skipped", NULL};

/* ---- Values ---- */

/* Invalid UTF-8 bytes become `?`. NULL: out of memory. */
static json_t *text_value(const char *text)
{
    char *safe = strdup(text ? text : "");
    for (char *at = safe; at && *at;) {
        size_t size = text_character(at);
        if (size == 0)
            *at = '?';
        at += size > 0 ? size : 1;
    }
    json_t *value = safe ? json_string(safe) : NULL;
    free(safe);
    return value;
}

/* Adds a value to an object (KEY) or to a list. MADE becomes NULL if memory is short. */
static void put(json_t **made, const char *key, json_t *value)
{
    if ((key ? json_object_set_new(*made, key, value) : json_array_append_new(*made, value)) == 0)
        return;
    json_decref(*made);
    *made = NULL;
}

/* ---- The plan ---- */

char *results_plan_line(const struct results_plan *plan)
{
    json_t *made = json_object(), *names = json_array(), *shard = json_array();
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, plan->hash);
    for (size_t i = 0; i < plan->count; i++)
        put(&names, NULL, text_value(plan->names[i]));
    for (size_t i = 0; i < 2; i++)
        put(&shard, NULL, json_integer(plan->shard[i]));
    put(&made, "type", json_string("plan"));
    put(&made, "format", json_integer(RESULTS_FORMAT));
    put(&made, "plan", json_string(hash));
    put(&made, "count", json_integer((json_int_t)plan->count));
    put(&made, "shard", shard);
    put(&made, "varied", json_deep_copy(plan->varied));
    put(&made, "better", json_deep_copy(plan->better));
    put(&made, "version", text_value(program_version()));
    put(&made, "build", text_value(program_build()));
    put(&made, "names", names);
    return rpc_line(made);
}

/* ---- A case ---- */

static const char *steady(const struct judgement_case *item)
{
    return item->steady ? item->steady : item->found;
}

/* TEXT without the wall-clock durations of hosts. */
static json_t *steady_text(const struct judgement *judgement, const char *text)
{
    for (size_t i = 0; i < judgement->count; i++) {
        const struct judgement_case *item = &judgement->cases[i];
        const char *at = item->is_host && *item->found ? strstr(text, item->found) : NULL;
        char *copy = at ? malloc(strlen(text) + strlen(steady(item)) + 1) : NULL;
        if (!copy)
            continue;
        sprintf(copy, "%.*s%s%s", (int)(at - text), text, steady(item), at + strlen(item->found));
        json_t *value = text_value(copy);
        free(copy);
        return value;
    }
    return text_value(text);
}

static json_t *expectation(const struct judgement_case *item)
{
    json_t *made = json_object();
    bool is_passed = item->verdict == JUDGEMENT_PASSED || item->verdict == JUDGEMENT_SKIPPED;
    put(&made, "name", text_value(item->name));
    put(&made, "that", text_value(item->what));
    put(&made, "when", text_value(item->when));
    put(&made, "verdict", json_string(results_verdicts[item->verdict]));
    put(&made, "kind", text_value(is_passed ? "" : item->kind));
    put(&made, "found", text_value(steady(item)));
    put(&made, "at_s", item->is_host ? json_null() : rpc_number(item->at_s));
    put(&made, "line", json_integer(item->line));
    put(&made, "margin", item->is_measured ? rpc_number(item->margin.margin) : json_null());
    put(&made, "margin_at_s",
        item->is_measured ? rpc_number((double)item->margin.at_us * 1e-6) : json_null());
    put(&made, "closest", item->is_measured ? rpc_number(item->margin.closest) : json_null());
    return made;
}

static json_t *expectations(const struct judgement *judgement)
{
    json_t *made = json_array();
    for (size_t i = 0; i < judgement->count; i++)
        put(&made, NULL, expectation(&judgement->cases[i]));
    return made;
}

static const char *diagnosis_steady(const struct diagnosis *item)
{
    return item->steady ? item->steady : item->text;
}

static json_t *diagnoses(const struct judgement *judgement)
{
    json_t *made = json_array();
    for (size_t i = 0; i < judgement->diagnoses.count; i++) {
        const struct diagnosis *item = &judgement->diagnoses.items[i];
        json_t *one = json_object();
        put(&one, "kind", json_string(diagnosis_kind_word(item->kind)));
        put(&one, "severity", json_string(diagnosis_severity_word(item->severity)));
        put(&one, "text", steady_text(judgement, diagnosis_steady(item)));
        put(&made, NULL, one);
    }
    return made;
}

static json_t *channels(const struct judgement *judgement)
{
    json_t *made = json_object();
    for (size_t i = 0; i < judgement->wires.count; i++) {
        const struct wire_report_channel *row = &judgement->wires.channels[i];
        json_t *one = json_object();
        put(&one, "frames_in", json_integer((json_int_t)row->came));
        put(&one, "understood", json_integer((json_int_t)row->understood));
        put(&one, "bytes_in", json_integer((json_int_t)row->bytes_in));
        put(&one, "frames_out", json_integer((json_int_t)row->frames_out));
        put(&one, "bytes_out", json_integer((json_int_t)row->bytes_out));
        put(&one, "refused", text_value(row->refusals));
        put(&one, "reported", text_value(row->reported));
        put(&one, "told", text_value(row->reported)); // its old name, until the next release
        put(&made, row->name, one);
    }
    return made;
}

static json_t *measures(const struct judgement *judgement)
{
    json_t *made = json_object();
    for (size_t i = 0; i < judgement->measure_count; i++) {
        const struct judgement_measure *item = &judgement->measures[i];
        put(&made, item->name, item->is_there ? rpc_number(item->value) : json_null());
    }
    return made;
}

/* The output of the hosts, or else their results. */
static json_t *of_hosts(const struct judgement *judgement, bool is_printed)
{
    json_t *made = json_array();
    for (size_t i = 0; i < judgement->count; i++)
        if (judgement->cases[i].is_host)
            put(&made, NULL,
                text_value(is_printed ? judgement->cases[i].printed : judgement->cases[i].found));
    return made;
}

static json_t *run_of(const struct judgement *judgement, const struct results_case *info)
{
    json_t *made = json_object();
    char name[256] = "", stamp[32] = "";
    time_t started = (time_t)judgement->started_s;
    struct tm parts;
    gethostname(name, sizeof name - 1);
    if (gmtime_r(&started, &parts))
        strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &parts);
    put(&made, "host_name", text_value(name));
    put(&made, "started", json_string(stamp));
    put(&made, "wall_s", rpc_number(judgement->wall_s));
    put(&made, "cpu_s", rpc_number(info->cpu_s));
    put(&made, "host_cpu_s", rpc_number(info->host_cpu_s));
    put(&made, "host_max_rss_kb", json_integer(info->host_rss_kb));
    put(&made, "hosts", of_hosts(judgement, false));
    put(&made, "speed",
        rpc_number(judgement->wall_s > 0 ? judgement->simulated_s / judgement->wall_s : 0));
    put(&made, "files", text_value(info->files));
    put(&made, "version", text_value(program_version()));
    put(&made, "build", text_value(program_build()));
    return made;
}

static const char *reason_of(const struct judgement *judgement)
{
    const struct diagnosis *failure = diagnoses_first(&judgement->diagnoses, DIAGNOSIS_FAILURE);
    const struct diagnosis *warning = diagnoses_first(&judgement->diagnoses, DIAGNOSIS_WARNING);
    return judgement->reason && judgement->is_reason_host ? judgement->reason
           : failure                                      ? diagnosis_steady(failure)
           : judgement->reason                            ? judgement->reason
           : warning                                      ? diagnosis_steady(warning)
                                                          : "";
}

char *results_case_line(const struct judgement *judgement, const struct results_case *info)
{
    json_t *made = json_object();
    put(&made, "type", json_string("case"));
    put(&made, "number", json_integer((json_int_t)info->number));
    put(&made, "case", text_value(judgement->name));
    put(&made, "scene", text_value(info->scene));
    put(&made, "seed", json_integer((json_int_t)judgement->seed));
    put(&made, "vary", info->vary ? json_deep_copy(info->vary) : json_object());
    put(&made, "verdict",
        json_string(results_verdicts[info->code == EXIT_CODE_OK       ? JUDGEMENT_PASSED
                                     : info->code == EXIT_CODE_FAILED ? JUDGEMENT_FAILED
                                                                      : JUDGEMENT_ERROR]));
    put(&made, "code", json_integer(info->code));
    put(&made, "reason", steady_text(judgement, reason_of(judgement)));
    put(&made, "simulated_s", rpc_number(judgement->simulated_s));
    put(&made, "expect", expectations(judgement));
    put(&made, "measures", measures(judgement));
    put(&made, "diagnoses", diagnoses(judgement));
    put(&made, "channels", channels(judgement));
    put(&made, "held", info->has_host ? json_boolean(judgement->time.is_held) : json_null());
    put(&made, "printed", info->code == EXIT_CODE_OK ? json_array() : of_hosts(judgement, true));
    put(&made, "run", run_of(judgement, info));
    return rpc_line(made);
}

/* ---- Cost ---- */

static double cpu_s(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

struct results_cost results_cost_now(void)
{
    struct rusage own = {0}, children = {0};
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return (struct results_cost){
        .own_s = cpu_s(&own), .children_s = cpu_s(&children), .children_kb = children.ru_maxrss};
}

/* ---- The file ---- */

int results_open(const char *path, bool is_new, struct error *error)
{
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (is_new ? O_TRUNC : 0);
    int file = open(path, flags, 0666);
    if (file < 0)
        error_set(error, "--results %s: %s", path, strerror(errno));
    return file;
}

bool results_append(int file, const char *line, size_t size, struct error *error)
{
    return file_bytes_write(file, line, size) == size ||
           error_set(error, "--results: cannot be written: %s", strerror(errno));
}
