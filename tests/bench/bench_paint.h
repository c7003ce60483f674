/* What a picture costs: the snapshot in the process that simulates, the painting in the other. */
#ifndef TESTS_BENCH_BENCH_PAINT_H
#define TESTS_BENCH_BENCH_PAINT_H

void bench_paint(void);

#endif
