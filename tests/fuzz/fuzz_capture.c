/* Any bytes as a recording: rejected with a reason, or read to its end; each block satisfies its
 * contract. */
#define _GNU_SOURCE
#include <assert.h>

#include "tests/support/capture_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned sum; /* so that each byte is really read */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct capture_block block;
    struct capture_reader *reader = capture_reader_open_memory(data, size, &error);
    if (!reader) {
        assert(error.text[0] != '\0');
        return 0;
    }
    while (capture_reader_next(reader, &block)) {
        assert(block.kind < CAPTURE_KINDS && block.comment);
        assert(block.interface < capture_reader_interface_count(reader));
        assert(block.size <= size && capture_kind_name(block.kind));
        assert(block.time_ns >= 0 && (capture_is_data(&block) || block.size == 0));
        for (size_t i = 0; i < block.size; i++)
            sum += block.bytes[i];
    }
    assert(!capture_reader_next(reader, &block));
    capture_reader_close(reader);
    return 0;
}
