/* The page of a report. */
#ifndef PTYBOT_APP_LAB_RESULTS_REPORT_PAGE_H
#define PTYBOT_APP_LAB_RESULTS_REPORT_PAGE_H

#include "app/lab/results/baseline.h"
#include "app/lab/results/survey.h"

/* BEFORE and BASELINE are those of an earlier run called NAME, or NULL. False, with the reason in
 * ERROR: it could not be written. */
bool report_page_write(const char *path, const struct survey *survey, const struct survey *before,
                       const struct baseline *baseline, const char *name, struct error *error);

#endif
