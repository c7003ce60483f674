/* What a picture costs: the snapshot in the process that simulates, the painting in the other. */
#pragma once

void bench_paint(void);
