/* The page of a report. */
#pragma once

#include "app/files/page.h"
#include "app/lab/results/baseline.h"
#include "app/lab/results/results_summary.h"

/* BEFORE and BASELINE belong to the earlier run NAME, or are NULL. False, with the reason in ERROR:
 * the page could not be written. */
bool report_page_write(const char *path, const struct results_summary *summary,
                       const struct results_summary *before, const struct baseline *baseline,
                       const char *name, struct error *error);
