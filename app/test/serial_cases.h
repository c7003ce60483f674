/* A case for the serial settings of each channel to which a host came. */
#pragma once

#include "app/links/links_view.h"
#include "app/test/judgement.h"

/* Adds them, failed where the host's settings were not those of the robot, and to each that failed
 * a diagnosis with the remedy. None for channels whose settings nobody knows (TCP, a real serial
 * device), that no host opened for long, or for which the scene turns it off. NOW_US is the
 * simulated time. */
void serial_cases_add(struct judgement *judgement, const struct links *links, int64_t now_us);
