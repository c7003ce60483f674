/* Runs for programs: `ptybot run --private --json`, how clients find them and how they end. */
#define _GNU_SOURCE
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/stage.h"

/* A scene with a robot at a relative path that no other test uses. */
static void write_scene(const struct stage *stage)
{
    folder_write(&stage->folder, "one.yaml",
                 "name: One\nworld: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: ada, type: kobuki, pose: {x: 2, y: 2}, "
                 "links: [{pty: e2e_private_%ld}]}]\n",
                 (long)getpid());
}

/* The line that a run has printed; NULL: none so far. */
static json_t *ready_line(const struct program *run)
{
    char *said = program_out(run);
    json_t *line = strchr(said, '\n') ? json_loads(said, 0, NULL) : NULL;
    free(said);
    return line;
}

static json_t *start(struct stage *stage, struct program *run, const char *name,
                     const char *const more[])
{
    const char *words[16] = {PTYBOT_BINARY, "run", "one.yaml", "--json"};
    json_t *line = NULL;
    for (size_t i = 0; more[i]; i++)
        words[4 + i] = more[i];
    program_start(run, &stage->folder, name, words, 0);
    WAIT_UNTIL((line = ready_line(run)) || !program_is_running(run));
    if (!line)
        fail_msg("no line of JSON");
    return line;
}
#define START(stage, run, name, ...)                                                               \
    start(stage, run, name, (const char *const[]){__VA_ARGS__, NULL})

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text)
        fail_msg("no text %s", key);
    return text;
}

static json_t *channel_of(const json_t *line)
{
    const json_t *robot = json_array_get(json_object_get(line, "robots"), 0);
    return json_array_get(json_object_get(robot, "channels"), 0);
}

/* ---- Location of a run ---- */

static void the_line_of_json_says_where_all_is_and_all_of_that_goes_with_the_run(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    struct stat folder;
    write_scene(stage);
    json_t *line = START(stage, &stage->ptybot, "run", "--private");
    assert_string_equal(text_of(line, "name"), "One");
    assert_int_equal(json_integer_value(json_object_get(line, "pid")), stage->ptybot.pid);
    assert_true(json_is_false(json_object_get(line, "lockstep")));
    const json_t *robot = json_array_get(json_object_get(line, "robots"), 0);
    assert_string_equal(text_of(robot, "name"), "ada");
    assert_string_equal(text_of(robot, "type"), "kobuki");
    const json_t *channel = channel_of(line);
    assert_string_equal(text_of(channel, "name"), "uart");
    assert_string_equal(text_of(channel, "link"), "pty");
    assert_int_equal(json_integer_value(json_object_get(channel, "baud")), 115200);

    assert_int_equal(stat(text_of(line, "folder"), &folder), 0);
    assert_int_equal(folder.st_mode & 07777, 0700);
    assert_memory_equal(text_of(channel, "path"), text_of(line, "folder"),
                        strlen(text_of(line, "folder")));
    kobuki_host_open(&host, text_of(channel, "path"));
    kobuki_host_hear(&host, 5);
    kobuki_host_check(&host, 0);
    kobuki_host_close(&host);

    assert_int_equal(program_end(&stage->ptybot, SIGTERM), 0);
    assert_false(path_exists(text_of(line, "folder")));
    char *out = program_out(&stage->ptybot);
    assert_string_equal(strchr(out, '\n'), "\n"); /* the summary is not JSON */
    free(out);
    assert_true(program_has_warned(&stage->ptybot, "simulated in"));
    json_decref(line);
}

static void the_method_version_says_the_same(void **state)
{
    struct stage *stage = *state;
    write_scene(stage);
    json_t *line = START(stage, &stage->ptybot, "run", "--private", "--lockstep");
    assert_true(json_is_true(json_object_get(line, "lockstep")));
    struct ptybot_run *client = ptybot_attach(text_of(line, "control"));
    json_t *answer = json_loads(ptybot_call(client, "version", NULL), 0, NULL);
    ptybot_end(client);
    assert_true(json_equal(answer, line));
    json_decref(answer);
    json_decref(line);
    stage_end(stage);
}

static void private_runs_never_meet_each_other_or_one_started_by_hand(void **state)
{
    struct stage *stage = *state;
    struct program runs[2], ctl;
    json_t *lines[2];
    write_scene(stage);
    json_t *by_hand = START(stage, &stage->ptybot, "run", NULL);
    lines[0] = START(stage, &runs[0], "first", "--private");
    lines[1] = START(stage, &runs[1], "second", "--private");
    assert_string_not_equal(text_of(channel_of(lines[0]), "path"),
                            text_of(channel_of(lines[1]), "path"));
    for (size_t i = 0; i < 2; i++) {
        assert_string_not_equal(text_of(channel_of(by_hand), "path"),
                                text_of(channel_of(lines[i]), "path"));
        assert_true(path_exists(text_of(channel_of(lines[i]), "path")));
    }
    /* A command without the name of a run does not use a private run. Other tests may run at the
     * same time. */
    program_run(&ctl, &stage->folder, "ctl",
                (const char *const[]){PTYBOT_BINARY, "ctl", "get", "world.time_s", NULL});
    for (size_t i = 0; i < 2; i++)
        assert_false(program_has_warned(&ctl, text_of(lines[i], "control")));
    assert_int_equal(
        program_run(&ctl, &stage->folder, "list",
                    (const char *const[]){PTYBOT_BINARY, "list", "runs", "--json", NULL}),
        0);
    char *listed = program_out(&ctl);
    for (size_t i = 0; i < 2; i++) {
        char own[FOLDER_PATH_MAX];
        const char *control = text_of(lines[i], "control");
        snprintf(own, sizeof own,
                 "{\"control\":\"%s\",\"pid\":%d,\"scene\":\"One\",\"robots\":\"ada\",\"kind\":"
                 "\"private\"}",
                 control ? control : "none", (int)runs[i].pid);
        assert_non_null(strstr(listed, own));
    }
    assert_non_null(strstr(listed, text_of(by_hand, "control")));
    free(listed);
    assert_int_equal(program_end(&runs[0], SIGTERM), 0);
    assert_true(path_exists(text_of(channel_of(lines[1]), "path")));
    assert_int_equal(program_end(&runs[1], SIGTERM), 0);
    assert_true(path_exists(text_of(channel_of(by_hand), "path")));
    stage_end(stage);
    json_decref(by_hand);
    json_decref(lines[0]);
    json_decref(lines[1]);
}

/* ---- Ends of a run ---- */

/* Runs a shell script whose $1 is ptybot; `ready FILE` waits for a line in a file. */
static void check_script(struct stage *stage, const char *text)
{
    char all[4096];
    struct program shell;
    snprintf(all, sizeof all,
             "ready() { for i in $(seq 3000); do [ -s \"$1\" ] && return; sleep 0.01; done; "
             "echo nothing in \"$1\"; exit 1; }\n%s",
             text);
    const char *const words[] = {"/bin/sh", "-uc", all, "-", PTYBOT_BINARY, NULL};
    int code = program_run(&shell, &stage->folder, "script", words);
    char *out = program_out(&shell), *err = program_err(&shell);
    if (code != 0)
        fail_msg("the script ended with %d: %s%s", code, out, err);
    free(out);
    free(err);
}

static void a_private_run_ends_in_good_order_when_its_input_closes(void **state)
{
    write_scene(*state);
    check_script(*state,
                 "mkfifo in; $1 run one.yaml --private --json <in >said 2>told & run=$!\n"
                 "exec 9>in; ready said; echo words >&9; sleep 0.2; kill -0 $run || exit 2\n"
                 "exec 9>&-; wait $run || exit 3; grep -q 'simulated in' told\n");
}

static void only_a_private_one_does_and_a_file_is_no_end(void **state)
{
    write_scene(*state);
    check_script(*state, ": | $1 run one.yaml --fast --for 0.5 >said || exit 2\n"
                         "grep -q '^0.500 s simulated' said || exit 3\n"
                         "$1 run one.yaml --private --fast --for 0.5 <one.yaml >said || exit 4\n"
                         "grep -q '^0.500 s simulated' said || exit 5\n"
                         "$1 run one.yaml --private --fast --for 0.5 </dev/null >said || exit 6\n"
                         "grep -q '^0.500 s simulated' said || exit 7\n");
}

static void die_with_parent_ends_it_in_good_order_with_its_parent(void **state)
{
    struct stage *stage = *state;
    write_scene(stage);
    check_script(stage, "sh -c '\"$0\" run one.yaml --private --json --die-with-parent "
                        ">said 2>told & ready() { :; }; while ! [ -s said ]; do sleep 0.01; done' "
                        "\"$1\"; ready told; grep -q 'simulated in' told\n");
}

static bool is_listed_away(const struct stage *stage, const char *folder)
{
    struct program list;
    const char *const words[] = {PTYBOT_BINARY, "list", "runs", NULL};
    assert_int_equal(program_run(&list, &stage->folder, "list", words), 0);
    return !path_exists(folder);
}

/* A search for runs removes the folders of killed runs, as soon as their children are gone. */
static void the_folder_of_a_dead_run_is_removed_with_all_that_is_in_it(void **state)
{
    struct stage *stage = *state;
    struct program test;
    char folder[FOLDER_PATH_MAX], clock[FOLDER_PATH_MAX];
    write_scene(stage);
    const char *const words[] = {PTYBOT_BINARY, "test",  "one.yaml", "--warp", "1",
                                 "--",          "sleep", "600",      NULL};
    program_start(&test, &stage->folder, "test", words, 0);
    snprintf(folder, sizeof folder, "/dev/shm/ptybot-%u/run-%d", (unsigned)getuid(), (int)test.pid);
    snprintf(clock, sizeof clock, "/dev/shm/ptybot-%u/run-%d/clock", (unsigned)getuid(),
             (int)test.pid);
    WAIT_UNTIL(path_exists(clock));
    assert_int_equal(program_end(&test, SIGKILL), 128 + SIGKILL);
    WAIT_UNTIL(is_listed_away(stage, folder));
}

/* Both have the process ID 1, each in its PID namespace. */
static void runs_of_the_same_number_do_not_meet(void **state)
{
    struct stage *stage = *state;
    struct program program;
    static const char apart[] = "unshare --user --map-root-user --pid --fork";
    char line[512];
    write_scene(stage);
    snprintf(line, sizeof line, "%s true", apart);
    if (geteuid() != 0 || program_run(&program, &stage->folder, "try",
                                      (const char *const[]){"/bin/sh", "-c", line, NULL}) != 0)
        skip(); /* root owns the folder of runs */
    snprintf(line, sizeof line,
             "for i in 1 2 3; do %s $1 run one.yaml --private --for 2 <one.yaml >said$i & done\n"
             "wait; for i in 1 2 3; do grep -q '^2.000 s simulated' said$i || exit $i; done\n",
             apart);
    check_script(stage, line);
}

/* ---- Notifications ---- */

static void ready_fd_gets_the_line_and_is_closed(void **state)
{
    write_scene(*state);
    check_script(
        *state, "mkfifo line; $1 run one.yaml --private --json --ready-fd 7 7>line >said 2>told &\n"
                "run=$!; cat <line >copy; kill -0 $run && cmp said copy || exit 2\n"
                "kill $run; wait $run\n");
}

static void a_descriptor_that_is_not_there_is_refused(void **state)
{
    struct stage *stage = *state;
    struct program run;
    write_scene(stage);
    const char *const words[] = {PTYBOT_BINARY, "run", "one.yaml", "--ready-fd", "77", NULL};
    assert_int_equal(program_run(&run, &stage->folder, "run", words), 2);
    assert_true(program_has_warned(&run, "--ready-fd 77: descriptor not open"));
}

/* ---- Links from the command line ---- */

static void link_takes_the_place_of_the_scenes(void **state)
{
    struct stage *stage = *state;
    write_scene(stage);
    json_t *line = START(stage, &stage->ptybot, "run", "--private", "--link", "ada=tcp:auto");
    const json_t *channel = channel_of(line);
    assert_string_equal(text_of(channel, "link"), "tcp");
    assert_string_equal(text_of(channel, "address"), "127.0.0.1");
    char url[64], first[256];
    snprintf(url, sizeof url, "/dev/tcp/127.0.0.1/%d",
             (int)json_integer_value(json_object_get(channel, "port")));
    snprintf(first, sizeof first,
             "bash -c 'exec 3<>%s; head -c 2 <&3' | od -An -tx1 | grep -q 'aa 55'", url);
    check_script(stage, first);
    json_decref(line);
    stage_end(stage);
}

/* ---- Lists ---- */

static void each_list_is_one_of_json_objects_too(void **state)
{
    static const char *const lists[][3] = {
        {"robots", "\"name\":\"kobuki\"", "\"title\":"},
        {"options", "\"name\":\"kobuki.firmware\"", "\"choices\":["},
        {"signals", "\"name\":\"world.time_s\"", "\"live\":false"},
        {"commands", "\"name\":\"kobuki.press\"", "\"arguments\":[{\"key\":\"bumper\""},
        {"faults", "\"fault\":\"drop\"", "\"arguments\":"},
        {"scenes", "\"name\":\"kobuki_dock\"", "\"file\":\"/"},
        {"ports", "[", "]"},
        {"runs", "[", "]"},
    };
    struct stage *stage = *state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct program list;
        const char *const words[] = {PTYBOT_BINARY, "list", lists[i][0], "--json", NULL};
        assert_int_equal(program_run(&list, &stage->folder, "list", words), 0);
        char *out = program_out(&list);
        json_t *all = json_loads(out, 0, NULL);
        if (!json_is_array(all) || !strstr(out, lists[i][1]) || !strstr(out, lists[i][2]))
            fail_msg("%s: %.300s", lists[i][0], out);
        json_decref(all);
        free(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(the_line_of_json_says_where_all_is_and_all_of_that_goes_with_the_run),
        STAGED(the_method_version_says_the_same),
        STAGED(private_runs_never_meet_each_other_or_one_started_by_hand),
        STAGED(a_private_run_ends_in_good_order_when_its_input_closes),
        STAGED(only_a_private_one_does_and_a_file_is_no_end),
        STAGED(die_with_parent_ends_it_in_good_order_with_its_parent),
        STAGED(the_folder_of_a_dead_run_is_removed_with_all_that_is_in_it),
        STAGED(runs_of_the_same_number_do_not_meet),
        STAGED(ready_fd_gets_the_line_and_is_closed),
        STAGED(a_descriptor_that_is_not_there_is_refused),
        STAGED(link_takes_the_place_of_the_scenes),
        STAGED(each_list_is_one_of_json_objects_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
