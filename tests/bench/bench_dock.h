/* How often and how fast the docking host docks, from fixed start poses in and out of the dock's
 * light, with the robot's noise and without; tells of each that should have and has not. */
#pragma once

void bench_dock(void);
