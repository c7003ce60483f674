/* Splits a recording into frames. Each block belongs to a line, whose robot type defines the
 * framing (protocols/framing.h). Holds at most one frame per line and direction. */
#pragma once

#include "app/record/capture.h"
#include "protocols/framing.h"
#include "protocols/robot.h"

struct decoder;

struct decoded {
    size_t interface;
    const struct robot_type *type; /* NULL: unknown; the pieces are the received chunks */
    unsigned channel;              /* of the type */
    enum wire_direction direction;
    struct wire_piece piece; /* its bytes are valid until the next block */
};

/* TYPE and CHANNEL are used for lines that do not name their own; TYPE may be NULL. NULL: out of
 * memory. */
struct decoder *decoder_create(const struct robot_type *type, unsigned channel);
void decoder_destroy(struct decoder *decoder);

/* Adds a block of a line. INTERFACE may have become known since the last block. Take the frames
 * before the next block. False: out of memory. */
bool decoder_push(struct decoder *decoder, const struct capture_block *block,
                  const struct capture_interface *interface);

/* The next frame of the last block, or the next piece that is not a frame. */
bool decoder_next(struct decoder *decoder, struct decoded *decoded);

/* After the last block: the incomplete rest of any line. Call it until it returns false. */
bool decoder_rest(struct decoder *decoder, struct decoded *decoded);

/* Calls VISIT for each part of a frame, like robot_walk. False: no part is known. */
bool decoder_walk(const struct decoder *decoder, const struct decoded *decoded, wire_visit *visit,
                  void *user);

/* The robot type and the channel of a line, from its description or its name (`kobuki uart`,
 * `kobuki.uart`). False: they do not name a type. */
bool decoder_find_type(const struct capture_interface *interface, const struct robot_type **type,
                       unsigned *channel);
