/* `ptybot run`: runs the simulation of a scene, so that hosts can connect. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/drivers/host_run.h"
#include "app/files/file_bytes.h"
#include "app/lab/recording/recorded.h"
#include "app/links/poller.h"
#include "app/run/report.h"
#include "app/run/session.h"
#include "app/subcommands/subcommands.h"
#include "app/test/judgement.h"
#include "app/test/test_guide.h"
#include "base/array.h"

struct run_options {
    struct session_options session; /* first member: session_flags fill it */
    char recorded[PATH_MAX];
    bool is_json;
    int64_t ready_fd; /* 0: not given */
    struct host_options host;
};

static const struct flag_row flags[] = {
    FLAG_SWITCH(
        "private", run_options, session.is_private,
        "Isolate this run: private folder for ports, free TCP ports, storage read-only. Exit "
        "when standard input closes, if that is a pipe or socket"),
    FLAG_SWITCH("json", run_options, is_json,
                "Print one line of JSON when ready, and nothing else on standard output"),
    FLAG_INTEGER("ready-fd", "N", run_options, ready_fd, "", 1, INT_MAX, "1",
                 "Also write that line to file descriptor N, then close N", .otherwise = "none"),
    FLAG_SWITCH("die-with-parent", run_options, session.ends_with_parent,
                "Exit cleanly when the parent process exits"),
    FLAG_SWITCH(
        "realtime", run_options, session.is_realtime,
        "Run ptybot with real-time priority (SCHED_FIFO), for timely packets on a busy machine"),
    HOST_FLAG_ROWS(run_options, host),
    FLAG_TEXT("recorded", "FILE.pcapng", run_options, recorded, "",
              "Play the bytes of a recorded robot instead of a scene"),
};

/* Writes a line to a descriptor and closes it. The descriptor may be a pipe with a slow reader. */
static void write_ready(int fd, const char *line)
{
    size_t size = strlen(line);
    if (file_bytes_write(fd, line, size) < size)
        terminal_say("--ready-fd %d: %s", fd, strerror(errno));
    if (fd > STDERR_FILENO)
        close(fd);
}

/* Prints the addresses of the run, for users or for the program that waits for them. */
static void announce(struct session *session, const struct run_options *options)
{
    char *about = options->is_json || options->ready_fd ? control_about(session->control) : NULL;
    char *line = NULL;
    size_t size;
    FILE *text = about ? open_memstream(&line, &size) : NULL;
    if (text) {
        fprintf(text, "%s\n", about);
        fclose(text);
    }
    if (!options->is_json)
        report_start(&session->report, session->scene, session->control_path, poller_now_ns());
    else
        fputs(line ? line : "", stdout);
    terminal_flush();
    if (options->ready_fd && line)
        write_ready((int)options->ready_fd, line);
    free(line);
    free(about);
}

/* A run and its results. */
struct job {
    const struct run_options *options;
    struct session session;
    struct host_run hosts;
    struct judgement judgement; /* results of the hosts */
};

/* Runs the simulation with its hosts, from the first open of a port to the end of their
 * commands. */
static void run_hosts(struct job *job)
{
    struct error error = {0};
    size_t failed;
    struct test_guide guide = {.session = &job->session,
                               .hosts = &job->hosts.hosts,
                               .warp = job->hosts.is_open ? &job->hosts.warp : NULL,
                               .timeout_ns = INT64_MAX};
    const struct loop_guide hooks = test_guide_hooks(&guide);
    bool is_held = !job->options->session.is_lockstep;
    stop_stay();
    bool is_open = test_guide_open(&guide, is_held, poller_now_ns());
    bool is_started = is_open && host_run_start(&job->hosts, &failed, &error);
    if (is_open && !is_started)
        judgement_add_not_started(&job->judgement, job->hosts.commands[failed].words, error.text);
    job->judgement.is_short |= !is_open;
    if (is_started) {
        session_run(&job->session, &hooks);
        if (firmwares_failure(job->session.firmwares))
            guide.end = TEST_END_FIRMWARE;
        for (size_t i = 0; i < job->hosts.count; i++)
            judgement_add_host(&job->judgement, &guide, &job->hosts.hosts.items[i],
                               job->hosts.commands[i].words, is_held);
        host_run_find(&job->hosts, (double)sim_now_us(job->session.sim) * 1e-6,
                      (double)(guide.done_ns - guide.run_ns) * 1e-9, &job->judgement.diagnoses,
                      &job->judgement.time);
    }
    if (guide.end == TEST_END_FAILED)
        sim_cut(job->session.sim);
    test_guide_close(&guide);
}

/* Runs the simulation and returns the summary. It is printed after everything is closed, because a
 * terminal may block. The caller frees it. */
static char *go(struct job *job)
{
    struct session *session = &job->session;
    char *text = NULL, late[512];
    size_t size;
    announce(session, job->options);
    if (job->hosts.count > 0)
        run_hosts(job);
    else
        session_run(session, NULL);
    // If the user ends the run, open expectations stay undecided.
    if (!stop_is_wanted())
        sim_end(session->sim);
    FILE *summary = open_memstream(&text, &size);
    report_end(&session->report, poller_now_ns(), summary ? summary : stdout);
    report_verdicts(session->sim, summary ? summary : stdout);
    if (report_lateness(&session->report, late, sizeof late))
        fprintf(summary ? summary : stdout, "\nwarning: %s\n", late);
    if (job->hosts.count > 0)
        judgement_print_hosts(&job->judgement, summary ? summary : stdout);
    if (summary)
        fclose(summary);
    return text;
}

static int run_scene(struct scene *scene, const struct run_options *options)
{
    static struct job job; // too large for a stack to like
    struct error error = {0}, log_error = {0};
    int code;
    char *summary = NULL;
    size_t failed = 0;
    job.options = options;
    host_run_choose(&job.hosts, &options->host, NULL);
    for (size_t i = 0; i < job.hosts.count; i++)
        job.hosts.commands[i].is_on_stderr = options->is_json;
    bool is_open = session_open(&job.session, scene, &options->session, &code, &error);
    if (is_open)
        code = EXIT_CODE_ENVIRONMENT;
    is_open = is_open && host_run_open(&job.hosts, &job.session, &error);
    if (is_open) {
        summary = go(&job);
        failed = report_failures(job.session.sim);
    }
    bool is_abandoned = firmwares_failure(job.session.firmwares) != NULL; // which was said
    host_run_close(&job.hosts);
    bool is_logged = session_close(&job.session, &log_error);
    if (summary)
        fputs(summary, options->is_json ? stderr : stdout);
    free(summary);
    terminal_flush();
    int host_code = judgement_code(&job.judgement);
    judgement_free(&job.judgement);
    if (!is_open)
        return terminal_fail(code, "%s", error.text);
    if (!is_logged)
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", log_error.text);
    if (is_abandoned)
        return EXIT_CODE_ENVIRONMENT;
    return host_code != EXIT_CODE_OK ? host_code : failed > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

/* ---- A recording instead of a scene ---- */

static void print_ports(const struct recorded *recorded)
{
    for (size_t i = 0; recorded_name(recorded, i); i++)
        printf("%s  %s\n", recorded_name(recorded, i), recorded_port(recorded, i));
    terminal_flush();
}

/* Prints the numbers of played and received bytes. Returns the exit code. */
static int conclude(const struct recorded_counts *counts)
{
    printf("%llu bytes played, %llu unread; %llu bytes from drivers, %llu recorded%s\n",
           (unsigned long long)counts->sent, (unsigned long long)counts->dropped,
           (unsigned long long)counts->heard, (unsigned long long)counts->expected,
           counts->is_over ? "" : " up to here");
    if (*counts->trouble)
        return terminal_fail(EXIT_CODE_USAGE, "the recording is incomplete: %s", counts->trouble);
    return counts->departed > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

static int run_recorded(const char *path, double speed)
{
    struct error error = {0};
    struct poller poller;
    if (!poller_open(&poller, &error))
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
    struct recorded *recorded = recorded_open(path, speed, NULL, &error);
    int code = EXIT_CODE_OK;
    if (recorded && stop_catch(&poller, &error)) {
        print_ports(recorded);
        recorded_run(recorded, &poller);
        stop_release();
        const struct recorded_counts counts = recorded_counts(recorded);
        code = conclude(&counts);
    } else {
        code = terminal_fail(error.is_environment ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_USAGE, "%s",
                             error.text);
    }
    recorded_close(recorded);
    poller_close(&poller);
    return code;
}

/* --recorded can be combined only with --speed. */
static bool is_plain(const struct arguments *arguments)
{
    const struct flag_row *row;
    for (size_t i = 0; (row = subcommand_row(arguments->subcommand, i)); i++)
        if (arguments_has(arguments, row->option.key) && strcmp(row->option.key, "recorded") != 0 &&
            strcmp(row->option.key, "speed") != 0)
            return false;
    return arguments->word_count == 0;
}

/* Checks --ready-fd before ptybot opens any descriptor, which could have the same number. */
static bool has_ready_fd(struct run_options *options, bool is_given, struct error *error)
{
    if (!is_given)
        options->ready_fd = 0;
    int fd = (int)options->ready_fd;
    int mode = is_given ? fcntl(fd, F_GETFL) : 0;
    if (is_given && (mode < 0 || (mode & O_ACCMODE) == O_RDONLY))
        return error_set(error,
                         "--ready-fd %d: descriptor not open for writing; a shell "
                         "opens one with %d>FILE",
                         fd, fd);
    if (fd > STDERR_FILENO)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    return true;
}

static int run(struct arguments *arguments, void *memory)
{
    struct run_options *all = memory;
    struct session_options *options = &all->session;
    struct error error = {0};
    if (*all->recorded && !is_plain(arguments))
        return subcommand_misused(&run_subcommand,
                                  "--recorded takes no scene, and --speed is its only flag");
    if (*all->recorded)
        return run_recorded(all->recorded, options->speed);
    size_t words = arguments->has_rest ? arguments->rest : arguments->word_count;
    if (words != 1)
        return subcommand_misused(&run_subcommand,
                                  words == 0 ? "give a scene or a robot type"
                                             : "give one scene; a scene may hold many robots");
    if (!session_options_take(options, arguments) ||
        !host_options_take(&all->host, options, arguments))
        return EXIT_CODE_USAGE;
    static const char *const of_pictures[] = {"size", "theme", "around", "span", "fps"};
    for (size_t i = 0; i < COUNT(of_pictures) && !*options->frames.folder; i++)
        if (arguments_has(arguments, of_pictures[i])) {
            error_set(&error, "--%s sets the pictures of --frames DIR: give --frames too",
                      of_pictures[i]);
            return subcommand_misused(&run_subcommand, error.text);
        }
    if (options->is_realtime && options->is_fast)
        return subcommand_misused(&run_subcommand,
                                  "--realtime and --fast exclude each other: no other program "
                                  "would get that processor");
    bool has_host = all->host.words || all->host.shells.count > 0;
    if (all->host.has_warp && !has_host)
        return subcommand_misused(&run_subcommand,
                                  "--warp sets the clock of a driver command: give that after "
                                  "--, or use --speed for the simulation only");
    options->is_waiting = has_host && all->host.is_warped;
    if (!has_ready_fd(all, arguments_has(arguments, "ready-fd"), &error))
        return subcommand_misused(&run_subcommand, error.text);
    options->ends_with_input = options->is_private;
    options->allows_code = true;
    options->web.is_writable = true;
    struct scene *scene = session_scene(arguments->words[0], options, &error);
    return scene ? run_scene(scene, all) : terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
}

const struct subcommand run_subcommand = {
    .name = "run",
    .usage = "SCENE|ROBOT|--recorded F.pcapng [FLAGS] [-- COMMAND...]",
    .summary = "simulate a scene, or one robot in an empty room",
    .details =
        "SCENE is a file or an installed scene (`ptybot list scenes`). ROBOT is a robot type\n"
        "(`ptybot list robots`). ptybot prints the port of each robot and runs until --for, Ctrl "
        "C\n"
        "or SIGTERM. If shutting down takes longer than a second, a second signal ends it\n"
        "immediately. The exit code is 1 if an expectation of the scene failed; expectations that\n"
        "are undecided at a signal do not count.\n\n"
        "COMMAND is your driver. Simulated time starts when it opens a port and then waits for "
        "it,\n"
        "as in `ptybot test`, which documents how it finds its port. The run ends when COMMAND\n"
        "ends, or without COMMAND when all drivers of --host have ended. ptybot prints the output\n"
        "of the drivers.\n\n"
        "For programs that start a run: use --private --json. Runs do not affect each other, and\n"
        "the line of JSON names the ports and the control socket: see\n"
        "docs/reference/private-runs.md.\n\n"
        "With --recorded, ptys play the bytes of a recorded robot from the moment a driver opens\n"
        "one. The exit code is 1 if the driver sends other bytes than recorded.\n\n"
        "  ptybot run kobuki\n"
        "  ptybot run scenes/kobuki_room.yaml --seed 7 --set kobuki.battery_v=14.2\n"
        "  ptybot run two.yaml --warp max --host './one {kobuki}' --host './other {arm}'\n"
        "  ptybot run --recorded real.pcapng\n"
        "  ptybot run kobuki --private --json --link kobuki=tcp:auto",
    SUBCOMMAND_FLAGS(flags, run_options),
    .shared_flags = session_flags,
    .run = run,
};
