/* Files in shared memory that another program truncates while `ptybot run` has them mapped. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/stage.h"

/* Finds the page of modem lines of the terminal behind the port. */
static void find_modem_page(const struct stage *stage, char path[FOLDER_PATH_MAX])
{
    char terminal[64] = "";
    assert_true(readlink(stage->port, terminal, sizeof terminal - 1) > 0);
    snprintf(path, FOLDER_PATH_MAX, "/dev/shm/ptybot-%u/.pts-%s", (unsigned)getuid(),
             strrchr(terminal, '/') + 1);
}

/* Whether the page at PATH is still the file described by BEFORE: a terminal's number is free again
 * as soon as the terminal is closed, and another run may then have a page of that number. */
static bool is_still_there(const char *path, const struct stat *before)
{
    struct stat now;
    return stat(path, &now) == 0 && now.st_ino == before->st_ino;
}

static void check_still_serves(struct stage *stage)
{
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 10);
    kobuki_host_check(&host, 0);
    kobuki_host_close(&host);
}

static void check_modem_page_may_be_cut(struct stage *stage, off_t size)
{
    char page[FOLDER_PATH_MAX];
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, NULL);
    find_modem_page(stage, page);
    struct stat before;
    assert_int_equal(stat(page, &before), 0);
    assert_int_equal(truncate(page, size), 0);
    WAIT_UNTIL(program_has_warned(&stage->ptybot, "was truncated"));
    assert_true(program_has_warned(&stage->ptybot, page));
    check_still_serves(stage);
    program_end(&stage->ptybot, SIGTERM);
    assert_false(is_still_there(page, &before));
    assert_false(path_exists(stage->port));
}

static void a_modem_page_that_is_cut_away_costs_the_modem_lines_only(void **state)
{
    check_modem_page_may_be_cut(*state, 0);
}

static void so_does_one_of_which_some_bytes_are_left(void **state)
{
    check_modem_page_may_be_cut(*state, 3);
}

static off_t size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? about.st_size : -1;
}

static void a_snapshot_that_is_cut_short_is_made_whole_again(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, NULL);
    struct ptybot_run *client = stage_client(stage);
    assert_non_null(ptybot_call(client, "view", NULL));
    ptybot_end(client);
    snprintf(path, sizeof path, "/dev/shm/ptybot-%u/run-%d/snapshot", (unsigned)getuid(),
             (int)stage->ptybot.pid);
    assert_true(path_exists(path));
    off_t whole = size_of(path);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(truncate(path, i * 5000), 0);
        WAIT_UNTIL(size_of(path) == whole);
    }
    char *said = program_err(&stage->ptybot);
    assert_non_null(strstr(said, "was truncated"));
    assert_null(strstr(strstr(said, "was truncated") + 1, "was truncated"));
    free(said);
    check_still_serves(stage);
    program_end(&stage->ptybot, SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_modem_page_that_is_cut_away_costs_the_modem_lines_only),
        STAGED(so_does_one_of_which_some_bytes_are_left),
        STAGED(a_snapshot_that_is_cut_short_is_made_whole_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
