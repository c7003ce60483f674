/* Judgements as JUnit XML. */
#include "app/test/junit.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/markup.h"
#include "app/files/fresh_file.h"
#include "base/array.h"

/* ---- Text ---- */

static void write_attribute(const char *name, const char *text, FILE *out)
{
    fprintf(out, " %s=\"", name);
    markup_text(text, false, out);
    fputc('"', out);
}

/* ---- Elements ---- */

/* The explanations of a failure are written before it. */
static void write_explanations(const struct diagnoses *diagnoses, FILE *out)
{
    for (size_t i = 0; i < diagnoses->count; i++)
        if (diagnoses->items[i].severity == DIAGNOSIS_FAILURE) {
            fprintf(out, "%s failure: ", diagnosis_kind_word(diagnoses->items[i].kind));
            markup_text(diagnoses->items[i].text, true, out);
            fputc('\n', out);
        }
}

static void write_failure(const struct judgement *judgement, const struct judgement_case *item,
                          FILE *out)
{
    const char *element = item->verdict == JUDGEMENT_FAILED ? "failure" : "error";
    fprintf(out, "      <%s", element);
    write_attribute("message", item->found, out);
    write_attribute("type", item->kind ? item->kind : "", out);
    fputc('>', out);
    write_explanations(&judgement->diagnoses, out);
    markup_text(item->what, true, out);
    if (*item->when)
        fputc(' ', out);
    markup_text(item->when, true, out);
    fputs(": ", out);
    markup_text(item->found, true, out);
    if (!item->is_host)
        fprintf(out, "\nat %.3f s of simulated time", item->at_s);
    if (item->line > 0) {
        fputs("\n", out);
        markup_text(judgement->file, true, out);
        fprintf(out, ":%u", item->line);
    }
    fprintf(out, "</%s>\n", element);
}

static void write_case(const struct judgement *judgement, const struct judgement_case *item,
                       FILE *out)
{
    fputs("    <testcase", out);
    write_attribute("classname", judgement->name, out);
    fputs(" name=\"", out);
    const char *first = item->is_host ? item->when : item->what;
    const char *second = item->is_host ? item->what : item->when;
    markup_text(*item->name ? item->name : first, false, out);
    if (!*item->name && *second) {
        fputc(' ', out);
        markup_text(second, false, out);
    }
    fprintf(out, "\" time=\"%.3f\">\n", item->at_s);
    if (item->verdict == JUDGEMENT_SKIPPED) {
        fputs("      <skipped", out);
        write_attribute("message", item->found, out);
        fputs("/>\n", out);
    } else if (item->verdict != JUDGEMENT_PASSED) {
        write_failure(judgement, item, out);
    }
    if (item->printed) {
        fputs("      <system-out>", out);
        markup_text(item->printed, true, out);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
}

static void write_diagnoses(const struct diagnoses *diagnoses, FILE *out)
{
    for (size_t i = 0; i < diagnoses->count; i++) {
        const struct diagnosis *item = &diagnoses->items[i];
        fprintf(out, "      <property name=\"%s.%s\"", diagnosis_kind_word(item->kind),
                diagnosis_severity_word(item->severity));
        write_attribute("value", item->text, out);
        fputs("/>\n", out);
    }
}

static void write_property(const char *channel, const char *what, const char *value, FILE *out)
{
    fputs("      <property name=\"", out);
    markup_text(channel, false, out);
    fputc('.', out);
    markup_text(what, false, out);
    fputc('"', out);
    write_attribute("value", value, out);
    fputs("/>\n", out);
}

/* Written under the old name, too, until the next release. */
static void write_renamed(const char *channel, const char *what, const char *formerly,
                          const char *value, FILE *out)
{
    write_property(channel, what, value, out);
    write_property(channel, formerly, value, out);
}

static void write_measures(const struct judgement *judgement, FILE *out)
{
    for (size_t i = 0; i < judgement->measure_count; i++) {
        const struct judgement_measure *item = &judgement->measures[i];
        char value[32] = "";
        if (item->is_there)
            snprintf(value, sizeof value, "%.15g", item->value);
        write_property("measure", item->name, value, out);
    }
}

static void write_time(const struct warp_outcome *time, FILE *out)
{
    char text[32];
    if (!*time->text)
        return;
    write_property("time", "held", time->is_held ? "yes" : "no", out);
    snprintf(text, sizeof text, "%.3g", time->speed);
    write_property("time", "speed", text, out);
    snprintf(text, sizeof text, "%.3f", time->charged_s);
    write_property("time", "charged_s", text, out);
    if (*time->foreign)
        write_renamed("time", "unheld_process", "foreign", time->foreign, out);
    write_renamed("time", "summary", "told", time->text, out);
}

static void write_wires(const struct wire_report *wires, FILE *out)
{
    for (size_t i = 0; i < wires->count; i++) {
        const struct wire_report_channel *row = &wires->channels[i];
        const struct {
            const char *what;
            uint64_t number;
        } numbers[] = {{"frames_in", row->came},
                       {"understood", row->understood},
                       {"bytes_in", row->bytes_in},
                       {"frames_out", row->frames_out},
                       {"bytes_out", row->bytes_out}};
        for (size_t j = 0; j < COUNT(numbers); j++) {
            char text[24];
            snprintf(text, sizeof text, "%" PRIu64, numbers[j].number);
            write_property(row->name, numbers[j].what, text, out);
        }
        if (*row->refusals)
            write_property(row->name, "refused", row->refusals, out);
        if (*row->reported)
            write_renamed(row->name, "reported", "told", row->reported, out);
    }
}

void junit_write_suite(const struct judgement *judgement, FILE *out)
{
    char stamp[32] = "";
    time_t started = (time_t)judgement->started_s;
    struct tm parts;
    if (gmtime_r(&started, &parts))
        strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &parts);
    fputs("  <testsuite", out);
    write_attribute("name", judgement->name, out);
    fprintf(out,
            " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\" "
            "timestamp=\"%s\">\n    <properties>\n      <property name=\"scene\"",
            judgement->count, judgement->failures, judgement->errors, judgement->skipped,
            judgement->wall_s, stamp);
    write_attribute("value", judgement->file, out);
    fprintf(out,
            "/>\n      <property name=\"seed\" value=\"%" PRIu64
            "\"/>\n      <property name=\"simulated_s\" value=\"%.3f\"/>\n",
            judgement->seed, judgement->simulated_s);
    write_measures(judgement, out);
    write_diagnoses(&judgement->diagnoses, out);
    write_time(&judgement->time, out);
    write_wires(&judgement->wires, out);
    fputs("    </properties>\n", out);
    for (size_t i = 0; i < judgement->count; i++)
        write_case(judgement, &judgement->cases[i], out);
    fputs("  </testsuite>\n", out);
}

/* ---- Documents ---- */

static void write_head(const struct junit_totals *totals, FILE *out)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ptybot\" "
            "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n",
            totals->cases, totals->failures, totals->errors, totals->wall_s);
}

static void append_file(const char *path, FILE *out)
{
    char bytes[4096];
    size_t size;
    FILE *in = fopen(path, "re");
    while (in && (size = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, size, out);
    if (in)
        fclose(in);
}

bool junit_write(const char *path, const struct junit_totals *totals, const char *const *suites,
                 size_t count, struct error *error)
{
    struct fresh_file file;
    if (!fresh_file_open(&file, path, error))
        return error_prefix(error, "--junit ");
    write_head(totals, file.out);
    for (size_t i = 0; i < count; i++)
        append_file(suites[i], file.out);
    fputs("</testsuites>\n", file.out);
    return fresh_file_close(&file, true, error) || error_prefix(error, "--junit ");
}

bool junit_forget(const char *path, const char *flag, struct error *error)
{
    struct stat found;
    struct fresh_file file;
    if (!*path || (stat(path, &found) == 0 && !S_ISREG(found.st_mode)))
        return true; // a pipe would lose its reader
    if (!fresh_file_open(&file, path, error))
        return error_prefix(error, "%s ", flag);
    if (lstat(path, &found) == 0 && S_ISREG(found.st_mode))
        unlink(path);
    return fresh_file_close(&file, false, error);
}

bool junit_write_one(const char *path, const struct judgement *judgement, struct error *error)
{
    struct fresh_file file;
    const struct junit_totals totals = {.cases = judgement->count,
                                        .failures = judgement->failures,
                                        .errors = judgement->errors,
                                        .wall_s = judgement->wall_s};
    if (!fresh_file_open(&file, path, error))
        return error_prefix(error, "--junit ");
    write_head(&totals, file.out);
    junit_write_suite(judgement, file.out);
    fputs("</testsuites>\n", file.out);
    return fresh_file_close(&file, true, error) || error_prefix(error, "--junit ");
}
