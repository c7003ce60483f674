/* Any bytes as a recording, through the subcommands that read one, each to its exit code: decode in
 * its three forms, and compare, which simulates the robot. A few short ones go through fit as well,
 * which simulates the robot about 40 times. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/cli/arguments.h"
#include "app/cli/terminal.h"
#include "app/lab/recording/capture_reader.h"
#include "app/lab/recording/decoder.h"
#include "app/subcommands/subcommands.h"
#include "base/hash.h"
#include "protocols/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    FIT_OF = 16,                /* chosen: one of so many short ones */
    FIT_LONGEST_NS = 500000000, /* chosen: half a second, about 40 times */
};

/* Messages of the subcommands go to /dev/null, and not into the log of the fuzzer. */
static int own_stderr, nowhere;

/* Of a sanitizer, where there is one. */
extern void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

static void set_up(void)
{
    if (nowhere > 0)
        return;
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    own_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nowhere < 0 || own_stderr < 0 || !freopen("/dev/null", "w", stdout))
        abort();
    if (__sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(intptr_t)own_stderr);
}

static int run(const struct verb *verb, const char *const words[])
{
    char copies[8][64], *argv[8];
    int count = 0;
    for (; words[count]; count++) {
        snprintf(copies[count], sizeof copies[count], "%s", words[count]);
        argv[count] = copies[count];
    }
    fflush(stdout);
    dup2(nowhere, STDERR_FILENO);
    int code = verb_run(verb, count, argv);
    fflush(stdout);
    dup2(own_stderr, STDERR_FILENO);
    assert(code >= EXIT_CODE_OK && code <= EXIT_CODE_ENVIRONMENT);
    return code;
}

/* An option that fit can search, mostly. */
static const char *find_option(const struct robot_type *type, uint64_t hash)
{
    for (size_t i = 0; i < type->option_count; i++) {
        const struct option_row *row = &type->options[(hash + i) % type->option_count];
        if (row->type == OPTION_NUMBER)
            return row->key;
    }
    return "none";
}

/* The robot that the first line names, or any. */
static const struct robot_type *find_robot(const uint8_t *data, size_t size, uint64_t hash,
                                           int64_t *length_ns)
{
    struct error error = {0};
    struct capture_block block;
    size_t count;
    unsigned channel;
    const struct robot_type *type = registry_types(&count)[hash % count];
    struct capture_reader *reader = capture_reader_open_memory(data, size, &error);
    int64_t first_ns = INT64_MAX, last_ns = 0;
    while (reader && capture_reader_next(reader, &block)) {
        assert(block.time_ns >= 0);
        assert((block.size > 0) <= (block.bytes != NULL));
        assert(capture_is_data(&block) || block.size == 0);
        first_ns = block.time_ns < first_ns ? block.time_ns : first_ns;
        last_ns = block.time_ns > last_ns ? block.time_ns : last_ns;
    }
    if (reader && capture_reader_interface_count(reader) > 0)
        decoder_find_type(capture_reader_interface(reader, 0), &type, &channel);
    capture_reader_close(reader);
    *length_ns = last_ns - first_ns;
    return type;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int64_t length_ns;
    uint64_t hash = hash_bytes(HASH_START, data, size);
    const struct robot_type *type = find_robot(data, size, hash, &length_ns);
    const char *robot = type->name;
    set_up();
    int fd = memfd_create("recording", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int code = run(&decode_verb, (const char *const[]){path, NULL});
    assert(run(&decode_verb, (const char *const[]){path, "--json", NULL}) == code);
    assert(run(&decode_verb, (const char *const[]){path, "--summary", NULL}) == code);
    run(&decode_verb, (const char *const[]){path, "--raw", "--robot", robot, NULL});
    if (code != EXIT_CODE_USAGE)
        run(&compare_verb, (const char *const[]){path, robot, "--html", "/dev/null", NULL});
    if (code != EXIT_CODE_USAGE && hash % FIT_OF == 0 && length_ns < FIT_LONGEST_NS)
        run(&fit_verb, (const char *const[]){path, robot, find_option(type, hash / FIT_OF), NULL});
    close(fd);
    return 0;
}
