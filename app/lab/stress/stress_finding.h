/* One finding of `ptybot stress`: run again, made smaller, and written as a scene to keep. */
#pragma once

#include <jansson.h>

#include "app/lab/batch/batch.h"
#include "app/lab/stress/catalogue.h"

struct stress_bench {
    const char *word;            /* the scene */
    const struct scene *scene;   /* the same, read */
    struct batch_options *batch; /* of the cases */
    const char *folder;          /* for files of these runs */
    const char *driver;          /* its command line, quoted for a shell */
    const char *command;         /* flags that change the cases, and the driver behind "--" */
};

/* Runs all cases with files in the folder NAME and FACTS as for catalogue_units. FAILED gets a list
 * of the expectations that failed in the first case with any, as in a line of results; the caller
 * owns it. Returns the exit code. */
int stress_run(const struct stress_bench *bench, struct catalogue *catalogue,
               struct survival_facts *facts, const char *name, json_t **failed);

/* Whether the VERDICT is the first one that fires when the case runs again. */
bool stress_fails(const struct stress_bench *bench, const struct stress_case *one,
                  const char *verdict);

/* Makes the numbers of a case smaller, as long as VERDICT fires: rate, size and duration of the
 * hardship, then its time. Returns how many runs that took. */
unsigned stress_minimize(const struct stress_bench *bench, struct stress_case *one,
                         const char *verdict);

/* Writes the case as a scene with the timeline, and with an expectation where one can express the
 * VERDICT. False, with the reason in ERROR. */
bool stress_write_scene(const struct stress_bench *bench, const struct stress_case *one,
                        const char *verdict, const char *path, struct error *error);
