/* The panel's fifth page: the expectations of the scene, and their present results. */
#include "viewer/panel/panel.h"

void panel_test(const struct view *view, struct rows *rows)
{
    static const struct {
        const char *word;
        enum row_tone tone;
    } outcomes[] = {{"open", TONE_FAINT},
                    {"passed", TONE_GOOD},
                    {"FAILED", TONE_WARN},
                    {"not judged", TONE_FAINT}}; // by enum sim_verdict
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_verdict *verdicts = snapshot_at(snapshot, snapshot->verdicts);
    if (snapshot->verdicts.count == 0)
        rows_add(rows, (struct row){.kind = ROW_TEXT}, "This scene has no expectations.");
    else
        rows_add(rows, (struct row){.kind = ROW_HEADING}, "Expectations of the scene");
    for (uint32_t i = 0; i < snapshot->verdicts.count; i++) {
        const struct snapshot_verdict *one = &verdicts[i];
        uint32_t verdict = one->verdict % 4;
        struct row row = {.kind = ROW_HEADING,
                          .tone = outcomes[verdict].tone,
                          .level = 1,
                          .is_on = verdict == 1 || verdict == 2};
        rows_value(rows, rows_add(rows, row, "%s", outcomes[verdict].word), "%s",
                   snapshot_text(snapshot, one->name));
        rows_add(rows, (struct row){.kind = ROW_CODE}, "%s", snapshot_text(snapshot, one->that));
        if (verdict == 0)
            rows_add(rows, (struct row){.kind = ROW_TEXT}, "%s",
                     snapshot_text(snapshot, one->when));
        else
            rows_add(rows, (struct row){.kind = ROW_TEXT}, "%s; at %.3f s: %s",
                     snapshot_text(snapshot, one->when), (double)one->at_us * 1e-6, one->found);
    }
}
