#include "app/replay/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- The list ---- */

static bool is_there(const struct marks *marks, const struct snapshot_mark *mark)
{
    for (size_t i = marks->count; i-- > 0 && marks->list[i].at_us >= mark->at_us;)
        if (marks->list[i].at_us == mark->at_us && marks->list[i].kind == mark->kind &&
            strcmp(marks->list[i].text, mark->text) == 0)
            return true;
    return false;
}

static void note(struct marks *marks, const struct snapshot_mark *mark)
{
    if (is_there(marks, mark) ||
        !array_reserve(&marks->list, &marks->room, marks->count + 1, sizeof *marks->list))
        return;
    size_t at = marks->count++;
    for (; at > 0 && marks->list[at - 1].at_us > mark->at_us; at--)
        marks->list[at] = marks->list[at - 1];
    marks->list[at] = *mark;
}

void marks_free(struct marks *marks)
{
    free(marks->list);
    free(marks->verdicts);
    *marks = (struct marks){0};
}

/* ---- Marks from the journal ---- */

static const char *channel_name(const struct journal_head *head, uint64_t channel)
{
    for (size_t i = 0; i < head->channel_count; i++)
        if (head->channels[i].channel == channel)
            return head->channels[i].name;
    return "";
}

void marks_scan(struct marks *marks, const struct journal_head *head,
                const struct journal_reader *reader)
{
    struct journal_reader *ahead = malloc(sizeof *ahead);
    struct journal_entry entry;
    if (!ahead)
        return;
    *ahead = *reader;
    while (journal_read(ahead, &entry, NULL) == JOURNAL_ENTRY) {
        marks->length_us = entry.step * SIM_STEP_US;
        struct snapshot_mark mark = {.at_us = marks->length_us, .kind = SNAPSHOT_COMMAND};
        if (entry.kind == JOURNAL_COMMAND) {
            snprintf(mark.text, sizeof mark.text, "%.*s", (int)entry.size,
                     (const char *)entry.bytes);
        } else if (entry.kind == JOURNAL_HOST) {
            mark.kind = entry.number ? SNAPSHOT_HOST : SNAPSHOT_GONE;
            snprintf(mark.text, sizeof mark.text, "%.*s", (int)sizeof mark.text - 1,
                     channel_name(head, entry.index));
        } else {
            continue;
        }
        note(marks, &mark);
    }
    free(ahead);
}

/* ---- Marks from the run ---- */

void marks_begin(struct marks *marks)
{
    free(marks->verdicts);
    marks->verdicts = NULL;
    marks->fault_count = 0;
}

void marks_step(struct marks *marks, const struct sim *sim)
{
    size_t count = sim_expectation_count(sim);
    if (count > 0 && !marks->verdicts)
        marks->verdicts = calloc(count, sizeof *marks->verdicts);
    for (size_t i = 0; marks->verdicts && i < count; i++) {
        const struct sim_expectation item = sim_expectation(sim, i);
        if (item.verdict == marks->verdicts[i])
            continue;
        marks->verdicts[i] = item.verdict;
        if (item.verdict != SIM_PASSED && item.verdict != SIM_FAILED)
            continue;
        struct snapshot_mark mark = {.at_us = item.at_us,
                                     .kind = item.verdict == SIM_PASSED ? SNAPSHOT_PASSED
                                                                        : SNAPSHOT_FAILED};
        snprintf(mark.text, sizeof mark.text, "%s%s%s %s", item.name, *item.name ? ": " : "",
                 item.that, item.when);
        note(marks, &mark);
    }
}

static bool has_fault(const struct snapshot_fault *list, uint32_t count,
                      const struct snapshot_fault *wanted)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].robot == wanted->robot && strcmp(list[i].part, wanted->part) == 0 &&
            strcmp(list[i].what, wanted->what) == 0)
            return true;
    return false;
}

/* Notes the faults that are in LIST and not in OTHER. */
static void note_faults(struct marks *marks, const struct sim *sim, enum snapshot_mark_kind kind,
                        const struct snapshot_fault *list, uint32_t count,
                        const struct snapshot_fault *other, uint32_t other_count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct snapshot_mark mark = {.at_us = sim_now_us(sim), .kind = kind};
        if (has_fault(other, other_count, &list[i]))
            continue;
        snprintf(mark.text, sizeof mark.text, "%s %s %s", sim_robot_name(sim, list[i].robot),
                 list[i].part, list[i].what);
        note(marks, &mark);
    }
}

void marks_update(struct marks *marks, const struct sim *sim, const struct snapshot *snapshot)
{
    const struct snapshot_fault *now = snapshot_at(snapshot, snapshot->faults);
    uint32_t count = snapshot->fault_count;
    note_faults(marks, sim, SNAPSHOT_FAULT, now, count, marks->faults, marks->fault_count);
    note_faults(marks, sim, SNAPSHOT_HEALED, marks->faults, marks->fault_count, now, count);
    memcpy(marks->faults, now, count * sizeof *now);
    marks->fault_count = count;
}

/* ---- For snapshots ---- */

static size_t shown_count(const struct marks *marks)
{
    return marks->count < SNAPSHOT_MARKS_MAX ? marks->count : SNAPSHOT_MARKS_MAX;
}

size_t marks_size(const struct marks *marks)
{
    return shown_count(marks) * sizeof(struct snapshot_mark) + _Alignof(struct snapshot_mark);
}

void marks_show(const struct marks *marks, struct snapshot *snapshot)
{
    size_t shown = shown_count(marks), firsts = 0, used = 0;
    if (snapshot->marks.at == 0)
        snapshot->marks.at = (uint32_t)((snapshot->size + 7) & ~UINT64_C(7));
    struct snapshot_mark *out = (void *)((char *)snapshot + snapshot->marks.at);
    for (size_t i = 0; i < marks->count; i++)
        firsts += marks->list[i].kind <= SNAPSHOT_HEALED;
    size_t others = firsts < shown ? shown - firsts : 0;
    for (size_t i = 0; i < marks->count && used < shown; i++) {
        bool is_other = marks->list[i].kind > SNAPSHOT_HEALED;
        if (is_other && others == 0)
            continue;
        others -= is_other;
        out[used++] = marks->list[i];
    }
    snapshot->marks.count = (uint32_t)used;
    snapshot->size = snapshot->marks.at + used * sizeof *out;
}
