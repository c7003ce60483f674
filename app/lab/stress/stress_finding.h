/* One finding of `ptybot stress`: repeats it, simplifies it, and writes it as a scene. */
#pragma once

#include <jansson.h>

#include "app/lab/batch/batch.h"
#include "app/lab/stress/catalogue.h"

struct stress_bench {
    const char *word;            /* name of the scene */
    const struct scene *scene;   /* the scene itself */
    struct batch_options *batch; /* for the cases */
    const char *folder;          /* folder for files of these runs */
    const char *driver;          /* command line of the driver, quoted for a shell */
    const char *command;         /* flags that change the cases, and the driver after "--" */
};

/* Runs all cases, with files in the folder NAME and FACTS as in catalogue_units. FAILED becomes a
 * list of the failed expectations of the first case that has any, in the form of a line of results.
 * The caller owns it. Returns the exit code. */
int stress_run(const struct stress_bench *bench, struct catalogue *catalogue,
               struct survival_facts *facts, const char *name, json_t **failed);

/* Repeats the case. Returns whether VERDICT is the first verdict. */
bool stress_fails(const struct stress_bench *bench, const struct stress_case *one,
                  const char *verdict);

/* Reduces the numbers of a case as long as it gets VERDICT: rate, size and duration of the
 * hardship, then its time. Returns the number of runs. */
unsigned stress_minimize(const struct stress_bench *bench, struct stress_case *one,
                         const char *verdict);

/* Writes the case as a scene with its timeline, and with an expectation if VERDICT can be
 * expressed. False, with the reason in ERROR. */
bool stress_write_scene(const struct stress_bench *bench, const struct stress_case *one,
                        const char *verdict, const char *path, struct error *error);
