#define _GNU_SOURCE
#include "tests/support/test_stage.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/places.h"
#include "tests/support/check.h"

enum { WORDS_MAX = 32 };

int test_stage_setup(void **state)
{
    char path[FOLDER_PATH_MAX];
    stage_setup(state);
    struct stage *self = *state;
    assert_int_equal(mkdir(folder_path(&self->folder, "tmp", path), 0700), 0);
    return 0;
}

void test_stage_scene(const struct stage *self, const char *name, const char *expect,
                      const char *more)
{
    folder_write(&self->folder, name,
                 "seed: 1\n"
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots:\n"
                 "  - {name: kobuki, type: kobuki, pose: {x: 10, y: 10}}\n"
                 "expect: [%s]\n"
                 "%s\n",
                 expect, more);
}

void test_stage_start(struct stage *self, const char *const words[])
{
    char tmp[FOLDER_PATH_MAX + 8] = "TMPDIR=";
    const char *all[WORDS_MAX] = {"/usr/bin/env", tmp, PTYBOT_BINARY, "test"};
    snprintf(tmp, sizeof tmp, "TMPDIR=%s/tmp", self->folder.path);
    for (size_t i = 0, count = 4; words[i]; i++) {
        assert_true(count + 1 < WORDS_MAX);
        all[count++] = words[i];
    }
    program_start(&self->ptybot, &self->folder, "test", all, self->user);
}

void test_stage_said(const struct stage *self, const char *text)
{
    char *out = program_out(&self->ptybot), *err = program_err(&self->ptybot);
    if (!strstr(out, text) && !strstr(err, text))
        fail_msg("'%s' is not in:\n%s%s", text, out, err);
    free(out);
    free(err);
}

void test_stage_not_said(const struct stage *self, const char *text)
{
    char *out = program_out(&self->ptybot), *err = program_err(&self->ptybot);
    if (strstr(out, text) || strstr(err, text))
        fail_msg("'%s' is in:\n%s%s", text, out, err);
    free(out);
    free(err);
}

void test_stage_ended(const struct stage *self, const char *counts, const char *time)
{
    char *out = program_out(&self->ptybot), text[128];
    snprintf(text, sizeof text, "%s; %s", counts, time);
    bool has_ended = strstr(out, text);
    snprintf(text, sizeof text, "%s, 1 warning; %s", counts, time);
    has_ended = has_ended || (strstr(out, text) && strstr(out, "\nmachine warning: "));
    if (!has_ended)
        fail_msg("'%s' is not in:\n%s", text, out);
    free(out);
}

static unsigned count_entries(const char *path)
{
    unsigned count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2; /* . and .. */
}

void test_stage_nothing_left(const struct stage *self)
{
    char path[FOLDER_PATH_MAX];
    assert_int_equal(count_entries(folder_path(&self->folder, "tmp", path)), 0);
    char *ports = folder_read(&self->folder, "ports");
    for (char *port = strtok(ports, "\n"); port; port = strtok(NULL, "\n")) {
        char *ports_folder = strstr(port, "/ports/");
        assert_non_null(ports_folder);
        *ports_folder = '\0';
        assert_false(path_exists(port));
    }
    free(ports);
    char *pids = folder_read(&self->folder, "pids");
    for (char *pid = strtok(pids, "\n"); pid; pid = strtok(NULL, "\n")) {
        errno = 0;
        assert_int_not_equal(kill((pid_t)atol(pid), 0), 0);
        assert_int_equal(errno, ESRCH);
    }
    free(pids);
}

void test_stage_junit(const struct stage *self, const char *name, const char *counts)
{
    static const char script[] = PTYBOT_SOURCE_DIR "/tests/support/junit_count.py";
    char path[FOLDER_PATH_MAX];
    struct program python;
    folder_path(&self->folder, name, path);
    int code = program_run(&python, &self->folder, "python",
                           (const char *const[]){"/usr/bin/python3", script, path, NULL});
    char *out = program_out(&python), *err = program_err(&python);
    if (code != 0)
        fail_msg("%s", err);
    out[strcspn(out, "\n")] = '\0';
    assert_string_equal(out, counts);
    free(out);
    free(err);
}

void test_stage_cut(const struct stage *self, const char *from, const char *language, int n,
                    const char *name)
{
    struct folder docs = {.path = PTYBOT_SOURCE_DIR "/docs/tutorials"};
    bool is_sketch = strstr(from, "rduino");
    char *text = folder_read(&docs, is_sketch ? "arduino-sketch.md" : "own-robot.md"), start[32];
    snprintf(start, sizeof start, "```%s\n", language);
    char *block = strstr(text, from);
    for (int i = 0; block && i <= n; i++)
        block = strstr(block + 1, start);
    block = block ? block + strlen(start) : NULL;
    char *end = block ? strstr(block, "```") : NULL;
    if (end)
        folder_write(&self->folder, name, "%.*s", (int)(end - block), block);
    assert_non_null(end);
    free(text);
}
