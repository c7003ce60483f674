/* The number of elements of an array, and arrays that grow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Makes room for COUNT elements of SIZE bytes. ARRAY: the address of the pointer to an array from
 * malloc, or of a NULL pointer; the array has room for *ROOM elements. It grows by more than
 * requested, so that few calls copy. False: out of memory, and nothing has changed. */
bool array_reserve(void *array, size_t *room, size_t count, size_t size);

/* Appends a copy of ELEMENT, of SIZE bytes, to the *COUNT elements of a short array. ARRAY and the
 * result are as above. */
bool array_append(void *array, size_t *count, const void *element, size_t size);
