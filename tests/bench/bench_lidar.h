/* The benchmark of scanners. */
#ifndef PTYBOT_TESTS_BENCH_BENCH_LIDAR_H
#define PTYBOT_TESTS_BENCH_BENCH_LIDAR_H

void bench_lidar(void);

#endif
