/* Pages of a file that this process shares with others.
 *
 * A file in shared memory can be cut short by whoever may write it, at any time: a look at its size
 * before each access would come too late, and seals exist only for files without a name. So the
 * fault itself is survived: a handler of SIGBUS puts an empty private page in place of
 * each page of such a mapping that is gone, and nothing else. What was there reads as zero
 * from then on; whoever maps a block gives it a magic number, and knows by its absence that
 * the shared memory is lost.
 *
 * Mappings are made and dropped by one thread.
 *
 * Layouts of such pages: pty/shim/clock_shm.h (virtual time), pty/shim/modem_shm.h (modem lines),
 * sim/watch/snapshot.h (pictures). */
#pragma once

#include <stddef.h>

/* Reserves SIZE bytes of the file and maps them for reading and writing, so that writing to them
 * does not fail where memory runs short later. NULL with errno: there is no room. */
void *shared_memory_map(int file, size_t size);

/* The other end of it. NULL does nothing. */
void shared_memory_unmap(void *shm, size_t size);
