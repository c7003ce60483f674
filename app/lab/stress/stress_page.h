/* The report of `ptybot stress` as a page for a browser. */
#pragma once

#include "app/lab/stress/stress_report.h"

/* Writes the page at PATH. BASELINE says in words what the driver does without any hardship. False,
 * with the reason in ERROR. */
bool stress_page_write(const char *path, const struct stress_report *report, const char *baseline,
                       struct error *error);
