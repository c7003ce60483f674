/* `ptybot test`: the options of the subcommand. */
#include "app/subcommands/subcommands.h"
#include "app/test/test_run.h"

#include <stdio.h>

#include "app/cli/terminal.h"
#include "app/lab/batch/minimize.h"
#include "app/lab/batch/shard.h"
#include "app/lab/batch/test_batch.h"
#include "app/test/junit.h"

enum { ROUNDS_MAX = 10000 }; /* chosen: with --until-failure, longer than a user would wait */
static const char *const starts[] = {"host", "now", NULL};
static const struct flag_row flags[] = {
    BATCH_FLAG_ROWS(batch_options, ,
                    "1; with --fast and without a driver, the number of processors"),
    REPORT_FLAG_ROWS(batch_options, report),
    FLAG_CHOICE(
        "start", "WHEN", batch_options, test.start, starts, "host",
        "Start of simulated time: when the first driver opens a port (host), or immediately (now)",
        .otherwise = "host, if there is a driver command; otherwise now"),
    // 300 is chosen: longer than a driver's test, shorter than a CI job.
    FLAG_NUMBER("host-timeout", "S", batch_options, test.host_timeout_s, "s", 0.001, 1e6, "300",
                "Limit of wall-clock time for the driver"),
    FLAG_NUMBER("driver-deadline", "S", batch_options, test.deadline_s, "s", 0, 1e9, "0",
                "Fail if the driver still runs S seconds of simulated time after it opened a port",
                .otherwise = "driver_deadline of the scene, or none"),
    FLAG_NUMBER("continue-after-driver", "S", batch_options, test.continue_s, "s", 0, 1e9, "0",
                "Continue the simulation for S seconds after the driver has exited",
                .otherwise = "continue_after_driver of the scene, or 0"),
    HOST_FLAG_ROWS(batch_options, test.host),
    FLAG_SWITCH("coverage", batch_options, report.is_covered,
                "Print the packets, commands, faults and signals that the tests have exercised"),
    FLAG_SWITCH("keep", batch_options, test.is_kept,
                "Keep the temporary folder of a passed test, too"),
    FLAG_SWITCH("fail-fast", batch_options, test.is_fail_fast,
                "End a test at its first failure, and start no further test"),
    FLAG_SWITCH("until-failure", batch_options, is_until_failure,
                "Repeat every case with new seeds until one fails"),
    FLAG_SWITCH(
        "minimize", batch_options, is_minimized,
        "Make the first failing case simpler while it still fails, and print it as a scene"),
    FLAG_TEXT("seeds", "A..B", batch_options, seeds, "",
              "Run each scene once with each of these seeds"),
    FLAG_REPEATED("vary", "WHAT", batch_options, vary,
                  "Run one case per value, such as 'kobuki.battery_v = 14..16/5', 'kobuki.pose in "
                  "light(dock) x 500' or 'kobuki.fault uart=drop rate=0..0.05'; repeatable"),
};

/* Flags that name a single file cannot be used with many tests. */
static const char *wrong_for_many(const struct arguments *arguments)
{
    if (arguments_has(arguments, "log") || arguments_has(arguments, "journal") ||
        arguments_has(arguments, "capture") || arguments_has(arguments, "control"))
        return "--log, --journal, --capture and --control are for one test; for several tests, "
               "--out DIR keeps the files of each";
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
        return subcommand_misused(&test_subcommand, wrong);
    if (units->count == 0)
        terminal_say("shard %s contains no test; there are %zu tests", options->shard, units->all);
    const struct test_unit *failed = NULL;
    int code = test_batch(units, options, &failed);
    if (options->is_minimized && failed && minimize(failed, &options->test) != EXIT_CODE_FAILED)
        code = EXIT_CODE_ENVIRONMENT;
    return code;
}

/* A single test is not sharded, whatever the environment variables are. */
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
        return subcommand_misused(
            &test_subcommand,
            "--until-failure cannot be combined with other selections: leave out --shard, "
            "--results, --html and --baseline");
    if (count == 0)
        return subcommand_misused(&test_subcommand, "give a scene or a folder of scenes");
    if (options->is_resumed && !*options->results)
        return subcommand_misused(
            &test_subcommand, "--resume continues with the file of --results: give --results too");
    if (!test_units_list(&units, arguments->words, count, &list, &error) ||
        !take_shard(&units, options, &error)) {
        test_units_free(&units);
        return terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
    }
    if (!junit_forget(options->test.junit, "--junit", &error) ||
        !junit_forget(options->report.html, "--html", &error)) {
        test_units_free(&units);
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
    }
    bool is_one = units.all == 1 && !*options->seeds && !*options->shard && !*options->results &&
                  !is_reported && !options->is_minimized && units.units[0].varied.set_count == 0 &&
                  !units.units[0].varied.has_seed && !test_units_is_folder(arguments->words[0]);
    int code = is_one ? test_run(arguments->words[0], &options->test, NULL, &result)
                      : run_many(arguments, &units, options);
    test_units_free(&units);
    return code;
}

const struct subcommand test_subcommand = {
    .name = "test",
    .usage = "SCENE|ROBOT|DIR... [FLAGS] [-- COMMAND...]",
    .summary = "run a driver in a scene and report pass or fail",
    .details =
        "COMMAND is your driver. ptybot starts it when its ports exist. It finds them in "
        "its\nenvironment: PTYBOT_PORT_<ROBOT> (PTYBOT_PORT_<ROBOT>_<CHANNEL> for each channel; a "
        "path, or\nHOST:PORT of TCP) and PTYBOT_CONTROL. Without COMMAND, ptybot uses the scene's "
        "`host`, if it\nhas one. The shim library is preloaded. Simulated time starts when a "
        "driver opens a port. The\ntest ends with the driver command, at --for, or when every "
        "expectation is decided and no\ndriver runs. It passes if the command exits with 0 and "
        "every expectation of the scene holds.\nFor a folder, ptybot runs every *.yaml file in it. "
        "--host starts further drivers, in the\ngiven order. The test ends when one of them fails. "
        "Without COMMAND, it ends when all of them\nhave ended.\n\nSimulated time advances only "
        "while every process of the driver waits, for time or for bytes.\nComputing takes no "
        "simulated time. Each run therefore delivers the same bytes at the same\nsimulated time, "
        "however busy the machine is. Clocks, sleeps and timeouts of the driver are\nvirtual "
        "(docs/explanation/virtual-time.md; not for static programs, Go and musl).\n--warp max "
        "skips idle time: recommended for CI. With --warp off, --speed, --fast or\n--lockstep, the "
        "driver uses the real clock, and the simulation does not wait for it.\n\n  ptybot test "
        "kobuki_dock.yaml -- ./my_driver_test\n  ptybot test kobuki_dock.yaml --warp 10 -- "
        "./my_driver_test\n  ptybot test kobuki_dock.yaml --warp max -- ./my_driver_test\n  ptybot "
        "test two.yaml --host './arm_driver {arm}' -- ./base_driver {kobuki}\n  ptybot test scenes "
        "--jobs 4 --seeds 1..10 --shard 2/3 --junit result.xml\n  ptybot test kobuki --for 5 -- sh "
        "-c 'exec my_driver \"$PTYBOT_PORT_KOBUKI\"'\n\nExit codes: 0 passed; 1 failed; 2 invalid "
        "arguments or scene, or nothing to judge; 3 could\nnot be run. For several tests, the "
        "highest code. Only 3 is worth a retry (--resume); 1 and 2 will\nrepeat. With --baseline, "
        "1 "
        "means that something is significantly worse than before.",
    SUBCOMMAND_FLAGS(flags, batch_options),
    .shared_flags = session_flags,
    .run = test,
};
