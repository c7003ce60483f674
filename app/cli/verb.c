/* The verbs, found by name. */
#include "app/cli/verb.h"

#include <string.h>

#include "app/cli/exit_code.h"
#include "app/cli/terminal.h"
#include "base/text.h"

const struct verb *const verbs[] = {&run_verb,  &test_verb, &replay_verb, &ctl_verb,
                                    &view_verb, &shot_verb, &check_verb,  &list_verb,
                                    &shim_verb, &help_verb, NULL};

const struct verb *verb_find(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

int verb_unknown(const char *name)
{
    enum { COUNT = sizeof verbs / sizeof verbs[0] };
    const char *names[COUNT] = {0};
    for (size_t i = 0; verbs[i]; i++)
        names[i] = verbs[i]->name;
    const char *near = text_nearest(names, name);
    return terminal_fail(EXIT_CODE_USAGE, "unknown verb '%s'%s%s; see `ptybot help`", name,
                         near ? "; did you mean " : "", near ? near : "");
}

int verb_misused(const struct verb *verb, const char *reason)
{
    return terminal_fail(EXIT_CODE_USAGE, "%s: %s; see `ptybot help %s`", verb->name, reason,
                         verb->name);
}

bool verb_parse(const struct verb *verb, struct arguments *arguments, int argc, char **argv,
                void *out)
{
    struct error error = {0};
    *arguments = (struct arguments){
        .rows = verb->flags, .row_count = verb->flag_count, .shared = verb->shared_flags};
    if (arguments_parse(arguments, argc, argv, out, &error))
        return true;
    verb_misused(verb, error.text);
    return false;
}
