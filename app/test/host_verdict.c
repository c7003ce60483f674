/* How the host of a test did. */
#include "app/test/host_verdict.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"

enum {
    COMMAND_MAX = 200, /* chosen: enough to recognize it */
    FOUND_MAX = 400,
    SHELL_NOT_FOUND = 127, /* POSIX, Shell Command Language, 2.8.2: exit status of commands */
    SHELL_NOT_EXECUTABLE = 126,
};

static void write_command(const char *const *words, char text[COMMAND_MAX])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; words[i] && used < COMMAND_MAX; i++) {
        int wrote = snprintf(text + used, COMMAND_MAX - used, "%s%s", i > 0 ? " " : "", words[i]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (used >= COMMAND_MAX)
        memcpy(text + COMMAND_MAX - 4, "...", 4);
    text_flatten(text);
}

/* What it did at the ports, where that may explain the rest. */
static const char *at_ports(const struct test_guide *guide)
{
    if (test_guide_hosts(guide) == 0)
        return "; it never opened a port";
    return test_guide_bytes(guide) == 0 ? "; it opened a port but never sent a byte" : "";
}

/* The kind of a failure that is more than one: the port comes first. */
static const char *kind_at_ports(const struct test_guide *guide, const char *kind)
{
    if (test_guide_hosts(guide) == 0)
        return "never_opened";
    return test_guide_bytes(guide) == 0 ? "silent" : kind;
}

static void judge_exit(struct judgement_case *item, char *found, const struct test_guide *guide,
                       bool is_held)
{
    int status = guide->host->status;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    const char *note = at_ports(guide);
    // A driver that puts itself into the background ends the test, which surprises.
    const char *left =
        guide->is_host_survived ? "; what it had started was still running and was ended" : "";
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        const char *name = sigabbrev_np(number);
        item->kind = "signal";
        snprintf(found, FOUND_MAX, "was killed by %s%s (%s) after %.3f s%s",
                 name ? "SIG" : "signal ", name ? name : "", strsignal(number), item->at_s, note);
    } else if (code == SHELL_NOT_FOUND || code == SHELL_NOT_EXECUTABLE) {
        item->verdict = JUDGEMENT_ERROR;
        item->kind = "not_started";
        snprintf(found, FOUND_MAX, "could not be started: a shell %s (exit code %d)",
                 code == SHELL_NOT_FOUND ? "found no such command" : "may not execute it", code);
    } else if (code != 0) {
        item->kind = "exit";
        snprintf(found, FOUND_MAX, "exited with %d after %.3f s%s%s", code, item->at_s, note, left);
    } else if (is_held && test_guide_hosts(guide) == 0) {
        item->kind = "never_opened";
        snprintf(found, FOUND_MAX,
                 "exited with 0 after %.3f s and never opened a port, so no time has passed; "
                 "--start now is for hosts that open none%s",
                 item->at_s, left);
    } else {
        item->verdict = JUDGEMENT_PASSED;
        snprintf(found, FOUND_MAX, "exited with 0 after %.3f s%s%s", item->at_s, note, left);
    }
}

void host_verdict_add(struct judgement *judgement, const struct test_guide *guide,
                      const char *const *words, bool is_held)
{
    char command[COMMAND_MAX], found[FOUND_MAX] = "";
    const struct host *host = guide->host;
    int64_t end_ns = guide->end == TEST_END_HOST ? host->end_ns : guide->end_ns;
    struct judgement_case item = {
        .verdict = JUDGEMENT_FAILED,
        .what = command,
        .when = "host",
        .found = found,
        .at_s = (double)(end_ns - host->start_ns) * 1e-9,
        .is_host = true,
    };
    write_command(words, command);
    if (guide->end == TEST_END_TIMEOUT) {
        item.kind = kind_at_ports(guide, "timeout");
        snprintf(found, sizeof found, "timed out: still running after %.3f s (--host-timeout)%s",
                 item.at_s, at_ports(guide));
    } else if (guide->end == TEST_END_SIGNAL) {
        item.verdict = JUDGEMENT_ERROR;
        item.kind = "interrupted";
        snprintf(found, sizeof found, "was ended with the test after %.3f s", item.at_s);
    } else if (guide->end == TEST_END_HOST) {
        judge_exit(&item, found, guide, is_held);
    } else {
        item.verdict = JUDGEMENT_PASSED;
        snprintf(found, sizeof found, "was running until the end, %.3f s%s", item.at_s,
                 at_ports(guide));
    }
    judgement_add(judgement, &item);
}

void host_verdict_not_started(struct judgement *judgement, const char *const *words,
                              const char *reason)
{
    char command[COMMAND_MAX], found[FOUND_MAX];
    write_command(words, command);
    snprintf(found, sizeof found, "could not be started: %s", reason);
    judgement_add(judgement, &(struct judgement_case){.verdict = JUDGEMENT_ERROR,
                                                      .what = command,
                                                      .when = "host",
                                                      .found = found,
                                                      .kind = "not_started",
                                                      .is_host = true});
}

void host_verdict_not_come(struct judgement *judgement, double waited_s)
{
    char found[FOUND_MAX];
    snprintf(found, sizeof found, "none opened a port within %.3f s (--host-timeout)", waited_s);
    judgement_add(judgement, &(struct judgement_case){.verdict = JUDGEMENT_FAILED,
                                                      .what = "one from outside",
                                                      .when = "host",
                                                      .found = found,
                                                      .kind = "never_opened",
                                                      .at_s = waited_s,
                                                      .is_host = true});
}
