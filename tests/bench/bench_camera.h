/* What a frame of the e-puck2's camera costs, against writing as many bytes as it has on the wire.
 */
#pragma once

void bench_camera(void);
