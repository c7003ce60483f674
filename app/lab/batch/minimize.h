/* A failing case made simpler while it still fails in the same way. */
#pragma once

#include "app/lab/batch/test_units.h"
#include "app/test/test_run.h"

/* Runs the case again and again: without each thing that it sets and each fault of its scene's
 * timeline, then with smaller rates and with values nearer to those of the scene, as long as the
 * first that fails is the same. Prints what is left as a scene. Returns the exit code: 1 it fails,
 * 3 it could not be run. */
int minimize(const struct test_unit *unit, const struct test_options *options);
