/* `ptybot stress`: the subcommand. */
#include "app/lab/stress/stress.h"

#include <math.h>

#include "app/cli/terminal.h"
#include "app/subcommands/subcommands.h"
#include "app/test/junit.h"
#include "base/array.h"

static const char *const policies[] = {"recover", "exit", "restart", NULL};

static const struct flag_row flags[] = {
    FLAG_REPEATED("only", "TEXT", stress_options, only,
                  "run only cases whose name contains TEXT; may be repeated"),
    FLAG_REPEATED("skip", "TEXT", stress_options, skip,
                  "leave out cases whose name contains TEXT; may be repeated"),
    FLAG_CHOICE("policy", "WHAT", stress_options, policy, policies, "recover",
                "what the driver is meant to do when the link fails: recover, exit with "
                "an error, or be restarted"),
    FLAG_NUMBER("recover-within", "S", stress_options, recover_s, "s", 0, 1e6, "0",
                "the driver must work again S seconds after a hardship",
                .otherwise = "that of each hardship: 0.5 to 10"),
    // Chosen: far more than a run of 25 simulated seconds takes on a busy machine.
    FLAG_NUMBER("host-timeout", "S", stress_options, batch.test.host_timeout_s, "s", 0.001, 1e6,
                "60", "limit of wall-clock time for each run"),
    FLAG_INTEGER(
        "random", "N", stress_options, random, "", 0, 100000, "0", // chosen: days
        "run N further cases random-0001, ... with two to four hardships each, drawn by the "
        "seed"),
    FLAG_SWITCH("minimize", stress_options, batch.is_minimized,
                "make the smallest case of each finding still smaller, while it still fails"),
    HOST_FLAG_ROWS(stress_options, batch.test.host),
    BATCH_FLAG_ROWS(stress_options, batch., "1"),
    FLAG_TEXT("html", "F.html", stress_options, batch.report.html, "",
              "write a report of all cases as one page"),
    FLAG_TEXT("baseline", "OLD.ndjson", stress_options, batch.report.baseline, "",
              "results of an earlier run: exit with 1 only for findings that are not in it"),
};

static const struct shared_flags shared[] = {
    {&session_scene_flags, offsetof(struct stress_options, batch.test.run)}, {NULL, 0}};

static int run(struct arguments *arguments, void *memory)
{
    struct stress_options *options = memory;
    struct test_options *test = &options->batch.test;
    test->run.speed = 1;
    if (!session_options_take(&test->run, arguments) ||
        !host_options_take(&test->host, &test->run, arguments))
        return EXIT_CODE_USAGE;
    if (!arguments->has_rest || arguments->rest != 1)
        return verb_misused(&stress_verb, "give a scene or a robot, and a driver after --");
    if (!test->host.has_warp && test->host.is_warped) {
        test->host.has_warp = true;
        test->host.warp = INFINITY;
    }
    if (options->batch.is_resumed && !*options->batch.results)
        return verb_misused(&stress_verb, "--resume continues the file of --results: give both");
    test->continue_s = 3; // chosen: a robot without commands has stopped after that time
    junit_forget(test->junit);
    junit_forget(options->batch.report.html);
    return stress(arguments->words[0], options);
}

const struct verb stress_verb = {
    .name = "stress",
    .usage = "SCENE|ROBOT [FLAGS] -- DRIVER...",
    .summary = "Show which faults and accidents a driver survives",
    .details =
        "Runs the driver without any fault first: this is the baseline. Then ptybot runs it once\n"
        "for each hardship: every kind of fault that the robots of the scene can have, in up to\n"
        "three sizes, and signals to the driver. Each hardship begins in the middle of a run and\n"
        "ends again. The scene needs no expectations: the verdicts compare with the baseline.\n\n"
        "ptybot prints a matrix of hardships and sizes, then the findings, grouped by cause. Each\n"
        "has a command line that repeats it. docs/stress.md explains verdicts and hardships.\n\n"
        "  ptybot stress kobuki -- ./my_driver\n"
        "  ptybot stress scene.yaml --only uart --policy exit -- ./my_driver {kobuki}\n"
        "  ptybot stress s.yaml --results new.ndjson --baseline old.ndjson -- ./driver\n\n"
        "Exit codes: 0 no finding, 1 findings, 2 invalid arguments or scene, 3 could not be run.\n"
        "With --baseline, 1 means that a finding is new.",
    VERB_FLAGS(flags, stress_options),
    .shared_flags = shared,
    .run = run,
};
