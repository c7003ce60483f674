#include "app/test/survival_judge.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/array.h"

enum { FOUND_MAX = 320 };

#define WINDOW_S     3.0 /* chosen: several commands of the slowest driver in the zoo (1 Hz) */
#define SHARE_LOST   0.5 /* chosen: a working driver sends about as much as before */
#define SHARE_STARVE 0.7 /* chosen: a polling driver waits a little longer for each reply */
#define SPEED_MORE   1.5 /* chosen: a controller that corrects an error drives faster */
#define SPIN_S       0.2 /* chosen: 20 times the charge of a good driver */
#define POLL_S       1.0 /* chosen: 5 times what libcreate polls after 13 kB at once */
#define DEAF_S       1.0 /* chosen: robots stop after this time without a command */
#define REOPENED     3.0 /* chosen: per window; a working driver keeps its port open */
/* Chosen: visible in a plot, and more than the error of an estimate that is one packet old. */
#define WRONG_M     0.1
#define WRONG_M_S   0.15
#define WRONG_DEG_S 20.0
enum { LEAK_MOST = 10 }; /* chosen: a driver may open a log or two */

const struct survival_row survival_rows[SURVIVAL_VERDICTS] = {
    [SURVIVAL_CRASHED] = {"crashed", "a signal, an uncaught exception or a sanitizer ended it"},
    [SURVIVAL_HUNG] =
        {"hung",
         "alive without reading or writing a byte, or after SIGTERM or SIGINT, or simulated "
         "time stood still"},
    [SURVIVAL_LOST] =
        {"did not recover",
         "the link works again, but the driver reads or sends less than half as much, or reopens"},
    [SURVIVAL_MOVING] = {"robot keeps moving", "the robot still moves after the end of the driver"},
    [SURVIVAL_UNEXPECTED] = {"unexpected commands",
                             "sends packets that it never sends otherwise, or a higher speed"},
    [SURVIVAL_ESTIMATE] = {"wrong estimate", "reports another pose or speed than the robot has"},
    [SURVIVAL_UNAWARE] = {"reported success", "exited with 0 before its work was done"},
    [SURVIVAL_SPINS] = {"spins", "keeps polling or computing without waiting"},
    [SURVIVAL_LEAKS] = {"leaks", "the number of its open descriptors grows with each reconnect"},
    [SURVIVAL_STARVED] = {"starved",
                          "sends less than 70 % of its commands, although every byte arrives"},
    [SURVIVAL_GAVE_UP] = {"gave up", "exited with an error, or did not exit although it should"},
};

/* Input and output of the functions that decide a verdict. */
struct evidence {
    const struct survival *survival;
    const struct survival_facts *facts;
    const char *printed;
    char *found; /* output: the explanation, FOUND_MAX bytes */
};

/* ---- How it ended ---- */

static int exit_code(const struct survival_facts *facts)
{
    return facts->is_ended && WIFEXITED(facts->status) ? WEXITSTATUS(facts->status) : -1;
}

/* Number of the signal that ended the driver; 0: no signal. A shell reports the signal of its last
 * command as exit code 128 plus its number. */
static int killed_by(const struct survival_facts *facts)
{
    if (facts->is_ended && WIFSIGNALED(facts->status))
        return WTERMSIG(facts->status);
    int code = exit_code(facts);
    return code > 128 && code < 128 + 32 ? code - 128 : 0;
}

static bool has_failed(const struct survival_facts *facts)
{
    return facts->is_ended && exit_code(facts) != 0;
}

/* Texts in crash reports of runtimes. Some drivers also log an exception and continue. */
static const struct {
    const char *text;
    bool needs_exit;
} marks[] = {{"ERROR: AddressSanitizer", false},
             {"runtime error: ", false},
             {"WARNING: ThreadSanitizer", false},
             {"Segmentation fault", false}, // printed by a shell
             {"Aborted", false},
             {"Exception in thread ", false}, // uncaught: of Python, the others work on
             {"terminate called", true},
             {"Traceback (most recent call last)", true},
             {"Uncaught", true},
             {"stack smashing detected", true},
             {"panic: ", true}};

/* Writes the exception of the last traceback, and the function that raised it. */
static void read_traceback(const char *at, char *line, size_t size)
{
    const char *next = at, *frame = "", *file;
    while ((next = strchr(next, '\n')) && (*++next == ' ' || *next == '\n'))
        frame = strncmp(next, "  File \"", 8) == 0 ? next + 8 : frame;
    next = next ? next : "";
    while ((file = memchr(frame, '/', strcspn(frame, "\"\n"))))
        frame = file + 1;
    char place[FOUND_MAX / 3];
    size_t name = strcspn(frame, "\"\n"), length = strcspn(next, "\n");
    const char *after = frame + name + (frame[name] == '"');
    snprintf(place, sizeof place, "%s%.*s%.*s", *frame ? "; " : "", (int)name, frame,
             (int)strcspn(after, "\n"), after);
    size_t room = size - strlen(place) - sizeof " ...", most = length < room ? length : room;
    while (most < length && most > room / 2 && next[most] != ' ')
        most--;
    snprintf(line, size, "%.*s%s%s", (int)most, next, most < length ? " ..." : "", place);
}

/* A sanitizer's report contains addresses, which differ from run to run, and a summary, which names
 * the source position. Writes the summary. */
static void read_report(const char *at, char *line, size_t size)
{
    const char *summary = strstr(at, "SUMMARY: ");
    at = summary ? summary + strlen("SUMMARY: ") : at;
    snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
}

/* Whether Python reports an exception in a destructor, after which the program continues. */
static bool is_ignored(const char *printed, const char *at)
{
    const char *ignored = "Exception ignored in", *line = at;
    if (line > printed)
        line--;
    while (line > printed && line[-1] != '\n')
        line--;
    return strncmp(line, ignored, strlen(ignored)) == 0;
}

/* The last TEXT that is not ignored. NULL: not found. */
static const char *find_last(const char *printed, const char *text)
{
    const char *last = NULL;
    for (const char *at = printed; (at = strstr(at, text)); at++)
        if (!is_ignored(printed, at))
            last = at;
    return last;
}

/* Finds the most informative line about a crash. */
static bool find_crash(const char *printed, bool has_exited, char *line, size_t size)
{
    for (size_t i = 0; i < COUNT(marks); i++) {
        const char *at = find_last(printed, marks[i].text);
        if (!at || (marks[i].needs_exit && !has_exited))
            continue;
        const char *trace = strstr(at, "Traceback (most recent call last)");
        if (trace && (trace == at || strncmp(at, "Exception", 9) == 0))
            read_traceback(trace, line, size);
        else
            read_report(at, line, size);
        return strncmp(line, "KeyboardInterrupt", 17) != 0;
    }
    return false;
}

static bool is_crashed(struct evidence *evidence)
{
    const struct survival *survival = evidence->survival;
    int number = killed_by(evidence->facts);
    const char *name = sigabbrev_np(number);
    bool is_meant = number != 0 && (number == survival->signal || number == SIGTERM);
    bool may_exit = survival->policy != SURVIVAL_RECOVER && survival->baseline_count > 0;
    char line[FOUND_MAX];
    if (number != 0 && !is_meant) {
        snprintf(evidence->found, FOUND_MAX, "SIG%s at %.3f s", name ? name : "?",
                 evidence->facts->end_s);
        return true;
    }
    if (!find_crash(evidence->printed, has_failed(evidence->facts), line, sizeof line) ||
        (may_exit && strstr(evidence->printed, "Traceback")))
        return false;
    snprintf(evidence->found, FOUND_MAX, "%s", line);
    return true;
}

/* ---- Before and after the hardship ---- */

static double median_end_s(const struct survival *survival)
{
    return survival->baseline_count > 0 && survival->baselines[0].is_ended
               ? survival->baselines[0].end_s
               : INFINITY;
}

/* The lowest rate in any window of WINDOW_S in the baselines, after their start. */
static double least_rate(const struct survival *survival, size_t counter)
{
    double least = INFINITY;
    for (size_t i = 0; i < survival->baseline_count; i++) {
        const struct survival_facts *facts = &survival->baselines[i];
        double end_s = facts->is_ended ? facts->end_s : facts->run_s;
        double window_s = fmin(WINDOW_S, end_s / 3);
        for (double from_s = fmin(1, end_s / 6); from_s + window_s < end_s - 0.3; from_s += 0.5)
            least = fmin(least, survival_rate(facts, counter == 0 ? facts->commands : facts->taken,
                                              from_s, from_s + window_s));
    }
    return isfinite(least) ? least : 0;
}

/* Time in s since which COUNTER has not changed. */
static double still_since(const struct survival_facts *facts, const uint64_t *counter)
{
    size_t last = facts->tenths;
    while (last > 1 && counter[last - 2] == counter[facts->tenths - 1])
        last--;
    return (double)last / 10;
}

static bool is_hung(struct evidence *evidence)
{
    const struct survival_facts *facts = evidence->facts;
    double from_s = facts->run_s - WINDOW_S;
    double silent_s = still_since(facts, facts->written);
    double still_s = fmax(silent_s, still_since(facts, facts->taken));
    if (facts->is_out_of_time) {
        snprintf(evidence->found, FOUND_MAX, "simulated time stood still until --host-timeout");
        return true;
    }
    const struct survival *survival = evidence->survival;
    if (survival->signal != 0 && survival->policy != SURVIVAL_RESTART && !facts->is_ended &&
        from_s >= survival->until_s + survival->recover_s) {
        snprintf(evidence->found, FOUND_MAX, "still runs %.1f s after SIG%s",
                 facts->run_s - survival->until_s, sigabbrev_np(survival->signal));
        return true;
    }
    bool is_baseline = evidence->survival->baseline_count == 0;
    bool is_usual = !is_baseline && !evidence->survival->baselines[0].is_ended &&
                    least_rate(evidence->survival, 0) == 0 &&
                    least_rate(evidence->survival, 1) == 0;
    bool is_still =
        from_s >= evidence->survival->until_s + evidence->survival->recover_s && still_s <= from_s;
    // Over TCP this is the only sign, because the kernel accepts bytes that the driver does not
    // read.
    bool is_silent = evidence->survival->must_command && silent_s < from_s - WINDOW_S;
    snprintf(evidence->found, FOUND_MAX, "%s from %.1f s to the end at %.1f s",
             is_still ? "no byte read or written" : "it sends nothing",
             is_still ? still_s : silent_s, facts->run_s);
    return !facts->is_ended && !is_usual && (is_still || is_silent);
}

/* The largest number of times that a baseline opened a port. */
static double most_opened(const struct survival *survival)
{
    double most = 0;
    for (size_t i = 0; i < survival->baseline_count; i++) {
        const struct survival_facts *usual = &survival->baselines[i];
        most = fmax(most, usual->tenths > 0 ? (double)usual->opened[usual->tenths - 1] : 0);
    }
    return most;
}

/* Time in s of the last command that the robot understood before this tenth of a second. */
static double last_command_s(const struct survival_facts *facts, size_t tenth)
{
    while (tenth > 0 && facts->commands[tenth - 1] == facts->commands[tenth])
        tenth--;
    return (double)tenth / 10;
}

/* Whether the robot still waits for the rest of a damaged frame, although the driver wrote after
 * WRITTEN_S. Such a robot understands no commands, sends no reports, and stops. Both verdicts in
 * DAMAGE are off only if the hardship damages bytes to the robot. */
static bool is_deaf(const struct evidence *evidence, double written_s, double from_s,
                    double until_s)
{
    unsigned damage = SURVIVAL_BIT(SURVIVAL_UNEXPECTED) | SURVIVAL_BIT(SURVIVAL_HUNG);
    return (evidence->survival->off & damage) == damage &&
           survival_rate(evidence->facts, evidence->facts->commands, from_s, until_s) == 0 &&
           survival_rate(evidence->facts, evidence->facts->written, written_s, until_s) > 0;
}

double survival_judged_s(const struct survival *survival)
{
    return survival->until_s + survival->recover_s + WINDOW_S;
}

bool survival_is_early(const struct survival *survival, double end_s)
{
    return survival->baselines[0].is_ended && end_s < survival_judged_s(survival) &&
           survival->signal == 0 && survival->policy != SURVIVAL_RESTART &&
           !(survival->off & SURVIVAL_BIT(SURVIVAL_LOST));
}

static bool is_lost(struct evidence *evidence)
{
    const struct survival *survival = evidence->survival;
    const struct survival_facts *facts = evidence->facts;
    double from_s = survival->until_s + survival->recover_s, until_s = survival_judged_s(survival);
    double commands = least_rate(survival, 0), taken = least_rate(survival, 1);
    if (facts->run_s < until_s || (facts->is_ended && facts->end_s < until_s) ||
        has_failed(facts) || is_deaf(evidence, from_s, from_s, until_s))
        return false;
    double opened = survival_rate(facts, facts->opened, from_s, until_s) * WINDOW_S;
    if (opened >= REOPENED && most_opened(survival) < REOPENED) {
        snprintf(evidence->found, FOUND_MAX, "it opens a port %.0f times from %.1f s to %.1f s",
                 opened, from_s, until_s);
        return true;
    }
    double now = survival_rate(facts, facts->commands, from_s, until_s);
    double now_taken = survival_rate(facts, facts->taken, from_s, until_s);
    snprintf(evidence->found, FOUND_MAX,
             "from %.1f s to %.1f s it sends %.3g commands/s (otherwise at least %.3g) and reads "
             "%.3g B/s (otherwise at least %.3g)",
             from_s, until_s, now, commands, now_taken, taken);
    return now < SHARE_LOST * commands || now_taken < SHARE_LOST * taken;
}

static bool is_moving(struct evidence *evidence)
{
    const struct survival_facts *facts = evidence->facts;
    if (!facts->is_ended || facts->run_s < facts->end_s + 1 ||
        facts->speed_m_s < SURVIVAL_STANDS_M_S)
        return false;
    snprintf(evidence->found, FOUND_MAX, "%.2f m/s at %.1f s; the driver ended at %.1f s",
             facts->speed_m_s, facts->run_s, facts->end_s);
    return true;
}

/* The highest speed in the packets NAME of all baselines; -1: no baseline sent this packet. */
static double usual_speed(const struct survival *survival, const char *name)
{
    double speed = -1;
    for (size_t i = 0; i < survival->baseline_count; i++)
        for (size_t k = 0; k < survival->baselines[i].packet_count; k++)
            if (strcmp(survival->baselines[i].packets[k].name, name) == 0)
                speed = fmax(speed, survival->baselines[i].packets[k].speed);
    return speed;
}

static bool is_unexpected(struct evidence *evidence)
{
    const struct survival_facts *facts = evidence->facts;
    uint64_t usual = 0;
    for (size_t i = 0; i < evidence->survival->baseline_count; i++)
        usual = usual > evidence->survival->baselines[i].refused
                    ? usual
                    : evidence->survival->baselines[i].refused;
    // A driver that gives up may send other packets on purpose, such as a stop.
    bool is_compared = evidence->survival->baseline_count > 0 && !has_failed(facts);
    for (size_t i = 0; is_compared && i < facts->packet_count; i++) {
        const struct survival_packet *packet = &facts->packets[i];
        double speed = usual_speed(evidence->survival, packet->name);
        if (speed < 0)
            snprintf(evidence->found, FOUND_MAX, "%s, which it never sends otherwise",
                     packet->name);
        else if (packet->speed > speed * SPEED_MORE)
            snprintf(evidence->found, FOUND_MAX, "%s with a speed of %.4g; otherwise at most %.4g",
                     packet->name, packet->speed, speed);
        else
            continue;
        return true;
    }
    if (facts->refused <= usual)
        return false;
    snprintf(evidence->found, FOUND_MAX, "the robot refused %llu frames or bytes; otherwise %llu",
             (unsigned long long)facts->refused, (unsigned long long)usual);
    return true;
}

/* The excess of an error over the errors of the baselines, in units of the tolerances. */
static double weight(const struct survival *survival, const struct estimate_error *error,
                     const struct estimate_error *usual)
{
    double excess_m = survival->off & SURVIVAL_POSE ? 0 : error->position_m - usual->position_m;
    return fmax(excess_m / WRONG_M, fmax((error->speed_m_s - usual->speed_m_s) / WRONG_M_S,
                                         (error->turn_deg_s - usual->turn_deg_s) / WRONG_DEG_S));
}

/* If the link fails, the driver cannot know the state, so only errors after the recovery count. */
static bool is_wrong(struct evidence *evidence)
{
    const struct survival *survival = evidence->survival;
    const struct survival_facts *facts = evidence->facts;
    struct estimate_error usual = {0};
    size_t worst = 0;
    double from_s =
        survival->fails_link ? survival->until_s + survival->recover_s : survival->from_s;
    for (size_t i = 0; i < survival->baseline_count; i++)
        for (size_t k = 0; k < survival->baselines[i].tenths; k++) {
            const struct estimate_error *error = &survival->baselines[i].errors[k];
            usual.position_m = fmax(usual.position_m, error->position_m);
            usual.speed_m_s = fmax(usual.speed_m_s, error->speed_m_s);
            usual.turn_deg_s = fmax(usual.turn_deg_s, error->turn_deg_s);
        }
    for (size_t i = (size_t)(from_s * 10); i < facts->tenths; i++)
        if (weight(survival, &facts->errors[i], &usual) >
                weight(survival, &facts->errors[worst], &usual) &&
            !is_deaf(evidence, last_command_s(facts, i), (double)i / 10 - DEAF_S, (double)i / 10))
            worst = i;
    const struct estimate_error *error = &facts->errors[worst];
    snprintf(evidence->found, FOUND_MAX,
             "at %.1f s off by %.2f m (otherwise at most %.2f), %.2f m/s (%.2f), %.0f deg/s (%.0f)",
             (double)worst / 10, error->position_m, usual.position_m, error->speed_m_s,
             usual.speed_m_s, error->turn_deg_s, usual.turn_deg_s);
    return weight(survival, error, &usual) > 1;
}

static bool is_unaware(struct evidence *evidence)
{
    const struct survival_facts *facts = evidence->facts;
    double usual_s = median_end_s(evidence->survival);
    bool is_baseline = evidence->survival->baseline_count == 0;
    size_t last = facts->tenths > 0 ? facts->tenths - 1 : 0;
    bool is_idle = facts->written[last] + facts->taken[last] == 0;
    snprintf(evidence->found, FOUND_MAX, "exited with 0 at %.1f s; %s", facts->end_s,
             is_baseline         ? "it neither read nor sent a byte"
             : isfinite(usual_s) ? "otherwise it runs longer"
                                 : "otherwise it does not end");
    return !evidence->survival->signal && exit_code(facts) == 0 &&
           (is_baseline ? is_idle : facts->end_s < 0.8 * usual_s);
}

static bool does_spin(struct evidence *evidence)
{
    const struct survival_facts *facts = evidence->facts;
    double charged_s = 0, polled_s = 0;
    for (size_t i = 0; i < evidence->survival->baseline_count; i++) {
        const struct survival_facts *usual = &evidence->survival->baselines[i];
        charged_s = fmax(charged_s, usual->charged_s);
        polled_s = fmax(polled_s, usual->polled_s / usual->run_s * facts->run_s);
    }
    snprintf(evidence->found, FOUND_MAX, "%.2f s of simulated time passed while it did not wait",
             facts->charged_s + facts->polled_s);
    return facts->charged_s > charged_s + SPIN_S || facts->polled_s > polled_s + POLL_S;
}

static bool does_leak(struct evidence *evidence)
{
    const struct survival_facts *facts = evidence->facts;
    size_t usual = evidence->survival->baselines[0].descriptors;
    size_t most = usual > facts->descriptors_first ? usual : facts->descriptors_first;
    snprintf(evidence->found, FOUND_MAX, "%zu open descriptors at the end; at the start %zu",
             facts->descriptors, facts->descriptors_first);
    return facts->descriptors > most + LEAK_MOST;
}

static bool is_starved(struct evidence *evidence)
{
    const struct survival *survival = evidence->survival;
    const struct survival_facts *facts = evidence->facts, *usual = &survival->baselines[0];
    double until_s = fmin(survival->until_s, fmin(median_end_s(survival), facts->run_s));
    double now = survival_rate(facts, facts->commands, survival->from_s, until_s);
    double before = survival_rate(usual, usual->commands, survival->from_s, until_s);
    // A driver that waits for each reply gets fewer replies.
    double fair = before / (1 + before * survival->latency_s);
    snprintf(evidence->found, FOUND_MAX,
             "%.3g commands/s from %.1f s to %.1f s; expected: at least %.3g", now,
             survival->from_s, until_s, SHARE_STARVE * fair);
    return until_s - survival->from_s >= 1 && !has_failed(facts) && now < SHARE_STARVE * fair;
}

static bool has_given_up(struct evidence *evidence)
{
    const struct survival *survival = evidence->survival;
    const struct survival_facts *facts = evidence->facts;
    if (survival->policy == SURVIVAL_EXIT && survival->ends_link) {
        snprintf(evidence->found, FOUND_MAX, "%s (--policy exit)",
                 facts->is_ended ? "exited with 0" : "still running");
        return !has_failed(facts);
    }
    if (!has_failed(facts) || killed_by(facts) != 0)
        return false;
    snprintf(evidence->found, FOUND_MAX, "exited with %d at %.3f s", exit_code(facts),
             facts->end_s);
    return true;
}

/* ---- All verdicts ---- */

static bool (*const judges[SURVIVAL_VERDICTS])(struct evidence *evidence) = {
    [SURVIVAL_CRASHED] = is_crashed,
    [SURVIVAL_HUNG] = is_hung,
    [SURVIVAL_LOST] = is_lost,
    [SURVIVAL_MOVING] = is_moving,
    [SURVIVAL_UNEXPECTED] = is_unexpected,
    [SURVIVAL_ESTIMATE] = is_wrong,
    [SURVIVAL_UNAWARE] = is_unaware,
    [SURVIVAL_SPINS] = does_spin,
    [SURVIVAL_LEAKS] = does_leak,
    [SURVIVAL_STARVED] = is_starved,
    [SURVIVAL_GAVE_UP] = has_given_up,
};

static unsigned off_for(const struct survival *survival)
{
    char ignored[FOUND_MAX];
    unsigned off = survival->off;
    if (survival->baseline_count > 0 &&
        is_moving(&(struct evidence){survival, survival->baselines, "", ignored}))
        off |= SURVIVAL_BIT(SURVIVAL_MOVING);
    if (survival->policy == SURVIVAL_EXIT && survival->ends_link)
        off = (off & ~SURVIVAL_BIT(SURVIVAL_GAVE_UP)) | SURVIVAL_BIT(SURVIVAL_LOST);
    return off;
}

static void add_measures(const struct survival *survival, struct judgement *judgement)
{
    const struct survival_facts *facts = survival->facts;
    const double code = exit_code(facts);
    judgement_add_measure(judgement, "hits", isnan(facts->hits) ? NULL : &facts->hits);
    judgement_add_measure(judgement, "exit_code", facts->is_ended ? &code : NULL);
    judgement_add_measure(judgement, "end_s", facts->is_ended ? &facts->end_s : NULL);
    if (survival->baseline_count == 0)
        return;
    // Recovered: for one second, the rates are at least SHARE_LOST of the lowest rates of the
    // baselines.
    double least = SHARE_LOST * least_rate(survival, 0), at_s = survival->until_s;
    double least_taken = SHARE_LOST * least_rate(survival, 1);
    double end_s = facts->is_ended ? facts->end_s : facts->run_s;
    while (at_s + 1 <= end_s && (survival_rate(facts, facts->commands, at_s, at_s + 1) < least ||
                                 survival_rate(facts, facts->taken, at_s, at_s + 1) < least_taken))
        at_s += 0.1;
    bool is_seen = at_s + 1 <= end_s;
    at_s -= survival->until_s;
    judgement_add_measure(judgement, "recovery_s", is_seen ? &at_s : NULL);
}

void survival_judge(const struct survival *survival, struct judgement *judgement)
{
    const char *printed = "";
    char found[FOUND_MAX];
    const unsigned of_baseline = SURVIVAL_BIT(SURVIVAL_CRASHED) | SURVIVAL_BIT(SURVIVAL_HUNG) |
                                 SURVIVAL_BIT(SURVIVAL_MOVING) | SURVIVAL_BIT(SURVIVAL_UNEXPECTED) |
                                 SURVIVAL_BIT(SURVIVAL_UNAWARE);
    for (size_t i = 0; i < judgement->count; i++)
        if (judgement->cases[i].is_host && judgement->cases[i].printed)
            printed = judgement->cases[i].printed;
    if (survival->baseline_count > 0)
        judgement_pardon(judgement);
    for (size_t i = 0; i < SURVIVAL_VERDICTS && survival->facts->is_there; i++) {
        struct evidence evidence = {survival, survival->facts, printed, found};
        bool is_off = off_for(survival) >> i & 1 || !judges[i];
        found[0] = '\0';
        if (survival->baseline_count == 0 && !(of_baseline >> i & 1))
            continue;
        bool has_fired = !is_off && judges[i](&evidence);
        if (is_off)
            judgement_add_other(judgement, JUDGEMENT_SKIPPED, survival_rows[i].word, "driver",
                                "not judged: this hardship has no effect here", "stress");
        else
            judgement_add_other(judgement, has_fired ? JUDGEMENT_FAILED : JUDGEMENT_PASSED,
                                survival_rows[i].word, "driver", has_fired ? found : "", "stress");
    }
    add_measures(survival, judgement);
}
