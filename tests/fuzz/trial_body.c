/* A body for the test of flood.c: it fails if an input that begins with `a` has lost its `b`, and
 * reads one byte past the end of an input that begins with `r`. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned sum; /* so that the byte is really read */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assert(size == 0 || data[0] != 'a' || memchr(data, 'b', size));
    if (size > 0 && data[0] == 'r')
        sum += data[size];
    return 0;
}
