/* One finding of `ptybot stress`: run again, made smaller, and written as a scene to keep. */
#ifndef PTYBOT_APP_LAB_STRESS_STRESS_FINDING_H
#define PTYBOT_APP_LAB_STRESS_STRESS_FINDING_H

#include "app/lab/batch/batch.h"
#include "app/lab/stress/catalogue.h"

struct stress_bench {
    const char *word;                  /* the scene */
    const struct scene *scene;         /* the same, read */
    const struct batch_options *batch; /* of the cases */
    const char *folder;                /* for files of these runs */
    const char *command;               /* the driver's command line */
};

enum { STRESS_VERDICT_MAX = 64 };

/* Runs a case. Writes the verdict that fired, "" for none. False: it could not be run. */
bool stress_try(const struct stress_bench *bench, const struct stress_case *one,
                char verdict[STRESS_VERDICT_MAX]);

/* Makes the numbers of a case smaller, as long as VERDICT fires: rate, size and duration of the
 * hardship, then its time. Returns how many runs that took. */
unsigned stress_minimize(const struct stress_bench *bench, struct stress_case *one,
                         const char *verdict);

/* Writes the case as a scene with the timeline, and with an expectation where one can express the
 * VERDICT. False, with the reason in ERROR. */
bool stress_write_scene(const struct stress_bench *bench, const struct stress_case *one,
                        const char *verdict, const char *path, struct error *error);

#endif
