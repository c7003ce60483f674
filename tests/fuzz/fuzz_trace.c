/* Any bytes as a recording, through the subcommands that read one, each to its exit code: decode in
 * its three forms, and compare, which simulates the robot. All recordings of ptybot shorter than
 * SHORT_NS go through all of them. Only a few of the longer ones do, and of those of a real robot,
 * which start with three simulated seconds. A few also go through fit, which simulates about 40
 * times. */
#define _GNU_SOURCE
#include <assert.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/lab/recording/decoder.h"
#include "app/subcommands/subcommands.h"
#include "base/hash.h"
#include "protocols/registry.h"
#include "tests/fuzz/run_subcommand_silently.h"
#include "tests/support/capture_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    ALL_OF = 16,                /* chosen: one of this number in every form */
    COMPARE_OF = 256,           /* chosen: one of this number of slow ones, 3 s of simulated time */
    FIT_OF = 4096,              /* chosen: one of this number of short ones */
    FIT_LONGEST_NS = 500000000, /* chosen: half a second, about 40 times */
    SHORT_NS = 50000000,        /* chosen: two packets of a Kobuki */
};

/* Usually an option that fit can search. */
static const char *find_option(const struct robot_type *type, uint64_t hash)
{
    for (size_t i = 0; i < type->option_count; i++) {
        const struct option_row *row = &type->options[(hash + i) % type->option_count];
        if (row->type == OPTION_NUMBER)
            return row->key;
    }
    return "none";
}

/* Finds the robot named in the recording, or any robot; and the start and end of the recording. */
static const struct robot_type *find_robot(const uint8_t *data, size_t size, uint64_t hash,
                                           int64_t *first_ns, int64_t *last_ns)
{
    struct error error = {0};
    struct capture_block block;
    size_t count;
    unsigned channel;
    const struct robot_type *type = registry_types(&count)[hash % count];
    struct capture_reader *reader = capture_reader_open_memory(data, size, &error);
    *first_ns = INT64_MAX;
    *last_ns = 0;
    while (reader && capture_reader_next(reader, &block)) {
        assert(block.time_ns >= 0);
        assert((block.size > 0) <= (block.bytes != NULL));
        assert(capture_is_data(&block) || block.size == 0);
        *first_ns = block.time_ns < *first_ns ? block.time_ns : *first_ns;
        *last_ns = block.time_ns > *last_ns ? block.time_ns : *last_ns;
    }
    if (reader && capture_reader_interface_count(reader) > 0)
        decoder_find_type(capture_reader_interface(reader, 0), &type, &channel);
    capture_reader_close(reader);
    return type;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[QUIET_PATH];
    int64_t first_ns, last_ns;
    uint64_t hash = hash_bytes(HASH_START, data, size);
    const struct robot_type *type = find_robot(data, size, hash, &first_ns, &last_ns);
    const char *robot = type->name;
    int fd = temporary_file(data, size, path);
    // Each reading needs megabytes of memory, so all forms together are rare.
    bool is_all = hash % ALL_OF == 0;
    const char *const forms[] = {NULL, "--json", "--summary"};
    int code = run_subcommand_silently(&decode_subcommand,
                                       (const char *const[]){path, forms[hash / ALL_OF % 3], NULL});
    for (size_t i = 0; i < 3 && is_all; i++)
        assert(run_subcommand_silently(&decode_subcommand,
                                       (const char *const[]){path, forms[i], NULL}) == code);
    if (is_all || code == EXIT_CODE_USAGE)
        run_subcommand_silently(&decode_subcommand,
                                (const char *const[]){path, "--raw", "--robot", robot, NULL});
    // Times in recordings of ptybot start with the run.
    bool is_quick = last_ns < SHORT_NS;
    if (code != EXIT_CODE_USAGE && (is_quick || hash % COMPARE_OF == 0))
        run_subcommand_silently(&compare_subcommand,
                                (const char *const[]){path, robot, "--html", "/dev/null", NULL});
    if (code != EXIT_CODE_USAGE && hash % FIT_OF == 0 && last_ns - first_ns < FIT_LONGEST_NS)
        run_subcommand_silently(
            &fit_subcommand,
            (const char *const[]){path, robot, find_option(type, hash / FIT_OF), NULL});
    close(fd);
    return 0;
}
