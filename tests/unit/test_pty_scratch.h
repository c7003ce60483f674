/* A folder of a test's own for absolute paths, and the ways to open links there. */
#pragma once

#include "tests/unit/test_pty_support.h"

static char scratch[64];

static inline int scratch_set_up(void **state)
{
    (void)state;
    snprintf(scratch, sizeof scratch, "/tmp/pty-path-XXXXXX");
    return mkdtemp(scratch) != NULL && chmod(scratch, 0755) == 0 ? 0 : -1;
}

static inline int scratch_tear_down(void **state)
{
    (void)state;
    char command[128];

    test_folder_remove();
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command) == 0 ? 0 : -1;
}

static inline const char *in_scratch(const char *name)
{
    static char path[2][256];
    static int turn;

    turn = 1 - turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", scratch, name);
    return path[turn];
}

static inline struct byte_link *open_at(const char *path, struct error *error)
{
    const struct byte_link_config config = {
        .address = path, .sub_folder = test_folder(), .baud = 115200};

    *error = (struct error){0};
    return pty_link_open(&config, error);
}

static inline void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not tell \"%s\"", text, part);
}

static inline void assert_refused(const char *path, const char *part)
{
    struct error error;

    assert_null(open_at(path, &error));
    assert_has(error.text, part);
}

static inline bool is_there(const char *path)
{
    struct stat found;

    return lstat(path, &found) == 0;
}
