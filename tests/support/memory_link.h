/* The byte link within the process, for tests: the far end is a set of functions instead of a host
 * process. */
#pragma once

#include "pty/byte_link.h"

/* Opens a link whose host can leave up to `capacity` (1 or more) bytes unread before frames are
 * dropped. `name` is copied. The caller owns it and ends it with byte_link_close. Returns NULL with
 * `error` filled when memory is short. */
struct byte_link *memory_link_open(const char *name, size_t capacity, struct error *error);

/* The far end, for links made by memory_link_open only. */

/* The host opens the link. Returns false when it is unplugged or already open. */
bool memory_link_host_open(struct byte_link *self, uint32_t baud);

/* The host closes the link; unread bytes are lost. */
void memory_link_host_close(struct byte_link *self);

/* The host sets a baud. Nothing happens without a host. */
void memory_link_host_set_baud(struct byte_link *self, uint32_t baud);

/* The host sends bytes; returns the number of accepted bytes, 0 without a host. */
size_t memory_link_host_write(struct byte_link *self, const void *bytes, size_t size);

/* The host reads bytes that the robot sent; returns their number, 0 without a host. */
size_t memory_link_host_read(struct byte_link *self, void *bytes, size_t cap);
