/* The page of a report. report_page_failures.c has what failed, report_page_map.c the room below
 * the map. */
#pragma once

#include "app/files/page.h"
#include "app/lab/results/baseline.h"
#include "app/lab/results/results_summary.h"

/* BEFORE and BASELINE are those of an earlier run called NAME, or NULL. False, with the reason in
 * ERROR: it could not be written. */
bool report_page_write(const char *path, const struct results_summary *summary,
                       const struct results_summary *before, const struct baseline *baseline,
                       const char *name, struct error *error);

/* The cases that did not pass. Those whose reasons differ only in numbers are together. False:
 * memory is short. */
bool report_page_failures(FILE *page, const struct results_summary *summary);

/* Writes a hidden picture of the room of a SCENE (as for scene_file_find), called ID, with its
 * bounds in meters; nothing where there is no such scene. The painter writes a file beside PATH,
 * which is deleted. */
void report_page_room(FILE *page, const char *path, const char *scene, size_t id);
