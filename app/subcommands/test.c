/* `ptybot test`: the verb. */
#include "app/subcommands/subcommands.h"
#include "app/test/test_run.h"
#include "base/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "app/lab/batch/minimize.h"
#include "app/lab/batch/shard.h"
#include "app/lab/batch/test_batch.h"
#include "app/test/junit.h"

enum { ROUNDS_MAX = 10000 }; /* chosen: of --until-failure, longer than anybody would wait */
static const char *const starts[] = {"host", "now", NULL};
static const struct flag_row flags[] = {
    BATCH_FLAG_ROWS(batch_options, , "1; with --fast and no host as many as cores"),
    REPORT_FLAG_ROWS(batch_options, report),
    FLAG_CHOICE("start", "WHEN", batch_options, test.start, starts, "host",
                "when time begins: with the first host that opens a port, or at once",
                .otherwise = "host, where there is a host command"),
    // 300, chosen: longer than a driver's test, shorter than a CI job.
    FLAG_NUMBER("host-timeout", "S", batch_options, test.host_timeout_s, "s", 0.001, 1e6, "300",
                "wall time that the host may take"),
    FLAG_NUMBER("driver-deadline", "S", batch_options, test.deadline_s, "s", 0, 1e9, "0",
                "fail if the driver still runs S seconds of simulated time after it opened a port",
                .otherwise = "driver_deadline of the scene, else none"),
    FLAG_NUMBER("continue-after-driver", "S", batch_options, test.continue_s, "s", 0, 1e9, "0",
                "continue the simulation for S seconds after the driver has exited",
                .otherwise = "continue_after_driver of the scene, else 0"),
    HOST_FLAG_ROWS(batch_options, test.host),
    FLAG_SWITCH("coverage", batch_options, report.is_covered,
                "print which packets, commands, faults and signals the tests have exercised"),
    FLAG_SWITCH("keep", batch_options, test.is_kept,
                "keep the temporary folder of a test that passed, too"),
    FLAG_SWITCH("fail-fast", batch_options, test.is_fail_fast,
                "end a test at its first failure, and start no other one after it"),
    FLAG_SWITCH("until-failure", batch_options, is_until_failure,
                "each case with ever new seeds, until one fails"),
    FLAG_SWITCH(
        "minimize", batch_options, is_minimized,
        "make the first case that fails simpler while it still fails, and print it as a scene"),
    FLAG_TEXT("seeds", "A..B", batch_options, seeds, "",
              "each scene once with each of these seeds"),
    FLAG_REPEATED("vary", "WHAT", batch_options, vary,
                  "a case for each value, such as 'kobuki.battery_v = 14..16/5', 'kobuki.pose in "
                  "light(dock) x 500' or 'kobuki.fault uart=drop rate=0..0.05'; may be repeated"),
};

/* Flags that name one file make no sense for many tests. */
static const char *wrong_for_many(const struct arguments *arguments)
{
    if (arguments_has(arguments, "log") || arguments_has(arguments, "journal") ||
        arguments_has(arguments, "capture") || arguments_has(arguments, "control"))
        return "--log, --journal, --capture and --control are for one test; of several, --out DIR "
               "keeps those of each";
    if (arguments_has(arguments, "web"))
        return "--web is for one test";
    if (arguments_has(arguments, "seed") && arguments_has(arguments, "seeds"))
        return "--seed and --seeds exclude each other";
    return NULL;
}

static int run_many(const struct arguments *arguments, const struct test_units *units,
                    const struct batch_options *options)
{
    const char *wrong = wrong_for_many(arguments);
    if (wrong)
        return verb_misused(&test_verb, wrong);
    if (units->count == 0)
        terminal_say("no test is in shard %s of %zu tests", options->shard, units->all);
    const struct test_unit *failed = NULL;
    int code = test_batch(units, options, &failed);
    if (options->is_minimized && failed && minimize(failed, &options->test) != EXIT_CODE_FAILED)
        code = EXIT_CODE_ENVIRONMENT;
    return code;
}

/* A test alone is no part of anything, whatever the environment says. */
static bool take_shard(struct test_units *units, struct batch_options *options, struct error *error)
{
    char shard[SHARD_TEXT_MAX];
    const char *who = "";
    if (!*options->shard && units->all == 1)
        return true;
    if (!shard_find(options->shard, shard, &who, error) || !test_units_keep(units, shard, error))
        return false;
    if (*who)
        terminal_say("shard %s, by %s (--shard 1/1: all)", shard, who);
    snprintf(options->shard, sizeof options->shard, "%s", shard);
    return true;
}

static int test(struct arguments *arguments, void *memory)
{
    struct batch_options *options = memory;
    struct test_result result;
    struct test_units units;
    struct error error = {0};
    if (!session_options_take(&options->test.run, arguments) ||
        !host_options_take(&options->test.host, &options->test.run, arguments))
        return EXIT_CODE_USAGE;
    options->test.has_start = arguments_has(arguments, "start");
    if (!arguments_has(arguments, "jobs"))
        options->jobs = 0;
    size_t count = arguments->has_rest ? arguments->rest : arguments->word_count;
    if (options->is_until_failure && !*options->seeds)
        snprintf(options->seeds, sizeof options->seeds, "1..%d", ROUNDS_MAX);
    const struct test_units_options list = {
        .seeds = options->seeds, .vary = &options->vary, .is_by_seed = options->is_until_failure};
    bool is_reported =
        *options->report.html || *options->report.baseline || options->report.is_covered;
    if (options->is_until_failure && (*options->shard || *options->results || is_reported))
        return verb_misused(&test_verb, "--until-failure ends somewhere: leave out --shard, "
                                        "--results, --html and --baseline");
    if (count == 0)
        return verb_misused(&test_verb, "give a scene or a folder of scenes");
    if (options->is_resumed && !*options->results)
        return verb_misused(&test_verb,
                            "--resume goes on with the file of --results: give that too");
    if (!test_units_list(&units, arguments->words, count, &list, &error) ||
        !take_shard(&units, options, &error)) {
        test_units_free(&units);
        return terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
    }
    junit_forget(options->test.junit);
    junit_forget(options->report.html);
    bool is_one = units.all == 1 && !*options->seeds && !*options->shard && !*options->results &&
                  !is_reported && !options->is_minimized && units.units[0].varied.set_count == 0 &&
                  !units.units[0].varied.has_seed && !test_units_is_folder(arguments->words[0]);
    int code = is_one ? test_run(arguments->words[0], &options->test, NULL, &result)
                      : run_many(arguments, &units, options);
    test_units_free(&units);
    return code;
}

const struct verb test_verb = {
    .name = "test",
    .usage = "SCENE|DIR... [FLAGS] [-- HOST COMMAND...]",
    .summary = "run a driver against a scene and judge both",
    .details =
        "The host command is started when its ports are there. It finds them in its environment:\n"
        "PTYBOT_PORT_<ROBOT> (PTYBOT_PORT_<ROBOT>_<CHANNEL> for each channel; a path, or "
        "host:port\n"
        "of TCP), PTYBOT_CONTROL. Without a command the scene's `host` is used, or none. The host\n"
        "shim is preloaded. Time stands still until a host opens a port. The test ends with the\n"
        "host command, at --for, or when all is decided and no host runs. It passes if the "
        "command\n"
        "exits with 0 and every expectation of the scene holds. Of a folder, all *.yaml in it.\n"
        "More hosts are started beside it by --host, in that order; what fails ends the test. "
        "Without\n"
        "a command behind -- it ends when all of them have ended.\n\n"
        "Time waits for the host command: it goes on only while all of that waits, for time or "
        "for\n"
        "bytes, and what it computes costs none. So the same bytes come at the same time in each\n"
        "run, on a machine as busy as you like. The host's clocks, sleeps and time-outs are those "
        "of\n"
        "the world (docs/warp.md: all but static programs, Go, musl). With --warp max idle time\n"
        "passes as fast as it can: recommended for CI. --warp off, --speed, --fast and --lockstep\n"
        "leave the host the machine's clock, and the world does not wait.\n\n"
        "  ptybot test kobuki_dock.yaml -- ./my_driver_test\n"
        "  ptybot test kobuki_dock.yaml --warp 10 -- ./my_driver_test\n"
        "  ptybot test kobuki_dock.yaml --warp max -- ./my_driver_test\n"
        "  ptybot test two.yaml --host './arm_driver {arm}' -- ./base_driver {kobuki}\n"
        "  ptybot test scenes --jobs 4 --seeds 1..10 --shard 2/3 --junit result.xml\n"
        "  ptybot test kobuki --for 5 -- sh -c 'exec my_driver \"$PTYBOT_PORT_KOBUKI\"'\n\n"
        "Exit codes: 0 passed, 1 failed, 2 bad usage or scene, or nothing to judge, 3 could not "
        "be\n"
        "run; of several tests the highest. 3 may be tried again (--resume), 1 and 2 come again.\n"
        "With --baseline, 1 means that something is worse than before beyond chance.",
    VERB_FLAGS(flags, batch_options),
    .shared_flags = session_flags,
    .run = test,
};
