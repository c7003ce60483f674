/* `ptybot stress`: the options of the subcommand. */
#include "app/lab/stress/stress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "app/subcommands/subcommands.h"
#include "app/test/junit.h"

static const char *const policies[] = {"recover", "exit", "restart", NULL};

static const struct flag_row flags[] = {
    FLAG_REPEATED("only", "TEXT", stress_options, only,
                  "Run only cases whose name contains TEXT; repeatable"),
    FLAG_REPEATED("skip", "TEXT", stress_options, skip,
                  "Leave out cases whose name contains TEXT; repeatable"),
    FLAG_CHOICE("policy", "WHAT", stress_options, policy, policies, "recover",
                "Expected reaction of the driver when the link fails: recover, exit with an error, "
                "or be restarted"),
    FLAG_NUMBER("recover-within", "S", stress_options, recover_s, "s", 0, 1e6, "0",
                "Longest time until the driver has recovered from a hardship",
                .otherwise = "the range of each fault: 0.5 to 10"),
    // Chosen: far longer than a driver takes to start.
    FLAG_NUMBER("host-timeout", "S", stress_options, batch.test.host_timeout_s, "s", 0.001, 1e6,
                "60",
                "Longest time without progress of simulated time. A busy machine does not count"),
    FLAG_INTEGER(
        "random", "N", stress_options, random, "", 0, 100000, "0", // chosen: days
        "Run N further cases random-0001, ... with two to four hardships each, drawn by the seed"),
    FLAG_TEXT("for", "TIME", stress_options, limit_text, "",
              "Wall-clock time after which no case begins, such as 90, 30m or 8h; --resume runs "
              "the rest"),
    FLAG_SWITCH("listens", stress_options, is_listener,
                "Ignore silence in the baseline: the driver may stop sending"),
    FLAG_SWITCH("minimize", stress_options, batch.is_minimized,
                "Make the smallest case of each finding simpler while it still fails"),
    HOST_FLAG_ROWS(stress_options, batch.test.host),
    BATCH_FLAG_ROWS(stress_options, batch., "1"),
    FLAG_TEXT("html", "F.html", stress_options, batch.report.html, "",
              "Write a report of all cases as one page"),
    FLAG_TEXT("baseline", "OLD.ndjson", stress_options, batch.report.baseline, "",
              "Compare with an earlier run; exit with 1 only for new findings"),
};

static const struct shared_flags shared[] = {
    {&session_scene_flags, offsetof(struct stress_options, batch.test.run)}, {NULL, 0}};

/* Reads "90", "90s", "30m" or "8h". */
static bool read_limit(struct stress_options *options)
{
    char *end;
    options->limit_s = strtod(options->limit_text, &end);
    options->limit_s *= *end == 'h' ? 3600 : *end == 'm' ? 60 : 1;
    return !*options->limit_text || (options->limit_s > 0 && isfinite(options->limit_s) &&
                                     (!*end || strchr("smh", *end)) && (!*end || !end[1]));
}

static int run(struct arguments *arguments, void *memory)
{
    struct stress_options *options = memory;
    struct test_options *test = &options->batch.test;
    test->run.speed = 1;
    if (!session_options_take(&test->run, arguments) ||
        !host_options_take(&test->host, &test->run, arguments))
        return EXIT_CODE_USAGE;
    if (!arguments->has_rest || arguments->rest != 1)
        return subcommand_misused(&stress_subcommand,
                                  "give a scene or a robot, and a driver after --");
    if (!test->host.has_warp && test->host.is_warped) {
        test->host.has_warp = true;
        test->host.warp = INFINITY;
    }
    if (!read_limit(options))
        return subcommand_misused(&stress_subcommand,
                                  "--for takes seconds, or a number with s, m or h");
    if (options->batch.is_resumed && !*options->batch.results)
        return subcommand_misused(&stress_subcommand,
                                  "--resume continues the file of --results: give both");
    test->continue_s = 3; // chosen: a robot without commands has stopped after that time
    struct error error = {0};
    if (!junit_forget(test->junit, "--junit", &error) ||
        !junit_forget(options->batch.report.html, "--html", &error))
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
    return stress(arguments->words[0], options);
}

const struct subcommand stress_subcommand = {
    .name = "stress",
    .usage = "SCENE|ROBOT [FLAGS] -- DRIVER...",
    .summary = "show the faults and accidents that a driver survives",
    .details =
        "Runs the driver without any fault first: this is the baseline. Then ptybot runs it once\n"
        "for each hardship: every kind of fault that the robots of the scene can have, in up to\n"
        "three sizes, and signals to the driver. Each hardship begins in the middle of a run and\n"
        "ends again. The scene needs no expectations: the verdicts compare with the baseline.\n\n"
        "ptybot prints a matrix of hardships and sizes, then the findings, grouped by cause. Each\n"
        "has a command line that repeats it. docs/how-to/stress.md explains verdicts\n"
        "and hardships.\n\n"
        "  ptybot stress kobuki -- ./my_driver\n"
        "  ptybot stress scene.yaml --only uart --policy exit -- ./my_driver {kobuki}\n"
        "  ptybot stress s.yaml --results new.ndjson --baseline old.ndjson -- ./driver\n\n"
        "Exit codes: 0 no finding, 1 findings, 2 invalid arguments or scene, 3 could not be run.\n"
        "With --baseline, 1 means that a finding is new.",
    SUBCOMMAND_FLAGS(flags, stress_options),
    .shared_flags = shared,
    .run = run,
};
