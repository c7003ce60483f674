/* Simplifies a failing case while it still fails in the same way. */
#pragma once

#include "app/lab/batch/test_units.h"
#include "app/test/test_run.h"

/* Runs the case repeatedly: without each of its changes and each fault in the timeline of its
 * scene, then with smaller rates and with values closer to those of the scene, as long as the first
 * failure is the same. Prints the simplified case as a scene. Returns the exit code: 1 it fails, 3
 * it could not be run. */
int minimize(const struct test_unit *unit, const struct test_options *options);
