#define _GNU_SOURCE
/* A test that runs out of memory at any allocation. It ends without a crash, returns the right exit
 * code, and leaves no port, folder or host behind. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/cli/terminal.h"
#include "app/files/folders.h"
#include "app/test/test_run.h"
#include "pty/terminal/pty_path.h"
#include "tests/support/allocations.h"
#include "tests/support/folder.h"

static const char scene[] = "world: {size: {x: 4, y: 4}}\n"
                            "robots: [{name: robot, type: kobuki, pose: {x: 1, y: 1}}]\n"
                            "expect: [{that: robot.x_m > 0, always: true},\n"
                            "  {that: robot.collisions == 0, at_end: true}]\n"
                            "timeline: [{at: 0.002, do: robot.lift}]\n";

/* Runs one whole test in this child process, with memory up to allocation END. */
static _Noreturn void become(const struct folder *folder, size_t end, size_t *used)
{
    static const char *const host[] = {"true", NULL};
    static struct test_options options = {
        .run = {.speed = 1, .is_fast = true, .for_s = 0.005, .has_for = true},
        .host_timeout_s = 60,
        .start = TEST_START_NOW,
        .has_start = true,
        .host.words = host,
    };
    struct test_result result;
    char path[FOLDER_PATH_MAX];
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    strcpy(options.out, folder_path(folder, "out", path));
    allocations = 0;
    allocations_end = end;
    int code = test_run(folder_path(folder, "scene.yaml", path), &options, NULL, &result);
    *used = allocations;
    // Without the work of exit(): this test checks files and processes that are left behind, not
    // leaks.
    fflush(NULL);
    _exit(code);
}

static void expect_nothing_left(pid_t pid, size_t end)
{
    char base[RUN_FOLDER_PATH_MAX], path[RUN_FOLDER_PATH_MAX + 32];
    struct error error;
    assert_true(pty_path_folder(NULL, base, sizeof base, &error));
    snprintf(path, sizeof path, "%s/run-%ld", base, (long)pid);
    bool is_left = path_exists(path);
    run_folder_list(NULL); // removes what dead runs left
    if (is_left)
        fail_msg("without memory from allocation %zu on, %s was left", end, path);
}

static void wherever_memory_ends_nothing_is_left_behind(void **state)
{
    (void)state;
    struct folder folder;
    size_t *used =
        mmap(NULL, sizeof *used, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(used != MAP_FAILED);
    folder_make(&folder);
    folder_write(&folder, "scene.yaml", "%s", scene);
    int code = -1;
    for (size_t end = 1; code != EXIT_CODE_OK; end++) {
        int status;
        pid_t pid = fork();
        if (pid == 0)
            become(&folder, end, used);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status))
            fail_msg("without memory from allocation %zu on: signal %d", end, WTERMSIG(status));
        code = WEXITSTATUS(status);
        expect_nothing_left(pid, end);
        // A test that lacked memory must not pass.
        assert_true(code != EXIT_CODE_OK || *used < end);
    }
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wherever_memory_ends_nothing_is_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
