/* What the tests of a run have exercised of their robots, and what they never did. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "app/lab/results/results_read.h"

/* Prints a row for the packets to each type of robot, its commands, kinds of faults and signals.
 * Packets were sent by drivers; commands and faults are those of timelines and of --vary; signals
 * stand in expectations, measures and conditions. False: memory was short. */
bool coverage_print(const struct results *results, FILE *out);
