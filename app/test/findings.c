/* What a run has shown beside the verdicts. */
#include "app/test/findings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { TEXT_MAX = 1024 }; /* chosen: several lines of a terminal */

bool findings_add(struct findings *findings, enum finding_kind kind, enum finding_severity severity,
                  const char *format, ...)
{
    char *text = malloc(TEXT_MAX);
    struct finding *grown =
        realloc(findings->items, (findings->count + 1) * sizeof *findings->items);
    if (grown)
        findings->items = grown;
    if (!grown || !text) {
        free(text);
        return false;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(text, TEXT_MAX, format, args);
    va_end(args);
    text_flatten(text);
    findings->items[findings->count++] =
        (struct finding){.kind = kind, .severity = severity, .text = text};
    findings->warnings += severity == FINDING_WARNING;
    return true;
}

bool findings_steady(struct findings *findings, const char *text)
{
    struct finding *last = &findings->items[findings->count - 1];
    return (last->steady = strdup(text)) != NULL;
}

const char *finding_kind_word(enum finding_kind kind)
{
    static const char *const words[] = {[FINDING_DRIVER] = "driver",
                                        [FINDING_WIRE] = "wire",
                                        [FINDING_SCENE] = "scene",
                                        [FINDING_MACHINE] = "machine"};
    return words[kind];
}

const char *finding_severity_word(enum finding_severity severity)
{
    return severity == FINDING_WARNING ? "warning" : "failure";
}

void findings_print(const struct findings *findings, enum finding_severity severity, FILE *out)
{
    bool is_first = true;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *item = &findings->items[i];
        if (item->severity != severity)
            continue;
        fprintf(out, "%s%s %s: %s\n", is_first ? "\n" : "", finding_kind_word(item->kind),
                finding_severity_word(severity), item->text);
        is_first = false;
    }
}

const struct finding *findings_first(const struct findings *findings,
                                     enum finding_severity severity)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].severity == severity)
            return &findings->items[i];
    return NULL;
}

void findings_free(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->items[i].text);
        free(findings->items[i].steady);
    }
    free(findings->items);
    *findings = (struct findings){0};
}
