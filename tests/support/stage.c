#define _GNU_SOURCE
#include "tests/support/stage.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/control_socket.h"

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
    /* In good order, also after a failure, so that nothing is left in shared folders. */
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

static void tell_and_fail(const struct stage *self, const char *problem)
{
    char *said = program_err(&self->ptybot);
    print_error("%s", said);
    free(said);
    fail_msg("%s", problem);
}

void stage_run(struct stage *self, const char *scene, const char *const arguments[])
{
    stage_start(self, scene, arguments);
    int64_t end_ms = now_ms() + PATIENCE_MS;
    while (!path_exists(self->port) || !path_exists(self->control)) {
        if (!program_is_running(&self->ptybot))
            tell_and_fail(self, "ptybot ended before its port was there");
        if (now_ms() > end_ms)
            tell_and_fail(self, "the port does not appear");
        sleep_ms(5);
    }
}

void stage_end(struct stage *self)
{
    int code = program_end(&self->ptybot, SIGTERM);
    if (code != 0) {
        char problem[64];
        snprintf(problem, sizeof problem, "ptybot ended with %d after SIGTERM", code);
        tell_and_fail(self, problem);
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

double stage_get(const struct stage *self, const char *name)
{
    static struct control_socket control;
    char params[160], reply[1024];
    snprintf(params, sizeof params, "{\"signals\":[\"%s\"]}", name);
    control_socket_open(&control, self->control);
    control_socket_call(&control, "get", params, reply, sizeof reply);
    control_socket_close(&control);
    const char *value = strstr(reply, "\"value\":");
    if (!value)
        fail_msg("%s: %s", name, reply);
    return value ? strtod(value + strlen("\"value\":"), NULL) : 0;
}

void stage_do(const struct stage *self, const char *command)
{
    static struct control_socket control;
    char params[160], reply[1024];
    snprintf(params, sizeof params, "{\"command\":\"%s\"}", command);
    control_socket_open(&control, self->control);
    control_socket_call(&control, "do", params, reply, sizeof reply);
    control_socket_close(&control);
    if (!strstr(reply, "\"result\""))
        fail_msg("%s: %s", command, reply);
}
