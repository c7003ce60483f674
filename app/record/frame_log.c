/* When a picture is due; the rest is the painter's. */
#include "app/record/frame_log.h"

#include <math.h>
#include <stdlib.h>

#include "app/cli/terminal.h"
#include "app/run/picture.h"

const char *const frame_log_themes[] = {"light", "dark", NULL};

struct frame_log {
    const struct frame_log_options *options;
    const struct sim *sim;
    struct picture_feed *feed;
    uint64_t count; /* pictures that were due */
    bool is_patient, is_lost;
};

struct frame_log *frame_log_open(const struct frame_log_options *options, const struct sim *sim,
                                 bool is_patient, struct error *error)
{
    struct frame_log *log = calloc(1, sizeof *log);
    if (!log) {
        error_set(error, "not enough memory for pictures");
        return NULL;
    }
    log->options = options;
    log->sim = sim;
    log->is_patient = is_patient;
    log->feed = picture_open(
        &(struct picture_options){
            .frames = options->folder,
            .size = options->size,
            .theme = frame_log_themes[options->theme],
            .around = *options->around ? options->around : NULL,
            .span_m = options->span_m,
        },
        error);
    if (!log->feed) {
        free(log);
        return NULL;
    }
    frame_log_step(log); // the start
    return log;
}

void frame_log_step(struct frame_log *log)
{
    // From the count, so that no rounding adds up.
    int64_t due_us = (int64_t)llround((double)log->count * 1e6 / log->options->per_s);
    if (log->is_lost || sim_now_us(log->sim) < due_us)
        return;
    log->count++;
    log->is_lost = !picture_take(log->feed, log->sim, log->is_patient);
}

bool frame_log_close(struct frame_log *log, struct error *error)
{
    if (!log)
        return true;
    uint64_t skipped = picture_skipped(log->feed);
    if (skipped > 0)
        terminal_say(
            "%llu of %llu pictures left out: painting is slower than the run; --fast waits "
            "for it",
            (unsigned long long)skipped, (unsigned long long)log->count);
    bool is_whole = picture_close(log->feed) && !log->is_lost;
    if (!is_whole)
        error_set(error, "%s: not all pictures could be written", log->options->folder);
    free(log);
    return is_whole;
}
