/* How often and how fast the docking host docks, from fixed start poses in and out of the dock's
 * light, with the robot's noise and without; tells of each that should have and has not. */
#ifndef TESTS_BENCH_BENCH_DOCK_H
#define TESTS_BENCH_BENCH_DOCK_H

void bench_dock(void);

#endif
