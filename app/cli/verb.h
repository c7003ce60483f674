/* What the program can do, one row a verb. */
#ifndef PTYBOT_APP_CLI_VERB_H
#define PTYBOT_APP_CLI_VERB_H

#include <stddef.h>

#include "app/cli/arguments.h"
#include "base/error.h"

struct verb {
    const char *name;
    const char *usage;   /* what follows the name on the command line */
    const char *summary; /* one line */
    const char *details; /* paragraphs of `help VERB`, or "" */
    const struct flag_row *flags;
    size_t flag_count;
    const struct flag_group *const *shared_flags; /* as in struct arguments */
    int (*run)(int argc, char **argv); /* without program and verb; returns the exit code */
};

extern const struct verb run_verb, test_verb, replay_verb, ctl_verb, view_verb, shot_verb,
    check_verb, list_verb, shim_verb, help_verb;

/* All verbs, NULL-terminated. */
extern const struct verb *const verbs[];

/* The verb of that name, or NULL. */
const struct verb *verb_find(const char *name);

/* Says that there is no such verb, and which one may have been meant. Returns the exit code. */
int verb_unknown(const char *name);

/* Takes the arguments of a verb apart; on a mistake says it, and where help is. */
bool verb_parse(const struct verb *verb, struct arguments *arguments, int argc, char **argv,
                void *out);

/* Says what is wrong with how a verb was called. Returns the exit code. */
int verb_misused(const struct verb *verb, const char *reason);

#endif
