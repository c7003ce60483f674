/* Cost of a frame of the e-puck2's camera, relative to writing the same number of bytes as the
 * frame has on the wire.
 */
#pragma once

void bench_camera(void);
