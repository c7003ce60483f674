/* What the lines of a recording were like: of each packet how many came, how often and how evenly;
 * bytes and bad frames of each direction; events. */
#pragma once

#include "app/lab/recording/capture_reader.h"
#include "app/lab/recording/decoder.h"

struct line_report;

struct line_report *line_report_create(void);
void line_report_destroy(struct line_report *report);

/* A piece of a line, then each part of it that has a packet, or an id that is not known (NULL). */
void line_report_frame(struct line_report *report, const struct decoded *decoded);
void line_report_part(struct line_report *report, const struct decoded *decoded,
                      const struct wire_packet *packet, uint8_t id);
void line_report_event(struct line_report *report, const struct capture_block *block);

/* Prints tables in words, or an object a line. SOURCE has the names. */
void line_report_print(const struct line_report *report, const struct capture_reader *source,
                       bool is_json);
