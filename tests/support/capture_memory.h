/* Recordings that are bytes of a test: an unnamed file of them. Needs _GNU_SOURCE. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/lab/recording/capture_reader.h"

static inline struct capture_reader *capture_reader_open_memory(const uint8_t *bytes, size_t size,
                                                                struct error *error)
{
    char path[32];
    int fd = memfd_create("recording", MFD_CLOEXEC);
    if (fd < 0 || (size > 0 && write(fd, bytes, size) != (ssize_t)size))
        return error_null(error_environment(error, "no memory for a recording"));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct capture_reader *reader = capture_reader_open(path, error);
    close(fd);
    return reader;
}
