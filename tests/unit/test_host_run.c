/* The flags for driver commands, and the commands of a run. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/drivers/host_run.h"
#include "tests/support/check.h"

struct taken {
    struct session_options run;
    struct host_options hosts;
};

static const struct flag_row rows[] = {
    HOST_FLAG_ROWS(taken, hosts),
    SPEED_FLAG_ROW(taken, run.speed),
    FLAG_SWITCH("fast", taken, run.is_fast, "as fast as it can"),
    FLAG_SWITCH("lockstep", taken, run.is_lockstep, "step by step"),
};
static const struct subcommand subcommand = {
    .name = "run", .usage = "", .summary = "", .details = "", SUBCOMMAND_FLAGS(rows, taken)};

static struct taken taken;
static struct arguments arguments;
static char said[2000]; /* on the standard error stream */

/* Collects messages until keep_what_was_said. */
static FILE *listen_to_errors(int *before)
{
    FILE *file = tmpfile();
    *before = dup(STDERR_FILENO);
    assert_true(file && *before >= 0);
    dup2(fileno(file), STDERR_FILENO);
    return file;
}

/* Ends the collection; the text is in SAID. */
static void keep_what_was_said(FILE *file, int before)
{
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
}

/* Parses a line of words that are separated by blanks; `''` is an empty word. */
static bool take(const char *line)
{
    static char text[1000], *words[64];
    int count = 0;
    struct error error = {0};
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        words[count++] = strcmp(word, "''") == 0 ? word + 2 : word;
    arguments = (struct arguments){.subcommand = &subcommand};
    memset(&taken, 0, sizeof taken);
    if (!arguments_parse(&arguments, count, words, &taken, &error))
        fail_msg("%s: %s", line, error.text);
    int before;
    FILE *file = listen_to_errors(&before);
    bool is_taken = host_options_take(&taken.hosts, &taken.run, &arguments);
    keep_what_was_said(file, before);
    assert_int_equal(is_taken, *said == '\0');
    return is_taken;
}

static void check_refused(const char *line, const char *why)
{
    if (take(line))
        fail_msg("'%s' is taken", line);
    if (!strstr(said, why))
        fail_msg("'%s' is not in '%s'", why, said);
}

static void time_waits_for_drivers_unless_a_flag_sets_the_speed(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool is_warped, has_warp;
        double warp, speed;
    } cases[] = {
        {"", true, false, 1, 1},
        {"--warp off", false, false, 1, 1},
        {"--warp max", true, true, INFINITY, 1},
        {"--warp 5", true, true, 5, 5},
        {"--warp 0.001", true, true, 0.001, 0.001},
        {"--warp 1000", true, true, 1000, 1000},
        {"--speed 2", false, false, 1, 2},
        {"--speed 2 --warp off", false, false, 1, 2},
        {"--fast", false, false, 1, 1},
        {"--lockstep", false, false, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!take(cases[i].line))
            fail_msg("%s: %s", cases[i].line, said);
        if (taken.hosts.is_warped != cases[i].is_warped ||
            taken.hosts.has_warp != cases[i].has_warp || taken.run.speed != cases[i].speed ||
            (taken.hosts.warp != cases[i].warp))
            fail_msg("%s: %d %d %g %g", cases[i].line, taken.hosts.is_warped, taken.hosts.has_warp,
                     taken.hosts.warp, taken.run.speed);
    }
}

static void a_factor_that_is_none_is_refused(void **state)
{
    static const char *const lines[] = {"--warp 1001", "--warp 1000.5", "--warp 0.0009", "--warp 0",
                                        "--warp fast"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        check_refused(lines[i], ", or max, or off");
    static const char *const two[] = {"--warp 3 --speed 2", "--warp max --fast",
                                      "--warp 1 --lockstep"};
    for (size_t i = 0; i < sizeof two / sizeof two[0]; i++)
        check_refused(two[i], "--warp sets the speed: leave out --speed, --fast and --lockstep");
}

static void a_slow_host_needs_virtual_time(void **state)
{
    (void)state;
    assert_true(take("--host-delay 1..400ms --wake-order 7"));
    assert_int_equal(taken.hosts.delay.min_us, 1000);
    assert_int_equal(taken.hosts.delay.max_us, 400000);
    assert_int_equal(taken.hosts.wake_order, 7);
    check_refused("--host-delay soon", "--host-delay: ");
    check_refused("--host-delay 0..1ms --warp off", "need virtual time");
    check_refused("--wake-order 1 --fast", "need virtual time");
    check_refused("--wake-order 1 --speed 2", "need virtual time");
    assert_true(take("--wake-order 0 --warp off"));
}

static void commands_come_from_the_flags_and_from_behind_the_dashes(void **state)
{
    (void)state;
    char line[400] = "--host a";
    assert_true(take("--host a --host b"));
    assert_null(taken.hosts.words);
    for (int i = 1; i < 15; i++)
        strcat(line, " --host a");
    assert_true(take(line));
    strcat(line, " --host a");
    check_refused(line, "--host: given more than 15 times");
    check_refused("--host ''", "--host: COMMAND is empty");
    check_refused("--host '' --host a", "--host: COMMAND is empty");
    check_refused("--host a --host ''", "--host: COMMAND is empty");
    check_refused("a --", "the driver command after -- is missing");
    assert_true(take("a -- b --c d"));
    assert_string_equal(taken.hosts.words[0], "b");
    assert_string_equal(taken.hosts.words[1], "--c");
    assert_string_equal(taken.hosts.words[2], "d");
    assert_null(taken.hosts.words[3]);
    assert_true(take("a"));
    assert_null(taken.hosts.words);
}

static void check_shell(const struct host_run *run, size_t index, const char *command)
{
    const char *const *words = run->commands[index].words;
    assert_string_equal(words[0], "/bin/sh");
    assert_string_equal(words[1], "-c");
    assert_string_equal(words[2], command);
    assert_null(words[3]);
}

static void the_command_behind_the_dashes_is_first_and_awaited_alone(void **state)
{
    (void)state;
    static struct host_run run;
    static struct scene scene = {.file = "x/y.yaml", .host_count = 1, .hosts = {"ours"}};
    run = (struct host_run){0};
    assert_true(take("--host one --host two -- main it"));
    host_run_choose(&run, &taken.hosts, &scene);
    assert_int_equal(run.count, 3);
    assert_ptr_equal(run.options, &taken.hosts);
    assert_string_equal(run.commands[0].words[0], "main");
    assert_string_equal(run.commands[0].words[1], "it");
    check_shell(&run, 1, "one");
    check_shell(&run, 2, "two");
    assert_null(run.commands[1].folder);
    assert_int_equal(run.hosts.awaited, 1);

    run = (struct host_run){0};
    assert_true(take("--host one --host two"));
    host_run_choose(&run, &taken.hosts, NULL);
    assert_int_equal(run.count, 2);
    check_shell(&run, 0, "one");
    assert_int_equal(run.hosts.awaited, 2);
}

static void commands_of_the_scene_start_in_its_folder_if_there_are_no_others(void **state)
{
    (void)state;
    static struct host_run run;
    static const struct {
        const char *file, *folder;
    } cases[] = {{"place/of/it.yaml", "place/of/"}, {"/it.yaml", "/"}, {"it.yaml", "."}};
    assert_true(take(""));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct scene scene = {.host_count = 2, .hosts = {"one", "two"}};
        snprintf(scene.file, sizeof scene.file, "%s", cases[i].file);
        run = (struct host_run){0};
        host_run_choose(&run, &taken.hosts, &scene);
        assert_int_equal(run.count, 2);
        check_shell(&run, 0, "one");
        check_shell(&run, 1, "two");
        assert_string_equal(run.commands[0].folder, cases[i].folder);
        assert_string_equal(run.commands[1].folder, cases[i].folder);
        assert_int_equal(run.hosts.awaited, 2);
        scene.host_count = 1;
        run = (struct host_run){0};
        host_run_choose(&run, &taken.hosts, &scene);
        assert_int_equal(run.count, 1);
        scene.host_count = 0;
        run = (struct host_run){0};
        host_run_choose(&run, &taken.hosts, &scene);
        assert_int_equal(run.count, 0);
        scene.host_count = 2;
    }
}

/* A session whose folder does not exist. */
static struct session *session_of(struct scene *scene)
{
    static struct session session;
    memset(&session, 0, sizeof session);
    session.scene = scene;
    snprintf(session.folder.path, sizeof session.folder.path, "/no/such/folder");
    return &session;
}

static void a_clock_that_cannot_be_made_stops_only_who_asked_for_it(void **state)
{
    (void)state;
    static struct host_run run;
    static struct scene scene;
    struct error error = {0};
    struct diagnoses diagnoses = {0};
    struct warp_outcome outcome = {.speed = 7};
    struct session *session = session_of(&scene);
    run = (struct host_run){0};
    assert_true(take("--host a"));
    host_run_choose(&run, &taken.hosts, NULL);
    assert_true(host_run_open(&run, session, &error));
    assert_false(run.is_open);
    assert_false(session->pacer.is_awaited);
    assert_non_null(strstr(run.reason, "/no/such/folder/clock"));
    host_run_find(&run, 1, 1, &diagnoses, &outcome);
    assert_int_equal(diagnoses.count, 1);
    assert_string_equal(diagnoses.items[0].entry, "troubleshooting.md#time-does-not-wait");
    assert_non_null(strstr(diagnoses.items[0].text, "change the outcome: --warp: /no/such/folder"));
    assert_true(outcome.speed == 7);
    diagnoses_free(&diagnoses);

    run = (struct host_run){0};
    session = session_of(&scene);
    assert_true(take("--host a --warp 2"));
    host_run_choose(&run, &taken.hosts, NULL);
    assert_false(host_run_open(&run, session, &error));
    assert_non_null(strstr(error.text, "/no/such/folder/clock"));
}

static void a_run_without_drivers_has_no_clock_but_a_lag_of_its_speed(void **state)
{
    (void)state;
    static struct host_run run;
    static struct scene scene;
    struct error error = {0};
    struct session *session = session_of(&scene);
    run = (struct host_run){0};
    assert_true(take("--warp 4"));
    host_run_choose(&run, &taken.hosts, NULL);
    assert_true(host_run_open(&run, session, &error));
    assert_false(run.is_open);
    assert_true(session->pacer.is_awaited);
    assert_int_equal(session->pacer.lag_max_ns, PACER_LAG_MAX_NS / 4);
    session = session_of(&scene);
    run = (struct host_run){0};
    assert_true(take(""));
    host_run_choose(&run, &taken.hosts, NULL);
    assert_true(host_run_open(&run, session, &error));
    assert_false(session->pacer.is_awaited);
    assert_string_equal(run.reason, "");
}

static void a_run_without_drivers_and_limit_is_told_of_another_flag(void **state)
{
    static const struct {
        const char *line;
        bool is_told;
    } cases[] = {{"--warp max", true}, {"--warp 4", false}, {"--warp max --host a", false}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        static struct host_run run;
        static struct scene scene;
        struct error error = {0};
        int before;
        run = (struct host_run){0};
        assert_true(take(cases[i].line));
        host_run_choose(&run, &taken.hosts, NULL);
        FILE *file = listen_to_errors(&before);
        (void)host_run_open(&run, session_of(&scene), &error);
        keep_what_was_said(file, before);
        assert_int_equal(strstr(said, "use --fast to run as fast as possible") != NULL,
                         cases[i].is_told);
    }
}

static void a_slow_host_without_virtual_time_is_refused(void **state)
{
    (void)state;
    static struct host_run run;
    static struct scene scene;
    struct error error = {0};
    scene.wake_order = 3;
    run = (struct host_run){0};
    assert_true(take("--host a --warp off"));
    host_run_choose(&run, &taken.hosts, &scene);
    assert_false(host_run_open(&run, session_of(&scene), &error));
    assert_non_null(strstr(error.text, "a delay or wake order of the driver needs virtual time"));
    assert_string_equal(strstr(error.text, "--lockstep"), "--lockstep");
    assert_true(take("--host a"));
    run = (struct host_run){0};
    host_run_choose(&run, &taken.hosts, &scene);
    assert_false(host_run_open(&run, session_of(&scene), &error)); // the clock cannot be created
    assert_non_null(strstr(error.text, "--lockstep; --warp: /no/such/folder/clock: "));
    assert_true(take("--host a --warp off"));
    run = (struct host_run){0};
    host_run_choose(&run, &taken.hosts, &scene);
    scene.wake_order = 0;
    assert_true(host_run_open(&run, session_of(&scene), &error));
    scene.host_delay.max_us = 1;
    assert_false(host_run_open(&run, session_of(&scene), &error));
    run.count = 0; // no driver that could be slow
    assert_true(host_run_open(&run, session_of(&scene), &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_waits_for_drivers_unless_a_flag_sets_the_speed),
        cmocka_unit_test(a_factor_that_is_none_is_refused),
        cmocka_unit_test(a_slow_host_needs_virtual_time),
        cmocka_unit_test(commands_come_from_the_flags_and_from_behind_the_dashes),
        cmocka_unit_test(the_command_behind_the_dashes_is_first_and_awaited_alone),
        cmocka_unit_test(commands_of_the_scene_start_in_its_folder_if_there_are_no_others),
        cmocka_unit_test(a_clock_that_cannot_be_made_stops_only_who_asked_for_it),
        cmocka_unit_test(a_run_without_drivers_has_no_clock_but_a_lag_of_its_speed),
        cmocka_unit_test(a_run_without_drivers_and_limit_is_told_of_another_flag),
        cmocka_unit_test(a_slow_host_without_virtual_time_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
