/* Diagnoses of a run. */
#include "app/drivers/diagnoses.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/program.h"
#include "base/array.h"
#include "base/text.h"

enum { TEXT_MAX = 1024 }; /* chosen: several lines of a terminal */

void diagnoses_add(struct diagnoses *diagnoses, enum diagnosis_kind kind,
                   enum diagnosis_severity severity, const char *entry, const char *format, ...)
{
    char *text = malloc(TEXT_MAX);
    const struct diagnosis one = {.kind = kind, .severity = severity, .entry = entry, .text = text};
    if (!text || !array_append(&diagnoses->items, &diagnoses->count, &one, sizeof one)) {
        free(text);
        diagnoses->is_short = true;
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(text, TEXT_MAX, format, args);
    va_end(args);
    text_flatten(text);
    diagnoses->warnings += severity == DIAGNOSIS_WARNING;
}

void diagnoses_steady(struct diagnoses *diagnoses, const char *text)
{
    if (!diagnoses->is_short) // the last one is that which was added
        diagnoses->is_short = !(diagnoses->items[diagnoses->count - 1].steady = strdup(text));
}

const char *diagnosis_kind_word(enum diagnosis_kind kind)
{
    static const char *const words[] = {[DIAGNOSIS_DRIVER] = "driver",
                                        [DIAGNOSIS_WIRE] = "wire",
                                        [DIAGNOSIS_SCENE] = "scene",
                                        [DIAGNOSIS_MACHINE] = "machine"};
    return words[kind];
}

const char *diagnosis_severity_word(enum diagnosis_severity severity)
{
    return severity == DIAGNOSIS_WARNING ? "warning" : "failure";
}

void diagnosis_print_entry(const char *entry, FILE *out)
{
    char docs[PATH_MAX];
    program_find(PROGRAM_DOCS, docs, sizeof docs);
    fprintf(out, "  see %s/%s\n", *docs ? docs : "docs", entry);
}

void diagnoses_print(const struct diagnoses *diagnoses, enum diagnosis_severity severity, FILE *out)
{
    bool is_first = true;
    for (size_t i = 0; i < diagnoses->count; i++) {
        const struct diagnosis *item = &diagnoses->items[i];
        if (item->severity != severity)
            continue;
        fprintf(out, "%s%s %s: %s\n", is_first ? "\n" : "", diagnosis_kind_word(item->kind),
                diagnosis_severity_word(severity), item->text);
        if (item->entry)
            diagnosis_print_entry(item->entry, out);
        is_first = false;
    }
}

const struct diagnosis *diagnoses_first(const struct diagnoses *diagnoses,
                                        enum diagnosis_severity severity)
{
    for (size_t i = 0; i < diagnoses->count; i++)
        if (diagnoses->items[i].severity == severity)
            return &diagnoses->items[i];
    return NULL;
}

void diagnoses_free(struct diagnoses *diagnoses)
{
    for (size_t i = 0; i < diagnoses->count; i++) {
        free(diagnoses->items[i].text);
        free(diagnoses->items[i].steady);
    }
    free(diagnoses->items);
    *diagnoses = (struct diagnoses){0};
}
