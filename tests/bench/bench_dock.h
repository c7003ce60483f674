/* Success rate and duration of the docking host, from fixed start poses inside and outside the
 * dock's light, with and without the robot's noise. Prints each pose that should have led to
 * docking and did not. */
#pragma once

void bench_dock(void);
