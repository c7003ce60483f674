/* Adds correct checks to journals, so that a fuzzer reaches the code after the check. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the first line of a journal, and each line of DATA after its check. The caller frees
 * it. */
char *journal_seal(const uint8_t *data, size_t size, size_t *sealed);
