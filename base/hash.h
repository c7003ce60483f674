/* A hash, to compare two states or two streams of bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u /* FNV offset basis, 64 bit */

/* 64-bit FNV-1a over bytes, continuing from HASH (begin with HASH_START). Not for hostile bytes: it
 * is easy to make two texts with the same hash. Source: draft-eastlake-fnv. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);
