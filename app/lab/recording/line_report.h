/* Statistics of the lines in a recording: number, rate and regularity of each packet; bytes and bad
 * frames in each direction; events. */
#pragma once

#include "app/lab/recording/capture_reader.h"
#include "app/lab/recording/decoder.h"

struct line_report;

struct line_report *line_report_create(void);
void line_report_destroy(struct line_report *report);

/* First call line_report_frame with a piece of a line, then line_report_part with each part of it
 * that has a packet or an unknown ID (PACKET is NULL). */
void line_report_frame(struct line_report *report, const struct decoded *decoded);
void line_report_part(struct line_report *report, const struct decoded *decoded,
                      const struct wire_packet *packet, uint8_t id);
void line_report_event(struct line_report *report, const struct capture_block *block);

/* Prints tables, or one JSON object per line. SOURCE has the names. */
void line_report_print(const struct line_report *report, const struct capture_reader *source,
                       bool is_json);
