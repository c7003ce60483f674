/* Output of a run for people. */
#include "app/run/report.h"

#include <inttypes.h>
#include <string.h>

#include "app/cli/table.h"
#include "app/cli/terminal.h"

enum {
    STATUS_LINKS_MAX = 4, /* chosen: as many as fit a terminal; the others are summed up */
    STATUS_MAX = 512,
};

/* ---- The table at the start ---- */

static void add_link(struct table *table, const struct report *report, size_t index)
{
    struct links_view view;
    char baud[16] = "";
    unsigned channel;
    links_view(report->links, index, &view);
    size_t robot = sim_channel_robot(report->sim, view.channel, &channel);
    const struct robot_type *type = sim_robot_type(report->sim, robot);
    if (view.baud > 0)
        snprintf(baud, sizeof baud, "%" PRIu32, view.baud);
    table_row(table, (const char *const[]){sim_robot_name(report->sim, robot), type->name,
                                           type->channels[channel].name, view.place, baud});
}

static bool has_link(const struct report *report, size_t robot)
{
    struct links_view view;
    for (size_t i = 0; links_view(report->links, i, &view); i++) {
        unsigned channel;
        if (sim_channel_robot(report->sim, view.channel, &channel) == robot)
            return true;
    }
    return false;
}

static void print_robots(const struct report *report)
{
    struct table table;
    table_init(&table,
               (const char *const[]){"robot", "type", "channel", "connect to", ">baud", NULL});
    for (size_t i = 0; i < links_count(report->links); i++)
        add_link(&table, report, i);
    for (size_t i = 0; i < sim_robot_count(report->sim); i++)
        if (!has_link(report, i))
            table_row(&table, (const char *const[]){sim_robot_name(report->sim, i),
                                                    sim_robot_type(report->sim, i)->name, "-",
                                                    "(no link in the scene)", ""});
    table_print(&table, 2, stdout);
}

/* The fixed device path that drivers of a channel use, for the first link that has it; NULL for
 * others. */
static const char *device_of(const struct report *report, size_t channel)
{
    unsigned of_robot, of_other;
    const struct robot_type *type =
        sim_robot_type(report->sim, sim_channel_robot(report->sim, channel, &of_robot));
    struct links_view view;
    for (size_t i = 0; links_view(report->links, i, &view); i++) {
        size_t other = sim_channel_robot(report->sim, view.channel, &of_other);
        if (sim_robot_type(report->sim, other) == type && of_other == of_robot)
            return view.channel == channel ? type->channels[of_robot].device : NULL;
    }
    return NULL;
}

/* Only ptys in the run's own folder need it: the scene sets the path of the others. */
static void print_shortcuts(const struct report *report)
{
    size_t shown = 0;
    struct links_view view;
    for (size_t i = 0; links_view(report->links, i, &view); i++) {
        const char *device = device_of(report, view.channel);
        bool is_ours = (view.kind->traits & LINK_SERIAL_PATH) && strstr(view.place, "/ptybot");
        if (!is_ours || !device)
            continue;
        if (shown++ == 0)
            puts("\nif your driver uses a fixed path, create a link once:");
        printf("  sudo ln -s %s %s\n", view.place, device);
    }
}

void report_init(struct report *report, struct sim *sim, struct links *links,
                 const struct pacer *pacer, const struct pace *pace, int64_t now_ns)
{
    *report = (struct report){.sim = sim,
                              .links = links,
                              .pacer = pacer,
                              .pace = pace,
                              .start_ns = now_ns,
                              .status_ns = now_ns,
                              .status_us = sim_now_us(sim)};
}

void report_start(struct report *report, const struct scene *scene, const char *control_path,
                  int64_t now_ns)
{
    report->start_ns = report->status_ns = now_ns;
    report->status_us = sim_now_us(report->sim);
    printf("%s, seed %" PRIu64 "\n\n", scene->name, scene->seed);
    print_robots(report);
    print_shortcuts(report);
    printf("\ncontrol  %s\n", control_path);
    if (report->control_port && *report->control_port)
        printf("control  %s\n", report->control_port);
    terminal_flush();
}

/* ---- The status line ---- */

static size_t append_link(const struct report *report, size_t index, char *text, size_t size)
{
    struct links_view view;
    char host[32] = "no host";
    links_view(report->links, index, &view);
    const struct robot_stats *robot = sim_channel_stats(report->sim, view.channel);
    if (!view.is_plugged)
        snprintf(host, sizeof host, "unplugged");
    else if (view.is_host && view.host_baud > 0)
        snprintf(host, sizeof host, "host %" PRIu32, view.host_baud);
    else if (view.is_host)
        snprintf(host, sizeof host, "host");
    int wrote = snprintf(text, size,
                         "  %s: %s in %" PRIu64 " out %" PRIu64 " bad %" PRIu64 " lost %" PRIu64,
                         view.name, host, robot->frames, view.taken, robot->bad_frames,
                         view.dropped + robot->overruns);
    return wrote < 0 ? 0 : (size_t)wrote < size ? (size_t)wrote : size - 1;
}

static size_t append_sum(const struct report *report, char *text, size_t size)
{
    uint64_t hosts = 0, in = 0, out = 0, bad = 0, lost = 0;
    struct links_view view;
    for (size_t i = 0; links_view(report->links, i, &view); i++) {
        const struct robot_stats *robot = sim_channel_stats(report->sim, view.channel);
        hosts += view.is_host;
        in += robot->frames;
        out += view.taken;
        bad += robot->bad_frames;
        lost += view.dropped + robot->overruns;
    }
    int wrote = snprintf(text, size,
                         "  %zu links, %" PRIu64 " hosts, in %" PRIu64 " out %" PRIu64
                         " bad %" PRIu64 " lost %" PRIu64,
                         links_count(report->links), hosts, in, out, bad, lost);
    return wrote < 0 ? 0 : (size_t)wrote;
}

void report_status(struct report *report, int64_t now_ns)
{
    if (now_ns - report->status_ns < 1000000000 || !terminal_has_status())
        return;
    char text[STATUS_MAX];
    int64_t now_us = sim_now_us(report->sim);
    double factor =
        (double)(now_us - report->status_us) * 1e3 / (double)(now_ns - report->status_ns);
    int wrote = snprintf(text, sizeof text, "%.1f s  x%.2f%s", (double)now_us * 1e-6, factor,
                         report->pace->is_paused ? " paused" : "");
    size_t used = (size_t)wrote;
    if (links_count(report->links) > STATUS_LINKS_MAX)
        append_sum(report, text + used, sizeof text - used);
    else
        for (size_t i = 0; i < links_count(report->links); i++)
            used += append_link(report, i, text + used, sizeof text - used);
    terminal_status(text);
    report->status_ns = now_ns;
    report->status_us = now_us;
}

/* ---- A machine that is too busy ---- */

enum { LATE_MS = PACER_LAG_MAX_NS / 1000000 };

void report_late(struct report *report, int64_t now_ns)
{
    const struct pacer_stats *stats = &report->pacer->stats;
    bool is_silent = report->drops_reported > 0 && now_ns - report->late_reported_ns < 1000000000;
    if (stats->drops == report->drops_reported || is_silent || report->pacer->is_awaited)
        return;
    terminal_say("warning: the machine is too busy for real time: a step was %.0f ms late, %.3f s "
                 "of wall-clock time dropped so far",
                 (double)stats->late_ns * 1e-6, (double)stats->dropped_ns * 1e-9);
    report->drops_reported = stats->drops;
    report->late_reported_ns = now_ns;
}

bool report_lateness(const struct report *report, char *text, size_t size)
{
    const struct pacer_stats *stats = &report->pacer->stats;
    if (stats->drops == 0 || report->pacer->is_awaited)
        return false;
    snprintf(text, size,
             "the machine was too busy for real time: steps were up to %.0f ms late (%" PRIu64
             " %s more than %d ms), and simulated time stood still for %.3f s while the driver's "
             "clock ran. Let `ptybot test` start the driver, without --warp off and --speed, so "
             "that time waits for it, or run fewer jobs at a time (--jobs)",
             (double)stats->late_max_ns * 1e-6, stats->drops, stats->drops == 1 ? "was" : "were",
             LATE_MS, (double)stats->dropped_ns * 1e-9);
    return true;
}

/* ---- The summary ---- */

static void add_summary(struct table *table, const struct report *report, size_t index)
{
    struct links_view view;
    char cells[9][24];
    const char *row[10];
    links_view(report->links, index, &view);
    const struct robot_stats *robot = sim_channel_stats(report->sim, view.channel);
    const struct line_stats *line = sim_channel_line(report->sim, view.channel);
    const uint64_t numbers[9] = {robot->frames,   view.received,        view.taken,
                                 view.written,    robot->bad_frames,    view.dropped,
                                 robot->overruns, line->unheard_frames, view.hosts};
    row[0] = view.name;
    for (size_t i = 0; i < 9; i++) {
        snprintf(cells[i], sizeof cells[i], "%" PRIu64, numbers[i]);
        row[i + 1] = cells[i];
    }
    table_row(table, row);
}

void report_end(struct report *report, int64_t now_ns, FILE *out)
{
    const struct pacer_stats *stats = &report->pacer->stats;
    double simulated_s = (double)sim_now_us(report->sim) * 1e-6;
    double wall_s = (double)(now_ns - report->start_ns) * 1e-9;
    struct table table;
    table_init(&table, (const char *const[]){"channel", ">frames in", ">bytes in", ">pieces out",
                                             ">bytes out", ">bad", ">dropped", ">overruns",
                                             ">unheard", ">hosts", NULL});
    for (size_t i = 0; i < links_count(report->links); i++)
        add_summary(&table, report, i);
    fputc('\n', out);
    table_print(&table, 2, out);
    fprintf(out, "\n%.3f s simulated in %.3f s (x%.2f), %" PRIu64 " steps; ", simulated_s, wall_s,
            wall_s > 0 ? simulated_s / wall_s : 0, stats->steps);
    if (report->pacer->mode == PACER_REAL_TIME)
        fprintf(out, "steps were at most %.1f ms late, %.3f s of real time dropped\n",
                (double)stats->late_max_ns * 1e-6, (double)stats->dropped_ns * 1e-9);
    else
        fprintf(out, "%s\n", report->pacer->mode == PACER_FAST ? "no pacing" : "lockstep");
}

/* ---- Verdicts ---- */

/* Names of the verdicts, indexed by their numbers. */
static const char *const expectation_words[] = {"undecided", "passed", "FAILED", "skipped"};
static const char *const action_words[] = {"not done", "done", "REFUSED"};

static void add_row(struct table *table, const char *word, const struct sim_expectation *one)
{
    char at[32], what[SCENE_LABEL_MAX + SCENE_LINE_MAX + 2];
    // A condition that was not reached has no time.
    if (one->verdict == SIM_PENDING)
        snprintf(at, sizeof at, "-");
    else
        table_number((double)one->at_us * 1e-6, at, sizeof at);
    snprintf(what, sizeof what, "%s%s%s", one->name, *one->name ? ": " : "", one->that);
    table_row(table, (const char *const[]){word, what, one->when, at, one->found});
}

typedef struct sim_expectation get_verdict(const struct sim *sim, size_t index);

static void print_verdicts(const struct sim *sim, size_t count, get_verdict *get,
                           const char *const *heads, const char *const *words, FILE *out)
{
    struct table table;
    if (count == 0)
        return;
    table_init(&table, heads);
    for (size_t i = 0; i < count; i++) {
        const struct sim_expectation one = get(sim, i);
        add_row(&table, words[one.verdict], &one);
    }
    fputc('\n', out);
    table_print(&table, 2, out);
}

void report_verdicts(const struct sim *sim, FILE *out)
{
    print_verdicts(sim, sim_action_count(sim), sim_action,
                   (const char *const[]){"timeline", "command", "when", ">at s", "", NULL},
                   action_words, out);
    print_verdicts(sim, sim_expectation_count(sim), sim_expectation,
                   (const char *const[]){"verdict", "expected", "when", ">at s", "found", NULL},
                   expectation_words, out);
}

static size_t count_failed(const struct sim *sim, size_t count, get_verdict *get)
{
    size_t failed = 0;
    for (size_t i = 0; i < count; i++)
        failed += get(sim, i).verdict == SIM_FAILED;
    return failed;
}

size_t report_failures(const struct sim *sim)
{
    return count_failed(sim, sim_expectation_count(sim), sim_expectation) +
           count_failed(sim, sim_action_count(sim), sim_action);
}
