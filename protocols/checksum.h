/* The checksums of the robots' frames. */
#ifndef PTYBOT_PROTOCOLS_CHECKSUM_H
#define PTYBOT_PROTOCOLS_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* XOR of all bytes; 0 for none. */
uint8_t checksum_xor(const uint8_t *bytes, size_t size);

/* Low eight bits of the sum of all bytes. */
uint8_t checksum_sum(const uint8_t *bytes, size_t size);

#endif
