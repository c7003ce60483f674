/* What a frame of the e-puck2's camera costs, against writing as many bytes as it has on the wire.
 */
#ifndef TESTS_BENCH_BENCH_CAMERA_H
#define TESTS_BENCH_BENCH_CAMERA_H

void bench_camera(void);

#endif
