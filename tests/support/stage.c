#define _GNU_SOURCE
#include "tests/support/stage.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"

enum { WORDS_MAX = 16 };

int stage_setup(void **state)
{
    struct stage *self = calloc(1, sizeof *self);
    folder_make(&self->folder);
    folder_path(&self->folder, "control.sock", self->control);
    folder_path(&self->folder, "kobuki", self->port);
    *state = self;
    return 0;
}

int stage_teardown(void **state)
{
    struct stage *self = *state;
    /* ptybot ends cleanly even after a failure, so that it leaves no files in shared folders. */
    int code = program_is_running(&self->ptybot) ? program_end(&self->ptybot, SIGTERM) : 0;
    program_cleanup(&self->ptybot);
    folder_remove(&self->folder);
    free(self);
    return code;
}

void stage_write_kobuki(const struct stage *self, const char *link, const char *options)
{
    folder_write(&self->folder, "kobuki.yaml",
                 "name: One Kobuki\n"
                 "seed: 1\n"
                 "world:\n"
                 "  size: {x: 20, y: 20}\n"
                 "robots:\n"
                 "  - name: kobuki\n"
                 "    type: kobuki\n"
                 "    pose: {x: 10, y: 10, heading: 0}\n"
                 "    links: [{pty: %s%s}]\n"
                 "    options: {%s}\n",
                 self->port, link, options);
}

void stage_start(struct stage *self, const char *scene, const char *const arguments[])
{
    const char *words[WORDS_MAX] = {PTYBOT_BINARY, "run", scene, "--control", self->control};
    for (size_t i = 0, count = 5; arguments[i]; i++) {
        assert_true(count + 1 < WORDS_MAX);
        words[count++] = arguments[i];
    }
    program_start(&self->ptybot, &self->folder, "run", words, self->user);
}

static void report_and_fail(const struct stage *self, const char *problem)
{
    char *said = program_err(&self->ptybot);
    print_error("%s", said);
    free(said);
    fail_msg("%s", problem);
}

void stage_run(struct stage *self, const char *scene, const char *const arguments[])
{
    stage_start(self, scene, arguments);
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    // A run that was killed earlier leaves both paths behind.
    while (!program_has_said(&self->ptybot, "\ncontrol ") || !path_exists(self->port)) {
        if (!program_is_running(&self->ptybot))
            report_and_fail(self, "ptybot ended before its port was there");
        if (now_ms() > end_ms)
            report_and_fail(self, "the port does not appear");
        sleep_ms(5);
    }
}

void stage_end(struct stage *self)
{
    int code = program_end(&self->ptybot, SIGTERM);
    if (code != 0) {
        char problem[64];
        snprintf(problem, sizeof problem, "ptybot ended with %d after SIGTERM", code);
        report_and_fail(self, problem);
    }
}

int stage_ctl_words(const struct stage *self, const char *const arguments[])
{
    struct program ctl;
    const char *words[WORDS_MAX] = {PTYBOT_BINARY, "ctl", "--control", self->control};
    for (size_t i = 0, count = 4; arguments[i]; i++) {
        assert_true(count + 1 < WORDS_MAX);
        words[count++] = arguments[i];
    }
    return program_run(&ctl, &self->folder, "ctl", words);
}

static bool try_attach(const struct stage *self, struct ptybot_run **client)
{
    *client = ptybot_attach(self->control);
    return *client != NULL;
}

struct ptybot_run *stage_client(const struct stage *self)
{
    struct ptybot_run *client;
    WAIT_UNTIL(try_attach(self, &client));
    ptybot_set_timeout(client, TEST_TIMEOUT_MS / 1000.0);
    return client;
}

double stage_get(const struct stage *self, const char *name)
{
    struct ptybot_run *client = stage_client(self);
    double value = ptybot_get(client, name);
    if (isnan(value))
        fail_msg("%s: %s", name, ptybot_error(client));
    ptybot_end(client);
    return value;
}

void stage_do(const struct stage *self, const char *command)
{
    struct ptybot_run *client = stage_client(self);
    if (!ptybot_do(client, command))
        fail_msg("%s: %s", command, ptybot_error(client));
    ptybot_end(client);
}
