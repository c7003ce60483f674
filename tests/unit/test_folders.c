/* The folder of a run: locked while the run lives, found by its control socket, and removed by
 * others after its death. Real folders and processes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/files/folders.h"
#include "pty/terminal/pty_path.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/machine.h"

static struct run_folder open_run(void)
{
    struct run_folder run;
    struct error error = {0};
    if (!run_folder_open(&run, &error))
        fail_msg("%s", error.text);
    return run;
}

/* Number of the listed run with this control socket, plus 1; 0: it is not listed. */
static size_t find(const struct run_folder *run, struct run_folder_found found[RUN_FOLDER_RUNS_MAX])
{
    memset(found, 0, RUN_FOLDER_RUNS_MAX * sizeof *found);
    size_t count = run_folder_list(found);
    for (size_t i = 0; i < count; i++)
        assert_true(found[i].pid > 0 && found[i].socket_path[0] == '/');
    for (size_t i = 0; i < count; i++)
        if (strcmp(found[i].socket_path, run->socket_path) == 0)
            return i + 1;
    return 0;
}

static void touch(const char *path)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static void a_run_is_listed_once_it_has_a_control_socket(void **state)
{
    (void)state;
    struct run_folder_found found[RUN_FOLDER_RUNS_MAX];
    struct run_folder run = open_run();
    char name[32], ports[RUN_FOLDER_PATH_MAX], path[RUN_FOLDER_PATH_MAX + 16];
    struct error error = {0};
    snprintf(name, sizeof name, "/run-%d", (int)getpid());
    assert_string_equal(strrchr(run.path, '/'), name);
    assert_int_equal(find(&run, found), 0);
    touch(run.socket_path);
    size_t number = find(&run, found);
    assert_true(number > 0);
    assert_int_equal(found[number - 1].pid, getpid());
    assert_false(found[number - 1].is_private);
    assert_true(run_folder_ports(&run, ports, &error));
    snprintf(name, sizeof name, "run-%d/ports", (int)getpid());
    assert_string_equal(ports, name);
    number = find(&run, found);
    assert_true(number > 0 && found[number - 1].is_private);
    // Files and folders of a run, at any depth.
    snprintf(path, sizeof path, "%s/ports/a", run.path);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/snapshot", run.path);
    touch(path);
    run_folder_close(&run);
    assert_false(path_exists(run.path));
    run_folder_close(&run); // does nothing
}

static void two_runs_of_one_number_have_folders_of_their_own(void **state)
{
    (void)state;
    struct run_folder_found found[RUN_FOLDER_RUNS_MAX];
    unsigned before = descriptor_count();
    struct run_folder first = open_run(), second = open_run();
    assert_int_equal(descriptor_count(), before + 2);
    char name[32];
    snprintf(name, sizeof name, "/run-%d-2", (int)getpid());
    assert_string_equal(strrchr(second.path, '/'), name);
    touch(second.socket_path);
    assert_true(find(&second, found) > 0);
    assert_int_equal(find(&first, found), 0);
    // The name of the first folder is free again.
    run_folder_close(&first);
    struct run_folder third = open_run();
    assert_string_equal(third.path, first.path);
    run_folder_close(&third);
    assert_true(path_exists(second.path));
    run_folder_close(&second);
    assert_int_equal(descriptor_count(), before);
}

/* A program may be started without standard input. */
static void a_lock_may_have_descriptor_0(void **state)
{
    (void)state;
    int kept = dup(STDIN_FILENO);
    struct run_folder_found found[RUN_FOLDER_RUNS_MAX];
    close(STDIN_FILENO);
    struct run_folder run = open_run(), second;
    assert_int_equal(run.lock, STDIN_FILENO);
    second = open_run();
    run_folder_close(&second);
    touch(run.socket_path);
    assert_true(find(&run, found) > 0);
    run_folder_close(&run);
    assert_false(path_exists(run.path));
    assert_true(fcntl(STDIN_FILENO, F_GETFD) < 0);
    /* Also if another run has the first name. */
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    run = open_run();
    close(STDIN_FILENO);
    second = open_run();
    assert_int_equal(second.lock, STDIN_FILENO);
    run_folder_close(&second);
    run_folder_close(&run);
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
}

/* Its name gets no number, and a close gives nothing back. */
static void a_folder_that_cannot_be_locked_is_an_error_and_disappears(void **state)
{
    (void)state;
    struct run_folder run;
    struct error error = {0};
    char expected[RUN_FOLDER_PATH_MAX + 64];
    unsigned before = descriptor_count();
    machine_refuse((struct refusal){.call = CALL_OPEN, .reason = EMFILE});
    assert_false(run_folder_open(&run, &error));
    assert_int_equal(machine_obey(), 1);
    snprintf(expected, sizeof expected, "cannot lock %s: Too many open files", run.lock_path);
    assert_string_equal(error.text, expected);
    snprintf(expected, sizeof expected, "/run-%d/lock", (int)getpid());
    assert_string_equal(run.lock_path + strlen(run.path) - (strlen(expected) - 5), expected);
    assert_false(path_exists(run.path));
    run_folder_close(&run);
    assert_int_equal(descriptor_count(), before);
    /* Another process has removed the folder meanwhile, so the next name is tried. */
    machine_refuse((struct refusal){.call = CALL_OPEN, .reason = ENOENT});
    assert_true(run_folder_open(&run, &error));
    machine_obey();
    snprintf(expected, sizeof expected, "/run-%d-2", (int)getpid());
    assert_string_equal(strrchr(run.path, '/'), expected);
    run_folder_close(&run);
}

static void a_run_has_no_folder_where_there_is_no_place(void **state)
{
    (void)state;
    struct run_folder run;
    struct error error = {0};
    unsigned before = descriptor_count();
    char base[RUN_FOLDER_PATH_MAX];
    snprintf(base, sizeof base, "run-%d", (int)getpid());
    assert_true(pty_path_folder(NULL, base, sizeof base, &error));
    strcat(base, "/run-");
    snprintf(base + strlen(base), 16, "%d", (int)getpid());
    touch(base); /* a file has its name */
    assert_false(run_folder_open(&run, &error));
    assert_true(*error.text);
    run_folder_close(&run);
    assert_int_equal(descriptor_count(), before);
    assert_int_equal(unlink(base), 0);
}

/* It does not affect a newer descriptor or folder either. */
static void a_second_close_does_nothing(void **state)
{
    (void)state;
    struct run_folder folder = open_run();
    run_folder_close(&folder);
    struct run_folder next = open_run();
    assert_string_equal(next.path, folder.path);
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    run_folder_close(&folder);
    assert_true(fcntl(fd, F_GETFD) >= 0 && fcntl(next.lock, F_GETFD) >= 0);
    assert_true(path_exists(next.path));
    close(fd);
    run_folder_close(&next);
}

static void a_socket_elsewhere_is_reached_by_a_link(void **state)
{
    (void)state;
    struct folder folder;
    struct run_folder run = open_run();
    char path[FOLDER_PATH_MAX], absolute[PATH_MAX], target[PATH_MAX] = "";
    folder_make(&folder);
    folder_write(&folder, "control", "x");
    assert_true(run_folder_lead(&run, run.socket_path, absolute));
    assert_string_equal(absolute, run.socket_path); // does not exist yet
    assert_false(path_exists(run.socket_path));
    assert_int_equal(chdir(folder.path), 0);
    assert_true(run_folder_lead(&run, "control", absolute));
    assert_string_equal(absolute, folder_path(&folder, "control", path));
    assert_true(readlink(run.socket_path, target, sizeof target - 1) > 0);
    assert_string_equal(target, path);
    assert_false(run_folder_lead(&run, "control", absolute)); // one exists
    assert_false(run_folder_lead(&run, "./100%%", absolute));
    assert_string_equal(absolute, "./100%%");
    run_folder_close(&run);
    assert_int_equal(chdir("/"), 0);
    folder_remove(&folder);
}

/* Makes a folder NAME with a lock where those of runs are. PATH: its path. */
static void make_left(const char *name, char path[RUN_FOLDER_PATH_MAX])
{
    char base[RUN_FOLDER_PATH_MAX - 32], in[RUN_FOLDER_PATH_MAX + 16];
    struct error error = {0};
    assert_true(pty_path_folder(NULL, base, sizeof base, &error));
    snprintf(path, RUN_FOLDER_PATH_MAX, "%s/%s", base, name);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(in, sizeof in, "%s/lock", path);
    touch(in);
}

static pid_t dead_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return child;
}

static void what_dead_runs_left_is_removed_and_nothing_else(void **state)
{
    (void)state;
    char names[4][48], paths[4][RUN_FOLDER_PATH_MAX], in[RUN_FOLDER_PATH_MAX + 16];
    int dead = (int)dead_process();
    snprintf(names[0], sizeof names[0], "run-%d", dead);
    snprintf(names[1], sizeof names[1], "run-%d-3", dead);
    snprintf(names[2], sizeof names[2], "run-%dx", dead); // not a name of a run
    snprintf(names[3], sizeof names[3], "run-%d",
             getpid()); // a living process that has not locked its folder yet
    for (size_t i = 0; i < 4; i++)
        make_left(names[i], paths[i]);
    snprintf(in, sizeof in, "%s/clock", paths[0]);
    touch(in);
    run_folder_list(NULL);
    assert_false(path_exists(paths[0]));
    assert_false(path_exists(paths[1]));
    assert_true(path_exists(paths[2]));
    assert_true(path_exists(paths[3]));
    out_folder_remove(paths[2]);
    out_folder_remove(paths[3]);
}

/* Its number is that of a dead process here, as in another PID namespace. The lock decides. */
static void a_locked_folder_is_of_a_living_run(void **state)
{
    (void)state;
    struct run_folder_found found[RUN_FOLDER_RUNS_MAX];
    struct run_folder run = {0};
    char name[48], path[RUN_FOLDER_PATH_MAX], lock[RUN_FOLDER_PATH_MAX + 16];
    snprintf(name, sizeof name, "run-%d", (int)dead_process());
    make_left(name, path);
    snprintf(lock, sizeof lock, "%s/lock", path);
    FILE *file = fopen(lock, "re");
    assert_non_null(file);
    assert_int_equal(flock(fileno(file), LOCK_EX | LOCK_NB), 0);
    snprintf(run.socket_path, sizeof run.socket_path, "%.900s/control.sock", path);
    touch(run.socket_path);
    assert_true(find(&run, found) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(find(&run, found), 0);
    assert_false(path_exists(path));
}

/* A process with that number exists, but it is another program: it gets no signal, and its folder
 * stays. */
static void a_process_that_has_not_locked_its_folder_yet_keeps_it(void **state)
{
    (void)state;
    static const char *const parts[] = {"snapshot", "clock", "control.sock"};
    char name[48], path[RUN_FOLDER_PATH_MAX], left[2][RUN_FOLDER_PATH_MAX];
    int status;
    pid_t dead = dead_process(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* if the test fails */
        pause();
        _exit(0);
    }
    snprintf(name, sizeof name, "run-%d", (int)child);
    /* Between complete folders of dead runs, found in any order. */
    for (int i = 0; i < 2; i++) {
        char left_name[48], in[RUN_FOLDER_PATH_MAX + 16];
        if (i == 1)
            make_left(name, path);
        snprintf(left_name, sizeof left_name, "run-%d-%d", (int)dead, 2 + i);
        make_left(left_name, left[i]);
        for (size_t j = 0; j < 3; j++) {
            snprintf(in, sizeof in, "%s/%s", left[i], parts[j]);
            touch(in);
        }
        snprintf(in, sizeof in, "%s/ports", left[i]);
        assert_int_equal(mkdir(in, 0700), 0);
    }
    assert_int_equal(run_folder_list(NULL), 0);
    assert_true(path_exists(path));
    assert_false(path_exists(left[0]) || path_exists(left[1]));
    assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WTERMSIG(status) == SIGKILL);
    run_folder_list(NULL);
    assert_false(path_exists(path));
}

/* The folder is in a place that belongs to the user. */
static void a_lock_that_is_a_link_proves_nothing(void **state)
{
    (void)state;
    struct run_folder_found found[RUN_FOLDER_RUNS_MAX];
    struct run_folder run = open_run(), other = {0};
    char name[48], path[RUN_FOLDER_PATH_MAX], lock[RUN_FOLDER_PATH_MAX + 16];
    snprintf(name, sizeof name, "run-%d", (int)dead_process());
    make_left(name, path);
    snprintf(lock, sizeof lock, "%s/lock", path);
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(symlink(run.lock_path, lock), 0);
    snprintf(other.socket_path, sizeof other.socket_path, "%.900s/control.sock", path);
    touch(other.socket_path);
    assert_int_equal(find(&other, found), 0);
    assert_false(path_exists(path));
    assert_true(path_exists(run.lock_path));
    run_folder_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_listed_once_it_has_a_control_socket),
        cmocka_unit_test(two_runs_of_one_number_have_folders_of_their_own),
        cmocka_unit_test(a_second_close_does_nothing),
        cmocka_unit_test(a_socket_elsewhere_is_reached_by_a_link),
        cmocka_unit_test(what_dead_runs_left_is_removed_and_nothing_else),
        cmocka_unit_test(a_locked_folder_is_of_a_living_run),
        cmocka_unit_test(a_lock_may_have_descriptor_0),
        cmocka_unit_test(a_folder_that_cannot_be_locked_is_an_error_and_disappears),
        cmocka_unit_test(a_run_has_no_folder_where_there_is_no_place),
        cmocka_unit_test(a_process_that_has_not_locked_its_folder_yet_keeps_it),
        cmocka_unit_test(a_lock_that_is_a_link_proves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
