/* Frames and packets as text, from the field tables. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/writer.h"
#include "protocols/robot.h"

/* Writes `name field=value unit, ...` for one body into TEXT (truncated at TEXT_SIZE, always
 * terminated). Returns the number of characters written. */
size_t describe_packet(const struct wire_packet *packet, const uint8_t *body, size_t size,
                       char *text, size_t text_size);

/* The same for all parts of a frame, joined by `; `. PROMISED: see struct wire_piece; 0 for a
 * frame. A frame that does not parse, or a part with an unknown id, is shown as hexadecimal
 * bytes. */
size_t describe_frame(const struct robot_type *type, unsigned channel,
                      enum wire_direction direction, uint16_t promised, const uint8_t *frame,
                      size_t size, char *text, size_t text_size);

enum { DESCRIBE_EXAMPLE_MAX = 512 };

/* Writes a frame of PACKET as a channel of the robot may carry it: with the example of its table,
 * or with zeros. Returns its size; 0: the channel does not carry the packet. */
size_t describe_example(const struct robot_type *type, unsigned channel,
                        const struct wire_packet *packet, uint8_t frame[DESCRIBE_EXAMPLE_MAX]);

/* ---- Single parts, called from a visit of a frame (robot_walk). The text is empty before the
 * first part. ---- */

/* Like describe_frame; writes `; ` before every part except the first. */
void describe_part(struct writer *to, const struct wire_packet *packet, uint8_t id,
                   const uint8_t *body, size_t size);

/* Bytes outside frames: `aa 55 03`. */
void describe_bytes(struct writer *to, const uint8_t *bytes, size_t size);

/* A JSON object, with a comma before every object except the first: `packet` and its fields in
 * their units. Repeated elements are an array with the element's name. For an unknown id, `unknown`
 * is the id; for a wrong size, `wrong_size` is the packet. Both have `bytes` in hexadecimal. If the
 * text has no room left, the JSON is incomplete. */
void describe_part_json(struct writer *to, const struct wire_packet *packet, uint8_t id,
                        const uint8_t *body, size_t size);
