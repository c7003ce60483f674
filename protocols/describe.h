/* Frames and packets in words, from the field tables. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/writer.h"
#include "protocols/robot.h"

/* Writes `name field=value unit, ...` of one body into TEXT (cut at SIZE, always terminated).
 * Returns the characters written. */
size_t describe_packet(const struct wire_packet *packet, const uint8_t *body, size_t size,
                       char *text, size_t text_size);

/* The same for all parts of a frame, joined by `; `, or for a packet that was PROMISED (struct
 * wire_piece; else 0). A frame that does not parse, or a part with
 * an unknown id, is shown as hexadecimal bytes. */
size_t describe_frame(const struct robot_type *type, unsigned channel,
                      enum wire_direction direction, uint16_t promised, const uint8_t *frame,
                      size_t size, char *text, size_t text_size);

enum { DESCRIBE_EXAMPLE_MAX = 512 };

/* Writes a frame of PACKET as it may go over a channel of a robot: the example of its
 * table, or zeros. Returns its size; 0: that channel does not carry the packet. */
size_t describe_example(const struct robot_type *type, unsigned channel,
                        const struct wire_packet *packet, uint8_t frame[DESCRIBE_EXAMPLE_MAX]);

/* ---- Part by part, in a visit of a frame (robot_walk): TEXT begins empty with the first ---- */

/* As describe_frame, `; ` before all but the first. */
void describe_part(struct writer *to, const struct wire_packet *packet, uint8_t id,
                   const uint8_t *body, size_t size);

/* What is no frame: `aa 55 03`. */
void describe_bytes(struct writer *to, const uint8_t *bytes, size_t size);

/* An object of JSON, a comma before all but the first: `packet` and its fields in their units;
 * elements that repeat are an array of their name. `unknown` has the id, `wrong_size` the packet,
 * with `bytes` in hexadecimal. A text that is full is no JSON. */
void describe_part_json(struct writer *to, const struct wire_packet *packet, uint8_t id,
                        const uint8_t *body, size_t size);
