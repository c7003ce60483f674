/* Frames of a recording: each block goes to the line that it is of, whose robot type says how its
 * bytes are cut (protocols/framing.h). Holds no more than one frame a line and direction. */
#pragma once

#include "app/record/capture.h"
#include "protocols/framing.h"
#include "protocols/robot.h"

struct decoder;

struct decoded {
    size_t interface;
    const struct robot_type *type; /* NULL: not known, the bytes as they came */
    unsigned channel;              /* of the type */
    enum wire_direction direction;
    struct wire_piece piece; /* its bytes live until the next block */
};

/* TYPE and CHANNEL: of lines whose recording does not say; TYPE may be NULL. NULL: no memory. */
struct decoder *decoder_create(const struct robot_type *type, unsigned channel);
void decoder_destroy(struct decoder *decoder);

/* Adds a block of a line. Its interface may have become known since the last block. Take the
 * frames before the next one. False where memory is short. */
bool decoder_push(struct decoder *decoder, const struct capture_block *block,
                  const struct capture_interface *interface);

/* The next frame, or piece of what is no frame, of the last block. */
bool decoder_next(struct decoder *decoder, struct decoded *decoded);

/* After the last block: what is still held of any line. Call it until it is false. */
bool decoder_rest(struct decoder *decoder, struct decoded *decoded);

/* Calls VISIT for each part of a frame, as robot_walk does. False: none is known. */
bool decoder_walk(const struct decoder *decoder, const struct decoded *decoded, wire_visit *visit,
                  void *user);

/* The robot type and the channel of a line, as its description or its name says (`kobuki uart`,
 * `kobuki.uart`). False: it does not. */
bool decoder_find_type(const struct capture_interface *interface, const struct robot_type **type,
                       unsigned *channel);
