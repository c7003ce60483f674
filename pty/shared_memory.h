/* Pages of a file that this process shares with others.
 *
 * Any process that may write a file in shared memory can truncate it at any time. Checking the size
 * before each access would be too late, and seals exist only for files without a name. Therefore a
 * handler of SIGBUS makes the fault harmless: it replaces each missing page of such a mapping with
 * an empty private page, and handles no other faults. From then on, the page reads as zero. A
 * program that maps a block gives it a magic number; if the number is missing, the shared memory is
 * lost.
 *
 * One thread makes and removes all mappings.
 *
 * Layouts of such pages: pty/shim/clock_shm.h (virtual time), pty/shim/modem_shm.h (modem lines),
 * sim/watch/snapshot.h (pictures). */
#pragma once

#include <stddef.h>

/* Reserves SIZE bytes of the file and maps them for reading and writing. Because they are reserved,
 * writing to them cannot fail when memory runs short later. NULL with errno: there is no room. */
void *shared_memory_map(int file, size_t size);

/* Removes the mapping. NULL does nothing. */
void shared_memory_unmap(void *shm, size_t size);
