/* What the groups of the benchmark share: the clock and the lines that they print. */
#pragma once

#include <stdbool.h>

/* CPU time of this process, s. */
double bench_cpu_s(void);

/* One line: VALUE in UNIT, and how it compares with a reference of the same run. */
void bench_print(const char *name, double value, const char *unit, double ratio, const char *to);

/* Whether figures of that name, or of names that begin with it, are asked for. */
bool bench_wants(const char *name);

void bench_physics(void);
