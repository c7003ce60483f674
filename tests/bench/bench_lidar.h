/* The benchmark of scanners. */
#pragma once

void bench_lidar(void);
